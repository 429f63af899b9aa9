"""What every answer of the server has, and what none has: headers that limit pages, and no path of the server."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from layoutcm.errors import InputError
from layoutcm.ui.server.first_paint import SCRIPT

_ORIGIN = re.compile(r"https?://[a-z0-9-]+(\.[a-z0-9-]+)*(:[0-9]{1,5})?", re.IGNORECASE)
_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def content_policy(embedding: Collection[str] = ()) -> str:
    """The Content-Security-Policy of all answers; pages of `embedding` may show the dashboard in a frame."""
    for origin in embedding:
        if not _ORIGIN.fullmatch(origin):
            raise InputError("", "--embed-in", f"{origin!r} is not an origin", "Write https://NAME, without a path.")
    parts = {
        "default-src": "'self'",
        # Inline scripts are known by their hash; the script of a component is a module with a blob: address.
        # Streamlit multiplies large whole numbers in WebAssembly.
        "script-src": f"'self' blob: 'wasm-unsafe-eval' {' '.join(_script_hashes())}",
        "style-src": "'self' 'unsafe-inline'",  # charts, tables and widgets write styles into the page
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "worker-src": "'self' blob:",
        "object-src": "'none'",
        "base-uri": "'self'",
        "form-action": "'self'",
        "frame-ancestors": " ".join(("'self'", *embedding)),
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


@cache
def _script_hashes() -> tuple[str, ...]:
    """The inline scripts of the HTML page: those of Streamlit, and the one that `first_paint` adds."""
    page = (files("streamlit") / "static" / "index.html").read_text("utf-8")
    scripts = (*_INLINE_SCRIPT.findall(page), SCRIPT)
    return tuple(f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" for script in scripts)


class LimitedPages:
    """ASGI middleware: adds headers that limit what a browser does with an answer.

    They say which scripts run, which pages may show the answer in a frame, that its type is not guessed, and that other
    servers do not learn its address.
    """

    def __init__(self, app: ASGIApp, policy: str) -> None:
        self.app = app
        self.headers = {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "same-origin",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_limited(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(raw=list(message.get("headers", ())))
                headers.update(self.headers)
                message = {**message, "headers": headers.raw}
            await send(message)

        await self.app(scope, receive, send_limited)


class NoServerPaths:
    """ASGI middleware: visitors receive the name of the script that Streamlit runs, not its path."""

    def __init__(self, app: ASGIApp, script: Path) -> None:
        self.app, self.script = app, script
        self.path = str(script).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_without_path(message: Message) -> None:
            # Only a message that has the path is decoded: others may be large.
            if message["type"] == "websocket.send" and self.path in (message.get("bytes") or b""):
                message = {**message, "bytes": self._without_path(message["bytes"])}
            await send(message)

        await self.app(scope, receive, send_without_path)

    def _without_path(self, data: bytes) -> bytes:
        from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

        message = ForwardMsg.FromString(data)
        if message.WhichOneof("type") == "new_session":
            message.new_session.main_script_path = self.script.name
        return message.SerializeToString()
