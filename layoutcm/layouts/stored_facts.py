"""What a layout table in Parquet says beyond its rows: JSON in the metadata of its schema, for writer and reader.

Version 1 has no metadata: it is what other tools and earlier versions of this package write. Only what does not grow
with the number of pages is in the metadata, because it is read as a whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np

from layoutcm.layouts import limits
from layoutcm.layouts.findings import ABOUT_FILES
from layoutcm.layouts.model import Finding, Layout
from layoutcm.layouts.repairs import is_repair
from layoutcm.messages import TEXTS

VERSION = 2
METADATA_KEY = b"layoutcm"
MANIFEST_FILE = "_manifest.parquet"  # in a folder of parts: their pages and labels; it holds no regions
DOCUMENTS_FILE = "documents.parquet"  # beside a result: its documents, with their scores and matrices
ATTRIBUTE = "attr:"  # before the name of an attribute of pages, which tells it from other columns
LABEL_BYTES = limits.MAX_METADATA // 2  # longer labels are in rows instead, as in version 1
OTHER_BYTES = limits.MAX_METADATA // 8  # of the findings, of the ids of labels, of the annotators
LONGEST_MESSAGE = 10_000  # characters of a finding that is kept; paths have up to 4,096

Key = int | float | str
Value = bool | int | float | str | None


class StoredFinding(msgspec.Struct):
    code: str
    severity: Literal["error", "warning", "info"]
    count: Annotated[int, msgspec.Meta(ge=0, le=2**53)] = 1
    values: dict[str, Value | list[Value | list[Value]]] = {}
    repair: str = ""


class StoredFacts(msgspec.Struct):
    """The metadata of version 2. `name` and `format` say where the layout came from."""

    version: int
    name: str = ""
    format: str = ""
    labels: list[str] = []
    label_keys: list[tuple[Key, int]] = []
    annotator: str = ""
    annotators: list[str] = []
    repairs: list[str] = []
    findings: list[StoredFinding] = []


class FoundFindings(NamedTuple):
    """The findings that can be worded, and the number of the others."""

    findings: list[Finding]
    left_out: int

    def with_note(self, file: str) -> list[Finding]:
        if not self.left_out:
            return self.findings
        return [*self.findings, Finding("findings-left-out", self.left_out, {"file": file})]


def encode_facts(layout: Layout) -> bytes:
    """The JSON of a layout; what is too long for it is left out."""
    findings = _storable_findings(layout.findings, layout.name)
    facts = {
        "version": VERSION,
        "name": without_folder(layout.name)[: limits.MAX_NAME],
        "format": layout.format,
        "labels": layout.labels if labels_fit(layout) else [],
        "label_keys": _if_short(list(layout.label_keys.items())),
        "annotator": layout.annotator,
        "annotators": _if_short(layout.annotators),
        "repairs": layout.repairs,
        "findings": [_fields(finding) for finding in findings],
    }
    return _as_json(facts)


def facts_too_long(layout: Layout) -> dict[str, int]:
    """What is too long for the metadata and is not written, and how many items that is."""
    facts = {"the ids of labels": list(layout.label_keys.items()), "the names of annotators": layout.annotators}
    return {what: len(items) for what, items in facts.items() if items and not _if_short(items)}


def labels_fit(layout: Layout) -> bool:
    """Whether the labels are short enough for the metadata."""
    return len(_as_json(layout.labels)) <= LABEL_BYTES


def usable_findings(stored: Iterable[StoredFinding]) -> FoundFindings:
    """The findings of a file. One that this version cannot word is left out; a later version may have other texts."""
    found = [_usable_finding(one) for one in stored]
    kept = [one for one in found if one is not None]
    return FoundFindings(kept, len(found) - len(kept))


def _usable_finding(stored: StoredFinding) -> Finding | None:
    if stored.code not in TEXTS or (stored.repair and not is_repair(stored.repair)):
        return None
    finding = Finding(stored.code, stored.count, stored.values, stored.severity, stored.repair)
    try:
        texts = finding.message, finding.hint, finding.advice.on_screen
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):  # values of another text
        return None
    return finding if all(len(text) <= LONGEST_MESSAGE for text in texts) else None


def stored_findings(findings: Sequence[Finding], file: str) -> list[StoredFinding]:
    """The findings as they are stored; `file` is named in a note about those that cannot be."""
    fields = [_as_json(_fields(finding)) for finding in _storable_findings(findings, file)]
    return [msgspec.json.decode(text, type=StoredFinding) for text in fields]


def _storable_findings(findings: Sequence[Finding], file: str) -> list[Finding]:
    """The findings that can be read back, with a note about the others."""
    kept: list[Finding] = []
    left = OTHER_BYTES
    for finding in findings:
        try:
            text = _as_json(_fields(finding))
            again = _usable_finding(msgspec.json.decode(text, type=StoredFinding))
        except (TypeError, ValueError, msgspec.MsgspecError):  # a value that is not JSON
            continue
        if again is not None and len(text) < left:
            kept.append(finding)
            left -= len(text) + 2
    return FoundFindings(kept, len(findings) - len(kept)).with_note(file)


def _fields(finding: Finding) -> dict[str, Any]:
    fields = {name: getattr(finding, name) for name in ("code", "severity", "count", "values", "repair")}
    return fields | {"values": {name: _without_folders(finding, name, one) for name, one in finding.values.items()}}


def _without_folders(finding: Finding, name: str, value: Any) -> Any:
    """A value of a finding without the folders of files that it names; a page or a label may look like a path."""
    if name != "file" and finding.code not in ABOUT_FILES:
        return value
    return [without_folder(one) for one in value] if isinstance(value, list) else without_folder(value)


def without_folder(name: Any) -> Any:
    """The name of a file whose path is absolute: whoever gets an output need not know the folders of this machine."""
    if not isinstance(name, str):
        return name
    path = PureWindowsPath(name) if PureWindowsPath(name).drive else PurePosixPath(name)
    return path.name if path.is_absolute() else name


def _if_short(items: Sequence[Any]) -> Sequence[Any]:
    return items if len(_as_json(items)) <= OTHER_BYTES else []


def _as_json(value: Any) -> bytes:
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False).encode("utf-8")


def _plain(value: Any) -> Any:
    """A value of JSON; bytes of a file name that are not text (lone surrogates) become \\udce9."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case dict():
            return {_plain(key): _plain(one) for key, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case np.generic():
            return value.item()
    return value
