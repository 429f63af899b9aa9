"""`load_result`: matrices, tables and figures from a result.json, without the files that were compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.alignment.recipe import Recipe
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import LETTERS, SIDES, Floats
from layoutcm.metrics.confusion import Confusion, GroupMatrices
from layoutcm.metrics.content import PixelSums
from layoutcm.metrics.levels import example_name, level_scores, worst_first
from layoutcm.metrics.matrix_blocks import block_size
from layoutcm.tables.headline import headline_records, quotation
from layoutcm.tables.leaderboard_tables import BOARD
from layoutcm.tables.loaded_leaderboard import LeaderboardResult, read_leaderboard
from layoutcm.tables.stored_result import (
    ResultFile,
    StoredFigures,
    StoredLevel,
    StoredResult,
    check_schema,
    check_values,
    check_version,
    convert,
    decode_results,
    dense,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def load_result(file: ResultFile) -> Result | list[Result] | LeaderboardResult:
    """Read what `compare --json` or a report wrote.

    Parameters
    ----------
    file : path, bytes or dict

    Returns
    -------
    Result, list of Result, or LeaderboardResult
        A file with several predictions gives a list, and leaderboard.json a `LeaderboardResult`.
    """
    name, value = decode_results(file)
    if isinstance(value, dict) and value.get("kind") == BOARD:
        check_version(value, name, "")
        return read_leaderboard(value, name)
    if not isinstance(value, list):
        return _result(value, name, "")
    if not value:
        raise InputError(name, "", "the list has no result", "Give a file that compare --json wrote.")
    return [_result(one, name, f"[{k}]") for k, one in enumerate(value)]


def _result(value: Any, name: str, place: str) -> Result:
    check_schema(value, name, place)
    stored, whole = (convert(value, kind, name, place) for kind in (StoredResult, StoredLevel))
    check_values(stored, whole, name, place)
    convert(value, StoredFigures, name, place)
    return Result(name, value, stored, whole)


@dataclass(frozen=True, eq=False)
class Result:
    """A result that was read back.

    Attributes
    ----------
    name : str
        Of the file.
    data : dict
        Everything that the file contains.
    labels : list of str
    method : {"matrix", "tensor"}
    recipe_fields : dict
    findings, objects, families
        As in the file.
    """

    name: str
    data: dict[str, Any]
    stored: StoredResult
    whole: StoredLevel

    def __repr__(self) -> str:
        return f"<Result {self.recipe}>"

    @property
    def labels(self) -> list[str]:
        return self.stored.labels

    @property
    def method(self) -> str:
        return self.stored.method

    @property
    def taxonomy(self) -> str:
        """How the labels of the two sides relate: same, different or mapped."""
        return self.stored.taxonomy

    @property
    def recipe(self) -> str:
        """All settings in one line."""
        return self.stored.recipe

    @property
    def recipe_fields(self) -> dict[str, str]:
        return self.stored.recipe_fields

    @property
    def inputs(self) -> dict[str, dict[str, Any]]:
        """{"gt", "pred": {name, format, sha256, pages, regions}}."""
        return self.stored.inputs

    @property
    def headline(self) -> list[dict[str, Any]]:
        """The headline numbers, each with its recipe, version and the digests of both inputs."""
        return headline_records(self.data)

    @property
    def findings(self) -> list[dict[str, Any]]:
        return self.stored.findings

    @property
    def averages(self) -> dict[str, dict[str, float]] | None:
        """{average: {score: value}} without Background; None if the two sides have different labels."""
        found = self.stored.averages
        return None if found is None else {kind: _with_nan(scores) for kind, scores in found.items()}

    @property
    def content(self) -> dict[str, float]:
        """Precision, recall and F1 of content against Background."""
        return _with_nan(self.stored.content)

    @property
    def objects(self) -> dict[str, Any] | None:
        return self.stored.objects

    @property
    def families(self) -> dict[str, Any] | None:
        return self.data.get("families")

    @property
    def slices(self) -> dict[str, Any] | None:
        """Figures by an attribute of pages, if they were requested."""
        return self.data.get("slices")

    @property
    def intervals(self) -> dict[str, Any] | None:
        """The intervals, if they were requested."""
        return self.data.get("intervals")

    @property
    def difference_from_first(self) -> dict[str, Any] | None:
        """The difference from the baseline, the first of several predictions unless another was named."""
        return self.data.get("difference_from_first")

    @property
    def leaderboard(self) -> dict[str, Any] | None:
        """The place among several predictions, if there were several."""
        return self.data.get("leaderboard")

    @property
    def causes(self) -> dict[str, Any] | None:
        """Why pixels are wrong, if the result was written with --why."""
        return self.data.get("causes")

    @property
    def forgiveness(self) -> list[dict[str, Any]] | None:
        """F1 over the tolerance of borders, if the result was written with --why."""
        return self.data.get("forgiveness")

    @property
    def score_curves(self) -> dict[str, Any] | None:
        """Best thresholds and calibration of scores, if the result was written with --why."""
        return self.data.get("score_curves")

    @property
    def agreement(self) -> dict[str, Any] | None:
        """The agreement of A (gt) and B (pred), if neither is the truth."""
        return self.data.get("agreement")

    @property
    def documents(self) -> list[str]:
        """The names of the documents."""
        return list(self._by_document)

    @property
    def pages(self) -> list[str]:
        """The names of the pages, if the result was written with them."""
        return list(self._by_page)

    def confusion(self, *, document: str | None = None, page: str | None = None) -> Confusion:
        """The confusion matrix of the whole set, of a document or of a page."""
        if document is not None and page is not None:
            raise InputError("", "page, document", "both are given", "Give one of them.")
        if document is not None:
            level = self._find("document", document, self._by_document)
        elif page is not None:
            level = self._find("page", page, self._by_page)
        else:
            return self._confusion_of(self.whole, self.recipe)
        return self._confusion_of(level, self._settings.line(document=document, page=page))

    def classes(self) -> pd.DataFrame:
        """One row per label: label, gt_pixels, pred_pixels, precision, recall, f1, iou."""
        return self.confusion().classes()

    def document_table(self) -> pd.DataFrame:
        """One row per document, the worst first, as `Comparison.document_table`."""
        levels = self.document_levels
        columns = {"document": self.documents, "pages": np.array([level.pages for level in levels], np.int64)}
        return self._table(columns, levels)

    def page_table(self) -> pd.DataFrame:
        """One row per page, the worst first, as `Comparison.page_table`."""
        levels = self.page_levels
        return self._table({"page": self.pages, "document": [level.document for level in levels]}, levels)

    def figure(self, name: str = "recall", **look: Any) -> Figure:
        """A figure of the report: confusion, recall, precision, f1, collapsed or classes; `look` is width and caption.

        The bars of the classes have whiskers if the result has intervals. With --why also causes and forgiveness, with
        --slices also slices.
        """
        from layoutcm.report.stored_figures import stored_figure

        return stored_figure(self, name, **look)

    def quote(self, figure: str = "macro.f1") -> str:
        """A number in one line, with its interval, the digests of the inputs, and the recipe with the version."""
        return quotation(self.data, figure)

    def whiskers(self) -> dict[str, Floats]:
        """{score: float64[labels, low high]} of the stored intervals."""
        rows = self.data["intervals"]["classes"]
        ends = {(row["label"], row["score"]): [row["low"], row["high"]] for row in rows}
        scores = dict.fromkeys(row["score"] for row in rows)
        return {score: np.array([ends[label, score] for label in self.labels], float) for score in scores}

    @cached_property
    def _by_document(self) -> dict[str, StoredLevel]:
        if self.stored.by_document is None:
            problem = f"the {self.stored.documents:,} documents are not in the result"
            raise InputError(self.name, "by_document", problem, "Read documents.parquet beside it with pandas.")
        return {str(level.document): level for level in self.stored.by_document}

    @cached_property
    def _by_page(self) -> dict[str, StoredLevel]:
        if self.stored.by_page is None:
            hint = "Write it with its pages: layoutcm compare GT PRED --json FILE --per-page."
            raise InputError(self.name, "by_page", "the pages are not in the result", hint)
        return {str(level.page): level for level in self.stored.by_page}

    def _find(self, kind: str, name: str, levels: dict[str, StoredLevel]) -> StoredLevel:
        if not isinstance(name, str) or name not in levels:
            hint = example_name(kind.capitalize(), levels)
            raise InputError(self.name, kind, f"there is no {kind} {short_repr(name)}", hint)
        return levels[name]

    @cached_property
    def _settings(self) -> Recipe:
        """The recipe, to which a document or a page is added; the version is that of the file."""
        fields = {name: value for name, value in self.recipe_fields.items() if name != "version"}
        return Recipe(fields, self.stored.version)

    @property
    def matrix_recipe(self) -> str:
        """The recipe with method matrix, which causes and forgiveness always have."""
        return Recipe({**self._settings.fields, "method": "matrix"}, self.stored.version).line()

    @property
    def has_classes(self) -> bool:
        """Whether both sides have the same labels, so that labels have scores."""
        return self.taxonomy != "different"

    @property
    def document_levels(self) -> list[StoredLevel]:
        return list(self._by_document.values())

    @property
    def page_levels(self) -> list[StoredLevel]:
        return list(self._by_page.values())

    def _masses(self, level: StoredLevel) -> tuple[Floats, Floats]:
        recall_mass = dense(level.confusion)
        return recall_mass, recall_mass if level.precision_mass is None else dense(level.precision_mass)

    def _confusion_of(self, level: StoredLevel, recipe: str) -> Confusion:
        gt = len(self.stored.gt_labels)
        sides = (tuple(range(gt + 1)), (0, *range(gt + 1, len(self.labels))))
        right = float("nan") if level.right is None else level.right
        return Confusion(
            list(self.labels),
            self.method,
            *self._masses(level),
            np.array(level.pred_pixels),
            diagonal=self.has_classes,
            recipe=recipe,
            sides=None if self.has_classes else sides,
            source=PixelSums(content_of(level), right),
            side_names=LETTERS if self.agreement else SIDES,
        )

    def _table(self, columns: dict[str, Any], levels: Sequence[StoredLevel]) -> pd.DataFrame:
        columns["pixels"] = np.array([level.pixels for level in levels], float)
        content = np.array([content_of(level) for level in levels]).reshape(-1, 3)
        return worst_first({**columns, **level_scores(self.blocks(levels), content, self.has_classes)})

    def blocks(self, levels: Sequence[StoredLevel]) -> Iterator[tuple[range, GroupMatrices]]:
        """Blocks of documents or pages, because the matrices of all of them may not fit into memory."""
        block = block_size(len(self.labels), self.method)
        for first in range(0, len(levels), block):
            part = levels[first : first + block]
            recall_mass, precision_mass = (np.stack(mass) for mass in zip(*map(self._masses, part)))
            pred_pixels = np.array([level.pred_pixels for level in part])
            yield range(first, first + len(part)), GroupMatrices(recall_mass, precision_mass, pred_pixels)


def content_of(level: StoredLevel) -> Floats:
    pixels = level.content_pixels
    return np.array([pixels.both, pixels.gt, pixels.pred])


def _with_nan(scores: dict[str, float | None]) -> dict[str, float]:
    return {name: float("nan") if value is None else value for name, value in scores.items()}
