// The page viewer: one to three canvases with the same view of a page, buttons for their layers, and the page as text.
const PAGE_VIEWERS = new WeakMap();
const VIEWER_MASKS = { "": "Regions only", difference: "Difference", cell: "Chosen cell", gt: "Label sets of ", pred: "Label sets of ", causes: "Causes" };
const VIEWER_HELP = "Arrow keys move, plus and minus zoom, 0 shows the whole page, n and p go through the regions, Enter chooses, Escape ends, digits switch layers.";
const VIEWER_STEP = 60, VIEWER_ZOOM = 1.25, VIEWER_DEEPEST = 40;

// Show a page in `root`. `send(name, value)` is called with what the reader chose: "picked" regions and pairs, "wanted" layers
// that the data do not have yet, and "mask", the layer of the second canvas. The view of the same page stays as it is.
function show_page(root, data, send) {
  if (!PAGE_VIEWERS.has(root)) PAGE_VIEWERS.set(root, new PageViewer(root));
  const viewer = PAGE_VIEWERS.get(root);
  viewer.send = send;
  viewer.show(data);
  return viewer;
}
function stop_page(root) {
  PAGE_VIEWERS.get(root)?.stop();
  PAGE_VIEWERS.delete(root);
}

class PageViewer {
  constructor(root) {
    Object.assign(this, { data: null, view: null, panes: [], sides: new Set(), known: new Set(), pictures: new Map(), held: new Map() });
    Object.assign(this, { hover: null, focus: null, chosen: null, lit: -1, moved: 0, frame: 0, frames: 0, picks: 0, active: 0, centres: false, picture: true });
    this.bar = make("div", { class: "viewer-bar", role: "toolbar", "aria-label": "Layers and zoom" });
    this.place = make("div", { class: "viewer-panes" });
    this.words = make("div", { class: "viewer-words" });
    this.legend = make("div", { class: "viewer-legend" });
    this.list = make("details", { class: "viewer-list" }, make("summary"), make("div"));
    this.tip = make("div", { class: "viewer-tip", role: "tooltip" });
    this.tip.hidden = true;
    this.live = make("div", { class: "viewer-unseen", role: "status", "aria-live": "polite" });
    this.box = make("div", { class: "viewer", role: "group", "aria-label": "Page viewer" }, this.bar, make("div", { class: "viewer-main" }, this.place, this.words), this.legend, this.list, this.tip, this.live);
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("toggle", () => this.draw_list());
    root.append(this.box);
    this.sizes = new ResizeObserver(() => this.later());
    this.sizes.observe(this.place);
  }
  stop() {
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
    for (const picture of this.pictures.values()) picture.levels.forEach((level) => level.close?.());
    this.box.remove();
  }
  show(data) {
    const text = JSON.stringify(data);
    if (text === this.text) return;  // nothing is drawn again after a click
    this.text = text;
    const same = this.data && this.data.page === data.page && this.data.width === data.width && this.data.height === data.height;
    if (!same) Object.assign(this, { view: null, focus: null, chosen: null, lit: -1, hover: null });
    this.take_panes(data.panes);
    this.data = data;
    this.model = page_model(data);
    for (const name of ["focus", "chosen", "hover"]) this[name] = this[name] && (this.model.boxes.find((box) => box.side === this[name].side && box.number === this[name].number) ?? null);
    for (const side of data.sides.keys()) if (!this.known.has(side) && this.has_side(side)) { this.known.add(side); if (!(data.hidden_sides ?? []).includes(side)) this.sides.add(side); }
    if (this.lit >= (data.pairs?.length ?? 0)) this.lit = -1;
    this.load_pictures();
    this.draw_bar();
    this.draw_panes();
    this.draw_words();
    this.draw_list();
    this.later();
  }
  // The given canvases, unless they are what the reader chose here.
  take_panes(panes) {
    const second = panes[1]?.mask ?? "", first = JSON.stringify(panes[0]);
    if (!this.looks || second !== (this.looks[1]?.mask ?? "")) this.looks = panes.map((pane) => ({ ...pane }));
    else if (first !== this.given_first) this.looks[0].mask = panes[0].mask;
    this.given_first = first;
  }
  has_side(side) { return !(this.data.offered ?? []).includes(`side-${side}`); }

  // Pictures: the small one is shown until the large one has been loaded and decoded.
  load_pictures() {
    const wanted = [this.data.images?.small, this.data.images?.full].filter(Boolean);
    for (const [url, picture] of this.pictures) if (!wanted.includes(url)) { picture.levels.forEach((level) => level.close?.()); this.pictures.delete(url); }
    for (const url of wanted) if (!this.pictures.has(url)) this.load_picture(url);
  }
  async load_picture(url) {
    const entry = { levels: [], failed: false }, image = new Image();
    this.pictures.set(url, entry);
    try {
      image.src = url;
      await image.decode();
      entry.levels.push(await createImageBitmap(image));
      this.later();
      // Half the size for a page that is seen as a whole: scaling a large picture in every frame would be slow.
      if (image.naturalWidth > 2400) entry.levels.push(await createImageBitmap(image, { resizeWidth: image.naturalWidth >> 1, resizeHeight: image.naturalHeight >> 1, resizeQuality: "medium" }));
    } catch {
      entry.failed = true;
      this.draw_bar();
    }
    this.later();
  }
  // The smallest picture that is sharp at this scale, else the largest.
  picture_for(scale) {
    const all = [...this.pictures.values()].flatMap((picture) => picture.levels).sort((a, b) => a.width - b.width);
    return all.find((level) => level.width >= scale * this.data.width * 0.98) ?? all.at(-1) ?? null;
  }
  ready() {
    const loaded = (url) => this.pictures.get(url)?.levels.length > 0;
    const { small, full } = this.data.images ?? {};
    return full && loaded(full) ? "full" : small && loaded(small) ? "small" : small || full ? "" : "none";
  }

  // Layers.
  masks() {
    const has = { difference: this.data.runs?.length, gt: this.data.runs?.length, pred: this.data.runs?.length, cell: this.data.cell && this.data.runs?.length };
    has.causes = this.data.causes || (this.data.offered ?? []).includes("causes");
    const title = (kind) => VIEWER_MASKS[kind] + ({ gt: this.data.sides[0], pred: this.data.sides[1] }[kind] ?? "");
    return Object.keys(VIEWER_MASKS).filter((kind) => !kind || has[kind]).map((kind) => [kind, title(kind)]);
  }
  // The layers that digits switch: [name, is it on, switch it].
  layers() {
    const sides = this.data.sides.map((name, side) => [name, this.sides.has(side), () => this.toggle_side(side)]);
    const centres = this.data.centres || (this.data.offered ?? []).includes("centres") ? [["Centres", this.centres, () => this.toggle_centres()]] : [];
    const picture = this.data.images?.small || this.data.images?.full ? [["Image", this.picture, () => { this.picture = !this.picture; }]] : [];
    return [...sides, ...centres, ...picture];
  }
  toggle_side(side) {
    if (!this.has_side(side)) return this.send("wanted", { layer: `side-${side}`, n: ++this.picks });
    if (!this.sides.delete(side)) this.sides.add(side);
  }
  toggle_centres() {
    this.centres = !this.centres;
    if (this.centres && !this.data.centres) this.send("wanted", { layer: "centres", n: ++this.picks });
  }
  set_mask(pane, mask) {
    this.looks[pane].mask = mask;
    this.active = pane;
    if (mask === "causes" && !this.data.causes) this.send("wanted", { layer: "causes", n: ++this.picks });
    if (pane === 1) this.send("mask", { mask, n: ++this.picks });
    this.redraw();
  }
  set_pane_count(count) {
    const used = this.looks.map((look) => look.mask), free = this.masks().map(([kind]) => kind).filter((kind) => kind && !used.includes(kind));
    while (this.looks.length < count) this.looks.push({ mask: free.shift() ?? "", boxes: false });
    this.looks.length = count;
    this.active = Math.min(this.active, count - 1);
    this.send("mask", { mask: count > 1 ? this.looks[1].mask : "", n: ++this.picks });
    this.redraw();
  }
  redraw() {
    this.draw_bar();
    this.draw_panes();
    this.draw_list();
    this.later();
  }
  draw_bar() {
    const button = (text, pressed, act, label = null) => make("button", { type: "button", "aria-pressed": pressed === null ? null : String(pressed), "aria-label": label, onclick: () => { act(); this.redraw(); } }, text);
    const layers = this.layers().map(([name, on, act], k) => {
      const one = button("", on, act, name);
      one.append(make("kbd", {}, String(k + 1)), " ", make("span", { dir: "auto", class: k && k < this.data.sides.length ? "dashed" : k ? "" : "solid" }, short(name, 24)));
      return one;
    });
    const counts = [1, 2, 3].map((count) => button(String(count), this.looks.length === count, () => this.set_pane_count(count), `${count} ${count > 1 ? "canvases" : "canvas"}`));
    const zooms = [["−", () => this.zoom_by(1 / VIEWER_ZOOM), "Zoom out"], ["+", () => this.zoom_by(VIEWER_ZOOM), "Zoom in"], ["Fit", () => this.fit(), "Show the whole page"]];
    const group = (label, ...buttons) => make("div", { class: "viewer-group", role: "group", "aria-label": label }, ...buttons);
    const failed = this.pictures.size && [...this.pictures.values()].every((picture) => picture.failed);
    const note = failed ? [make("span", { class: "viewer-note", role: "status" }, "The page image cannot be read.")] : [];
    this.keep_focus(this.bar, () => this.bar.replaceChildren(group("Layers", ...layers), group("Canvases", ...counts), group("Zoom", ...zooms.map(([text, act, label]) => button(text, null, act, label))), ...note));
  }
  // Draw buttons again without losing the focus.
  keep_focus(place, draw) {
    const buttons = () => [...place.querySelectorAll("button, select")], now = buttons().indexOf(this.box.getRootNode().activeElement);
    draw();
    if (now >= 0) buttons()[now]?.focus();
  }
  draw_panes() {
    while (this.panes.length > this.looks.length) this.panes.pop().element.remove();
    while (this.panes.length < this.looks.length) this.panes.push(this.new_pane(this.panes.length));
    this.box.dataset.panes = this.looks.length;
    this.panes.forEach((pane, k) => {
      const options = this.masks().map(([kind, title]) => { const one = make("option", { value: kind }, title); one.selected = kind === (this.looks[k].mask ?? ""); return one; });
      pane.select.replaceChildren(...options);
      pane.toggle.setAttribute("aria-pressed", String(this.looks[k].boxes));
      pane.canvas.setAttribute("aria-label", `Page ${this.data.page}, ${pane.select.selectedOptions[0]?.textContent ?? ""}, ${this.model.boxes.length} regions. ${VIEWER_HELP} The list of regions below has the same as text.`);
    });
    this.draw_legend();
  }
  new_pane(k) {
    const canvas = make("canvas", { tabindex: 0, role: "application", "aria-roledescription": "page" });
    const select = make("select", { "aria-label": `Mask of canvas ${k + 1}`, onchange: () => this.set_mask(k, select.value) });
    const toggle = make("button", { type: "button", onclick: () => { this.looks[k].boxes = !this.looks[k].boxes; this.redraw(); } }, "Regions");
    const element = make("div", { class: "viewer-pane" }, make("div", { class: "viewer-pane-bar" }, select, toggle), canvas);
    this.place.append(element);
    viewer_pointer(this, canvas, k);
    canvas.addEventListener("focus", () => { this.active = k; });
    return { element, canvas, select, toggle };
  }
  draw_legend() {
    const parts = [];
    const swatch = (name, colour, pattern = "") => parts.push(make("span", {}, make("i", { class: `swatch ${pattern ?? ""}`, style: `--colour:${colour}` }), make("bdi", {}, short(name, 60))));
    const masks = new Set(this.looks.map((look) => look.mask));
    const kinds = new Set((this.data.pairs ?? []).map((pair) => pair.kind));
    if (masks.has("difference")) this.data.kinds.forEach(([name, colour, pattern], kind) => { if (colour && kinds.has(kind)) swatch(name, colour, pattern); });
    if (masks.has("causes") && this.data.causes) this.data.cause_kinds.forEach(([name, colour, pattern], cause) => { if (this.data.causes.runs.some((row) => row.some((value, k) => k % 2 && value === cause))) swatch(name, colour, pattern); });
    if (masks.has("cell") && this.data.cell) swatch(`${this.data.cell.map((place) => (place === null ? "wrong" : this.data.labels[place])).join(" / ")}: ${thin_spaced(page_lit_pixels(this.data, this.data.cell))} px`, this.data.lit_colour);
    const labels = [...new Set(this.model.boxes.map((box) => box.label))].sort((a, b) => a - b);
    if (parts.length && labels.length) parts.push(make("b", {}, "Labels:"));
    for (const label of labels) swatch(this.data.labels[label], this.data.colours[label]);
    this.legend.replaceChildren(...parts);
  }
  draw_words() {
    if (this.words_of === this.data) return;
    this.words_of = this.data;
    const has = this.data.pairs?.length > 0;
    this.words.hidden = !has;
    this.table = has ? words_table(this.model, (pair) => this.light(pair === this.lit ? -1 : pair)) : null;
    this.words.replaceChildren(...(has ? [make("h4", {}, "Packed words"), this.table.element] : []));
    this.table?.mark(this.lit);
  }
  draw_list() {
    const { list, count } = region_list(this.model, this.sides, (box) => this.set_focus(box, true), (box) => this.choose(box));
    const left_out = (this.data.region_count ?? 0) > this.data.boxes.length;
    this.list.firstChild.textContent = `List of ${thin_spaced(count)} regions${left_out ? `; the page has ${thin_spaced(this.data.region_count)}` : ""}`;
    this.keep_focus(this.list, () => this.list.lastChild.replaceChildren(...(this.list.open ? [list] : [])));
  }
  light(pair, x = null, y = null) {
    this.lit = pair;
    this.table?.mark(pair);
    if (pair >= 0) {
      this.live.textContent = page_tip_lines(this.model, [], pair, -1).join(", ");
      this.send("picked", { kind: "pair", pair, x, y, n: ++this.picks });
    }
    this.later();
  }

  // The view.
  later() { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.draw(); }); }
  draw() {
    const first = this.panes[0]?.canvas;
    if (!this.data || !first?.clientWidth) return;  // without a size yet; the observer calls again
    if (!this.view || this.view.fitted) this.view = this.fitted(first);
    const ratio = devicePixelRatio;
    this.panes.forEach(({ canvas }, k) => {
      const [wide, high] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
      if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
      const { mask, boxes } = this.looks[k];
      const usable = mask === "causes" ? this.data.causes : mask === "cell" ? this.data.cell && this.data.runs?.length : this.data.runs?.length;
      draw_page_canvas(canvas, ratio, this.model, this.view, {
        mask: mask && usable ? mask : "", boxes, tags: true, sides: this.sides, cell: this.data.cell, lit: this.lit, centres: this.centres,
        hover: this.hover, focus: this.focus, chosen: this.chosen, image: this.picture ? (scale) => this.picture_for(scale) : null,
      });
    });
    Object.assign(this.box.dataset, { zoom: this.view.s.toFixed(4), x: this.view.x.toFixed(2), y: this.view.y.toFixed(2), ready: this.ready(), frames: ++this.frames, page: this.data.page });
  }
  fitted(canvas) {
    const { width, height } = this.data, s = Math.min((canvas.clientWidth - 12) / width, (canvas.clientHeight - 12) / height);
    return { s, x: (canvas.clientWidth - width * s) / 2, y: (canvas.clientHeight - height * s) / 2, fitted: true };
  }
  fit() { this.view = null; this.later(); }
  zoom_by(factor, x = this.panes[0].canvas.clientWidth / 2, y = this.panes[0].canvas.clientHeight / 2) {
    if (!this.view) return;
    const fitted = this.fitted(this.panes[0].canvas).s, deepest = Math.max(VIEWER_DEEPEST, 2 * fitted);
    const s = Math.min(Math.max(this.view.s * factor, Math.min(0.5 * fitted, VIEWER_DEEPEST)), deepest), k = s / this.view.s;
    this.view = { s, x: x - (x - this.view.x) * k, y: y - (y - this.view.y) * k };
    this.later();
  }
  move_by(dx, dy) {
    if (!this.view) return;
    this.view = { s: this.view.s, x: this.view.x + dx, y: this.view.y + dy };
    this.later();
  }
  // Move the view to make a region visible.
  reveal(box) {
    const { clientWidth: wide, clientHeight: high } = this.panes[0].canvas, { s, x, y } = this.view ?? this.fitted(this.panes[0].canvas);
    const [x0, y0, x1, y1] = [box.x0 * s + x, box.y0 * s + y, box.x1 * s + x, box.y1 * s + y];
    if (x1 < 20 || x0 > wide - 20 || y1 < 20 || y0 > high - 20) this.move_by(wide / 2 - (x0 + x1) / 2, high / 2 - (y0 + y1) / 2);
  }

  // Regions and label sets.
  boxes_at(x, y, k) {
    if (!this.looks[k].boxes) return [];
    return this.model.boxes.filter((box) => this.sides.has(box.side) && x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1).sort((a, b) => a.area - b.area);
  }
  point(x, y, k, at) {
    const boxes = this.boxes_at(x, y, k), pair = page_number_at(this.data, x, y);
    const cause = this.data.causes ? page_number_at(this.data.causes, x, y) : -1, before = this.hover;
    this.hover = boxes[0] ?? null;
    if (before !== this.hover) this.later();
    this.tip.replaceChildren(...page_tip_lines(this.model, boxes, pair, cause).map((line) => make("div", { dir: "auto" }, line)));
    this.tip.hidden = !boxes.length && pair < 0;
    const frame = this.box.getBoundingClientRect();
    this.tip.style.left = `${Math.max(Math.min(at.clientX - frame.left + 14, frame.width - this.tip.offsetWidth - 4), 0)}px`;
    const below = at.clientY + 22 + this.tip.offsetHeight < innerHeight;
    this.tip.style.top = `${at.clientY - frame.top + (below ? 18 : -10 - this.tip.offsetHeight)}px`;
  }
  leave() {
    this.tip.hidden = true;
    this.hover = null;
    this.later();
  }
  pick(x, y, k) {
    const box = this.boxes_at(x, y, k)[0], pair = page_number_at(this.data, x, y);
    if (box) {
      this.choose(box, x, y);
      this.table?.mark(pair);
    } else this.light(pair, Math.floor(x), Math.floor(y));
  }
  choose(box, x = (box.x0 + box.x1) / 2, y = (box.y0 + box.y1) / 2) {
    this.chosen = box;
    this.lit = -1;
    this.set_focus(box);
    this.send("picked", { kind: "region", side: box.side, number: box.number, x: Math.floor(x), y: Math.floor(y), n: ++this.picks });
  }
  set_focus(box, reveal = false) {
    this.focus = box;
    if (box) this.live.textContent = page_region_text(this.data, box);
    if (box && reveal) this.reveal(box);
    this.later();
  }
  focus_next(step) {
    const boxes = this.model.boxes.filter((box) => this.sides.has(box.side));
    const now = boxes.indexOf(this.focus), to = now < 0 ? (step > 0 ? 0 : boxes.length - 1) : now + step;
    this.set_focus(boxes[to] ?? null, true);
    return Boolean(boxes[to]);
  }
  // Keys do not reach the page around the viewer, which has its own.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Tab") event.stopPropagation();
    if (!this.panes.some(({ canvas }) => canvas === event.target)) return;
    const act = this.key_action(event);
    if (act && act() !== false) event.preventDefault();
  }
  key_action({ key, shiftKey }) {
    const moves = { ArrowLeft: [VIEWER_STEP, 0], ArrowRight: [-VIEWER_STEP, 0], ArrowUp: [0, VIEWER_STEP], ArrowDown: [0, -VIEWER_STEP] };
    if (moves[key]) return () => this.move_by(...moves[key]);
    if (key === "+" || key === "=") return () => this.zoom_by(VIEWER_ZOOM);
    if (key === "-") return () => this.zoom_by(1 / VIEWER_ZOOM);
    if (key === "0") return () => this.fit();
    if (key === "n" || key === "p") return () => { this.focus_next(key === "n" ? 1 : -1); };
    // Tab goes on through the regions once one of them has the focus; after the last one it leaves the canvas.
    if (key === "Tab" && this.focus) return () => this.focus_next(shiftKey ? -1 : 1);
    if (key === "Enter" && this.focus) return () => this.choose(this.focus);
    if (key === "Escape" && (this.focus || this.lit >= 0)) return () => { this.set_focus(null); this.light(-1); };
    const place = /^[1-9]$/.test(key) ? +key - 1 : -1, layers = this.layers(), masks = this.masks().slice(1);
    if (place >= 0 && layers[place]) return () => { layers[place][2](); this.redraw(); };
    const mask = masks[place - layers.length]?.[0];
    return place >= 0 && mask ? () => this.set_mask(this.active, this.looks[this.active].mask === mask ? "" : mask) : null;
  }
}
