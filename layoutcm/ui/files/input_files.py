"""The inputs of a visitor: what names stand for, where files come from, their layouts and comparisons, each made once.

A finished comparison of parts is a folder on the server that `compare-parts` has written. It is not read whole.
Everything that changes its numbers was decided when the parts were counted, so no choice may change it here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import streamlit as st

from layoutcm.alignment.taxonomy import PREDS, load_mapping
from layoutcm.comparing import compare
from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PARQUET
from layoutcm.errors import Hint, InputError
from layoutcm.formats.source_files import OTHER_SUFFIXES, files_below
from layoutcm.layouts.model import GT, PRED, Layout
from layoutcm.layouts.page_maps import PageMap
from layoutcm.layouts.page_names import IMAGE_SUFFIXES
from layoutcm.layouts.repairs import repair
from layoutcm.scale.plan import Plan, read_plan
from layoutcm.scale.storage import name_of
from layoutcm.scale.stored_comparison import is_result, open_comparison
from layoutcm.tables.layout_facts import annotation_facts
from layoutcm.tables.terminal import further_facts
from layoutcm.ui.files.repairs_and_mapping import mapping_to_text
from layoutcm.ui.files.visitor_files import InputFile, digest_of, input_from_path, read_layout, read_page_map
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import app_folder, start_settings
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
SAMPLE_PREDS = ("model-a.json", "model-b.csv", "model-c.json")
SAMPLE_MAPPED = "model-b.csv"  # the prediction that mapping.yaml is for
# A folder with more files is offered only as one layout, not file by file.
FILES_OFFERED = 200
ATTRIBUTES_SHOWN = 8
_further_facts: WeakKeyDictionary[Layout, tuple[str, ...]] = WeakKeyDictionary()


def is_result_path(path: str) -> bool:
    try:
        return is_result(path)
    except InputError:  # an address that cannot be reached
        return False


def open_results(folders: Sequence[str]) -> tuple[InputFile, tuple[InputFile, ...], bool]:
    """The ground truth and the predictions of these results, and whether there is a truth; they must fit together."""
    plans = [read_plan(folder) for folder in folders]
    first, *others = plans
    for plan in others:
        if plan.facts.sides[GT].digest != first.facts.sides[GT].digest:
            problem = f"it has another ground truth than {name_of(first.folder)}"
            raise InputError(name_of(plan.folder), "", problem, "Open results of one ground truth together.")
        if plan.facts.truth != first.facts.truth:
            problem = f"one of it and {name_of(first.folder)} has a truth, the other has none"
            raise InputError(name_of(plan.folder), "", problem, "Open one of them.")
    gt = first.facts.sides[GT]
    return InputFile(gt.name, gt.digest, result=True), tuple(map(_input_of, plans)), first.facts.truth


def _input_of(plan: Plan) -> InputFile:
    digest = digest_of([plan.digest, plan.folder])
    return InputFile(plan.facts.sides[PRED].name, digest, path=plan.folder, result=True)


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
    return open_comparison(folder)


@dataclass(frozen=True)
class LoadedFiles:
    """The files of a session: one gt, one or more preds, and where page images come from."""

    gt: InputFile
    preds: tuple[InputFile, ...]
    images: str = ""  # a folder on the server
    mapping: str = ""  # that the files come with, as text; a visitor's own mapping is a choice
    sizes: str = ""
    page_maps: tuple[tuple[str, InputFile], ...] = ()  # (digest of the prediction, its page map)
    attributes: InputFile | None = None  # of the pages of gt
    truth: bool = True  # of results of parts: whether one side is the truth

    @property
    def is_result(self) -> bool:
        """Whether these are finished comparisons of parts, which are not read as a whole."""
        return self.gt.result


def named_files(name: str) -> LoadedFiles | str:
    """What a name stands for, or why it cannot be opened."""
    if name == "sample":
        return _sample_files()
    if name == "start":
        places: list[str] = start_settings().get("files", [])
        if places and all(map(is_result_path, places)):
            return _results(places)
        missing = [place for place in places if not Path(place).exists()]
        if missing:
            return f"A file that the app was started with does not exist: {missing[0]}."
        return _files_of_paths([Path(place) for place in places]) if len(places) > 1 else "There is nothing to open."
    known, names = data_files(), name.split("|")
    missing = [file for file in names if file not in known]
    paths = [known[file] for file in names if file in known]
    if not missing and all(is_result_path(str(path)) for path in paths):
        return _results([str(path) for path in paths])
    if missing or len(names) < 2:
        return f"This link names files that are not here: {', '.join(missing) or name}. Choose files below."
    return _files_of_paths(paths)


def _results(folders: list[str]) -> LoadedFiles | str:
    """Finished comparisons of parts, or why they cannot be opened."""
    try:
        gt, preds, truth = open_results(folders)
    except InputError as error:
        return error.on_screen
    return LoadedFiles(gt, preds, start_settings().get("images", ""), truth=truth)


def _sample_files() -> LoadedFiles:
    """The sample, with the mapping of the one model that has other labels."""
    folder = app_folder() / "sample_data"
    gt, *preds = (input_from_path(folder / name) for name in ("gt.json", *SAMPLE_PREDS))
    own = (load_mapping(folder / "mapping.yaml") or {})["pred"]
    mapping = mapping_to_text({PREDS: {str(SAMPLE_PREDS.index(SAMPLE_MAPPED)): own}})
    return LoadedFiles(gt, tuple(preds), str(folder / "images"), mapping)


def _files_of_paths(paths: list[Path]) -> LoadedFiles:
    gt, *preds = (input_from_path(path) for path in paths)
    # It often holds the page images, too.
    gt_folder = str(paths[0]) if paths[0].is_dir() or paths[0].suffix.lower() == PARQUET else ""
    return LoadedFiles(gt, tuple(preds), start_settings().get("images") or gt_folder)


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
