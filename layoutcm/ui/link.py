"""The address bar: it holds the choices that differ from their defaults, and a session can start from it.

An address restores everything except uploaded files.
"""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from layoutcm.layouts.repairs import is_repair
from layoutcm.ui.choices import CHOICES, DEFAULTS, LIMITS, get
from layoutcm.ui.input_files import start_settings
from layoutcm.ui.session import open_named

MOST_LINKS = 200  # earlier addresses that the Back button can restore
MOST_REPAIRS = 16  # every repair builds a layout again, and a link may contain anything


def start_session() -> None:
    """Once per session: set the defaults, then the values of the address; then load files, if any are named."""
    if "choices" in st.session_state:
        return
    st.session_state["choices"] = dict(DEFAULTS)
    st.session_state["loaded"] = None
    st.session_state["page_images"] = None
    for name, text in st.query_params.items():
        if name in DEFAULTS:
            _set_from_text(name, text)
    load = get("load") or ("start" if start_settings().get("files") else "")
    if load:
        problem = open_named(load)
        st.session_state["load_problem"] = problem


def _set_from_text(name: str, text: str) -> None:
    """Set a choice from its text in an address; ignore a value that is not allowed."""
    kind = type(DEFAULTS[name])
    try:
        value: Any = text == "True" if kind is bool else _names_from_json(text) if kind is tuple else kind(text)
    except (ValueError, RecursionError):
        return
    if name == "fixes" and not _are_repairs(value):
        return
    low, high = LIMITS.get(name, (value, value))
    if low <= value <= high and (name not in CHOICES or value in CHOICES[name]):
        st.session_state["choices"][name] = value


def _names_from_json(text: str) -> tuple[str, ...]:
    """Parse a JSON list of labels; JSON, because a label may contain any character."""
    names = json.loads(text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("not a list of names")
    return tuple(names)


def _are_repairs(texts: tuple[str, ...]) -> bool:
    sides = [text.partition("=") for text in texts]
    return len(texts) <= MOST_REPAIRS and all(
        (side == "gt" or (side.isdecimal() and len(side) < 7)) and is_repair(repair) for side, _, repair in sides
    )


def link_parameters() -> dict[str, str]:
    """{name: text} for the choices that differ from their defaults."""
    wanted = {name: get(name) for name in DEFAULTS if get(name) != DEFAULTS[name]}
    return {
        name: json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
        for name, value in wanted.items()
    }


def follow_address(page: str) -> None:
    """Restore the choices of an earlier address after Back or Forward in the browser.

    An address is an earlier one if it was written since these files were loaded, is not the last one written, and no
    choice was made since. Switching pages leaves an address without choices in the history. When the visitor goes back
    to it, `write_link` must not fill it in: that would add a new history entry and undo the step back.
    """
    now, session = dict(st.query_params), st.session_state
    is_earlier = now in session.get("links", []) and now not in ({}, session.get("link"), link_parameters())
    if is_earlier and not session.get("chosen_since"):
        session["choices"] = DEFAULTS | {"load": get("load")}
        for name in DEFAULTS.keys() & now.keys() - {"load"}:
            _set_from_text(name, now[name])
    # Back to an address without choices, on the same page.
    session["passing_by"] = not now and session.get("page_shown") == page
    session["page_shown"] = page


def write_link() -> None:
    """Write the choices to the address bar."""
    wanted, session = link_parameters(), st.session_state
    keep_address = session.get("passing_by") and session.get("link") == wanted
    if dict(st.query_params) != wanted and not keep_address:
        st.query_params.from_dict(wanted)
    session["link"], session["chosen_since"] = wanted, False
    links: list[dict[str, str]] = session.setdefault("links", [])
    if wanted not in links:
        session["links"] = [*links[1 - MOST_LINKS :], wanted]
