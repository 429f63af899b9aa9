"""Put what a writer made into a file, a folder or a zip: complete, or not at all."""

from __future__ import annotations

import io
import os
import re
import zipfile

from layoutcm.layouts.writing.request import Content
from layoutcm.outputs.files import failures_named, write_whole
from layoutcm.outputs.folders import Mark, replace_folder

# All files that a writer of folders can have made; a folder with any other file is not replaced.
OWN_FILES = re.compile(r"()(README\.txt|data\.yaml|labels/.*\.txt|page/.*\.xml)", re.DOTALL)
MARK = Mark("README.txt", b"written by layoutcm\n", "conversion")
A_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can have: equal layouts give equal zips


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
