"""Pictures of pages: from a folder, or from files (images, zips, PDFs), matched by stem and page number.

Every size is bounded before anything is decoded: a file must not be able to fill the machine's memory.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from PIL import Image, UnidentifiedImageError

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.model import IMAGE_SUFFIXES, stem

MAX_PIXELS = 120_000_000
MAX_MEMBER_BYTES = 100 << 20
MAX_MEMBERS = 20_000


class Given(NamedTuple):
    """A file that somebody handed over: its name, what stands for its content, and the content."""

    name: str
    digest: str
    data: bytes


@dataclass(frozen=True)
class Picture:
    """Where one page's picture is: a file, bytes, a member of a zip, or a page of a PDF."""

    digest: str
    path: str = ""
    data: bytes = field(default=b"", repr=False)
    member: str = ""
    pdf_page: int = -1


@dataclass(frozen=True)
class PageImages:
    """Many pictures: by stem of the page's name, and PDFs by stem of the document, page after page."""

    by_stem: dict[str, Picture]
    pdf_pages: dict[str, list[Picture]]

    def find(self, comparison: Comparison, page: int) -> Picture | None:
        pages = comparison.alignment.pages
        found = self.by_stem.get(stem(pages.names[page]))
        number = int(pages.numbers[page])
        if found is None and number > 0:
            of_document = self.pdf_pages.get(stem(pages.documents[page]), [])
            found = of_document[number - 1] if number <= len(of_document) else None
        return found


def from_path(path: str | Path) -> PageImages:
    """A folder of images; or one image, a zip of them, or a PDF."""
    place = Path(path)
    if place.is_dir():
        return from_folder(place)
    if not place.is_file():
        raise InputError(str(path), "", "there is no such folder of page images", "Check the name.")
    return from_files([Given(place.name, f"{place}|{place.stat().st_mtime_ns}", place.read_bytes())])


def from_folder(folder: Path) -> PageImages:
    by_stem: dict[str, Picture] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in IMAGE_SUFFIXES and path.is_file():
            by_stem.setdefault(stem(path.name), Picture(f"{path}|{path.stat().st_mtime_ns}", path=str(path)))
    return PageImages(by_stem, {})


def from_files(files: Iterable[Given]) -> PageImages:
    """Images, zips of images and PDFs; anything else is an InputError that names it."""
    by_stem: dict[str, Picture] = {}
    pdf_pages: dict[str, list[Picture]] = {}
    for given in files:
        suffix = PurePosixPath(given.name).suffix.lower()
        if suffix == ".pdf":
            pictures = [Picture(given.digest, data=given.data, pdf_page=i) for i in range(_pdf_length(given))]
            pdf_pages[stem(given.name)] = pictures
            by_stem |= {f"{stem(given.name)}_p{i + 1}": picture for i, picture in enumerate(pictures)}
        elif suffix == ".zip":
            by_stem |= _zip_members(given)
        elif suffix in IMAGE_SUFFIXES:
            by_stem[stem(given.name)] = Picture(given.digest, data=given.data)
        else:
            raise InputError(
                given.name, "", "this is no page image", "Give PNG, JPEG, TIFF, WebP, a zip of them, or PDF."
            )
    return PageImages(by_stem, pdf_pages)


def _pdf_length(given: Given) -> int:
    import pypdfium2 as pdfium

    try:
        with pdfium.PdfDocument(given.data) as document:
            return len(document)
    except pdfium.PdfiumError as error:
        raise InputError(given.name, "", f"this PDF cannot be opened: {error}", "Export it again, unlocked.") from None


def _zip_members(given: Given) -> dict[str, Picture]:
    try:
        with zipfile.ZipFile(io.BytesIO(given.data)) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
    except (zipfile.BadZipFile, OSError, ValueError) as error:
        raise InputError(given.name, "", f"this zip cannot be opened: {error}", "Pack it again.") from None
    if len(members) > MAX_MEMBERS:
        raise InputError(given.name, "", f"{len(members):,} files, at most {MAX_MEMBERS:,} are read", "Split it.")
    pictures = [info for info in members if PurePosixPath(info.filename).suffix.lower() in IMAGE_SUFFIXES]
    large = next((info for info in pictures if info.file_size > MAX_MEMBER_BYTES), None)
    if large:
        raise InputError(given.name, large.filename, f"unpacks to {large.file_size:,} bytes", "Shrink this image.")
    return {stem(info.filename): Picture(given.digest, data=given.data, member=info.filename) for info in pictures}


def shrunk(picture: Picture | None, side: int) -> Image.Image | None:
    """The picture no larger than `side`, or None when there is none or it is broken."""
    if picture is None:
        return None
    try:
        image = _opened(picture, side)
        image.thumbnail((side, side))
        return image.convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError, zipfile.BadZipFile):
        return None


def _opened(picture: Picture, side: int) -> Image.Image:
    if picture.pdf_page >= 0:
        import pypdfium2 as pdfium

        with pdfium.PdfDocument(picture.data) as document:
            page = document[picture.pdf_page]
            return page.render(scale=side / max(*page.get_size(), 1)).to_pil()
    if picture.member:
        with zipfile.ZipFile(io.BytesIO(picture.data)) as archive:
            source: io.BytesIO | str = io.BytesIO(archive.read(picture.member))
    else:
        source = picture.path or io.BytesIO(picture.data)
    image = Image.open(source)
    if image.width * image.height > MAX_PIXELS:
        raise ValueError("the image is too large to show")
    image.draft("RGB", (side, side))
    return image
