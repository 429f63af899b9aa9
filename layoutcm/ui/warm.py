"""Loading what the first comparison needs while the first visitor is still choosing files."""

from __future__ import annotations

import logging
from threading import Thread

import streamlit as st

from layoutcm.comparison import compare
from layoutcm.formats import read

_TINY = ("tiny.csv", b"page,width,height,label,x0,y0,x1,y1\np,9,9,a,0,0,5,5\n")


@st.cache_resource(show_spinner=False)
def start() -> Thread:
    """Once a server: compare one tiny page in the background, which loads the compiled kernel and the tables."""
    thread = Thread(target=_compare_once, daemon=True)
    thread.start()
    return thread


def _compare_once() -> None:
    try:
        import layoutcm.charts  # noqa: F401  (Plotly takes its time)

        tiny = read(_TINY)
        compare(tiny, tiny).page_table()
    except Exception:  # the visitor's own comparison will say what is wrong
        logging.getLogger("layoutcm").exception("warming up failed")
