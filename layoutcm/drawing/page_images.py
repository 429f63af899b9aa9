"""Pictures of pages, from a folder or from files (images, zips, PDFs), and which pages of a comparison they show.

Pictures are matched by the same rules as pages: each has a name; pictures from a PDF or a multi-page TIFF also have a
document and a page number. Sizes are checked before decoding, so that no file can exhaust the memory.
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
from layoutcm.layouts.model import GT, PRED, Pages
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, stem

MAX_PIXELS = 120_000_000
MAX_MEMBER_BYTES = 100 << 20
MAX_MEMBERS = 20_000
PDF, ZIP, TIFF = ".pdf", ".zip", (".tif", ".tiff")
UNREADABLE = (UnidentifiedImageError, OSError, ValueError, EOFError, SyntaxError, Image.DecompressionBombError,
              zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError)  # fmt: skip
# PDFium is not thread-safe, and every session of the dashboard runs in its own thread.
_pdfium = Lock()


class ImageFile(NamedTuple):
    """A given file: its name, a digest that identifies its content, and the content."""

    name: str
    digest: str
    data: bytes


@dataclass(frozen=True)
class Picture:
    """Where the picture of one page is: a file, bytes or a member of a zip, and the index of the page in it."""

    file: str  # the name that users see
    digest: str
    path: str = ""
    data: bytes = field(default=b"", repr=False)
    member: str = ""
    page_index: int = 0
    page_count: int = 1

    @property
    def name(self) -> str:
        """The page name: the file name, with a number if the file has several pages."""
        return self.file if self.page_count == 1 else f"{stem(self.file)}_p{self.page_index + 1}"

    @property
    def file_bytes(self) -> bytes:
        """The bytes of the image file; empty if it is a file on disk (`path`)."""
        if not self.member:
            return self.data
        with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
            return archive.read(self.member)


@dataclass(frozen=True, eq=False)
class PageImages:
    """Many pictures, and which pages of a comparison they show."""

    pictures: tuple[Picture, ...]
    _by_page: WeakKeyDictionary[Comparison, dict[int, Picture]] = field(default_factory=WeakKeyDictionary, repr=False)

    def find(self, comparison: Comparison, page: int) -> Picture | None:
        return self.by_page(comparison).get(page)

    def by_page(self, comparison: Comparison) -> dict[int, Picture]:
        """{aligned page: its picture}, computed once per comparison."""
        if comparison not in self._by_page:
            self._by_page[comparison] = _match_pictures(self.pictures, comparison)
        return self._by_page[comparison]

    def unmatched_files(self, comparison: Comparison) -> list[str]:
        """Files without any matched picture; a PDF may have more pages than were compared."""
        used = {picture.file for picture in self.by_page(comparison).values()}
        return [file for file in dict.fromkeys(picture.file for picture in self.pictures) if file not in used]


def _match_pictures(pictures: tuple[Picture, ...], comparison: Comparison) -> dict[int, Picture]:
    """{aligned page: its picture}: matched with the gt page names first, remaining pages with the pred names."""
    alignment = comparison.alignment
    sides = [layout.page_columns for layout in alignment.layouts]
    matched: dict[int, Picture] = {}
    all_pages = join_pages(sides[GT], sides[PRED], alignment.sources), np.arange(len(alignment.pages))
    in_pred = np.flatnonzero(alignment.sources[PRED] >= 0)
    for pages, positions in (all_pages, (_select_pages(sides[PRED], alignment.sources[PRED][in_pred]), in_pred)):
        used = {id(picture) for picture in matched.values()}
        unused = [picture for picture in pictures if id(picture) not in used]
        partner = match_pages(pages, _as_pages(unused), {})[0].partner
        for i in np.flatnonzero(partner >= 0).tolist():
            matched.setdefault(int(positions[i]), unused[partner[i]])
    return matched


def _select_pages(pages: Pages, at: np.ndarray) -> Pages:
    names, documents = (tuple(column[i] for i in at.tolist()) for column in (pages.names, pages.documents))
    return Pages(names, pages.widths[at], pages.heights[at], documents, pages.numbers[at])


def _as_pages(pictures: list[Picture]) -> Pages:
    """The pictures as pages; only pictures from a PDF or a multi-page TIFF have a document and a number."""
    numbered = [picture.page_count > 1 or picture.file.lower().endswith(PDF) for picture in pictures]
    size = np.zeros(len(pictures))
    return Pages(
        tuple(picture.name for picture in pictures),
        size,
        size,
        tuple(picture.file if has_number else "" for picture, has_number in zip(pictures, numbered)),
        np.array(
            [picture.page_index + 1 if has_number else -1 for picture, has_number in zip(pictures, numbered)], np.int32
        ),
    )


def images_from_path(path: str | Path) -> PageImages:
    """Read a folder of images and PDFs, or one image, one PDF, or a zip of them."""
    place = Path(path)
    if place.is_dir():
        return images_from_folder(place)
    if not place.is_file():
        raise InputError(str(path), "", "there is no such folder of page images", "Check the name.")
    return images_from_files([ImageFile(place.name, f"{place}|{place.stat().st_mtime_ns}", place.read_bytes())])


def images_from_folder(folder: Path) -> PageImages:
    """Images and PDFs below a folder; files that cannot be opened are skipped."""
    found: list[Picture] = []
    for path in sorted(files_below(folder)):
        if path.suffix.lower() in (*IMAGE_SUFFIXES, PDF):
            name = path.relative_to(folder).as_posix()
            with suppress(InputError, OSError):
                found += _pages_of_file(Picture(name, f"{path}|{path.stat().st_mtime_ns}", path=str(path)))
    return PageImages(tuple(found))


def images_from_files(files: Iterable[ImageFile], layout_files: Iterable[ImageFile] = ()) -> PageImages:
    """The pictures in images, zips of images and PDFs; any other file raises an InputError that names it.

    `layout_files` are files that were given as layouts; pictures among them are used, other files are ignored.
    """
    found = [picture for given in files for picture in _pictures(given)]
    for given in layout_files:
        with suppress(InputError):
            found += _pictures(given)
    # Remove duplicates: a picture may have been given twice.
    return PageImages(tuple({(one.file, one.digest, one.member, one.page_index): one for one in found}.values()))


def _pictures(given: ImageFile) -> list[Picture]:
    suffix = PurePosixPath(given.name).suffix.lower()
    if suffix == ZIP:
        return [page_index for member in _zip_members(given) for page_index in _pages_of_file(member)]
    if suffix in (*IMAGE_SUFFIXES, PDF):
        return list(_pages_of_file(Picture(given.name, given.digest, data=given.data)))
    raise InputError(given.name, "", "this is no page image", "Give PNG, JPEG, TIFF, WebP, a zip of them, or PDF.")


def _pages_of_file(picture: Picture) -> Iterator[Picture]:
    """One picture for each page of a PDF or TIFF, at most MAX_MEMBERS; one for any other image."""
    suffix = PurePosixPath(picture.file).suffix.lower()
    count = _pdf_length(picture) if suffix == PDF else _tiff_length(picture) if suffix in TIFF else 1
    return (replace(picture, page_index=i, page_count=count) for i in range(min(count, MAX_MEMBERS)))


def _pdf_length(picture: Picture) -> int:
    import pypdfium2 as pdfium

    try:
        with _pdfium, pdfium.PdfDocument(picture.path or picture.file_bytes) as document:
            return len(document)
    except (pdfium.PdfiumError, *UNREADABLE) as error:
        problem = f"this PDF cannot be opened: {error}"
        raise InputError(picture.file, "", problem, "Export it again, unlocked.") from None


def _tiff_length(picture: Picture) -> int:
    """The number of pages; 1 if the file cannot be read (its picture is then not shown)."""
    try:
        with Image.open(picture.path or io.BytesIO(picture.file_bytes)) as image:
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


def load_shrunk(picture: Picture | None, side: int) -> Image.Image | None:
    """The picture, at most `side` pixels wide and high; None if there is none or it cannot be read."""
    if picture is None:
        return None
    try:
        image = (_render_pdf_page if picture.file.lower().endswith(PDF) else _open_image)(picture, side)
        image.thumbnail((side, side))
        return image.convert("RGB")
    except UNREADABLE:
        return None


def _render_pdf_page(picture: Picture, side: int) -> Image.Image:
    import pypdfium2 as pdfium

    with _pdfium, pdfium.PdfDocument(picture.path or picture.file_bytes) as document:
        page = document[picture.page_index]
        return page.render(scale=side / max(*page.get_size(), 1)).to_pil()


def _open_image(picture: Picture, side: int) -> Image.Image:
    with (
        warnings.catch_warnings(
            action="ignore", category=Image.DecompressionBombWarning
        ),  # MAX_PIXELS is the limit here
        Image.open(picture.path or io.BytesIO(picture.file_bytes)) as image,
    ):
        if picture.page_index:
            image.seek(picture.page_index)
        if image.width * image.height > MAX_PIXELS:
            raise ValueError("the image is too large to show")
        image.draft("RGB", (side, side))
        image.load()
        return image
