"""The bar that stays: what is compared, and the choices that hold on all pages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.ui import choices, session
from layoutcm.ui.input_files import InputFile, layouts_of
from layoutcm.ui.screen_text import as_typed, plural_spaced

MANY, NEAR = 2000, 100  # more options than that are not all listed; so many before and after the chosen one are
LARGE = 10_000_000  # bytes; less is read in a moment


def choice_box(name: str, label: str, options: Any, place: str = "bar", **more: Any) -> None:
    """A select box bound to one choice of the session; a choice that is not there becomes the first.

    Of very many options, which a browser is slow to take, it lists those near the chosen one and takes typed names.
    """
    values = list(options)
    if values and choices.get(name) not in values:
        choices.put(**{name: values[0]})
    bound = choices.bind(name, place)
    if len(values) > MANY:
        at = values.index(choices.get(name))
        bound |= {"on_change": _take_typed_name, "args": (name, bound["key"], values), "accept_new_options": True}
        more["help"] = f"Type a part of a name to find it among all {len(values):,}."
        values = values[max(at - NEAR, 0) : at + NEAR]
    st.selectbox(label, values, **bound, **more)


def find_name(text: str, names: Sequence[str]) -> str | None:
    """The name that was chosen, or the first one that has in it what was typed."""
    return text if text in names else next((name for name in names if text.casefold() in name.casefold()), None)


def _take_typed_name(name: str, key: str, known: list[str]) -> None:
    found = find_name(st.session_state[key], known)
    if found is None:
        st.toast(f"There is no {name} with {as_typed(st.session_state[key])} in its name.")
    else:
        choices.put(**{name: found})


def show_sidebar() -> None:
    """Draw the bar in the sidebar."""
    place, files = st.empty(), session.loaded_files()  # the place is always there, so that nothing below it moves
    if files is None:
        st.sidebar.caption("Nothing loaded yet. Start on the page Compare.")
        return
    # Every page begins here, so whatever is slow about new files or options happens now, and says so on top.
    _read_with_progress(files, place)
    compared = session.current_comparison()
    with st.sidebar:
        if len(files.preds) > 1:
            names = session.pred_names()
            choice_box("pred", "Prediction", range(len(names)), format_func=names.__getitem__)
        if isinstance(compared, Comparison):
            _facts(files.gt.name, compared)
            _controls(compared)


def _read_with_progress(files: session.LoadedFiles, place: Any) -> None:
    """New large files are read under a bar. A spinner would come too late: reading leaves no moment to show it."""
    gt, pred = files.gt, session.chosen_pred()
    new = (gt.digest, pred.digest, files.sizes)
    if st.session_state.get("read_in_sight") == new:
        return
    st.session_state["read_in_sight"] = new
    size = gt.size + pred.size
    if size < LARGE:
        return

    def tell(given: InputFile) -> None:
        done = 0.1 if given is gt else 0.1 + 0.8 * gt.size / size
        place.progress(done, f"Reading {as_typed(given.name)}, {given.size / 1e6:,.0f} MB …")
        time.sleep(0.05)  # the moment

    with suppress(InputError):  # which the page itself shows
        layouts_of(session.comparison_request(), tell)
    place.empty()


def _facts(gt: str, compared: Comparison) -> None:
    counts = {"page": len(compared.pages), "document": len(compared.documents), "label": len(compared.labels) - 1}
    st.markdown(f"**{as_typed(gt)}** → **{as_typed(session.chosen_pred().name)}**")
    facts = [*(plural_spaced(count, word) for word, count in counts.items()), f"{compared.taxonomy} taxonomy"]
    st.caption(" · ".join(facts))


def _label_filter(compared: Comparison) -> None:
    known = list(dict.fromkeys(compared.labels[1:]))
    choices.put(labels=tuple(label for label in choices.get("labels") if label in known))
    st.multiselect(
        "Labels", known, placeholder="all", **choices.bind("labels"),
        help="Only these, and Background, are shown in matrices, lists and on pages. Numbers do not change: shares and "
        "averages are those of all labels.",
    )  # fmt: skip


def _controls(compared: Comparison) -> None:
    choice_box("level", "Level", choices.CHOICES["level"])
    if choices.get("level") == "document":
        choice_box("document", "Document", compared.documents)
    elif choices.get("level") == "page":
        choice_box("page", "Page", compared.pages)
    _label_filter(compared)
    choice_box(
        "method", "Method", choices.CHOICES["method"], help="How pixels with several labels are read. See Method."
    )
    choice_box("rounding", "Rounding", choices.CHOICES["rounding"], help="What a fractional box edge covers.")
    if compared.alignment.layouts[1].has_scores:
        st.slider("Score threshold", 0.0, 1.0, step=0.05, **choices.bind("min_score"))
    choice_box("missing_pages", "Pages that one side lacks", choices.CHOICES["missing_pages"])
