"""The bar on top of every page while files are loaded: the files, what is in force, filters, settings, downloads.

Errors shows some filters itself: one value of an attribute is a filter; two values are the two sides of a comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.ui.files.repairs_and_mapping import fits_into_address, mapping_from_text
from layoutcm.ui.screen_text import as_typed, words_for
from layoutcm.ui.shared import page_shell, take_away
from layoutcm.ui.shared.sidebar import show_choice
from layoutcm.ui.state import choices, selection, session
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.family_choice import OWN, TITLES
from layoutcm.ui.state.selection import DOCUMENT, PAGES, Panes
from layoutcm.wording import threshold_text

LOST_ON_RELOAD = "{0} are lost on reload: save the session."
DECIDED = "Rounding, missing pages, taxonomy and thresholds were decided when the parts were counted."
LABELS_HELP = (
    "These and Background keep their rows and columns; all other labels become one, other. Lists and pages keep what "
    "has one of them on either side. Numbers do not change: shares and averages are those of all labels."
)
MAPPINGS = ("label mapping of the files not used", "own label mapping")
MOST_NAMES = 3  # of labels in the text of a chip
ALONE = -1
MOST_PILLS = 12  # values of an attribute; more are in a list
PILLS_HELP = "Click one value to see only its pages, and a second one to compare the two."


def show_bar(chosen: Chosen) -> None:
    """Show the bar. Its place is empty without files, but always there, so the page below keeps its position."""
    place = st.container()
    if chosen.loaded is None:
        return
    with place:
        with st.container(horizontal=True, vertical_alignment="center", key="top_bar"):
            _show_files(chosen)
            _show_chips(chosen)
            st.space("stretch")
            with st.popover("Filter", icon=":material/filter_alt:"):
                _show_filters(chosen)
            with st.popover("Settings", icon=":material/tune:"):
                _show_settings(chosen)
            take_away.show_button(chosen)
        lost = _lost_on_reload(chosen)
        if lost:
            with st.container(horizontal=True, vertical_alignment="center", key="lost_on_reload"):
                st.caption(LOST_ON_RELOAD.format(lost), width="content")
                take_away.show_save_button(chosen, "bar", with_images=False)
        if isinstance(chosen.comparison, Comparison):
            page_shell.show_severe({chosen.names[chosen.position]: chosen.comparison})


def _lost_on_reload(chosen: Chosen) -> str:
    """What the address cannot hold; "" if it holds everything."""
    if not chosen.now.load:
        return "Uploaded files"
    if not fits_into_address(chosen.now.mapping):
        return "The label mapping, which is too long for the address, and all it changes"
    return "Decisions about the ground truth" if session.decisions() else ""


def _show_files(chosen: Chosen) -> None:
    st.markdown(f"{as_typed(chosen.files.gt.name)} →", width="content")
    names = chosen.names
    if len(names) > 1:
        look: Any = {"label_visibility": "collapsed", "width": 190}
        show_choice("pred", "Prediction", range(len(names)), format_func=names.__getitem__, **look)
    else:
        st.markdown(as_typed(names[0]), width="content")


def _show_chips(chosen: Chosen) -> None:
    for chip in chips_in_force(chosen):
        st.button(
            as_typed(chip.text), key=f"chip_{chip.key}", icon=":material/close:", icon_position="right",
            on_click=choices.put, kwargs=chip.changes, help="Remove this",
        )  # fmt: skip


def _show_filters(chosen: Chosen) -> None:
    compared = chosen.comparison
    if not isinstance(compared, Comparison):
        st.caption("There are no filters, because the files cannot be compared as they are.")
        return
    show_choice("level", "Level", choices.CHOICES["level"], in_popover=True)
    if chosen.now.level == "document":
        show_choice("document", "Document", compared.documents, in_popover=True)
    elif chosen.now.level == "page":
        show_choice("page", "Page", compared.pages, in_popover=True)
    known = list(dict.fromkeys(compared.labels[1:]))
    choices.put(labels=tuple(label for label in chosen.now.labels if label in known))
    st.multiselect("Labels", known, placeholder="all", help=LABELS_HELP, **choices.bind("labels", in_popover=True))
    if compared.alignment.layouts[1].has_scores and not chosen.shows_result:
        st.slider("Score threshold", 0.0, 1.0, step=0.05, **choices.bind("min_score", in_popover=True))
    _show_filters_of_errors(chosen)


def _show_settings(chosen: Chosen) -> None:
    how_counted = "How pixels with several labels are counted. See Method."
    covered = "Which pixels a box with fractional edges covers."
    missing = (
        "Pages that the second side lacks count as empty (penalise) or are left out (ignore). Pages that the first "
        "side lacks are left out, or count against an empty page (penalise-both)."
    )
    same = "Whether equal names are the same label. auto: if the labels of one side include those of the other."
    show_choice("method", "Method", choices.CHOICES["method"], in_popover=True, help=how_counted)
    if chosen.shows_result:
        st.caption(DECIDED)
        return
    show_choice("rounding", "Rounding", choices.CHOICES["rounding"], in_popover=True, help=covered)
    show_choice("missing_pages", "Missing pages", choices.CHOICES["missing_pages"], in_popover=True, help=missing)
    show_choice("taxonomy", "Taxonomy", choices.CHOICES["taxonomy"], place="settings", in_popover=True, help=same)


@dataclass(frozen=True)
class Chip:
    key: str
    text: str
    changes: dict[str, Any]  # the choices that remove it


def _one(name: str, text: Callable[[Any], str]) -> Callable[[Chosen, Any], list[Chip]]:
    """A choice with one chip, which sets it to its default."""
    return lambda _, value: [Chip(name, text(value), {name: getattr(choices.DEFAULTS, name)})]


def _scope(chosen: Chosen, level: str) -> list[Chip]:
    name = chosen.level_name
    return [Chip("level", f"on Errors, Measures: {level} {name}" if name else level, {"level": "set"})]


def _labels(names: choices.Names) -> str:
    more = len(names) - MOST_NAMES
    shown = ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"labels: {shown} (not on Models)"


def _label_scores(_: Chosen, texts: choices.Names) -> list[Chip]:
    """A chip for every label with a threshold of its own, also for one that the files do not have."""
    split = [text.partition("=") for text in texts]
    rest = lambda text: tuple(other for other in texts if other != text)
    return [
        Chip(f"score_{label}", f"score of {label} ≥ {score}", {"label_scores": rest(text)})
        for text, (score, _, label) in zip(texts, split)
    ]


def _repairs(chosen: Chosen, texts: choices.Names) -> list[Chip]:
    """A chip for every repair; a prediction is named by its file."""
    names = {"gt": chosen.words.named[0], **{str(k): name for k, name in enumerate(chosen.names)}}
    split = [text.partition("=") for text in texts]
    return [
        Chip(f"repair_{k}", f"repair of {names.get(side, side)}: {repair}", {"fixes": texts[:k] + texts[k + 1 :]})
        for k, (side, _, repair) in enumerate(split)
    ]


def _attribute(_: Chosen, text: str) -> list[Chip]:
    """A chip that removes the attribute, and what its pages are compared with."""
    return [Chip("attribute", f"on Errors: {text.replace('=', ' ', 1)}", {"attribute": "", "versus": ""})]


CHIPS: dict[str, Callable[[Chosen, Any], list[Chip]]] = {
    "level": _scope,
    "labels": _one("labels", _labels),
    "attribute": _attribute,
    "versus": _one("versus", lambda text: f"on Errors against: {text.replace('=', ' ', 1)}"),
    "has_label": _one("has_label", lambda label: f"on Errors: pages with {label}"),
    "cause": _one("cause", lambda cause: f"on Errors: pages with the cause {cause}"),
    "min_score": _one("min_score", lambda score: f"score ≥ {threshold_text(score)}"),
    "label_scores": _label_scores,
    "truth": _one("truth", lambda _: "no truth: A and B"),
    "mapping": _one("mapping", lambda text: MAPPINGS[bool(mapping_from_text(text))]),
    "fixes": _repairs,
    "families": _one("families", lambda tree: f"families: {TITLES.get(tree, OWN)}"),
    "method": _one("method", lambda method: f"method: {method}"),
    "rounding": _one("rounding", lambda rounding: f"rounding: {rounding}"),
    "missing_pages": _one("missing_pages", lambda rule: f"missing pages: {rule}"),
    "taxonomy": _one("taxonomy", lambda taxonomy: f"taxonomy: {taxonomy}"),
}


def chips_in_force(chosen: Chosen) -> list[Chip]:
    """The chips of all choices that are not at their default."""
    differing = [name for name in CHIPS if getattr(chosen.now, name) != getattr(choices.DEFAULTS, name)]
    return [chip for name in differing for chip in CHIPS[name](chosen, getattr(chosen.now, name))]


def show_facets(chosen: Chosen, shown: Panes) -> None:
    """One row: the prediction to compare with, and the values of one attribute."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="facets"):
        _show_other(chosen, shown)
        if selection.attributes_of(chosen):
            _show_values(chosen)


def _show_other(chosen: Chosen, shown: Panes) -> None:
    """The prediction to compare with, if several are loaded."""
    names, own = chosen.names, chosen.position
    if len(names) < 2:
        return
    text = lambda k: f"{names[own]} alone" if k == ALONE else f"with {names[k]}"
    show_choice(
        "other", "Compare with", [ALONE, *chosen.others], format_func=text, width=230, label_visibility="collapsed",
        disabled=shown.kind == PAGES,
    )  # fmt: skip


def _show_filters_of_errors(chosen: Chosen) -> None:
    """Filters of Errors: pages with a label, a cause of wrong pixels, or a value of an attribute."""
    compared = chosen.compared
    st.caption(words_for(compared).filters)
    look: Any = {"place": "filter", "in_popover": True}
    every = lambda name: name or "all pages"
    show_choice("has_label", "Label", ["", *dict.fromkeys(compared.labels[1:])], format_func=every, **look)
    causes_known = compared.levels.has_regions or bool(compared.sources.causes.kept)
    if selection.has_causes(compared) and causes_known:
        show_choice("cause", "Cause", ["", *CAUSES], format_func=every, **look)
    attributes = {name: own for name, own in selection.attributes_of(chosen).items() if name != DOCUMENT}
    values = [f"{name}={value}" for name, own in attributes.items() for value in own]
    if values:
        show = lambda text: text.replace("=", ": ", 1) or "all pages"
        show_choice("attribute", "Page attribute", ["", *values], format_func=show, **look)


def _show_values(chosen: Chosen) -> None:
    every = selection.attributes_of(chosen)
    # The chosen attribute, else that of the filter in force, else the first.
    wanted = (chosen.now.facet, chosen.now.attribute.partition("=")[0], *every)
    offered = next(name for name in wanted if name in every)
    bound = choices.bind("facet", "facets")
    st.session_state[bound["key"]] = offered
    st.selectbox("Attribute", list(every), width=170, label_visibility="collapsed", **bound)
    values, key = every[offered], f"facet_values_{offered}"
    st.session_state[key] = _values_in_force(chosen.now, offered, values)
    look: Any = {"key": key, "on_change": _take_values, "args": (offered, key), "label_visibility": "collapsed"}
    if len(values) <= MOST_PILLS:
        st.pills("Values", values, selection_mode="multi", help=PILLS_HELP, **look)
    else:
        st.multiselect("Values", values, max_selections=2, placeholder=f"{len(values)} values", width=320, **look)


def _values_in_force(now: choices.Choices, name: str, values: tuple[str, ...]) -> list[str]:
    """The chosen values of an attribute: the value of the chosen pages, and the value to compare with."""
    own = now.document if name == DOCUMENT and now.level == DOCUMENT else now.attribute.removeprefix(f"{name}=")
    first = [own] if own in values and (name == DOCUMENT or now.attribute == f"{name}={own}") else []
    other = now.versus.removeprefix(f"{name}=")
    return [*first, *([other] if first and now.versus == f"{name}={other}" and other in values else [])]


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
