// The chosen cell of a matrix, its focus, its tooltip, clicks and keys. One listener on the root serves all cells.
// Coordinates: row -1 are the names of columns, column -1 the names of rows; `n` is the table.
function place_in_matrix(state, target) {
  const cell = target?.closest?.("td, th"), table = cell?.closest("table"), n = state.tables.indexOf(table);
  return n < 0 || cell.className === "corner" ? null : { n, r: cell.parentNode.rowIndex - 1, c: cell.cellIndex - 1 };
}
function matrix_element(state, { n, r, c }) {
  const cell = state.tables[n]?.rows[r + 1]?.cells[c + 1];
  return cell?.querySelector("button") ?? cell;
}
// The chosen cell, or the cell of closed groups that contains it; null if it is not drawn.
function chosen_place(state) {
  if (!state.chosen) return null;
  const find = (lines, positions, position) => lines.findIndex((line) => line.places.some((place) => positions[place] === position));
  const r = find(state.rows, state.data.rows, state.chosen[0]), c = find(state.columns, state.data.columns, state.chosen[1]);
  return r < 0 || c < 0 ? null : { r, c };
}
const first_stop = (state) => chosen_place(state) ?? { r: 0, c: 0 };
const matrix_has_focus = (state) => Boolean(place_in_matrix(state, state.root.getRootNode().activeElement));
function move_tab_stop(state, target) {
  const at = place_in_matrix(state, target);
  if (!at) return;
  for (const stop of state.tables[at.n].querySelectorAll('[tabindex="0"]')) stop.tabIndex = -1;
  matrix_element(state, at).tabIndex = 0;
  state.at = at;
}
function mark_chosen(state) {
  const place = chosen_place(state);
  state.tables.forEach((table, n) => {
    for (const cell of table.querySelectorAll("[aria-selected]")) cell.removeAttribute("aria-selected");
    if (place) matrix_element(state, { n, ...place }).setAttribute("aria-selected", "true");
    table.classList.toggle("clickable", Boolean(state.data.clickable));
  });
}
// The number makes two equal messages differ: one that is the same as the last would not be sent.
function send_picked(state, picked) {
  state.send?.("picked", { ...picked, n: ++state.sent });
}

function click_in_matrix(state, event) {
  const button = event.target.closest?.(".groups button");
  if (button) {
    const names = button.dataset.all ? state.data.groups.map((group) => group.name) : [button.dataset.group];
    const open = button.dataset.all ? button.dataset.all === "open" : !state.open.has(names[0]);
    return set_open_groups(state, names, open);
  }
  const at = place_in_matrix(state, event.target);
  if (at) pick_in_matrix(state, at, event.target.classList?.contains("close"));
}
function pick_in_matrix(state, { n, r, c }, close = false, keys = false) {
  const { data } = state, row = state.rows[r], column = state.columns[c];
  const closed = [row, column].filter((line) => line?.closed).map((line) => line.group);
  if (close) return set_open_groups(state, [row.group], false);
  if (closed.length) return set_open_groups(state, closed, true);
  const named = r < 0 ? column : c < 0 ? row : null;
  if (named) {
    if (data.headers && named.position !== JOINED_LABEL && !data.margins.includes(named.position)) {
      const kind = r < 0 ? "column" : "row";
      send_picked(state, { kind, [kind]: named.position, model: n });
    } else if (named.first && c < 0) set_open_groups(state, [named.group], false);
    return;
  }
  // Joined labels have no cell of their own.
  if (!data.clickable || row.position === JOINED_LABEL || column.position === JOINED_LABEL) return;
  state.chosen = [row.position, column.position];
  mark_chosen(state);
  send_picked(state, { kind: "cell", row: row.position, column: column.position, model: n, keys });
}

const MATRIX_STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-ROWS_OF_A_PAGE, 0], PageDown: [ROWS_OF_A_PAGE, 0] };
function key_in_matrix(state, event) {
  const at = place_in_matrix(state, event.target);
  if (!at || event.altKey || event.metaKey) return;
  const to = matrix_key_target(state, at, event);
  if (!to && event.key !== "Enter" && event.key !== " ") return;
  // Keys that move in the matrix must neither scroll the page nor be shortcuts of it.
  event.preventDefault();
  event.stopPropagation();
  if (!to) return pick_in_matrix(state, at, false, true);
  const cell = matrix_element(state, to);
  cell?.focus();
  cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  if (state.data.follow && to.r >= 0 && to.c >= 0 && !state.rows[to.r].closed && !state.columns[to.c].closed) pick_in_matrix(state, to, false, true);
}
function matrix_key_target(state, { n, r, c }, event) {
  const last = [state.rows.length - 1, state.columns.length - 1], step = MATRIX_STEPS[event.key];
  const limit = (value, high, low) => Math.min(Math.max(value, low), high);
  if (event.key === "Home") return { n, r: event.ctrlKey ? 0 : r, c: 0 };
  if (event.key === "End") return { n, r: event.ctrlKey ? last[0] : r, c: last[1] };
  if (!step) return null;
  // The corner has no text, so the arrow keys skip it.
  const by_page = Math.abs(step[0]) === ROWS_OF_A_PAGE;
  return { n, r: limit(r + step[0], last[0], c < 0 || by_page ? 0 : -1), c: limit(c + step[1], last[1], r < 0 ? 0 : -1) };
}

// The tooltip, beside the pointer or below the cell that has the focus.
function show_matrix_tip(state, target, pointer) {
  const at = place_in_matrix(state, target);
  if (!at) return hide_matrix_tip(state);
  if (!pointer && !target.matches(":focus-visible")) return;
  // A page that moves below a resting pointer must not replace the tip of the focused cell.
  const from = pointer && `${pointer.screenX} ${pointer.screenY}`;
  if (pointer && from === state.pointer_at) return;
  state.pointer_at = from ?? state.pointer_at;
  const lines = at.r >= 0 && at.c >= 0 ? cell_lines(state, at.n, at.r, at.c) : matrix_header_lines(state, at);
  const { tip } = state, box = target.getBoundingClientRect();
  const [x, y] = pointer ? [pointer.clientX + 14, pointer.clientY + 14] : [box.right + 6, box.bottom + 6];
  tip.replaceChildren(...lines.map((line) => make("div", { dir: "auto" }, line)));
  tip.hidden = false;
  tip.style.left = `${Math.max(Math.min(x, innerWidth - tip.offsetWidth - 8), 4)}px`;
  tip.style.top = `${y + tip.offsetHeight > innerHeight - 4 ? Math.max(y - tip.offsetHeight - 28, 4) : y}px`;
}
function matrix_header_lines(state, { n, r, c }) {
  const { data } = state, side = r < 0 ? 1 : 0, line = r < 0 ? state.columns[c] : state.rows[r];
  const totals = side ? data.models[n].pred_totals : data.models[n].gt_totals;
  const total = line.places.reduce((sum, place) => sum + totals[place], 0);
  const members = line.places.map((place) => (side ? data.column_names : data.row_names)[place]);
  return [`${data.sides[side]} ${line.name}`, `${thin_spaced(total)} ${data.unit}`, ...(line.closed ? [`opens: ${members.map((name) => short(name, 26)).join(", ")}`] : [])];
}
function hide_matrix_tip(state) {
  if (state.tip) state.tip.hidden = true;
}
