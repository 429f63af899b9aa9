// The report of one prediction.
const PICTURES_AT_ONCE = 6;
const chosen = { view: "recall", cell: null, log: false, outlines: false, all: false, other: -1, difference: false };

// The matrix. Its values are computed once; all labels are open there.
const every_line = (side) => matrix_lines({ ...data.matrix, groups: [] }, side, new Set());
const matrix_values = matrix_views(data.matrix.models[0], every_line("rows"), every_line("columns"));
const value_of = (view, i, j) => matrix_values[view][data.rows.indexOf(i)][data.columns.indexOf(j)];
function draw_matrix() {
  const collapsed = chosen.view === "collapsed";
  at("all-labels").hidden = collapsed;
  at("collapsed").hidden = !collapsed;
  if (!collapsed) return chosen.other < 0 ? draw_own_matrix() : draw_pair(data.pairs[chosen.other]);
  const four = ["pixels", "recall", "precision", "f1"].map((view) => [make("div", { class: "soft" }, VIEWS[view]), small_matrix(data.collapsed, { view, bars: false })]);
  at("collapsed").replaceChildren(...four.flat());
}
function draw_own_matrix() {
  show_matrix(at("all-labels"), { ...data.matrix, ...matrix_look(), clickable: true, follow: true, chosen: chosen.cell }, pick_cell);
}

// A click on a cell of the other prediction opens its own report, which has its pages.
const report_beside = (model) => `../${encodeURIComponent(model)}/report.html`;
// Two predictions on the pages that both have: their matrices side by side, or the difference of every cell.
// They may have more labels than the matrix of this prediction, so cells are found by their labels.
function draw_pair({ matrix, labels, differences }) {
  const difference = chosen.difference ? differences[chosen.view] : null;
  const cell = chosen.cell && [0, 1].map((side) => labels.indexOf(data.labels[chosen.cell[side]]));
  const own = (position, positions) => positions.find((k) => data.labels[k] === labels[position]);
  const pick = (_, picked) => {
    if (picked.kind === "cell" && picked.model === 1) location.href = `${report_beside(matrix.models[1].name)}#labels=${[picked.row, picked.column].map((k) => encodeURIComponent(labels[k])).join("&")}`;
    else pick_cell(_, { ...picked, row: own(picked.row, data.rows), column: own(picked.column, data.columns) });
  };
  show_matrix(at("all-labels"), { ...matrix, ...matrix_look(), difference, clickable: true, follow: true, chosen: cell }, pick);
}
function draw_others() {
  const { pairs } = data, pair = pairs[chosen.other];
  at("others").hidden = !pairs.length || chosen.view === "collapsed";
  const redraw = () => { draw_others(); draw_matrix(); draw_cell(); };
  const choose_other = (k) => () => { chosen.other = k; redraw(); };
  const alone = make("button", { "aria-pressed": String(chosen.other < 0), onclick: choose_other(-1) }, "Alone");
  const others = pairs.map(({ name, problem }, k) => make("button", { "aria-pressed": String(chosen.other === k), disabled: problem ? "" : null, title: problem ?? null, dir: "auto", onclick: choose_other(k) }, `With ${name}`));
  const usable = pair && chosen.view in pair.differences;
  const turn = () => { chosen.difference = !chosen.difference; redraw(); };
  const difference = usable ? make("button", { "aria-pressed": String(chosen.difference), onclick: turn }, "Difference") : null;
  at("others").replaceChildren(alone, ...others, ...(difference ? [difference] : []));
  at("pair-note").hidden = !(usable && chosen.difference) || at("others").hidden;
  at("pair-note").textContent = pair?.note ?? "";
}
function pick_cell(_, picked) {
  if (picked.kind !== "cell" || picked.row === undefined || picked.column === undefined) return;
  choose(picked.row, picked.column);
  // Next to a large matrix there is no space, so the result of the click is shown below it.
  if (!picked.keys && at("cell").getBoundingClientRect().top > innerHeight - 120) at("cell").scrollIntoView();
}

// The chosen cell and the pages behind it.
function choose(i, j) {
  chosen.cell = [i, j];
  chosen.all = false;
  history.replaceState(null, "", `#cell-${i}-${j}`);
  if (chosen.view === "collapsed") chosen.view = "recall";
  draw_views();
  draw_matrix();
  draw_cell();
}
function draw_cell() {
  const place = at("cell");
  if (!chosen.cell) {
    place.replaceChildren(make("p", { class: "soft" }, "Click a cell of the matrix to see the pages behind it."));
    return;
  }
  const [i, j] = chosen.cell, [gt, pred] = [data.labels[i], data.labels[j]], { sides } = data.matrix;
  const verb = data.verbs[i === j ? "correct" : "wrong"];
  const heading = filled(data.cell_name, { gt, verb, pred });
  const known = data.cells?.[`${i}-${j}`] ?? { pages: 0, worst: [] };
  const pixels = value_of("pixels", i, j);
  const line = `${percent(value_of("recall", i, j))} of ${sides[0]} ${gt}, ${percent(value_of("precision", i, j))} of ${sides[1]} ${pred}, ${thin_spaced(pixels)} px${data.cells ? ` on ${thin_spaced(known.pages)} of ${thin_spaced(data.pages)} pages` : ""}`;
  place.replaceChildren(make("h3", {}, heading), make("p", {}, data.model ? `${data.model}: ` : "", line));
  const change = change_of_cell(i, j);
  if (change.length) place.append(make("ul", { class: "change" }, ...change.map((text) => make("li", {}, text))));
  const pictures = data.pictures.map((picture) => [page_lit_pixels(picture, [i, j]), picture]).filter(([lit]) => lit > 0).sort((a, b) => b[0] - a[0]);
  if (pictures.length) {
    const toggle = make("button", { "aria-pressed": String(chosen.outlines), onclick: () => { chosen.outlines = !chosen.outlines; draw_cell(); } }, "Outlines");
    place.append(make("div", { class: "buttons" }, toggle), sheets(pictures, i, j));
  } else if (!data.cells) place.append(make("p", { class: "soft" }, data.no_pages));
  else if (known.pages) place.append(make("p", { class: "soft" }, "None of these pages is among the pictures of this report; the dashboard shows every page."));
  if (known.worst.length) place.append(make("h3", {}, "Pages with most of these pixels"), worst_table(known.worst, pixels));
}
// Both values of the chosen cell, their difference and its verdict, if two predictions are shown.
function change_of_cell(i, j) {
  const state = MATRICES.get(at("all-labels"));
  if (chosen.other < 0 || !state?.difference) return [];
  const { labels } = data.pairs[chosen.other], line = (lines, label) => lines.findIndex((one) => labels[one.position] === data.labels[label]);
  const [r, c] = [line(state.rows, i), line(state.columns, j)];
  return r < 0 || c < 0 ? [] : difference_lines(state, r, c);
}
function sheets(pictures, i, j) {
  const shown = chosen.all ? pictures : pictures.slice(0, PICTURES_AT_ONCE);
  const box = make("div", { class: "sheets" });
  for (const [lit, picture] of shown) {
    const canvas = make("canvas", { role: "button", "aria-label": `Open page ${picture.page}, ${thin_spaced(lit)} px lit`, tabindex: 0 });
    const open = () => enlarge(picture, i, j);
    canvas.addEventListener("click", open);
    canvas.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } });
    box.append(make("figure", {}, canvas, make("figcaption", {}, picture.page, make("br"), `${thin_spaced(lit)} px`)));
    draw_small_page(canvas, { ...data.viewer, ...picture }, { cell: [i, j], boxes: chosen.outlines }, 500);
  }
  const rest = pictures.length - shown.length;
  if (rest) box.append(make("button", { onclick: () => { chosen.all = true; draw_cell(); } }, `${rest} more`));
  return box;
}
function worst_table(worst, pixels) {
  const rows = worst.map(([page, lit]) => make("tr", {}, make("td", { class: "text" }, page), make("td", {}, thin_spaced(lit)), make("td", {}, percent(lit / pixels))));
  const head = make("tr", {}, ...["page", "pixels", "of the cell"].map((name, k) => make("th", { class: k ? "" : "text" }, name)));
  return make("div", { class: "scroll" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)));
}

// The page in the viewer, with the pixels of the cell.
function enlarge(picture, i, j) {
  at("large-title").textContent = `${picture.page}: ${thin_spaced(page_lit_pixels(picture, [i, j]))} px of ${data.labels[i]} / ${data.labels[j]}`;
  at("large").showModal();
  show_page(at("large").querySelector("div"), { ...data.viewer, ...picture, boxes: [...picture.boxes, ...picture.other_boxes], panes: [{ mask: "cell", boxes: true }], cell: [i, j] }, () => {});
}

// The complete page.
function draw_views() {
  draw_others();
  const buttons = Object.entries(VIEWS).map(([view, name]) => make("button", { "aria-pressed": String(chosen.view === view), onclick: () => { chosen.view = view; draw_views(); draw_matrix(); } }, name));
  const log = make("button", { "aria-pressed": String(chosen.log), title: "Colours on a log scale", onclick: () => { chosen.log = !chosen.log; draw_views(); draw_matrix(); } }, "Log");
  at("views").replaceChildren(...buttons, log);
}
function draw_findings() {
  const { rows, columns } = data.tables.findings;
  const [severity, message, fix] = ["severity", "message", "fix"].map((name) => columns.indexOf(name));
  const lines = rows.map((row) => make("p", {}, make("b", { class: row[severity] }, `${row[severity]}: `), row[message], " ", make("span", { class: "soft" }, row[fix])));
  at("findings").querySelector("div").replaceChildren(...(lines.length ? lines : [make("p", { class: "soft" }, "Nothing unusual was found.")]));
}
function draw_families() {
  if (!data.families.length) return;
  const matrices = data.families.map(({ title, matrix }) => make("div", {}, make("h3", {}, title), small_matrix(matrix, { view: "pixels" })));
  at("families").querySelector("div").replaceChildren(table_with_notes("families"), table_with_notes("families_pred"), make("div", { class: "small" }, ...matrices));
}
// "#cell-3-5" has positions; "#labels=Table&Text", in the links of the page of several predictions, has labels.
function cell_of_address() {
  const places = /^#cell-(\d+)-(\d+)$/.exec(location.hash), names = /^#labels=([^&]*)&([^&]*)$/.exec(location.hash);
  const [i, j] = names ? names.slice(1).map((name) => data.labels.indexOf(decodeURIComponent(name))) : places ? places.slice(1).map(Number) : [-1, -1];
  return data.rows.includes(i) && data.columns.includes(j) ? [i, j] : null;
}
function start() {
  for (const name of ["intervals", "objects", "families", "review"]) if (!data.tables[name]) at(name).remove();
  for (const about of document.querySelectorAll("[data-measured]")) if (about.dataset.measured !== data.measured) about.remove();
  for (const about of document.querySelectorAll("[data-table]")) if (!data.tables[about.dataset.table]) about.remove();
  document.title = data.title;
  const titles = { documents: "documents", pages: "pages", classes: "label_agreement" };
  for (const [id, name] of Object.entries(titles)) if (data.tables[name]) at(id).querySelector("h2").textContent = data.tables[name].title;
  if (data.severe) at("severe").append(data.severe); else at("severe").remove();
  at("sentence").append(data.sentence);
  at("axes").prepend(`Rows: ${data.matrix.sides[0]}. Columns: ${data.matrix.sides[1]}. `);
  at("title").append(document.title);
  at("facts").append(`${thin_spaced(data.pages)} pages · ${thin_spaced(data.documents)} documents · ${thin_spaced(data.pixels)} pixels · ${data.taxonomy} taxonomy · method ${data.method}`);
  at("recipe-line").append(data.recipe);
  // Joined labels have no cell of their own.
  const by_name = ([gt, pred]) => {
    const i = data.rows.find((k) => data.labels[k] === gt), j = data.columns.find((k) => data.labels[k] === pred);
    return i === undefined || j === undefined ? null : () => { choose(i, j); at("matrix").scrollIntoView(); };
  };
  const figures = data.tables.averages ? "averages" : "agreement";
  at("averages").append(make("h3", {}, data.tables[figures].title), table(figures));
  at("confusions").append(make("h3", {}, data.tables.confusions.title), table("confusions", by_name));
  const none = make("p", {}, data.no_classes);
  at("classes").querySelector("div").append(data.tables.classes ? table("classes") : data.tables.label_agreement ? table("label_agreement") : none);
  if (data.tables.review) at("review").querySelector("div").append(table("review"));
  const why_tables = ["causes", "causes_by_label", "forgiveness", "thresholds", "calibration", "causes_by_document"].filter((name) => data.tables[name]);
  if (why_tables.length) at("why").querySelector("div").append(...why_tables.map(table_with_notes));
  else at("why").remove();
  if (data.tables.slices) at("slices").querySelector("div").append(table_with_notes("slices"));
  else at("slices").remove();
  if (data.tables.measures) at("measures").querySelector("div").append(table("measures"));
  else at("measures").remove();
  draw_navigation();
  const interval_tables = ["difference", "intervals", "units"].filter((name) => data.tables[name]);
  if (interval_tables.length) at("intervals").querySelector("div").append(...interval_tables.map(table_with_notes));
  if (data.tables.objects) at("objects").querySelector("div").append(table_with_notes("object_scores"), table_with_notes("objects"));
  draw_families();
  for (const name of ["documents", "pages", "recipe"]) if (data.tables[name]) at(name).querySelector("div").append(table(name));
  draw_findings();
  chosen.cell = cell_of_address();
  if (data.model) at("siblings").append(make("a", { href: "../index.html" }, "All predictions"), ...data.pairs.flatMap(({ name }) => [" · ", make("a", { href: report_beside(name) }, name)]));
  draw_views();
  draw_matrix();
  draw_cell();
}
DARK.addEventListener("change", () => { draw_matrix(); draw_families(); });
start();
