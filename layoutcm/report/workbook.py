"""The Excel workbook of a comparison: one sheet per table, full precision, and labels always stored as text.

Rows are streamed to the file, so memory does not grow with the number of pages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from layoutcm.drawing.matrix_layers import correct_cells, mixed_cells
from layoutcm.drawing.palette import LIGHT
from layoutcm.filling.level_records import MOST_DOCUMENTS
from layoutcm.layouts.findings import severe_sentence
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.results.result import Result
from layoutcm.tables.label_folding import drawn_matrix
from layoutcm.tables.matrix_views import every_label
from layoutcm.tables.report_tables import CSV_TABLES, LONG_TABLES, SHEETS, SUMMARY_TABLES, family_matrix_tables
from layoutcm.tables.tables import NO_CLASSES, SCORE_KINDS, Table
from layoutcm.wording import one_line, score_text

Cell = tuple[str | float | None, Any]  # its value and its format
MOST_CHARACTERS = 32_767  # of a cell, in Excel
# Rows of the sheets of pages, documents and ranked pairs. A sheet takes ten times as long to write as a CSV file, and
# people look at the first rows, which are the worst pages and documents.
MOST_ROWS = 5_000
# Shares close to 0 and 1 have fixed texts, because four decimals would show them as exact.
SHARE_DIGITS = 4
NUMBERS = {
    "share": "0.0000",
    "share near 0": '"<0.0001";">-0.0001"',
    "share near 1": '"0.9999";"-0.9999"',
    "whole": "#,##0",
    "pixels": "#,##0",
    "fractions": "#,##0.0",
}
OPTIONS = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
FIXED_DATE = datetime(2000, 1, 1)  # equal numbers give equal files


def write_workbook(result: Result, confusion: Confusion, tables: Mapping[str, Table], path: Path) -> None:
    """Write the summary, then one sheet per table."""
    import xlsxwriter

    # Unfinished sheets are in the folder of the file: a killed run must leave nothing in a folder for temporary files.
    with xlsxwriter.Workbook(str(path), OPTIONS | {"tmpdir": str(path.parent)}) as book:
        book.set_properties({"title": "layoutcm", "comments": one_line(confusion.recipe), "created": FIXED_DATE})
        formats = _formats(book)
        _summary(_sheet(book, "Summary"), result, tables, formats)
        drawn = drawn_matrix(confusion, every_label(confusion))
        right, mixed = (of(drawn.confusion, drawn.selection) for of in (correct_cells, mixed_cells))
        for name, title in SHEETS.items():
            if name not in tables:
                continue
            sheet = _sheet(book, title)
            if name == "classes" and not confusion.diagonal:
                _text(sheet, 0, 0, NO_CLASSES, formats["text"])
                continue
            table = _first_rows(tables[name]) if name in LONG_TABLES else tables[name]
            row = _table(sheet, 0, table, formats, right if table.matrix else None, mixed=mixed)
            _notes(sheet, row, table, formats)
        families = family_matrix_tables(tables)
        if families:
            _matrices(_sheet(book, "Family matrices"), families, formats)


def write_tables(tables: Mapping[str, Table], comment: str, path: Path) -> None:
    """Write a workbook with one sheet per table and no summary."""
    import xlsxwriter

    with xlsxwriter.Workbook(str(path), OPTIONS | {"tmpdir": str(path.parent)}) as book:
        book.set_properties({"title": "layoutcm", "comments": one_line(comment), "created": FIXED_DATE})
        formats = _formats(book)
        for name, table in tables.items():
            sheet = _sheet(book, name.capitalize().replace("_", " "))
            shown = _first_rows(table) if name in LONG_TABLES else table
            _notes(sheet, _table(sheet, 0, shown, formats, None), shown, formats)


def _notes(sheet: Any, row: int, table: Table, formats: Mapping[str, Any]) -> None:
    """Write the note and the recipe of a table below it, and keep its headings in view."""
    for k, text in enumerate(filter(None, (table.note, table.recipe)), start=1):
        _text(sheet, row + k, 0, text, formats["text"])
    sheet.freeze_panes(1, 1)


def _first_rows(table: Table) -> Table:
    """The first rows of a long table; a note says how many there are, and which file of the report has all of them."""
    count = len(table.data)
    if count <= MOST_ROWS:
        return table
    file = f"{table.name}.csv" if table.name in CSV_TABLES else ""
    if table.name == "documents":
        file = DOCUMENTS_FILE if count > MOST_DOCUMENTS else "result.json"
    where = f"; {file} has all of them" if file else ""
    return replace(table, data=table.data.head(MOST_ROWS), note=f"The first {MOST_ROWS:,} of {count:,} rows{where}.")


def _sheet(book: Any, title: str) -> Any:
    """A new sheet that prints in landscape, one page wide."""
    sheet = book.add_worksheet(title)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    return sheet


def _matrices(sheet: Any, families: Sequence[Table], formats: Mapping[str, Any]) -> None:
    """Write the matrices of the families below each other."""
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, max(table.data.shape[1] for table in families), 15)
    row = 0
    for table in families:
        right = np.equal.outer(*table.places) if table.places else np.zeros(table.data.shape, bool)
        right[-1, -1] = False  # out of family
        _text(sheet, row, 0, table.title, formats["title"])
        row = _table(sheet, row + 1, table, formats, right, own_widths=False) + 1


def _formats(book: Any) -> dict[str, Any]:
    """The cell formats by name; each kind of number also has a format for the diagonal."""
    head = {"bold": True, "bottom": 1, "bg_color": "#eef1f4", "text_wrap": True, "valign": "top"}
    formats = {
        "head": book.add_format(head),
        "text after number head": book.add_format(head | {"indent": 1}),
        "number head": book.add_format(head | {"align": "right"}),
        "name": book.add_format({"bold": True}),
        "title": book.add_format({"bold": True, "font_size": 13}),
        "text": book.add_format({}),
        "text after number": book.add_format({"indent": 1}),  # text in the column after a number
        "long": book.add_format({"text_wrap": True, "valign": "top"}),
    }
    for kind, pattern in NUMBERS.items():
        formats[kind] = book.add_format({"num_format": pattern})
        formats[f"{kind}, diagonal"] = book.add_format({"num_format": pattern, "bold": True, "border": 1})
    return formats


def _summary(sheet: Any, result: Result, tables: Mapping[str, Table], formats: Mapping[str, Any]) -> None:
    severe = severe_sentence(result.findings)
    facts: list[tuple[str, str | float]] = [
        *([("severe finding", severe)] if severe else []),
        *zip(result.vocabulary.sides, (result.inputs.gt.name, result.inputs.pred.name)),
        ("pages", result.page_count),
        ("documents", result.document_count),
        ("pixels", result.pixels),
        ("taxonomy", result.taxonomy),
        ("method", result.method),
        ("n/a", "a blank cell: there was nothing to divide by"),
    ]
    if result.page_count > MOST_ROWS:
        facts.append(("Pages", f"the {MOST_ROWS:,} worst; all of them are in pages.parquet"))
    sheet.set_column(0, 0, 40)
    sheet.set_column(1, 4, 16)
    for row, (name, value) in enumerate(facts):
        _text(sheet, row, 0, name, formats["name"])
        if isinstance(value, str):
            _text(sheet, row, 1, value, formats["text"])
        else:
            sheet.write_number(row, 1, value, formats["pixels" if float(value).is_integer() else "fractions"])
    row = len(facts) + 1
    for table in (tables[name] for name in SUMMARY_TABLES if name in tables):
        _text(sheet, row, 0, table.title, formats["title"])
        row = _table(sheet, row + 1, table, formats, None, own_widths=False)
        if table.note:
            _text(sheet, row, 0, table.note, formats["text"])
        row += 1 + bool(table.note)


def _table(
    sheet: Any,
    top: int,
    table: Table,
    formats: Mapping[str, Any],
    diagonal: np.ndarray | None,
    own_widths: bool = True,
    mixed: np.ndarray | None = None,
) -> int:
    """Write headings and rows starting at row `top`; returns the first free row.

    `diagonal` marks the correct cells of a matrix, `mixed` those that are partly correct and are not coloured.
    """
    kinds = table.kinds()
    kinds = ["fractions" if k == "pixels" and _has_fractions(table, j) else k for j, k in enumerate(kinds)]
    if own_widths:
        for column, width in enumerate(_widths(table, kinds)):
            sheet.set_column(column, column, width)
    names = [
        "text after number" if k == "text" and before != "text" else k for k, before in zip(kinds, ["text", *kinds])
    ]
    heads = [{"text": "head", "text after number": "text after number head"}.get(name, "number head") for name in names]
    for column, (heading, head) in enumerate(zip(table.headings(), heads)):
        _text(sheet, top, column, heading, formats[head])
    if table.matrix:
        names = ["name" if name == "text" else name for name in names]
    names = ["share" if name == "number" else name for name in names]
    looks = ["long" if name in ("message", "fix") else look for name, look in zip(table.data.columns, names)]
    data = table.data
    marked = None if diagonal is None or diagonal.all() else diagonal
    columns = [
        [(one_line(str(value))[:MOST_CHARACTERS], formats[look]) for value in data.iloc[:, j]]
        if kind == "text"
        else _number_cells(data.iloc[:, j], kind, look, formats, None if marked is None else marked[:, j - 1])
        for j, (kind, look) in enumerate(zip(kinds, looks))
    ]
    _write_rows(sheet, top + 1, columns)
    row = top + len(data)
    if diagonal is not None:
        wrong = ~diagonal if mixed is None else ~diagonal & ~mixed
        _colour_matrix(sheet, top, diagonal, wrong, table.pixels)
    elif own_widths:
        _colour_columns(sheet, top, row, kinds)
    return row + 1


def _number_cells(
    values: pd.Series, kind: str, look: str, formats: Mapping[str, Any], marked: np.ndarray | None
) -> list[Cell]:
    """The numbers of a column with their formats; n/a is None, and `marked` are the cells of the diagonal."""
    numbers = values.to_numpy(float, na_value=np.nan)
    names = [look] * len(numbers)
    if kind in SCORE_KINDS:
        size = np.abs(numbers)
        step = 10.0**-SHARE_DIGITS
        for i in np.flatnonzero((size < step) & (size > 0) | (size > 1 - step) & (size < 1)).tolist():
            names[i] = look.replace("share", _share_kind(float(numbers[i])), 1)
    if marked is not None:
        for i in np.flatnonzero(marked).tolist():
            names[i] += ", diagonal"
    return [(None if isnan(value) else value, formats[name]) for value, name in zip(numbers.tolist(), names)]


def _write_rows(sheet: Any, top: int, columns: Sequence[Sequence[Cell]]) -> None:
    """Write the cells row by row, which a sheet that is streamed needs."""
    for row, cells in enumerate(zip(*columns), start=top):
        for column, (value, look) in enumerate(cells):
            if value is None:
                sheet.write_blank(row, column, None, look)
            elif isinstance(value, str):
                sheet.write_string(row, column, value, look)
            else:
                sheet.write_number(row, column, value, look)


def _share_kind(value: float) -> str:
    """The format of a share, which is a fixed text if its four decimals would wrongly show 0 or 1."""
    text = score_text(abs(value), SHARE_DIGITS)
    if text == f"{abs(value):.{SHARE_DIGITS}f}":
        return "share"
    return "share near 0" if text.startswith("<") else "share near 1"


def _text(sheet: Any, row: int, column: int, text: str, look: Any) -> None:
    sheet.write_string(row, column, one_line(text)[:MOST_CHARACTERS], look)


def _has_fractions(table: Table, column: int) -> bool:
    values = table.data.iloc[:, column].to_numpy(float)
    return bool((np.nan_to_num(values) % 1 != 0).any())


def _widths(table: Table, kinds: Sequence[str]) -> list[float]:
    """Column widths for the longest text in the first rows, with a maximum."""
    widths = []
    for column, (heading, kind) in enumerate(zip(table.headings(), kinds)):
        if kind == "text":
            texts = [str(text) for text in table.data.iloc[:200, column]]
            widths.append(min(max(map(len, [heading, *texts])) + 2.0, 70.0))
        else:
            widths.append(min(max(len(heading) * 0.9 + 2, 9.0 if kind in SCORE_KINDS else 13.0), 24.0))
    return widths


def _colour_matrix(sheet: Any, top: int, right: np.ndarray, wrong: np.ndarray, pixels: bool) -> None:
    """Colour correct cells blue and all others amber to red, as on the screen."""
    whole = {"min_type": "num", "min_value": 0}
    ceiling: dict[str, Any] = {} if pixels or right.all() else {"max_type": "num", "max_value": 1}
    blue = {"type": "2_color_scale", "min_color": "#FFFFFF", "max_color": LIGHT.hit[-2][1].upper()}
    _conditional_format(sheet, top, right, blue | whole | ceiling)
    if not right.all():
        stops = {"min_color": "#FFFFFF", "mid_color": LIGHT.miss[2][1].upper(), "max_color": LIGHT.miss[-2][1].upper()}
        _conditional_format(
            sheet, top, wrong, {"type": "3_color_scale", "mid_type": "percentile", "mid_value": 90} | stops | whole
        )


def _conditional_format(sheet: Any, top: int, marked: np.ndarray, rule: dict[str, Any]) -> None:
    """Apply one colour scale to all marked cells, given as ranges within rows."""
    from xlsxwriter.utility import xl_range

    runs = []
    for i, line in enumerate(marked):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], line, [False]]).astype(int)))
        for first, end in edges.reshape(-1, 2).tolist():
            runs.append(xl_range(top + 1 + i, 1 + first, top + 1 + i, end))
    if runs:
        sheet.conditional_format(runs[0], rule | {"multi_range": " ".join(runs)})


def _colour_columns(sheet: Any, top: int, last: int, kinds: Sequence[str]) -> None:
    blue = {"type": "2_color_scale", "min_color": "#FFFFFF", "max_color": LIGHT.hit[3][1].upper()}
    limits = {"min_type": "num", "min_value": 0, "max_type": "num", "max_value": 1}
    for column, kind in enumerate(kinds):
        if kind == "share" and last > top:
            sheet.conditional_format(top + 1, column, last, column, blue | limits)
