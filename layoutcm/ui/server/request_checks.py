"""Checks of every request before Streamlit sees it: names of the server, messages, sizes of uploads.

A malicious web page can make a browser connect to this machine under a foreign name (DNS rebinding). Such a
request has a foreign Host or Origin, and is refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

if TYPE_CHECKING:
    from layoutcm.ui.server.visitors import Uploads

THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
UPLOADS = "/_stcore/upload_file/"
SUCCESS = 204  # of Streamlit, for an upload that is stored or deleted
FORM = 1 << 20  # bytes that the form around a file may have; as in Streamlit
# A name or an address in brackets, then perhaps a port; nothing else, because others may read the rest differently.
_NAME_AND_PORT = re.compile(r"(?:\[([^\[\]@/?#\\\s]+)\]|([^\[\]:@/?#\\\s]+))(?::([0-9]{0,5}))?")
PROTOCOL_ERROR = 1002  # the code with which a websocket is closed after a wrong message
MOST_DIGITS = 15  # of a size; Python refuses to convert thousands of digits
# Short, because a notification of Streamlit shows three lines.
TOO_LARGE = "This file cannot be uploaded now: it is too large, alone or together with the files already here."


class OwnRequestsOnly:
    """ASGI middleware: a foreign Host gets status 400, a foreign Origin 403; a websocket is not opened.

    `names` are the names of this server. If it listens on all addresses, a Host that is an IP address is accepted,
    too: a foreign name cannot be one.
    """

    def __init__(self, app: ASGIApp, names: Collection[str], any_address: bool = False) -> None:
        self.app, self.any_address = app, any_address
        self.names = {name.lower().strip("[]") for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self.app(scope, receive, send)
        status, problem = self._refusal(Headers(scope=scope))
        if status:
            return await _refuse(status, problem, scope, receive, send)
        if scope["type"] == "websocket":
            # Streamlit would check an Origin behind a proxy again, and ask another server for this machine's address.
            scope = dict(scope) | {"headers": [pair for pair in scope["headers"] if pair[0].lower() != b"origin"]}
        return await self.app(scope, receive, send)

    def _refusal(self, headers: Headers) -> tuple[int, str]:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        name = _host_name(hosts[0]) if len(hosts) == 1 else ""
        if name not in self.names and not (self.any_address and _is_address(name)):
            return 400, "This server does not have this name. `layoutcm app --host NAME` adds a name."
        for origin in origins:
            netloc = origin.partition("://")[2].partition("/")[0]
            # A proxy may change the Host, but then the Origin has a name that was given at start.
            if netloc.lower() != hosts[0].lower() and _host_name(netloc) not in self.names - set(THIS_MACHINE):
                return 403, "This request comes from a page of another server."
        return 0, ""


def _host_name(netloc: str) -> str:
    """The name in a Host header or an Origin, without port and brackets; "" if it is not valid."""
    found = _NAME_AND_PORT.fullmatch(netloc)
    if found is None or int(found[3] or 0) >= 1 << 16:
        return ""
    return (found[1] or found[2]).lower().rstrip(".")


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(name))
    return False


async def _refuse(status: int, problem: str, scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse(problem, status)(scope, receive, send)  # of a websocket, too: it is then not opened


class ReadableMessagesOnly:
    """ASGI middleware: a websocket that sends anything but messages of Streamlit is closed.

    Streamlit would close it, too, but write a traceback to the log for every such message.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_readable() -> Message:
            message = await receive()
            if message["type"] != "websocket.receive" or _is_readable(message.get("bytes")):
                return message
            await send({"type": "websocket.close", "code": PROTOCOL_ERROR})
            return {"type": "websocket.disconnect", "code": PROTOCOL_ERROR}

        await self.app(scope, receive_readable if scope["type"] == "websocket" else receive, send)


def _is_readable(data: bytes | None) -> bool:
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from streamlit.proto.BackMsg_pb2 import BackMsg

    with suppress(DecodeError):
        return data is not None and BackMsg().ParseFromString(data) >= 0
    return False


class UploadsWithinLimits:
    """ASGI middleware: an upload that is too large for its visitor or the server gets status 413 before it is read.

    A request that Streamlit refuses, such as one without its token, changes nothing; only successes are counted.
    """

    def __init__(self, app: ASGIApp, uploads: Uploads) -> None:
        self.app, self.uploads = app, uploads
        self.arriving: Counter[str] = Counter()  # session -> bytes of unfinished uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or UPLOADS not in scope["path"] or scope["method"] not in ("PUT", "DELETE"):
            return await self.app(scope, receive, send)
        session, _, file = scope["path"].partition(UPLOADS)[2].partition("/")
        if scope["method"] == "DELETE":
            return await self.app(scope, receive, _on_success(send, partial(self.uploads.remove, session, file)))
        length = Headers(scope=scope).get("content-length", "")
        if not length.isdecimal() or len(length) > MOST_DIGITS:
            return await _refuse(411, "The size of an upload must be given.", scope, receive, send)
        size = int(length)
        if size > self.uploads.largest() + FORM or size > self.uploads.bytes_left(session, self.arriving):
            await _refuse(413, TOO_LARGE, scope, receive, send)
            return await self.uploads.explain_refusal(session, TOO_LARGE)
        self.arriving[session] += size
        try:
            await self.app(scope, receive, _on_success(send, partial(self.uploads.add, session, file, size)))
        finally:
            self.arriving -= Counter({session: size})  # drops a session without unfinished uploads


def _on_success(send: Send, act: Callable[[], None]) -> Send:
    """`send`, but `act` is called if the answer that is sent is Streamlit's success."""

    async def send_and_act(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == SUCCESS:
            act()
        await send(message)

    return send_and_act
