"""What a reader is given: the bytes of one input with its name, a cheap look at their kind, and typed JSON.

Typed decoding is fast and skips what a reader does not ask for. Only when it fails is the file read a second
time, slowly, to tell the person where and why.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Layout, Pages
from layoutcm.layouts.page_maps import PageMap, pages_under_pred_names

T = TypeVar("T")
HEAD = 1 << 16
# Above this a second, slow look at a broken file would take longer than a person waits.
EXPLAIN_LIMIT = 100 << 20


@dataclass(frozen=True)
class Options:
    """What the person adds to a file: a layout that lends what it lacks, page sizes, boxes or outlines."""

    like: Layout | None = None
    sizes: tuple[float, float] | dict[str, tuple[float, float] | None] | None = None
    outlines: bool = False
    nested: bool = True  # regions inside pictures and tables too
    companions: tuple[Content, ...] = ()  # files beside the annotations: lists of names and the like
    images: tuple[str, ...] = ()  # names of the page images beside them
    page_map: PageMap | None = None  # which page of `like` is which here

    @cached_property
    def reference_pages(self) -> Pages | None:
        """The pages of `like`, under the names that this file has for them."""
        return pages_under_pred_names(self.like.page_columns, self.page_map) if self.like else None


@dataclass(frozen=True)
class Content:
    """One input: the name that messages use and all its bytes."""

    name: str
    data: bytes

    @cached_property
    def stem(self) -> str:
        return Path(self.name).stem

    @cached_property
    def json_root(self) -> str:
        """ "object", "array" or "" for anything that does not start like JSON."""
        head = self.data[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
        return {b"{": "object", b"[": "array"}.get(head[:1], "")

    @cached_property
    def json_keys(self) -> frozenset[str]:
        """Keys of the outermost object, or of the first object in the outermost array."""
        if not self.json_root:
            return frozenset()
        try:
            if self.json_root == "object":
                return frozenset(msgspec.json.decode(self.json_bytes, type=dict[str, msgspec.Raw]))
            if self.json_root == "array":
                return frozenset(self._first_item())
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            pass
        # Broken JSON: the keys near its start still tell which reader should explain what is wrong with it.
        return frozenset(re.findall(r'"([^"\\]{1,64})"\s*:', self.data[:HEAD].decode("utf-8", "replace")))

    @cached_property
    def json_bytes(self) -> bytes:
        return self.data.removeprefix(b"\xef\xbb\xbf")

    def _first_item(self) -> dict[str, Any]:
        text = self.json_bytes[:HEAD].decode("utf-8", "replace")
        start = re.match(r"\s*\[\s*", text)
        try:
            item, _ = json.JSONDecoder().raw_decode(text, start.end() if start else 0)
        except ValueError:  # longer than the head, or no item at all
            items = msgspec.json.decode(self.json_bytes, type=list[msgspec.Raw])
            item = msgspec.json.decode(items[0]) if items else {}
        return item if isinstance(item, dict) else {}

    def decode(self, type: type[T]) -> T:
        """The whole file as `type`, or an `InputError` that names the place."""
        try:
            return msgspec.json.decode(self.json_bytes, type=type)
        except RecursionError:
            raise InputError(
                self.name, "", "the JSON is nested too deeply to be a layout", "Check what wrote this file."
            ) from None
        except UnicodeDecodeError as error:
            raise self._not_utf8(error) from None
        except msgspec.ValidationError as error:
            raise self._wrong_value(error, type) from None
        except msgspec.DecodeError as error:
            raise self._broken(error) from None

    def _not_utf8(self, error: UnicodeDecodeError) -> InputError:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as whole:
            error = whole
        byte = error.object[error.start]
        return InputError(
            self.name, f"byte {error.start}", f"0x{byte:02x} is not UTF-8 text", "Save the file as UTF-8."
        )

    def _broken(self, error: msgspec.DecodeError) -> InputError:
        """Malformed JSON. Python writes NaN and Infinity, which JSON has not, so these get their own message."""
        if len(self.data) <= EXPLAIN_LIMIT:
            try:
                document = json.loads(self.json_bytes)
            except json.JSONDecodeError as lax:
                at_end = lax.pos >= len(lax.doc.rstrip()) or lax.msg.startswith("Unterminated string")
                problem = "the JSON ends too early" if at_end else f"this is not valid JSON: {lax.msg}"
                hint = "The file seems cut off: copy or export it again." if at_end else "Export the file again."
                return InputError(self.name, f"line {lax.lineno}, column {lax.colno}", problem, hint)
            except UnicodeDecodeError as not_text:
                return self._not_utf8(not_text)
            except (ValueError, RecursionError):
                pass
            else:
                found = first_unusable(document)
                if found:
                    return InputError(self.name, *found, "Remove the entry or repair it.")
        return InputError(self.name, "", f"this is not valid JSON: {error}", "Copy or export the file again.")

    def _wrong_value(self, error: msgspec.ValidationError, type: Any) -> InputError:
        problem, _, path = str(error).partition(" - at `")
        path = path.rstrip("`").removeprefix("$").removeprefix(".")
        value: object = None
        if len(self.data) <= EXPLAIN_LIMIT:
            try:
                document = json.loads(self.json_bytes)
                # Python reads 1e400 as infinity, so that no value misfits where msgspec found it out of range.
                if "out of range" in problem and (unusable := first_unusable(document)):
                    return InputError(self.name, *unusable, "Remove the entry or repair it.")
                path, value = locate(document, type)
            except (ValueError, RecursionError):
                pass
        found = f" (found {short_repr(value)})" if value is not None else ""
        return InputError(
            self.name, path, f"{problem[:1].lower()}{problem[1:]}{found}", "Repair this value or remove the entry."
        )


def first_unusable(document: object) -> tuple[str, str] | None:
    """Place and problem of the first value that Python's JSON has and the standard has not."""
    todo = [("", document)]  # a list instead of recursion: what Python can decode may be deeper than its own stack
    while todo:
        path, item = todo.pop()
        if isinstance(item, float) and not math.isfinite(item):
            return path, f"the value is {item}, must be a finite number"
        if isinstance(item, str) and re.search("[\ud800-\udfff]", item):
            return path, f"{short_repr(item)} holds half a surrogate pair, which is no text"
        if isinstance(item, dict):
            todo += reversed([(f"{path}.{key}" if path else str(key), value) for key, value in item.items()])
        elif isinstance(item, list):
            todo += reversed([(f"{path}[{i}]", value) for i, value in enumerate(item)])
    return None


def locate(document: Any, type: Any) -> tuple[str, object]:
    """Path and value of the first thing in `document` that does not fit `type`.

    msgspec writes `[...]` for a place in a list; the index is found by cutting the list shorter until it fits.
    """

    def failure(candidate: Any) -> str | None:
        try:
            msgspec.convert(candidate, type)
        except msgspec.ValidationError as error:
            return str(error).partition(" - at `$")[2].rstrip("`")
        return None

    path = failure(document)
    here, spelled = document, ""
    for name, index in re.findall(r"\.([^.\[\]]+)|\[([^\]]*)\]", path or ""):
        step = name or (int(index) if index.isdigit() else None)
        if step is None:
            step = _first_misfit(here, lambda: failure(document)) if isinstance(here, list) else 0
        spelled += f".{step}" if name else f"[{step}]"
        if (isinstance(here, dict) and step not in here) or (isinstance(here, list) and step >= len(here)):
            return spelled.removeprefix("."), None
        here = here[step] if isinstance(here, dict | list) else here
    return spelled.removeprefix("."), here


def _first_misfit(items: list[Any], failure: Any) -> int:
    """Bisect for the shortest prefix of `items` with which the document still fails."""
    whole = list(items)
    low, high = 0, len(whole)  # the first `low` fit, the first `high` do not
    while high - low > 1:
        middle = (low + high) // 2
        items[:] = whole[:middle]
        low, high = (low, middle) if failure() is not None else (middle, high)
    items[:] = whole
    return low
