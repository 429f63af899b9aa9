"""The headline numbers of a view: each with one sentence that says what it means, or why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from layoutcm.ui.screen_text import as_typed
from layoutcm.wording import percent, score_text

NONE = "n/a"
WIDTH = 184  # px of a number with its sentence; five are beside each other on a wide screen


class Headline(NamedTuple):
    """A number: its title, its text, what it means. Without a number, the meaning is the reason."""

    title: str
    text: str
    meaning: str


def score_headline(title: str, value: float, meaning: str, reason: str = "") -> Headline:
    """A score from 0 to 1; n/a and the reason if it is undefined."""
    if math.isnan(value):
        return Headline(title, NONE, reason or "It is not defined here.")
    return Headline(title, score_text(value), meaning)


def share_headline(title: str, value: float, meaning: str, reason: str = "") -> Headline:
    """A share in percent; n/a and the reason if it is undefined."""
    if math.isnan(value):
        return Headline(title, NONE, reason or "It is not defined here.")
    return Headline(title, percent(value), meaning)


def show_headlines(headlines: Sequence[Headline]) -> None:
    """The numbers in one row, which wraps if it is too long."""
    with st.container(horizontal=True, gap="small"):
        for one in headlines:
            with st.container(width=WIDTH, gap="xsmall"):
                st.metric(one.title, one.text, width="stretch")
                st.caption(as_typed(one.meaning))
