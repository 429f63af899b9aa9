"""Checks of every request before Streamlit sees it: names of the server, paths, messages, uploads.

A malicious web page can make a browser connect to this machine under a foreign name (DNS rebinding). Such a
request has a foreign Host or Origin, and is refused.
"""

from __future__ import annotations

import asyncio
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
# Of Streamlit's own paths, only what the dashboard needs is open; not, for example, the metrics of the server.
CORE = "_stcore"
OPEN = ("/_stcore/health", "/_stcore/host-config", "/_stcore/stream")
SUCCESS = 204  # of Streamlit, for an upload that is stored or deleted
FORM = 1 << 20  # bytes that the form around a file may have; as in Streamlit
# A name or an address in brackets, then perhaps a port; nothing else, because others may read the rest differently.
_NAME_AND_PORT = re.compile(r"(?:\[([^\[\]@/?#\\\s]+)\]|([^\[\]:@/?#\\\s]+))(?::([0-9]{0,5}))?")
# Others clear what is kept for all visitors, tell about the server's folder, or write into it.
MESSAGES = ("rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "deferred_file", "dataframe_chunk")
OPERATION = "backend_operation_request"
PROTOCOL_ERROR = 1002  # the code with which a websocket is closed after a wrong message
MOST_DIGITS = 15  # of a size; Python refuses to convert thousands of digits
SECONDS_IDLE = 30.0  # between two pieces of an upload
# Short, because a notification of Streamlit shows three lines.
TOO_LARGE = "This file cannot be uploaded now: it is too large, alone or together with the files already here."
TOO_SLOW = "This upload was ended, because nothing more arrived. Try it again."


class OwnRequestsOnly:
    """ASGI middleware: a foreign Host gets status 400, a foreign Origin 403, a closed path 404; no websocket is opened.

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
        if not status and _is_closed(scope["path"]):
            status, problem = 404, "There is no such page."
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


def _is_closed(path: str) -> bool:
    return CORE in path.split("/") and path not in OPEN and not path.startswith(UPLOADS)


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

    Streamlit would close it, too, but write a traceback to the log for every such message. Messages that the dashboard
    does not need are ignored.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def receive_readable() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                kind = _kind(message.get("bytes"))
                if kind is None:
                    await send({"type": "websocket.close", "code": PROTOCOL_ERROR})
                    return {"type": "websocket.disconnect", "code": PROTOCOL_ERROR}
                if kind in MESSAGES:
                    return message

        await self.app(scope, receive_readable if scope["type"] == "websocket" else receive, send)


def _kind(data: bytes | None) -> str | None:
    """What a message asks for; for an operation its name, "" if nothing is asked for, None if it cannot be read."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
    from streamlit.proto.BackMsg_pb2 import BackMsg

    if data is None:
        return None
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return None
    kind = message.WhichOneof("type") or ""
    return (message.backend_operation_request.WhichOneof("payload") or "") if kind == OPERATION else kind


class _UploadEndedError(Exception):
    """Ends the reading of an upload; status 0 if the visitor ended it, who then gets no answer."""

    def __init__(self, status: int = 0, problem: str = "") -> None:
        self.status, self.problem = status, problem


class UploadsWithinLimits:
    """ASGI middleware: an upload that is too large for its visitor or the server gets 413, one that stands still 408.

    The visitor's own limit refuses it before it is read. Other visitors' uploads count only by the bytes that have
    arrived: a size that is claimed keeps nobody out. A request that Streamlit refuses, such as one without its token,
    changes nothing; only successes are counted.
    """

    def __init__(self, app: ASGIApp, uploads: Uploads) -> None:
        self.app, self.uploads = app, uploads
        self.arriving: Counter[str] = Counter()  # session -> bytes of unfinished uploads that have arrived

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
        try:
            if size > self.uploads.largest() + FORM or size > self.uploads.bytes_left(session, self.arriving):
                raise _UploadEndedError(413, TOO_LARGE)
            await self._read(scope, receive, _on_success(send, partial(self.uploads.add, session, file, size)), session)
        except _UploadEndedError as end:
            if end.status:
                await _refuse(end.status, end.problem, scope, receive, send)
                await self.uploads.explain_refusal(session, end.problem)

    async def _read(self, scope: Scope, receive: Receive, send: Send, session: str) -> None:
        """Let Streamlit read the upload; what arrives is counted until then."""
        arrived, is_complete = 0, False

        async def receive_within_limits() -> Message:
            nonlocal arrived, is_complete
            if is_complete:
                return await receive()
            try:
                async with asyncio.timeout(SECONDS_IDLE):
                    message = await receive()
            except TimeoutError:
                raise _UploadEndedError(408, TOO_SLOW) from None
            if message["type"] == "http.disconnect":
                raise _UploadEndedError
            is_complete = not message.get("more_body", False)
            piece = len(message.get("body", b""))
            arrived += piece
            self.arriving[session] += piece
            if self.uploads.bytes_left(session, self.arriving) < 0:
                raise _UploadEndedError(413, TOO_LARGE)
            return message

        try:
            await self.app(scope, receive_within_limits, send)
        finally:
            self.arriving -= Counter({session: arrived})  # drops a session without unfinished uploads


def _on_success(send: Send, act: Callable[[], None]) -> Send:
    """`send`, but `act` is called if the answer that is sent is Streamlit's success."""

    async def send_and_act(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == SUCCESS:
            act()
        await send(message)

    return send_and_act
