"""Random COCO texts, valid and damaged, read with the scanner and with msgspec, which must do the same."""

from __future__ import annotations

import json
import random
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


NUMBERS = ["0", "-0", "0.0", "-0.0", "01", "1.", ".5", "1e5", "1E-7", "1e400", "-1e-400", "5e-324", "1e22", "1e23"]
NUMBERS += ["9007199254740993", "9007199254740993.0", "18446744073709551615", "18446744073709551616", "123456789e-30"]
NUMBERS += [
    "0.1", "0.30000000000000004", "1.7976931348623157e308", "2.2250738585072014e-308", "1e-60", "1e61", "-", "+1",
]  # fmt: skip
NUMBERS += ["9223372036854775807", "-9223372036854775808", "0e0", "0.000000000000000000001", "1_0", "0x10", "NaN"]
TEXTS = ['""', '"a"', '"},{"', '"\\""', '"\\u00e9"', '"é"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\x"', '"\t"', '"\\\\"']
TEXTS += ['"]"', '"😀"', '"\\u12"', '"\\/"', '"a', '"\x7f"']
WORDS = ["null", "true", "false", "nul", "True", "nullx"]
NESTED = ["[]", "{}", "[[1,2],[3]]", '{"counts":[1,2],"size":[3,4]}', '[{"a":{"b":[]}}]', "[1,]", "{,}", "[1 2]"]
NESTED += ['{"a" 1}', '{"a":1,}', "[" * 70 + "]" * 70, "[[]", '{"a":1,"a":2}', "{1:2}", "[1,2,3]", "[1,2,3,4]"]
NESTED += ["[1,2,3,4,5]", "[null,1,2,3]", "[1.5,2,3,-4e1]", "[ 1 , 2 , 3 , 4 ]"]
KEYS = ["image_id", "category_id", "bbox", "score", "area", "iscrowd", "ignore", "precedence"]
OTHER_KEYS = ["id", "segmentation", "text", "bbox_mode", "image_i", "", "im\\u0061ge_id", "é", "image_id\\u0000"]
SPACES = ["", "", "", " ", "\n", "\t ", "\r\n  ", "\x0b", "\xa0"]


class CocoTexts:
    """Texts of one random seed; `wildness` is the share of values that may be of any kind."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.wildness = self.random.choice([0, 0, 0, 0.002, 0.01, 0.05, 0.3])
        self.has_long_numbers = self.random.random() < 0.2  # which the scanner leaves to msgspec

    def results(self) -> bytes:
        return self._damaged(self._list())

    def ground_truth(self) -> bytes:
        images = json.dumps([{"id": i, "width": 100, "height": 100, "file_name": f"{i}.png"} for i in range(6)])
        categories = json.dumps([{"id": i, "name": f"label {i}"} for i in range(4)])
        members = [f'"images":{images}', f'"categories":{categories}', f'"annotations":{self._list()}']
        self.random.shuffle(members)
        if self._is_wild():
            members.insert(self.random.randrange(4), self.random.choice(['"annotations":[]', '"info":' + self._any()]))
        return self._damaged("{" + (self._space() + ",").join(members) + self._space() + "}")

    def number(self) -> str:
        """Numbers as programs write them: few digits, or as many as a double or more needs."""
        pick = self.random.random()
        if pick < 0.3:
            return f"{self.random.uniform(-100, 1000):.{self.random.randrange(1, 6)}f}"
        if pick < 0.6:
            return repr(self.random.uniform(-1, 1) * 10 ** self.random.randrange(-8, 8))
        if pick < 0.7:
            return f"{self.random.randrange(10**19)}e{self.random.randrange(-60, 40)}"
        if pick < 0.8:
            digits = self.random.randrange(1, 23 if self.has_long_numbers else 17)
            return f"{self.random.randrange(1000)}.{self.random.randrange(10**digits):0{digits}}"
        return str(self.random.randrange(-5, 1000))

    def _list(self) -> str:
        items = [self._annotation() for _ in range(self.random.choice([0, 1, 2, 5, 30]))]
        return f"[{self._space()}" + f"{self._space()},{self._space()}".join(items) + f"{self._space()}]"

    def _annotation(self) -> str:
        if self._is_wild():
            return self._any()
        values = {"image_id": str(self.random.randrange(6)), "category_id": str(self.random.randrange(4))}
        values["bbox"] = "[" + ", ".join(self.number() for _ in range(4)) + "]"
        if self.random.random() < 0.7:
            values["segmentation"] = f"[[{', '.join(self.number() for _ in range(8))}]]"
        values |= {key: self.number() for key in ("score", "area") if self.random.random() < 0.7}
        values |= {key: "0" for key in ("iscrowd", "precedence") if self.random.random() < 0.7}
        members = [(key, self._any() if self._is_wild() else value) for key, value in values.items()]
        if self._is_wild():
            members.insert(self.random.randrange(3), (self.random.choice([*KEYS, *OTHER_KEYS]), self._any()))
        space = self._space()
        return "{" + f",{space}".join(f'"{key}"{space}:{self._space()}{value}' for key, value in members) + "}"

    def _any(self) -> str:
        return self.random.choice([self.random.choice(kind) for kind in (NUMBERS, TEXTS, WORDS, NESTED)])

    def _is_wild(self) -> bool:
        return self.random.random() < self.wildness

    def _space(self) -> str:
        return self.random.choice(SPACES[:7] if not self._is_wild() else SPACES)

    def _damaged(self, text: str) -> bytes:
        data = text.encode("utf-8", "surrogatepass")
        if not self._is_wild() or not data:
            return data
        at = self.random.randrange(len(data))
        cut, byte = self.random.choice([(0, True), (1, True), (1, False), (5, False)]), self.random.randrange(256)
        return data[:at] + (bytes([byte]) if cut[1] else b"") + data[at + cut[0] :]
