"""Rules for choices that come from outside, in an address or a session file: repairs and label mappings.

Both decide about numbers, so what is not allowed is refused as a whole. Without Streamlit, because session files are
read in another process.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from layoutcm.alignment.taxonomy import PREDS, check_mapping
from layoutcm.errors import InputError
from layoutcm.layouts import limits
from layoutcm.layouts.repairs import is_repair

MOST_REPAIRS = 16  # every repair builds a layout again, and a link may contain anything
LONGEST_MAPPING = 8_000  # characters of a mapping in an address; servers refuse addresses of 16 KB and more
# {"gt" or "pred": {old: new}, "preds": {position of a prediction: {old: new}}}
ChosenMapping = dict[str, dict[str, Any]]


def are_repairs(texts: Sequence[str]) -> bool:
    """Whether the texts are repairs of gt or of a prediction, such as "gt=unit:1000" or "0=flip-y"."""
    sides = [text.partition("=") for text in texts]
    return len(texts) <= MOST_REPAIRS and all(
        (side == "gt" or is_position(side)) and is_repair(repair) for side, _, repair in sides
    )


def is_position(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 7


def mapping_to_text(mapping: Mapping[str, Mapping[str, Any]]) -> str:
    """The mapping as JSON; "{}" says that there is none, even if the files came with one."""
    return json.dumps({side: names for side, names in mapping.items() if names}, ensure_ascii=False)


def mapping_from_text(text: str) -> ChosenMapping | None:
    """The mapping that `mapping_to_text` wrote; None if the text is no mapping."""
    try:
        return checked_mapping(json.loads(text), "")
    except (ValueError, RecursionError, InputError):
        return None


def checked_mapping(mapping: object, file: str) -> ChosenMapping:
    """A mapping whose predictions are named by their positions; anything else raises InputError."""
    checked = check_mapping(mapping, file)
    wrong = next((name for name in checked.get(PREDS, {}) if not is_position(name)), None)
    if wrong is not None:
        raise InputError(file, f"mapping.{PREDS}", f"{wrong!r:.60} is not the position of a prediction")
    names = [checked.get("gt", {}), checked.get("pred", {}), *checked.get(PREDS, {}).values()]
    if any(len(label) > limits.MAX_NAME for one in names for pair in one.items() for label in pair):
        raise InputError(file, "mapping", f"a label is longer than {limits.MAX_NAME:,} characters")
    return checked


def fits_into_address(mapping: str) -> bool:
    return len(quote(mapping)) <= LONGEST_MAPPING
