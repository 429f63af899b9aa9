"""Components of the dashboard that are drawn by own scripts: the matrix.

Each is one ES module of the scripts that the offline report has, too. A click comes back as the trigger `picked`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from layoutcm.drawing import web

# The line break says that these are contents, not names of files.
_MATRIX = st.components.v2.component(
    "layoutcm_matrix",
    html='<div class="lcm-matrix"></div>\n',
    css=web.style("matrix"),
    js='"use strict";\n'
    + web.script("text", *web.MATRIX)
    + """
export default ({ parentElement, data, setTriggerValue }) => {
  const root = parentElement.querySelector(".lcm-matrix");
  show_matrix(root, data, setTriggerValue);
  return () => stop_matrix(root);
};
""",
)


def show_matrix(data: dict[str, Any], key: str, choose: Callable[[dict[str, Any]], None] | None = None) -> None:
    """Draw the matrix of `matrix_data`; `choose` gets what was clicked, before the page runs again."""

    def on_picked() -> None:
        picked = st.session_state[key].picked
        if choose and picked:
            choose(dict(picked))

    _MATRIX(key=key, data=data, on_picked_change=on_picked)
