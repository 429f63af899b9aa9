"""The cards of the start page: one for each file or group of files, with its role, facts, findings and repairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from layoutcm.formats.registry import BY_NAME
from layoutcm.ui import choices, held_files
from layoutcm.ui.card_reviews import Review
from layoutcm.ui.file_facts import PART, WHOLE_LAYOUT
from layoutcm.ui.file_roles import GT, PRED, ROLES, SESSION, WITHOUT_TRUTH, Card, roles_offered
from layoutcm.ui.parts import findings
from layoutcm.ui.screen_text import as_typed, plural_spaced

ICONS = {
    "error": ":material/error:",
    "decision": ":material/build:",
    "warning": ":material/warning:",
    "fine": ":material/check_circle:",
}
CARDS_SHOWN = 30  # with more files, the rest is counted


def role_titles() -> dict[str, str]:
    return ROLES if choices.current().truth else WITHOUT_TRUTH


def show_cards(reviews: Sequence[Review], folded: bool) -> None:
    """All cards, one line each when folded; a card with a problem is open."""
    first_of_format = {one.card.group.facts.format: one for one in reversed(reviews) if one.card.role in (GT, PRED)}
    for review in reviews[:CARDS_SHOWN]:
        with st.container(key=f"card_{review.card.number}"):
            is_open = not folded or review.needs_decision or findings.has_repairs(review.side)  # which can be undone
            with st.expander(_title(review), expanded=is_open, icon=_icon(review)):
                _show_controls(review.card)
                _show_content(review)
                if review in first_of_format.values():
                    _show_grouping(review.card, reviews)
    if len(reviews) > CARDS_SHOWN:
        st.caption(f"… and {len(reviews) - CARDS_SHOWN} more.")


def _title(review: Review) -> str:
    """Role, name and facts in one line; what cannot be used says so."""
    facts = review.facts or ("cannot be used" if review.error else "")
    name = as_typed(review.card.name)
    return f"**{role_titles()[review.card.role]}** &ensp; {name}" + (f" &ensp; :gray[{facts}]" if facts else "")


def _icon(review: Review) -> str:
    if review.error or review.needs_decision:
        return ICONS["error" if review.error else "decision"]
    return ICONS["warning" if any(one.severity == "warning" for one in review.findings) else "fine"]


def _show_controls(card: Card) -> None:
    """The role, which can be changed, and a button that removes the card."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    titles, name = role_titles(), as_typed(card.name)
    if card.role != SESSION:
        key, offered = f"role_{card.number}", roles_offered(card)
        st.session_state[key] = card.role if card.role in offered else offered[-1]
        row.selectbox(f"Role of {name}", offered, key=key, format_func=titles.__getitem__, on_change=_store_role,
                      args=(card, key), width=260)  # fmt: skip
    key = f"remove_{card.number}"
    row.button("Remove", key=key, icon=":material/close:", help=f"Remove {name}", on_click=held_files.remove,
               args=(card,))  # fmt: skip


def _store_role(card: Card, key: str) -> None:
    held_files.choose_role(card, st.session_state[key])


def _show_content(review: Review) -> None:
    if review.error:
        st.error(review.error)
    if review.note:
        st.caption(review.note)
    if review.side:
        findings.show_applied_repairs(review.side)
    findings.show_warnings(review.findings, review.side)
    findings.show_notes(review.findings, str(review.card.number))
    if review.further:
        st.caption("  \n".join(map(as_typed, review.further)))
    _show_files(review.card)


def _show_files(card: Card) -> None:
    """The names of the files of a group."""
    files = [one.given.name for one in (*card.group.files, *card.group.companions)]
    if len(files) > 1:
        names = [*files[:CARDS_SHOWN], *([f"and {len(files) - CARDS_SHOWN} more"] if len(files) > CARDS_SHOWN else [])]
        st.caption(f"{plural_spaced(len(files), 'file')}: {', '.join(map(as_typed, names))}")


def _show_grouping(card: Card, reviews: Sequence[Review]) -> None:
    """A switch if it is open whether several files of a format are one layout or several."""
    facts, held = card.group.facts, held_files.current()
    format, title = facts.format, BY_NAME[facts.format].title if facts.format in BY_NAME else ""
    count = sum(one.facts.format == format for one in held.files)
    preds = [one for one in reviews if one.card.role == PRED and one.card.group.facts.format == format]
    key: dict[str, Any] = {"key": f"one_layout_{format}", "on_change": _store_grouping, "args": (facts.kind, format)}
    if facts.kind == PART and count > 1:
        st.session_state[key["key"]] = format not in held.separate
        st.toggle(f"The {count} files in {as_typed(title)} are pages of one layout", **key)
    elif facts.kind == WHOLE_LAYOUT and format and (len(preds) > 1 or format in held.joined):
        st.session_state[key["key"]] = format in held.joined
        st.toggle(f"The predictions in {as_typed(title)} are parts of one", **key)


def _store_grouping(kind: str, format: str) -> None:
    field = "separate" if kind == PART else "joined"
    others = tuple(one for one in getattr(held_files.current(), field) if one != format)
    wanted = st.session_state[f"one_layout_{format}"] == (kind != PART)
    held_files.change(**{field: (*others, format) if wanted else others})
