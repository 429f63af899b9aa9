"use strict";
// Back and Forward go from view to view. Streamlit makes a new entry of the history whenever the script changes the
// address. This script makes one only for another path, or if a parameter in `names` changes; else it replaces the
// present one. An address without parameters is what a switch of pages leaves before it is filled in. If the script
// changes parameters and page at once, Streamlit sends two changes; without an input between them they are one step.
(() => {
  const push = history.pushState.bind(history), names = [
    "pred", "gt_label", "pred_label", "class", "document", "page", "attribute", "versus",
  ];
  const view = (url) => names.map((name) => url.searchParams.get(name)).join("\n");
  let pushed = false;  // since the last input, for the same path
  const forget = () => { pushed = false; };
  for (const input of ["pointerdown", "keydown", "popstate"]) addEventListener(input, forget, true);
  history.pushState = (state, title, address) => {
    const now = new URL(location.href), next = new URL(address ?? now, now), stays = next.pathname === now.pathname;
    const is_step = stays ? now.search && view(next) !== view(now) : !pushed;
    pushed = stays && (pushed || Boolean(is_step));
    return is_step ? push(state, title, address) : history.replaceState(state, title, address);
  };
})();
