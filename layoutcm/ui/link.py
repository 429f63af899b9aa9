"""The address bar: it holds the choices that differ from their defaults, and a session can start from it.

An address restores everything except uploaded files. Only this module writes the session keys "link", "links",
"links_of", "passing_by" and "page_shown".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import streamlit as st

from layoutcm.layouts.repairs import is_repair
from layoutcm.ui import choices, session
from layoutcm.ui.choices import CHOICES, DEFAULTS, LIMITS
from layoutcm.ui.settings import start_settings

# {choice: its parameter in an address}
PARAMETERS = {field.name: {"class_name": "class"}.get(field.name, field.name) for field in fields(DEFAULTS)}
MOST_LINKS = 200  # earlier addresses that the Back button can restore
MOST_REPAIRS = 16  # every repair builds a layout again, and a link may contain anything


def start_session() -> None:
    """Once per session: set the choices from the address, then load files, if any are named."""
    if "choices" in st.session_state:
        return
    choices.restore(replace(DEFAULTS, **_choices_in(st.query_params)))
    load = choices.current().load or ("start" if start_settings().get("files") else "")
    if load:
        session.open_at_start(load)


def _choices_in(address: Mapping[str, str]) -> dict[str, Any]:
    """{choice: value} of the parameters of an address; parameters that are unknown or not allowed are ignored."""
    given = {name: address[parameter] for name, parameter in PARAMETERS.items() if parameter in address}
    values = {name: _value_from_text(name, text) for name, text in given.items()}
    return {name: value for name, value in values.items() if value is not None}


def _value_from_text(name: str, text: str) -> Any:
    """The value of a choice from its text in an address; None if it is not allowed."""
    kind = type(getattr(DEFAULTS, name))
    try:
        value: Any = text == "True" if kind is bool else _names_from_json(text) if kind is tuple else kind(text)
    except (ValueError, RecursionError):
        return None
    if (name == "fixes" and not _are_repairs(value)) or (name == "label_scores" and not _are_label_scores(value)):
        return None
    low, high = LIMITS.get(name, (value, value))
    return value if low <= value <= high and (name not in CHOICES or value in CHOICES[name]) else None


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


def _are_label_scores(texts: tuple[str, ...]) -> bool:
    try:
        return all(0 <= score <= 1 for score in choices.scores_by_label(texts).values())
    except ValueError:
        return False


def link_parameters() -> dict[str, str]:
    """{parameter: text} for the choices that differ from their defaults."""
    now = choices.current()
    wanted = {name: getattr(now, name) for name in PARAMETERS if getattr(now, name) != getattr(DEFAULTS, name)}
    return {
        PARAMETERS[name]: json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else str(value)
        for name, value in wanted.items()
    }


def _earlier_links() -> list[dict[str, str]]:
    """The addresses written since these files were loaded; none if other files are loaded now."""
    files = session.loaded_files()
    loaded = [one.digest for one in (files.gt, *files.preds)] if files else []
    if st.session_state.get("links_of") != loaded:
        st.session_state["links_of"], st.session_state["links"] = loaded, []
    return st.session_state["links"]


def follow_address(page: str) -> None:
    """Restore the choices of an earlier address after Back or Forward in the browser.

    An address is an earlier one if it was written since these files were loaded, is not the last one written, and no
    choice was made since. Switching pages leaves an address without choices in the history. When the visitor goes back
    to it, `write_link` must not fill it in: that would add a new history entry and undo the step back.
    """
    now, state = dict(st.query_params), st.session_state
    is_earlier = now in _earlier_links() and now not in ({}, state.get("link"), link_parameters())
    if is_earlier and not choices.were_changed():
        choices.restore(replace(DEFAULTS, **(_choices_in(now) | {"load": choices.current().load})))
    # Back to an address without choices, on the same page.
    state["passing_by"] = not now and state.get("page_shown") == page
    state["page_shown"] = page


def write_link() -> None:
    """Write the choices to the address bar."""
    wanted, state = link_parameters(), st.session_state
    keep_address = state.get("passing_by") and state.get("link") == wanted
    if dict(st.query_params) != wanted and not keep_address:
        st.query_params.from_dict(wanted)
    state["link"] = wanted
    choices.note_written()
    links = _earlier_links()
    if wanted not in links:
        state["links"] = [*links[1 - MOST_LINKS :], wanted]
