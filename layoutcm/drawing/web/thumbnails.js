// Pages behind a cell: one button for each, with its picture, its name and its pixels.
const THUMBNAIL_LISTS = new WeakMap();

// Show pages in `root`, {pages: [[name, amount, url]], across, unit, current}; a click calls `send("picked", {page, n})`.
function show_thumbnails(root, data, send) {
  let state = THUMBNAIL_LISTS.get(root);
  if (!state) {
    THUMBNAIL_LISTS.set(root, (state = { box: make("div", { class: "thumbnails" }), clicks: 0 }));
    root.append(state.box);
  }
  state.box.style.setProperty("--across", data.across);
  state.box.replaceChildren(...data.pages.map(([page, amount, url]) => {
    const text = `${thin_spaced(amount)} ${data.unit === "objects" && amount === 1 ? "object" : data.unit}`;
    const picture = make("span", { class: "thumbnail-frame" }, url ? make("img", { src: url, alt: "", loading: "lazy" }) : "");
    return make("button", { type: "button", title: page, "aria-label": `Open page ${page}, ${text}`, ...(page === data.current ? { "aria-current": "page" } : {}), onclick: () => send("picked", { page, n: Date.now() + ++state.clicks }) },
      picture, make("bdi", { class: "thumbnail-name" }, page), make("span", { class: "thumbnail-pixels" }, text));
  }));
}
