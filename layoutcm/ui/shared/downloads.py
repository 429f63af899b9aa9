"""What the present view shows, as figures and tables to take away: the parts of a page offer it, the dialog has it.

Only this module writes the session key "offers".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import streamlit as st

from layoutcm.tables.tables import Table
from layoutcm.ui.state import choices
from layoutcm.ui.state.chosen import Chosen

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_NAMES, MOST_CHARACTERS = 3, 40  # labels in the name of a file, and characters of each of its parts


@dataclass(frozen=True, eq=False)
class Offer:
    """A figure, a table, or both.

    `draw` takes `width` and `caption`, as the figures on paper do. A file is made when its button is clicked, outside
    the visitor's session: neither function may need the session.
    """

    file: str  # the name of its files, without the suffix
    title: str
    draw: Callable[..., Figure] | None = None
    table: Callable[[], Table] | None = None


def offer(place: str, *offered: Offer) -> None:
    """Offer what a place of the page shows, instead of what it showed before. Call it in every run of the place."""
    st.session_state["offers"] = {**st.session_state.get("offers", {}), place: offered}


def forget_offers() -> None:
    """Forget all offers, before a page runs and makes its own."""
    st.session_state["offers"] = {}


def current_offers() -> list[Offer]:
    return [one for offered in st.session_state.get("offers", {}).values() for one in offered]


def in_state(chosen: Chosen, name: str, *more: str) -> str:
    """The name of a file that says what it is of: prediction, chosen pages, labels, method; `more` comes first."""
    now, labels = chosen.now, chosen.now.labels
    some = "+".join(labels) if len(labels) <= MOST_NAMES else f"{len(labels)}-labels"
    method = "" if now.method == choices.DEFAULTS.method else now.method
    pages = (
        PurePath(chosen.level_name).stem,
        now.attribute,
        now.versus and f"against_{now.versus}",
        now.has_label and f"with_{now.has_label}",
        now.cause,
    )
    return file_name(name, PurePath(chosen.pred.name).stem, *more, *pages, some, method)


def file_name(*parts: str) -> str:
    """The parts as the name of a file, without characters that some system forbids."""
    safe = (re.sub(r"[^\w.+-]+", "_", part)[:MOST_CHARACTERS].strip("._") for part in parts)
    return "-".join(filter(None, safe))
