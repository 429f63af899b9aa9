"""The cards of Data: one for each file or finished comparison, with its role, facts, findings and repairs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.formats.registry import BY_NAME
from layoutcm.layouts.findings import severe_of, worst_first
from layoutcm.layouts.model import Finding
from layoutcm.results.vocabulary import vocabulary_of
from layoutcm.scale.plan import PlanFacts, PlanSide, read_plan
from layoutcm.scale.storage import name_of
from layoutcm.ui.data.card_reviews import EQUAL_NAMES, Review, has_repair
from layoutcm.ui.files.file_facts import PART, WHOLE_LAYOUT
from layoutcm.ui.files.file_roles import GT, PRED, ROLES, SESSION, Card, roles_offered
from layoutcm.ui.files.input_file import InputFile
from layoutcm.ui.screen_text import as_typed, error_text, finding_text, plural_spaced
from layoutcm.ui.shared import page_shell
from layoutcm.ui.state import card_state, choices
from layoutcm.ui.state.chosen import Chosen

ICONS = {
    "error": ":material/error:",
    "decision": ":material/build:",
    "warning": ":material/warning:",
    "fine": ":material/check_circle:",
}
CARDS_SHOWN = 30  # with more files, the rest is counted
NOT_HERE = (
    "Objects, centroids and soft scores are shown for one document or page, not for the whole set. Probable errors of "
    "the ground truth are not looked for."
)
WITHOUT_WHY = "Causes and score curves of the whole set were not counted: compare the parts with --why to see them."
MATCH_NAMES = "match-names"
NOTES_SHOWN = 3  # more notes go into an expander

_REPAIRS = {
    "flip-y": "flip the y axis",
    "swap-xy": "exchange x and y",
    "swap-shares": "exchange x and y as shares of the page",
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


def role_titles(chosen: Chosen) -> dict[str, str]:
    return ROLES | dict(zip((GT, PRED), chosen.words.titles))


def show_cards(chosen: Chosen, reviews: Sequence[Review], folded: bool) -> None:
    """All cards, one line each when folded; a card with a problem is open."""
    first_of_format = {one.card.group.facts.format: one for one in reversed(reviews) if one.card.role in (GT, PRED)}
    for review in reviews[:CARDS_SHOWN]:
        with st.container(key=f"card_{review.card.number}"):
            has_repairs = any(text.partition("=")[0] == review.side for text in chosen.now.fixes)  # they can be undone
            is_open = not folded or review.needs_decision or has_repairs
            with st.expander(_title(chosen, review), expanded=is_open, icon=_icon(review)):
                _show_controls(chosen, review.card)
                _show_content(chosen, review)
                if review in first_of_format.values():
                    _show_grouping(review.card, reviews)
    if len(reviews) > CARDS_SHOWN:
        st.caption(f"… and {len(reviews) - CARDS_SHOWN} more.")


def _title(chosen: Chosen, review: Review) -> str:
    """Role, name and facts in one line; what cannot be used says so."""
    facts = review.facts or ("cannot be used" if review.error else "")
    name = as_typed(review.card.name)
    return f"**{role_titles(chosen)[review.card.role]}** &ensp; {name}" + (f" &ensp; :gray[{facts}]" if facts else "")


def _icon(review: Review) -> str:
    if review.error or review.needs_decision:
        return ICONS["error" if review.error else "decision"]
    if severe_of(review.findings):
        return ICONS["error"]
    return ICONS["warning" if any(one.severity == "warning" for one in review.findings) else "fine"]


def _show_controls(chosen: Chosen, card: Card) -> None:
    """The role, which can be changed, and a button that removes the card."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    titles, name = role_titles(chosen), as_typed(card.name)
    if card.role != SESSION:
        key, offered = f"role_{card.number}", roles_offered(card)
        st.session_state[key] = card.role if card.role in offered else offered[-1]
        store = lambda: card_state.choose_role(card, st.session_state[f"role_{card.number}"])
        row.selectbox(f"Role of {name}", offered, key=key, format_func=titles.__getitem__, on_change=store, width=260)
    key = f"remove_{card.number}"
    row.button("Remove", key=key, icon=":material/close:", help=f"Remove {name}", on_click=card_state.remove,
               args=(card,))  # fmt: skip


def _show_content(chosen: Chosen, review: Review) -> None:
    if review.error:
        st.error(review.error)
    if review.note:
        st.caption(review.note)
    if review.side:
        show_applied_repairs(chosen, review.side)
    show_warnings(review.findings, review.side)
    show_notes(review.findings, str(review.card.number))
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
    facts, held = card.group.facts, card_state.current()
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
    others = tuple(one for one in getattr(card_state.current(), field) if one != format)
    wanted = st.session_state[f"one_layout_{format}"] == (kind != PART)
    card_state.change(**{field: (*others, format) if wanted else others})


def show_results(chosen: Chosen) -> None:
    """A card for every result, and the button that goes on."""
    preds = chosen.files.preds
    st.button("Go on to Models", key="go_on", type="primary", icon=":material/arrow_forward:",
              on_click=page_shell.go_to, args=("models",))  # fmt: skip
    for position, given in enumerate(preds):
        _show_result(position, given, chosen.compare_or_error(position))
    with_why = all(read_plan(given.path).facts.why for given in preds)
    st.caption(NOT_HERE if with_why else f"{NOT_HERE} {WITHOUT_WHY}")


def _show_result(position: int, given: InputFile, compared: Comparison | InputError) -> None:
    facts = read_plan(given.path).facts
    title = f"**Result of {plural_spaced(len(facts.parts), 'part')}** &ensp; {as_typed(name_of(given.path))}"
    with st.container(key=f"result_{position}"), st.expander(f"{title} &ensp; :gray[{_counts(facts)}]", expanded=True):
        for name, side in zip(vocabulary_of(facts.truth).titles, facts.sides):
            st.markdown(f"**{name}** &ensp; {_side(side)}")
        if isinstance(compared, InputError):
            st.error(error_text(compared))
            return
        show_warnings(compared.findings, "")
        show_notes(compared.findings, f"result_{position}")
        page_shell.show_recipe(compared.recipe)


def _counts(facts: PlanFacts) -> str:
    return f"{plural_spaced(facts.pages, 'page')}, {plural_spaced(facts.documents, 'document')}"


def _side(side: PlanSide) -> str:
    scores = "with scores" if side.has_scores else "without scores"
    counts = [plural_spaced(side.pages, "page"), plural_spaced(side.regions, "region")]
    labels = plural_spaced(len(side.labels), "label")
    return as_typed(f"{side.name}: ") + ", ".join([*counts, labels, scores])


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
    serious = [one for one in worst_first(findings) if one.severity != "info"]
    for i, finding in enumerate(sorted(serious, key=lambda one: not has_repair(one))):
        page_shell.SHOWN[finding.severity](finding_text(finding))
        if side and has_repair(finding):
            repair = (
                f"Repair: {repair_in_words(finding.repair)}" if finding.code != EQUAL_NAMES else "Match equal names"
            )
            key = f"repair_{side}_{i}_{finding.code}"
            st.button(repair, key=key, on_click=_apply, args=(side, finding), icon=":material/build:")


def show_notes(findings: Iterable[Finding], key: str) -> None:
    """The findings that are only noted: applied repairs, then the others."""
    notes = [one for one in findings if one.severity == "info"]
    repairs = [one for one in notes if one.code == "fixed"]
    others = [one for one in notes if one not in repairs]
    for note in (*repairs, *others[:NOTES_SHOWN]):
        st.info(finding_text(note))
    if len(others) > NOTES_SHOWN and st.toggle(f"{len(others) - NOTES_SHOWN} more notes", key=f"notes_{key}"):
        for note in others[NOTES_SHOWN:]:
            st.info(finding_text(note))


def _apply(side: str, finding: Finding) -> None:
    if finding.code == EQUAL_NAMES:
        choices.put(taxonomy=MATCH_NAMES)
    else:
        choices.put(fixes=(*choices.current().fixes, f"{side}={finding.repair}"))


def show_applied_repairs(chosen: Chosen, side: str) -> None:
    """Show the repairs of one side, each with a button to undo it."""
    repairs = chosen.now.fixes
    for i, text in enumerate(repairs):
        own, _, repair = text.partition("=")
        if own == side:
            others = repairs[:i] + repairs[i + 1 :]
            _show_repair(f"Repaired: {repair_in_words(repair)}", f"{side}_{i}", fixes=others)


def show_matched_names(chosen: Chosen) -> None:
    """Say that equal names are matched, with a button to undo it."""
    if chosen.now.taxonomy == MATCH_NAMES:
        _show_repair("Labels: equal names are matched", "names", taxonomy="auto")


def _show_repair(text: str, key: str, **without: Any) -> None:
    """Show a repair, and a button that changes the choices to those without it."""
    row = st.container(horizontal=True, vertical_alignment="center")
    row.markdown(as_typed(text), width="content")
    row.button("Undo", key=f"undo_{key}", on_click=choices.put, kwargs=without, icon=":material/undo:")
