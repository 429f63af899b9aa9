// Mouse and fingers on a canvas: wheel and pinch zoom, a drag moves, a click chooses, a double click shows the whole page.
function viewer_pointer(viewer, canvas, k) {
  const { held } = viewer;
  const at = (event) => {
    const frame = canvas.getBoundingClientRect(), [cx, cy] = [event.clientX - frame.left, event.clientY - frame.top], { s, x, y } = viewer.view;
    return { cx, cy, x: (cx - x) / s, y: (cy - y) / s };
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (!viewer.view) return;
    const { cx, cy } = at(event);
    viewer.zoom_by(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), cx, cy);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button > 0) return; // the menu of the right button
    canvas.setPointerCapture(event.pointerId);
    if (!held.size) viewer.moved = 0;
    held.set(event.pointerId, event);
    viewer.tip.hidden = true;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!viewer.view) return;
    const before = held.get(event.pointerId), other = [...held.values()].find((one) => one.pointerId !== event.pointerId);
    if (!before) { const { x, y } = at(event); return viewer.point(x, y, k, event); }
    const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
    const far = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;
    if (other) { const { cx, cy } = at(other); viewer.zoom_by(far(event) / far(before), cx, cy); } else if (viewer.moved + Math.abs(dx) + Math.abs(dy) >= 4) viewer.move_by(dx, dy);
    viewer.moved += Math.abs(dx) + Math.abs(dy);
    held.set(event.pointerId, event);
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => {
    const was_held = held.delete(event.pointerId);
    if (name === "pointerup" && was_held && viewer.moved < 4 && viewer.view) { const { x, y } = at(event); viewer.pick(x, y, k); }
  });
  canvas.addEventListener("pointerleave", () => { if (!held.size) viewer.leave(); });
  canvas.addEventListener("dblclick", () => viewer.fit());
}
