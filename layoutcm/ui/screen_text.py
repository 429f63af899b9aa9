"""Words and text on the screen: the vocabulary of the dashboard, names with Markdown escaped, errors, counts."""

from __future__ import annotations

from typing import Any
from unicodedata import bidirectional

import msgspec

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.layouts.model import Finding
from layoutcm.results.vocabulary import WITH_TRUTH, WITHOUT_TRUTH, Vocabulary
from layoutcm.wording import agree, escape_markdown, thin_spaced


def as_typed(text: str) -> str:
    """Untrusted text inside Markdown, shown as typed; right-to-left text does not reverse the text around it."""
    shown = escape_markdown(text)
    return f"\u2068{shown}\u2069" if any(bidirectional(sign) in ("R", "AL") for sign in text) else shown


def error_text(error: InputError) -> str:
    return as_typed(error.on_screen)


def finding_text(finding: Finding) -> str:
    """The message, and the hint on a line of its own; a repair has a button instead of a hint."""
    hint = finding.advice.on_screen
    return as_typed(finding.message) + (f"  \n{as_typed(hint)}" if hint else "")


def plural_spaced(count: int, word: str) -> str:
    """'1 page', '1 234 pages', with a thin space."""
    return f"{thin_spaced(count)} {agree(count, word, word + 's')}"


def join_unbroken(parts: list[str]) -> str:
    """The parts of a legend in one line, which may break only between parts."""
    return " &ensp; ".join(part.replace(" ", "\u00a0") for part in parts)


class ScreenWords(Vocabulary, frozen=True, kw_only=True):
    """The words of a vocabulary, and those of single places of the dashboard; a reason is "" if it does not apply."""

    others_title: str  # the list from which the files of the second side are chosen
    swap: str  # the button that exchanges the two sides
    first_layout: str  # the first file in a table of agreement: {name}
    panes: tuple[str, str]  # two predictions or two sets of pages: {name}
    errors: str  # the title of Errors
    filters: str  # before the filters of Errors
    hint: str  # beside the matrix of Errors, as long as nothing is clicked
    classes: str  # the section of scores by label
    lit: str  # the pixels of a label: {label}
    not_in_2x2: tuple[str, ...]  # columns of class values that the 2x2 does not have
    object_cells: str  # the title of the matrix of objects
    object_cell: str  # the name of one of its cells: {gt}, {verb} and {pred}
    matched: tuple[str, str]  # what the objects of each side are if they have a partner
    right: str  # labels that both sides have, as a title
    are_right: str  # the same inside a sentence
    mistakes: str  # labels that only one side has
    no_ap: str  # why there is no average precision
    no_pairs: str  # why predictions are not paired with objects by rank
    no_use_of_scores: str  # why the scores of predictions say nothing


# {field: (with a truth, without one)}
_WORDS: dict[str, tuple[Any, Any]] = {
    "others_title": ("Predictions", "B"),
    "swap": ("Swap ground truth and prediction", "Swap A and B"),
    "first_layout": ("ground truth", "{name}"),
    "panes": (("A: {name}", "B: {name}"), ("{name}", "{name}")),
    "errors": ("Errors", "Where A and B differ"),
    "filters": ("On Errors, only pages with:", "Only pages with:"),
    "hint": (
        "Click a cell of the matrix to see the pages behind it, or a label to see what it is taken for.",
        "Click a cell of the matrix to see the pages behind it, or a label to see where A and B differ.",
    ),
    "classes": ("Classes", "Labels"),
    "lit": ("the wrong pixels of {label}", "the differences in {label}"),
    "not_in_2x2": ((), ("precision", "recall", "f1")),
    "object_cells": ("What is found as what", "What of A is what in B"),
    "object_cell": (WITH_TRUTH.cell, "{gt} is {pred}"),
    "matched": (("are found", "are right"), ("are also in B", "are also in A")),
    "right": ("Right", "Same label"),
    "are_right": ("are right", "have the same label on both sides"),
    "mistakes": ("mistakes", "others"),
    "no_ap": ("", "AP needs a ground truth: it ranks predictions by how well they meet it."),
    "no_pairs": ("", "n/a: neither side is the truth, so there are no predictions to rank against it."),
    "no_use_of_scores": ("", "Neither side is the truth"),
}
_BY_SIDES = {
    one.sides: ScreenWords(**msgspec.structs.asdict(one), **{name: both[k] for name, both in _WORDS.items()})
    for k, one in enumerate((WITH_TRUTH, WITHOUT_TRUTH))
}


def words_of(vocabulary: Vocabulary) -> ScreenWords:
    """The words of the dashboard that belong to a vocabulary."""
    return _BY_SIDES[vocabulary.sides]


def words_for(compared: Comparison) -> ScreenWords:
    """The words of the dashboard for a comparison."""
    return words_of(compared.vocabulary)
