"""A comparison in a notebook: as small HTML, and the interactive matrix and pages in a frame of their own.

The frame is sandboxed: its scripts, which are those of the dashboard and the report, cannot reach the notebook, and it
loads nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from layoutcm import html_parts
from layoutcm.comparison import Comparison
from layoutcm.drawing import web
from layoutcm.drawing.page_images import images_from_path, load_shrunk
from layoutcm.drawing.web import image_uri, json_for_script, page_data
from layoutcm.drawing.web.matrix_data import cell_data, matrix_data, pages_behind_cells
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.findings import findings_html, severe_sentence
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.levels import page_position
from layoutcm.outputs.files import write_whole
from layoutcm.results.measures import CONTENT_ROW, MEASURES, OF_PIXELS, SCORES, grid_rows, quoted_measures
from layoutcm.results.result import Result
from layoutcm.tables.label_folding import drawn_matrix
from layoutcm.tables.matrix_views import (
    FEW_CONFUSIONS,
    cell_verb,
    largest_confusions,
    result_sentence,
    select,
    view_buttons,
)
from layoutcm.wording import percent, pixels_in_full, score_text

IMAGE_SIDE, IMAGE_BYTES = 1600, 500_000  # one page may be larger than one of many in a report
ROW_HEIGHT, LEAST_HEIGHT, MOST_HEIGHT, PAGE_HEIGHT = 40, 420, 900, 720  # px
MATRIX_BODY = """<div id="views" class="buttons" role="group" aria-label="View"></div>
<div class="both"><div id="matrix"></div><div id="cell" aria-live="polite">
<p class="soft">A dot is n/a, a blank is zero. Click a cell to see the pages behind it.</p></div></div>"""
PAGE_BODY = '<div id="page"></div>'


@dataclass(frozen=True, eq=False)
class Shown:
    """An HTML page that a notebook shows in a frame; `write` makes a file of it."""

    title: str
    html: str
    height: int  # px

    def __repr__(self) -> str:
        return f"<{self.title}; shown in a notebook, or write(FILE)>"

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:0;resize:vertical;overflow:auto"
        title = f'title="{html_parts.text(self.title)}"'
        return f'<iframe sandbox="allow-scripts" {title} style="{style}" srcdoc="{escape(self.html)}"></iframe>'

    def write(self, file: str | os.PathLike[str]) -> None:
        """Write a file that opens in any browser, without a network."""
        write_whole(file, self.html.encode("utf-8"))


def show_matrix(comparison: Comparison, method: str = "matrix") -> Shown:
    """The matrix with its views; a click on a cell lists the pages behind it."""
    whole = comparison.confusion(method=method)
    drawn = drawn_matrix(whole, select(whole))
    confusion, selection = drawn.confusion, drawn.selection
    cells = {} if drawn.joined else cell_data(comparison, pages_behind_cells(comparison, whole))
    data = {
        "kind": "matrix",
        "matrix": matrix_data(confusion, "recall", selection),
        "views": view_buttons(comparison.vocabulary),
        "labels": confusion.labels,
        "cell_name": comparison.vocabulary.cell,
        "verbs": {name: cell_verb(confusion.diagonal, name == "correct") for name in ("correct", "wrong")},
        "cells": cells,
        "pages": len(comparison.pages),
    }
    height = min(max(ROW_HEIGHT * (len(selection.rows) + 6), LEAST_HEIGHT), MOST_HEIGHT)
    return Shown(
        f"confusion matrix of {comparison.recipe}", _page(_severe_html(comparison) + MATRIX_BODY, data), height
    )


def show_page(
    comparison: Comparison, page: str, images: str | os.PathLike[str] | None = None, method: str = "matrix"
) -> Shown:
    """One page in the viewer of the dashboard: regions, difference, causes, label sets and centres."""
    index = page_position(comparison.levels.pages, page)
    pictures = None if images is None else images_from_path(images)
    image = load_shrunk(pictures.find(comparison, index), IMAGE_SIDE) if pictures else None
    found = page_data.page_for_viewer(comparison, index, method, image_uri(image, IMAGE_BYTES))
    found |= page_data.label_data(comparison) | {
        "sides": comparison.vocabulary.titles,
        "causes": page_data.cause_data(comparison, page),
        "centres": page_data.centre_data(comparison, page, class_aware=comparison.space.shared),
        "panes": [{"mask": "difference", "boxes": True}],
        "cell": None,
    }
    return Shown(
        f"page {page}", _page(_severe_html(comparison) + PAGE_BODY, {"kind": "page", "page": found}), PAGE_HEIGHT
    )


def _severe_html(comparison: Comparison) -> str:
    words = html_parts.alarm(severe_sentence(comparison.findings))
    return html_parts.block("", words) if words else ""


def _page(body: str, data: dict[str, Any]) -> str:
    style = web.style("matrix", "viewer", "notebook")
    script = web.script("text", *web.PARTS["matrix"], *web.PARTS["viewer"], "notebook")
    page = (files("layoutcm.drawing.web") / "notebook.html").read_text("utf-8").replace("/*style*/", style)
    page = page.replace("/*body*/", body).replace("/*script*/", script)
    return page.replace("/*data*/", json_for_script(data))


def comparison_html(comparison: Comparison) -> str:
    """The summary sentence, the averages or the agreement, the largest confusions, and what is unusual."""
    result = result_of(comparison, asked=Asked(parts=("agreement", "slack", "findings")))
    confusion, inputs = result.confusion(), result.inputs
    has_scores = result.vocabulary.measured == "scores"
    shown = [one for one in MEASURES if not one.grid] if has_scores else quoted_measures("agreement")
    own = [[one.title, score_text(result.measures[one.name])] for one in shown]
    return html_parts.block(
        result.vocabulary.files.format(gt=inputs.gt.name, pred=inputs.pred.name),
        html_parts.alarm(severe_sentence(result.findings)),
        html_parts.paragraph(result_sentence(result, confusion)),
        html_parts.table(["average", "precision", "recall", "F1"], _average_rows(result)) if has_scores else "",
        html_parts.table(["measure", "value"], own) if own else "",
        _confusion_table(confusion),
        findings_html(comparison.findings),
        html_parts.note(result.recipe),
    )


def _average_rows(result: Result) -> list[list[str]]:
    """The averages of all pixels without Background, then Content."""
    rows = {row: found for row, found in grid_rows(OF_PIXELS).items() if found["f1"].compared or found["f1"].quoted}
    titles = [*(row for row in rows if row != CONTENT_ROW and result.has_classes), CONTENT_ROW]
    return [[row, *(score_text(result.measures[rows[row][name].name]) for name in SCORES)] for row in titles]


def _confusion_table(confusion: Confusion) -> str:
    rows = [
        (gt, pred, pixels_in_full(pixels), percent(share))
        for gt, pred, pixels, share in largest_confusions(confusion, FEW_CONFUSIONS)
    ]
    gt, pred = confusion.side_names
    return html_parts.table([gt, pred, "pixels", f"share of {gt}"], rows, texts=2) if rows else ""
