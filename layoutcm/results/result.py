"""`Result` and `LeaderboardResult`: the types of `types`, with methods that compute from their fields."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET

from layoutcm.errors import InputError
from layoutcm.layouts.findings import severe_note, severe_of
from layoutcm.lazy import pd
from layoutcm.results.common_parts import Part
from layoutcm.results.encoding import json_ready, json_text
from layoutcm.results.measures import (
    Figures,
    class_figures,
    find_figure,
    measure_of,
    measured,
    quoted_measures,
    row_of_figure,
)
from layoutcm.results.types import BoardFields, HeadlineRecord, IntervalRow, ResultFields
from layoutcm.wording import score_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from layoutcm.metrics.confusion import Confusion

USUAL_QUOTATION = {"scores": "macro.f1", "agreement": "agreement.kappa"}
SHOWN_DIGITS = 12  # of a digest, in a quotation
AnyPath = str | os.PathLike[str]


class Result(ResultFields, frozen=True, kw_only=True, dict=True):
    """Everything that is known about one comparison, as a value: equal results are equal field by field.

    `Comparison.result`, `Evaluator.result` and `load_result` return it; a comparison of parts does, too. None is n/a.

    Attributes
    ----------
    labels : list of str
    method : {"matrix", "tensor"}
    recipe : str
        All settings in one line; `signature` is the same.
    measures : dict
        {name: value} of every measure of `MEASURES`.
    findings, objects, intervals, families, causes, score_curves, ...
        The parts of the JSON under the same names, whose values are attributes: `result.objects.ap50`.
    """

    def __repr__(self) -> str:
        return f"<Result {self.recipe}>"

    @property
    def signature(self) -> str:
        """All settings that change the numbers, in one line; the same as `recipe`."""
        return self.recipe

    @property
    def signature_fields(self) -> dict[str, str]:
        """The same as {setting: value}."""
        return self.recipe_fields

    @cached_property
    def figures(self) -> Figures:
        """{name: value} of every measure, then of every label: "class.Table.f1"; None is n/a."""
        return {**self.measures, **class_figures(self)}

    @cached_property
    def data(self) -> dict[str, Any]:
        """The JSON as plain values."""
        found: dict[str, Any] = json_ready(msgspec.to_builtins(self))
        return found

    def as_dict(self) -> dict[str, Any]:
        """The JSON as plain values."""
        return self.data

    def to_json(self) -> bytes:
        """The bytes of a result.json, which `load_result` reads."""
        return json_text(self)

    @property
    def has_classes(self) -> bool:
        """Whether both sides have the same labels, so labels have scores."""
        return self.taxonomy != "different"

    @property
    def documents(self) -> list[str]:
        """The names of the documents."""
        if self.by_document is None:
            problem = f"the {self.document_count:,} documents are not in the result"
            raise InputError("", "by_document", problem, "Read documents.parquet beside it with pandas.")
        return [level.document for level in self.by_document]

    @property
    def pages(self) -> list[str]:
        """The names of the pages."""
        if self.by_page is not None:
            return [str(level.page) for level in self.by_page]
        if self.page_scores is not None:
            return list(self.page_scores.page)
        hint = "Write it with its pages: layoutcm compare GT PRED --json FILE --per-page."
        raise InputError("", "by_page", "the pages are not in the result", hint)

    def confusion(self, *, document: str | None = None, page: str | None = None) -> Confusion:
        """The confusion matrix of the whole set, of a document, or of a page if the result has its matrix."""
        return _reading().confusion_at(self, document, page)

    def classes(self) -> pd.DataFrame:
        """One row per label: label, gt_pixels, pred_pixels, precision, recall, f1, iou."""
        return self.confusion().classes()

    def document_table(self) -> pd.DataFrame:
        """One row per document, the worst first, as `Comparison.document_table`; without a truth, its agreement."""
        return _reading().document_table(self)

    def page_table(self) -> pd.DataFrame:
        """One row per page, the worst first, as `Comparison.page_table`; without a truth, its agreement."""
        return _reading().page_table(self)

    def table(self, name: str) -> pd.DataFrame:
        """A table of the report, such as "classes", "measures" or "intervals"."""
        from layoutcm.tables.report_tables import table_of

        return table_of(self, name).data

    def figure(self, name: str = "recall", **look: Any) -> Figure:
        """A figure of the report: confusion, recall, precision, f1, collapsed, classes; `look` is width and caption.

        The bars of the classes have whiskers if the result has intervals. If it has the numbers for them, also curves,
        slices, causes, forgiveness, thresholds and calibration.
        """
        from layoutcm.report.report_files import result_figure

        return result_figure(self, name, **look)

    def write_report(self, folder: AnyPath) -> Path:
        """Write all files of a report that need neither regions nor page images into a folder, and return it."""
        from layoutcm.report.report_files import write_result_report

        return write_result_report(self, folder)

    def quote(self, figure: str = "") -> str:
        """A number in one line, with its interval, the digests of the inputs, and the recipe with the version.

        Without a name it is macro.f1, or agreement.kappa if neither side is the truth. Beside an interval, the recipe
        says what it was computed from, how, and at which level.
        """
        figure = find_figure(figure or USUAL_QUOTATION[self.vocabulary.measured], self.figures, "figure")
        value, ends = self.figures[figure], self.interval_of(figure)
        if value is None:
            raise InputError("", figure, "it is not defined in this result", "Quote another figure.")
        sides = [(side.name, digest_of(side)) for side in (self.inputs.gt, self.inputs.pred)]
        inputs = ", ".join(f"{name} {f'sha256 {one[:SHOWN_DIGITS]}' if one else 'in memory'}" for name, one in sides)
        title = measure_of(figure).title if figure in self.measures else figure
        if self.intervals is None or ends is None or ends.low is None:
            said = f"{title} {score_text(value)}; {inputs}; {self.recipe_of(figure)}"
        else:
            interval = f"({score_text(ends.low)} – {score_text(ends.high)})"
            said = f"{title} {score_text(value)} {interval}; {inputs}; {self.intervals.recipe}"
        return "; ".join(filter(None, (said, severe_note(self.findings))))

    def recipe_of(self, figure: str) -> str:
        """The recipe of a figure; for objects it says whether they are boxes or masks, not how pixels count."""
        if not figure.startswith("objects.") or not self.objects:
            return self.recipe
        fields = {name: value for name, value in self.recipe_fields.items() if name not in ("version", "method")}
        settings = [*(f"{name}:{value}" for name, value in fields.items()), f"objects:{self.objects.shapes}"]
        return "|".join([*settings, f"v{self.version}"])

    def interval_of(self, figure: str) -> IntervalRow | None:
        """The row of intervals of a measure or of a label; None if there is none."""
        return None if self.intervals is None else row_of_figure(self.intervals, figure)


def filled(result: Result) -> Result:
    """The result with its measures and headline numbers, which are read off all other parts."""
    known = msgspec.structs.replace(result, measures=measured(result))
    digests: dict[str, Any] = {"gt_digest": digest_of(result.inputs.gt), "pred_digest": digest_of(result.inputs.pred)}
    records, severe = [], list(dict.fromkeys(one.code for one in severe_of(result.findings)))
    for one in quoted_measures(result.vocabulary.measured):
        said: dict[str, Any] = {"value": known.measures[one.name], "recipe": known.recipe_of(one.name)}
        records.append(
            HeadlineRecord(figure=one.name, version=known.version, **said, **digests, severe=severe or UNSET)
        )
    return msgspec.structs.replace(known, headline=records)


def digest_of(side: Part) -> str | None:
    """The digest of an input: of its files, or of the manifest of its parts; None if it was made in memory."""
    return side["sha256"] or side["manifest"] or None


def _reading() -> Any:
    from layoutcm.filling import reading

    return reading


class LeaderboardResult(BoardFields, frozen=True, kw_only=True, dict=True):
    """A leaderboard as a value: what leaderboard.json of a report contains.

    Attributes
    ----------
    baseline : str
    order : str
        The figure that decides the order.
    recipes : dict
        {model: all settings in one line}
    """

    def __repr__(self) -> str:
        return f"<LeaderboardResult by {self.order}: {', '.join(self.models)}; baseline {self.baseline}>"

    def _repr_html_(self) -> str:
        from layoutcm.tables.leaderboard_tables import board_html

        return board_html(self)

    @property
    def models(self) -> list[str]:
        """The names, the best first."""
        return [row.model for row in self.model_rows]

    @cached_property
    def data(self) -> dict[str, Any]:
        """The JSON as plain values."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found

    def to_json(self) -> bytes:
        """The bytes of a leaderboard.json."""
        return json_text(self)

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per prediction, the best first, as `Leaderboard.table`."""
        return _frame_without(self.data["models"], "measures")

    @cached_property
    def differences(self) -> pd.DataFrame:
        """One row per prediction and figure, without the baseline, as `Leaderboard.differences`."""
        return frame_of(self.data["differences"])

    @cached_property
    def classes(self) -> pd.DataFrame:
        """One row per label and prediction, as `Leaderboard.classes`."""
        return _frame_without(self.data["classes"], "gt_pixels")

    def figure(self, **look: Any) -> Figure:
        """F1 of classes and predictions, as in the report; `look` is width and caption."""
        from layoutcm.report.leaderboard_files import classes_figure

        return classes_figure(self, **look)


TEXTS = ("verdict", "remark", "preferred", "mostly")  # columns of words, even if no row has one


def frame_of(rows: list[dict[str, Any]], columns_if_empty: Iterable[str] = ()) -> pd.DataFrame:
    """Records as a table: null is nan in a column of numbers."""
    columns = dict.fromkeys(name for row in rows for name in row) if rows else dict.fromkeys(columns_if_empty)
    cells = {name: [row.get(name) for row in rows] for name in columns}
    return pd.DataFrame({name: _column(name, found) for name, found in cells.items()})


def _frame_without(rows: list[dict[str, Any]], column: str) -> pd.DataFrame:
    return frame_of([{name: value for name, value in row.items() if name != column} for row in rows])


def _column(name: str, cells: list[Any]) -> Any:
    if name in TEXTS or any(isinstance(cell, str) for cell in cells):
        return pd.Series(cells, dtype=object)
    return [math.nan if cell is None else cell for cell in cells]
