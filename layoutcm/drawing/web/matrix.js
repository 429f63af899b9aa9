// A confusion matrix as a table that can be read and used with the pointer, the keyboard and a screen reader.
// `show_matrix(root, data, send)` draws it; `send("picked", {...})` says what was chosen. The data come from matrix_data.py.
const MATRICES = new WeakMap(); // the state of each matrix: open groups, focus; it outlives new data
const FEWEST_WIDE = 23; // px; a number fits into such a cell
const WRITTEN_COLUMNS = 16; // up to so many columns, cells have numbers
const GAP = 24; // px between two matrices
const ROWS_OF_A_PAGE = 10;

function show_matrix(root, data, send) {
  const state = MATRICES.get(root) ?? start_matrix(root);
  data = { ...data, theme: theme_on_screen(root) ?? data.theme };
  const text = JSON.stringify({ ...data, chosen: null });
  state.send = send;
  if (JSON.stringify(data.open ?? null) !== state.given_open) {
    state.given_open = JSON.stringify(data.open ?? null);
    state.open = new Set(data.open ?? []);
  }
  state.data = data;
  state.chosen = data.chosen;
  // After a click only the chosen cell differs, and the table with its focus stays.
  if (text !== state.text) draw_matrix_tables(state);
  else mark_chosen(state);
  state.text = text;
  return state;
}
function start_matrix(root) {
  const state = { root, open: new Set(), given_open: "null", tables: [], sent: 0, width: 0 };
  MATRICES.set(root, state);
  root.classList.add("lcm-matrix");
  const listen = (name, act) => root.addEventListener(name, (event) => act(state, event));
  listen("click", click_in_matrix);
  listen("keydown", key_in_matrix);
  listen("pointerover", (_, event) => show_matrix_tip(state, event.target, event));
  listen("pointermove", (_, event) => show_matrix_tip(state, event.target, event));
  listen("pointerleave", () => hide_matrix_tip(state));
  listen("focusin", (_, event) => { move_tab_stop(state, event.target); show_matrix_tip(state, event.target, null); });
  listen("focusout", () => hide_matrix_tip(state));
  state.observer = new ResizeObserver(() => {
    if (state.data && !state.data.compact && Math.abs(root.clientWidth - state.width) > 1) draw_matrix_tables(state);
  });
  state.observer.observe(root);
  return state;
}
// The dashboard's theme, which may change while the page is open; null in a report.
function theme_on_screen(root) {
  const paper = getComputedStyle(root).getPropertyValue("--st-background-color").trim();
  return paper.startsWith("#") ? (readable(channels(paper)) === "#ffffff" ? "dark" : "light") : null;
}
function stop_matrix(root) {
  MATRICES.get(root)?.observer.disconnect();
  MATRICES.delete(root);
}

// Sizes in pixels: of a row, its font, the longest label in letters.
function matrix_sizes(n, compact = false, several = false) {
  if (compact && several && n <= 16) return { high: 26, font: 11, most: 18, widest: 27 };
  const steps = [[4, 56, 13, 26], [12, 38, 12, 26], [16, 32, 12, 24], [24, 26, 11, 24], [40, 19, 10, 22], [Infinity, 15, 9, 20]];
  const [, high, font, most] = steps.find(([limit]) => n <= limit);
  return { high, font, most, widest: compact ? (n <= WRITTEN_COLUMNS ? Math.round(high / 0.78) : high) : Math.max(Math.round(high * 2.2), 48) };
}
function matrix_layout(state, rows, columns) {
  const { data } = state, count = data.difference ? 1 : data.models.length;
  const sizes = matrix_sizes(Math.max(rows.length, columns.length), data.compact, count > 1);
  if (count > 1) sizes.most = 18;
  const letters = (lines) => Math.max(3, ...lines.map((line) => [...short(line.name, sizes.most)].length + (line.closed || line.first ? 3 : 0)));
  const left = Math.round(Math.max(letters(rows) * sizes.font * 0.6 + 14, 84));
  const narrowest = Math.max(sizes.font, columns.length <= WRITTEN_COLUMNS ? 27 : 9);
  const beside = Math.min(count, Math.max(Math.floor((state.width + GAP) / (left + narrowest * columns.length + GAP + 4)), 1));
  const room = (state.width + GAP) / beside - GAP - left - 6;
  // In a compact matrix cells have their natural width; otherwise the matrix fills the width of the page.
  const wide = data.compact ? sizes.widest : Math.floor(Math.min(Math.max(room / Math.max(columns.length, 1), narrowest), sizes.widest) * 10) / 10;
  const upright = columns.some((line) => [...short(line.name, sizes.most)].length * sizes.font * 0.58 + 6 > wide);
  const top = upright ? Math.round(letters(columns) * sizes.font * 0.6 + 12) : 24;
  return { ...sizes, left, wide, upright, top: Math.max(top, 36), written: columns.length <= WRITTEN_COLUMNS || wide >= FEWEST_WIDE };
}

// Everything is built in one go and inserted once.
function draw_matrix_tables(state) {
  const { root, data } = state, focused = matrix_has_focus(state) ? state.at : null;
  state.width = root.clientWidth;
  root.classList.toggle("dark", data.theme === "dark");
  root.classList.toggle("compact", Boolean(data.compact));
  const rows = matrix_lines(data, "rows", state.open), columns = matrix_lines(data, "columns", state.open);
  const kinds = rows.map((row) => columns.map((column) => cell_kind(data, row, column)));
  const drawn = data.models.map((model) => {
    const views = matrix_views(model, rows, columns);
    return { name: model.name, views, values: views[data.view], kinds };
  });
  Object.assign(state, { rows, columns, drawn, kinds });
  state.scales = matrix_scales(data, drawn);
  state.difference = data.difference ? difference_scale(data) : null;
  const layout = matrix_layout(state, rows, columns), box = make("div", { class: "models" });
  const shown = state.difference ? drawn.slice(0, 1) : drawn;
  state.tables = shown.map((one, n) => make_matrix_table(state, n, layout));
  shown.forEach((one, n) => {
    const heading = data.difference ? difference_heading(data) : shown.length > 1 || data.named ? model_heading(data, n) : null;
    box.append(make("div", { class: "model", "data-model": n }, heading, make("div", { class: "cells" }, state.tables[n])));
  });
  state.tip = make("div", { class: "tip", "aria-hidden": "true", hidden: "" });
  root.replaceChildren(...[matrix_group_bar(state), box, data.bars ? matrix_scale_bars(state) : null, state.tip].filter(Boolean));
  state.at = focused ?? { n: 0, ...first_stop(state) };
  state.tables.forEach((table, n) => { const cell = matrix_element(state, n === state.at.n ? state.at : { n, ...first_stop(state) }); if (cell) cell.tabIndex = 0; });
  mark_chosen(state);
  if (focused) (matrix_element(state, focused) ?? matrix_element(state, state.at))?.focus({ preventScroll: true });
}
function model_heading(data, n) {
  const { name, link } = data.models[n];
  return make("div", { class: "name", dir: "auto" }, link ? make("a", { href: link }, name) : name);
}
// `difference.order` are the positions of the two models: the first minus the second.
function difference_heading(data) {
  const [own, other] = (data.difference.order ?? [0, 1]).map((n) => data.models[n].name);
  return make("div", { class: "name", dir: "auto" }, `${own} minus ${other}. Blue: ${difference_ends(data)[1]}.`);
}
function make_matrix_table(state, n, layout) {
  const { data, rows, columns } = state, name = data.models[n].name;
  const said = `${data.view_names[data.view]}${data.difference ? ", difference" : ""}${name ? `, ${name}` : ""}`;
  const widths = [make("col"), ...columns.map(() => make("col"))];
  widths.forEach((col, k) => { col.style.width = `${k ? layout.wide : layout.left}px`; });
  const corner = make("td", { class: "corner", "aria-hidden": "true" }, make("span", {}, `${data.sides[1]} →`), make("span", {}, `${data.sides[0]} ↓`));
  const head = make("tr", {}, corner, ...columns.map((line) => matrix_header(state, line, "column", layout)));
  head.style.height = `${layout.top}px`;
  const empty = make("td", { role: "gridcell", tabindex: -1 }), body = make("tbody");
  rows.forEach((row, r) => {
    const tr = make("tr", {}, matrix_header(state, row, "row", layout));
    tr.style.height = `${layout.high}px`;
    columns.forEach((column, c) => tr.append(fill_matrix_cell(state, empty.cloneNode(), n, r, c, layout.written)));
    body.append(tr);
  });
  const table = make("table", { role: "grid", "aria-label": `Confusion matrix: ${said}`, "aria-readonly": "true", class: layout.upright ? "upright" : null },
    make("colgroup", {}, ...widths), make("thead", {}, head), body);
  table.style.width = `${layout.left + layout.wide * columns.length}px`;
  table.style.fontSize = `${layout.font}px`;
  table.style.setProperty("--number", `${Math.max(Math.min(11.5, 0.36 * layout.wide), 9)}px`);
  return table;
}
function matrix_header(state, line, kind, layout) {
  const { data } = state, side = data.sides[kind === "row" ? 0 : 1];
  const text = make("span", { dir: "auto" }, short(line.name.replace(/\s*[\n\r]+\s*/g, " "), layout.most));
  const mark = line.closed ? "▸" : line.first && kind === "row" ? "▾" : null;
  const active = line.closed || mark || (data.headers && line.position !== JOINED_LABEL && !data.margins.includes(line.position));
  const attributes = { "aria-label": `${side} ${line.name}${line.closed ? `, group of ${line.places.length} labels` : ""}`, tabindex: -1 };
  const inner = active ? make("button", { type: "button", ...attributes }, mark && make("i", { "aria-hidden": "true", class: line.closed ? null : "close" }, mark), text) : text;
  const classes = [kind, line.group === null ? "" : line.closed ? "closed" : "member", data.margins.includes(line.position) ? "margin" : ""];
  const cell = make("th", { scope: kind === "row" ? "row" : "col", class: classes.join(" ").trim() }, inner);
  if (!active) for (const [name, value] of Object.entries(attributes)) cell.setAttribute(name, value);
  return cell;
}
function fill_matrix_cell(state, cell, n, r, c, written) {
  const { data, rows, columns, drawn, kinds } = state, row = rows[r], column = columns[c];
  const value = data.difference ? data.difference.values[row.places[0]][column.places[0]] : drawn[n].values[r][c];
  const said = state.difference?.verdict(row.places[0], column.places[0]);
  const colour = state.difference ? state.difference.colour(row.places[0], column.places[0]) : state.scales[kinds[r][c]].colour(value);
  if (row.position !== null && column.position !== null) cell.dataset.cell = `${row.position}-${column.position}`;
  if (colour) { cell.style.background = css(colour); cell.style.color = readable(colour); }
  if (said) cell.className = said in data.verdict_words ? said : "noise";
  if (value === null) cell.textContent = "·";
  else if (written && value) cell.textContent = matrix_number(data, value);
  cell.setAttribute("aria-label", cell_lines(state, n, r, c).join(", "));
  return cell;
}
function matrix_number(data, value) {
  const brief = data.view === "pixels" ? pixels_brief : percent_brief;
  return data.difference ? signed_text(value, brief(Math.abs(value))) : brief(value);
}

// What a cell says: both labels, the value of the view, its shares and its pixels. The tooltip and the screen reader use it.
function cell_lines(state, n, r, c) {
  const { data, rows, columns, drawn, kinds } = state, row = rows[r], column = columns[c];
  const lines = [`${data.sides[0]} ${row.name}`, `${data.sides[1]} ${column.name}`];
  if (state.difference) return [...lines, ...difference_lines(state, r, c)];
  const { views, name } = drawn[n], share = (value, side, line) => `${percent(value)} of ${data.sides[side]} ${short(line.name, 60)}`;
  if (drawn.length > 1) lines.unshift(name);
  if (data.view !== "pixels") lines.push(`${data.view_names[data.view]} ${matrix_value(data, views[data.view][r][c])}`);
  lines.push(share(views.recall[r][c], 0, row), share(views.precision[r][c], 1, column), `${thin_spaced(views.pixels[r][c])} ${data.unit}`);
  if (kinds[r][c] === "mixed") lines.push(data.joined_note);
  if (kinds[r][c] === "hit" && row.closed) lines.push("includes confusions inside the group");
  return lines;
}
const matrix_value = (data, value) => (value === null ? "n/a" : data.view === "pixels" ? `${thin_spaced(value)} ${data.unit}` : score_text(value, 6));
function difference_lines(state, r, c) {
  const { data, rows, columns, drawn } = state, { values, low, high } = data.difference;
  const place = [rows[r].places[0], columns[c].places[0]], of = (table) => table[place[0]][place[1]];
  const text = (value) => (data.view === "pixels" ? signed_text(value, thin_spaced(Math.abs(value))) + ` ${data.unit}` : `${signed_text(value, percent(Math.abs(value)))} points`);
  const lines = drawn.map(({ name, values: own }) => `${name}: ${matrix_value(data, own[r][c])}`);
  const change = of(values);
  if (change === null) return [...lines, "no difference: n/a"];
  lines.push(change === 0 ? "no difference" : `difference ${text(change)}`);
  if (of(low) !== null) lines.push(`${plain_percent(data.difference.level)} interval ${of(low) ? text(of(low)) : "0"} to ${of(high) ? text(of(high)) : "0"}`);
  return [...lines, verdict_text(data, state.difference.verdict(...place))].filter(Boolean);
}

// Without a truth, more on the diagonal is not better, but more agreement.
const verdict_text = (data, said) => data.verdict_words[said] ?? said;
const difference_ends = (data) => (data.difference.verdicts ? ["worse", "better"].map((said) => verdict_text(data, said)) : ["less", "more"]);

// Groups of labels.
function matrix_group_bar(state) {
  const { data } = state;
  if (!data.groups?.length) return null;
  const chip = (group) => make("button", { type: "button", "aria-expanded": String(state.open.has(group.name)), "data-group": group.name },
    state.open.has(group.name) ? "▾ " : "▸ ", make("span", { dir: "auto" }, short(group.name, 26)), ` (${Math.max(group.rows.length, group.columns.length)})`);
  const all = state.open.size < data.groups.length;
  return make("div", { class: "groups", role: "group", "aria-label": "Groups of labels" },
    make("button", { type: "button", "data-all": all ? "open" : "close" }, all ? "Open all groups" : "Close all groups"), ...data.groups.map(chip));
}
function set_open_groups(state, names, open, picked = {}) {
  for (const name of names) state.open[open ? "add" : "delete"](name);
  const from = state.root.getRootNode().activeElement?.dataset?.group;
  draw_matrix_tables(state);
  if (from !== undefined) [...state.root.querySelectorAll("[data-group]")].find((chip) => chip.dataset.group === from)?.focus();
  send_picked(state, { kind: "group", group: names[0] ?? null, open: [...state.open], ...picked });
}

// Colour bars.
function matrix_scale_bars(state) {
  const { data, scales, difference } = state, shares = data.view !== "pixels";
  const text = (value) => (value === 0 ? "0" : shares ? plain_percent(value, 3) : pixels_brief(value));
  const bar = (title, colours, from, low, high) => {
    const stops = [...Array(21).keys()].map((k) => css(colour_at(colours, Math.max(from + (k / 20) * (1 - from), 1e-6))));
    const strip = make("i");
    strip.style.background = `linear-gradient(to right, ${stops.join(",")})`;
    return make("div", { class: "scale" }, title, strip, make("span", {}, make("span", {}, low), make("span", {}, high)));
  };
  if (difference) {
    const end = `${difference.capped ? "≥ " : ""}${text(difference.high)}${shares ? " points" : ""}`;
    const noise = data.difference.verdicts ? make("div", { class: "scale" }, "no difference shown", make("i", { class: "grey" })) : null;
    return make("div", { class: "bars" }, bar(difference_ends(data).join(" to "), difference.colours, 0, end, end), noise);
  }
  const title = (scale) => (!data.diagonal ? data.view_names[data.view] : scale.kind === "hit" ? "diagonal" : "off the diagonal");
  const used = [scales.hit, scales.miss].filter((scale) => scale.used);
  return make("div", { class: "bars" }, ...used.map((scale) => bar(title(scale), scale.colours, 0, text(scale.low), `${scale.capped ? "≥ " : ""}${text(scale.high)}`)));
}
