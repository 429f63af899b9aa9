"""The bar that stays: what is compared, and the choices that hold on all pages."""

from __future__ import annotations

from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.ui import state


def choose(name: str, label: str, options: Any, **more: Any) -> None:
    """A select box bound to one choice of the session; a choice that is not there becomes the first."""
    values = list(options)
    if values and state.get(name) not in values:
        state.put(**{name: values[0]})
    st.selectbox(label, values, **state.bound(name), **more)


def show() -> None:
    """Draw the bar in the sidebar."""
    files = state.loaded()
    if files is None:
        st.sidebar.caption("Nothing loaded yet. Start on the page Compare.")
        return
    # Every page begins here, so whatever is slow about new files happens under this spinner, in sight.
    with st.spinner("Reading and comparing …"):
        compared = state.comparison()
    with st.sidebar:
        if len(files.preds) > 1:
            names = [pred.name for pred in files.preds]
            choose("pred", "Prediction", range(len(names)), format_func=names.__getitem__)
        if isinstance(compared, Comparison):
            _facts(files.gt.name, compared)
            _controls(compared)


def _facts(gt: str, compared: Comparison) -> None:
    from layoutcm.ui.panels import counted, typed

    counts = {"page": len(compared.pages), "document": len(compared.documents), "label": len(compared.labels) - 1}
    st.markdown(f"**{typed(gt)}** → **{typed(state.chosen_pred().name)}**")
    facts = [*(counted(count, word) for word, count in counts.items()), f"{compared.taxonomy} taxonomy"]
    st.caption(" · ".join(facts))


def _label_filter(compared: Comparison) -> None:
    known = list(dict.fromkeys(compared.labels[1:]))
    state.put(labels=tuple(label for label in state.get("labels") if label in known))
    st.multiselect(
        "Labels", known, placeholder="all", **state.bound("labels"),
        help="Only these, and Background, are shown in matrices, lists and on pages. Numbers do not change: shares and "
        "averages are those of all labels.",
    )  # fmt: skip


def _controls(compared: Comparison) -> None:
    choose("level", "Level", state.CHOICES["level"])
    if state.get("level") == "document":
        choose("document", "Document", compared.documents)
    elif state.get("level") == "page":
        choose("page", "Page", compared.pages)
    _label_filter(compared)
    choose("method", "Method", state.CHOICES["method"], help="How pixels with several labels are read. See Method.")
    choose("rounding", "Rounding", state.CHOICES["rounding"], help="What a fractional box edge covers.")
    if compared.alignment.layouts[1].has_scores:
        st.slider("Score threshold", 0.0, 1.0, step=0.05, **state.bound("min_score"))
    choose("missing_pages", "Pages that one side lacks", state.CHOICES["missing_pages"])
