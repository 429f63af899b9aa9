// A table of pages or documents with thumbnails. Sorting and paging are done by the server, which has all rows.
// data: {columns: [{name, title, number}], rows: [{name, url, cells: [text]}], kind, sorted, descending}.
// send("picked", {open: name} or {sort: column}) says what was clicked.
const PAGE_LISTS = new WeakMap();

function show_page_list(root, data, send) {
  const state = PAGE_LISTS.get(root) ?? { clicks: 0 };
  PAGE_LISTS.set(root, state);
  const pick = (picked) => send("picked", { ...picked, n: Date.now() + ++state.clicks });
  const header = ({ name, title, number }) => {
    const sorted = name === data.sorted, mark = sorted ? (data.descending ? " ▾" : " ▴") : "";
    return make("th", { scope: "col", class: number ? "number" : null, "aria-sort": sorted ? (data.descending ? "descending" : "ascending") : null },
      make("button", { type: "button", "data-sort": name, onclick: () => pick({ sort: name }) }, title + mark));
  };
  const said = data.kind === "page" ? "Open page" : "Show document";
  const line = ({ name, url, cells }) => {
    const picture = make("span", { class: "picture" }, url ? make("img", { src: url, alt: "", loading: "lazy" }) : "");
    const texts = cells.map((text, k) => k === 0
      ? make("th", { scope: "row" }, make("button", { type: "button", "aria-label": `${said} ${name}` }, make("bdi", {}, text)))
      : make("td", { class: data.columns[k].number ? "number" : null }, make("bdi", {}, text)));
    return make("tr", { onclick: () => pick({ open: name }) }, make("td", { class: "thumb" }, picture), ...texts);
  };
  const focused = root.getRootNode().activeElement?.dataset?.sort;
  const table = make("table", { "aria-label": data.kind === "page" ? "Pages" : "Documents" },
    make("thead", {}, make("tr", {}, make("td", { class: "thumb" }), ...data.columns.map(header))), make("tbody", {}, ...data.rows.map(line)));
  root.replaceChildren(make("div", { class: "page-list" }, table));
  if (focused) root.querySelector(`[data-sort="${CSS.escape(focused)}"]`)?.focus();
}
