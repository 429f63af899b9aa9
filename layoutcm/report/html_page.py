"""The report as one HTML file that works offline: a clickable matrix, and pages with the pixels behind a cell.

The file contains numbers and pictures as JSON and a small script that draws them; it loads nothing else. Its size is
limited: only the most important pages have pictures, and only the worst pages are in the tables.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.drawing import web
from layoutcm.drawing.label_order import groups_of_labels
from layoutcm.drawing.matrix_layers import shown_in_either
from layoutcm.drawing.page_images import PageImages, load_shrunk
from layoutcm.drawing.web import IMAGE_SIDE, image_uri, json_for_script, page_data
from layoutcm.drawing.web.matrix_data import (
    PAGES_PER_CELL,
    MatrixLook,
    cell_data,
    difference_of_shown,
    matrix_data,
    pages_behind_cells,
    paired_matrices,
)
from layoutcm.errors import InputError
from layoutcm.layouts.findings import severe_sentence
from layoutcm.layouts.model import GT, PRED
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_trees import suggested_trees
from layoutcm.models.cell_differences import cell_differences
from layoutcm.results.result import Result
from layoutcm.results.types import IntervalTables
from layoutcm.results.verdict import CONFIDENCE
from layoutcm.tables.interval_texts import cell_difference_text
from layoutcm.tables.label_folding import DrawnMatrix, drawn_matrix
from layoutcm.tables.matrix_views import (
    SHARE_VIEWS,
    Selection,
    cell_verb,
    every_label,
    result_sentence,
    select,
    view_buttons,
)
from layoutcm.tables.report_tables import HTML_ROWS, HTML_TABLES, family_matrix_tables
from layoutcm.tables.tables import NO_CLASSES, Table
from layoutcm.tables.written_forms import Ends, with_joined_ends
from layoutcm.wording import plain_number

MOST_PICTURES = 40
FIRST_CELLS = 24  # the largest confusions; their worst pages get pictures first
NO_PAGES: dict[str, Any] = {
    "cells": None, "no_pages": "This report was made from a result, which has no regions: no page is shown.",
    "model": "", "pairs": [], "viewer": {}, "pictures": [],
}  # fmt: skip
REPORT_RUNS = 12_000  # of tiles, of one page; fewer than in the dashboard, because a report has many pages
MOST_BOXES = 1_500
DIGITS = 6  # of differences; more would only make the file larger


def report_html(
    result: Result,
    tables: Mapping[str, Table],
    drawings: Mapping[str, bytes] | None = None,
    comparison: Comparison | None = None,
    images: PageImages | None = None,
    models: Mapping[str, Comparison] | None = None,
) -> str:
    """The HTML text of the report; `drawings` are figures as SVG, shown above the tables of the same names.

    Pages behind cells and pages in the viewer need the comparison. `models` are all predictions of a report of several,
    by name; this one is among them.
    """
    data = report_data(result, tables, comparison, images, models)
    data["drawings"] = {
        name: f"data:image/svg+xml;base64,{base64.b64encode(drawing).decode()}"
        for name, drawing in (drawings or {}).items()
    }
    return fill_template("report", data, ("matrix", "viewer"))


def fill_template(name: str, data: dict[str, Any], components: Sequence[str]) -> str:
    """The HTML text of a template, with its style, its data and the scripts of these components in it."""
    folder = files("layoutcm.report") / "templates"
    page, style, *scripts = (
        (folder / file).read_text("utf-8") for file in (f"{name}.html", "report.css", "shared.js", f"{name}.js")
    )
    parts = [part for component in components for part in web.PARTS[component]]
    script = "\n".join((web.script("text", *parts), *scripts))
    style = "\n".join((style, web.style(*components)))
    page = page.replace("/*style*/", style).replace("/*script*/", script).replace("/*p*/", plain_number(1 - CONFIDENCE))
    return page.replace("/*data*/", json_for_script(data))


def report_data(
    result: Result,
    tables: Mapping[str, Table],
    comparison: Comparison | None = None,
    images: PageImages | None = None,
    models: Mapping[str, Comparison] | None = None,
) -> dict[str, Any]:
    """All data that the page shows."""
    whole, words = result.confusion(), result.vocabulary
    drawn = drawn_matrix(whole, select(whole))
    collapsed, (confusion, (rows, columns), _) = whole.collapse(), drawn
    absent = () if confusion.diagonal else ("classes",)
    tree = next(iter(suggested_trees(result.labels[1:])), None)  # the built-in one that fits best
    return {
        "title": words.files.format(gt=result.inputs.gt.name, pred=result.inputs.pred.name),
        "cell_name": words.cell,
        "measured": words.measured,
        "severe": severe_sentence(result.findings),
        "sentence": result_sentence(result, whole),
        "recipe": confusion.recipe,
        "method": confusion.method,
        "taxonomy": result.taxonomy,
        "pages": result.page_count,
        "documents": result.document_count,
        "pixels": result.pixels,
        "labels": confusion.labels,
        "rows": rows,
        "columns": columns,
        "diagonal": confusion.diagonal,
        "matrix": matrix_data(confusion, "recall", drawn.selection, families=groups_of_labels(tree, drawn.selection)),
        "view_names": view_buttons(words) | {"collapsed": "2x2"},
        "verbs": {name: cell_verb(confusion.diagonal, name == "correct") for name in ("correct", "wrong")},
        "no_classes": NO_CLASSES,
        "collapsed": matrix_data(collapsed, "recall", every_label(collapsed)),
        "tables": {name: table_data(tables[name]) for name in HTML_TABLES if name in tables and name not in absent},
        "families": [_family(table) for table in family_matrix_tables(tables)],
        **(NO_PAGES if comparison is None else _page_parts(comparison, result, drawn, tables, images, models or {})),
    }


def _page_parts(
    comparison: Comparison,
    result: Result,
    drawn: DrawnMatrix,
    tables: Mapping[str, Table],
    images: PageImages | None,
    models: Mapping[str, Comparison],
) -> dict[str, Any]:
    """What needs regions or other predictions: pages behind cells, pages of the viewer, pairs of matrices."""
    confusion, viewer, others = result.confusion(), _viewer_data(comparison, models), others_of(comparison, models)
    # Joined labels have no pages of their own, and the cells of the others would have other positions.
    cells, pictured_pages = (None, []) if drawn.joined else _pages_behind_cells(comparison, confusion)
    return {
        "cells": cells,
        "no_pages": "A report with joined labels has no pages; the dashboard shows those behind a cell.",
        "model": _name_of(comparison, models),
        "pairs": pair_data(comparison, models, result),
        "viewer": viewer if pictured_pages else {},
        "pictures": [
            picture | {"other_boxes": regions_of_others(others, picture["page"], viewer["labels"])[:MOST_BOXES]}
            for page in pictured_pages
            if (picture := _picture(comparison, page, confusion.method, images, tables))
        ],
    }


def _pages_behind_cells(comparison: Comparison, confusion: Confusion) -> tuple[dict[str, Any], list[int]]:
    """The pages behind each cell, and the pages to picture; joined labels have neither."""
    behind = pages_behind_cells(comparison, confusion)
    worst = {cell: pages.tolist() for cell, (_, pages, _) in behind.items()}
    return cell_data(comparison, behind), pages_to_picture(confusion, worst)


def _family(table: Table) -> dict[str, Any]:
    """The matrix of a family, whose last row and last column are what is out of it."""
    rows, columns = table.places or ([], [])
    names = dict(zip((*rows, *columns), (*table.data.iloc[:, 0], *table.data.columns[1:])))
    labels = [names[place] for place in sorted(names)]
    values = np.zeros((len(labels), len(labels)))
    values[np.ix_(rows, columns)] = table.data.iloc[:, 1:].to_numpy(float)
    matrix = Confusion(labels, "families", values, values, values.sum(axis=0), has_background=False)
    look = MatrixLook(margins=(len(labels) - 1,), bars=False)
    return {"title": table.title, "matrix": matrix_data(matrix, "pixels", Selection(list(rows), list(columns)), look)}


def table_data(table: Table) -> dict[str, Any]:
    """Headings, kinds and rows; `of` is the total number of rows."""
    table = with_joined_ends(table)
    most = HTML_ROWS.get(table.name, len(table.data))
    text = lambda value: value.text() if isinstance(value, Ends) else value
    rows = [[text(value) for value in row] for row in table.data.head(most).itertuples(index=False, name=None)]
    return {"title": table.title, "columns": table.headings(), "kinds": table.kinds(), "rows": rows,
            "of": len(table.data), "note": [text for text in (table.note, table.recipe) if text]}  # fmt: skip


def pages_to_picture(confusion: Confusion, pages: Mapping[tuple[int, int], Sequence[int]]) -> list[int]:
    """Up to MOST_PICTURES pages: the worst page of each of the largest confusions, then their second worst, and so on.

    `pages` are those behind each cell (row, column), the worst first, then -1.
    """
    wrong = [cell for cell in pages if cell != (0, 0) and not (confusion.diagonal and cell[0] == cell[1])]
    ranked = sorted(wrong, key=lambda cell: (-confusion.values[cell], cell))
    chosen: dict[int, None] = {}
    for group in (ranked[:FIRST_CELLS], ranked):
        for rank in range(PAGES_PER_CELL):
            for cell in group:
                if pages[cell][rank] >= 0 and len(chosen) < MOST_PICTURES:
                    chosen.setdefault(pages[cell][rank])
    return list(chosen)


def _picture(
    comparison: Comparison, index: int, method: str, images: PageImages | None, tables: Collection[str]
) -> dict[str, Any] | None:
    """One page for the viewer; causes and centres are in it if the report has their tables, and so has counted them.

    None if the page has too many tiles to be drawn.
    """
    image = image_uri(load_shrunk(images.find(comparison, index), IMAGE_SIDE) if images else None)
    try:
        found = page_data.page_for_viewer(comparison, index, method, image, REPORT_RUNS)
    except InputError:
        return None
    found |= {"boxes": _most_boxes(found["boxes"]), "region_count": len(found["boxes"])}
    page = found["page"]
    if "causes" in tables:
        found["causes"] = page_data.cause_data(comparison, page, REPORT_RUNS)
    if "objects" in tables:
        found["centres"] = page_data.centre_data(comparison, page, class_aware=comparison.space.shared)
    return found


def _most_boxes(boxes: list[list[Any]]) -> list[list[Any]]:
    """Up to MOST_BOXES regions; if there are more, both sides keep some."""
    if len(boxes) <= MOST_BOXES:
        return boxes
    sides = [[box for box in boxes if box[0] == side] for side in (GT, PRED)]
    least = min(len(side) for side in sides)
    each = max(MOST_BOXES // 2, MOST_BOXES - least)
    return [box for side in sides for box in side[:each]][:MOST_BOXES]


def _viewer_data(comparison: Comparison, models: Mapping[str, Comparison]) -> dict[str, Any]:
    """What all pages of the viewer have in common; the regions of other predictions are hidden at first."""
    others = others_of(comparison, models)
    gt, pred = comparison.vocabulary.titles
    sides = [gt, _name_of(comparison, models) or pred, *others]
    labels = [label for other in others.values() for label in other.labels[1:]]
    return page_data.label_data(comparison, labels) | {"sides": sides, "hidden_sides": [*range(2, len(sides))]}


def _name_of(comparison: Comparison, models: Mapping[str, Comparison]) -> str:
    return next((name for name, one in models.items() if one is comparison), "")


def others_of(comparison: Comparison, models: Mapping[str, Comparison]) -> dict[str, Comparison]:
    return {name: one for name, one in models.items() if one is not comparison}


def pair_data(comparison: Comparison, models: Mapping[str, Comparison], result: Result) -> list[dict[str, Any]]:
    """For every other prediction: both matrices on their common pages, and the difference of every cell.

    The diagonal of the difference from the baseline has the verdicts of the class scores of the same report.
    """
    own, place = _name_of(comparison, models), result.leaderboard
    tests = {place.baseline: result.difference_from_first} if place else {}
    others = others_of(comparison, models)
    return [_pair(own, comparison, name, other, result.method, tests.get(name)) for name, other in others.items()]


def _pair(
    own: str, comparison: Comparison, name: str, other: Comparison, method: str, tests: IntervalTables | None
) -> dict[str, Any]:
    try:
        pair = paired_matrices(comparison, other, method)
        found = {view: cell_differences(other, comparison, view, method=method) for view in SHARE_VIEWS}
    except InputError as error:
        return {"name": name, "problem": f"It cannot be compared with {name}: {error.problem}. {error.hint}"}
    if tests:
        found = {view: one.with_class_tests(view, tests.classes) for view, one in found.items()}
    shown = shown_in_either([select(one) for one in pair])
    differences = {view: _rounded(difference_of_shown(one, pair, shown)) for view, one in found.items()}
    return {
        "name": name,
        "labels": pair[0].labels,
        "matrix": matrix_data({own: pair[0], name: pair[1]}, "recall", shown),
        "differences": differences,
        "note": cell_difference_text(found["recall"].used, own, name, tests=tests),
    }


def _rounded(difference: dict[str, Any]) -> dict[str, Any]:
    """The verdicts stay: they were decided with all digits."""
    numbers = {name: difference[name] for name in ("values", "low", "high")}
    return difference | {
        name: [[None if value is None else round(value, DIGITS) for value in row] for row in rows]
        for name, rows in numbers.items()
    }


def regions_of_others(others: Mapping[str, Comparison], page: str, labels: list[str]) -> list[list[Any]]:
    """The regions of the other predictions on a page; they are the sides 2, 3, ... of the viewer."""
    return [
        region
        for side, other in enumerate(others.values(), start=2)
        if page in other.alignment.pages.index
        for region in page_data.region_data(other, page, labels, {"pred": side})
    ]
