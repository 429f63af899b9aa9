// The numbers and colours of a matrix: sums of groups of labels, shares of the sums, and the colour rule of
// drawing/matrix_layers.py, whose scale ends come with the data. A "line" is a drawn row or column: a label or a closed group.
// Its `places` are indices into the rows or columns of the data, its `position` is that of the label in the whole matrix.
const JOINED_LABEL = -1;

function matrix_lines(data, side, open) {
  const [names, positions] = side === "rows" ? [data.row_names, data.rows] : [data.column_names, data.columns];
  const group_of = new Map();
  for (const group of data.groups ?? []) for (const place of group[side]) group_of.set(place, group);
  const label = (place, group = null, first = false) => ({ name: names[place], position: positions[place], places: [place], group, first, closed: false });
  const lines = [], seen = new Set();
  positions.forEach((_, place) => {
    const group = group_of.get(place);
    if (!group) return lines.push(label(place));
    if (seen.has(group)) return;
    seen.add(group);
    // The labels of a group are together, at the place of the first.
    if (open.has(group.name)) group[side].forEach((member, k) => lines.push(label(member, group.name, k === 0)));
    else lines.push({ name: group.name, position: null, places: group[side], group: group.name, first: true, closed: true });
  });
  return lines;
}

// {view: values[row][column]} of these lines, null where a value does not exist.
function matrix_views(model, rows, columns) {
  const total = (sums, line) => line.places.reduce((sum, place) => sum + sums[place], 0);
  const summed = (mass) => rows.map((row) => columns.map((column) => row.places.reduce((sum, r) => sum + total(mass[r], column), 0)));
  const recall_mass = summed(model.mass), precision_mass = model.precision_mass ? summed(model.precision_mass) : recall_mass;
  const gt = rows.map((line) => total(model.gt_totals, line)), pred = columns.map((line) => total(model.pred_totals, line));
  const recall = recall_mass.map((row, r) => row.map((value) => share_of(value, gt[r])));
  const precision = precision_mass.map((row) => row.map((value, c) => share_of(value, pred[c])));
  const f1 = recall.map((row, r) => row.map((value, c) => harmonic(value, precision[r][c], precision_mass !== recall_mass)));
  return { pixels: recall_mass, recall, precision, f1 };
}
const share_of = (part, whole) => (whole === 0 ? null : part / whole);
// As in metrics/scores.py: where one does not exist, the mean is 0 with one mass, and does not exist with two.
function harmonic(recall, precision, two_masses) {
  if (two_masses ? recall === null || precision === null : recall === null && precision === null) return null;
  const r = recall ?? 0, p = precision ?? 0;
  return r + p ? (2 * r * p) / (r + p) : 0;
}

// "hit", "miss", or "mixed" for the diagonal cell of a joined label, which is partly right; such a cell is not coloured.
function cell_kind(data, row, column) {
  if (!data.diagonal) return "hit";
  if (row.closed || column.closed) return row.closed && column.closed && row.group === column.group ? "hit" : "miss";
  if (row.position !== column.position) return "miss";
  return row.position === JOINED_LABEL ? "mixed" : "hit";
}

// The two colour scales of one or more matrices of the same view; `used` says whether a cell has a colour of it.
function matrix_scales(data, drawn) {
  const shares = data.view !== "pixels", colours = data.themes[data.theme], { log_decades } = data.ends;
  const largest = { hit: 0, miss: 0, mixed: 0 };
  for (const { values, kinds } of drawn) values.forEach((row, r) => row.forEach((value, c) => {
    largest[kinds[r][c]] = Math.max(largest[kinds[r][c]], value ?? 0);
  }));
  const scale = (kind) => {
    const high = shares ? data.ends[kind] : largest[kind] || 1;
    // Correct shares are large: a log scale would make them all alike.
    const log = data.log && largest[kind] > 0 && !(kind === "hit" && shares && data.diagonal);
    const place = (value) => (log ? 1 + Math.max(Math.log10(value / high), -log_decades) / log_decades : value / high);
    return { kind, colours: colours[kind], high, low: log ? high * 10 ** -log_decades : 0, capped: shares && high < 1, used: largest[kind] > 0,
             colour: (value) => (value > 0 ? colour_at(colours[kind], place(value)) : null) };
  };
  return { hit: scale("hit"), miss: scale("miss"), mixed: { used: false, colour: () => null } };
}

// A difference with `verdicts` is coloured where it is better or worse. A plain difference has none: its sign is coloured.
function difference_scale(data) {
  const { values, verdicts } = data.difference, shares = data.view !== "pixels";
  const largest = Math.max(0, ...values.flat().map((value) => Math.abs(value ?? 0)));
  const high = shares ? data.ends.difference : largest || 1, colours = data.themes[data.theme].diverging;
  const verdict = (r, c) => (values[r][c] ? verdicts?.[r][c] ?? "" : "");
  const start = data.ends.difference_start;
  const reach = (value) => start + (1 - start) * Math.min(Math.abs(value) / high, 1);
  const colour = (r, c) => {
    const value = values[r][c], is_high = verdicts ? verdicts[r][c] === "better" : value > 0;
    if (!value || (verdicts && !is_high && verdicts[r][c] !== "worse")) return null;
    return colour_at(colours, 0.5 + (is_high ? 0.5 : -0.5) * reach(value));
  };
  return { high, colours, verdict, colour, capped: shares };
}
const signed_text = (value, text) => (text.startsWith("<") ? "≈0" : (value > 0 ? "+" : "−") + text);
