// The page of several predictions.
const chosen = { view: "recall", cell: null, log: false };
const report_of = (folder) => `${encodeURIComponent(folder)}/report.html`;

// F1 of classes (rows) and predictions (columns); the frame is around the baseline.
function classes_svg() {
  const { labels, models, values, numbers } = data.classes;
  const { high, font, most } = matrix_sizes(Math.max(labels.length, models.length)), wide = 92;
  const left = 24 + Math.max(...labels.map((label) => short(label, most).length)) * font * 0.62, top = 30;
  const width = left + wide * models.length + 4, height = top + high * labels.length + 4;
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-size": font, fill: "currentColor" });
  const scale = data.themes[DARK.matches ? "dark" : "light"].hit;
  models.forEach((model, c) => svg.append(make("text", { x: left + (c + 0.5) * wide, y: top - 9, "text-anchor": "middle" }, short(model, 13))));
  labels.forEach((label, r) => {
    svg.append(make("text", { x: left - 6, y: top + (r + 0.5) * high, "text-anchor": "end", "dominant-baseline": "central" }, short(label, most)));
    models.forEach((_, c) => svg.append(...class_cell(values[r][c], numbers[r][c], scale, left + c * wide, top + r * high, wide, high, `${r}-${c}`)));
  });
  mark_column(svg, models.indexOf(data.baseline), labels.length, left, top, wide, high);
  return svg;
}
function class_cell(value, number, scale, x, y, wide, high, key) {
  const colour = value ? colour_at(scale, value) : null;
  const look = { x: x + wide / 2, y: y + high / 2, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 11.5, "pointer-events": "none" };
  return [
    make("rect", { x, y, width: wide, height: high, fill: colour ? css(colour) : "transparent", stroke: "var(--line)", "stroke-width": 0.7, "data-class": key }),
    make("text", { ...look, fill: colour ? readable(colour) : "var(--soft)" }, number || "·"),
  ];
}
function mark_column(svg, column, rows, left, top, wide, high) {
  svg.append(make("rect", { x: left + column * wide, y: top, width: wide, height: rows * high, fill: "none", stroke: "currentColor", "stroke-width": 1.5, "pointer-events": "none" }));
}

// A click on a cell opens the report of its prediction at this cell.
const open_cell = ({ models, rows, columns, row_names, column_names }) => (_, picked) => {
  if (picked.kind !== "cell") return;
  const names = [row_names[rows.indexOf(picked.row)], column_names[columns.indexOf(picked.column)]];
  const folder = data.models.find((one) => one.name === models[picked.model].name).folder;
  location.href = `${report_of(folder)}#labels=${names.map(encodeURIComponent).join("&")}`;
};
// The matrices of all predictions; matrices with the labels of gt are side by side.
function draw_matrices() {
  const link = (model) => ({ ...model, link: report_of(data.models.find((one) => one.name === model.name).folder) });
  const drawn = data.matrices.map((matrix) => small_matrix({ ...matrix, models: matrix.models.map(link) }, { named: true, clickable: true }, open_cell(matrix)));
  at("matrices").querySelector(".small").replaceChildren(...drawn);
}
function draw_views() {
  const buttons = Object.entries(VIEWS).map(([view, name]) => make("button", { "aria-pressed": String(chosen.view === view), onclick: () => { chosen.view = view; draw_views(); draw_matrices(); } }, name));
  const log = make("button", { "aria-pressed": String(chosen.log), title: "Colours on a log scale", onclick: () => { chosen.log = !chosen.log; draw_views(); draw_matrices(); } }, "Log");
  at("views").replaceChildren(...buttons, log);
}
function class_tip(row, column) {
  const { labels, models, values } = data.classes, value = values[row][column];
  return `${labels[row]}\n${models[column]}\nF1 ${value === null ? "–" : score_text(value, 4)}`;
}
function show_tip(event) {
  const tip = at("tip"), place = event.target.dataset?.class;
  tip.hidden = !place;
  if (tip.hidden) return;
  tip.textContent = class_tip(...place.split("-").map(Number));
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - 350)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - 140)}px`;
}

function draw_classes() {
  if (data.classes.labels.length) at("model-classes").querySelector(".drawing").replaceChildren(classes_svg());
}
function start() {
  const count = data.models.length;
  document.title = `${data.gt} → ${count} predictions`;
  at("title").append(document.title);
  at("severe").replaceChildren(...data.severe.map((words) => make("p", {}, words)));
  at("facts").append(`${thin_spaced(data.pages)} pages · ${thin_spaced(data.documents)} documents · baseline ${data.baseline} · method ${data.method}`);
  data.models.forEach(({ name, folder }, k) => at("reports").append(k ? " · " : "", make("a", { href: report_of(folder) }, name)));
  if (!data.classes.labels.length) at("model-classes").remove();
  else { at("legend").append(data.legend); at("class-table").append(table_with_notes("model_classes")); }
  const places = { leaderboard: "leaderboard", documents: "model_documents", pages: "model_pages", differences: "model_differences", causes: "model_causes" };
  if (!data.tables.model_causes) { delete places.causes; at("causes").remove(); }
  for (const [id, name] of Object.entries(places)) at(id).querySelector("div").append(table_with_notes(name));
  at("recipe").querySelector("div").append(...data.models.map(({ recipe }) => make("p", { class: "recipe" }, recipe)));
  draw_navigation();
  draw_classes();
  draw_views();
  draw_matrices();
}
at("model-classes").addEventListener("pointermove", show_tip);
at("model-classes").addEventListener("pointerleave", () => { at("tip").hidden = true; });
DARK.addEventListener("change", () => { draw_classes(); draw_matrices(); });
start();
