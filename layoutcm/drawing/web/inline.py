"""What makes data a part of an HTML file: JSON inside a script element, pictures as data URIs."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

from PIL import Image

from layoutcm.results.encoding import json_ready

IMAGE_SIDE, IMAGE_BYTES = 900, 90_000


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
