"""LayoutParser: blocks as JSON or CSV; rectangles, quadrilaterals, and intervals, which have no box."""

from __future__ import annotations

import csv
import io
import json
import math

import msgspec

from layoutcm.errors import InputError, shown
from layoutcm.formats.content import Content, Options
from layoutcm.formats.gather import Gathering, corners_of, number


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


def is_json(content: Content) -> bool:
    return content.json_root == "object" and {"page_data", "blocks"} <= content.json_keys


def is_csv(content: Content) -> bool:
    header = content.json_bytes[:4096].split(b"\n", 1)[0].strip().split(b",")
    return b"block_type" in header and b"x_1" in header


def read_json(content: Content, options: Options, rows: Gathering) -> None:
    file = content.decode(File)
    page = rows.page(content.stem, file.page_data.width, file.page_data.height, "page_data")
    for i, block in enumerate(file.blocks):
        _place(content.name, rows, page, block, f"blocks[{i}]")


def read_csv(content: Content, options: Options, rows: Gathering) -> None:
    page = rows.page(content.stem, None, None)
    try:
        records = list(csv.DictReader(io.StringIO(content.json_bytes.decode("utf-8"), newline="")))
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(content.name, "", f"this CSV cannot be read: {error}", "Save it as UTF-8.") from None
    for i, record in enumerate(records, 2):
        place = f"row {i}"
        values = {
            key: number(record[key], content.name, f"{place}, column {key}")
            for key in ("x_1", "y_1", "x_2", "y_2", "score")
            if record.get(key)
        }
        points = _points(content.name, record.get("points") or "", place)
        block = Block(record.get("block_type") or "", points=points, type=record.get("type"), **values)
        _place(content.name, rows, page, block, place)


def _points(file: str, text: str, place: str) -> list[float] | None:
    if not text:
        return None
    try:
        return msgspec.convert(json.loads(text), list[float])
    except (ValueError, RecursionError, msgspec.ValidationError):
        raise InputError(
            file, f"{place}, column points", f"{shown(text)} is no list of numbers", "Repair it."
        ) from None


def _place(file: str, rows: Gathering, page: int, block: Block, place: str) -> None:
    if block.block_type == "interval":
        rows.odd("interval", "intervals have no box and are left out", place)
        return
    corners = [v for v in (block.x_1, block.y_1, block.x_2, block.y_2) if v is not None]
    ring = corners_of(block.points or corners, file, place)
    if not all(map(math.isfinite, (v for point in ring for v in point))):
        raise InputError(file, place, "a coordinate is not a finite number", "Repair or remove the block.")
    rows.outline(page, block.type or "", ring, place, block.score)
