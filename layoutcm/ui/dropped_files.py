"""Group files that were dropped together into layouts and their companions (page images, lists of names).

Several prediction files may be several predictions or the pages of one. The formats decide: a COCO file holds a whole
prediction, a YOLO file holds one page. Where this is wrong, the visitor can change it.
"""

from __future__ import annotations

from layoutcm.formats.source_files import ZIP_MAGIC
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.visitor_files import (
    COMPANION,
    IMAGE,
    KINDS,
    PART,
    UNKNOWN,
    WHOLE_LAYOUT,
    InputFile,
    join_inputs,
    kinds_of,
)
from layoutcm.ui.visitors import kept

LAYOUTS = (WHOLE_LAYOUT, PART, UNKNOWN)
WITH_IMAGES = (IMAGE, WHOLE_LAYOUT)  # a zip is a whole layout and may contain images


def find_kinds(files: list[InputFile]) -> list[str]:
    """The kind of every file, one of `KINDS`."""
    return _kinds(join_inputs(files).digest, files) if files else []


@kept()
def _kinds(digest: str, _files: list[InputFile]) -> list[str]:
    return run_guarded(kinds_of, _files, file=_files[0].name, size=sum(one.size for one in _files))


def one_layout(files: list[InputFile], kinds: list[str]) -> InputFile:
    """All files as one layout, named after a file that has regions."""
    ranked = sorted(zip(files, kinds), key=lambda pair: KINDS.index(pair[1]))
    return join_inputs([one for one, _ in ranked])


def predictions(files: list[InputFile], kinds: list[str], as_one: bool | None = None) -> tuple[InputFile, ...]:
    """The predictions among the files; `as_one` overrides the decision by format."""
    of_kind = {kind: [one for one, own in zip(files, kinds) if own == kind] for kind in KINDS}
    whole = [one for one, kind in zip(files, kinds) if kind in (WHOLE_LAYOUT, UNKNOWN)]
    if as_one or not (whole or of_kind[PART]):
        return (one_layout(files, kinds),) if files else ()
    if not of_kind[PART]:
        groups = [[one] for one in whole]
    elif as_one is False and not of_kind[WHOLE_LAYOUT]:
        groups = [[one] for one, kind in zip(files, kinds) if kind in (PART, UNKNOWN)]
    else:  # files that are not recognised go with the pages, as in a folder
        groups = [*([one] for one in of_kind[WHOLE_LAYOUT]), [*of_kind[PART], *of_kind[UNKNOWN]]]
    return tuple(join_inputs([*group, *_companions_of(group[0], of_kind)]) for group in groups)


def _companions_of(first: InputFile, of_kind: dict[str, list[InputFile]]) -> list[InputFile]:
    """Page images provide sizes for any layout; a list of names is for formats without label names."""
    has_names = first in of_kind[WHOLE_LAYOUT] and not first.data.startswith(ZIP_MAGIC)
    return of_kind[IMAGE] if has_names else [*of_kind[IMAGE], *of_kind[COMPANION]]
