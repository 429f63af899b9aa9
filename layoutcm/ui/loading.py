"""The start page's parts: uploads, files of the data folder, what a file is, the mapping editor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.model import Layout
from layoutcm.ui import page_images, state
from layoutcm.ui.inputs import Input, data_files, from_bytes, layout_of
from layoutcm.ui.panels import counted, findings, guarded, typed

KEEP = "(keep)"


def digested(upload: Any) -> Input:
    """The upload as an input; its digest is taken once, not on every run."""
    known: dict[str, Input] = st.session_state.setdefault("digested", {})
    if upload.file_id not in known:
        known[upload.file_id] = from_bytes(upload.name, upload.getvalue())
    return known[upload.file_id]


def uploads() -> None:
    """Two drop zones and a third for page images; loads as soon as both sides are there."""
    left, right, third = st.columns(3)
    # A drop zone keeps its files as long as its key is the same.
    again = st.session_state.get("started_over", 0)
    key = f"_{again}" if again else ""
    gt = left.file_uploader("Ground truth (or model A)", key=f"upload_gt{key}")
    preds = right.file_uploader("Predictions", accept_multiple_files=True, key=f"upload_preds{key}")
    pictures = third.file_uploader(
        "Page images or PDF (optional)", accept_multiple_files=True, key=f"upload_images{key}"
    )
    current = {upload.file_id for upload in [gt, *preds, *pictures] if upload}
    kept = st.session_state.setdefault("digested", {})
    for gone in set(kept) - current:
        del kept[gone]
    given = tuple(digested(upload) for upload in pictures)
    if given != st.session_state.get("pictures_given", ()):
        st.session_state["pictures_given"] = given
        st.session_state["page_images"] = None
        st.session_state["pictures_problem"] = ""
        try:
            with st.spinner("Looking through the page images …"):
                st.session_state["page_images"] = page_images.from_uploads(list(given)) if given else None
        except InputError as error:
            st.session_state["pictures_problem"] = str(error)
    if st.session_state.get("pictures_problem"):
        st.error(typed(st.session_state["pictures_problem"]))
    if gt and preds:
        files = (digested(gt), tuple(digested(pred) for pred in preds))
        if files != st.session_state.get("uploads_taken"):
            st.session_state["uploads_taken"] = files
            state.load(state.Loaded(*files))
            st.rerun()


def start_over() -> None:
    again = st.session_state.get("started_over", 0) + 1
    st.session_state.clear()
    st.session_state["started_over"] = again
    st.query_params.clear()
    st.rerun()


def folder() -> None:
    """Choose from the folder that the app was started with: no upload, no size limit."""
    names = list(data_files())
    if not names:
        return
    with st.expander("Files of the data folder", expanded=state.loaded() is None):
        gt = st.selectbox("Ground truth", names, index=None, key="folder_gt")
        preds = st.multiselect("Predictions", names, key="folder_preds")
        if st.button("Compare these", disabled=not (gt and preds)):
            problem = state.open_named("|".join([str(gt), *preds]))
            st.error(typed(problem)) if problem else st.rerun()


def what_it_is(title: str, given: Input, like: Input | None = None) -> Layout | None:
    """One file in plain words: format, pages, regions, labels, what is odd about it."""
    files = state.loaded()
    sizes = files.sizes if files else ""
    try:
        lender = layout_of(like, sizes=sizes) if like else None
        layout = layout_of(given, lender, like.digest if like else "", sizes)
    except InputError as error:
        st.error(typed(str(error)))
        return None
    regions, pages = len(layout.region_columns), len(layout.page_columns)
    scores = "with scores" if layout.has_scores else "without scores"
    used = len(layout.labels_in_use)
    st.markdown(f"**{title}** {typed(given.name)}: {typed(layout.format)}, {counted(pages, 'page')}, "
                f"{counted(regions, 'region')}, {counted(used, 'label')} in use, {scores}")  # fmt: skip
    findings(layout.findings)
    return layout


def files_in_words(files: state.Loaded) -> bool:
    """Both files; False when one of them cannot be read, which is then said."""
    if what_it_is("Ground truth", files.gt) is None:
        return False
    readable = what_it_is("Prediction", state.chosen_pred(), files.gt) is not None
    others = [typed(pred.name) for pred in files.preds if pred is not state.chosen_pred()]
    if others:
        st.caption(f"Also here: {', '.join(others)}. The bar at the left chooses which prediction is shown.")
    return readable


def ways_out(files: state.Loaded) -> None:
    """What a person can still do when the two files cannot be compared."""
    if files.mapping and st.button("Remove the mapping"):
        _use_mapping(files, ())
    ask_sizes(files)


def ask_sizes(files: state.Loaded) -> None:
    """Formats without page sizes need one when no other file lends it."""
    text = st.text_input("Page size for files that have none, such as 1025x1025", files.sizes, key="sizes")
    if text != files.sizes:
        parts = text.lower().replace(" ", "").split("x")
        if text and not (len(parts) == 2 and all(part.replace(".", "", 1).isdigit() for part in parts)):
            st.error("Write width x height, such as 1025x1025.")
            return
        st.session_state["loaded"] = replace(files, sizes="x".join(parts) if text else "")
        st.rerun()


def taxonomy(compared: Comparison) -> None:
    """Same, different or mapped; one click to match equal names, an editor for the rest."""
    files = state.loaded()
    assert files is not None
    words = {
        "same": "Both sides use the same labels.",
        "different": "The two sides use different labels: matrices are a block, class values need a mapping.",
        "mapped": "Labels are mapped to each other.",
    }
    st.markdown(f"**Taxonomy: {compared.taxonomy}.** {words[compared.taxonomy]}")
    st.session_state["match_names"] = state.get("taxonomy") == "match-names"
    st.toggle("Match equal names (up to case, blanks and hyphens)", key="match_names", on_change=_match_names)
    editor = st.expander(
        "Map labels of the prediction to labels of the ground truth",
        bool(files.mapping),
        key="mapping_open",
        on_change="rerun",
    )
    if editor.open:
        with editor:
            guarded(lambda: _mapping_editor(files))


def _match_names() -> None:
    state.put(taxonomy="match-names" if st.session_state["match_names"] else "auto")


def _mapping_editor(files: state.Loaded) -> None:
    gt = layout_of(files.gt, sizes=files.sizes)
    pred = layout_of(state.chosen_pred(), gt, files.gt.digest, files.sizes)
    current = {old: new for side, old, new in files.mapping if side == "pred"}
    choices = [KEEP, *gt.labels, *(label for label in pred.labels if label not in gt.labels), "Background"]
    rows = [{"prediction": label, "becomes": current.get(label, KEEP)} for label in pred.labels]
    edited = st.data_editor(
        rows, hide_index=True, disabled=["prediction"], key=f"mapping_{state.chosen_pred().digest}",
        column_config={"becomes": st.column_config.SelectboxColumn("becomes", options=choices, required=True)},
    )  # fmt: skip
    wanted = tuple(("pred", row["prediction"], row["becomes"]) for row in edited if row["becomes"] != KEEP)
    uploaded = st.file_uploader("or a mapping file (YAML or JSON)", type=["yaml", "yml", "json"], key="mapping_file")
    if uploaded and uploaded.file_id != st.session_state.get("mapping_taken"):
        st.session_state["mapping_taken"] = uploaded.file_id
        wanted = _mapping_rows(uploaded)
        _use_mapping(files, wanted)
    left, right, _ = st.columns([1, 1, 3])
    if left.button("Use this mapping", disabled=wanted == files.mapping):
        _use_mapping(files, wanted)
    if right.button("Remove it", disabled=not files.mapping):
        _use_mapping(files, ())


def _mapping_rows(uploaded: Any) -> tuple[tuple[str, str, str], ...]:
    from layoutcm.comparison import parse_mapping

    mapping = parse_mapping(uploaded.name, uploaded.getvalue())
    return tuple((side, old, new) for side, names in mapping.items() for old, new in names.items())


def _use_mapping(files: state.Loaded, mapping: tuple[tuple[str, str, str], ...]) -> None:
    st.session_state["loaded"] = replace(files, mapping=mapping)
    st.rerun()
