"""What a name in a link stands for: the sample, the files given at start, files and results of the data folder."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from layoutcm.alignment.taxonomy import PREDS, load_mapping
from layoutcm.drawing.page_images import PARQUET
from layoutcm.errors import InputError
from layoutcm.formats.source_files import OTHER_SUFFIXES, files_below
from layoutcm.layouts.model import GT, PRED
from layoutcm.layouts.page_names import IMAGE_SUFFIXES
from layoutcm.scale.plan import Plan, read_plan
from layoutcm.scale.storage import name_of
from layoutcm.scale.stored_comparison import is_result
from layoutcm.ui.files.input_file import InputFile, LoadedFiles, digest_of, input_from_path
from layoutcm.ui.files.repairs_and_mapping import mapping_to_text
from layoutcm.ui.server.settings import app_folder, start_settings

SAMPLE_PREDS = ("model-a.json", "model-b.csv", "model-c.json")
SAMPLE_MAPPED = "model-b.csv"  # the prediction that mapping.yaml is for
# A folder with more files is offered only as one layout, not file by file.
FILES_OFFERED = 200


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


def _log_unlisted(error: OSError) -> None:
    """The other folders are still offered; this one is refused when it is read."""
    logging.getLogger("layoutcm").warning("a folder of the data folder cannot be listed: %s", error)


@st.cache_data(ttl=5, max_entries=8, show_spinner="Looking through the data folder …")
def _data_names(folder: str) -> list[str]:
    """Folders first, with a slash at the end; every folder may be one layout."""
    root, ignored = Path(folder), (*IMAGE_SUFFIXES, *OTHER_SUFFIXES)
    found: dict[Path, list[str]] = {}
    for path in files_below(root, _log_unlisted):
        if path.suffix.lower() not in ignored:
            found.setdefault(path.parent, []).append(path.relative_to(root).as_posix())
    folders = {above for place in found for above in (place, *place.parents) if root in above.parents}
    files = [name for names in found.values() if len(names) <= FILES_OFFERED for name in names]
    return [*sorted(f"{place.relative_to(root).as_posix()}/" for place in folders), *sorted(files)]


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
