// Draw a page on a canvas: its picture, masks of its tiles, its regions with their labels.
// Coordinates are page pixels; a view {s, x, y} says how many screen pixels a page pixel has, and where the page begins.
const PAGE_DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3], [1, 5]];
// If tags would cover more than a share of the visible page, only regions that are higher on the screen have one.
const PAGE_TAG = { font: "600 11px system-ui, sans-serif", wide: 50, high: 15, least_wide: 26, least_high: 9, most_share: 0.2, least_high_of_many: 30 };
const PAGE_TRANSPARENT = ["difference", "cell", "causes"];  // masks over a faint picture
const PAGE_WIDTHS = new Map();  // text -> width in the font of tags

// Everything about a page that does not depend on the view.
function page_model(data) {
  const shown = data.shown ? new Set(data.shown) : null;
  // A region of another label stays if it meets a shown label on another side: that is the error that is looked for.
  const meet = (a, b) => a[0] !== b[0] && a[2] < b[4] && b[2] < a[4] && a[3] < b[5] && b[3] < a[5];
  const chosen = shown ? data.boxes.filter((box) => shown.has(box[1]) && box[1] !== data.labels.length - 1) : [];
  const boxes = data.boxes.filter((box) => !shown || shown.has(box[1]) || chosen.some((one) => meet(one, box))).map(([side, label, x0, y0, x1, y1, score, number]) =>
    ({ side, label, x0, y0, x1, y1, score, number, name: data.labels[label], colour: data.colours[label], area: (x1 - x0) * (y1 - y0) }));
  const sets = (data.pairs ?? []).map((pair) => pair.words.map((bits, side) => bits.map((bit) => data.bits[side][bit])));
  return { data, boxes, sets, shown, areas: null, cause_areas: null, centres: data.centres ?? [] };
}
function page_tiles_of(model, kind) {
  const { data } = model;
  if (kind === "causes") return data.causes && (model.cause_areas ??= page_areas(data.causes));
  return data.runs?.length ? (model.areas ??= page_areas(data)) : null;
}

// {number: {path, x0, y0, x1, y1}}: the area of each number in the runs; equal runs of neighbouring rows are one rectangle.
function page_areas({ x, y, runs }) {
  const found = new Map();
  const add = (first, last, number, top, bottom) => {
    if (!found.has(number)) found.set(number, { path: new Path2D(), x0: Infinity, y0: Infinity, x1: 0, y1: 0 });
    const area = found.get(number), [x0, y0, x1, y1] = [x[first], y[top], x[last], y[bottom]];
    area.path.rect(x0, y0, x1 - x0, y1 - y0);
    area.x0 = Math.min(area.x0, x0); area.y0 = Math.min(area.y0, y0);
    area.x1 = Math.max(area.x1, x1); area.y1 = Math.max(area.y1, y1);
  };
  let open = new Map();
  const close = (row) => { for (const [first, last, number, top] of open.values()) add(first, last, number, top, row); };
  runs.forEach((row, r) => {
    const next = new Map();
    for (let k = 0, c = 0; k < row.length; c += row[k], k += 2) {
      const key = `${c} ${c + row[k]} ${row[k + 1]}`, before = open.get(key);
      open.delete(key);
      next.set(key, before ?? [c, c + row[k], row[k + 1], r]);
    }
    close(r);
    open = next;
  });
  close(runs.length);
  return found;
}
// The number in the runs at a point; -1 outside of the page.
function page_number_at({ x, y, runs }, px, py) {
  if (!runs?.length || px < x[0] || py < y[0] || px >= x.at(-1) || py >= y.at(-1)) return -1;
  const row = runs[page_place(y, py)], column = page_place(x, px);
  for (let k = 0, c = 0; k < row.length; k += 2) {
    c += row[k];
    if (column < c) return row[k + 1];
  }
  return -1;
}
function page_place(edges, value) {
  let low = 0, high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle] <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
// A cell without a column is a label: everything in its row and its column but what is right.
const page_share = (pair, [gt, pred]) => pair.adds.reduce((sum, [row, column, amount]) =>
  sum + ((pred === null ? (row === gt) !== (column === gt) : row === gt && column === pred) ? amount : 0), 0);
// The pixels of the page that add to a cell of the matrix, or to a label.
function page_lit_pixels(data, cell) {
  return Math.round(100 * data.pairs.reduce((sum, pair) => sum + pair.pixels * page_share(pair, cell), 0)) / 100;
}

// `look`: {mask, cell, lit (a pair), sides (a Set), boxes, tags, centres, hover and focus (regions), image, faint}
// `ratio` is the number of pixels of the canvas for one pixel of the style sheet.
function draw_page_canvas(canvas, ratio, model, view, look) {
  const pen = canvas.getContext("2d");
  const { width, height, lighting } = model.data;
  const seen = { x0: -view.x / view.s, y0: -view.y / view.s, x1: (canvas.width / ratio - view.x) / view.s, y1: (canvas.height / ratio - view.y) / view.s };
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.setTransform(view.s * ratio, 0, 0, view.s * ratio, view.x * ratio, view.y * ratio);
  pen.fillStyle = lighting.paper;
  pen.fillRect(0, 0, width, height);
  pen.globalAlpha = look.faint || PAGE_TRANSPARENT.includes(look.mask) ? lighting.picture : 1;
  if (look.image) draw_page_image(pen, look.image(view.s * ratio), width, height, seen);
  pen.globalAlpha = 1;
  if (look.mask) draw_page_mask(pen, model, view, look, seen);
  if (look.lit >= 0) draw_page_lit(pen, model, look.lit);
  pen.strokeStyle = "#808080";
  pen.lineWidth = 1 / view.s;
  pen.strokeRect(0, 0, width, height);
  if (look.boxes) draw_page_regions(pen, model, view, look, seen);
  if (look.centres) draw_page_centres(pen, model, view, look);
  if (look.boxes && look.tags) draw_page_tags(pen, model, view, look, seen, ratio);
}
// Only the visible part of the picture is drawn: scaling all of a large one would take longer than a frame.
function draw_page_image(pen, picture, width, height, seen) {
  if (!picture) return;
  const x0 = Math.max(seen.x0, 0), y0 = Math.max(seen.y0, 0), x1 = Math.min(seen.x1, width), y1 = Math.min(seen.y1, height);
  if (x0 >= x1 || y0 >= y1) return;
  const [across, down] = [picture.width / width, picture.height / height];
  pen.imageSmoothingQuality = "medium";
  pen.drawImage(picture, x0 * across, y0 * down, (x1 - x0) * across, (y1 - y0) * down, x0, y0, x1 - x0, y1 - y0);
}
function draw_page_mask(pen, model, view, look, seen) {
  const areas = page_tiles_of(model, look.mask);
  for (const [number, area] of areas ?? []) {
    const fill = page_fill(pen, model, look, number, view);
    if (!fill || area.x1 < seen.x0 || area.x0 > seen.x1 || area.y1 < seen.y0 || area.y0 > seen.y1) continue;
    pen.globalAlpha = fill.strength;
    pen.fillStyle = fill.colour;
    pen.fill(area.path);
    if (fill.pattern) { pen.fillStyle = fill.pattern; pen.fill(area.path); }
  }
  pen.globalAlpha = 1;
}
// How an area is filled in a mask; null: it stays empty.
function page_fill(pen, model, look, number, view) {
  const { data } = model, { lighting } = data;
  if (look.mask === "cell") {
    const share = look.cell ? page_share(data.pairs[number], look.cell) : 0;
    return share > 0 ? { colour: data.lit_colour, strength: lighting.lit + lighting.lit_by_share * share } : null;
  }
  if (look.mask === "difference" || look.mask === "causes") {
    if (number < 0) return null;
    const [, colour, pattern] = look.mask === "causes" ? data.cause_kinds[number] : data.kinds[data.pairs[number].kind];
    return colour && { colour, strength: lighting.mask, pattern: pattern && page_pattern(pen, pattern, view.s) };
  }
  const visible = model.sets[number][look.mask === "gt" ? 0 : 1].filter((label) => label > 0 && (!model.shown || model.shown.has(label)));
  return visible.length ? { colour: page_blend(visible.map((label) => data.colours[label])), strength: lighting.label_sets } : null;
}
function page_blend(colours) {
  const parts = colours.map(channels);
  return css([0, 1, 2].map((c) => Math.round(parts.reduce((sum, part) => sum + part[c], 0) / parts.length)));
}
// Lines or dots of the same size at every zoom, which move with the page.
function page_pattern(pen, name, scale) {
  const tile = document.createElement("canvas"), size = 8;
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  ink.strokeStyle = ink.fillStyle = "rgba(0,0,0,.55)";
  ink.lineWidth = 1.2;
  if (name === "dots") ink.fillRect(2, 2, 3, 3);
  else for (const shift of [-size, 0, size]) {
    ink.beginPath();
    ink.moveTo(shift, name === "rising" ? size : 0);
    ink.lineTo(shift + size, name === "rising" ? 0 : size);
    ink.stroke();
  }
  const pattern = pen.createPattern(tile, "repeat");
  pattern.setTransform(new DOMMatrix().scale(1 / scale));
  return pattern;
}
// The pixels of one pair of label sets: everything else is covered.
function draw_page_lit(pen, model, pair) {
  const area = page_tiles_of(model, "pairs")?.get(pair);
  pen.globalAlpha = model.data.lighting.pair;
  pen.fillStyle = "#ffffff";
  pen.fillRect(0, 0, model.data.width, model.data.height);
  pen.fillStyle = model.data.lit_colour;
  if (area) pen.fill(area.path);
  pen.globalAlpha = 1;
}

function page_visible_boxes(model, look, seen) {
  return model.boxes.filter((box) => look.sides.has(box.side) && box.x1 >= seen.x0 && box.x0 <= seen.x1 && box.y1 >= seen.y0 && box.y0 <= seen.y1);
}
function draw_page_regions(pen, model, view, look, seen) {
  for (const box of page_visible_boxes(model, look, seen)) {
    const strong = box === look.hover || box === look.focus || box === look.chosen;
    pen.strokeStyle = box.colour;
    pen.globalAlpha = box.side || strong ? 1 : 0.7;
    pen.lineWidth = ((box.side ? 1.8 : 3) + (strong ? 2 : 0)) / view.s;
    pen.setLineDash(PAGE_DASHES[box.side % PAGE_DASHES.length].map((part) => part / view.s));
    pen.strokeRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
    if (strong) {
      pen.globalAlpha = 0.15;
      pen.fillStyle = box.colour;
      pen.fillRect(box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0);
    }
    if (box === look.focus) draw_page_focus(pen, box, view);
  }
  pen.globalAlpha = 1;
  pen.setLineDash([]);
}
function draw_page_focus(pen, box, view) {
  const gap = 4 / view.s;
  pen.setLineDash([]);
  for (const [colour, wide] of [["#ffffff", 4], ["#111111", 2]]) {
    pen.globalAlpha = 1;
    pen.strokeStyle = colour;
    pen.lineWidth = wide / view.s;
    pen.strokeRect(box.x0 - gap, box.y0 - gap, box.x1 - box.x0 + 2 * gap, box.y1 - box.y0 + 2 * gap);
  }
}
// Centres as dots (gt) and squares, with a line between two that match.
function draw_page_centres(pen, model, view, look) {
  const size = 3.5 / view.s;
  pen.strokeStyle = "#111111";
  pen.lineWidth = 1.5 / view.s;
  for (const [x0, y0, x1, y1] of model.centres) {
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  }
  for (const box of model.boxes) {
    if (!look.sides.has(box.side)) continue;
    const [x, y] = [(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2];
    pen.beginPath();
    if (box.side) pen.rect(x - size, y - size, 2 * size, 2 * size);
    else pen.arc(x, y, size, 0, 7);
    pen.fillStyle = box.colour;
    pen.fill();
    pen.stroke();
  }
}

// Labels on regions, at the part of a region that is visible. The focused region comes first, then regions with the
// labels of the chosen cell. Any other tag is left out if its region is small on the screen or it would cover another tag.
function draw_page_tags(pen, model, view, look, seen, ratio) {
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = PAGE_TAG.font;
  pen.textBaseline = "middle";
  const taken = [], boxes = page_visible_boxes(model, look, seen);
  const in_cell = (box) => look.mask === "cell" && box.label === (look.cell?.[box.side ? 1 : 0] ?? look.cell?.[0]);
  const rank = (box) => (box === look.focus ? 0 : box === look.hover || box === look.chosen ? 1 : in_cell(box) ? 2 : 3);
  boxes.sort((a, b) => rank(a) - rank(b));
  const [left, top, right, bottom] = [seen.x0 * view.s + view.x, seen.y0 * view.s + view.y, seen.x1 * view.s + view.x, seen.y1 * view.s + view.y];
  const sheet = (Math.min(seen.x1, model.data.width) - Math.max(seen.x0, 0)) * (Math.min(seen.y1, model.data.height) - Math.max(seen.y0, 0)) * view.s * view.s;
  const many = boxes.length * PAGE_TAG.wide * PAGE_TAG.high > PAGE_TAG.most_share * sheet;
  const least_high = many ? PAGE_TAG.least_high_of_many : PAGE_TAG.least_high;
  for (const box of boxes) {
    const [x0, y0, x1, y1] = [box.x0 * view.s + view.x, box.y0 * view.s + view.y, box.x1 * view.s + view.x, box.y1 * view.s + view.y];
    if (rank(box) === 3 && (x1 - x0 < PAGE_TAG.least_wide || y1 - y0 < least_high)) continue;
    const text = page_tag_text(pen, box.name, rank(box) < 3 ? 260 : Math.max(x1 - x0, 48));
    const wide = page_text_width(pen, text) + 8, high = PAGE_TAG.high;
    const x = box.side ? Math.max(Math.min(x1, right) - wide, left) : Math.min(Math.max(x0, left), right - wide);
    const places = [y0 - high, Math.max(y0, top), Math.min(y1, bottom) - high, y1].filter((y) => y >= top - 1 && y + high <= bottom + 1).map((y) => [x, y]);
    const free = places.find(([, y]) => !taken.some((one) => x < one[2] && x + wide > one[0] && y < one[3] && y + high > one[1]));
    const place = free ?? (rank(box) < 2 ? places[0] : null);
    if (!place) continue;
    taken.push([place[0], place[1], place[0] + wide, place[1] + high]);
    draw_page_tag(pen, box, text, ...place, wide, high);
  }
}
function draw_page_tag(pen, box, text, x, y, wide, high) {
  pen.fillStyle = box.side ? "#ffffff" : box.colour;
  pen.fillRect(x, y, wide, high);
  if (box.side) {
    pen.strokeStyle = box.colour;
    pen.lineWidth = 1.5;
    pen.setLineDash([3, 2]);
    pen.strokeRect(x + 0.75, y + 0.75, wide - 1.5, high - 1.5);
    pen.setLineDash([]);
  }
  pen.fillStyle = box.side ? "#111111" : readable(channels(box.colour));
  pen.fillText(text, x + 4, y + high / 2 + 0.5);
}
function page_tag_text(pen, name, wide) {
  const whole = page_text_width(pen, name);
  return whole <= wide ? name : short(name, Math.max(Math.floor((name.length * wide) / whole), 4));
}
function page_text_width(pen, text) {
  if (PAGE_WIDTHS.size > 5000) PAGE_WIDTHS.clear();
  if (!PAGE_WIDTHS.has(text)) PAGE_WIDTHS.set(text, pen.measureText(text).width);
  return PAGE_WIDTHS.get(text);
}
// The whole page in a canvas of a given longer side, for lists of pages.
function draw_small_page(canvas, data, look, side) {
  const model = page_model(data), scale = side / Math.max(data.width, data.height);
  canvas.width = Math.max(Math.round(data.width * scale), 1);
  canvas.height = Math.max(Math.round(data.height * scale), 1);
  const draw = (picture) => {
    const view = { s: scale, x: 0, y: 0 }, whole = { sides: new Set([0, 1]), mask: "cell", faint: true, ...look };
    draw_page_canvas(canvas, 1, model, view, { ...whole, image: () => picture });
  };
  if (!data.images?.small) return draw(null);
  const image = new Image();
  image.onload = () => draw(image);
  image.onerror = () => draw(null);
  image.src = data.images.small;
}
