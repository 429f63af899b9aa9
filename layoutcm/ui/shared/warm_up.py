"""Load modules and compiled code on the server while the visitor is still choosing files."""

from __future__ import annotations

import gc
import logging
from functools import cache
from threading import Thread

import pandas  # noqa: F401  (not in the thread: Plotly, drawing for a visitor, could find it half loaded)

from layoutcm.comparison import compare
from layoutcm.compiled import compile_from_now_on
from layoutcm.formats import read
from layoutcm.tables.matrix_views import select
from layoutcm.ui.files.file_facts import load_reading_code
from layoutcm.ui.server.guarded_reading import start_workers

_TINY = ("tiny.csv", b"page,width,height,label,score,x0,y0,x1,y1\np,9,9,a,1,0,0,5,5\np,9,9,b,1,2,2,7,7\n")


@cache
def start_warm_up() -> Thread:
    """Once per server: load modules and compiled code, here and in the processes that read files.

    A thread does what the pages do, on one tiny page.
    """
    start_workers(load_reading_code)
    thread = Thread(target=_warm_up, daemon=True)
    thread.start()
    return thread


def _warm_up() -> None:
    try:
        _compare_and_draw()
    except Exception:  # the visitor's own comparison will show what is wrong
        logging.getLogger("layoutcm").exception("warming up failed")
    # Streamlit collects garbage after every run. The modules loaded by now never become garbage, and scanning them
    # would often take longer than the run. (No collection before: a large file may be being read at this moment.)
    gc.freeze()


def _compare_and_draw() -> None:
    from layoutcm.drawing.palette import LIGHT
    from layoutcm.drawing.row_charts import class_bars
    from layoutcm.drawing.screen.charts import draw
    from layoutcm.drawing.web import page_data
    from layoutcm.drawing.web.matrix_data import matrix_data

    compile_from_now_on()
    tiny = read(_TINY)
    compared = compare(tiny, tiny)
    confusion, objects = compared.confusion(), compared.objects()
    draw(class_bars(confusion), LIGHT).to_json()
    compared.page_table()
    matrix_data(confusion, "recall", select(confusion))
    objects.object_confusion_at(0.5)
    page_data.region_data(compared, "p", page_data.label_data(compared)["labels"], {"gt": 0, "pred": 1})
    page_data.tile_data(compared.page_tiles("p"))
    compared.pages_behind("a", "b")
    objects.ap_at(0.5)
    compared.centroids()
    compared.soft()
    # Causes come last, because they take longest to compile, and only the panel of a cell and the viewer use them.
    compared.causes()
    page_data.cause_data(compared, "p")
