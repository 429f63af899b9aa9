"""What is odd about the files, in plain words; one click repairs it, one more takes the repair back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import streamlit as st

from layoutcm.layouts.model import Finding
from layoutcm.ui import choices, session
from layoutcm.ui.router import go_to
from layoutcm.ui.screen_text import as_typed, plural_spaced

MATCH_NAMES = "match-names"
SHOWN_AT_ONCE = 3  # remarks; more of them go into an expander

# What to do about it on this page, where the finding itself speaks to people at a keyboard.
_GIVE_MAP = "Say under Pages which belong together"
HINTS_FOR_PAGE = {
    "equal-label-names": "Match equal names, or map labels below.",
    "page-only-in-gt": f"Check the page names of both files. {_GIVE_MAP}, or let the bar ignore missing pages.",
    "page-only-in-pred": f"Check the page names of both files. {_GIVE_MAP}, or let the bar ignore missing pages.",
    "page-numbers-shifted": f"{_GIVE_MAP} if this is wrong.",
    "page-numbers-suspect": f"{_GIVE_MAP} if pages are off by one.",
    "page-numbers-ambiguous": f"{_GIVE_MAP}.",
    "documents-from-names": "",
}
_REPAIRS = {
    "flip-y": "turn the y axis round",
    "xywh": "read boxes as x, y, width, height",
    "xyxy": "read boxes as corners",
    "unit": "read coordinates as parts of {0}",
    "scale": "multiply coordinates by {0}",
    "pages": "count pages anew, by {0}",
    "images": "move regions by {0} page of the file",
    "ids": "move category ids by {0}",
}


def repair_in_words(repair: str) -> str:
    """'turn the y axis round', of "flip-y"; several are joined."""
    parts = [part.partition(":") for part in repair.split(",")]
    return " and ".join(_REPAIRS[kind].format(_signed(kind, value)) for kind, _, value in parts)


def _signed(kind: str, value: str) -> str:
    return f"{int(value):+d}".replace("-", "\u2212") if kind in ("pages", "images", "ids") else value


Found = dict[str, Iterable[Finding]]  # by side


def show_warnings(found: Found) -> None:
    """What may explain bad numbers; what a click repairs comes first."""
    serious = [(side, one) for side, some in found.items() for one in some if one.severity == "warning"]
    for i, (side, finding) in enumerate(sorted(serious, key=lambda pair: not _repair(*pair))):
        _warning(side, finding, f"repair_{i}_{finding.code}")


def show_reminder(findings: Iterable[Finding]) -> None:
    """For whoever did not look at the start page: there is something that may explain the numbers."""
    count = sum(finding.severity == "warning" for finding in findings)
    if count:
        title = f"{plural_spaced(count, 'warning')} about these files: see Compare"
        st.button(title, key="reminder", icon=":material/warning:", on_click=go_to, args=("compare",))


def show_remarks(found: Found) -> None:
    """What is good to know, kept short: repairs that hold, then the rest."""
    known = [one for some in found.values() for one in some if one.severity != "warning"]
    done = [one for one in known if one.code == "fixed"]
    for remark in done:
        st.info(_text(remark))
    others = [one for one in known if one not in done]
    many = len(others) > SHOWN_AT_ONCE
    with st.expander(plural_spaced(len(others), "remark")) if many else st.container():
        for remark in others:
            st.info(_text(remark))


def _text(finding: Finding, advice: bool = True) -> str:
    hint = HINTS_FOR_PAGE.get(finding.code, finding.hint) if advice else ""
    return as_typed(finding.message) + (f"  \n{as_typed(hint)}" if hint else "")


def _repair(side: str, finding: Finding) -> str:
    """What the button says; "" where no click helps."""
    if finding.code == "equal-label-names":
        return "Match equal names"
    words = repair_in_words(finding.repair) if finding.repair else ""
    return words and f"Repair: {words}" + (" in the ground truth" if side == "gt" else "")


def _warning(side: str, finding: Finding, key: str) -> None:
    label = _repair(side, finding)
    if not label:
        st.warning(_text(finding))
        return
    st.warning(_text(finding, advice=not finding.repair))
    st.button(label, key=key, on_click=_apply, args=(side, finding), icon=":material/build:")


def _apply(side: str, finding: Finding) -> None:
    if finding.code == "equal-label-names":
        choices.put(taxonomy=MATCH_NAMES)
    else:
        one = f"{session.chosen_side('gt' if side == 'gt' else 'pred')}={finding.repair}"
        choices.put(fixes=(*choices.get("fixes"), one))


def show_applied_repairs() -> None:
    """The repairs of the two files that are compared, each with a way back."""
    mine = {session.chosen_side(side): title for side, title in (("gt", "Ground truth"), ("pred", "Prediction"))}
    rows: list[tuple[str, str, Callable[..., None], tuple[int, ...]]] = [
        (f"{mine[side]}: {repair_in_words(repair)}", f"{side}_{i}", _without, (i,))
        for i, text in enumerate(choices.get("fixes"))
        for side, _, repair in [text.partition("=")]
        if side in mine
    ]
    if choices.get("taxonomy") == MATCH_NAMES:
        rows.append(("Labels: equal names are matched", "names", _names_apart, ()))
    if not rows:
        return
    with st.container(border=True):
        st.markdown("**Repairs in use**")
        for text, key, undo, args in rows:
            row = st.container(horizontal=True, vertical_alignment="center")
            row.markdown(as_typed(text), width="content")
            row.button("Undo", key=f"undo_{key}", on_click=undo, args=args, icon=":material/undo:")


def _without(i: int) -> None:
    fixes = choices.get("fixes")
    choices.put(fixes=fixes[:i] + fixes[i + 1 :])


def _names_apart() -> None:
    choices.put(taxonomy="auto")
