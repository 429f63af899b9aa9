"""The list of measures: every single number of a result, with its name, its title and the function that reads it.

JSON, tables, terminal, report, gate, leaderboard, notebook and dashboard take names and titles from here. A new measure
is an entry with a function, and a section of docs/method.md. Some tables have numbers outside the list: scores of each
label (`class_figures`), ROC AUC and calibration of each label, F1 for each tolerance of borders, shares of causes and
families, and the share of wrong pixels that is border slack, for which neither more nor less is better.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from msgspec import UNSET, Struct

from layoutcm.errors import InputError, check_choice, short_repr, unknown_choice
from layoutcm.results.types import IntervalRow, IntervalTables, ResultFields

Figures = dict[str, float | None]  # None is n/a
SCORE_TITLES = {"precision": "precision", "recall": "recall", "f1": "F1", "iou": "IoU", "ap": "AP", "ar": "AR"}
SCORES = ("precision", "recall", "f1")
AVERAGES = ("micro", "macro", "weighted")
CONTENT_ROW = "content, against Background"
OF_PIXELS, OF_OBJECTS = "averages", "objects"  # tables that show many measures in a grid
CLASS_SCORES = (*SCORES, "iou")  # of a label, at pixel level
OBJECT_SCORES = ("ap", "ap50", "ap75", "ar")  # of a label and of the set, at the level of objects


class Measure(Struct, frozen=True, kw_only=True):
    """One figure: what it is called, what it means, and how it is read off a result."""

    name: str  # as a gate takes it: macro.f1
    title: str
    value: Callable[[Any], float | None]  # of a `Result`
    unit: str = "score"  # score or share, both from 0 to 1; for readers of `lcm.MEASURES`
    higher_is_better: bool = True
    has_interval: bool = False  # whether intervals and verdicts are computed for it; it is a ratio of sums then
    needs: tuple[str, ...] = ()  # the parts of a result that it is read off, beside the matrix
    url: str = "method.md"  # its definition in the documentation, for readers of `lcm.MEASURES`
    column: str = ""  # its name in tables of intervals
    grid: str = ""  # the part of the terminal text that shows it; "": it has a line of its own there
    row: str = ""  # its row in that table: the title without the name of the score
    brief: bool = True  # whether the terminal shows it, too
    compared: bool = True  # whether a leaderboard has a column for it
    quoted: bool = False  # whether it is one of the headline numbers

    @property
    def adds_up(self) -> bool:
        """The same as `has_interval`: figures with an interval are computed from sums over documents."""
        return self.has_interval

    @property
    def short_title(self) -> str:
        """The title without what follows a comma: 'macro F1'."""
        return self.title.partition(",")[0]

    @property
    def detail(self) -> str:
        """What follows the comma of the title: 'without Background'."""
        return self.title.partition(", ")[2]


def _read(result: Any, path: tuple[str, ...]) -> float | None:
    """The value at a path of names; None if a part on the way is absent."""
    for name in path:
        result = result.get(name) if isinstance(result, Mapping) else getattr(result, name)
        if result is None or result is UNSET:
            return None
    found: float = result
    return found


def _read_of_labels(result: Any, path: tuple[str, ...]) -> float | None:
    """The same if labels were compared: with different labels, regions are matched whatever their label."""
    return None if result.taxonomy == "different" else _read(result, path)


def _at(*path: str) -> Callable[[Any], float | None]:
    return partial(_read, path=path)


def _averages() -> Iterable[Measure]:
    """The averages over labels: of all pixels, with and without Background, and means over pages and documents."""
    kinds = {
        "": ("averages", "without Background"),
        "with_background": ("averages_with_background", "with Background"),
        "over_pages": ("averages_over_pages", "mean over pages"),
        "over_documents": ("averages_over_documents", "mean over documents"),
    }
    for prefix, (key, detail) in kinds.items():
        for kind in AVERAGES:
            for score in SCORES:
                own = prefix == ""
                yield Measure(
                    name=".".join(filter(None, (prefix, kind, score))),
                    title=f"{kind} {SCORE_TITLES[score]}, {detail}",
                    value=_at(key, kind, score),
                    has_interval=kind == "macro" or not prefix.startswith("over"),
                    column=f"{kind}_{score}" + (f"_{prefix}" if prefix else ""),
                    url="method.md#micro-macro-weighted",
                    grid=OF_PIXELS,
                    row=f"{kind}, {detail}",
                    brief=own or kind == ("micro" if prefix == "with_background" else "macro"),
                    compared=own and score == "f1" and kind != "weighted",
                    quoted=own and score == "f1",
                )


def _content() -> Iterable[Measure]:
    for score in SCORES:
        yield Measure(
            name=f"content.{score}", title=f"content {SCORE_TITLES[score]}, against Background",
            value=_at("content", score), has_interval=True, column=f"content_{score}", url="method.md#content",
            grid=OF_PIXELS, row=CONTENT_ROW, compared=score == "f1", quoted=score == "f1",
        )  # fmt: skip
    yield Measure(
        name="right", title="share of right label pixels", value=_at("right"), unit="share", url="method.md#content",
        grid=OF_PIXELS, compared=False, quoted=True,
    )  # fmt: skip


def _objects() -> Iterable[Measure]:
    of: dict[str, Any] = {"needs": ("objects",), "url": "objects.md#average-precision", "grid": OF_OBJECTS}
    for name in OBJECT_SCORES:
        shown: dict[str, Any] = {"compared": name == "ap", "quoted": name == "ap"}
        yield Measure(name=f"objects.{name}", title=name.upper(), value=_at("objects", name), **shown, **of)
    for name in ("APsmall", "APmedium", "APlarge", "AR1", "AR10", "ARsmall", "ARmedium", "ARlarge"):  # as COCO has them
        value = _at("objects", "summary", name)
        yield Measure(name=f"objects.{name.lower()}", title=name, value=value, compared=False, **of)
    for name, title in {"pq": "panoptic quality", "sq": "segmentation quality", "rq": "recognition quality"}.items():
        shown = of | {"compared": name == "pq", "quoted": name == "pq", "url": "objects.md#panoptic-quality"}
        yield Measure(name=f"objects.{name}", title=title, value=_at("objects", "panoptic", name), **shown)
    at_iou: dict[str, Any] = of | {"url": "objects.md#scores-at-one-iou"}
    for prefix, path, labels in (("objects", (), ""), ("objects.any_label", ("class_blind",), ", whatever the label")):
        for score in SCORES:
            title, is_compared = f"object {SCORE_TITLES[score]}, at IoU 0.50{labels}", score == "f1" and not labels
            value = _at("objects", "at_iou", *path, score)
            yield Measure(name=f"{prefix}.{score}", title=title, value=value, compared=is_compared, **at_iou)
    for score in SCORES:
        title = f"centroid {SCORE_TITLES[score]}"
        value = partial(_read_of_labels, path=("centroids", "one_to_one", score))
        more: dict[str, Any] = of | {"needs": ("centroids",), "url": "objects.md#centroids"}
        yield Measure(name=f"centroids.{score}", title=title, value=value, compared=False, **more)


def _others() -> Iterable[Measure]:
    soft = {"precision": "precision", "recall": "recall", "f_beta": "F-beta", "dice": "dice"}
    for kind in ("micro", "macro", "weighted", "samples"):
        for score, title in soft.items():
            yield Measure(
                name=f"soft.{kind}.{score}", title=f"soft {title}, {kind}", value=_at("soft", "averages", kind, score),
                needs=("soft",), url="score-curves.md#soft-scores", grid="soft", compared=False,
            )  # fmt: skip
    agreed = {"observed": "Observed agreement", "kappa": "Cohen's kappa", "alpha": "Krippendorff's alpha"}
    for name, title in agreed.items():
        yield Measure(
            name=f"agreement.{name}", title=title, value=_at("agreement", name), needs=("agreement",),
            url="agreement.md", grid="agreement", compared=False, quoted=True,
        )  # fmt: skip


MEASURES: list[Measure] = [*_averages(), *_content(), *_objects(), *_others()]
# What predictions are compared by: these figures have an interval, and may decide the order of a leaderboard.
HEADLINE = tuple(one for one in MEASURES if one.compared and one.has_interval)


def measured(result: ResultFields) -> Figures:
    """{name: value} of every measure of the list."""
    return {one.name: one.value(result) for one in MEASURES}


def quoted_measures(measured: str) -> list[Measure]:
    """The headline numbers of a comparison: scores, or "agreement" if neither side is the truth."""
    return [one for one in MEASURES if one.quoted and (one.grid == "agreement") == (measured == "agreement")]


def measure_of(name: str) -> Measure:
    """The measure of this name, or of this column of a table of intervals."""
    return next(one for one in MEASURES if name and name in (one.name, one.column))


def grid_rows(grid: str, brief: bool = False) -> dict[str, dict[str, Measure]]:
    """{row: {score: measure}} of a table, Content first; if brief, of the rows that the terminal shows."""
    rows: dict[str, dict[str, Measure]] = {}
    for one in sorted(MEASURES, key=lambda one: one.row != CONTENT_ROW):
        if one.grid == grid and one.row and one.has_interval and (one.brief or not brief):
            rows.setdefault(one.row, {})[one.name.rpartition(".")[2]] = one
    return rows


def direction_of(figure: str) -> int:
    """1 if a higher value of a figure is better, else -1; `figure` is the name or the column of a measure.

    Higher is better for the scores of labels, which are not in the list.
    """
    return next((1 if one.higher_is_better else -1 for one in MEASURES if figure in (one.name, one.column)), 1)


def lowest_of(figure: str) -> int:
    """The least value that a figure can have; agreement can be worse than by chance."""
    return -1 if figure in ("agreement.kappa", "agreement.alpha") else 0


def name_of(figure: str) -> str:
    """The name of a figure that is given by its name or by its column."""
    return next((one.name for one in MEASURES if one.column and figure == one.column), figure)


def column_of(figure: object, known: Iterable[str], place: str = "figure") -> str:
    """The column of a figure, which may be given by its name, too; an InputError if it is not known."""
    column = next((one.column for one in MEASURES if one.column and figure == one.name), figure)
    check_choice(place, column, list(known))
    return str(column)


def figure_title(column: str) -> str:
    """The title of a column of a table of intervals: "macro_f1_over_pages" is "macro F1, mean over pages"."""
    return measure_of(column).title


def class_figure(label: str, score: str) -> str:
    return f"class.{label}.{score}"


def class_figures(result: ResultFields) -> Figures:
    """The scores of every label but Background, at pixel level and as objects."""
    of_pixels = {row.label: row for row in result.class_scores or ()}
    of_objects = {row.label: row for row in (result.objects.per_class if result.objects else ())}
    figures: Figures = {}
    for label in dict.fromkeys(result.labels[1:]):
        for rows, scores in ((of_pixels, CLASS_SCORES), (of_objects, OBJECT_SCORES)):
            row = rows.get(label)
            figures |= {class_figure(label, score): None if row is None else getattr(row, score) for score in scores}
    return figures


def row_of_figure(intervals: IntervalTables, figure: str) -> IntervalRow | None:
    """The row of a measure or of a label in a table of intervals or of differences; None if there is none."""
    if figure.startswith("class."):
        return next((row for row in intervals.classes if class_figure(str(row.label), str(row.score)) == figure), None)
    column = next((one.column for one in MEASURES if figure in (one.name, one.column)), "")
    return next((row for row in intervals.headline if column and row.figure == column), None)


def find_figure(name: object, figures: Figures, place: str) -> str:
    """The name of a figure, which may be given by its column, too; an InputError names similar figures."""
    if isinstance(name, str) and name_of(name) in figures:
        return name_of(name)
    hint = (
        unknown_choice(place, name, figures).hint
        or "Figures are named like micro.f1, macro.f1, content.f1, objects.ap, class.LABEL.f1."
    )
    raise InputError("", place, f"there is no figure {short_repr(name)}", hint)
