"""The address bar: it holds the choices that differ from their defaults, and a session can start from it.

An address restores everything except uploaded files. `first_paint.js`, in the browser, decides which changes of it
are steps of Back and Forward. Only this module writes the session keys "link", "links",
"links_of", "passing_by" and "page_shown".
"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from layoutcm.ui.files.repairs_and_mapping import fits_into_address
from layoutcm.ui.server.settings import start_settings
from layoutcm.ui.state import choices, session
from layoutcm.ui.state.choices import DEFAULTS, choices_in, texts_of

MOST_LINKS = 200  # earlier addresses that the Back button can restore


def start_session() -> None:
    """Once per session: set the choices from the address, then load files, if any are named."""
    if "choices" in st.session_state:
        return
    choices.restore(replace(DEFAULTS, **choices_in(st.query_params)))
    load = choices.current().load or ("start" if start_settings().get("files") else "")
    if load:
        session.open_at_start(load)


def link_parameters() -> dict[str, str]:
    """{parameter: text} for the choices that differ from their defaults; a very long mapping is left out."""
    now = choices.current()
    return texts_of(now if fits_into_address(now.mapping) else replace(now, mapping=""))


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
        # The loaded files stay, and a mapping that is too long for an address.
        before = choices.current()
        stays = {"load": before.load} | ({} if fits_into_address(before.mapping) else {"mapping": before.mapping})
        choices.restore(replace(DEFAULTS, **(choices_in(now) | stays)))
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
