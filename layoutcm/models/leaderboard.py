"""Several predictions of the same pages, the best first: their figures, and what really differs from a baseline."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from layoutcm import __version__
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.causes import TOLERANCE, Causes
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.filling.result_of import MOST_PAGES, Asked, result_of
from layoutcm.layouts.findings import severe_of
from layoutcm.layouts.model import Floats
from layoutcm.lazy import pd
from layoutcm.metrics.bootstrap import RESAMPLES, Resampling, check_resampling
from layoutcm.metrics.confusion import confusion_of
from layoutcm.metrics.intervals import ENDS, UNIT_FIGURES, Intervals, differences_from, intervals_from
from layoutcm.metrics.levels import Levels, document_pixels, document_sizes
from layoutcm.metrics.unit_sums import unit_sums
from layoutcm.models.differences import comparison_of_pages, on_common_pages
from layoutcm.results.encoding import json_ready
from layoutcm.results.measures import MEASURES, Figures, Measure, column_of, direction_of
from layoutcm.results.result import LeaderboardResult, Result, frame_of
from layoutcm.results.types import SCHEMA
from layoutcm.results.verdict import CONFIDENCE
from layoutcm.results.vocabulary import check_asked

if TYPE_CHECKING:
    from layoutcm.metrics.objects.matched_objects import Objects

BASELINE = "baseline"  # in the place of the verdict
# The figure of the order, as in the tables of pages and documents; without class values it is that of content.
FIGURE, FIGURE_WITHOUT_CLASSES = "macro_f1", "content_f1"

Columns = dict[str, Any]  # of a table


def leaderboard(
    comparisons: Mapping[str, Comparison],
    baseline: str | None = None,
    *,
    figure: str | None = None,
    n: int = RESAMPLES,
    seed: int = 0,
    level: float = CONFIDENCE,
    method: str = "matrix",
) -> Leaderboard:
    """Compare predictions of one gt with each other, the best first.

    All are counted on the same pages (see `on_common_pages`) and use the same resamples.

    Parameters
    ----------
    comparisons : dict
        {name: Comparison}
    baseline : str, optional
        The prediction that the others are compared with; the first unless given.
    figure : {"micro.f1", "macro.f1", "content.f1"}, optional
        Decides the order: "macro.f1" unless given, or "content.f1" if a prediction has no class values. The names of
        columns, such as "macro_f1", are accepted, too.
    n, seed, level, method
        As in `difference`.

    Returns
    -------
    Leaderboard

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> both = {name: lcm.compare(gt, lcm.read(f"sample_data/{name}.json", like=gt)) for name in ("model-a", "model-c")}
    >>> lcm.leaderboard(both).table[["model", "macro_f1", "verdict"]].round(3).values.tolist()
    [['model-c', 0.838, 'no difference shown'], ['model-a', 0.81, 'baseline']]
    """
    check_resampling(n, seed, level)
    _check_names(comparisons, baseline)
    levels = dict(zip(comparisons, on_common_pages(comparisons)))
    for compared in comparisons.values():
        check_asked(compared.vocabulary, ["leaderboard"])
    if figure is not None:
        figure = column_of(figure, UNIT_FIGURES)
    sums = {name: unit_sums(own, method) for name, own in levels.items()}
    recipes = {name: compared.recipe_for for name, compared in comparisons.items()}
    intervals = {name: intervals_from(own, recipes[name], n, seed, level, method) for name, own in sums.items()}
    first = next(iter(comparisons)) if baseline is None else baseline
    differences = differences_from({first: sums[first], **sums}, recipes, n, seed, level, method)
    if figure is None:
        figure = FIGURE if all(own.space.shared for own in levels.values()) else FIGURE_WITHOUT_CLASSES
    return Leaderboard(dict(comparisons), first, figure, method, levels, intervals, differences)


def _check_names(comparisons: object, baseline: str | None) -> None:
    if not isinstance(comparisons, Mapping) or len(comparisons) < 2:
        problem = f"{short_repr(comparisons)} is not a table of two or more comparisons"
        raise InputError("", "comparisons", problem, "Give {name: comparison, other name: comparison}.")
    wrong = next((name for name in comparisons if not isinstance(name, str) or not name), None)
    if wrong is not None:
        raise InputError("", "comparisons", f"{short_repr(wrong)} is not the name of a prediction", "Use a text.")
    if baseline is not None:
        check_choice("baseline", baseline, list(comparisons))


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Several predictions on the same pages; `differences_by_model` has all of them but the baseline.

    Attributes
    ----------
    comparisons : dict
    baseline : str
    figure : str
        The figure that decides the order.
    """

    comparisons: dict[str, Comparison]
    baseline: str
    figure: str
    method: str
    levels: dict[str, Levels]
    intervals: dict[str, Intervals]
    differences_by_model: dict[str, Intervals]

    def __repr__(self) -> str:
        return f"<Leaderboard by {self.figure}: {', '.join(self.models)}; baseline {self.baseline}>"

    def _repr_html_(self) -> str:
        return self.whole._repr_html_()

    @cached_property
    def models(self) -> list[str]:
        """The names, the best first; equal predictions in the order given, predictions without the figure last."""
        values = {name: float(found.figures[self.figure][0]) for name, found in self.intervals.items()}
        best_first = -direction_of(self.figure)
        return sorted(values, key=lambda name: math.inf if math.isnan(values[name]) else best_first * values[name])

    def against(self, baseline: str) -> Leaderboard:
        """The same predictions with differences from another baseline; their own figures are not computed again."""
        check_choice("baseline", baseline, list(self.comparisons))
        if baseline == self.baseline:
            return self
        used = self.resampling
        sums = {name: unit_sums(self.levels[name], self.method) for name in (baseline, *self.comparisons)}
        recipes = {name: compared.recipe_for for name, compared in self.comparisons.items()}
        differences = differences_from(sums, recipes, used.n, used.seed, used.level, self.method)
        return replace(self, baseline=baseline, differences_by_model=differences)

    @cached_property
    def lead(self) -> Intervals:
        """The best prediction minus the next one, with the verdict that it has if the next one is the baseline."""
        best, following, *_ = self.models
        return self.against(following).differences_by_model[best]

    @property
    def resampling(self) -> Resampling:
        return self.intervals[self.baseline].resampling

    @property
    def page_count(self) -> int:
        """The number of pages on which all predictions are counted."""
        return len(self.levels[self.baseline].pages)

    @property
    def labels(self) -> list[str]:
        """Background, the labels of gt, and labels that only predictions have."""
        return list(dict.fromkeys(label for found in self.intervals.values() for label in found.labels))

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row per prediction, the best first.

        model, each headline figure with the ends of its interval, then of the figure that decides the order the paired
        difference from the baseline, its ends, p, verdict ("baseline" for the baseline itself), documents_needed (how
        many documents like these would show the difference, beside "no difference shown") and remark.
        """
        return frame_of([self._row(name) for name in self.models])

    def _row(self, name: str) -> dict[str, Any]:
        row: dict[str, Any] = {"model": name}
        for figure in UNIT_FIGURES:
            ends = self.intervals[name].figures[figure][:3].tolist()
            row |= dict(zip((figure, f"{figure}_low", f"{figure}_high"), ends))
        paired = self.differences_by_model.get(name)
        return row | self._difference(name, None if paired is None else paired.figure_rows[self.figure])

    def _difference(self, name: str, row: Mapping[Any, Any] | None) -> dict[str, Any]:
        """The columns of a paired difference, from a row of `Intervals`; n/a without one."""
        nothing = {**dict.fromkeys((*ENDS, "p", "documents_needed"), math.nan), "verdict": None, "remark": ""}
        found = nothing if row is None else row
        values = {f"difference{'' if end == ENDS[0] else '_' + end}": found[end] for end in ENDS}
        verdict = BASELINE if name == self.baseline else found["verdict"]
        more = {name: found[name] for name in ("documents_needed", "remark")}
        return values | {"p": found["p"], "verdict": verdict} | more

    @cached_property
    def differences(self) -> pd.DataFrame:
        """One row per prediction and figure, without the baseline: model, then the columns of `Intervals.headline`."""
        return frame_of(self._difference_rows)

    @property
    def _difference_rows(self) -> list[dict[str, Any]]:
        paired = {name: self.differences_by_model[name] for name in self.models if name in self.differences_by_model}
        return [{"model": name, **row} for name, found in paired.items() for row in found.figure_rows.values()]

    @cached_property
    def classes(self) -> pd.DataFrame:
        """One row per label and prediction: F1 with its interval, and the paired difference from the baseline.

        label, model, f1, f1_low, f1_high, difference, difference_low, difference_high, p, verdict, documents_needed,
        remark. The p-values are corrected for all tests of this table. n/a for labels that a prediction does not have.
        """
        return frame_of(list(self.class_rows.values()))

    @cached_property
    def class_rows(self) -> dict[tuple[str, str], dict[str, Any]]:
        """{(label, model): row of `classes`}"""
        values = {name: found.class_rows for name, found in self.intervals.items()}
        paired = {name: found.class_rows for name, found in self.differences_by_model.items()}
        rows = {}
        for label in self.labels:
            for name in self.models:
                own = values[name].get((label, "f1")) or dict.fromkeys(ENDS, math.nan)
                ends = {f"f1{'' if end == ENDS[0] else '_' + end}": own[end] for end in ENDS}
                difference = self._difference(name, paired.get(name, {}).get((label, "f1")))
                rows[label, name] = {"label": label, "model": name, **ends, **difference}
        return rows

    def causes(self, tolerance: float = TOLERANCE) -> pd.DataFrame:
        """One row per prediction: model, and the pixels of each cause; n/a if the labels differ. Takes longer."""
        rows = []
        for name in self.models:
            found = self.comparisons[name].sources.causes.of_all_pages(tolerance)
            places = self._places(name)
            rows.append(cause_row(name, (found if places is None else found.of_pages(places)).total))
        return pd.DataFrame(rows)

    def objects(self, name: str) -> Objects:
        """The objects of a prediction on the pages on which all predictions are counted."""
        sources, places = self.comparisons[name].sources.of_pages(self._places(name), "objects")
        return sources.objects.objects(places)

    def _places(self, name: str) -> NDArray[np.int64] | None:
        """The places of the common pages among the pages of a prediction; None if it has no other pages."""
        own, common = self.comparisons[name].levels, self.levels[name]
        if common is own:
            return None
        return np.array([own.pages.index[page] for page in common.page_names if page in own.pages.index], np.int64)

    def pages(self) -> pd.DataFrame:
        """One row per page, those with the largest differences between predictions first.

        page, document, pixels, the figure of the order of each prediction ("f1: name"), spread (the largest minus the
        smallest, where n/a counts as the best value: nothing to find, nothing invented), and the best and the worst
        prediction.
        Predictions whose labels differ from those of gt have no figure of classes and are neither.
        """
        own = self.levels[self.baseline]
        columns: Columns = {**own.names_at(np.arange(own.page_count)), "pixels": own.page_pixels}
        scores = {name: levels.page_scores(self.method) for name, levels in self.levels.items()}
        return self._most_different_first(columns, scores)

    def documents(self) -> pd.DataFrame:
        """One row per document, that on which the predictions differ most first: document, pages, then as `pages`."""
        own = self.levels[self.baseline]
        columns: Columns = {"document": own.documents, "pages": document_sizes(own), "pixels": document_pixels(own)}
        scores = {name: levels.document_scores(self.method) for name, levels in self.levels.items()}
        return self._most_different_first(columns, scores)

    def _most_different_first(self, columns: Columns, scores: dict[str, Mapping[str, Floats]]) -> pd.DataFrame:
        column = "f1" if self.figure == FIGURE else self.figure  # of `level_scores`
        values = np.stack([scores[name][column] for name in self.models], axis=1)
        has_figure = [self.figure == FIGURE_WITHOUT_CLASSES or self.levels[name].space.shared for name in self.models]
        compared = [name for name, has in zip(self.models, has_figure) if has]
        direction = direction_of(self.figure)
        best = 1.0 if direction > 0 else 0.0
        filled = np.nan_to_num(values[:, has_figure], nan=best) if compared else np.full((len(values), 1), np.nan)
        table = pd.DataFrame(columns)
        for k, name in enumerate(self.models):
            table[f"f1: {name}"] = values[:, k]
        table["spread"] = filled.max(axis=1) - filled.min(axis=1)
        known = np.isfinite(values).any(axis=1)
        for title, sign in (("best", direction), ("worst", -direction)):
            places = (sign * filled).argmax(axis=1)
            differ = known & (table["spread"].to_numpy() > 0)
            table[title] = [compared[place] if real else "" for place, real in zip(places.tolist(), differ)]
        return table.sort_values("spread", ascending=False, kind="stable", ignore_index=True)

    def figures(self, name: str, objects: bool = True) -> Figures:
        """{measure: value} of the columns of a leaderboard, on the pages of all; None is n/a.

        Measures that are read off objects take longer; without objects they are not counted, and left out.
        """
        columns = [one for one in compared_measures() if objects or not one.needs]
        known, measured = self.intervals[name].figures, self.result_on_common_pages(name, objects).measures
        summed = {one.name: json_ready(known[one.column][0]) for one in columns if one.column in known}
        return {one.name: summed.get(one.name, measured[one.name]) for one in columns}

    def result_on_common_pages(self, name: str, objects: bool = True) -> Result:
        """What the columns of one prediction are read off; without objects it takes less time."""
        common = [page for page in self.levels[name].page_names if page in self.comparisons[name].levels.pages.index]
        return result_of_columns(comparison_of_pages(self.comparisons[name], common), self.method, objects)

    def result(self, objects: bool = True, why: bool = False) -> LeaderboardResult:
        """The leaderboard as a value, without the tables of pages and documents.

        `objects` adds measures of objects, `why` the causes of wrong pixels; both take longer.
        """
        used = self.resampling
        first = self.levels[self.baseline]
        gt = confusion_of(first.counts, first.space, self.method)
        pixels = dict(zip(reversed(gt.labels), reversed(gt.gt_pixels.tolist())))
        rows = [row | {"measures": self.figures(row["model"], objects)} for row in map(self._row, self.models)]
        found = {
            "kind": "leaderboard", "schema": SCHEMA, "version": __version__, "baseline": self.baseline,
            "figure": self.figure, "method": self.method, "pages": self.page_count,
            "units": used.units, "unit_count": used.unit_count, "few_documents": used.few, "interval": used.kind,
            "n": used.n, "seed": used.seed, "level": used.level,
            "recipes": {name: self.intervals[name].recipe for name in self.models},
            "models": rows,
            "differences": self._difference_rows,
            "classes": [row | {"gt_pixels": pixels.get(row["label"], 0.0)} for row in self.class_rows.values()],
            "causes": self.causes().to_dict("records") if why else None,
            "severe": self._severe or None,
        }  # fmt: skip
        return msgspec.convert(json_ready(found), LeaderboardResult)

    @cached_property
    def _severe(self) -> dict[str, list[dict[str, object]]]:
        """{model: severe findings}, where there are some."""
        found = {name: severe_of(self.comparisons[name].findings) for name in self.models}
        return {name: [one.as_dict() for one in own] for name, own in found.items() if own}

    @cached_property
    def whole(self) -> LeaderboardResult:
        """The value with measures of objects, unless counting them would take long (more than MOST_PAGES)."""
        return self.result(objects=self.page_count <= MOST_PAGES)

    @cached_property
    def shown(self) -> LeaderboardResult:
        """The value without objects and causes, for tables and figures of classes and differences."""
        return self.result(objects=False)

    def as_dict(self) -> dict[str, Any]:
        """All tables except pages and documents as JSON values, with the settings."""
        return self.whole.data

    def write_report(
        self, folder: str | os.PathLike[str], images: str | os.PathLike[str] | None = None, why: bool = False
    ) -> Path:
        """Write index.html, sheets and figures of all predictions, and the report of each into a folder of its name.

        `why` adds causes of wrong pixels, and to the reports forgiveness and curves of scores.
        """
        from layoutcm.report.leaderboard_files import write_board_report

        return write_board_report(self, folder, images, why)


def compared_measures() -> list[Measure]:
    """The measures that have a column on a leaderboard."""
    return [one for one in MEASURES if one.compared]


def result_of_columns(comparison: Comparison, method: str, objects: bool = True) -> Result:
    """The result of a comparison with the parts that the columns of a leaderboard are read off."""
    parts = {part for one in compared_measures() for part in one.needs if objects}
    return result_of(comparison, method, Asked(parts=tuple(parts)))


def cause_row(name: str, causes: Causes) -> dict[str, Any]:
    """A row of `Leaderboard.causes`: model, and the pixels of each cause."""
    return {"model": name, **dict(zip(causes.names, causes.values.sum(axis=(1, 2)).tolist()))}
