// Layout shifts of the page since the table of predictions was first drawn.
window.shifts = []; window.drawn = 0;
new MutationObserver(() => {
  if (!window.drawn && document.querySelector(".models-table")) window.drawn = performance.now();
}).observe(document, {childList: true, subtree: true});
new PerformanceObserver(list => window.shifts.push(...list.getEntries().map(e => [e.startTime, e.value])))
  .observe({type: "layout-shift", buffered: true});
