"use strict";
// Draws the report from the JSON in the page. Labels and names are inserted as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const VIEWS = data.view_names;
const DARK = matchMedia("(prefers-color-scheme: dark)");
const PICTURES_AT_ONCE = 6;
const chosen = { view: "recall", cell: null, log: false, outlines: true, all: false };

const at = (id) => document.getElementById(id);
function make(tag, attributes = {}, ...children) {
  const is_svg = ["svg", "rect", "text", "line", "circle", "g"].includes(tag);
  const element = is_svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

// Rounded numbers for reading; the tables and the tooltip have more digits.
// The same text as everywhere else; a test compares it with the functions of layoutcm.wording.
// `toFixed` rounds a half up; Python rounds it to the even digit.
function fixed(v, n) {
  const exact = v.toFixed(n + 30), cut = exact.slice(0, -30).replace(/\.$/, "");
  return exact.endsWith("5" + "0".repeat(29)) && "02468".includes(cut.at(-1)) ? cut : v.toFixed(n);
}
const is_whole = (v) => Math.abs(v - Math.round(v)) <= 1e-9 * Math.max(Math.abs(v), 1);
function thin_spaced(v) {
  const [whole, ...part] = fixed(v, is_whole(v) ? 0 : 2).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, "\u202f"), ...part].join(".");
}
const significant = (v, n) => String(+fixed(v, Math.min(Math.max(n - 1 - Math.floor(Math.log10(v)), 0), 70)));
function percent(v) {
  if (v === null || v === 0) return v === null ? "–" : "0 %";
  const digits = +significant(100 * v, 3), p = v < 1 ? Math.min(digits, 99.9) : digits;
  return p < 0.001 ? "<0.001 %" : `${fixed(p, Math.max(2 - Math.floor(Math.log10(p)), 0))} %`;
}
function score_text(v, n) {
  if (v < 0) return score_text(-v, n).replace(/^<?/, (less) => (less ? ">-" : "-"));
  const step = 10 ** -n;
  if (v > 0 && v < 1 && +fixed(v, n) === 0) return `<${fixed(step, n)}`;
  return fixed(v < 1 ? Math.min(v, 1 - step) : v, n);
}
function percent_brief(v) {
  const p = 100 * v;
  if (p < 0.05) return "<0.1";
  if (p >= 99.5 && p < 100) return fixed(Math.min(p, 99.9), 1);
  return fixed(p, p < 9.95 ? 1 : 0);
}
function pixels_brief(v) {
  if (v < 9.95 && !Number.isInteger(v)) return v >= 0.01 ? significant(v, 2) : "<0.01";
  if (v < 999.5) return fixed(v, 0);
  const power = [0, 1, 2, 3].filter((k) => v >= 999.5 * 1000 ** k).length, scaled = v / 1000 ** power;
  return fixed(scaled, scaled < 9.95 ? 1 : 0) + " kMGT"[power];
}
function short(text, most) {
  const letters = [...text];
  if (letters.length <= most) return text;
  const tail = Math.floor((most - 1) / 3);
  return letters.slice(0, most - 1 - tail).join("") + "…" + letters.slice(letters.length - tail).join("");
}
function cell_text(value, kind) {
  if (value === null) return kind === "text" ? "" : "–";
  return kind === "text" ? String(value) : kind === "share" ? score_text(value, 4) : thin_spaced(value);
}

// Colours: one scale for correct cells and one for all others; zero is not coloured.
const channels = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
function colour_at(scale, place) {
  for (let k = 1; k < scale.length; k++) {
    const [low, from] = scale[k - 1], [high, to] = scale[k];
    if (place <= high || k === scale.length - 1) {
      const part = Math.min(Math.max((place - low) / (high - low), 0), 1), a = channels(from), b = channels(to);
      return a.map((v, c) => Math.round(v + (b[c] - v) * part));
    }
  }
}
const css = (c) => `rgb(${c.join(",")})`;
function readable(c) {
  const [r, g, b] = c.map((v) => (v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.19 ? "#111111" : "#ffffff";
}
function layers_of(values, rows, columns, view, diagonal) {
  const theme = data.themes[DARK.matches ? "dark" : "light"];
  const right = (i, j) => !diagonal || i === j;
  // Partly correct and partly wrong: not coloured.
  const mixed = (i, j) => values === data.views[view] && i === j && data.joined.labels.includes(i);
  const top = { hit: 0, miss: 0 };
  for (const i of rows) for (const j of columns) {
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
function sizes(n) {
  const steps = [[4, 56, 13, 26], [12, 40, 12, 26], [16, 34, 12, 24], [24, 26, 11, 24], [40, 19, 10, 22], [Infinity, 15, 9, 20]];
  const [, high, font, most] = steps.find(([limit]) => n <= limit);
  return { high, wide: n <= 16 ? Math.round(high / 0.78) : high, font, most };
}
function matrix_svg(values, labels, rows, columns, view, diagonal, pick) {
  const { high, wide, font, most } = sizes(Math.max(rows.length, columns.length));
  const names = (list) => list.map((i) => short(labels[i], most));
  const left = 24 + Math.max(...names(rows).map((t) => t.length)) * font * 0.62;
  const turned = names(columns).some((t) => t.length * font * 0.55 > wide);
  const top = turned ? 24 + Math.max(...names(columns).map((t) => t.length)) * font * 0.62 : 44;
  const width = left + wide * columns.length + 4, height = top + high * rows.length + 4;
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-size": font, fill: "currentColor" });
  const layers = layers_of(values, rows, columns, view, diagonal);
  rows.forEach((i, r) => {
    svg.append(make("text", { x: left - 6, y: top + (r + 0.5) * high, "text-anchor": "end", "dominant-baseline": "central" }, short(labels[i], most)));
    columns.forEach((j, c) => svg.append(...one_cell(values[i][j], layers.of(i, j), left + c * wide, top + r * high, wide, high, view, `${i}-${j}`, columns.length <= 16)));
  });
  columns.forEach((j, c) => {
    const x = left + (c + 0.5) * wide, y = top - 7;
    const look = turned ? { transform: `rotate(-90 ${x} ${y})`, "dominant-baseline": "central" } : { "text-anchor": "middle" };
    svg.append(make("text", { x, y, ...look }, short(labels[j], most)));
  });
  const soft = { fill: "var(--soft)", "font-size": 12 };
  svg.append(make("text", { x: left - 6, y: top - 8, "text-anchor": "end", ...soft }, data.sides[0]));
  svg.append(make("text", { x: left + (wide * columns.length) / 2, y: 13, "text-anchor": "middle", ...soft }, data.sides[1]));
  if (pick && chosen.cell) mark(svg, rows.indexOf(chosen.cell[0]), columns.indexOf(chosen.cell[1]), left, top, wide, high);
  return { svg, layers };
}
function one_cell(value, layer, x, y, wide, high, view, key, written) {
  const colour = value && layer ? colour_at(layer.scale, layer.place(value)) : null;
  const parts = [make("rect", { x, y, width: wide, height: high, fill: colour ? css(colour) : "transparent", stroke: "var(--line)", "stroke-width": 0.7, "data-cell": key })];
  if (value === null) parts.push(make("circle", { cx: x + wide / 2, cy: y + high / 2, r: 1.1, fill: "var(--soft)", "pointer-events": "none" }));
  else if (value > 0 && written) {
    const text = view === "pixels" ? pixels_brief(value) : percent_brief(value);
    parts.push(make("text", { x: x + wide / 2, y: y + high / 2, "text-anchor": "middle", "dominant-baseline": "central", "font-size": 11.5, fill: readable(colour), "pointer-events": "none" }, text));
  }
  return parts;
}
function mark(svg, row, column, left, top, wide, high) {
  if (row < 0 || column < 0) return;
  svg.append(make("rect", { x: left + column * wide, y: top + row * high, width: wide, height: high, fill: "none", stroke: "currentColor", "stroke-width": 2.5, "pointer-events": "none" }));
}
function draw_matrix() {
  const place = at("heatmap");
  place.replaceChildren();
  at("bars").replaceChildren();
  if (chosen.view === "collapsed") {
    for (const view of ["pixels", "recall", "precision", "f1"]) {
      place.append(make("div", { class: "soft" }, VIEWS[view]), matrix_svg(data.collapsed.views[view], data.collapsed.labels, [0, 1], [0, 1], view, true, false).svg);
    }
    return;
  }
  const { svg, layers } = matrix_svg(data.views[chosen.view], data.labels, data.rows, data.columns, chosen.view, data.diagonal, true);
  place.append(svg);
  for (const layer of [layers.hit, layers.miss]) if (!layer.empty) at("bars").append(scale_bar(layer));
}
function scale_bar(layer) {
  const stops = [...Array(21).keys()].map((k) => css(colour_at(layer.scale, Math.max(k / 20, 1e-6))));
  const bar = make("i");
  bar.style.background = `linear-gradient(to right, ${stops.join(",")})`;
  const text = (v) => (v === 0 ? "0" : chosen.view === "pixels" ? pixels_brief(v) : `${significant(100 * v, 3)} %`);
  const name = !data.diagonal ? VIEWS[chosen.view] : layer.kind === "hit" ? "diagonal" : "off the diagonal";
  return make("div", { class: "scale" }, name, bar, make("span", {}, make("b", {}, text(layer.low)), make("b", {}, text(layer.high))));
}
function tip_of(i, j) {
  const lines = [`${data.sides[0]} ${data.labels[i]}`, `${data.sides[1]} ${data.labels[j]}`];
  const value = (view) => data.views[view][i][j];
  for (const view of ["recall", "precision", "f1"]) lines.push(`${VIEWS[view]} ${value(view) === null ? "–" : score_text(value(view), 6)}`);
  const note = i === j && data.joined.labels.includes(i) ? [data.joined.note] : [];
  return [...lines, `${thin_spaced(value("pixels"))} px`, ...note].join("\n");
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
  const [i, j] = chosen.cell, [gt, pred] = [data.labels[i], data.labels[j]];
  const verb = data.verbs[i === j ? "correct" : "wrong"];
  const heading = data.has_truth ? `${gt} ${verb} ${pred}` : `${gt} in ${data.sides[0]}, ${pred} in ${data.sides[1]}`;
  const known = data.cells[`${i}-${j}`] ?? { pages: 0, worst: [] };
  const pixels = data.views.pixels[i][j];
  const line = `${percent(data.views.recall[i][j])} of ${data.sides[0]} ${gt}, ${percent(data.views.precision[i][j])} of ${data.sides[1]} ${pred}, ${thin_spaced(pixels)} px on ${thin_spaced(known.pages)} of ${thin_spaced(data.pages)} pages`;
  place.replaceChildren(make("h3", {}, heading), make("p", {}, line));
  const pictures = data.pictures.map((picture) => [lit_pixels(picture, i, j), picture]).filter(([lit]) => lit > 0).sort((a, b) => b[0] - a[0]);
  if (pictures.length) {
    const toggle = make("button", { "aria-pressed": String(chosen.outlines), onclick: () => { chosen.outlines = !chosen.outlines; draw_cell(); } }, "Outlines");
    place.append(make("div", { class: "buttons" }, toggle), sheets(pictures, i, j));
  } else if (known.pages) place.append(make("p", { class: "soft" }, "None of these pages is among the pictures of this report; the dashboard shows every page."));
  if (known.worst.length) place.append(make("h3", {}, "Pages with most of these pixels"), worst_table(known.worst, pixels));
}
function sheets(pictures, i, j) {
  const shown = chosen.all ? pictures : pictures.slice(0, PICTURES_AT_ONCE);
  const box = make("div", { class: "sheets" });
  for (const [lit, picture] of shown) {
    const canvas = make("canvas", { role: "img", "aria-label": `${picture.page}: ${thin_spaced(lit)} px lit`, tabindex: 0 });
    const open = () => enlarge(picture, i, j, lit);
    canvas.addEventListener("click", open);
    canvas.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
    box.append(make("figure", {}, canvas, make("figcaption", {}, picture.page, make("br"), `${thin_spaced(lit)} px`)));
    draw_page(canvas, picture, i, j, 500);
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

// A page: its faint picture, the highlighted pixels of the cell, and the regions of both sides.
const added = (pair, i, j) => (pair.find(([a, b]) => a === i && b === j) ?? [0, 0, 0])[2];
function* lit_areas(picture, i, j) {
  const shares = picture.pairs.map((pair) => added(pair, i, j));
  for (let r = 0; r < picture.runs.length; r++) {
    const row = picture.runs[r];
    for (let k = 0, c = 0; k < row.length; c += row[k], k += 2) {
      const part = shares[row[k + 1]];
      if (part > 0) yield [picture.x[c], picture.y[r], picture.x[c + row[k]], picture.y[r + 1], part];
    }
  }
}
function lit_pixels(picture, i, j) {
  let sum = 0;
  for (const [x0, y0, x1, y1, part] of lit_areas(picture, i, j)) sum += (x1 - x0) * (y1 - y0) * part;
  return Math.round(sum * 100) / 100;
}
function draw_page(canvas, picture, i, j, side) {
  const scale = side / Math.max(picture.width, picture.height);
  canvas.width = Math.max(Math.round(picture.width * scale), 1);
  canvas.height = Math.max(Math.round(picture.height * scale), 1);
  const pen = canvas.getContext("2d");
  const finish = (image) => {
    pen.fillStyle = "#fafafa";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    if (image) { pen.globalAlpha = 0.5; pen.drawImage(image, 0, 0, canvas.width, canvas.height); pen.globalAlpha = 1; }
    for (const [x0, y0, x1, y1, part] of lit_areas(picture, i, j)) {
      pen.fillStyle = `rgba(214,39,40,${0.45 + 0.4 * part})`;
      // Rounded to screen pixels, so that adjacent areas neither overlap nor leave a gap.
      const [a, b] = [Math.round(x0 * scale), Math.round(y0 * scale)];
      pen.fillRect(a, b, Math.max(Math.round(x1 * scale) - a, 1), Math.max(Math.round(y1 * scale) - b, 1));
    }
    if (chosen.outlines) outline(pen, picture, scale);
  };
  if (!picture.image) return finish(null);
  const image = new Image();
  image.onload = () => finish(image);
  image.onerror = () => finish(null);
  image.src = picture.image;
}
function outline(pen, picture, scale) {
  for (const [side, label, x0, y0, x1, y1] of picture.boxes) {
    pen.strokeStyle = data.colours[label];
    pen.globalAlpha = side ? 1 : 0.55;
    pen.lineWidth = side ? 1.4 : 3;
    pen.setLineDash(side ? [5, 3] : []);
    pen.strokeRect(x0 * scale, y0 * scale, (x1 - x0) * scale, (y1 - y0) * scale);
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}
function enlarge(picture, i, j, lit) {
  const box = at("large").querySelector("div");
  const canvas = make("canvas");
  const labels = [...new Set(picture.boxes.map((one) => one[1]))].sort((a, b) => a - b);
  const key = labels.map((label) => {
    const swatch = make("i");
    swatch.style.background = data.colours[label];
    return make("span", {}, swatch, data.labels[label]);
  });
  box.replaceChildren(make("b", {}, picture.page), make("div", { class: "soft" }, `${data.labels[i]} / ${data.labels[j]}: ${thin_spaced(lit)} px lit; ${data.sides[0]} solid, ${data.sides[1]} dashed`), canvas, make("div", { class: "key" }, ...key));
  draw_page(canvas, picture, i, j, Math.max(Math.min(innerHeight, innerWidth * 1.3) - 150, 300));
  at("large").showModal();
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

// The complete page.
function draw_views() {
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
function table_with_notes(name) {
  const { title, note } = data.tables[name];
  const notes = note.map((text) => make("p", { class: "soft recipe" }, text));
  const drawing = data.drawings[name] ? make("img", { src: data.drawings[name], alt: title, class: "drawing" }) : null;
  return make("div", {}, make("h3", {}, title), drawing, table(name), ...notes);
}
function draw_families() {
  if (!data.families.length) return;
  const matrices = data.families.map(({ title, values, labels, rows, columns }) => make("div", {}, make("h3", {}, title), matrix_svg(values, labels, rows, columns, "pixels", true, false).svg));
  at("families").querySelector("div").replaceChildren(table_with_notes("families"), table_with_notes("families_pred"), make("div", { class: "small" }, ...matrices));
}
function start() {
  for (const name of ["intervals", "objects", "families", "review"]) if (!data.tables[name]) at(name).remove();
  at(data.has_truth ? "method-agreement" : "method").remove();
  document.title = `${data.gt} ${data.has_truth ? "→" : "/"} ${data.pred}`;
  const titles = { documents: "documents", pages: "pages", classes: "label_agreement" };
  for (const [id, name] of Object.entries(titles)) if (data.tables[name]) at(id).querySelector("h2").textContent = data.tables[name].title;
  at("sentence").append(data.sentence);
  at("axes").prepend(`Rows are ${data.sides[0]}, columns are ${data.sides[1]}. `);
  at("title").append(document.title);
  at("facts").append(`${thin_spaced(data.pages)} pages · ${thin_spaced(data.documents)} documents · ${thin_spaced(data.pixels)} pixels · ${data.taxonomy} taxonomy · method ${data.method}`);
  at("recipe-line").append(data.recipe);
  for (const section of document.querySelectorAll("main section")) at("nav").append(make("a", { href: `#${section.id}` }, section.querySelector("h2").textContent));
  const by_name = ([gt, pred]) => choose(data.rows.find((i) => data.labels[i] === gt), data.columns.find((j) => data.labels[j] === pred));
  const figures = data.has_truth ? "averages" : "agreement";
  at("averages").append(make("h3", {}, data.tables[figures].title), table(figures));
  at("confusions").append(make("h3", {}, data.tables.confusions.title), table("confusions", (row) => { by_name(row); at("matrix").scrollIntoView(); }));
  const none = make("p", {}, data.no_classes);
  at("classes").querySelector("div").append(data.tables.classes ? table("classes") : data.tables.label_agreement ? table("label_agreement") : none);
  if (data.tables.review) at("review").querySelector("div").append(table("review"));
  const why_tables = ["causes", "causes_by_label", "forgiveness", "causes_by_document"].filter((name) => data.tables[name]);
  if (why_tables.length) at("why").querySelector("div").append(...why_tables.map(table_with_notes));
  else at("why").remove();
  const interval_tables = ["difference", "intervals", "units"].filter((name) => data.tables[name]);
  if (interval_tables.length) at("intervals").querySelector("div").append(...interval_tables.map(table_with_notes));
  if (data.tables.objects) at("objects").querySelector("div").append(make("div", { class: "pair wide" }, table_with_notes("object_scores"), table_with_notes("objects")));
  draw_families();
  for (const name of ["documents", "pages", "recipe"]) at(name).querySelector("div").append(table(name));
  draw_findings();
  const found = /^#cell-(\d+)-(\d+)$/.exec(location.hash);
  if (found && data.rows.includes(+found[1]) && data.columns.includes(+found[2])) chosen.cell = [+found[1], +found[2]];
  draw_views();
  draw_matrix();
  draw_cell();
}
at("heatmap").addEventListener("click", (event) => {
  const key = event.target.dataset?.cell;
  if (!key || chosen.view === "collapsed") return;
  choose(...key.split("-").map(Number));
  // Next to a large matrix there is no space, so the result of the click is shown below it.
  if (at("cell").getBoundingClientRect().top > innerHeight - 120) at("cell").scrollIntoView();
});
at("heatmap").addEventListener("pointermove", (event) => {
  const key = event.target.dataset?.cell, tip = at("tip");
  tip.hidden = !key || chosen.view === "collapsed";
  if (tip.hidden) return;
  tip.textContent = tip_of(...key.split("-").map(Number));
  tip.style.left = `${Math.min(event.clientX + 14, innerWidth - 350)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, innerHeight - 140)}px`;
});
at("heatmap").addEventListener("pointerleave", () => { at("tip").hidden = true; });
at("heatmap").addEventListener("keydown", (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (!step || chosen.view === "collapsed") return;
  event.preventDefault();
  const place = (list, now, by) => list[Math.min(Math.max(list.indexOf(now) + by, 0), list.length - 1)];
  const [i, j] = chosen.cell ?? [data.rows[0], data.columns[0]];
  choose(place(data.rows, i, step[0]), place(data.columns, j, step[1]));
});
DARK.addEventListener("change", () => { draw_matrix(); draw_families(); });
start();
