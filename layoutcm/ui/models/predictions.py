"""The predictions of the Models page: all of them compared, one leaderboard, and the sentence that says which is best.

A prediction that cannot be compared keeps its row, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.models.leaderboard import Leaderboard, leaderboard
from layoutcm.tables.leaderboard_tables import best_sentence
from layoutcm.tables.matrix_views import select
from layoutcm.ui.screen_text import as_typed, error_text
from layoutcm.ui.server import background
from layoutcm.ui.server.visitors import Kept, kept
from layoutcm.ui.shared import data_tables, page_shell
from layoutcm.ui.shared.page_shell import go_to
from layoutcm.ui.state import choices, selection
from layoutcm.ui.state.chosen import Chosen

ANSWER_HEIGHT = 80  # pixels
MOST_PAGES = 2000  # of a set whose causes, curves and slices are made before the page is complete


@dataclass(frozen=True, eq=False, repr=False)
class Predictions:
    """The comparisons of all predictions, by position, and why others have none.

    The repr is a key of values that are kept.
    """

    chosen: Chosen
    compared: dict[int, Comparison]
    problems: dict[int, InputError]

    def __repr__(self) -> str:
        keys = [(self.names[position], self.chosen.key(position)) for position in self.compared]
        return f"{keys} {self.chosen.now.method}"

    @property
    def names(self) -> list[str]:
        return self.chosen.names

    @property
    def content(self) -> str:
        """What the table of predictions is made from."""
        return f"{self} {self.chosen.now.baseline}"

    @property
    def by_name(self) -> dict[str, Comparison]:
        return {self.names[position]: compared for position, compared in self.compared.items()}

    @property
    def pages(self) -> int:
        return max((len(compared.pages) for compared in self.compared.values()), default=0)

    @property
    def own(self) -> Comparison | None:
        """The comparison of the chosen prediction; None if there is none."""
        return self.compared.get(self.chosen.position)

    def position(self, name: str) -> int:
        return self.names.index(name)


def reserved(height: int) -> DeltaGenerator:
    """A place of at least this many pixels, so nothing below it moves when it is filled.

    A very narrow column keeps the height. A style would be applied later than the first elements are drawn.
    """
    narrow, place = st.columns([1, 1000], gap=None)
    narrow.space(height)
    return place


def reserved_part(title: str, height: int) -> DeltaGenerator:
    """A reserved place below a heading."""
    st.subheader(title, anchor=False)
    return reserved(height)


def baseline_name(predictions: Predictions) -> str:
    """The chosen baseline, or the first prediction if that one cannot be compared."""
    position = predictions.chosen.now.baseline
    return predictions.names[position if position in predictions.compared else next(iter(predictions.compared))]


@kept("Comparing the predictions with each other …")
def _board(predictions: Predictions) -> Leaderboard:
    return leaderboard(predictions.by_name, method=predictions.chosen.now.method)


@kept("Comparing with the baseline …")
def _board_against(predictions: Predictions, baseline: str) -> Leaderboard:
    return _board(predictions).against(baseline)


def show_answer(place: DeltaGenerator, predictions: Predictions) -> Leaderboard | None:
    """One sentence: which prediction is best and whether that is real, or how good the only one is."""
    if len(predictions.compared) == 1:
        ((position, compared),) = predictions.compared.items()
        confusion = compared.confusion(method=predictions.chosen.now.method)
        place.markdown(data_tables.sentence_on_screen(confusion, predictions.names[position], selection.WHOLE_SET))
        return None
    try:
        with place.container():  # for the spinner
            board = _board_against(predictions, baseline_name(predictions)) if predictions.compared else None
    except InputError as error:
        place.error(f"The predictions cannot be compared with each other. {error_text(error)}")
        return None
    if board:
        place.markdown(best_sentence(board, lambda name: f"**{as_typed(name)}**"))
    return board


def show_confusions(predictions: Predictions) -> None:
    """The largest confusions of the chosen prediction; a click opens the cell."""
    compared = predictions.own
    if compared is None:
        return
    confusion = compared.confusion(method=predictions.chosen.now.method)
    for text, gt_label, pred_label in data_tables.confusion_sentences(confusion, select(confusion)):
        key = f"confusion_{gt_label}_{pred_label}"
        st.button(text, key=key, width="stretch", on_click=_open_cell, args=(gt_label, pred_label))


def _open_cell(gt_label: str, pred_label: str) -> None:
    page_shell.choose_cell(gt_label, pred_label)
    go_to("errors")


def open_prediction(position: int) -> None:
    """Make this prediction the chosen one, and go to its errors."""
    choices.put(pred=position)
    go_to("errors")


def is_ready(predictions: Predictions, value: Kept[Any, Any], *arguments: Any) -> bool:
    """Whether a slow part can be drawn: at once for a small set, for a large one when it is made in the background."""
    return predictions.pages <= MOST_PAGES or background.is_ready(value, *arguments)
