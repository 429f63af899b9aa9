"""The files of a visitor's session: how they are loaded, replaced and saved.

Only this module writes the session keys "loaded", "page_images", "decisions", "load_problem" and "started_over".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import streamlit as st

from layoutcm.alignment.taxonomy import PREDS
from layoutcm.drawing.page_images import PageImages
from layoutcm.errors import InputError
from layoutcm.ui.files.input_file import InputFile, LoadedFiles, digest_of, input_from_path
from layoutcm.ui.files.link_targets import data_files, named_files
from layoutcm.ui.files.repairs_and_mapping import ChosenMapping, mapping_from_text, mapping_to_text
from layoutcm.ui.files.session_files import SessionContents, is_session_file, read_session
from layoutcm.ui.server import pictures
from layoutcm.ui.server.guarded_reading import run_guarded
from layoutcm.ui.server.settings import start_settings
from layoutcm.ui.state.choices import DEFAULTS, Choices, choices_in, current, put, restore, texts_of


def loaded_files() -> LoadedFiles | None:
    return st.session_state.get("loaded")


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
    return digest_of([files.gt.digest, files.sizes, *repairs_of(current(), "gt")])


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
        mapping_in_use(files, current()),
        current().fixes,
        texts_of(others),
        decisions(),
        images.pictures if images else (),
        attributes=files.attributes,
    )


def mapping_in_use(files: LoadedFiles | None, now: Choices) -> ChosenMapping:
    """The mapping of all predictions: the visitor's own, else the one that the files come with."""
    return mapping_from_text(now.mapping or (files.mapping if files else "") or "{}") or {}


def repairs_of(now: Choices, side: str) -> tuple[str, ...]:
    """The repairs of a side, given as `fixes` names it, in the order in which they were made."""
    named = [text.partition("=") for text in now.fixes]
    return tuple(one for own, _, repair in named if own == side for one in repair.split(","))
