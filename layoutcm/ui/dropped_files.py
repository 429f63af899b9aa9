"""Files dropped together: which of them are one layout, and which lie beside it (page images, lists of names).

Several files for the predictions may be several predictions or the pages of one. Their formats tell: a COCO file is
all that a model found, a YOLO file is one page of it. Where formats tell wrongly, the person says so.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from layoutcm.formats.content import Content
from layoutcm.formats.recognition import find_candidates, is_companion
from layoutcm.formats.registry import SINGLE_FILE_FORMATS
from layoutcm.formats.source_files import OTHER_SUFFIXES, ZIP_MAGIC
from layoutcm.layouts.model import IMAGE_SUFFIXES
from layoutcm.ui.input_files import InputFile, join_inputs

WHOLE_LAYOUT, PART, UNKNOWN, COMPANION, IMAGE = KINDS = ("alone", "part", "unknown", "companion", "image")
LAYOUTS = (WHOLE_LAYOUT, PART, UNKNOWN)
WITH_IMAGES = (IMAGE, WHOLE_LAYOUT)  # a zip is a layout of its own and may have pictures in it


def kind_of(name: str, data: bytes) -> str:
    """What a dropped file is: a layout of its own, a part of one, or something beside it."""
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    if suffix in (*IMAGE_SUFFIXES, *OTHER_SUFFIXES):
        return IMAGE
    if data.startswith(ZIP_MAGIC):
        return WHOLE_LAYOUT
    content = Content(name, data)
    if is_companion(content):
        return COMPANION
    found = find_candidates(content)
    if not found:
        return UNKNOWN
    return WHOLE_LAYOUT if any(format.name in SINGLE_FILE_FORMATS for format in found) else PART


def one_layout(files: list[InputFile], kinds: list[str]) -> InputFile:
    """All files as one layout, named after a file that holds regions."""
    ranked = sorted(zip(files, kinds), key=lambda pair: KINDS.index(pair[1]))
    return join_inputs([one for one, _ in ranked])


def predictions(files: list[InputFile], kinds: list[str], as_one: bool | None = None) -> tuple[InputFile, ...]:
    """The layouts among the files; `as_one` overrules what the formats tell."""
    of_kind = {kind: [one for one, own in zip(files, kinds) if own == kind] for kind in KINDS}
    whole = [one for one, kind in zip(files, kinds) if kind in (WHOLE_LAYOUT, UNKNOWN)]
    if as_one or not (whole or of_kind[PART]):
        return (one_layout(files, kinds),) if files else ()
    if not of_kind[PART]:
        groups = [[one] for one in whole]
    elif as_one is False and not of_kind[WHOLE_LAYOUT]:
        groups = [[one] for one, kind in zip(files, kinds) if kind in (PART, UNKNOWN)]
    else:  # what is not recognised may lie beside the pages, as it does in a folder
        groups = [*([one] for one in of_kind[WHOLE_LAYOUT]), [*of_kind[PART], *of_kind[UNKNOWN]]]
    return tuple(join_inputs([*group, *_companions_of(group[0], of_kind)]) for group in groups)


def _companions_of(first: InputFile, of_kind: dict[str, list[InputFile]]) -> list[InputFile]:
    """Page images lend sizes to any layout; a list of names belongs to formats that have none."""
    has_names = first in of_kind[WHOLE_LAYOUT] and not first.data.startswith(ZIP_MAGIC)
    return of_kind[IMAGE] if has_names else [*of_kind[IMAGE], *of_kind[COMPANION]]
