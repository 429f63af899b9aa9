"""The files of a visitor's session, and the comparison that all pages show.

Only this module writes the session keys "loaded", "page_images", "decisions", "load_problem" and "started_over".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import streamlit as st

from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.taxonomy import PREDS, mapping_for
from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PageImages
from layoutcm.drawing.palette import DARK, LIGHT, Theme
from layoutcm.errors import InputError
from layoutcm.results.vocabulary import vocabulary_of
from layoutcm.ui.files.input_files import ComparisonRequest, comparison_of, data_files, named_files, options_text
from layoutcm.ui.files.input_files import LoadedFiles as LoadedFiles
from layoutcm.ui.files.repairs_and_mapping import ChosenMapping, mapping_from_text, mapping_to_text
from layoutcm.ui.files.session_files import SessionContents, is_session_file, read_session
from layoutcm.ui.files.visitor_files import InputFile, digest_of, input_from_path
from layoutcm.ui.screen_text import ScreenWords, words_of
from layoutcm.ui.server import pictures
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import start_settings
from layoutcm.ui.state.choices import DEFAULTS, choices_in, current, put, restore, scores_by_label, texts_of, value_of
from layoutcm.wording import make_unique


def loaded_files() -> LoadedFiles | None:
    return st.session_state.get("loaded")


def shows_result() -> bool:
    files = loaded_files()
    return files is not None and files.is_result


def change_files(**changes: Any) -> None:
    """Change what belongs to the loaded files: sizes, page maps, attributes."""
    files = loaded_files()
    assert files is not None
    st.session_state["loaded"] = replace(files, **changes)


def forget_files() -> None:
    """Show nothing, because a ground truth or a prediction is missing now."""
    pictures.forget_pictures()
    st.session_state["loaded"] = None
    put(load="", fixes=(), mapping="")


def page_images() -> PageImages | None:
    """The uploaded page images."""
    return st.session_state.get("page_images")


def keep_page_images(images: PageImages | None) -> None:
    st.session_state["page_images"] = images


def decisions() -> dict[str, Any]:
    """{candidate for an error: "accepted" or "dismissed"} of the loaded ground truth; another one has its own."""
    return st.session_state.get("decisions", {}).get(gt_key(), {})


def keep_decisions(made: Mapping[str, Any]) -> None:
    """Replace all decisions about the loaded ground truth."""
    texts = {candidate: decision for candidate, decision in made.items() if isinstance(decision, str)}
    st.session_state["decisions"] = {**st.session_state.get("decisions", {}), gt_key(): texts}


def gt_key() -> str:
    """The ground truth as it is read: row numbers of its regions belong to this file, after these repairs."""
    files = loaded_files()
    assert files is not None
    return digest_of([files.gt.digest, files.sizes, *repairs_of("gt")])


def take_load_problem() -> str:
    """Why the files of the link could not be opened, to be shown once; "" if they were."""
    return st.session_state.pop("load_problem", "")


def restarts() -> int:
    """How often the visitor started over; part of widget keys, because a new key empties a widget."""
    return st.session_state.get("started_over", 0)


def start_over() -> None:
    """Forget everything about this session."""
    count = restarts() + 1
    pictures.forget_pictures()
    st.session_state.clear()
    st.session_state["started_over"] = count


def load_files(files: LoadedFiles, name: str = "") -> None:
    """Replace the loaded files, and reset the choices that belong to the old ones."""
    kept = _choices_to_keep(loaded_files(), files)
    pictures.forget_pictures()
    st.session_state["loaded"] = files
    reset = ("pred", "baseline", "document", "page", "gt_label", "pred_label", "class_name", "level", "families",
             "family", "expanded", "labels", "mask", "curves", "curve_label", "label_scores", "open_groups", "other",
             "truth", "error_kinds", "attribute", "has_label", "cause", "versus", "facet", "list_page")  # fmt: skip
    put(load=name, **kept, **{key: getattr(DEFAULTS, key) for key in reset})


def _choices_to_keep(before: LoadedFiles | None, files: LoadedFiles) -> dict[str, Any]:
    """The repairs and the mapping of files that are still loaded, perhaps at another position."""
    if before is None:
        return {"fixes": (), "mapping": ""}
    now = {pred.digest: str(i) for i, pred in enumerate(files.preds)}
    moved = {str(i): now[pred.digest] for i, pred in enumerate(before.preds) if pred.digest in now}
    if before.gt.digest == files.gt.digest:
        moved["gt"] = "gt"
    repairs = [text.partition("=") for text in current().fixes]
    return {
        "fixes": tuple(f"{moved[side]}={repair}" for side, _, repair in repairs if side in moved),
        "mapping": _moved_mapping(moved) if "gt" in moved and current().mapping else "",
    }


def _moved_mapping(moved: dict[str, str]) -> str:
    """The chosen mapping, with the new positions of predictions."""
    mapping = mapping_from_text(current().mapping) or {}
    own = {moved[i]: names for i, names in mapping.get(PREDS, {}).items() if i in moved}
    return mapping_to_text({**mapping, PREDS: own})


def open_at_start(name: str) -> None:
    """Open what a link or the command line names; a problem is kept for `take_load_problem`."""
    path = _session_path(name)
    st.session_state["load_problem"] = _open_session_path(path, name) if path else open_named(name, anew=False)


def open_named(name: str, anew: bool = True) -> str:
    """Load the sample, the files given at start, or files of the data folder; return the problem, or "".

    Choices that belong to other files are forgotten, unless a link gives them (`anew` is False).
    """
    path = _session_path(name)
    if path:
        return _open_session_path(path, name, anew=True)
    kept, files = current(), named_files(name)
    if isinstance(files, str):
        return files
    load_files(files, name)
    if not anew:
        # The repairs and the mapping of a link belong to the files of that link only.
        dropped = ("load",) if kept.load == name else ("load", "fixes", "mapping")
        put(**{field: value for field, value in asdict(kept).items() if field not in dropped})
    if files.is_result:
        put(truth=files.truth)
    return ""


def _session_path(name: str) -> Path | None:
    """The session file that a link or the command line names; None if it names other files."""
    given = start_settings().get("files", [])
    path = Path(given[0]) if name == "start" and len(given) == 1 else data_files().get(name)
    return path if path and is_session_file(path.name) else None


def _open_session_path(path: Path, name: str, anew: bool = False) -> str:
    """Open a session file on the server; return the problem, or "". The other choices of a link come before its own."""
    try:
        contents = read_session_file(input_from_path(path))
    except (InputError, OSError) as error:
        return error.on_screen if isinstance(error, InputError) else f"{path.name} cannot be read."
    link = current()
    if anew:
        start_over()
    show_session(contents, name)
    if not anew and texts_of(replace(link, load="")):
        restore(replace(link, load=name))
    return ""


def read_session_file(given: InputFile) -> SessionContents:
    """What a session file holds; an InputError if any part of it is wrong."""
    return run_guarded(read_session, given, file=given.name, size=given.size)


def show_session(contents: SessionContents, name: str = "") -> None:
    """Replace files, images, decisions and choices by those of a session file."""
    maps = tuple((pred.digest, one) for pred, one in zip(contents.preds, contents.page_maps) if one)
    st.session_state["loaded"] = LoadedFiles(contents.gt, contents.preds, page_maps=maps)
    keep_page_images(PageImages(contents.pictures) if contents.pictures else None)
    own = {
        "load": name,
        "fixes": contents.repairs,
        "mapping": mapping_to_text(contents.mapping) if contents.mapping else "",
    }
    restore(replace(DEFAULTS, **(choices_in(contents.choices) | own)))
    keep_decisions(contents.decisions)
    if contents.left_out:
        names = ", ".join(contents.left_out)
        st.session_state["load_problem"] = f"Not in this session, because it could not be read: {names}."


def session_contents(images: PageImages | None) -> SessionContents:
    """What a session file of the present state holds, with these page images."""
    files = loaded_files()
    assert files is not None
    maps = dict(files.page_maps)
    others = replace(current(), load="", fixes=(), mapping="")  # the last two have their own places
    return SessionContents(
        files.gt,
        files.preds,
        tuple(maps.get(pred.digest) for pred in files.preds),
        files.sizes,
        chosen_mapping(),
        current().fixes,
        texts_of(others),
        decisions(),
        images.pictures if images else (),
        attributes=files.attributes,
    )


def chosen_mapping() -> ChosenMapping:
    """The mapping of all predictions: the visitor's own, else the one that the files come with."""
    files = loaded_files()
    return mapping_from_text(current().mapping or (files.mapping if files else "") or "{}") or {}


def mapping_of(position: int | None = None) -> dict[str, dict[str, str]]:
    """{side: {old: new}} for the chosen prediction, or for the prediction at `position`."""
    position = chosen_index() if position is None else position
    names = mapping_for(chosen_mapping(), str(position)) or {}
    return {side: dict(own) for side, own in names.items() if own}


def compare_options(position: int | None = None) -> dict[str, Any]:
    """The options of the comparison as `compare` takes them, for the chosen prediction or the one at `position`."""
    return {
        "rounding": current().rounding,
        "min_score": min_scores(),
        "missing_pages": current().missing_pages,
        "taxonomy": current().taxonomy,
        "mapping": mapping_of(position) or None,
        "truth": current().truth,
    }


def min_scores() -> MinScore:
    """The minimum score as `compare` takes it: one for all labels, or also some for single labels."""
    common, by_label = current().min_score or None, scores_by_label(current().label_scores)
    if not by_label:
        return common
    scores: dict[str | None, float] = {} if common is None else {None: common}
    scores.update(by_label.items())
    return scores


def chosen_index() -> int:
    """The position of the prediction that is shown."""
    files = loaded_files()
    assert files is not None
    return min(current().pred, len(files.preds) - 1)


def chosen_pred() -> InputFile:
    files = loaded_files()
    assert files is not None
    return files.preds[chosen_index()]


def pred_names() -> list[str]:
    """The names of the predictions, made unique if two files have the same name."""
    files = loaded_files()
    return make_unique([pred.name for pred in files.preds]) if files else []


def words() -> ScreenWords:
    """The words for the two sides, as the visitor chose whether one is the truth."""
    return words_of(vocabulary_of(current().truth))


def repairs_of(side: str) -> tuple[str, ...]:
    """The repairs of a side, given as `fixes` names it, in the order in which they were made."""
    named = [text.partition("=") for text in current().fixes]
    return tuple(one for own, _, repair in named if own == side for one in repair.split(","))


def chosen_page_map() -> InputFile | None:
    return comparison_request().page_map if loaded_files() else None


def comparison_request(position: int | None = None) -> ComparisonRequest:
    """The request for the chosen prediction, or for the prediction at `position`."""
    files = loaded_files()
    assert files is not None
    position = chosen_index() if position is None else position
    pred = files.preds[position]
    maps = dict(files.page_maps)
    return ComparisonRequest(
        files.gt,
        pred,
        files.sizes,
        repairs_of("gt"),
        repairs_of(str(position)),
        maps.get(pred.digest),
        files.attributes,
    )


def comparison_key(position: int | None = None) -> str:
    """A cache key for the files and options of the comparison, for the chosen prediction or the one at `position`."""
    return comparison_request(position).key + options_text(compare_options(position))


def current_comparison() -> Comparison | InputError | None:
    """The comparison that all pages show; None before anything is loaded."""
    if loaded_files() is None:
        return None
    try:
        return comparison_of(comparison_request(), compare_options())
    except InputError as error:
        return error


def chosen_level(compared: Comparison) -> dict[str, str]:
    """{"document" or "page": its name}; empty for the whole set."""
    level = current().level
    known = {"document": compared.documents, "page": compared.alignment.pages.index}.get(level, ())
    return {level: value_of(level)} if level != "set" and value_of(level) in known else {}


def theme() -> Theme:
    return DARK if st.context.theme.type == "dark" else LIGHT
