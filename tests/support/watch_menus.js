// Notes every menu that is ever on the screen, and every layout shift that no input of the visitor explains.
window.menus = []; window.shifts = [];
const look = () => {
  const links = [...document.querySelectorAll('[data-testid=stSidebarNavLink]')].map((link) => link.textContent.trim());
  const last = window.menus.at(-1);
  if (links.length && JSON.stringify(links) !== JSON.stringify(last)) window.menus.push(links);
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
const name = (node) => node?.closest?.('[class*=st-key-],[data-testid]')?.outerHTML.slice(0, 160) ?? String(node);
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      window.shifts.push([entry.value, ...entry.sources.map((one) => name(one.node))]);
}).observe({ type: 'layout-shift', buffered: true });
