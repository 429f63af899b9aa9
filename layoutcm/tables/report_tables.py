"""The list of tables of a report, and where each of them appears: workbook, HTML page, LaTeX files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from layoutcm.comparison import Comparison
from layoutcm.errors import check_choice
from layoutcm.results.result import Result
from layoutcm.tables.agreement_tables import agreement_tables
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
    findings_table,
    interval_tables,
    level_tables,
    matrix_table,
    measure_table,
    object_tables,
    ranked_pairs_table,
    recipe_table,
)
from layoutcm.tables.why import why_tables


class Uses(NamedTuple):
    """Where a table appears: on a sheet, on the summary sheet (at this place), in the HTML page, as LaTeX."""

    sheet: bool = False
    summary: int = 0
    html: bool = False
    latex: bool = False


# In the order of sheets and of the HTML page.
USES = {
    **{TABLE_OF_VIEW[view]: Uses(sheet=True, latex=True) for view in VIEWS},
    "collapsed": Uses(sheet=True, latex=True),
    "agreement": Uses(summary=1, html=True, latex=True),
    "averages": Uses(summary=1, html=True, latex=True),
    "measures": Uses(sheet=True, html=True, latex=True),
    "confusions": Uses(summary=3, html=True, latex=True),
    "classes": Uses(sheet=True, html=True, latex=True),
    "label_agreement": Uses(sheet=True, html=True, latex=True),
    "review": Uses(sheet=True, html=True),
    "intervals": Uses(sheet=True, html=True, latex=True),
    "difference": Uses(sheet=True, html=True, latex=True),
    "units": Uses(sheet=True, html=True),
    "causes": Uses(sheet=True, html=True, latex=True),
    "causes_by_label": Uses(sheet=True, html=True, latex=True),
    "forgiveness": Uses(sheet=True, html=True, latex=True),
    "thresholds": Uses(sheet=True, html=True, latex=True),
    "calibration": Uses(sheet=True, html=True, latex=True),
    "causes_by_document": Uses(sheet=True, html=True),
    "causes_by_page": Uses(sheet=True),
    "object_scores": Uses(summary=2, html=True),
    "objects": Uses(sheet=True, html=True, latex=True),
    RANKED_PAIRS: Uses(sheet=True),
    "slices": Uses(sheet=True, html=True, latex=True),
    "families": Uses(sheet=True, html=True, latex=True),
    "families_pred": Uses(sheet=True, html=True, latex=True),
    "documents": Uses(sheet=True, html=True),
    "pages": Uses(sheet=True, html=True),
    "findings": Uses(sheet=True, html=True),
    "recipe": Uses(sheet=True, html=True),
}
SHEETS = {name: name.capitalize().replace("_", " ") for name, uses in USES.items() if uses.sheet}
SUMMARY_TABLES = sorted((name for name, uses in USES.items() if uses.summary), key=lambda name: USES[name].summary)
HTML_TABLES = tuple(name for name, uses in USES.items() if uses.html)
LATEX_TABLES = tuple(name for name, uses in USES.items() if uses.latex)


def all_tables(result: Result, comparison: Comparison | None = None) -> dict[str, Table]:
    """{name: table} of everything that the result has; `comparison` adds what needs regions, or very many pages.

    Beside the tables of `USES` there is one for each family, named "family_1" and so on.
    """
    confusion = result.confusion()
    if result.vocabulary.measured == "agreement":
        return {table.name: table for table in agreement_tables(result, confusion, comparison)}
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
    return {table.name: table for table in tables}


def table_of(result: Result, name: str) -> Table:
    """One of these tables; an InputError names those that the result has."""
    tables = all_tables(result)
    check_choice("name", name, list(tables))
    return tables[name]


def family_matrix_tables(tables: Mapping[str, Table]) -> list[Table]:
    """The matrices of the families among these tables."""
    return [table for name, table in tables.items() if name.startswith("family_")]
