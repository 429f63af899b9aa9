"""The layouts of a visitor's files and their comparisons, each made once.

A finished comparison of parts is a folder on the server that `compare-parts` has written. It is not read whole.
Everything that changes its numbers was decided when the parts were counted, so no choice may change it here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from layoutcm.comparison import Comparison, compare
from layoutcm.errors import Hint, InputError
from layoutcm.layouts.model import Layout, Positions
from layoutcm.layouts.page_maps import PageMap
from layoutcm.layouts.repairs import repair
from layoutcm.scale.part_files import read_part
from layoutcm.scale.plan import read_plan
from layoutcm.scale.storage import is_remote, name_of
from layoutcm.scale.stored_comparison import open_plan
from layoutcm.tables.layout_facts import annotation_facts
from layoutcm.tables.terminal import further_facts
from layoutcm.ui.files.input_file import InputFile, digest_of, read_layout, read_page_map
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import start_settings
from layoutcm.ui.server.visitors import kept

# {option of `compare`: (its default, which stands for "as it was counted", what it is called)}
DECIDED: dict[str, tuple[Any, str]] = {
    "rounding": ("outer", "the rounding"),
    "min_score": (None, "the score threshold"),
    "missing_pages": ("penalise", "how missing pages count"),
    "taxonomy": ("auto", "the taxonomy"),
    "mapping": (None, "the label mapping"),
}
NOT_READ = "The files of this result are read page by page, never as a whole"
ATTRIBUTES_SHOWN = 8
_further_facts: WeakKeyDictionary[Layout, tuple[str, ...]] = WeakKeyDictionary()


def stored_comparison(given: InputFile, repairs: Sequence[str], options: dict[str, Any]) -> Comparison:
    """The comparison of a result; an InputError if a choice of the visitor would change its numbers."""
    compared = _opened(given.digest, given.path)
    changed = [words for name, (usual, words) in DECIDED.items() if options[name] != usual]
    changed += ["which side is the truth"] if options["truth"] != compared.has_truth else []
    changed += ["repairs"] if repairs else []
    if changed:
        problem = f"in a result of parts, {' and '.join(changed)} cannot be changed"
        hint = "Remove the choice in the bar on top, or compare the parts again with it."
        raise InputError(given.name, "", problem, Hint(hint, hint))
    return compared


@kept("Opening the result …")
def _opened(digest: str, folder: str) -> Comparison:
    """The comparison in a folder. Parts are read in another process; those of the data folder are below it."""
    settings = start_settings()
    given = folder in settings.get("files", [])
    trusted = settings.get("trusted", []) if given else [settings.get("data") or folder]
    return open_plan(replace(read_plan(folder, trusted), read_part=_read_guarded))


def _read_guarded(place: str, shapes: str, pages: Positions | None) -> Layout:
    size = 0 if is_remote(place) else os.path.getsize(place)
    return run_guarded(read_part, place, shapes, pages, file=name_of(place), size=size)


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
        raise InputError(given.name, "", NOT_READ, "")
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
