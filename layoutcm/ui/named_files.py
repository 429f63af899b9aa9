"""The files of a session, and what a name in a link or on the command line stands for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from layoutcm.alignment.taxonomy import PREDS, load_mapping
from layoutcm.drawing.page_images import PARQUET
from layoutcm.errors import InputError
from layoutcm.ui.choice_rules import mapping_to_text
from layoutcm.ui.input_files import data_files, sample_folder
from layoutcm.ui.settings import start_settings
from layoutcm.ui.stored_results import is_result_path, open_results
from layoutcm.ui.visitor_files import InputFile, input_from_path

SAMPLE_PREDS = ("model-a.json", "model-b.csv", "model-c.json")
SAMPLE_MAPPED = "model-b.csv"  # the prediction that mapping.yaml is for


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
    folder = sample_folder()
    gt, *preds = (input_from_path(folder / name) for name in ("gt.json", *SAMPLE_PREDS))
    own = (load_mapping(folder / "mapping.yaml") or {})["pred"]
    mapping = mapping_to_text({PREDS: {str(SAMPLE_PREDS.index(SAMPLE_MAPPED)): own}})
    return LoadedFiles(gt, tuple(preds), str(folder / "images"), mapping)


def _files_of_paths(paths: list[Path]) -> LoadedFiles:
    gt, *preds = (input_from_path(path) for path in paths)
    # It often holds the page images, too.
    gt_folder = str(paths[0]) if paths[0].is_dir() or paths[0].suffix.lower() == PARQUET else ""
    return LoadedFiles(gt, tuple(preds), start_settings().get("images") or gt_folder)
