"""LayoutParser: rectangles and quadrilaterals as JSON or CSV; intervals have no box and are left out."""

from __future__ import annotations

import csv
import io
import json
import math

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import FilePlace, corner_points, parse_number, parse_number_list, place_text

NUMBERS = ("x_1", "y_1", "x_2", "y_2", "score")


class Block(msgspec.Struct):
    block_type: str = "rectangle"
    x_1: float | None = None
    y_1: float | None = None
    x_2: float | None = None
    y_2: float | None = None
    points: list[float] | None = None
    type: str | None = None
    score: float | None = None


class PageData(msgspec.Struct):
    width: float | None = None
    height: float | None = None


class File(msgspec.Struct):
    blocks: list[Block]
    page_data: PageData = msgspec.field(default_factory=PageData)


is_json = Needs("object", ("page_data", "blocks"), typical=("block_type",))


def is_csv(content: FileContent) -> bool:
    header = content.head_without_bom[:4096].split(b"\n", 1)[0].strip().split(b",")
    return b"block_type" in header and b"x_1" in header


def read_json(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(File)
    page = builder.add_page(content.stem, file.page_data.width, file.page_data.height, "page_data")
    for i, block in enumerate(file.blocks):
        _add_block(content.name, builder, page, block, ("blocks[{}]", i))


def read_csv(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    page = builder.add_page(content.stem, None, None)
    try:
        header, *records = csv.reader(io.StringIO(content.data_without_bom.decode("utf-8"), newline=""))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(content.name, "", f"this CSV cannot be read: {error}", "Save it as UTF-8.") from None
    for i, cells in enumerate(filter(None, records), 2):
        record = dict(zip(header, cells))
        place = ("row {}", i)
        given = {key: record[key] for key in NUMBERS if record.get(key)}
        values = parse_number_list(",".join(given.values())) if given else []
        if values is None or len(values) != len(given):
            values = [parse_number(text, content.name, f"row {i}, column {key}") for key, text in given.items()]
        points = _parse_corner_list(content.name, record.get("points") or "", place)
        kind, label = record.get("block_type") or "", record.get("type")
        _add_block(
            content.name, builder, page, Block(kind, points=points, type=label, **dict(zip(given, values))), place
        )


def _parse_corner_list(file: str, text: str, place: FilePlace) -> list[float] | None:
    if not text:
        return None
    try:
        points = msgspec.convert(json.loads(text), list[float])
    except (ValueError, RecursionError, msgspec.ValidationError):
        at = f"{place_text(place)}, column points"
        raise InputError(file, at, f"{short_repr(text)} is no list of numbers", "Repair it.") from None
    if not all(map(math.isfinite, points)):
        raise InputError(file, place_text(place), "a coordinate is not a finite number", "Repair or remove the block.")
    return points


def _add_block(file: str, builder: LayoutBuilder, page: int, block: Block, place: FilePlace) -> None:
    if block.block_type == "interval":
        builder.note_unusual("interval", place_text(place))
        return
    corners = [v for v in (block.x_1, block.y_1, block.x_2, block.y_2) if v is not None]
    ring = corner_points(block.points or corners, file, place)
    builder.add_outline(page, block.type or "", ring, place, block.score)
