"""Pictures of pages: from a folder, or from files (images, zips, PDFs), matched as pages are.

A picture is a page of its own: it has a name, and in a PDF or a TIFF of several a document and a number. Every size is
bounded before anything is decoded: a file must not be able to fill the machine's memory.
"""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image, UnidentifiedImageError

from layoutcm.alignment.align import join_pages
from layoutcm.alignment.page_matching import match_pages
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.formats.source_files import check_zip_members, files_below
from layoutcm.layouts.model import GT, IMAGE_SUFFIXES, PRED, Pages, stem

MAX_PIXELS = 120_000_000
MAX_MEMBER_BYTES = 100 << 20
MAX_MEMBERS = 20_000
PDF, ZIP, TIFF = ".pdf", ".zip", (".tif", ".tiff")
UNREADABLE = (UnidentifiedImageError, OSError, ValueError, EOFError, SyntaxError, Image.DecompressionBombError,
              zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)  # fmt: skip
# PDFium must not be used by two threads at once, and every visitor of the dashboard has one.
_pdfium = Lock()


class ImageFile(NamedTuple):
    """A file that somebody handed over: its name, what stands for its content, and the content."""

    name: str
    digest: str
    data: bytes


@dataclass(frozen=True)
class Picture:
    """Where one page's picture is: a file, bytes or a member of a zip, and which of its pages."""

    file: str  # as a person knows it
    digest: str
    path: str = ""
    data: bytes = field(default=b"", repr=False)
    member: str = ""
    frame: int = 0
    frames: int = 1

    @property
    def name(self) -> str:
        """The page's name: the file's, with a number where the file has several."""
        return self.file if self.frames == 1 else f"{stem(self.file)}_p{self.frame + 1}"

    @property
    def content(self) -> bytes:
        """Of the picture's file where that is no file on disk."""
        if not self.member:
            return self.data
        with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
            return archive.read(self.member)


@dataclass(frozen=True, eq=False)
class PageImages:
    """Many pictures, and which pages of a comparison they show."""

    pictures: tuple[Picture, ...]
    _placed: WeakKeyDictionary[Comparison, dict[int, Picture]] = field(default_factory=WeakKeyDictionary, repr=False)

    def find(self, comparison: Comparison, page: int) -> Picture | None:
        return self.placed(comparison).get(page)

    def placed(self, comparison: Comparison) -> dict[int, Picture]:
        """{aligned page: its picture}, found once for a comparison."""
        if comparison not in self._placed:
            self._placed[comparison] = _match_pictures(self.pictures, comparison)
        return self._placed[comparison]

    def of_no_page(self, comparison: Comparison) -> list[str]:
        """Files of which not one picture belongs to a page: a PDF may well have more pages than were compared."""
        used = {picture.file for picture in self.placed(comparison).values()}
        return [file for file in dict.fromkeys(picture.file for picture in self.pictures) if file not in used]


def _match_pictures(pictures: tuple[Picture, ...], comparison: Comparison) -> dict[int, Picture]:
    """By the rules that match pages: first with gt's names for them, then, for pages still without, with pred's."""
    alignment = comparison.alignment
    sides = [layout.page_columns for layout in alignment.layouts]
    placed: dict[int, Picture] = {}
    own = join_pages(sides[GT], sides[PRED], alignment.sources), np.arange(len(alignment.pages))
    has = np.flatnonzero(alignment.sources[PRED] >= 0)
    for pages, positions in (own, (_select_pages(sides[PRED], alignment.sources[PRED][has]), has)):
        taken = {id(picture) for picture in placed.values()}
        left = [picture for picture in pictures if id(picture) not in taken]
        partner = match_pages(pages, _as_pages(left), {})[0].partner
        for i in np.flatnonzero(partner >= 0).tolist():
            placed.setdefault(int(positions[i]), left[partner[i]])
    return placed


def _select_pages(pages: Pages, at: np.ndarray) -> Pages:
    names, documents = (tuple(column[i] for i in at.tolist()) for column in (pages.names, pages.documents))
    return Pages(names, pages.widths[at], pages.heights[at], documents, pages.numbers[at])


def _as_pages(pictures: list[Picture]) -> Pages:
    several = [picture.frames > 1 or picture.file.lower().endswith(PDF) for picture in pictures]
    size = np.zeros(len(pictures))
    return Pages(
        tuple(picture.name for picture in pictures),
        size,
        size,
        tuple(picture.file if many else "" for picture, many in zip(pictures, several)),
        np.array([picture.frame + 1 if many else -1 for picture, many in zip(pictures, several)], np.int32),
    )


def images_from_path(path: str | Path) -> PageImages:
    """A folder of images and PDFs; or one image, a zip of them, or a PDF."""
    place = Path(path)
    if place.is_dir():
        return images_from_folder(place)
    if not place.is_file():
        raise InputError(str(path), "", "there is no such folder of page images", "Check the name.")
    return images_from_files([ImageFile(place.name, f"{place}|{place.stat().st_mtime_ns}", place.read_bytes())])


def images_from_folder(folder: Path) -> PageImages:
    """Images and PDFs below a folder; one that cannot be opened is passed over."""
    found: list[Picture] = []
    for path in sorted(files_below(folder)):
        if path.suffix.lower() in (*IMAGE_SUFFIXES, PDF):
            name = path.relative_to(folder).as_posix()
            with suppress(InputError, OSError):
                found += _frames(Picture(name, f"{path}|{path.stat().st_mtime_ns}", path=str(path)))
    return PageImages(tuple(found))


def images_from_files(files: Iterable[ImageFile], beside: Iterable[ImageFile] = ()) -> PageImages:
    """Images, zips of images and PDFs; anything else is an InputError that names it.

    `beside` are files given for their regions, among which there may be pictures, too.
    """
    found = [picture for given in files for picture in _pictures(given)]
    for given in beside:
        with suppress(InputError):
            found += _pictures(given)
    # The same picture may have been given twice.
    return PageImages(tuple({(one.file, one.digest, one.member, one.frame): one for one in found}.values()))


def _pictures(given: ImageFile) -> list[Picture]:
    suffix = PurePosixPath(given.name).suffix.lower()
    if suffix == ZIP:
        return [frame for member in _zip_members(given) for frame in _frames(member)]
    if suffix in (*IMAGE_SUFFIXES, PDF):
        return list(_frames(Picture(given.name, given.digest, data=given.data)))
    raise InputError(given.name, "", "this is no page image", "Give PNG, JPEG, TIFF, WebP, a zip of them, or PDF.")


def _frames(picture: Picture) -> Iterator[Picture]:
    """One picture for each page of a PDF or a TIFF, at most MAX_MEMBERS."""
    suffix = PurePosixPath(picture.file).suffix.lower()
    count = _pdf_length(picture) if suffix == PDF else _tiff_length(picture) if suffix in TIFF else 1
    return (replace(picture, frame=i, frames=count) for i in range(min(count, MAX_MEMBERS)))


def _pdf_length(picture: Picture) -> int:
    import pypdfium2 as pdfium

    try:
        with _pdfium, pdfium.PdfDocument(picture.path or picture.content) as document:
            return len(document)
    except (pdfium.PdfiumError, *UNREADABLE) as error:
        problem = f"this PDF cannot be opened: {error}"
        raise InputError(picture.file, "", problem, "Export it again, unlocked.") from None


def _tiff_length(picture: Picture) -> int:
    """How many pages; a file that cannot be read has one, which is then not shown."""
    try:
        with Image.open(picture.path or io.BytesIO(picture.content)) as image:
            return min(getattr(image, "n_frames", 1), MAX_MEMBERS)
    except UNREADABLE:
        return 1


def _zip_members(given: ImageFile) -> list[Picture]:
    try:
        with zipfile.ZipFile(io.BytesIO(given.data)) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise InputError(given.name, "", f"this zip cannot be opened: {error}", "Pack it again.") from None
    check_zip_members(given.name, members)
    if len(members) > MAX_MEMBERS:
        raise InputError(given.name, "", f"{len(members):,} files, at most {MAX_MEMBERS:,} are read", "Split it.")
    wanted = (*IMAGE_SUFFIXES, PDF)
    pictures = [info for info in members if PurePosixPath(info.filename).suffix.lower() in wanted]
    large = next((info for info in pictures if info.file_size > MAX_MEMBER_BYTES), None)
    if large:
        raise InputError(given.name, large.filename, f"unpacks to {large.file_size:,} bytes", "Shrink this image.")
    return [Picture(info.filename, given.digest, data=given.data, member=info.filename) for info in pictures]


def shrunk_image(picture: Picture | None, side: int) -> Image.Image | None:
    """The picture no larger than `side`, or None when there is none or it is broken."""
    if picture is None:
        return None
    try:
        image = _rendered(picture, side) if picture.file.lower().endswith(PDF) else _opened(picture, side)
        image.thumbnail((side, side))
        return image.convert("RGB")
    except UNREADABLE:
        return None


def _rendered(picture: Picture, side: int) -> Image.Image:
    import pypdfium2 as pdfium

    with _pdfium, pdfium.PdfDocument(picture.path or picture.content) as document:
        page = document[picture.frame]
        return page.render(scale=side / max(*page.get_size(), 1)).to_pil()


def _opened(picture: Picture, side: int) -> Image.Image:
    with (
        warnings.catch_warnings(action="ignore", category=Image.DecompressionBombWarning),  # the limit here is another
        Image.open(picture.path or io.BytesIO(picture.content)) as image,
    ):
        if picture.frame:
            image.seek(picture.frame)
        if image.width * image.height > MAX_PIXELS:
            raise ValueError("the image is too large to show")
        image.draft("RGB", (side, side))
        image.load()
        return image
