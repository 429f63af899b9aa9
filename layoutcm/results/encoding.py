"""The JSON of results: one record or one row of a matrix on a line, nan as null, and equal bytes for equal values."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Struct


def json_ready(value: Any) -> Any:
    """Convert to plain Python values; nan and infinity, which JSON does not have, become None."""
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return json_ready(value.tolist())
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.generic):
        return json_ready(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def json_text(value: Any) -> bytes:
    """The JSON text of a value, as it is written to a file; nan becomes null."""
    return b"".join(_broken_text(value, 3 if isinstance(value, list) else 2, b"\n")) + b"\n"


def _broken_text(value: Any, levels: int, line: bytes) -> Iterator[bytes]:
    """JSON with one item per line down to so many levels: a record or a row of a matrix is on one line.

    `line` is a line break with the indentation of the value. Yields pieces, because to join parts first copies them.
    """
    items = _items(value) if levels else []
    if not any(isinstance(item, dict | list | Struct) for _, item in items):
        yield _plain_text(value)
        return
    inner, is_list = line + b" ", isinstance(value, list)
    before = b"[" if is_list else b"{"
    for key, item in items:
        yield before + inner if is_list else before + inner + _plain_text(key) + b": "
        yield from _broken_text(item, levels - 1, inner)
        before = b","
    yield line + (b"]" if is_list else b"}")


def _items(value: Any) -> list[tuple[Any, Any]]:
    """The items of a list, a dict or a part of a result, as (key, value); absent items are left out."""
    if isinstance(value, list):
        return [(None, item) for item in value]
    if not isinstance(value, Struct):
        return list(value.items()) if isinstance(value, dict) else []
    absent = (UNSET, None) if value.__struct_config__.omit_defaults else (UNSET,)
    found = ((one.encode_name, getattr(value, one.name), one.default) for one in msgspec.structs.fields(value))
    return [(name, item) for name, item, default in found if not (item is default and item in absent)]


def _plain_text(value: Any) -> bytes:
    """JSON on one line."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a file name can contain lone surrogates, which UTF-8 cannot encode
        text = json.dumps(
            json_ready(msgspec.to_builtins(value)), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        return text.encode("utf-8", "replace")
