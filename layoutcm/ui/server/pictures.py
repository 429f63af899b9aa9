"""Pictures that the browser fetches by an address with an unguessable token, instead of inside the data of a page.

A picture belongs to one visitor. It is made when the browser asks for it, or before, in a thread, and only once while
it is held. Its address answers with status 404 once the visitor has left.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import RLock

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from layoutcm.ui.server import visitors
from layoutcm.ui.server.settings import MB

PATH = "/page-image"
MOST_TOKENS = 200  # of a visitor; older ones belong to pages that the visitor has left
MOST_BYTES = 256 * MB  # of made pictures, of all visitors together; others are made again
THREADS = 3
SECONDS_IN_CACHE = 3600
Make = Callable[[], bytes | None]


@dataclass
class HeldPicture:
    """One picture of a visitor; `made` is its content after the first request."""

    session: str
    key: str
    make: Make
    made: Future[bytes | None] | None = None

    @property
    def size(self) -> int:
        done = self.made is not None and self.made.done() and self.made.exception() is None
        return len(self.made.result() or b"") if self.made is not None and done else 0


@dataclass
class PictureStore:
    """The pictures of all visitors, by token; the least recently used come first."""

    is_served: bool = False  # whether a server answers for the addresses
    pictures: dict[str, HeldPicture] = field(default_factory=dict)
    tokens: dict[tuple[str, str], str] = field(default_factory=dict)  # (session, key) -> token
    lock: RLock = field(default_factory=RLock)
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(THREADS, "page-pictures"))

    def hold(self, session: str, key: str, make: Make) -> str:
        """The token of a picture; the same as before, if the visitor has it already."""
        with self.lock:
            token = self.tokens.get((session, key))
            if token is None:
                token = self.tokens[session, key] = secrets.token_urlsafe(24)
                self.pictures[token] = HeldPicture(session, key, make)
            self._drop_excess(session)
            return token

    def start(self, token: str) -> Future[bytes | None] | None:
        """Begin to make a picture, if that was not done before; None if there is no such token."""
        with self.lock:
            picture = self.pictures.pop(token, None)
            if picture is None:
                return None
            self.pictures[token] = picture  # now the most recently used
            if picture.made is None:
                picture.made = self.threads.submit(picture.make)
            return picture.made

    def session_of(self, token: str) -> str | None:
        with self.lock:
            picture = self.pictures.get(token)
            return picture.session if picture else None

    def drop_session(self, session: str) -> None:
        with self.lock:
            for token in [token for token, one in self.pictures.items() if one.session == session]:
                self._drop(token)

    def _drop(self, token: str) -> None:
        picture = self.pictures.pop(token)
        self.tokens.pop((picture.session, picture.key), None)

    def _drop_excess(self, session: str) -> None:
        own = [token for token, one in self.pictures.items() if one.session == session]
        for token in own[:-MOST_TOKENS]:
            self._drop(token)
        size = sum(one.size for one in self.pictures.values())
        for one in list(self.pictures.values()):
            if size <= MOST_BYTES:
                return
            size -= one.size
            if one.size:
                one.made = None


STORE = PictureStore()
visitors.call_when_forgotten(STORE.drop_session)


def picture_address(key: str, make: Make, soon: bool = False) -> str | None:
    """An address for the JPEG that `make` returns; without a server, a data URI.

    `soon` starts to make it now. None if there is no server and no picture.
    """
    if not STORE.is_served:
        made = make()
        return f"data:image/jpeg;base64,{base64.b64encode(made).decode()}" if made else None
    token = STORE.hold(visitors.session_id(), key, make)
    if soon:
        STORE.start(token)
    return f"{PATH}/{token}"


def forget_pictures() -> None:
    """Drop the pictures of this visitor, whose files are no longer used."""
    STORE.drop_session(visitors.session_id())


async def answer(request: Request) -> Response:
    """The picture of a token, as long as its visitor is here."""
    token = request.path_params["token"]
    session = STORE.session_of(token)
    if session is None or not visitors.is_here(session):
        return _not_found()
    made = STORE.start(token)
    try:
        data = await asyncio.wrap_future(made) if made is not None else None
    except Exception:  # of one picture; the page is shown without it
        logging.getLogger("layoutcm").exception("a page image could not be made")
        data = None
    if not data:
        return _not_found()
    headers = {"Cache-Control": f"private, max-age={SECONDS_IN_CACHE}", "X-Content-Type-Options": "nosniff"}
    return Response(data, media_type="image/jpeg", headers=headers)


def _not_found() -> Response:
    return Response(
        "There is no such picture.", 404, {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    )


def route() -> Route:
    """The route of the server; from now on, pictures have addresses."""
    STORE.is_served = True
    return Route(PATH + "/{token}", answer)
