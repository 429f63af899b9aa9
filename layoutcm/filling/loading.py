"""`load_result`: a result.json or leaderboard.json is decoded into its type, and checked."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct, structs

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.content import FileContent, find_misfit
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.results.common_parts import Columns, PixelMatrix, SparseMatrix
from layoutcm.results.measures import measured
from layoutcm.results.result import LeaderboardResult, Result, filled
from layoutcm.results.types import SCHEMA, Level
from layoutcm.results.vocabulary import BY_SIDES, WITH_TRUTH, WITHOUT_TRUTH, Vocabulary
from layoutcm.wording import plural

ResultFile = str | os.PathLike[str] | bytes | Mapping[str, Any] | list[Any]
IN_MEMORY = "result"  # the name of a result that is not a file
OLDEST = 1  # the first number of the oldest schema that is read
WRITE_AGAIN = "Write it again: layoutcm compare GT PRED --json FILE."


def load_result(file: ResultFile) -> Result | list[Result] | LeaderboardResult:
    """Read what `compare --json` or a report wrote.

    Parameters
    ----------
    file : path, bytes or dict

    Returns
    -------
    Result, list of Result, or LeaderboardResult
        A file with several predictions gives a list, and leaderboard.json a `LeaderboardResult`.
    """
    name, value = _decoded(file)
    if isinstance(value, dict) and value.get("kind") == "leaderboard":
        _check_version(value, name, "")
        board: LeaderboardResult = _convert({**value, "schema": SCHEMA}, LeaderboardResult, name, "")
        return board
    if not isinstance(value, list):
        return _result(value, name, "")
    if not value:
        raise InputError(name, "", "the list has no result", "Give a file that compare --json wrote.")
    return [_result(one, name, f"[{k}]") for k, one in enumerate(value)]


def _decoded(file: ResultFile) -> tuple[str, Any]:
    """The name of the file, and its content: one result or a list of them."""
    match file:
        case bytes():
            return IN_MEMORY, FileContent(IN_MEMORY, file).decode(Any)
        case str() | os.PathLike():
            name = os.fspath(file)
            return name, FileContent(name, read_bytes(name)).decode(Any)
        case dict() | list():
            _check_texts(file)
            return IN_MEMORY, file
    raise InputError("", "result", f"{short_repr(file)} is not a result", "Give a path, the bytes of a file or a dict.")


def _check_texts(value: Any) -> None:
    """Raise an InputError if a dict has a text that no file could hold, and that no report could be written with."""
    try:
        msgspec.json.encode(value, enc_hook=str)
    except UnicodeEncodeError:
        FileContent(IN_MEMORY, json.dumps(value, default=str).encode()).decode(Any)  # whose error names the place


def _result(value: Any, name: str, place: str) -> Result:
    if not isinstance(value, dict) or not {"recipe", "confusion"} <= set(value):
        raise InputError(name, place, "this is not the result of a comparison", WRITE_AGAIN)
    version = _check_version(value, name, place)
    result: Result = _convert(_as_of_now(value) if version == OLDEST else value, Result, name, place)
    for where, problem in _wrong_values(result):
        raise InputError(name, f"{place}.{where}".removeprefix("."), problem, WRITE_AGAIN)
    if version == OLDEST:
        return filled(result)
    # A measure that the file lacks is read off its parts; one that this version does not know stays.
    return msgspec.structs.replace(result, measures=measured(result) | result.measures)


def _as_of_now(value: dict[str, Any]) -> dict[str, Any]:
    """A result of the first schema with the keys that were added since."""
    words = WITHOUT_TRUTH if value.get("agreement") else WITH_TRUTH
    added = {"vocabulary": msgspec.to_builtins(words), "measures": {}, "weights": "area"}
    means = dict.fromkeys(("averages_over_pages", "averages_over_documents", "averages_with_background"))
    return {**added, **means, **value, "schema": SCHEMA}


def _check_version(value: dict[str, Any], name: str, place: str) -> int:
    """The first number of the version; an InputError for one that is not read."""
    version = re.fullmatch(r"([0-9]{1,9})\.[0-9]+", str(value.get("schema", "0.0")))
    own, at_schema = int(SCHEMA.partition(".")[0]), f"{place}.schema".removeprefix(".")
    if not version:
        problem = f"{short_repr(value['schema'])} is not a version, such as {SCHEMA!r}"
        raise InputError(name, at_schema, problem, WRITE_AGAIN)
    if int(version[1]) < OLDEST:
        raise InputError(name, place, "the result was written by an earlier version of layoutcm", WRITE_AGAIN)
    if int(version[1]) > own:
        problem = f"the result has version {version[0]}, and this layoutcm reads {SCHEMA}"
        raise InputError(name, at_schema, problem, "Read it with a newer version of layoutcm.")
    return int(version[1])


def _convert(value: Any, type: Any, name: str, place: str) -> Any:
    """The value as `type`; an InputError names the place of a missing or wrong value."""
    try:
        return msgspec.convert(value, type)
    except (msgspec.ValidationError, UnicodeEncodeError) as error:
        problem = str(error).partition(" - at `")[0]
        path, _ = find_misfit(value, type)
        where = f"{place}.{path}" if place and path else place or path
        raise InputError(name, where, f"{problem[:1].lower()}{problem[1:]}", WRITE_AGAIN) from None


def _wrong_values(result: Result) -> Iterator[tuple[str, str]]:
    """(place, problem) of everything that does not fit: records without names, lists without one entry per label."""
    count, sides = len(result.labels), len(result.gt_labels) + len(result.pred_labels)
    if not count or (result.taxonomy == "different" and count != 1 + sides):
        yield "labels", "these are not Background and the labels of both sides"
    yield from _unknown_words(result.vocabulary)
    yield from _wrong_sizes(result, result.confusion_matrix, result.method, count)
    for name, levels, key in (("by_document", result.by_document, "pages"), ("by_page", result.by_page, "page")):
        for k, level in enumerate(levels or ()):
            if level[key] is UNSET:
                yield f"{name}[{k}]", f"object missing required field `{key}`"
            for place, problem in _wrong_sizes(level, level.confusion, result.method, count):
                yield f"{name}[{k}].{place}", problem
    for cause, matrix in (result.causes.values if result.causes else {}).items():
        if not _fits(matrix, count):
            yield f"causes.values.{cause}", f"this is not a matrix of the {count} labels"
    for name in ("objects", "score_curves", "page_scores"):
        yield from _unequal_columns(getattr(result, name), name)


def _unknown_words(words: Vocabulary) -> Iterator[tuple[str, str]]:
    """(place, problem) of words without which no table can be named."""
    known = BY_SIDES.get(words.sides)
    if known is None:
        yield "vocabulary.sides", f"{short_repr(list(words.sides))} are not the names of two sides"
        return
    if words.measured != known.measured:
        yield "vocabulary.measured", f"{short_repr(words.measured)} is not {known.measured!r}"
    for name in ("scores", "views", "columns", "verdicts"):
        missing = [key for key in getattr(known, name) if key not in getattr(words, name)]
        if missing:
            yield f"vocabulary.{name}", f"{short_repr(missing[0])} is missing"


def _unequal_columns(part: Any, place: str) -> Iterator[tuple[str, str]]:
    """(place, problem) of columns of a table that are not as long as its first one."""
    if isinstance(part, list):
        items = {f"{place}[{k}]": one for k, one in enumerate(part)}
    elif isinstance(part, dict | Struct):
        fields = part if isinstance(part, dict) else structs.asdict(part)
        items = {f"{place}.{key}": one for key, one in fields.items()}
    else:
        return
    if isinstance(part, Columns):
        tables = {key: one if isinstance(one, dict) else {"": one} for key, one in items.items()}
        lists = {f"{key}.{name}".rstrip("."): one for key, own in tables.items() for name, one in own.items()}
        (first, column), *others = ((key, one) for key, one in lists.items() if isinstance(one, list))
        for key, one in others:
            if len(one) != len(column):
                yield key, f"{plural(len(one), 'entry', 'entries')}, but {first} has {len(column):,}"
        return
    for key, one in items.items():
        yield from _unequal_columns(one, key)


def _wrong_sizes(level: Result | Level, confusion: PixelMatrix, method: str, count: int) -> Iterator[tuple[str, str]]:
    """(key, problem) of what does not fit the number of labels."""
    matrices = {"confusion": confusion, "precision_mass": level.precision_mass}
    shares = {key: level[key] for key in ("recall", "precision", "f1") if level[key] is not UNSET}
    own = {"confusion": confusion} if method == "matrix" else matrices
    for key, matrix in (own | shares).items():
        if not _fits(matrix, count):
            yield key, f"this is not a matrix of the {count} labels"
    if len(level.pred_pixels) != count:
        yield "pred_pixels", f"{len(level.pred_pixels)} numbers for {count} labels"


def _fits(matrix: Any, count: int) -> bool:
    if not isinstance(matrix, SparseMatrix):
        return matrix is not UNSET and len(matrix) == count and all(len(row) == count for row in matrix)
    cells = len(matrix.value)
    positions = (matrix.row, matrix.column)
    inside = all(len(one) == cells and 0 <= min(one, default=0) <= max(one, default=0) < count for one in positions)
    return matrix.shape == (count, count) and inside
