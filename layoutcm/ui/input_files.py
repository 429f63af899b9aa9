"""The inputs of a visitor: where they come from, their layouts, and their comparison, each read and computed once."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import streamlit as st

from layoutcm.comparing import compare
from layoutcm.comparison import Comparison
from layoutcm.formats.source_files import OTHER_SUFFIXES, files_below
from layoutcm.layouts.model import Layout
from layoutcm.layouts.page_maps import PageMap
from layoutcm.layouts.page_names import IMAGE_SUFFIXES
from layoutcm.layouts.repairs import repair
from layoutcm.tables.result_json import annotation_facts
from layoutcm.tables.terminal import further_facts
from layoutcm.ui.guarded_reading import run_guarded
from layoutcm.ui.settings import app_folder, start_settings
from layoutcm.ui.stored_results import not_read, stored_comparison
from layoutcm.ui.visitor_files import InputFile, digest_of, read_layout, read_page_map
from layoutcm.ui.visitors import kept

# A folder with more files is offered only as one layout, not file by file.
FILES_OFFERED = 200
ATTRIBUTES_SHOWN = 8
_further_facts: WeakKeyDictionary[Layout, tuple[str, ...]] = WeakKeyDictionary()


def sample_folder() -> Path:
    return app_folder() / "sample_data"


def data_files() -> dict[str, Path]:
    """{name: path} of the files and folders in the folder given with --data, and of nothing outside it."""
    folder = start_settings().get("data")
    return {name: Path(folder, name) for name in _data_names(folder)} if folder else {}


@st.cache_data(ttl=5, max_entries=8, show_spinner="Looking through the data folder …")
def _data_names(folder: str) -> list[str]:
    """Folders first, with a slash at the end; every folder may be one layout."""
    root, ignored = Path(folder), (*IMAGE_SUFFIXES, *OTHER_SUFFIXES)
    found: dict[Path, list[str]] = {}
    for path in files_below(root):
        if path.suffix.lower() not in ignored:
            found.setdefault(path.parent, []).append(path.relative_to(root).as_posix())
    folders = {above for place in found for above in (place, *place.parents) if root in above.parents}
    files = [name for names in found.values() if len(names) <= FILES_OFFERED for name in names]
    return [*sorted(f"{place.relative_to(root).as_posix()}/" for place in folders), *sorted(files)]


class ReadingInputs(NamedTuple):
    """What a layout is read with: its own input, the reference layout and its digest, a page map, attributes."""

    given: InputFile
    like: Layout | None
    like_digest: str
    page_map: InputFile | None
    attributes: InputFile | None


def layout_of(
    given: InputFile,
    like: Layout | None = None,
    like_digest: str = "",
    sizes: str = "",
    repairs: tuple[str, ...] = (),
    page_map: InputFile | None = None,
    attributes: InputFile | None = None,
) -> Layout:
    """The layout of an input, read with a reference layout, a page map and page attributes, and repaired."""
    if given.result:
        raise not_read(given)
    others = [text for one in (page_map, attributes) if one for text in (one.digest, one.name)]
    reference = digest_of([like_digest, *others]) if others else like_digest
    inputs = ReadingInputs(given, like, like_digest, page_map, attributes)
    return _layout(given.digest, given.name, reference, sizes, repairs, inputs)


@kept("Reading a file …")
def _layout(
    digest: str, name: str, reference: str, sizes: str, repairs: tuple[str, ...], _inputs: ReadingInputs
) -> Layout:
    given, like, like_digest, page_map, attributes = _inputs
    if repairs:
        unrepaired = layout_of(given, like, like_digest, sizes, page_map=page_map, attributes=attributes)
        return repair(unrepaired, repairs)
    return run_guarded(read_layout, given, like, page_map, sizes, attributes, file=name, size=given.size)


def further_facts_of(layout: Layout) -> tuple[str, ...]:
    """Attributes of pages, annotators and ignored pixels, a line each; found once, because pixels are counted."""
    if layout not in _further_facts:
        facts = annotation_facts(layout)
        lines, attributes = further_facts(facts), len(facts["attributes"])
        more = [f"… and {attributes - ATTRIBUTES_SHOWN} more attributes"] if attributes > ATTRIBUTES_SHOWN else []
        _further_facts[layout] = (*lines[: min(attributes, ATTRIBUTES_SHOWN)], *more, *lines[attributes:])
    return _further_facts[layout]


@dataclass(frozen=True)
class ComparisonRequest:
    """What to compare: two inputs, the page size and repairs to use when reading them, a page map, attributes of gt."""

    gt: InputFile
    pred: InputFile
    sizes: str = ""
    gt_repairs: tuple[str, ...] = ()
    pred_repairs: tuple[str, ...] = ()
    page_map: InputFile | None = None
    attributes: InputFile | None = None

    @property
    def key(self) -> str:
        """A key for caches."""
        # With names: they appear in recipes and messages, and two files of equal content may have different names.
        given = [(side.digest, side.name) for side in (self.gt, self.pred, self.page_map, self.attributes) if side]
        return json.dumps([given, self.sizes, self.gt_repairs, self.pred_repairs])


def gt_layout_of(request: ComparisonRequest) -> Layout:
    return layout_of(request.gt, sizes=request.sizes, repairs=request.gt_repairs, attributes=request.attributes)


def layouts_of(
    request: ComparisonRequest, before_read: Callable[[InputFile], None] | None = None
) -> tuple[Layout, Layout]:
    """The layouts of both sides; `before_read` is called with each input before it is read."""
    if before_read:
        before_read(request.gt)
    gt = gt_layout_of(request)
    if before_read:
        before_read(request.pred)
    like_digest = digest_of([request.gt.digest, *request.gt_repairs])  # with repairs, which may rename pages
    return gt, layout_of(request.pred, gt, like_digest, request.sizes, request.pred_repairs, request.page_map)


def parsed_page_map(given: InputFile) -> PageMap:
    return run_guarded(read_page_map, given, file=given.name, size=given.size)


def comparison_of(request: ComparisonRequest, options: dict[str, Any]) -> Comparison:
    """The comparison with some options, which are part of its cache key."""
    if request.pred.result:
        return stored_comparison(request.pred, (*request.gt_repairs, *request.pred_repairs), options)
    gt, pred = layouts_of(request)
    return _comparison(request.key, options_text(options), request.page_map, gt, pred)


@kept("Comparing all pages …")
def _comparison(request: str, options: str, _page_map: InputFile | None, _gt: Layout, _pred: Layout) -> Comparison:
    given = json.loads(options)
    if isinstance(given.get("min_score"), list):
        given["min_score"] = dict(given["min_score"])
    return compare(_gt, _pred, pages=parsed_page_map(_page_map) if _page_map else None, **given)


def options_text(options: dict[str, Any]) -> str:
    """The options as JSON, for keys; minimum scores of labels become pairs, because one key of them may be None."""
    scores = options.get("min_score")
    pairs = [[label, score] for label, score in scores.items()] if isinstance(scores, dict) else scores
    return json.dumps(options | {"min_score": pairs}, sort_keys=True)
