"""The filters of Errors: which pages are counted, and the values of an attribute side by side.

One value of an attribute is a filter; two values are the two sides of a comparison.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.ui import choices, scope, session, sidebar
from layoutcm.ui.scope import DOCUMENT
from layoutcm.ui.sides import PAGES, Sides

ALONE = -1
MOST_PILLS = 12  # values of an attribute; more are in a list
PILLS_HELP = "Click one value to see only its pages, and a second one to compare the two."


def show_facets(compared: Comparison, shown: Sides) -> None:
    """One row: the prediction to compare with, and the values of one attribute."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="facets"):
        _show_other(shown)
        if scope.attributes_of(compared):
            _show_values(compared)


def _show_other(shown: Sides) -> None:
    """The prediction to compare with, if several are loaded."""
    names, own = session.pred_names(), session.chosen_index()
    if len(names) < 2:
        return
    others = [ALONE, *(k for k in range(len(names)) if k != own)]
    text = lambda k: f"{names[own]} alone" if k == ALONE else f"with {names[k]}"
    sidebar.show_choice(
        "other", "Compare with", others, format_func=text, width=230, label_visibility="collapsed",
        disabled=shown.kind == PAGES,
    )  # fmt: skip


def show_filters(compared: Comparison) -> None:
    """Filters of Errors, for the bar: pages with a label, a cause of wrong pixels, or a value of an attribute."""
    st.caption("On Errors, only pages with:" if compared.has_truth else "Only pages with:")
    every = lambda name: name or "all pages"
    sidebar.show_choice(
        "has_label",
        "Label",
        ["", *dict.fromkeys(compared.labels[1:])],
        place="filter",
        in_popover=True,
        format_func=every,
    )
    causes_known = compared.levels.has_regions or bool(compared.sources.causes.kept)
    if compared.space.shared and compared.has_truth and causes_known:
        sidebar.show_choice("cause", "Cause", ["", *CAUSES], place="filter", in_popover=True, format_func=every)
    values = [f"{name}={value}" for name, own in scope.attributes_of(compared).items() if name != DOCUMENT
              for value in own]  # fmt: skip
    if values:
        show = lambda text: text.replace("=", ": ", 1) or "all pages"
        sidebar.show_choice(
            "attribute", "Page attribute", ["", *values], place="filter", in_popover=True, format_func=show
        )


def _show_values(compared: Comparison) -> None:
    every = scope.attributes_of(compared)
    offered = choices.current().facet if choices.current().facet in every else _usual(every)
    bound = choices.bind("facet", "facets")
    st.session_state[bound["key"]] = offered
    st.selectbox("Attribute", list(every), width=170, label_visibility="collapsed", **bound)
    values, key = every[offered], f"facet_values_{offered}"
    st.session_state[key] = _chosen_values(offered, values)
    arguments: dict[str, Any] = {
        "key": key,
        "on_change": _take_values,
        "args": (offered, key),
        "label_visibility": "collapsed",
    }
    if len(values) <= MOST_PILLS:
        st.pills("Values", values, selection_mode="multi", help=PILLS_HELP, **arguments)
    else:
        st.multiselect("Values", values, max_selections=2, placeholder=f"{len(values)} values", width=320, **arguments)


def _usual(every: dict[str, tuple[str, ...]]) -> str:
    """The attribute of the filter in force, else the first."""
    name = choices.current().attribute.partition("=")[0]
    return name if name in every else next(iter(every))


def _chosen_values(name: str, values: tuple[str, ...]) -> list[str]:
    """The values of an attribute that the choices name: that of the chosen pages, and the one to compare with."""
    now = choices.current()
    own = now.document if name == DOCUMENT and now.level == DOCUMENT else now.attribute.removeprefix(f"{name}=")
    chosen = [own] if own in values and (name == DOCUMENT or now.attribute == f"{name}={own}") else []
    other = now.versus.removeprefix(f"{name}=")
    return [*chosen, *([other] if chosen and now.versus == f"{name}={other}" and other in values else [])]


def _take_values(name: str, key: str) -> None:
    """The first value chooses pages, the last one that was added is compared with them."""
    new = list(st.session_state[key] or ())
    now = choices.current()
    own = now.document if name == DOCUMENT else now.attribute.removeprefix(f"{name}=")
    first = own if own in new else next(iter(new), "")
    others = [value for value in new if value != first]
    before = now.versus.removeprefix(f"{name}=")
    added = [value for value in others if value != before] or others
    versus = f"{name}={added[-1]}" if added else ""
    if name == DOCUMENT:
        choices.put(level=DOCUMENT if first else "set", document=first, versus=versus, list_page=0)
    else:
        choices.put(attribute=f"{name}={first}" if first else "", versus=versus, list_page=0)
