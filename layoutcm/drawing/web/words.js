// The texts of a page: its regions as a list, its pairs of label sets as packed words in a table.
const ONE_LINE_BITS = 16; // a word with more takes several lines
const WORDS_MOST_ROWS = 300, WORDS_MOST_BITS = 128;

// 0001 0110: the word of a label set, highest bit first, in groups of four; bit 0 is Background.
function word_text(bits, labels) {
  if (labels > WORDS_MOST_BITS) return `bits ${bits.join(", ")} of ${labels}`;
  const digits = Array(4 * Math.ceil(labels / 4)).fill("0");
  for (const bit of bits) digits[digits.length - 1 - bit] = "1";
  return digits.join("").replace(/(.{4})(?=.)/g, "$1 ");
}
const page_set_names = (model, pair, side) => model.sets[pair][side].map((label) => model.data.labels[label]).join(" + ") || "–";
function page_region_text(data, box) {
  const score = box.score === null ? "" : `, score ${score_text(box.score, 3)}`;
  const at = (v) => String(Math.round(100 * v) / 100);
  return `${data.sides[box.side]}, region ${box.number}: ${box.name}, x ${at(box.x0)} to ${at(box.x1)}, y ${at(box.y0)} to ${at(box.y1)}${score}`;
}
// What is at a point: the regions there, the smallest first, and the pair of label sets.
function page_tip_lines(model, boxes, pair, cause) {
  const { data } = model, lines = [];
  for (const box of boxes.slice(0, 4)) {
    const size = `${thin_spaced(box.x1 - box.x0)} × ${thin_spaced(box.y1 - box.y0)} px`;
    lines.push(page_region_text(data, box) + `, ${size}`);
  }
  if (boxes.length > 4) lines.push(`and ${boxes.length - 4} more regions`);
  if (pair >= 0) {
    for (const side of [0, 1]) lines.push(`${data.sides[side]} ${word_text(data.pairs[pair].words[side], data.bits[side].length)} = ${page_set_names(model, pair, side)}`);
    lines.push(`${data.kinds[data.pairs[pair].kind][0]}, ${thin_spaced(data.pairs[pair].pixels)} px with these labels`);
  }
  if (cause >= 0) lines.push(`cause: ${data.cause_kinds[cause][0]}`);
  return lines;
}

// A table of the pairs, the largest first. `choose(pair)` is called for a click or Enter on a row.
function words_table(model, choose) {
  const { data } = model, total = data.width * data.height;
  const order = [...data.pairs.keys()].sort((a, b) => data.pairs[b].pixels - data.pairs[a].pixels);
  const rows = new Map(), body = make("tbody");
  const add = (pair) => {
    const { words, pixels, kind } = data.pairs[pair], [name, colour, pattern] = data.kinds[kind];
    const mark = colour ? make("i", { class: `swatch ${pattern ?? ""}`, style: `--colour:${colour}`, role: "img", "aria-label": name }) : null;
    const side = (k) => make("td", { role: "gridcell" }, make("code", { class: data.bits[k].length <= ONE_LINE_BITS ? "one-line" : null }, word_text(words[k], data.bits[k].length)), make("span", { class: "names", dir: "auto" }, short(page_set_names(model, pair, k), 80)));
    const row = make("tr", { role: "row", tabindex: -1, "aria-selected": "false", "data-pair": pair, onclick: () => choose(pair), title: name },
      side(0), side(1), make("td", { role: "gridcell", class: "number" }, mark, thin_spaced(pixels)), make("td", { role: "gridcell", class: "number" }, percent(pixels / total)));
    rows.set(pair, row);
    body.append(row);
  };
  order.slice(0, WORDS_MOST_ROWS).forEach(add);
  body.firstChild?.setAttribute("tabindex", 0);
  const head = [...data.sides.slice(0, 2), "pixels", "of page"].map((name, k) => make("th", { scope: "col", role: "columnheader", class: k > 1 ? "number" : "" }, name));
  const table = make("table", { role: "grid", "aria-label": "Packed words: label sets of both sides, pixels, share of the page" }, make("thead", {}, make("tr", { role: "row" }, ...head)), body);
  table.addEventListener("keydown", (event) => words_key(event, body, choose));
  const rest = order.length - Math.min(order.length, WORDS_MOST_ROWS);
  const note = rest ? make("p", { class: "soft" }, `${thin_spaced(rest)} more pairs are smaller; a click on their pixels adds them.`) : null;
  const mark = (pair) => {
    if (pair >= 0 && !rows.has(pair)) add(pair);
    for (const [one, row] of rows) row.setAttribute("aria-selected", String(one === pair));
    if (pair >= 0) scroll_inside(rows.get(pair));
  };
  return { element: make("div", { class: "words-scroll" }, table, note), mark };
}
function words_key(event, body, choose) {
  const row = event.target.closest("tr[data-pair]"), step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!row) return;
  if (event.key === "Enter" || event.key === " ") choose(+row.dataset.pair);
  const all = [...body.children], wanted = step ? all[all.indexOf(row) + step] : { Home: all[0], End: all.at(-1) }[event.key];
  if (wanted) move_focus(row, wanted);
  if (wanted || step || event.key === "Enter" || event.key === " ") event.preventDefault();
}
// One element of a group can be reached with Tab; arrow keys move to the others.
function move_focus(from, to) {
  from.setAttribute("tabindex", -1);
  to.setAttribute("tabindex", 0);
  to.focus();
}
// Scroll the table, not the whole page, to make the row visible.
function scroll_inside(row) {
  const box = row.closest(".words-scroll"), top = row.offsetTop - box.offsetTop;
  if (top < box.scrollTop + 30 || top + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(top - box.clientHeight / 2, 0);
}

// The regions as a list of buttons. `focus(box)` and `choose(box)` are called for the region.
function region_list(model, sides, focus, choose) {
  const boxes = model.boxes.filter((box) => sides.has(box.side));
  const items = boxes.map((box, k) => make("button", { type: "button", tabindex: k ? -1 : 0, dir: "auto", onfocus: () => focus(box), onclick: () => choose(box) }, page_region_text(model.data, box)));
  const list = make("ul", { "aria-label": "Regions" }, ...items.map((item) => make("li", {}, item)));
  list.addEventListener("keydown", (event) => {
    const now = items.indexOf(event.target), to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: items.length - 1 }[event.key];
    if (now < 0 || to === undefined) return;
    event.preventDefault();
    if (items[to]) move_focus(items[now], items[to]);
  });
  return { list, count: boxes.length };
}
