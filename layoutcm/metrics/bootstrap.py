"""Confidence intervals by percentile bootstrap, for one comparison and for the paired difference of two.

Documents are resampled with replacement; if there is only one document, its pages are. Resampling is a matrix product:
weights float64[resamples, units] times the sums of every unit. The scores of a resample are then computed by the same
functions as the values themselves. A resample in which a score is undefined is left out of the interval of that score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.model import Floats
from layoutcm.metrics.confusion import GroupMatrices, check_method
from layoutcm.metrics.content import content_scores
from layoutcm.metrics.levels import Levels, level_averages
from layoutcm.metrics.scores import AVERAGES, SCORES, Margins, class_scores, mean_scores, ratio

if TYPE_CHECKING:
    import pandas as pd

RESAMPLES, CONFIDENCE = 1000, 0.95
MOST_RESAMPLES = 100_000
BLOCK_WEIGHTS = 2_000_000
CLASS_SCORES = (*SCORES, "iou")
MARGINS = tuple(field.name for field in fields(Margins))
ENDS = ("value", "low", "high")
RecipeFor = Callable[..., str]  # `Comparison.recipe_for`: (method, **settings) -> the recipe in one line
Sums = dict[str, Floats]  # {name: float64[units or resamples, numbers]}


@dataclass(frozen=True)
class Resampling:
    """The settings of intervals: `n` resamples of `unit_count` units, which are "documents" or "pages"."""

    units: str
    unit_count: int
    n: int
    seed: int
    level: float

    @property
    def unit(self) -> str:
        """The singular of `units`: "document" or "page"."""
        return self.units.removesuffix("s")


@dataclass(frozen=True, eq=False)
class Intervals:
    """Values with the ends of their intervals.

    `figures` is {figure: float64[columns]}, `scores` is {score: float64[labels, columns]}. The columns are value, low
    and high. A difference also has `other_side`: the share of resamples that are 0 or have the opposite sign; nan if
    the difference is 0.
    """

    resampling: Resampling
    method: str
    recipe: str
    labels: list[str]
    columns: tuple[str, ...]
    figures: dict[str, Floats]
    scores: dict[str, Floats]

    def __repr__(self) -> str:
        return f"<Intervals {self.recipe}>"

    @property
    def headline(self) -> pd.DataFrame:
        """One row per figure: figure, value, low, high."""
        import pandas as pd

        rows = [(figure, *values.tolist()) for figure, values in self.figures.items()]
        return pd.DataFrame(rows, columns=["figure", *self.columns])

    def classes(self) -> pd.DataFrame:
        """One row per label and score: label, score, value, low, high."""
        import pandas as pd

        rows = [
            (label, score, *self.scores[score][i].tolist())
            for i, label in enumerate(self.labels)
            for score in CLASS_SCORES
        ]
        return pd.DataFrame(rows, columns=["label", "score", *self.columns])

    def as_dict(self) -> dict[str, Any]:
        """The intervals as JSON values."""
        tables = {"headline": self.headline, "classes": self.classes()}
        rows = {name: table.to_dict("records") for name, table in tables.items()}
        return asdict(self.resampling) | {"recipe": self.recipe} | rows

    def whiskers(self) -> dict[str, Floats]:
        """{score: float64[labels, low high]}, for class charts."""
        return {score: values[:, 1:3] for score, values in self.scores.items()}


def intervals_of(
    levels: Sequence[Levels], recipes: Sequence[RecipeFor], n: int, seed: int, level: float, method: str
) -> Intervals:
    """Intervals of one comparison, or of the second minus the first, for every headline figure and class value.

    A difference uses the same resamples for both comparisons, and only the classes that both have.
    """
    check_resampling(n, seed, level)
    first, last = levels[0], levels[-1]
    labels = [label for label in first.space.labels if label in last.space.labels]
    columns = ENDS if len(levels) == 1 else (*ENDS, "other_side")
    all_values = [
        _figures_and_scores(own_levels, sums, n, seed, labels)
        for own_levels, sums in zip(levels, _paired_sums(levels, method))
    ]
    results = all_values[0]
    if len(levels) > 1:
        results = {name: all_values[1][name] - values for name, values in all_values[0].items()}
    ends = {name: interval_ends(values, level, columns) for name, values in results.items()}
    settings = {"resamples": n, "of": units_of(first), "seed": seed, "level": level}
    return Intervals(
        Resampling(units_of(first), len(resampled_units(first)), n, seed, level),
        method,
        recipe=" minus ".join(recipe_for(method, **settings) for recipe_for in reversed(recipes)),
        labels=labels,
        columns=columns,
        figures={name: values[0] for name, values in ends.items() if name not in CLASS_SCORES},
        scores={name: ends[name] for name in CLASS_SCORES},
    )


def check_resampling(n: int, seed: int = 0, level: float = CONFIDENCE) -> None:
    """Raise an InputError for wrong options, before any work is done."""
    if not (_is_integer(n) and 1 <= n <= MOST_RESAMPLES):
        raise InputError("", "n", f"{short_repr(n)} is not a number of resamples", f"Use 1 to {MOST_RESAMPLES:,}.")
    if not (_is_integer(seed) and seed >= 0):
        raise InputError("", "seed", f"{short_repr(seed)} is not a seed", "Use a whole number of 0 or more.")
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise InputError("", "level", f"{short_repr(level)} is not a share between 0 and 1", "Use one such as 0.95.")


def _is_integer(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def units_of(levels: Levels) -> str:
    """What is resampled: documents, or the pages of a single document."""
    return "documents" if len(levels.documents) > 1 else "pages"


def resampled_units(levels: Levels) -> list[str]:
    return levels.documents if units_of(levels) == "documents" else levels.page_names


def unit_sums(levels: Levels, method: str) -> Sums:
    """float64[units, numbers] each: margins of the matrix, margins of the 2x2 matrix, sums of page and document scores.

    The sums of scores come with the number of defined scores, so that a mean can be computed from the totals.
    """
    check_method(method)
    by_document = units_of(levels) == "documents"
    blocks = levels.document_matrices(method) if by_document else levels.page_matrices(method)
    width, parts = len(levels.space.labels), len(MARGINS)
    # Copied block by block, because a diagonal is a view that keeps its whole block in memory.
    rows = [np.empty((0, parts * width)), *(_margin_rows(matrices) for _, matrices in blocks)]
    columns = np.split(np.concatenate(rows), [width * k for k in range(1, parts)], axis=1)
    content = levels.document_content if by_document else levels.page_content
    sums = dict(zip(MARGINS, columns)) | {"content": content}
    scores = _scores_and_counts(mean_scores(_margins(sums).without_first(1), "macro"))
    if by_document:
        sums["over_documents"] = scores
    if len(levels.pages) != len(scores):
        pages = _scores_and_counts(level_averages(levels.page_matrices(method), "macro", background=False))
        count = len(levels.documents)
        scores = np.stack([np.bincount(levels.document_of_page, column, count) for column in pages.T], axis=1)
    return sums | {"over_pages": scores}


def _margin_rows(matrices: GroupMatrices) -> Floats:
    """float64[units, 4 x labels]: the four margins of the labels."""
    return np.concatenate(matrices.margins.parts(), axis=1)


def _margins(sums: Sums) -> Margins:
    return Margins(*(sums[name] for name in MARGINS))


def _scores_and_counts(scores: Mapping[str, Floats]) -> Floats:
    """float64[groups, 6]: the three scores, 0 where undefined, then 1 for each defined score and 0 otherwise."""
    values = np.stack([scores[name] for name in SCORES], axis=1)
    return np.concatenate([np.nan_to_num(values), np.isfinite(values)], axis=1)


def resample_weights(units: int, n: int, seed: int) -> Iterator[Floats]:
    """Blocks of float64[resamples, units]: how often each unit is drawn. The first row is all 1: the set itself."""
    generator = np.random.default_rng(seed)
    block = max(BLOCK_WEIGHTS // max(units, 1), 1)
    yield np.ones((1, units))
    for first in range(0, n, block):
        counts = np.empty((min(block, n - first), units))
        for row in counts:
            row[:] = np.bincount(generator.integers(max(units, 1), size=units), minlength=units)
        yield counts


def resample_sums(sums: Sums, n: int, seed: int) -> Sums:
    """{name: float64[1 + n, numbers]}: the sums of the set itself, then of every resample."""
    rows = round_for_exact_sums(np.concatenate(list(sums.values()), axis=1))
    totals = np.concatenate([counts @ rows for counts in resample_weights(len(rows), n, seed)])
    ends = np.cumsum([part.shape[1] for part in sums.values()])[:-1]
    return dict(zip(sums, np.split(totals, ends, axis=1)))


def round_for_exact_sums(rows: Floats) -> Floats:
    """float64[units, numbers]: `rows` rounded very slightly, so that sums over a resample fit the 53 bits of a float64.

    Additions are then exact, and their order (block sizes, threads, machines) does not change the result.
    """
    _, exponent = np.frexp(len(rows) * rows.max(axis=0, initial=0))
    step = np.ldexp(1.0, exponent - 52)
    return np.round(rows / step) * step


def figures_of(sums: Sums, shared: bool) -> dict[str, Floats]:
    """{figure: float64[resamples]}; nan for all but the Content figures if the two sides have different labels."""
    parts = {
        f"{kind}_{{}}{name}": mean_scores(_margins(sums).without_first(skip), kind)
        for skip, name in ((1, ""), (0, "_with_background"))
        for kind in AVERAGES
    }
    for over in ("pages", "documents"):
        # There are no sums over documents if there is one document: its score is the score of the set.
        total = sums.get(f"over_{over}")
        mean = parts["macro_{}"] if total is None else dict(zip(SCORES, ratio(total[:, :3], total[:, 3:]).T))
        parts[f"macro_{{}}_over_{over}"] = mean
    figures = {name.format(score): values[score] for name, values in parts.items() for score in SCORES}
    if not shared:
        figures = {name: np.full(len(values), np.nan) for name, values in figures.items()}
    return figures | {f"content_{score}": values for score, values in content_scores(sums["content"]).items()}


def scores_of(sums: Sums, shared: bool) -> dict[str, Floats]:
    """{score: float64[resamples, labels]}; nan if the two sides have different labels."""
    scores = class_scores(_margins(sums))
    return scores if shared else {name: np.full(values.shape, np.nan) for name, values in scores.items()}


def _figures_and_scores(levels: Levels, sums: Sums, n: int, seed: int, labels: Sequence[str]) -> dict[str, Floats]:
    """{figure: float64[1 + n, 1]} and {class score: float64[1 + n, labels]} of the set and its resamples."""
    totals, shared = resample_sums(sums, n, seed), levels.space.shared
    positions = [levels.space.labels.index(label) for label in labels]
    figures = {name: values[:, None] for name, values in figures_of(totals, shared).items()}
    return figures | {score: values[:, positions] for score, values in scores_of(totals, shared).items()}


def interval_ends(values: Floats, level: float, columns: Sequence[str]) -> Floats:
    """float64[numbers, columns] from float64[1 + n, numbers]: the values of the set, then of its n resamples."""
    value, resamples = values[0], values[1:]
    known = np.isfinite(resamples).any(axis=0)  # nanquantile warns if all values are nan
    ends = np.full((len(columns), len(value)), np.nan)
    ends[0] = value
    ends[1:3, known] = np.nanquantile(resamples[:, known], [(1 - level) / 2, (1 + level) / 2], axis=0)
    if "other_side" in columns:
        # A difference of 0 has no other side.
        other = ratio((resamples * np.sign(value) <= 0).sum(axis=0), np.isfinite(resamples).sum(axis=0))
        ends[3] = np.where(value == 0, np.nan, other)
    return ends.T


def _paired_sums(levels: Sequence[Levels], method: str) -> list[Sums]:
    """The sums of each comparison, with the units in the order of the first."""
    all_sums = []
    for own_levels in levels:
        position = {name: i for i, name in enumerate(resampled_units(own_levels))}
        order = [position[name] for name in resampled_units(levels[0])]
        all_sums.append({name: values[order] for name, values in unit_sums(own_levels, method).items()})
    _check_same_gt(levels, [sums["gt"] for sums in all_sums])
    return all_sums


def _check_same_gt(levels: Sequence[Levels], pixels: Sequence[Floats]) -> None:
    """Raise an InputError if a label covers a different number of gt pixels in the two comparisons.

    `pixels` is float64[units, labels] for each comparison. With the same gt these numbers do not depend on pred.
    """
    first, last = levels[0], levels[-1]
    for a, label in enumerate(first.space.labels):
        # Two taxonomies can use the same name; the label of gt comes first.
        if label not in last.space.labels or a != first.space.labels.index(label):
            continue
        own, other = pixels[0][:, a], pixels[-1][:, last.space.labels.index(label)]
        differing = np.flatnonzero(~np.isclose(own, other, rtol=1e-9, atol=0))
        if differing.size:
            unit = int(differing[0])
            where = f"{units_of(first).removesuffix('s')} {short_repr(resampled_units(first)[unit])}"
            amounts = f"{own[unit]:,.0f} gt pixels in one comparison and {other[unit]:,.0f} in the other"
            problem = f"on {where}, {label} has {amounts}"
            hint = "Compare both predictions with the same gt, the same rounding and the same mapping of gt."
            raise InputError("", "c_a, c_b", problem, hint)
