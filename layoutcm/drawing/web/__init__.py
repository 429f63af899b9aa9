"""What the browser draws itself: scripts and styles of the dashboard, the offline report and notebooks, and their data.

It does not need Streamlit or Plotly. The scripts have no import and no export, so they can be joined in any page.
"""

from __future__ import annotations

import base64
import io
import json
from importlib.resources import files
from typing import Any

from PIL import Image

from layoutcm.results.encoding import json_ready

IMAGE_SIDE, IMAGE_BYTES = 900, 90_000  # of a picture inside an HTML file
# The scripts of each component; all need "text", too.
PARTS = {
    "viewer": ("page_canvas", "words", "pointer", "viewer"),
    "matrix": ("matrix_values", "matrix", "matrix_input"),
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


def json_for_script(value: Any) -> str:
    """JSON that is safe inside a script element: it cannot end the element or start another one."""
    text = json.dumps(json_ready(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode("utf-8")


def image_uri(image: Image.Image | None, most_bytes: int = IMAGE_BYTES) -> str | None:
    """The picture as a data URI of limited size."""
    while image is not None:
        out = io.BytesIO()
        image.save(out, "WEBP", quality=60, method=2)
        if out.tell() <= most_bytes or max(image.size) < 64:
            return "data:image/webp;base64," + base64.b64encode(out.getvalue()).decode()
        scale = 0.9 * (most_bytes / out.tell()) ** 0.5
        image = image.resize((max(int(image.width * scale), 1), max(int(image.height * scale), 1)))
    return None
