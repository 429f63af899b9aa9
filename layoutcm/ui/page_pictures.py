"""Pictures that the browser fetches by an address with an unguessable token, instead of inside the data of a page.

A picture belongs to one visitor. It is made when the browser asks for it, or before, in a thread, and only once while
it is held. Its address answers with status 404 once the visitor has left.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import secrets
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from layoutcm.drawing.page_images import PageImages, Picture
from layoutcm.errors import InputError
from layoutcm.ui import visitors
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.settings import MB
from layoutcm.ui.visitor_files import (
    InputFile,
    input_from_path,
    pictures_of_files,
    pictures_of_folder,
    shrunk_image,
    shrunk_jpeg,
)

if TYPE_CHECKING:
    from PIL import Image

PATH = "/page-image"
MOST_TOKENS = 200  # of a visitor; older ones belong to pages that the visitor has left
MOST_BYTES = 256 * MB  # of made pictures, of all visitors together; others are made again
THREADS = 3
SECONDS_IN_CACHE = 3600
Make = Callable[[], bytes | None]
# The longer side of a picture in the browser, in pixels: first a small one, then one that is sharp when zoomed in.
# Pages of a PDF have any size.
SMALL, LEAST_LARGE, MOST_LARGE = 900, 2400, 6600


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


def images_of_folder(folder: str) -> PageImages:
    if not folder:
        return PageImages(())
    given = input_from_path(Path(folder))
    return PageImages(run_guarded(pictures_of_folder, folder, file=given.name, size=given.size))


def images_of_uploads(files: Iterable[InputFile], layout_files: Iterable[InputFile] = ()) -> PageImages:
    """Images of `files`: images, zips or PDFs, else an InputError; and those that `layout_files` contain, if any."""
    given, others = list(files), list(layout_files)
    both = [*given, *others]
    if not both:
        return PageImages(())
    size = sum(one.size for one in both)
    pictures = run_guarded(pictures_of_files, given, others, file=both[0].name, size=size)
    data = {one.digest: one.data for one in both}
    return PageImages(tuple(replace(picture, data=data[picture.digest]) for picture in pictures))


def shrunk_picture(picture: Picture | None, side: int) -> Image.Image | None:
    """The picture, at most `side` pixels long and wide; None if there is no picture or it is broken."""
    return _run_on_picture(shrunk_image, picture, side) if picture else None


def _run_on_picture(work: Callable[[Picture, int, bytes], Any], picture: Picture, side: int) -> Any:
    held, without_data = (picture.digest, picture.data), replace(picture, data=b"")
    try:
        return run_guarded(work, without_data, side, file=picture.file, size=len(picture.data), held=held)
    except InputError:  # it takes too long: not shown, as a broken one
        return None


def page_image_addresses(picture: Picture | None, longer_side: float) -> dict[str, str | None] | None:
    """Addresses of a small and of a large picture of a page whose longer side has so many pixels; None without one."""
    if picture is None:
        return None
    large = round(min(max(2 * longer_side, LEAST_LARGE), MOST_LARGE))
    return {name: _address(picture, side) for name, side in (("small", SMALL), ("full", large))}


def _address(picture: Picture, side: int) -> str | None:
    key = f"{picture.digest} {picture.member} {picture.row} {picture.place_in_row} {picture.page_index} {side}"
    return picture_address(key, lambda: _run_on_picture(shrunk_jpeg, picture, side), soon=True)
