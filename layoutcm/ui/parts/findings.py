"""The findings about the files, with buttons that apply a repair and undo it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from layoutcm.layouts.model import Finding
from layoutcm.ui import choices
from layoutcm.ui.card_reviews import EQUAL_NAMES, has_repair
from layoutcm.ui.router import go_to
from layoutcm.ui.screen_text import as_typed, finding_text, plural_spaced

MATCH_NAMES = "match-names"
NOTES_SHOWN = 3  # more notes go into an expander

_REPAIRS = {
    "flip-y": "flip the y axis",
    "xywh": "read boxes as x, y, width, height",
    "xyxy": "read boxes as corners",
    "corner": "read x and y as a corner",
    "centre": "read x and y as the centre",
    "unit": "read coordinates as 0 to {0} over the page",
    "scale": "multiply coordinates by {0}",
    "pages": "move page numbers by {0}",
    "images": "move regions by {0} page in the order of the file",
    "ids": "move category ids by {0}",
}


def repair_in_words(repair: str) -> str:
    """'flip the y axis' for "flip-y"; several repairs are joined."""
    parts = [part.partition(":") for part in repair.split(",")]
    return " and ".join(_REPAIRS[kind].format(_signed(kind, value)) for kind, _, value in parts)


def _signed(kind: str, value: str) -> str:
    return f"{int(value):+d}".replace("-", "\u2212") if kind in ("pages", "images", "ids") else value


def show_warnings(findings: Iterable[Finding], side: str) -> None:
    """The findings that may explain bad numbers; those with a repair come first, with a button that makes it.

    `side` is that of the card, "gt" or the position of a prediction; without it, nothing is compared yet.
    """
    serious = [one for one in findings if one.severity == "warning"]
    for i, finding in enumerate(sorted(serious, key=lambda one: not has_repair(one))):
        st.warning(finding_text(finding))
        if side and has_repair(finding):
            words = _button_label(finding)
            key = f"repair_{side}_{i}_{finding.code}"
            st.button(words, key=key, on_click=_apply, args=(side, finding), icon=":material/build:")


def show_reminder(findings: Iterable[Finding]) -> None:
    """A button to the start page if there are warnings, which may explain the numbers."""
    count = sum(finding.severity == "warning" for finding in findings)
    if count:
        title = f"{plural_spaced(count, 'warning')} about these files: see Data"
        st.button(title, key="reminder", icon=":material/warning:", on_click=go_to, args=("data",))


def show_notes(findings: Iterable[Finding], key: str) -> None:
    """The findings that are not warnings: applied repairs, then the others."""
    notes = [one for one in findings if one.severity != "warning"]
    repairs = [one for one in notes if one.code == "fixed"]
    others = [one for one in notes if one not in repairs]
    for note in (*repairs, *others[:NOTES_SHOWN]):
        st.info(finding_text(note))
    if len(others) > NOTES_SHOWN and st.toggle(f"{len(others) - NOTES_SHOWN} more notes", key=f"notes_{key}"):
        for note in others[NOTES_SHOWN:]:
            st.info(finding_text(note))


def _button_label(finding: Finding) -> str:
    return "Match equal names" if finding.code == EQUAL_NAMES else f"Repair: {repair_in_words(finding.repair)}"


def _apply(side: str, finding: Finding) -> None:
    if finding.code == EQUAL_NAMES:
        choices.put(taxonomy=MATCH_NAMES)
    else:
        choices.put(fixes=(*choices.current().fixes, f"{side}={finding.repair}"))


def has_repairs(side: str) -> bool:
    return any(text.partition("=")[0] == side for text in choices.current().fixes)


def show_applied_repairs(side: str) -> None:
    """The repairs of one side, each with a button to undo it."""
    for i, text in enumerate(choices.current().fixes):
        own, _, repair = text.partition("=")
        if own == side:
            _show_repair(f"Repaired: {repair_in_words(repair)}", f"{side}_{i}", _remove_repair, i)


def show_matched_names() -> None:
    """That equal names are matched, with a button to undo it."""
    if choices.current().taxonomy == MATCH_NAMES:
        _show_repair("Labels: equal names are matched", "names", _unmatch_names)


def _show_repair(text: str, key: str, undo: Callable[..., None], *args: int) -> None:
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(as_typed(text), width="content")
    row.button("Undo", key=f"undo_{key}", on_click=undo, args=args, icon=":material/undo:")


def _remove_repair(i: int) -> None:
    repairs = choices.current().fixes
    choices.put(fixes=repairs[:i] + repairs[i + 1 :])


def _unmatch_names() -> None:
    choices.put(taxonomy="auto")
