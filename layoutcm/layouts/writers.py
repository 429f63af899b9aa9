"""Write layouts as files of a format. Reading such a file gives the same layout, up to what the findings name.

What is written is a file, a folder or a zip, complete or not at all.
"""

from __future__ import annotations

import io
import os
import re
import zipfile
from collections.abc import Callable

from layoutcm.errors import InputError, check_choice
from layoutcm.layouts.model import Finding, Layout, check_is_layout
from layoutcm.layouts.stored_facts import facts_too_long
from layoutcm.layouts.table_writers import as_csv, as_parquet
from layoutcm.layouts.validation import check_sizes_are_known
from layoutcm.layouts.writing.coco import as_coco
from layoutcm.layouts.writing.label_studio import as_label_studio
from layoutcm.layouts.writing.request import Content, Request
from layoutcm.layouts.writing.xml_files import as_cvat, as_page_xml
from layoutcm.layouts.writing.yolo import as_yolo
from layoutcm.outputs.files import failures_named, write_whole
from layoutcm.outputs.folders import Mark, replace_folder

# All files that a writer of folders can have made; a folder with any other file is not replaced.
OWN_FILES = re.compile(r"()(README\.txt|data\.yaml|labels/.*\.txt|page/.*\.xml)", re.DOTALL)
MARK = Mark("README.txt", b"written by layoutcm\n", "conversion")
A_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can have: equal layouts give equal zips


def write(
    layout: Layout, to: str, path: str | os.PathLike[str], *, predictions: bool | None = None
) -> tuple[Finding, ...]:
    """Write a layout in another format.

    What exists is replaced after the new output is complete.

    Parameters
    ----------
    layout : Layout
    to : {"parquet", "csv", "coco", "yolo", "label-studio", "cvat", "page-xml"}
        "parquet" holds all of a layout.
    path : path
        "yolo" and "page-xml" write a folder, or a zip if the path ends in .zip.
    predictions : bool, optional
        For Label Studio: whether regions are predictions instead of annotations; if not given, they are if they have
        scores.

    Returns
    -------
    tuple of Finding
        What the format cannot hold.

    Examples
    --------
    >>> import tempfile
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lost = lcm.write(gt, "cvat", f"{folder}/gt.xml")
    >>> [finding.values["what"] for finding in lost]
    ['documents', 'page numbers', 'attributes']
    """
    content, findings = written(layout, to, predictions=predictions)
    put(content, path)
    return findings


def written(layout: Layout, to: str, *, predictions: bool | None = None) -> tuple[Content, tuple[Finding, ...]]:
    """What `write` writes: the bytes of a file, or {path: bytes} of a folder; and the findings."""
    check_choice("to", to, WRITERS)
    check_is_layout(layout, "layout")
    if not len(layout.page_columns) and to not in WITHOUT_PAGES:
        hint = f"Use one of {', '.join(WITHOUT_PAGES)}."
        raise InputError(layout.name, "", f"there is no page in it, which {to} cannot hold", hint)
    check_sizes_are_known(layout, layout.page_columns.without_size)
    request = Request(layout, to, predictions)
    if to != "parquet":
        request.leave_out_facts("boxes with inverted corners")
    return WRITERS[to](request), tuple(request.findings)


def is_zip(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).lower().endswith(".zip")


def put(content: Content, path: str | os.PathLike[str]) -> None:
    if isinstance(content, bytes):
        write_whole(path, content)
    elif is_zip(path):
        write_whole(path, zipped(content))
    else:
        with replace_folder(path, OWN_FILES, MARK) as folder, failures_named(path):
            for name, data in content.items():
                file = folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name, A_DATE), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _parquet(request: Request) -> bytes:
    for what, count in facts_too_long(request.layout).items():
        request.leave_out(what, count)
    return as_parquet(request.layout)


def _csv(request: Request) -> bytes:
    facts = request.layout.region_columns.coco
    if facts is None or not facts.crowd.any():  # else they are written
        request.leave_out_facts("areas")
    return as_csv(request.layout)


WRITERS: dict[str, Callable[[Request], Content]] = {
    "parquet": _parquet,
    "csv": _csv,
    "coco": as_coco,
    "yolo": as_yolo,
    "label-studio": as_label_studio,
    "cvat": as_cvat,
    "page-xml": as_page_xml,
}
FOLDERS = ("yolo", "page-xml")  # formats with a file for each page: written as a folder, or as a zip
WITHOUT_PAGES = ("parquet", "csv", "coco")  # formats that can hold a layout of no pages
