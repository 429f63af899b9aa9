"""What the browser draws itself: scripts and styles of the dashboard, the offline report and notebooks, and their data.

It does not need Streamlit or Plotly. The scripts have no import and no export, so they can be joined in any page.
"""

from __future__ import annotations

from importlib.resources import files

# The scripts of each component; all need "text", too.
PARTS = {
    "viewer": ("page_canvas", "words", "pointer", "viewer"),
    "matrix": ("matrix_values", "matrix", "matrix_keys"),
    "thumbnails": ("thumbnails",),
    "page_list": ("page_list",),
}


def script(*names: str) -> str:
    """The JavaScript of these parts, in this order."""
    return _joined(names, ".js")


def style(*names: str) -> str:
    """The CSS of these parts, in this order."""
    return _joined(names, ".css")


def _joined(names: tuple[str, ...], suffix: str) -> str:
    folder = files("layoutcm.drawing.web")
    return "\n".join((folder / f"{name}{suffix}").read_text("utf-8") for name in names)
