"""What a dropped file is, found from its content: a layout, page images, a mapping, or another file that is understood.

It runs in another process (`guarded_reading`), so this module does not import Streamlit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from layoutcm.alignment.taxonomy import PREDS
from layoutcm.errors import InputError
from layoutcm.formats.archives import EMPTY_ZIP_MAGIC, ZIP_MAGIC, open_archive
from layoutcm.formats.class_names import KEYS as KEYS_OF_NAMES
from layoutcm.formats.class_names import is_list_of_names
from layoutcm.formats.content import FileContent
from layoutcm.formats.recognition import COMPANIONS, find_candidates
from layoutcm.formats.registry import DATA_SET
from layoutcm.formats.source_files import OTHER_SUFFIXES, holds_no_layout
from layoutcm.formats.table_columns import column_key, find_columns
from layoutcm.layouts.handwritten import parse_yaml_or_json
from layoutcm.layouts.model import SIDES
from layoutcm.layouts.page_attributes import KEYS as KEYS_OF_ATTRIBUTES
from layoutcm.layouts.page_maps import parse_page_map
from layoutcm.layouts.page_names import IMAGE_SUFFIXES
from layoutcm.metrics.family_trees import check_tree
from layoutcm.ui.files.session_files import is_session_file
from layoutcm.ui.files.visitor_files import InputFile, input_from_bytes, read_layout

# Kinds of files. A part is the layout of one page or document; several parts make one layout.
WHOLE_LAYOUT, PART, COMPANION, IMAGE = "whole layout", "part of a layout", "companion", "page images"
MAPPING, FAMILIES, PAGE_MAP, ATTRIBUTES = "mapping", "families", "page map", "page attributes"
SESSION, SKIPPED, UNKNOWN = "session", "skipped", "unknown"
LAYOUTS = (WHOLE_LAYOUT, PART)

PDF, TABLES, TEXTS = ".pdf", (".csv", ".tsv"), (".yaml", ".yml", ".json")
LARGEST_TEXT = 1 << 20  # bytes of a mapping, families or page map
SEARCHED = 1 << 20  # bytes in which a score is looked for
# Formats whose files always have the sizes of their pages; others may need page images for them.
WITH_SIZES = frozenset((
    "coco", "coco-results", "hf-doclaynet", "voc", "cvat", "labelme", "darwin", "supervisely", "prodigy",
    "label-studio", "page-xml", "alto", "hocr", "docling", "docling-serve", "docling-eval", "docling-metrics",
    "omnidocbench", "mineru", "mineru-model", "adobe-extract", "pdffigures2-gt", "abbyy", "mistral-ocr", "unstructured",
    "surya", "huridocs", "marker", "azure", "docai",
))  # fmt: skip
_SCORE = re.compile(rb'"(?:scores?|confidence|conf|prob|probability)"\s*+:|\b(?:score|conf|confidence)\s*+=')
_SCORE_COLUMNS = frozenset(("score", "confidence", "conf", "prob", "probability"))
_YOLO_SCORE = re.compile(rb"[ \t]*+(?:[\d.eE+-]++[ \t]++){5}[\d.eE+-]++[ \t]*+\r?(?:\n|\Z)")


@dataclass(frozen=True)
class FileFacts:
    """The kind of a file; of a layout, its format (if it is known), whether it has scores, and whether page sizes."""

    kind: str
    format: str = ""
    has_scores: bool = False
    has_sizes: bool = True


def facts_of_files(files: Sequence[InputFile]) -> list[FileFacts]:
    return [facts_of(one.name, one.data) for one in files]


def facts_of_start(given: InputFile) -> FileFacts:
    """What a file is, from its first bytes: it may be very large."""
    if not given.path:
        return facts_of(given.name, given.data[:SEARCHED])
    with open(given.path, "rb") as file:
        return facts_of(given.name, file.read(SEARCHED))


def facts_of(name: str, data: bytes) -> FileFacts:
    suffix = PurePosixPath(name.replace("\\", "/")).suffix.lower()
    if is_session_file(name, data):
        return FileFacts(SESSION)
    if suffix in (*IMAGE_SUFFIXES, PDF):
        return FileFacts(IMAGE)
    if holds_no_layout(suffix, data):
        return FileFacts(SKIPPED)
    if data.startswith((ZIP_MAGIC, EMPTY_ZIP_MAGIC)):
        return FileFacts(_kind_of_zip(name, data))
    content = FileContent(name, data)
    return _known_table(content, suffix) or _known_text(content, suffix) or _layout(content)


def _kind_of_zip(name: str, data: bytes) -> str:
    """A zip of page images and nothing else holds page images; any other is taken for a layout."""
    try:
        members = open_archive(name, data).members
    except InputError:
        return WHOLE_LAYOUT  # reading it says what is wrong
    suffixes = {PurePosixPath(one.filename).suffix.lower() for one in members}
    return IMAGE if suffixes and suffixes <= {*IMAGE_SUFFIXES, *OTHER_SUFFIXES} else WHOLE_LAYOUT


def _known_table(content: FileContent, suffix: str) -> FileFacts | None:
    """A page map or a table of attributes; a table of regions has columns for label and box."""
    if suffix not in TABLES:
        return None
    names = _header(content)
    columns = find_columns(names)
    if columns.box is not None or "label" in columns.place:
        return None
    keys = [column_key(name) for name in names]
    is_map = not {"gt", "gt_page"}.isdisjoint(keys) and not {"pred", "pred_page"}.isdisjoint(keys)
    if is_map or (len(keys) == 2 and "map" in content.name.lower()):
        return FileFacts(PAGE_MAP)
    return FileFacts(ATTRIBUTES) if any(key in keys for key in KEYS_OF_ATTRIBUTES) and len(keys) > 1 else None


def _header(content: FileContent) -> list[str]:
    """The names of the columns of a table."""
    first = content.head_without_bom.lstrip(b"\r\n").split(b"\n", 1)[0].decode("utf-8", "replace")
    sign = next((sign for sign in "\t;" if sign in first and "," not in first), ",")
    return [name.strip().strip('"') for name in first.split(sign)]


def _known_text(content: FileContent, suffix: str) -> FileFacts | None:
    """A mapping, families, a page map, or a list of class names, in YAML or JSON."""
    base = PurePosixPath(content.name.replace("\\", "/")).name.lower()
    if base in COMPANIONS or base.endswith(".data") or is_list_of_names(base):
        return FileFacts(COMPANION)
    if suffix not in TEXTS or content.size > LARGEST_TEXT or (suffix == ".json" and find_candidates(content)):
        return None
    try:
        kind = _kind_of_values(parse_yaml_or_json(content.name, content.data, "file"), content)
    except InputError:
        kind = ""
    if not kind and suffix != ".json":
        kind = kind_by_name(base)  # no layout is YAML; with this kind, the error says what the file lacks
    return FileFacts(kind) if kind else None


def _kind_of_values(values: object, content: FileContent) -> str:
    """The kind of a handwritten file; "" if it is none of them."""
    if not isinstance(values, dict) or not values:
        return ""
    if not {*KEYS_OF_NAMES, "nc"}.isdisjoint(values):
        return COMPANION
    if set(values) <= {*SIDES, PREDS}:
        return MAPPING  # even if it is wrong: families may be nested, too
    checks: dict[str, Callable[[], object]] = {
        FAMILIES: lambda: check_tree(values, ""),
        PAGE_MAP: lambda: parse_page_map(content.name, content.data),
    }
    return next((kind for kind, check in checks.items() if _passes(check)), "")


def _passes(check: Callable[[], object]) -> bool:
    try:
        check()
    except InputError:
        return False
    return True


def kind_by_name(name: str) -> str:
    """What a handwritten file is meant to be, by its name; a mapping if the name says nothing else."""
    words = re.findall(r"[a-z]+", name.lower())
    if any(word.startswith("famil") for word in words):
        return FAMILIES
    return PAGE_MAP if any(word.startswith("page") for word in words) else MAPPING


def _layout(content: FileContent) -> FileFacts:
    found = find_candidates(content)
    if not found:
        return FileFacts(UNKNOWN)
    kind = WHOLE_LAYOUT if any(format.holds == DATA_SET for format in found) else PART
    name = found[0].name
    sizes = name in WITH_SIZES or (name == "csv" and {"width", "height"} <= set(find_columns(_header(content)).place))
    return FileFacts(kind, name, _has_scores(content, name), sizes)


def _has_scores(content: FileContent, format: str) -> bool:
    """Whether the file seems to have scores, before it is read."""
    if format == "csv":
        return bool({column_key(name) for name in _header(content)} & _SCORE_COLUMNS)
    if format == "yolo":
        return _YOLO_SCORE.match(content.data) is not None
    data = content.data
    return _SCORE.search(bytes(data[:SEARCHED])) is not None or bytes(data[SEARCHED:]).find(b'"score"') >= 0


def load_reading_code() -> None:
    """Load modules and compiled code in a new process, so that the first file of a visitor does not wait for them."""
    tiny = input_from_bytes("tiny.csv", b"page,width,height,label,score,x0,y0,x1,y1\np,9,9,a,1,0,0,5,5\n")
    facts_of(tiny.name, tiny.data)
    read_layout(tiny, None, None, "")
