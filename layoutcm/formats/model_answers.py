"""Answers of vision-language models that are cut off.

An answer may end in the middle, because the model reached its limit of tokens. It is read up to its last whole region,
and a finding says how much is left out. An answer that is broken before its end is not cut off, and is refused like any
other file; line breaks in texts and a comma after the last region are accepted.
"""

from __future__ import annotations

import json
import re
from typing import TypeVar

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import DECODE_ERRORS, FileContent
from layoutcm.layouts.file_bytes import not_utf8

T = TypeVar("T")
# Between two items of a list. Each place is tried once, because what follows is never a blank or a comma.
_BETWEEN_ITEMS = re.compile(r"\s*+,?+\s*+")
# Models write line breaks into texts. Outside of texts, JSON has no control characters but white space.
_CONTROLS_AS_BLANKS = bytes.maketrans(bytes(range(32)), b" " * 32)
# What may be left of a word or a number that is cut off. The decoder takes 1 of "1.", "1e" and "1e+" as a whole number.
_WORDS = ("true", "false", "null", "NaN", "-Infinity", "Infinity")
_CUT_TOKENS = {word[:end] for word in _WORDS for end in range(len(word))} | {".", "e", "E", "e+", "e-", "E+", "E-"}
LONGEST_ESCAPE = 6


def decode_items(content: FileContent, item: type[T], builder: LayoutBuilder) -> list[T]:
    """The objects of a JSON list that a model wrote, or of a single one; if it is cut off, those before the cut."""
    if content.has_second_fence:
        builder.note_unusual("second-answer", "the end of the first block")
    if content.json_root == "object":
        return [content.decode(item)]
    try:
        return msgspec.json.decode(content.json_text, type=list[item])  # type: ignore[valid-type]
    except DECODE_ERRORS:
        whole = _whole_items(content.json_text.translate(_CONTROLS_AS_BLANKS))
    if whole is None:
        return content.decode(list[item])  # type: ignore[valid-type] # raises an error that names the place
    text, regions, left_out = whole
    if left_out is not None:
        note_cut_off(builder, regions, left_out)
    return FileContent(content.name, f"{text}]".encode()).decode(list[item])  # type: ignore[valid-type]


def note_cut_off(builder: LayoutBuilder, regions: int, left_out: int) -> None:
    """Add the finding of an answer that ends after so many whole regions and so many characters of another one."""
    rest = f"region {regions + 1:,}, of which {left_out:,} characters are left out"
    place = rest if left_out else f"the end, after region {regions:,}"
    builder.note_unusual("cut-off-answer", place)


def decode_answer(content: FileContent) -> str:
    """The text of an answer; it must be UTF-8, but may end inside a character."""
    try:
        return _decode_up_to_cut(content.data_without_bom)
    except UnicodeDecodeError as error:
        raise not_utf8(content.name, error) from None


def _decode_up_to_cut(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason != "unexpected end of data":
            raise
        return data[: error.start].decode("utf-8")


def _whole_items(json_text: bytes) -> tuple[str, int, int | None] | None:
    """Text and number of the whole items of a list that is cut off, and the characters after them; else None.

    The characters are None if the list is closed and nothing is left out.
    """
    try:
        text = _decode_up_to_cut(json_text).rstrip()
    except UnicodeDecodeError:
        return None
    decoder = json.JSONDecoder()
    at = end = text.find("[") + 1
    items = 0
    while True:
        at = _BETWEEN_ITEMS.match(text, at).end()  # type: ignore[union-attr] # it always matches
        if at >= len(text):
            return text[:end], items, 0
        if text[at] == "]" and at == len(text) - 1:
            return text[:end], items, None
        try:
            _, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            return (text[:end], items, len(text) - at) if _is_cut_off(error) and text[at] != "]" else None
        except (ValueError, RecursionError):
            return None
        end = at
        items += 1


def _is_cut_off(error: json.JSONDecodeError) -> bool:
    """Whether the text is valid as far as it goes and only its end is missing."""
    rest = error.doc[error.pos :]
    if error.msg.startswith("Invalid \\"):
        return len(rest) <= LONGEST_ESCAPE and '"' not in rest
    return error.msg.startswith("Unterminated string") or rest in _CUT_TOKENS
