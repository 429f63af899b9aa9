"""The annotations of a COCO file as columns.

A large file is scanned for the numbers that are needed. A small one, and one that the scanner does not accept, is
decoded by msgspec, which also explains what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError
from layoutcm.formats.coco_ids import Ids, Key, find_ids, is_stem_of
from layoutcm.formats.content import HEAD, SEARCHED, FileContent, Options, ScannedList, are_json_lines
from layoutcm.layouts.file_bytes import StoredFile
from layoutcm.layouts.model import Floats

if TYPE_CHECKING:
    from layoutcm.formats.json_columns import Field


class LargeFile(FileContent):
    """A large COCO file: its start, and the numbers that were scanned from it. Other code reads its bytes again.

    Its JSON starts at the first byte, and is one object or list.
    """

    file: StoredFile

    def __init__(self, file: StoredFile) -> None:
        # As attributes of a frozen class.
        object.__setattr__(self, "name", file.path)
        object.__setattr__(self, "file", file)

    @cached_property
    def data(self) -> bytes:
        return self.file.read(0, self.file.size)

    @property
    def size(self) -> int:
        return self.file.size

    @cached_property
    def head(self) -> bytes:
        return self.file.read(0, SEARCHED)

    @property
    def json_head(self) -> bytes:
        return self.head[:HEAD]

    def sha256(self) -> str:
        return self.file.sha256()


Box = tuple[float, float, float, float]
_NO_BOX = (np.nan,) * 4
FEWEST_BYTES_TO_SCAN = 1 << 24  # loading the scanner, once it is compiled, takes as long as decoding a smaller file


class Annotation(msgspec.Struct, gc=False):
    image_id: Key
    category_id: Key
    bbox: Box | None = None
    segmentation: msgspec.Raw = msgspec.Raw()
    score: float | None = None
    area: float | None = None
    iscrowd: bool | int | float | None = None
    ignore: bool | int | float | None = None
    precedence: int | None = None


class NamedAnnotation(Annotation, gc=False):
    """An entry of a results list that also names the file of its page."""

    file_name: str | None = None


@dataclass(frozen=True)
class Annotations:
    """Columns of annotations, with the file and the section that lists them (a results list has none).

    `precedence` has the key None where there is none, numbers are nan where there is none.
    """

    file: str
    section: str
    positions: NDArray[np.int64]  # in the section
    image: Ids[Key]
    category: Ids[Key]
    precedence: Ids[int | None]
    boxes: Floats  # float64[annotations, x y width height]
    scores: Floats
    areas: Floats
    is_crowd: NDArray[np.bool_]
    is_ignored: NDArray[np.bool_]
    segmentations: Sequence[msgspec.Raw] = ()  # empty if no box needs one
    file_names: Sequence[str | None] = ()  # of a results list, if it has them

    def __len__(self) -> int:
        return self.positions.size

    @property
    def knows_no_ids(self) -> bool:
        """Whether `image_id` is made from the file name, as Ultralytics does."""
        return bool(self.file_names) and is_stem_of(self.image.keys[0], self.file_names[0] or "")

    def place(self, i: int) -> str:
        return f"{self.section}[{self.positions[i]}]"

    def take(self, kept: NDArray[np.integer]) -> Annotations:
        chosen = kept.tolist()
        return replace(
            self,
            **{name: getattr(self, name)[kept] for name in ("positions", "boxes", "scores", "areas")},
            **{name: getattr(self, name)[kept] for name in ("is_crowd", "is_ignored")},
            **{name: getattr(self, name).take(kept) for name in ("image", "category", "precedence")},
            segmentations=[self.segmentations[i] for i in chosen] if self.segmentations else (),
            file_names=[self.file_names[i] for i in chosen] if self.file_names else (),
        )


def open_large_file(path: str, options: Options) -> LargeFile | None:
    """A large file that seems to be COCO, with its annotations; None if it has to be loaded to be read.

    To find its keys without that, all of it would be read one more time.
    """
    file = StoredFile.at(path)
    if file is None or file.size < FEWEST_BYTES_TO_SCAN or options.outlines or not path.endswith(".json"):
        return None
    content = LargeFile(file)
    with suppress(InputError):  # of a file that cannot be read, or changes; loading it explains what is wrong
        from layoutcm.formats.json_columns import scan_stored_list

        section = _section_to_scan(content) if content.head[:1] in (b"{", b"[") else None
        scanned = None if section is None else scan_stored_list(file, _fields(), section)
        if section is not None and scanned is not None and not are_json_lines(scanned.rest, path):
            content.scanned[section] = ScannedList(_annotations(path, section, scanned.values), scanned.rest)
            return content
    return None


def scan_ahead(content: FileContent, options: Options) -> None:
    """Scan a large file that seems to be COCO before it is recognised."""
    if content.size >= FEWEST_BYTES_TO_SCAN and (section := _section_to_scan(content)) is not None:
        scan_annotations(content, section, options)


def _section_to_scan(content: FileContent) -> str | None:
    """The key of the list of annotations, empty for a results list; None if the file does not seem to be COCO."""
    head = content.head[:HEAD]
    if content.json_root == "object" and any(key in head for key in (b'"images"', b'"annotations"')):
        return "annotations"
    return "" if content.json_root == "array" and {"image_id", "category_id"} <= content.json_keys else None


def scan_annotations(content: FileContent, section: str, options: Options) -> ScannedList[Annotations] | None:
    """The annotations, and the text without them; None if msgspec has to decode them."""
    if content.size < FEWEST_BYTES_TO_SCAN or options.outlines:
        return None
    if section not in content.scanned:
        content.scanned[section] = _scan(content, section)
    return content.scanned[section]


def _scan(content: FileContent, section: str) -> ScannedList[Annotations] | None:
    from layoutcm.formats.json_columns import scan_list

    scanned = scan_list(content.json_text, _fields(), section)
    return ScannedList(_annotations(content.name, section, scanned.values), scanned.rest) if scanned else None


def _fields() -> list[Field]:
    from layoutcm.formats.json_columns import Field
    from layoutcm.formats.json_scan import BOX, INTEGER, NUMBER, TRUTH

    needed = [Field("image_id", INTEGER, True), Field("category_id", INTEGER, True), Field("bbox", BOX, True)]
    others = [Field("precedence", INTEGER), Field("score", NUMBER), Field("area", NUMBER)]
    return [*needed, *others, Field("iscrowd", TRUTH), Field("ignore", TRUTH)]


def _annotations(file: str, section: str, values: dict[str, Floats]) -> Annotations:
    return Annotations(
        file,
        section,
        np.arange(len(values["score"])),
        image=_ids_of_numbers(values["image_id"]),
        category=_ids_of_numbers(values["category_id"]),
        precedence=_ids_of_numbers(values["precedence"]),
        boxes=values["bbox"],
        scores=values["score"],
        areas=values["area"],
        is_crowd=np.abs(values["iscrowd"]) > 0,
        is_ignored=np.abs(values["ignore"]) > 0,
    )


def columns_of(file: str, section: str, annotations: Sequence[Annotation], options: Options) -> Annotations:
    """The columns of annotations that msgspec has decoded."""
    boxes = [a.bbox or _NO_BOX for a in annotations]
    needs_outlines = options.outlines or _NO_BOX in boxes
    is_named = bool(annotations) and isinstance(annotations[0], NamedAnnotation)
    return Annotations(
        file,
        section,
        np.arange(len(annotations)),
        find_ids([a.image_id for a in annotations]),
        find_ids([a.category_id for a in annotations]),
        find_ids([a.precedence for a in annotations]),
        np.fromiter(chain.from_iterable(boxes), np.float64, 4 * len(boxes)).reshape(-1, 4),
        _numbers(a.score for a in annotations),
        _numbers(a.area for a in annotations),
        np.array([bool(a.iscrowd) for a in annotations], bool),
        np.array([bool(a.ignore) for a in annotations], bool),
        [a.segmentation for a in annotations] if needs_outlines else (),
        [a.file_name for a in annotations if isinstance(a, NamedAnnotation)] if is_named else (),
    )


def _numbers(values: Iterable[float | None]) -> Floats:
    return np.array(list(values), float)  # None becomes nan


def _ids_of_numbers(column: Floats) -> Ids[Any]:
    """The ids in a column of whole numbers; nan is None."""
    if column.size and (column == column[0]).all():
        return Ids([int(column[0])], np.zeros(column.size, np.int32))
    slots, values = _slots(column)
    first = np.full(values.size, column.size)
    first[slots[::-1]] = np.arange(column.size)[::-1]  # the last value that a slot gets is the smallest position
    used = np.flatnonzero(first < column.size)
    used = used[np.argsort(first[used])]
    codes = np.empty(values.size, np.int32)
    codes[used] = np.arange(used.size)
    is_none = np.isnan(values[used])
    keys: list[Any] = np.where(is_none, 0, values[used]).astype(np.int64).tolist()
    for i in np.flatnonzero(is_none):
        keys[i] = None
    return Ids(keys, codes[slots])


def _slots(column: Floats) -> tuple[NDArray[np.int64], Floats]:
    """A slot for each value, and the value of each slot, with nan in the last one if slots are given by counting."""
    is_none = np.isnan(column)
    known = column[~is_none] if is_none.any() else column
    low, high = (known.min(), known.max()) if known.size else (0.0, 0.0)
    if high - low > 4 * column.size:  # sparse ids
        values, slots = np.unique(column, return_inverse=True)
        return slots, values
    values = np.append(np.arange(low, high + 1), np.nan)
    return np.where(is_none, values.size - 1, column - low).astype(np.int64), values
