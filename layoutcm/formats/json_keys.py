"""Tables of keys: what a JSON format calls its pages, regions and boxes.

`json_type` turns a table that looks like the file into a type that msgspec decodes. `Keys` describes lists of boxes, in
which many formats differ only in their keys; `add_regions` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

import msgspec

from layoutcm.formats.builder import PIXELS, LayoutBuilder
from layoutcm.formats.content import FileContent
from layoutcm.formats.parsing import FilePlace, SizedBox

Corners = tuple[float, float, float, float]
THOUSANDTHS, FRACTIONS = 1000, 1  # parts of the page in which boxes are written
ANY_KEY = "*"
_NO_NAME = re.compile(r"\W|^_")


def json_type(table: Any) -> Any:
    """The type of JSON that looks like a table: {key: type} is an object, [type] a list of any length.

    A value of an object may be missing or null, which gives None, unless its key ends in "!". A pair (type, default)
    may be missing, but not null. {"*": type} is an object with any keys, which becomes a dict. Other objects have an
    attribute for each key, in which "_" replaces what a name of Python cannot have: "page number" is `page_number`.
    """
    if isinstance(table, list):
        return list[json_type(table[0])]  # type: ignore[misc]
    if not isinstance(table, dict):
        return table
    if ANY_KEY in table:
        return dict[str, json_type(table[ANY_KEY])]  # type: ignore[misc]
    names = {key: _NO_NAME.sub("_", key.rstrip("!")).strip("_") for key in table}
    fields = [_field(names[key], key, kind) for key, kind in table.items()]
    rename = {name: key.rstrip("!") for key, name in names.items()}
    # Without garbage collection: an object that is decoded cannot hold itself.
    return msgspec.defstruct("JsonObject", fields, rename=rename, kw_only=True, gc=False)


def _field(name: str, key: str, kind: Any) -> tuple[Any, ...]:
    """A field of a Struct: its name, its type, and its default if it has one."""
    if key.endswith("!"):
        return name, json_type(kind)
    if isinstance(kind, tuple):
        return name, json_type(kind[0]), kind[1]
    return name, json_type(kind) | None, None


def walk_tree(
    blocks: Sequence[Any], start: str, keys: dict[str, str], is_open: Callable[[Any], bool] = lambda block: True
) -> Iterator[tuple[FilePlace, Any, Any]]:
    """Place, block and the block around it (None at the top) of all blocks of a tree, in the order of the file.

    `keys` is {attribute: key} of the lists of blocks below a block. Blocks below one that is not open are left out.
    This uses a list instead of recursion, because trees can be deep.
    """
    branches = list(reversed(keys.items()))
    todo = [(f"{start}[{{}}]", k, block, None) for k, block in reversed(list(enumerate(blocks)))]
    while todo:
        template, k, block, around = todo.pop()
        yield (template, k), block, around
        for attribute, key in branches:
            inside = getattr(block, attribute)
            if inside and is_open(block):
                below = f"{template.format(k)}.{key}[{{}}]"  # one text for all of them
                todo += [(below, i, one, block) for i, one in reversed(list(enumerate(inside)))]


@dataclass(frozen=True)
class Keys:
    """The keys of a format for a region, and what its numbers mean."""

    labels: tuple[str, ...]  # the first that is not blank is read; the only one may be blank
    box: str
    lacking: str  # what the finding says about regions without a label or box
    kind: Any = list[float]  # how a box is written: four numbers, `Corners` or `SizedBox`
    parts: float = PIXELS  # of the sides of the page
    score: str = ""  # "" if there is none
    places_name_box: bool = True  # places of regions end in the key of the box
    others: Mapping[str, Any] = field(default_factory=dict)  # {key: type} of what else is decoded
    left_out: Callable[[Any], Mapping[str, str] | None] | None = None  # code and values of a finding

    @cached_property
    def region(self) -> Any:
        """The type of a region with these keys. Each key may be missing."""
        score = {self.score: float} if self.score else {}
        return json_type({**dict.fromkeys(self.labels, str), self.box: self.kind, **self.others, **score})

    @cached_property
    def label_of(self) -> Callable[[Any], str | None]:
        """The function that returns the label of a region."""
        get: Any = attrgetter(*self.labels)
        return get if len(self.labels) == 1 else lambda region: next(filter(None, get(region)), None)

    def corners_of(self, region: Any) -> Sequence[float] | None:
        box = getattr(region, self.box)
        if self.kind is SizedBox:
            return box and box.corners
        return box if box is not None and len(box) == 4 else None


def add_regions(builder: LayoutBuilder, page: int, regions: Iterable[Any], start: str, keys: Keys) -> None:
    """Add the regions of a list at the place `start`; a finding counts those without a label or box."""
    place = f"{start}[{{}}].{keys.box}" if keys.places_name_box else f"{start}[{{}}]"
    label_of, corners_of, left_out = keys.label_of, keys.corners_of, keys.left_out
    for k, region in enumerate(regions):
        label, box = label_of(region), corners_of(region)
        if left_out and (finding := left_out(region)):
            builder.note_unusual(place=f"{start}[{k}]", **finding)
        elif box is None or label is None:
            builder.note_unusual("no-place", f"{start}[{k}]", what=keys.lacking)
        else:
            score = getattr(region, keys.score) if keys.score else None
            builder.add_region_in_parts(page, label, box, keys.parts, (place, k), score)


def read_lists(content: FileContent, document: str, keys: Keys, builder: LayoutBuilder) -> None:
    """Read a list of pages, which are lists of regions."""
    pages = content.decode(json_type([[keys.region]]))
    for i, regions in enumerate(pages):
        page = builder.add_numbered_page(document, i + 1, len(pages), place=f"[{i}]")
        add_regions(builder, page, regions, f"[{i}]", keys)
