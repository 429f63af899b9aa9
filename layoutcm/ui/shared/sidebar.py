"""The sidebar: two lines about the compared files below the menu; and select boxes that are bound to choices."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.ui.files.comparisons import layouts_of
from layoutcm.ui.files.input_file import InputFile
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.ui.state import card_state, choices
from layoutcm.ui.state.chosen import Chosen

MOST_OPTIONS = 2000  # a select box with more options lists only those near the chosen one
NEAR_OPTIONS = 100  # this many before it and after it
LARGE_BYTES = 10_000_000  # smaller files are read too fast for a progress bar


def show_choice(name: str, label: str, options: Any, place: str = "bar", in_popover: bool = False, **more: Any) -> Any:
    """A select box bound to one choice, whose value is returned; one that is not among the options becomes the first.

    Very many options would slow the browser down; then the box lists those near the chosen one and accepts typed names.
    """
    is_long = isinstance(options, Sequence) and len(options) > MOST_OPTIONS  # then it is not copied
    values: Sequence[Any] = options if is_long else list(options)
    value = choices.value_of(name)
    if values and value not in values:
        value = values[0]
        choices.put(**{name: value})
    bound = choices.bind(name, place, in_popover)
    if is_long:
        at = values.index(value)
        bound |= {"on_change": _take_typed_name, "args": (name, bound["key"], values), "accept_new_options": True}
        more["help"] = f"Type a part of a name to find it among all {len(values):,}."
        values = values[max(at - NEAR_OPTIONS, 0) : at + NEAR_OPTIONS]
    st.selectbox(label, values, **bound, **more)
    return value


def show_segments(name: str, label: str, options: Mapping[Any, str], place: str = "bar", **more: Any) -> None:
    """Buttons side by side that are bound to one choice; one is always chosen. `options` are {value: text}."""
    bound = choices.bind(name, place)
    st.segmented_control(label, list(options), required=True, format_func=options.__getitem__, **bound, **more)


def find_name(text: str, names: Sequence[str]) -> str | None:
    """The name equal to the text, else the first name that contains it, ignoring case."""
    return text if text in names else next((name for name in names if text.casefold() in name.casefold()), None)


def _take_typed_name(name: str, key: str, known: Sequence[str]) -> None:
    found = find_name(st.session_state[key], known)
    if found is None:
        st.toast(f"There is no {name} with {as_typed(st.session_state[key])} in its name.")
    else:
        choices.put(**{name: found})


def show_sidebar(chosen: Chosen) -> None:
    place = st.empty()  # always created: the elements below keep their positions
    if chosen.loaded is None:
        st.sidebar.caption(card_state.missing_sentence())
        return
    # Every page starts here, so slow work on new files or options is done now, with a message at the top of the page.
    _read_with_progress(chosen, place)
    with st.sidebar:
        _show_facts(chosen)


def _read_with_progress(chosen: Chosen, place: Any) -> None:
    """Read new large files with a progress bar. A spinner would appear too late, because reading blocks the thread."""
    gt, pred, size = chosen.files.gt, chosen.pred, chosen.files.gt.size + chosen.pred.size
    new = (gt.digest, pred.digest, chosen.files.sizes)
    if chosen.shows_result or st.session_state.get("read_in_sight") == new:
        return
    st.session_state["read_in_sight"] = new
    if size < LARGE_BYTES:
        return

    def show_progress(given: InputFile) -> None:
        done = 0.1 if given is gt else 0.1 + 0.8 * gt.size / size
        place.progress(done, f"Reading {as_typed(given.name)}, {given.size / 1e6:,.0f} MB …")
        time.sleep(0.05)  # lets Streamlit send the bar to the browser

    with suppress(InputError):  # the page itself shows the error
        layouts_of(chosen.request(), show_progress)
    place.empty()


def _show_facts(chosen: Chosen) -> None:
    """Two lines about what is loaded."""
    st.markdown(f"**{as_typed(chosen.files.gt.name)}** → **{as_typed(chosen.pred.name)}**")
    compared = chosen.comparison
    if not isinstance(compared, Comparison):
        st.caption("These cannot be compared as they are.")
        return
    counts = {
        "page": compared.levels.page_count,
        "document": len(compared.documents),
        "label": len(compared.labels) - 1,
    }
    facts = [*(plural_spaced(count, word) for word, count in counts.items()), f"{compared.taxonomy} taxonomy"]
    st.caption(" · ".join(facts))
