// What a notebook shows in a frame: a matrix with its views and the pages behind a cell, or one page in the viewer.
const shown = JSON.parse(document.getElementById("data").textContent);
const DARK = matchMedia("(prefers-color-scheme: dark)");
const at = (id) => document.getElementById(id);
const chosen = { view: "recall", log: false, cell: null };

function draw_views() {
  const button = (text, pressed, act) => make("button", { "aria-pressed": String(pressed), onclick: () => { act(); draw_views(); draw_matrix(); } }, text);
  const views = Object.entries(shown.views).map(([view, name]) => button(name, chosen.view === view, () => { chosen.view = view; }));
  at("views").replaceChildren(...views, button("Log", chosen.log, () => { chosen.log = !chosen.log; }));
}
function draw_matrix() {
  const look = { theme: DARK.matches ? "dark" : "light", view: chosen.view, log: chosen.log, compact: true, clickable: true, follow: true, chosen: chosen.cell };
  show_matrix(at("matrix"), { ...shown.matrix, ...look }, (_, picked) => {
    if (picked.kind !== "cell" || picked.row === undefined || picked.column === undefined) return;
    chosen.cell = [picked.row, picked.column];
    draw_matrix();
    draw_cell();
  });
}
function draw_cell() {
  const [i, j] = chosen.cell, { pages, worst } = shown.cells[`${i}-${j}`] ?? { pages: 0, worst: [] };
  const name = filled(shown.cell_name, { gt: shown.labels[i], verb: shown.verbs[i === j ? "correct" : "wrong"], pred: shown.labels[j] });
  const heading = `${name}, on ${thin_spaced(pages)} of ${thin_spaced(shown.pages)} pages`;
  const rows = worst.map(([page, pixels]) => make("tr", {}, make("td", { class: "text" }, page), make("td", {}, thin_spaced(pixels))));
  const head = make("tr", {}, make("th", { class: "text" }, "page"), make("th", {}, "pixels"));
  at("cell").replaceChildren(make("h3", {}, heading), ...(rows.length ? [make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))] : []));
}
if (shown.kind === "page") show_page(at("page"), shown.page, () => {});
else {
  draw_views();
  draw_matrix();
  DARK.addEventListener("change", draw_matrix);
}
