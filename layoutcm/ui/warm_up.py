"""Loading what a first comparison needs while its visitor is still choosing files, on the server and in the browser."""

from __future__ import annotations

import gc
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pandas  # noqa: F401  (not in the thread: Plotly, drawing for a visitor, would meet it half loaded)
import streamlit as st

from layoutcm.comparison import compare
from layoutcm.formats import read
from layoutcm.ui.router import icon
from layoutcm.ui.session import loaded_files

_TINY = ("tiny.csv", b"page,width,height,label,score,x0,y0,x1,y1\np,9,9,a,1,0,0,5,5\np,9,9,b,1,2,2,7,7\n")


@st.cache_resource(show_spinner=False)
def start_warm_up() -> Thread:
    """Once a server: go once, on one tiny page, through what the pages do; this loads compiled code and modules."""
    thread = Thread(target=_go_through, daemon=True)
    thread.start()
    return thread


def _go_through() -> None:
    try:
        _compare_and_draw()
    except Exception:  # the visitor's own comparison will say what is wrong
        logging.getLogger("layoutcm").exception("warming up failed")
    # Streamlit collects garbage after every run. What has been loaded by now never becomes garbage, and looking
    # through it would take longer than many a run. (No collection first: a large file may just be read.)
    gc.freeze()


def _compare_and_draw() -> None:
    from layoutcm.drawing.page_boxes import page_boxes
    from layoutcm.drawing.palette import LIGHT, label_colours
    from layoutcm.drawing.screen.charts import class_bars, distribution_figure, taken_for_figure
    from layoutcm.drawing.screen.label_set_map import label_set_map
    from layoutcm.drawing.screen.matrix import matrix_figure
    from layoutcm.drawing.screen.object_charts import object_figure
    from layoutcm.drawing.screen.page_overlay import page_overlay
    from layoutcm.drawing.screen.precision_recall import precision_recall_plane

    tiny = read(_TINY)
    compared = compare(tiny, tiny)
    confusion, tiles = compared.confusion(), compared.page_tiles("p")
    colours, objects = label_colours(compared.labels[1:]), compared.objects()
    for figure in (
        matrix_figure(confusion, rows=[0, 1, 2], columns=[0, 1, 2], theme=LIGHT, selected=(1, 2)),
        class_bars(confusion, LIGHT),
        precision_recall_plane(confusion, LIGHT),
        taken_for_figure(confusion, 1, LIGHT),
        distribution_figure(compared.page_table()["f1"], "F1", LIGHT),
        page_overlay(9, 9, page_boxes(compared, "p"), LIGHT, image="data:,"),
        label_set_map(tiles, "cell", colours, LIGHT, tiles.share_of((1, 2)), image="data:,"),
        object_figure(objects.object_confusion_at(0.5), "pixels", LIGHT),
    ):
        figure.to_json()
    compared.pages_behind("a", "b")
    objects.ap_at(0.5)
    compared.centroids()
    compared.soft()


@contextmanager
def preload_browser() -> Iterator[None]:
    """Once a session: an unseen chart, table and picture, so that the browser loads what draws them while it waits.

    It waits for files to be chosen, or for those of a link to be read; then the page brings charts of its own.
    """
    place = st.empty()
    if not st.session_state.get("parts_loaded"):
        st.session_state["parts_loaded"] = True
        with place.container(key="unseen"):
            st.plotly_chart({"data": [{"type": "indicator"}]}, key="unseen_chart")
            st.dataframe({"unseen": []}, key="unseen_table")
            st.image(icon())
    yield
    if loaded_files() is not None:
        place.empty()
