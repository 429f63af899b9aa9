"""The rows of every table of averages: one list of what is averaged and how it is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from layoutcm.comparison import Comparison
from layoutcm.metrics.confusion import CONTENT, Confusion
from layoutcm.metrics.scores import AVERAGES

MeanOver = Callable[[str], dict[str, float]]  # "pages" or "documents" -> the mean of their macro scores


class Average(NamedTuple):
    """An average over classes: of all pixels, or the mean of the averages of pages or documents."""

    kind: str
    background: bool = False
    over: str = "pixels"

    @property
    def title(self) -> str:
        if self.over != "pixels":
            return f"{self.kind}, mean over {self.over}"
        return f"{self.kind}, {'with' if self.background else 'without'} Background"

    @property
    def f1_figure(self) -> str:
        """The name of its F1 in `Intervals.figures`."""
        suffix = "" if self.over == "pixels" else f"_over_{self.over}"
        return f"{self.kind}_f1{'_with_background' if self.background else ''}{suffix}"


OF_CLASSES = tuple(Average(kind) for kind in AVERAGES)
WITH_BACKGROUND = tuple(Average(kind, background=True) for kind in AVERAGES)
MEANS = tuple(Average("macro", over=over) for over in ("pages", "documents"))
ALL_AVERAGES = (*OF_CLASSES, *WITH_BACKGROUND, *MEANS)
SHORT_LIST = (*OF_CLASSES, WITH_BACKGROUND[AVERAGES.index("micro")], *MEANS)
CONTENT_TITLE, CONTENT_F1_FIGURE = f"{CONTENT} against Background", "content_f1"

F1_TITLES = {one.f1_figure: one.title for one in SHORT_LIST} | {CONTENT_F1_FIGURE: CONTENT_TITLE}
SCORE_TITLES = {"precision": "precision", "recall": "recall", "f1": "F1", "iou": "IoU"}


def figure_title(figure: str) -> str:
    """The title of a figure of `Intervals`: "macro_f1_over_pages" is "macro F1, mean over pages"."""
    kind, score, *rest = figure.split("_", 2)
    if kind == "content":
        return f"{kind} {SCORE_TITLES[score]}"
    details = {"": "without Background", "with_background": "with Background"}
    detail = details.get("".join(rest)) or f"mean over {rest[0].removeprefix('over_')}"
    return f"{kind} {SCORE_TITLES[score]}, {detail}"


def average_scores(
    comparison: Comparison, confusion: Confusion, averages: Iterable[Average], mean_over: MeanOver | None = None
) -> list[tuple[Average, dict[str, float]]]:
    """Each average with its precision, recall and F1; `mean_over` replaces the means of the comparison itself."""
    mean = mean_over or (lambda over: comparison.average("macro", over=over, method=confusion.method))
    return [
        (one, mean(one.over) if one.over != "pixels" else confusion.average(one.kind, one.background))
        for one in averages
    ]
