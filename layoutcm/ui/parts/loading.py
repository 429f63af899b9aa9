"""The parts of the start page: uploads, files of the data folder, descriptions of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from layoutcm.errors import InputError
from layoutcm.formats.registry import BY_NAME
from layoutcm.layouts.model import GT, PRED, Layout
from layoutcm.ui import choices, dropped_files, image_uris, session
from layoutcm.ui.input_files import data_files, further_facts_of, layout_of, layouts_of
from layoutcm.ui.page_shell import columns
from layoutcm.ui.parts import format_list, label_mapping, page_matches, saved_sessions
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced
from layoutcm.ui.session_files import is_session_file
from layoutcm.ui.visitor_files import InputFile, input_from_bytes, join_inputs

SEVERAL_GT = "A file, a zip, or all files of a folder together: label files, lists of names, page images for sizes."
SEVERAL_PREDS = "Files, zips, or all files of a folder together. Several files of one page each are one prediction."
IMAGES = "PNG, JPEG, TIFF, WebP, PDF, a zip of these, or Parquet; matched to pages by name, or document and number."
ONE_OR_SEVERAL = "Off: each file is a prediction of its own, and they can be compared one by one."


def input_of_upload(upload: Any) -> InputFile:
    """The upload as an input; its digest is computed once, not on every run."""
    known: dict[str, InputFile] = st.session_state.setdefault("digested", {})
    if upload.file_id not in known:
        known[upload.file_id] = input_from_bytes(upload.name, upload.getvalue())
    return known[upload.file_id]


def show_uploads() -> None:
    """Drop zones for both sides and for page images; the files are loaded as soon as both sides are there.

    A saved session may be dropped into any of them, and replaces everything.
    """
    left, right, third = columns(1, 1, 1, key="_drops")
    # A drop zone keeps its files as long as its key stays the same.
    restarts = session.restarts()
    key = f"_{restarts}" if restarts else ""
    several: Any = {"accept_multiple_files": True}
    dropped = [
        left.file_uploader("Ground truth (or model A)", key=f"upload_gt{key}", help=SEVERAL_GT, **several),
        right.file_uploader("Predictions", key=f"upload_preds{key}", help=SEVERAL_PREDS, **several),
        third.file_uploader("Page images or PDF (optional)", key=f"upload_images{key}", help=IMAGES, **several),
    ]
    current = {upload.file_id for zone in dropped for upload in zone}
    kept = st.session_state.setdefault("digested", {})
    for gone in set(kept) - current:
        del kept[gone]
    with st.spinner("Looking at the files …"):
        inputs = [[input_of_upload(upload) for upload in zone] for zone in dropped]
        saved_sessions.open_dropped([one for zone in inputs for one in zone if is_session_file(one.name, one.data)])
        gt, preds, given = ([one for one in zone if not is_session_file(one.name, one.data)] for zone in inputs)
        kinds = [_kinds(zone) for zone in (gt, preds)]
    _load_page_images(
        given, [one for one, kind in zip(gt + preds, kinds[GT] + kinds[PRED]) if kind in dropped_files.WITH_IMAGES]
    )
    if preds:
        with right:
            found = _group_predictions(preds, kinds[PRED])
    if gt and preds:
        files = (dropped_files.one_layout(gt, kinds[GT]), found)
        if files != st.session_state.get("uploads_taken"):
            st.session_state["uploads_taken"] = files
            session.load_files(session.LoadedFiles(*files))
            st.rerun()


def _kinds(files: list[InputFile]) -> list[str]:
    """The kind of every file; found once, because a large file takes a while."""
    known: dict[tuple[str, str], str] = st.session_state.setdefault("kinds", {})
    new = [one for one in files if (one.name, one.digest) not in known]
    known.update(((one.name, one.digest), kind) for one, kind in zip(new, dropped_files.find_kinds(new)))
    return [known[one.name, one.digest] for one in files]


def _group_predictions(files: list[InputFile], kinds: list[str]) -> tuple[InputFile, ...]:
    """The predictions, grouped by format, or as the visitor sets the switch."""
    by_format = dropped_files.predictions(files, kinds)
    if sum(kind in dropped_files.LAYOUTS for kind in kinds) < 2:
        return by_format
    key = "one_prediction_" + join_inputs(files).digest
    as_one = st.toggle("These files are one prediction", value=len(by_format) == 1, key=key, help=ONE_OR_SEVERAL)
    return by_format if as_one == (len(by_format) == 1) else dropped_files.predictions(files, kinds, as_one)


def _load_page_images(given: list[InputFile], layout_files: list[InputFile]) -> None:
    """Load the page images of their own drop zone and those among the annotations."""
    if (given, layout_files) != st.session_state.get("pictures_given", ([], [])):
        st.session_state["pictures_given"] = given, layout_files
        session.keep_page_images(None)
        st.session_state["pictures_problem"] = ""
        try:
            with st.spinner("Looking through the page images …"):
                images = image_uris.images_of_uploads(given, layout_files)
            session.keep_page_images(images if images.pictures else None)
        except InputError as error:
            st.session_state["pictures_problem"] = error_text(error)
    if st.session_state.get("pictures_problem"):
        st.error(st.session_state["pictures_problem"])


def start_over() -> None:
    """Forget the whole session, uploads included."""
    session.start_over()
    st.query_params.clear()
    st.rerun()


def show_data_folder() -> None:
    """Choose from the folder that the app was started with: no upload, no size limit."""
    known = list(data_files())
    names = [name for name in known if not is_session_file(name)]
    if not known:
        return
    with st.expander("Files and folders of the data folder", expanded=session.loaded_files() is None):
        gt = st.selectbox("Ground truth", names, index=None, key="folder_gt")
        preds = st.multiselect("Predictions", names, key="folder_preds")
        if st.button("Compare these", disabled=not (gt and preds)):
            problem = session.open_named("|".join([str(gt), *preds]))
            st.error(as_typed(problem)) if problem else st.rerun()
        saved_sessions.show_choice([name for name in known if is_session_file(name)])


def describe_file(title: str, given: InputFile, read: Callable[[], Layout]) -> Layout | None:
    """Describe one file: format, pages, regions, labels. If it cannot be read, show the error and return None."""
    try:
        layout = read()
        further = further_facts_of(layout)
    except InputError as error:
        st.error(error_text(error))
        return None
    regions, pages = len(layout.region_columns), len(layout.page_columns)
    scores = "with scores" if layout.has_scores else "without scores"
    used = len(layout.labels_in_use)
    kind = BY_NAME[layout.format].title if layout.format in BY_NAME else layout.format
    st.markdown(f"**{title}** {as_typed(given.name)}: {as_typed(kind)}, {plural_spaced(pages, 'page')}, "
                f"{plural_spaced(regions, 'region')}, {plural_spaced(used, 'label')} in use, {scores}")  # fmt: skip
    if further:
        st.caption("  \n".join(map(as_typed, further)))
    return layout


def describe_files(files: session.LoadedFiles) -> list[Layout]:
    """Describe both files; returns their layouts, or [] if one cannot be read."""
    request = session.comparison_request()
    gt = describe_file(
        "Ground truth", files.gt, lambda: layout_of(files.gt, sizes=request.sizes, repairs=request.gt_repairs)
    )
    if gt is None:
        return []
    pred = describe_file("Prediction", request.pred, lambda: layouts_of(request)[PRED])
    others = [as_typed(pred.name) for i, pred in enumerate(files.preds) if str(i) != session.chosen_side("pred")]
    if others:
        st.caption(f"Also here: {', '.join(others)}. Choose in the bar on top which prediction is shown.")
    return [gt, pred] if pred else []


def show_controls_on_failure(files: session.LoadedFiles) -> None:
    """Controls that may help when the two files cannot be compared."""
    if session.mapping_of() and st.button("Remove the mapping"):
        label_mapping.use_mapping({})
    ask_sizes(files)
    with st.expander("Page map: a page without a size takes that of its partner"):
        page_matches.show_page_map_upload()
    format_list.show_formats()


def ask_sizes(files: session.LoadedFiles) -> None:
    """Ask for a page size, for formats without one when no other file provides it."""
    text = st.text_input("Page size for files that have none, such as 1025x1025", files.sizes, key="sizes")
    if text != files.sizes:
        parts = text.lower().replace(" ", "").split("x")
        if text and not (len(parts) == 2 and all(part.replace(".", "", 1).isdecimal() for part in parts)):
            st.error("Write width x height, such as 1025x1025.")
            return
        session.change_files(sizes="x".join(parts) if text else "")
        st.rerun()


def show_truth() -> None:
    """Whether the first file is the truth; if not, Models shows how far the files agree."""
    help_text = "Then Models shows how far the files agree, instead of how good they are."
    st.session_state["no_truth"] = not choices.current().truth
    st.toggle(
        "No file is the truth: call the two sides A and B", key="no_truth", on_change=_store_truth, help=help_text
    )


def _store_truth() -> None:
    choices.put(truth=not st.session_state["no_truth"])
