"""Pictures of pages, from a folder or from files (images, zips, PDFs, Parquet), and which pages they show.

Pictures are matched by the same rules as pages: each has a name; pictures from a PDF or a multi-page TIFF also have a
document and a page number. The sizes of images are checked before they are decoded; what PDFium decodes inside a PDF is
not checked. The number of pictures is limited over all files together.
"""

from __future__ import annotations

import io
import mmap
import os
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import NamedTuple, cast
from weakref import WeakKeyDictionary

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from layoutcm.alignment.page_matching import match_pages
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.formats.archives import Archive, Budget, open_archive
from layoutcm.formats.content import FileContent
from layoutcm.formats.image_files import DECODING_ERRORS, CountedFile, from_page, open_image, opened, tiff_pages
from layoutcm.formats.parquet_images import image_bytes, images_in
from layoutcm.formats.source_files import files_below
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.layouts.model import Pages
from layoutcm.layouts.page_names import IMAGE_SUFFIXES, stem
from layoutcm.outputs.files import check_is_path

ORIENTATION = 0x0112  # the EXIF tag
QUARTER_TURNS = (5, 6, 7, 8)  # its values that exchange width and height


def in_8_bits(image: Image.Image) -> Image.Image:
    """The image; grey values of 16 or 32 bits, and fractions from 0 to 1, are scaled to 8 bits."""
    if not image.mode.startswith(("I", "F")):
        return image
    values = np.nan_to_num(np.asarray(image, np.float32))
    most = float(values.max(initial=0))
    full = 1.0 if image.mode == "F" and most <= 1 else 255.0 if most <= 255 and image.mode != "I;16" else 65535.0
    return Image.fromarray((np.clip(values / full, 0, 1) * 255).round().astype(np.uint8))


def turned_upright(image: Image.Image, page_size: tuple[float, float]) -> Image.Image:
    """The image, turned as its EXIF data say, but not by a quarter if the page has the shape of the stored pixels.

    Some tools annotate the turned image and some the stored pixels; only the size of the page tells which.
    """
    orientation = image.getexif().get(ORIENTATION)
    if orientation in QUARTER_TURNS and all(page_size):
        page, stored = page_size[0] / page_size[1], image.width / image.height
        if abs(np.log(page / stored)) < abs(np.log(page * stored)):
            return image
    return ImageOps.exif_transpose(image)


def in_rgb(image: Image.Image) -> Image.Image:
    """The image in RGB; transparent parts are white."""
    if image.has_transparency_data:
        white = Image.new("RGBA", image.size, "white")
        white.alpha_composite(image.convert("RGBA"))
        image = white
    return image.convert("RGB")


PDF, ZIP, PARQUET, TIFF = ".pdf", ".zip", ".parquet", (".tif", ".tiff")
UNREADABLE = (UnidentifiedImageError, *DECODING_ERRORS, Image.DecompressionBombError, MemoryError,
              NotImplementedError, RuntimeError, InputError)  # fmt: skip
PDF_WORK = 60_000_000  # objects times pixels of the longer side; a stroke takes 50 µs on 1,600 pixels
# PDFium is not thread-safe, and every session of the dashboard runs in its own thread.
_pdfium = Lock()


class ImageFile(NamedTuple):
    """A given file: its name, a digest that identifies its content, and the content."""

    name: str
    digest: str
    data: bytes


@dataclass(frozen=True)
class Picture:
    """Where the picture of one page is: a file, bytes or a member of a zip, and the index of the page in it.

    It holds nothing that is open, so it can be sent to another process.
    """

    file: str  # the name that users see
    digest: str
    path: str = ""
    data: bytes = field(default=b"", repr=False)  # of the file, or of the zip
    member: str = ""  # the name in a zip, or of the page of a row
    row: int = -1  # of a Parquet file
    place_in_row: int = -1  # if the row has a list of images
    other_names: tuple[str, ...] = ()  # which the page of a row may have
    place_in_zip: zipfile.ZipInfo | None = field(default=None, repr=False)
    page_index: int = 0
    page_count: int = 1
    page_size: tuple[float, float] = (0.0, 0.0)  # of the page that it was matched with

    @property
    def name(self) -> str:
        """The page name: the file name, with a number if the file has several pages."""
        if self.row >= 0:
            return self.member
        return self.file if self.page_count == 1 else f"{stem(self.file)}_p{self.page_index + 1}"

    def source(self, budget: Budget) -> str | bytes | io.RawIOBase:
        """The image file: a path, its bytes, or a stream that unpacks it from a zip."""
        if self.row >= 0:
            with mapped(self.path, self.data) as data:
                return image_bytes(FileContent(self.file, data), self.row, self.place_in_row)
        if self.place_in_zip is not None:
            return Archive(self.file, self.data).open(self.place_in_zip, budget)
        return self.path or self.data

    def file_bytes(self) -> bytes:
        """The whole image file or PDF that this picture is in."""
        source = self.document()
        return read_bytes(source) if isinstance(source, str) else source

    def document(self, budget: Budget | None = None) -> str | bytes:
        """The PDF: a path or its bytes; PDFium reads it from both ends."""
        source = self.source(budget or self.new_budget())
        if isinstance(source, str | bytes):
            return source
        return source.read()

    def new_budget(self) -> Budget:
        """How much may be unpacked to show this picture."""
        return Archive(self.file, self.data).new_budget() if self.place_in_zip else Budget(0)


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
            pages = comparison.alignment.pages
            self._by_page[comparison] = {
                page: replace(picture, page_size=(float(pages.widths[page]), float(pages.heights[page])))
                for page, picture in _match_pictures(self.pictures, comparison).items()
            }
        return self._by_page[comparison]

    def unmatched_files(self, comparison: Comparison) -> list[str]:
        """The files without a matched picture; a PDF may have more pages than were compared."""
        used = {picture.file for picture in self.by_page(comparison).values()}
        return [file for file in dict.fromkeys(picture.file for picture in self.pictures) if file not in used]


def _match_pictures(pictures: tuple[Picture, ...], comparison: Comparison) -> dict[int, Picture]:
    """{aligned page: its picture}: matched with the gt page names first, remaining pages with the pred names."""
    if not pictures:
        return {}
    matched: dict[int, Picture] = {}
    alignment = comparison.alignment
    names = {stem(name) for picture in pictures for name in (picture.file, picture.name, *picture.other_names)}
    all_sides = alignment.pages_of_sides(names)
    most_names = 1 + max((len(picture.other_names) for picture in pictures), default=0)
    for nth_name in range(most_names):
        for pages, positions in all_sides:
            if nth_name and len(matched) == len(alignment.pages):
                return matched
            used = {id(picture) for picture in matched.values()}
            unused = [one for one in pictures if id(one) not in used and len(one.other_names) >= nth_name]
            partner = match_pages(pages, _as_pages(unused, nth_name), {})[0].partner
            for i in np.flatnonzero(partner >= 0).tolist():
                matched.setdefault(int(positions[i]), unused[partner[i]])
    return matched


def _as_pages(pictures: list[Picture], nth_name: int) -> Pages:
    """The pictures as pages; only pictures from a PDF or a multi-page TIFF have a document and a number."""
    numbered = [picture.page_count > 1 or picture.file.lower().endswith(PDF) for picture in pictures]
    size = np.zeros(len(pictures))
    return Pages(
        tuple((picture.name, *picture.other_names)[nth_name] for picture in pictures),
        size,
        size,
        tuple(picture.file if has_number else "" for picture, has_number in zip(pictures, numbered)),
        np.array(
            [picture.page_index + 1 if has_number else -1 for picture, has_number in zip(pictures, numbered)], np.int32
        ),
    )


def images_from_path(path: str | os.PathLike[str]) -> PageImages:
    """Read a folder of images and PDFs, or one image, one PDF, a zip of them, or a Parquet file of Hugging Face."""
    check_is_path(path, "images")
    place = Path(path)
    if place.is_dir():
        return images_from_folder(place)
    if not place.is_file():
        raise InputError(str(path), "", "there is no such folder of page images", "Check the name.")
    if place.suffix.lower() == PARQUET:
        picture = Picture(place.name, f"{place}|{place.stat().st_mtime_ns}", path=str(place))
        found = _pages_of_file(picture, Budget(0), limits.MAX_PICTURES + 1)
        _check_number(place.name, len(found))
        return PageImages(tuple(found))
    return images_from_files([ImageFile(place.name, f"{place}|{place.stat().st_mtime_ns}", read_bytes(place))])


def images_from_folder(folder: Path) -> PageImages:
    """Images and PDFs below a folder; files that cannot be opened are skipped."""
    found: list[Picture] = []
    for path in sorted(files_below(folder)):
        if path.suffix.lower() in (*IMAGE_SUFFIXES, PDF, PARQUET):
            name = path.relative_to(folder).as_posix()
            with suppress(OSError):
                picture = Picture(name, f"{path}|{path.stat().st_mtime_ns}", path=str(path))
                found += _pages_or_none(picture, Budget(0), limits.MAX_PICTURES + 1 - len(found))
                _check_number(str(folder), len(found))
    return PageImages(tuple(found))


def images_from_files(files: Iterable[ImageFile], layout_files: Iterable[ImageFile] = ()) -> PageImages:
    """The pictures in images, zips of images and PDFs; any other file raises an InputError that names it.

    `layout_files` are files that were given as layouts; pictures among them are used, other files are ignored.
    """
    found: list[Picture] = []
    for given in files:
        _add_pictures(given, found)
    for given in layout_files:
        with suppress(InputError):
            _add_pictures(given, found)
    # Remove duplicates: a picture may have been given twice.
    return PageImages(
        tuple({(one.file, one.digest, one.member, one.row, one.page_index): one for one in found}.values())
    )


def _add_pictures(given: ImageFile, found: list[Picture]) -> None:
    """Add the pictures of one file to `found`; an InputError if there are then too many."""
    suffix = PurePosixPath(given.name).suffix.lower()
    if suffix not in (*IMAGE_SUFFIXES, PDF, ZIP, PARQUET):
        hint = "Give PNG, JPEG, TIFF, WebP, a zip of them, PDF or Parquet."
        raise InputError(given.name, "", "this is not a page image", hint)
    new: list[Picture] = []
    if suffix == ZIP:
        archive = open_archive(given.name, given.data)
        budget, files = archive.new_budget(), _files_of_zip(given, archive)
    else:
        budget, files = Budget(0), iter([Picture(given.name, given.digest, data=given.data)])
    for picture in files:
        new += _pages_of_file(picture, budget, limits.MAX_PICTURES + 1 - len(found) - len(new))
        _check_number(given.name, len(found) + len(new))
    found += new


def _pages_of_parquet(picture: Picture) -> list[Picture]:
    """A picture for each page of a Hugging Face data set or of docling-eval's data; no image is read yet."""
    with mapped(picture.path, picture.data) as data:
        stored = images_in(FileContent(picture.file, data))
    if not stored:
        hint = "Give a data set of Hugging Face with a column of images, or images."
        raise InputError(picture.file, "", "this Parquet file has no page images", hint)
    return [
        replace(picture, member=names[0], other_names=names[1:], row=row, place_in_row=position)
        for names, row, position in stored
    ]


@contextmanager
def mapped(path: str, data: bytes) -> Iterator[bytes]:
    """The bytes of a file, which the system reads only where they are used; without a path, the given bytes."""
    if not path:
        yield data
        return
    with open(path, "rb") as file:
        if not os.fstat(file.fileno()).st_size:
            yield b""
            return
        yield cast(bytes, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))  # closed when nothing uses it


def _files_of_zip(given: ImageFile, archive: Archive) -> Iterator[Picture]:
    for member in archive.members:
        name = member.filename
        if PurePosixPath(name).suffix.lower() in (*IMAGE_SUFFIXES, PDF):
            yield Picture(name, given.digest, data=given.data, member=name, place_in_zip=member)


def _check_number(name: str, pictures: int) -> None:
    if pictures > limits.MAX_PICTURES:
        problem = f"with it there are more than {limits.MAX_PICTURES:,} page images"
        raise InputError(name, "", problem, "Give only those of the pages that are compared.")


def _pages_or_none(picture: Picture, budget: Budget, most: int) -> list[Picture]:
    try:
        return _pages_of_file(picture, budget, most)
    except InputError:
        return []


def _pages_of_file(picture: Picture, budget: Budget, most: int) -> list[Picture]:
    """One picture for each page of a PDF or TIFF or row of a Parquet file, at most `most`; one for any other image."""
    suffix = PurePosixPath(picture.file).suffix.lower()
    if suffix == PARQUET:
        return _pages_of_parquet(picture)[:most]
    if suffix not in (PDF, *TIFF):
        return [picture]
    count = _pdf_length(picture, budget) if suffix == PDF else _tiff_length(picture, budget, most)
    return [replace(picture, page_index=i, page_count=count) for i in range(min(count, most))]


def _pdf_length(picture: Picture, budget: Budget) -> int:
    import pypdfium2 as pdfium

    try:
        with _pdfium, pdfium.PdfDocument(picture.document(budget)) as document:
            return len(document)
    except (pdfium.PdfiumError, *UNREADABLE) as error:
        problem = f"this PDF cannot be opened: {error}"
        raise InputError(picture.file, "", problem, "Export it again, unlocked.") from None


def _tiff_length(picture: Picture, budget: Budget, most: int) -> int:
    """The number of pages, at most `most`; 1 if the file cannot be read (its picture is then not shown)."""
    try:
        with opened(picture.source(budget)) as (file, size):
            counted = CountedFile(file, Budget(limits.HEADER_BYTES + size))
            return max(1, len(tiff_pages(counted, most)[0]))
    except UNREADABLE:
        return 1


def load_shrunk(picture: Picture | None, side: int) -> Image.Image | None:
    """The picture, at most `side` pixels wide and high; None if there is none or it cannot be read."""
    if picture is None:
        return None
    try:
        image = (_render_pdf_page if picture.file.lower().endswith(PDF) else _decode_image)(picture, side)
        image = in_8_bits(image)
        image.thumbnail((side, side))
        return in_rgb(turned_upright(image, picture.page_size))
    except UNREADABLE:
        return None


def _render_pdf_page(picture: Picture, side: int) -> Image.Image:
    import pypdfium2 as pdfium

    with _pdfium, pdfium.PdfDocument(picture.document()) as document:
        page = document[picture.page_index]
        objects = sum(1 for _ in islice(page.get_objects(), limits.MAX_PDF_OBJECTS + 1))
        if objects > limits.MAX_PDF_OBJECTS:
            raise ValueError(f"the page of the PDF has more than {limits.MAX_PDF_OBJECTS:,} objects to draw")
        side = min(side, PDF_WORK // max(objects, 1))
        return page.render(scale=side / max(*page.get_size(), 1)).to_pil()


def _decode_image(picture: Picture, side: int) -> Image.Image:
    with opened(picture.source(picture.new_budget())) as (file, size):
        # Some formats are read twice, and a stream from a zip has no size of its own.
        allowed = limits.HEADER_BYTES + 4 * (size or limits.MAX_PICTURE_BYTES)
        with open_image(from_page(file, Budget(allowed), picture.page_index)) as image:
            if image.width * image.height > limits.MAX_PIXELS:
                raise ValueError("the image is too large to show")
            image.draft("RGB", (side, side))
            image.load()
            return image
