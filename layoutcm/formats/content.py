"""The input of a reader: the name and bytes of one file, a fast check of their kind, and typed JSON decoding.

Typed decoding is fast and skips fields that a reader does not use. If it fails, the file is decoded again, slowly, to
find the place and the reason for the error message.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from layoutcm import hints
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import not_utf8
from layoutcm.layouts.model import Layout, Pages
from layoutcm.layouts.page_maps import PageMap, pages_under_pred_names

T = TypeVar("T")
DECODE_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
HEAD = 1 << 16
SEARCHED = 1 << 22  # bytes from the start in which texts that tell formats apart usually occur
JSON_LINES = (".jsonl", ".ndjson", ".jsonlines")
_FENCE = re.compile(rb"\s*+```(?:json|JSON)?(?=[\s\[{])")
_FENCE_AFTER_WORDS = re.compile(rb"\n```(?:json|JSON)?\s*+(?=[\[{])")  # "Here is the layout:"
_END_OF_FENCE = re.compile(rb"\n[ \t]*+```")  # JSON has no line breaks in its strings
MAX_CONVERSIONS = 60  # of a whole document, to find the place of a wrong value; 20 find it in a million items


@dataclass(frozen=True)
class Options:
    """What the caller of `read` adds to a file: a reference layout, page sizes, boxes or outlines, nearby files."""

    like: Layout | None = None
    sizes: tuple[float, float] | dict[str, tuple[float, float] | None] | None = None
    outlines: bool = False
    nested: bool = True  # also regions inside pictures and tables
    companions: tuple[FileContent, ...] = ()  # files next to the annotations, such as lists of names
    images: tuple[str, ...] = ()  # names of the page images next to the annotations
    page_map: PageMap | None = None  # {page of `like`: page of this file}
    annotator: str | None = None  # whose regions are wanted, if the file has several annotators
    median_size: tuple[float, float] | None = None  # of the pages of `like`, for pages whose size is not known
    # Of pages that have another name in `like`.
    sizes_by_number: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @cached_property
    def reference_pages(self) -> Pages | None:
        """The pages of `like` under the names that they have in this file."""
        return pages_under_pred_names(self.like.page_columns, self.page_map) if self.like else None


class ScannedList(NamedTuple, Generic[T]):
    """What was found in a long list of objects, and the JSON with an empty list in its place."""

    found: T
    rest: bytes


@dataclass(frozen=True)
class FileContent:
    """One input file: its bytes, and its name for messages."""

    name: str
    data: bytes
    packed: int | None = None  # bytes that it takes in an archive
    searches_all: bool = False  # in a large file, which takes longer

    @property
    def stored_size(self) -> int:
        """The bytes that the user gave for this file, packed or not."""
        return self.size if self.packed is None else self.packed

    @property
    def size(self) -> int:
        return len(self.data)

    @cached_property
    def head(self) -> bytes:
        """The start of the file, in which texts are searched for."""
        return self.data[:SEARCHED]

    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def stem(self) -> str:
        return Path(self.name).stem

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix.lower()

    @cached_property
    def json_root(self) -> str:
        """ "object", "array" (also of JSON lines), or "" if the content does not start like JSON."""
        return {b"{": "object", b"[": "array"}.get(self.json_head.lstrip()[:1], "")

    @cached_property
    def json_keys(self) -> frozenset[str]:
        """Keys of the outermost object, or of the first object in the outermost array."""
        if not self.json_root:
            return frozenset()
        try:
            if self.json_root == "object":
                without_scanned = next((one.rest for one in self.scanned.values() if one), None) or self.json_text
                return frozenset(msgspec.json.decode(without_scanned, type=dict[str, msgspec.Raw]))
            if self.json_root == "array":
                return frozenset(self._first_item())
        except DECODE_ERRORS:
            pass
        # Malformed JSON: the keys near its start still show which reader should report the error.
        return frozenset(re.findall(r'"([^"\\]{1,64})"\s*:', self.head[:HEAD].decode("utf-8", "replace")))

    @cached_property
    def scanned(self) -> dict[str, ScannedList[Any] | None]:
        """{outermost key: the list under it}, None if it cannot be scanned. Mutable."""
        return {}

    def holds(self, text: str) -> bool:
        """Whether a text is in the file, near its start if not `searches_all`.

        Many formats look for the same texts, so each is searched once.
        """
        found = self._searched.get(text)
        if found is None:
            found = self._searched[text] = text.encode() in (self.data if self.searches_all else self.head)
        return found

    @cached_property
    def _searched(self) -> dict[str, bool]:
        return {}

    @property
    def head_without_bom(self) -> bytes:
        return self.head.removeprefix(codecs.BOM_UTF8)

    @property
    def is_blank(self) -> bool:
        # isspace stops at the first other byte; strip would copy a large file.
        head = self.head_without_bom
        return not head or (head.isspace() and self.data_without_bom.isspace())

    @cached_property
    def data_without_bom(self) -> bytes:
        return self.data.removeprefix(codecs.BOM_UTF8)

    @cached_property
    def json_text(self) -> bytes:
        """The JSON of the file, without a Markdown fence around it. JSON lines become one array, line by line."""
        text = self._in_fence[0]
        if not are_json_lines(text, self.name):
            return text
        lines = text.rstrip().split(b"\n")
        return b"[" + b"\n".join([line + b"," if line.strip() else b"" for line in lines[:-1]] + lines[-1:]) + b"]"

    @property
    def json_head(self) -> bytes:
        """The start of the JSON."""
        return self.json_text[:HEAD]

    @property
    def has_second_fence(self) -> bool:
        """Whether another Markdown fence with JSON comes after the first, whose text is not read."""
        return _FENCE_AFTER_WORDS.search(self._in_fence[1]) is not None

    @cached_property
    def _in_fence(self) -> tuple[bytes, bytes]:
        return _split_fence(self.data_without_bom)

    def _first_item(self) -> dict[str, Any]:
        text = self.json_head.decode("utf-8", "replace")
        start = re.match(r"\s*\[\s*", text)
        try:
            item, _ = json.JSONDecoder().raw_decode(text, start.end() if start else 0)
        except ValueError:  # the item is longer than HEAD, or there is none
            items = msgspec.json.decode(self.json_text, type=list[msgspec.Raw])
            item = msgspec.json.decode(items[0]) if items else {}
        return item if isinstance(item, dict) else {}

    def decode(self, type: type[T]) -> T:
        """Decode the whole file as `type`; an `InputError` names the place of a wrong value."""
        try:
            return msgspec.json.decode(self.json_text, type=type)
        except RecursionError:
            problem = "the JSON is nested too deeply to be a layout"
            raise InputError(self.name, "", problem, "Check what wrote this file.") from None
        except UnicodeDecodeError as error:
            raise self._not_utf8_error(error) from None
        except msgspec.ValidationError as error:
            raise self._wrong_value_error(error, type) from None
        except msgspec.DecodeError as error:
            raise self._malformed_json_error(error) from None

    def try_decode(self, type: type[T]) -> T | None:
        """The whole file decoded as `type`; None if it cannot be."""
        try:
            return msgspec.json.decode(self.json_text, type=type)
        except DECODE_ERRORS:
            return None

    def decode_each(self, type: type[T]) -> list[T]:
        """The objects of a list, or the only one, each decoded as `type`."""
        return self.decode(list[type]) if self.json_root == "array" else [self.decode(type)]  # type: ignore[valid-type]

    @property
    def text(self) -> str:
        """The text of the file, which must be UTF-8."""
        try:
            return self.data_without_bom.decode("utf-8")
        except UnicodeDecodeError as error:
            raise not_utf8(self.name, error) from None

    def _not_utf8_error(self, error: UnicodeDecodeError) -> InputError:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as whole:
            error = whole
        return not_utf8(self.name, error)

    def _malformed_json_error(self, error: msgspec.DecodeError) -> InputError:
        """Python writes NaN and Infinity, which are not valid JSON, so these have their own message."""
        if len(self.data) <= limits.MAX_EXPLAINED_BYTES:
            try:
                document = json.loads(self.json_text)
            except json.JSONDecodeError as syntax:
                at_end = syntax.pos >= len(syntax.doc.rstrip()) or syntax.msg.startswith("Unterminated string")
                problem = "the JSON ends too early" if at_end else f"this is not valid JSON: {syntax.msg}"
                hint = hints.CUT_OFF if at_end else "Export the file again."
                return InputError(self.name, f"line {syntax.lineno}, column {syntax.colno}", problem, hint)
            except UnicodeDecodeError as not_text:
                return self._not_utf8_error(not_text)
            except (ValueError, RecursionError):
                pass
            else:
                found = find_invalid_value(document)
                if found:
                    return InputError(self.name, *found, "Remove the entry or repair it.")
        return InputError(self.name, "", f"this is not valid JSON: {error}", "Copy or export the file again.")

    def _wrong_value_error(self, error: msgspec.ValidationError, type: Any) -> InputError:
        problem, _, path = str(error).partition(" - at `")
        path = path.rstrip("`").removeprefix("$").removeprefix(".")
        value: object = None
        if len(self.data) <= limits.MAX_EXPLAINED_BYTES:
            try:
                document = json.loads(self.json_text)
                # Python reads 1e400 as infinity, which fits the type, so `find_misfit` would not find it.
                if "out of range" in problem and (unusable := find_invalid_value(document)):
                    return InputError(self.name, *unusable, "Remove the entry or repair it.")
                path, value = find_misfit(document, type)
            except (ValueError, RecursionError):
                pass
        found = f" (found {short_repr(value)})" if value is not None else ""
        problem = f"{problem[:1].lower()}{problem[1:]}{found}"
        return InputError(self.name, path, problem, "Repair this value or remove the entry.")


def _split_fence(text: bytes) -> tuple[bytes, bytes]:
    """The text in a Markdown fence, which models write around JSON, and what follows; other text as it is.

    Lines keep their numbers.
    """
    opening = _FENCE.match(text) or (_FENCE_AFTER_WORDS.search(text[:HEAD]) if text[:1] not in b"[{<" else None)
    if opening is None:
        return text, b""
    lines = b"\n" * opening[0].count(b"\n") + b"\n" * text.count(b"\n", 0, opening.start())
    if closing := _END_OF_FENCE.search(text, opening.end()):
        return lines + text[opening.end() : closing.start()], text[closing.end() :]
    return lines + text[opening.end() :].rstrip().removesuffix(b"```"), b""  # it may close on the last line


def are_json_lines(text: bytes, name: str) -> bool:
    """Whether each line is one JSON object. A single line is an object like any other, unless the suffix says so."""
    start = len(text) - len(text.lstrip())
    if text[start : start + 1] != b"{":
        return False
    end = text.find(b"\n", start)
    first, rest = (text[start:end], text[end : end + HEAD].lstrip()[:1]) if end >= 0 else (text[start:], b"")
    named = name.lower().endswith(JSON_LINES)
    if not first.rstrip().endswith(b"}") or not (rest == b"{" or (named and not rest)):
        return False
    try:
        msgspec.json.decode(first, type=msgspec.Raw)
    except DECODE_ERRORS:
        return False
    return True


def find_invalid_value(document: object) -> tuple[str, str] | None:
    """Place and problem of the first value that Python's JSON decoder accepts but the standard forbids."""
    todo = [("", document)]  # a list instead of recursion: the document may be deeper than Python's stack
    while todo:
        path, item = todo.pop()
        if isinstance(item, float) and not math.isfinite(item):
            return path, f"the value is {item}, must be a finite number"
        if isinstance(item, str) and re.search("[\ud800-\udfff]", item):
            return path, f"{short_repr(item)} holds half a surrogate pair, which is not text"
        if isinstance(item, dict):
            todo += reversed([(f"{path}.{key}" if path else str(key), value) for key, value in item.items()])
        elif isinstance(item, list):
            todo += reversed([(f"{path}[{i}]", value) for i, value in enumerate(item)])
    return None


def find_misfit(document: Any, type: Any) -> tuple[str, object]:
    """Path and value of the first item in `document` that does not fit `type`.

    msgspec writes `[...]` instead of a key and of some list indices, so these are found by bisection.
    """

    left = MAX_CONVERSIONS

    def failure(candidate: Any) -> str | None:
        nonlocal left
        left -= 1
        try:
            # As JSON again: `msgspec.convert` takes no value for a field that stays undecoded (msgspec.Raw).
            msgspec.json.decode(json.dumps(candidate), type=type)
        except msgspec.ValidationError as error:
            return str(error).partition(" - at `$")[2].rstrip("`")
        except msgspec.DecodeError:  # a NaN, which Python reads and writes
            return None
        return None

    path = failure(document)
    here, path_so_far = document, ""
    for name, index in re.findall(r"\.([^.\[\]]+)|\[([^\[\]]*)\]", path or ""):
        if left < 0:
            break
        step: Any = name or (int(index) if index.isdigit() else None)
        if step is None and isinstance(here, dict):
            step = _first_misfit_key(here, lambda: failure(document))
        elif step is None:
            step = _first_misfit(here, lambda: failure(document)) if isinstance(here, list) else 0
        path_so_far += f".{step}" if isinstance(step, str) else f"[{step}]"
        if (isinstance(here, dict) and step not in here) or (isinstance(here, list) and step >= len(here)):
            return path_so_far.removeprefix("."), None
        here = here[step] if isinstance(here, dict | list) else here
    return path_so_far.removeprefix("."), here


def _first_misfit(items: list[Any], failure: Any) -> int:
    """Index of the first wrong item: bisect for the shortest prefix of `items` with which the document still fails."""
    whole = list(items)
    low, high = 0, len(whole)  # the first `low` fit, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        items[:] = whole[:middle]
        low, high = (low, middle) if failure() is not None else (middle, high)
    items[:] = whole
    return low


def _first_misfit_key(fields: dict[str, Any], failure: Any) -> str:
    """The key of the first wrong value."""
    whole = list(fields.items())
    items = list(whole)

    def failure_of_items() -> Any:
        fields.clear()
        fields.update(items)
        return failure()

    found = _first_misfit(items, failure_of_items)
    fields.clear()
    fields.update(whole)
    return whole[found][0]
