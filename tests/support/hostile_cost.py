"""Small files without overlapping boxes whose report is expensive: long labels, many labels, many pages."""

import zipfile
from pathlib import Path

from support.hostile_files import HEAD, write_rows


def _box(i: int, pitch: int = 20) -> str:
    """The i-th of 2,500 small boxes beside each other on a page of 1000 x 1000."""
    x, y = i % 50 * pitch, i // 50 * pitch
    return f"{x},{y},{x + pitch - 2},{y + pitch - 2}"


def make_long_separate_labels(folder: Path) -> Path:
    return write_rows(folder, "long.csv", (f"p,1000,1000,{i} {'long label ' * 90},{_box(i)}" for i in range(200)))


def make_long_labels_of_many_characters(folder: Path) -> Path:
    """Thousands of different characters that the main font of the figures does not have."""
    names = ["".join(chr(0x4E00 + (i * 7 + k) % 9000) for k in range(300)) for i in range(200)]
    return write_rows(folder, "characters.csv", (f"p,1000,1000,{i} {names[i]},{_box(i)}" for i in range(200)))


def make_labels_on_many_pages(folder: Path) -> Path:
    rows = (f"p{i * 7 % 200},1000,1000,label {i % 1000},{_box(i % 2000)}" for i in range(5000))
    return write_rows(folder, "labels-and-pages.csv", rows)


def make_two_thousand_labels(folder: Path) -> Path:
    return write_rows(folder, "2000-labels.csv", (f"p,1000,1000,label {i},{_box(i)}" for i in range(1998)))


def make_many_pages(folder: Path) -> Path:
    return write_rows(folder, "pages.csv", (f"{i},9,9,a,0,0,1,1" for i in range(45_000)))


def make_zip_of_many_pages(folder: Path, pages: int = 400_000) -> Path:
    """Equal pages without regions, which take less than a byte each."""
    text = "\n".join([HEAD, *(f"{i},9,9,,,,," for i in range(pages))])
    with zipfile.ZipFile(folder / "pages.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("pages.csv", text)
    return folder / "pages.zip"


HOSTILE = {
    "long labels beside each other": make_long_separate_labels,
    "long labels of many characters": make_long_labels_of_many_characters,
    "1,000 labels on 200 pages": make_labels_on_many_pages,
    "2,000 labels beside each other": make_two_thousand_labels,
    "45,000 pages": make_many_pages,
    "zip of 400,000 pages": make_zip_of_many_pages,
}
