"""The style and the script that the HTML page has from the start; the script decides what Back goes back to.

They are in first_paint.css and first_paint.js. A style that Streamlit sends comes after the first paint, and moves what
is already on the screen.
"""

from __future__ import annotations

import re
from importlib.resources import files

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from layoutcm.drawing import method_drawings

ROW_HEIGHT, MOST_RESERVED_ROWS = 50, 12  # pixels of a row of a matrix at least; with more rows they are lower
DRAWINGS = (method_drawings.matrix_structure, method_drawings.collapse, method_drawings.bit_packing)
DRAWN_HEIGHTS = {draw.__name__: re.findall(r'height="([0-9]+)"', draw())[0] for draw in DRAWINGS}
_style, SCRIPT = ((files("layoutcm.ui.server") / f"first_paint.{kind}").read_text("utf-8") for kind in ("css", "js"))
# What the browser draws itself has its height only after its script is loaded; on a narrow screen drawings are smaller.
_heights = [f"[class*=st-key-rows_{n}_]{{min-height:{ROW_HEIGHT * n}px}}" for n in range(2, MOST_RESERVED_ROWS + 1)]
_heights += [
    f"@media(min-width:1400px){{.st-key-drawing_{name}{{min-height:{height}px}}}}"
    for name, height in DRAWN_HEIGHTS.items()
]
STYLE = f"<style>{_style}{''.join(_heights)}</style>"
IN_HEAD, END_OF_HEAD = f"{STYLE}<script>{SCRIPT}</script>".encode(), b"</head>"
# Without these, the answer is neither compressed nor "not modified".
_LEFT_OUT = (b"accept-encoding", b"if-none-match", b"if-modified-since")


class StyledFromTheStart:
    """ASGI middleware: adds the style and the script to the head of HTML pages."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or "text/html" not in Headers(scope=scope).get("accept", ""):
            return await self.app(scope, receive, send)
        asked = dict(scope) | {"headers": [pair for pair in scope["headers"] if pair[0].lower() not in _LEFT_OUT]}
        start: Message = {}
        body = b""

        async def send_styled(message: Message) -> None:
            nonlocal start, body
            is_start = message["type"] == "http.response.start" and message["status"] == 200
            if is_start and "text/html" in Headers(raw=message["headers"]).get("content-type", ""):
                start = message  # sent when the length of the body is known
            elif not start:
                await send(message)
            else:
                body += message.get("body", b"")
                if not message.get("more_body"):
                    await _send_whole(start, body.replace(END_OF_HEAD, IN_HEAD + END_OF_HEAD, 1), send)

        return await self.app(asked, receive, send_styled)


async def _send_whole(start: Message, body: bytes, send: Send) -> None:
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["content-length"] = str(len(body))
    del headers["etag"]
    await send({**start, "headers": headers.raw})
    await send({"type": "http.response.body", "body": body})
