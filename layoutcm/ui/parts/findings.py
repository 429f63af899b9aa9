"""The findings about the files, with buttons that apply a repair and undo it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from layoutcm.layouts.model import Finding
from layoutcm.ui import choices, session
from layoutcm.ui.router import go_to
from layoutcm.ui.screen_text import SIDE_TITLES, as_typed, finding_text, plural_spaced

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


Found = dict[str, Iterable[Finding]]  # by side


def show_warnings(found: Found) -> None:
    """The findings that may explain bad numbers; those with a repair come first."""
    serious = [(side, one) for side, some in found.items() for one in some if one.severity == "warning"]
    for i, (side, finding) in enumerate(sorted(serious, key=lambda pair: not _button_label(*pair))):
        _show_warning(side, finding, f"repair_{i}_{finding.code}")


def show_reminder(findings: Iterable[Finding]) -> None:
    """A button to the start page if there are warnings, which may explain the numbers."""
    count = sum(finding.severity == "warning" for finding in findings)
    if count:
        title = f"{plural_spaced(count, 'warning')} about these files: see Data"
        st.button(title, key="reminder", icon=":material/warning:", on_click=go_to, args=("data",))


def show_notes(found: Found) -> None:
    """The findings that are not warnings: applied repairs, then the others."""
    notes = [one for some in found.values() for one in some if one.severity != "warning"]
    repairs = [one for one in notes if one.code == "fixed"]
    for note in repairs:
        st.info(finding_text(note))
    others = [one for one in notes if one not in repairs]
    many = len(others) > NOTES_SHOWN
    with st.expander(plural_spaced(len(others), "note")) if many else st.container():
        for note in others:
            st.info(finding_text(note))


def _button_label(side: str, finding: Finding) -> str:
    """The label of the button that applies the repair; "" if there is no repair."""
    if finding.code == "equal-label-names":
        return "Match equal names"
    words = repair_in_words(finding.repair) if finding.repair else ""
    return words and f"Repair: {words}" + (" in the ground truth" if side == "gt" else "")


def _show_warning(side: str, finding: Finding, key: str) -> None:
    label = _button_label(side, finding)
    if not label:
        st.warning(finding_text(finding))
        return
    st.warning(finding_text(finding))
    st.button(label, key=key, on_click=_apply, args=(side, finding), icon=":material/build:")


def _apply(side: str, finding: Finding) -> None:
    if finding.code == "equal-label-names":
        choices.put(taxonomy=MATCH_NAMES)
    else:
        one = f"{session.chosen_side('gt' if side == 'gt' else 'pred')}={finding.repair}"
        choices.put(fixes=(*choices.current().fixes, one))


def show_applied_repairs() -> None:
    """The repairs of the two compared files, each with a button to undo it."""
    titles = {session.chosen_side(side): title for side, title in SIDE_TITLES.items()}
    rows: list[tuple[str, str, Callable[..., None], tuple[int, ...]]] = [
        (f"{titles[side]}: {repair_in_words(repair)}", f"{side}_{i}", _remove_repair, (i,))
        for i, text in enumerate(choices.current().fixes)
        for side, _, repair in [text.partition("=")]
        if side in titles
    ]
    if choices.current().taxonomy == MATCH_NAMES:
        rows.append(("Labels: equal names are matched", "names", _unmatch_names, ()))
    if not rows:
        return
    with st.container(border=True):
        st.markdown("**Repairs in use**")
        for text, key, undo, args in rows:
            row = st.container(horizontal=True, vertical_alignment="center")
            row.markdown(as_typed(text), width="content")
            row.button("Undo", key=f"undo_{key}", on_click=undo, args=args, icon=":material/undo:")


def _remove_repair(i: int) -> None:
    repairs = choices.current().fixes
    choices.put(fixes=repairs[:i] + repairs[i + 1 :])


def _unmatch_names() -> None:
    choices.put(taxonomy="auto")
