"""The list of tables of a report, and where each of them appears: workbook, HTML page, LaTeX files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from msgspec import to_builtins

from layoutcm.comparison import Comparison
from layoutcm.errors import check_choice
from layoutcm.layouts.findings import severe_note, worst_first
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.results.common_parts import Part
from layoutcm.results.measures import SCORES, measure_of, quoted_measures
from layoutcm.results.result import Result, frame_of
from layoutcm.results.view_types import Agreement, LabelAgreement, PageToReview
from layoutcm.tables.matrix_views import TABLE_OF_VIEW, VIEWS
from layoutcm.tables.slice_tables import slice_report_table, slice_table
from layoutcm.tables.tables import (
    RANKED_PAIRS,
    Table,
    average_table,
    class_table,
    collapsed_table,
    confusions_table,
    family_tables,
    interval_tables,
    matrix_table,
    measure_table,
    object_tables,
    ranked_pairs_table,
)
from layoutcm.tables.why import why_tables
from layoutcm.wording import USE_A_MAPPING, one_line

LABEL_AGREEMENT = "label_agreement"
LABEL_TITLES = {"agreement": "both of either"}  # of the pixels with a label on either side
# In a table of pages or documents, scores without another word in their column are macro averages.
MACRO_TITLES = {score: measure_of(f"macro.{score}").short_title for score in SCORES}
NO_AGREEMENT = f"There is no agreement: A and B have different labels ({USE_A_MAPPING})."
REVIEW_ORDER = "pages to review: first the page of every label where A and B disagree most, then their second pages, …"


def agreement_tables(result: Result, confusion: Confusion, comparison: Comparison | None = None) -> list[Table]:
    """The tables of a report on A and B."""
    review = _frame(agreed(result).pages_to_review, PageToReview)  # only the first of very many
    return [
        matrix_table(confusion, "pixels"),
        _agreement_table(result),
        confusions_table(confusion),
        Table(LABEL_AGREEMENT, "Labels", _frame(agreed(result).labels, LabelAgreement), titles=LABEL_TITLES),
        review_table(review if comparison is None else comparison.pages_to_review()),
        *level_tables(result, comparison),
        findings_table(result),
        recipe_table(result),
    ]


def _frame(rows: Sequence[Part], kind: type[Part]) -> pd.DataFrame:
    """The rows as a table, which has its columns even without a row."""
    return frame_of(to_builtins(rows), kind.__struct_fields__)


def agreed(result: Result) -> Agreement:
    assert result.agreement is not None
    return result.agreement


def _agreement_table(result: Result) -> Table:
    values = {one.title: result.measures[one.name] for one in quoted_measures("agreement")}
    data = pd.DataFrame({"measure": list(values), "value": np.array(list(values.values()), float)})
    return Table("agreement", "Agreement", data, note="" if result.has_classes else NO_AGREEMENT)


def review_table(pages: pd.DataFrame) -> Table:
    """The table of `Comparison.pages_to_review`."""
    data = pages.rename(columns={"share": "share_of_label"})
    return Table("review", REVIEW_ORDER[0].upper() + REVIEW_ORDER[1:], data)


def findings_table(result: Result) -> Table:
    columns = ["severity", "code", "count", "message", "fix"]
    found = worst_first(result.findings)
    rows = [[one_line(one[name]) if name == "message" else one[name] for name in columns] for one in found]
    return Table("findings", "Findings", pd.DataFrame(rows, columns=columns))


def recipe_table(result: Result) -> Table:
    return Table("recipe", "Recipe", pd.DataFrame(list(result.recipe_fields.items()), columns=["setting", "value"]))


def level_tables(result: Result, comparison: Comparison | None) -> list[Table]:
    """The tables of documents and of pages; of very many only the comparison itself has them."""
    tables = []
    for name, of_result, is_there in (
        ("documents", "document_table", result.by_document is not None),
        ("pages", "page_table", result.page_scores is not None or result.by_page is not None),
    ):
        title = f"{name.capitalize()}, {result.vocabulary.worst_first}"
        if is_there:
            tables.append(Table(name, title, getattr(result, of_result)(), titles=MACRO_TITLES))
        elif comparison is not None:
            tables.append(Table(name, title, getattr(comparison, of_result)(result.method), titles=MACRO_TITLES))
    return tables


class Uses(NamedTuple):
    """Where a table appears: on a sheet, on the summary sheet (at this place), in the HTML page, as LaTeX, as CSV."""

    sheet: bool = False
    summary: int = 0
    html: bool = False
    latex: bool = False
    csv: bool = False
    html_rows: int | None = None  # at most so many, if it can be long
    is_long: bool = False  # a sheet has only its first rows


# In the order of sheets and of the HTML page.
USES = {
    **{TABLE_OF_VIEW[view]: Uses(sheet=True, latex=True) for view in VIEWS},
    "collapsed": Uses(sheet=True, latex=True),
    "agreement": Uses(summary=1, html=True, latex=True),
    "averages": Uses(summary=1, html=True, latex=True),
    "measures": Uses(sheet=True, html=True, latex=True),
    "confusions": Uses(summary=3, html=True, latex=True),
    "classes": Uses(sheet=True, html=True, latex=True),
    LABEL_AGREEMENT: Uses(sheet=True, html=True, latex=True),
    "review": Uses(sheet=True, html=True, html_rows=300, is_long=True),
    "intervals": Uses(sheet=True, html=True, latex=True),
    "difference": Uses(sheet=True, html=True, latex=True),
    "units": Uses(sheet=True, html=True),
    "causes": Uses(sheet=True, html=True, latex=True),
    "causes_by_label": Uses(sheet=True, html=True, latex=True),
    "forgiveness": Uses(sheet=True, html=True, latex=True),
    "thresholds": Uses(sheet=True, html=True, latex=True),
    "calibration": Uses(sheet=True, html=True, latex=True),
    "causes_by_document": Uses(sheet=True, html=True, html_rows=300, is_long=True),
    "causes_by_page": Uses(sheet=True, is_long=True),
    "object_scores": Uses(summary=2, html=True),
    "objects": Uses(sheet=True, html=True, latex=True),
    RANKED_PAIRS: Uses(sheet=True, csv=True, is_long=True),
    "slices": Uses(sheet=True, html=True, latex=True),
    "families": Uses(sheet=True, html=True, latex=True),
    "families_pred": Uses(sheet=True, html=True, latex=True),
    "documents": Uses(sheet=True, html=True, html_rows=300, is_long=True),
    "pages": Uses(sheet=True, html=True, csv=True, html_rows=500, is_long=True),
    "findings": Uses(sheet=True, html=True),
    "recipe": Uses(sheet=True, html=True),
    # Of several predictions; their report has a list of its own, with all of its tables.
    "model_documents": Uses(csv=True, html_rows=300, is_long=True),
    "model_pages": Uses(csv=True, html_rows=500, is_long=True),
}
SHEETS = {name: name.capitalize().replace("_", " ") for name, uses in USES.items() if uses.sheet}
SUMMARY_TABLES = sorted((name for name, uses in USES.items() if uses.summary), key=lambda name: USES[name].summary)
HTML_TABLES = tuple(name for name, uses in USES.items() if uses.html)
HTML_ROWS = {name: uses.html_rows for name, uses in USES.items() if uses.html_rows}
LONG_TABLES = frozenset(name for name, uses in USES.items() if uses.is_long)
CSV_TABLES = tuple(name for name, uses in USES.items() if uses.csv)
LATEX_TABLES = tuple(name for name, uses in USES.items() if uses.latex)


def all_tables(result: Result, comparison: Comparison | None = None) -> dict[str, Table]:
    """{name: table} of everything that the result has; `comparison` adds what needs regions, or very many pages.

    Beside the tables of `USES` there is one for each family, named "family_1" and so on.
    """
    confusion = result.confusion()
    if result.vocabulary.measured == "agreement":
        return _with_severe_note(agreement_tables(result, confusion, comparison), result)
    tables = [
        *(matrix_table(confusion, view) for view in VIEWS),
        collapsed_table(confusion),
        class_table(confusion, intervals=result.intervals),
        average_table(result),
        measure_table(result),
        confusions_table(confusion),
        *level_tables(result, comparison),
        findings_table(result),
        recipe_table(result),
        *(object_tables(result.objects) if result.objects else ()),
        *interval_tables(result.intervals, result.difference_from_first),
        *why_tables(result),
        *(family_tables(result.families) if result.families else ()),
        *([slice_report_table(slice_table(result.slices))] if result.slices else ()),
    ]
    if comparison is not None and result.objects and result.has_classes:
        tables.append(ranked_pairs_table(comparison.objects()))
    return _with_severe_note(tables, result)


def _with_severe_note(tables: Iterable[Table], result: Result) -> dict[str, Table]:
    """{name: table}; a table that may be cited says if there is a severe finding."""
    found = {table.name: table for table in tables}
    if severe := severe_note(result.findings):
        for name in set(LATEX_TABLES) & set(found):
            found[name] = replace(found[name], note="; ".join(filter(None, (severe, found[name].note))))
    return found


def table_of(result: Result, name: str) -> Table:
    """One of these tables; an InputError names those that the result has."""
    tables = all_tables(result)
    check_choice("name", name, list(tables))
    return tables[name]


def family_matrix_tables(tables: Mapping[str, Table]) -> list[Table]:
    """The matrices of the families among these tables."""
    return [table for name, table in tables.items() if name.startswith("family_")]
