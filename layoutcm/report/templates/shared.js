// What the report of one prediction and the page of several have in common: matrices and tables.
// They are drawn from the JSON in the page. Labels and names are inserted as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const VIEWS = data.view_names;
const DARK = matchMedia("(prefers-color-scheme: dark)");

const at = (id) => document.getElementById(id);

// `common` has the largest values of all matrices that are drawn side by side, and their joined labels.
function layers_of(values, rows, columns, view, diagonal, common) {
  const theme = data.themes[DARK.matches ? "dark" : "light"];
  const right = (i, j) => !diagonal || i === j;
  // Partly correct and partly wrong: not coloured.
  const joined = common ? common.joined : values === data.views[view] ? data.joined.labels : [];
  const mixed = (i, j) => i === j && joined.includes(i);
  const top = { hit: common?.hit ?? 0, miss: common?.miss ?? 0 };
  if (!common) for (const i of rows) for (const j of columns) {
    if (mixed(i, j)) continue;
    const kind = right(i, j) ? "hit" : "miss";
    top[kind] = Math.max(top[kind], values[i][j] ?? 0);
  }
  const layer = (kind) => {
    const whole = kind === "hit" && diagonal && view !== "pixels", high = whole ? 1 : top[kind] || 1;
    const log = chosen.log && !whole && top[kind] > 0;
    const place = (v) => (log ? 1 + Math.max(Math.log10(v / high), -4) / 4 : v / high);
    return { kind, scale: theme[kind], high, low: log ? high * 1e-4 : 0, log, place, empty: !top[kind] };
  };
  const both = { hit: layer("hit"), miss: layer("miss") };
  return { ...both, of: (i, j) => (mixed(i, j) ? null : both[right(i, j) ? "hit" : "miss"]) };
}

// The matrix.
function sizes(n, side_by_side = false) {
  if (side_by_side && n <= 16) return { high: 26, wide: 27, font: 11, most: 18 };
  const steps = [[4, 56, 13, 26], [12, 40, 12, 26], [16, 34, 12, 24], [24, 26, 11, 24], [40, 19, 10, 22], [Infinity, 15, 9, 20]];
  const [, high, font, most] = steps.find(([limit]) => n <= limit);
  return { high, wide: n <= 16 ? Math.round(high / 0.78) : high, font, most };
}
function matrix_svg(values, labels, rows, columns, view, diagonal, pick, common = null) {
  const { high, wide, font, most } = sizes(Math.max(rows.length, columns.length), Boolean(common));
  const names = (list) => list.map((i) => short(labels[i], most));
  const left = 24 + Math.max(...names(rows).map((t) => t.length)) * font * 0.62;
  const turned = names(columns).some((t) => t.length * font * 0.55 > wide);
  const top = turned ? 24 + Math.max(...names(columns).map((t) => t.length)) * font * 0.62 : 44;
  const width = left + wide * columns.length + 4, height = top + high * rows.length + 4;
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-size": font, fill: "currentColor" });
  const layers = layers_of(values, rows, columns, view, diagonal, common);
  rows.forEach((i, r) => {
    svg.append(make("text", { x: left - 6, y: top + (r + 0.5) * high, "text-anchor": "end", "dominant-baseline": "central" }, short(labels[i], most)));
    columns.forEach((j, c) => svg.append(...one_cell(values[i][j], layers.of(i, j), left + c * wide, top + r * high, wide, high, view, `${i}-${j}`, columns.length <= 16)));
  });
  columns.forEach((j, c) => {
    const x = left + (c + 0.5) * wide, y = top - 7;
    const look = turned ? { transform: `rotate(-90 ${x} ${y})`, "dominant-baseline": "central" } : { "text-anchor": "middle" };
    svg.append(make("text", { x, y, ...look }, short(labels[j], most)));
  });
  const soft = { fill: "var(--soft)", "font-size": 12 }, sides = data.sides ?? ["gt", "pred"];
  svg.append(make("text", { x: left - 6, y: top - 8, "text-anchor": "end", ...soft }, sides[0]));
  svg.append(make("text", { x: left + (wide * columns.length) / 2, y: 13, "text-anchor": "middle", ...soft }, sides[1]));
  if (pick && chosen.cell) mark(svg, rows.indexOf(chosen.cell[0]), columns.indexOf(chosen.cell[1]), left, top, wide, high);
  return { svg, layers };
}
function one_cell(value, layer, x, y, wide, high, view, key, written) {
  const colour = value && layer ? colour_at(layer.scale, layer.place(value)) : null;
  const parts = [make("rect", { x, y, width: wide, height: high, fill: colour ? css(colour) : "transparent", stroke: "var(--line)", "stroke-width": 0.7, "data-cell": key })];
  if (value === null) parts.push(make("circle", { cx: x + wide / 2, cy: y + high / 2, r: 1.1, fill: "var(--soft)", "pointer-events": "none" }));
  else if (value > 0 && written) {
    const text = view === "pixels" ? pixels_brief(value) : percent_brief(value);
    parts.push(make("text", { x: x + wide / 2, y: y + high / 2, "text-anchor": "middle", "dominant-baseline": "central", "font-size": Math.min(11.5, 0.36 * wide), fill: readable(colour), "pointer-events": "none" }, text));
  }
  return parts;
}
function mark(svg, row, column, left, top, wide, high) {
  if (row < 0 || column < 0) return;
  svg.append(make("rect", { x: left + column * wide, y: top + row * high, width: wide, height: high, fill: "none", stroke: "currentColor", "stroke-width": 2.5, "pointer-events": "none" }));
}
function scale_bar(layer) {
  const stops = [...Array(21).keys()].map((k) => css(colour_at(layer.scale, Math.max(k / 20, 1e-6))));
  const bar = make("i");
  bar.style.background = `linear-gradient(to right, ${stops.join(",")})`;
  const text = (v) => (v === 0 ? "0" : chosen.view === "pixels" ? pixels_brief(v) : `${significant(100 * v, 3)} %`);
  const name = !data.diagonal ? VIEWS[chosen.view] : layer.kind === "hit" ? "diagonal" : "off the diagonal";
  return make("div", { class: "scale" }, name, bar, make("span", {}, make("b", {}, text(layer.low)), make("b", {}, text(layer.high))));
}

// Tables that are sorted by a click on a heading.
function table(name, pick) {
  const { columns, kinds, rows, of } = data.tables[name];
  const order = { column: -1, down: true };
  const body = make("tbody");
  const fill = () => {
    const sorted = order.column < 0 ? rows : [...rows].sort((a, b) => compare(a[order.column], b[order.column]) * (order.down ? -1 : 1));
    body.replaceChildren(...sorted.map((row) => make("tr", {}, ...row.map((value, k) => table_cell(value, kinds[k], pick && k < 2 ? () => pick(row) : null)))));
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
// Links to all sections; those that the page does not have were removed before.
function draw_navigation() {
  for (const section of document.querySelectorAll("main section")) at("nav").append(make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
}
