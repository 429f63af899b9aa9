"""Read a COCO text with the scanner and with msgspec: both must give the same layout, or the same error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import msgspec
import numpy as np

from layoutcm.errors import InputError
from layoutcm.formats import coco_annotations, json_columns
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.readers import coco
from layoutcm.layouts.model import Layout


@contextmanager
def scanning(range_bytes: int) -> Iterator[None]:
    """Scan also small files, in small ranges."""
    small = patch.object(coco_annotations, "FEWEST_BYTES_TO_SCAN", 0)
    with small, patch.object(json_columns, "RANGE_BYTES", range_bytes):
        yield


def difference(text: bytes, range_bytes: int) -> str:
    """What the scanner and msgspec do differently; empty if nothing."""
    with scanning(range_bytes):
        found = _read(text)
    expected = _read(text)
    return "" if found == expected else f"scanned: {found}\ndecoded: {expected}"


def wrongly_scanned(text: bytes, section: str, range_bytes: int) -> str:
    """What is wrong with the columns that the scanner returns; empty if they are right, or if it gives up."""
    with scanning(range_bytes):
        scanned = coco_annotations.scan_annotations(FileContent("a.json", text), section, Options())
    if scanned is None:
        return ""
    columns, rest = scanned
    try:
        if section:
            annotations = msgspec.json.decode(text, type=coco.GroundTruth).annotations
        else:
            annotations = msgspec.json.decode(text, type=list[coco_annotations.Annotation])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # Wrong text outside the list is found when the rest is decoded.
        return "" if not _is_valid(rest, section) else "the scanner accepts what msgspec refuses"
    expected = coco_annotations.columns_of("a.json", section, annotations, Options())
    return "" if _values(columns) == _values(expected) else f"{_values(columns)} instead of {_values(expected)}"


def _is_valid(rest: bytes, section: str) -> bool:
    try:
        msgspec.json.decode(rest, type=coco.GroundTruth if section else list[coco_annotations.Annotation])
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False
    return True


def _values(columns: coco_annotations.Annotations) -> object:
    ids = [[one.keys[code] for code in one.codes] for one in (columns.image, columns.category, columns.precedence)]
    # Bytes: -0.0 differs from 0.0, and nan equals nan.
    floats = [np.ascontiguousarray(one).tobytes() for one in (columns.boxes, columns.scores, columns.areas)]
    return ids, floats, columns.is_crowd.tolist(), columns.is_ignored.tolist()


def _read(text: bytes) -> object:
    content = FileContent("a.json", text)
    try:
        if content.json_root == "object":
            return facts(coco.read_ground_truth(content, Options()))
        return facts(coco.read_results(content, Options(sizes=(100.0, 100.0))))
    except InputError as error:
        return str(error)


def facts(layout: Layout) -> object:
    regions = layout.region_columns
    facts = regions.coco
    coco_facts = facts and [one.tobytes() for one in (facts.crowd, facts.areas, facts.sizes)]
    columns = [one.tobytes() for one in (regions.page, regions.label, regions.boxes, regions.scores)]
    findings = [(finding.code, finding.count, str(finding)) for finding in layout.findings]
    return layout.labels, layout.page_columns.names, columns, coco_facts, findings, list(layout.label_keys.items())
