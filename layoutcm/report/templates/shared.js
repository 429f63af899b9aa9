// What the report of one prediction and the page of several have in common: matrices and tables.
// They are drawn from the JSON in the page. Labels and names are inserted as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const VIEWS = data.view_names;
const DARK = matchMedia("(prefers-color-scheme: dark)");

const at = (id) => document.getElementById(id);

// How all matrices of this page are drawn.
const matrix_look = () => ({ theme: DARK.matches ? "dark" : "light", view: chosen.view, log: chosen.log, view_names: VIEWS, compact: true });
function small_matrix(matrix, look, send = null) {
  const place = make("div");
  show_matrix(place, { ...matrix, ...matrix_look(), ...look }, send);
  return place;
}

// Tables that are sorted by a click on a heading. `pick(row)` is what a click on the names of a row does, or null.
function table(name, pick) {
  const { columns, kinds, rows, of } = data.tables[name];
  const order = { column: -1, down: true };
  const body = make("tbody");
  const fill = () => {
    const sorted = order.column < 0 ? rows : [...rows].sort((a, b) => compare(a[order.column], b[order.column]) * (order.down ? -1 : 1));
    body.replaceChildren(...sorted.map((row) => make("tr", {}, ...row.map((value, k) => table_cell(value, kinds[k], k < 2 ? pick?.(row) : null)))));
  };
  const head = columns.map((heading, k) => make("th", { class: kinds[k] === "text" ? "text" : "", scope: "col", tabindex: 0, onclick: () => turn(k), onkeydown: (event) => { if (event.key === "Enter") turn(k); } }, heading));
  const turn = (k) => {
    order.down = order.column === k ? !order.down : kinds[k] !== "text";
    order.column = k;
    head.forEach((th, c) => th.setAttribute("aria-sort", c !== k ? "none" : order.down ? "descending" : "ascending"));
    fill();
  };
  fill();
  const box = make("div", {}, make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...head)), body)));
  if (of > rows.length) box.append(make("p", { class: "soft" }, `The ${thin_spaced(rows.length)} worst of ${thin_spaced(of)}; the other files of this report have all of them.`));
  return box;
}
function compare(a, b) {
  if (a === null || b === null) return (a === null ? -1 : 0) - (b === null ? -1 : 0);
  return typeof a === "number" ? a - b : String(a).localeCompare(String(b));
}
function table_cell(value, kind, click) {
  const cell = make("td", { class: kind });
  if (kind === "share" && value !== null) cell.style.setProperty("--share", `${Math.min(Math.max(100 * value, 0), 100)}%`);
  const text = cell_text(value, kind);
  cell.append(click ? make("button", { class: "plain", onclick: click }, text) : text);
  return cell;
}
function table_with_notes(name) {
  const { title, note } = data.tables[name];
  const notes = note.map((text) => make("p", { class: "soft recipe" }, text));
  const source = data.drawings?.[name];
  const drawing = source ? make("img", { src: source, alt: title, class: "drawing" }) : null;
  return make("div", {}, make("h3", {}, title), drawing, table(name), ...notes);
}
// Links to all sections; sections that the page does not have were removed before.
function draw_navigation() {
  for (const section of document.querySelectorAll("main section")) at("nav").append(make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
}
