"""Every figure of a result under one flat name, such as `macro.f1`, `objects.ap` or `class.Table.recall`.

A gate checks figures by these names, and an Evaluator logs them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from layoutcm.errors import InputError, unknown_choice
from layoutcm.metrics.scores import AVERAGES, SCORES
from layoutcm.metrics.unit_sums import CLASS_SCORES

Ends = TypeVar("Ends")
Figures = dict[str, float | None]  # None is n/a
AVERAGE_KEYS = {
    "": "averages",
    "with_background.": "averages_with_background",
    "over_pages.": "averages_over_pages",
    "over_documents.": "averages_over_documents",
}
OBJECT_FIGURES = ("ap", "ap50", "ap75", "ar")
PANOPTIC_FIGURES = ("pq", "sq", "rq")
SOFT_FIGURES = ("precision", "recall", "f_beta", "dice")
AGREEMENT_FIGURES = ("observed", "kappa", "alpha")
HEADLINE = ("micro.f1", "macro.f1", "content.f1")


def named_figures(result: Mapping[str, Any]) -> Figures:
    """{name: value} of all figures of a result.json; averages and scores of labels are None if the labels differ."""
    figures: Figures = {}
    for prefix, key in AVERAGE_KEYS.items():
        _add(figures, f"{prefix}{{}}.{{}}", result.get(key), AVERAGES, SCORES)
    _add(figures, "{}.{}", {"content": result["content"]}, ("content",), SCORES)
    figures["right"] = result["right"]
    objects = result.get("objects") or {}
    _add(figures, "{}.{}", {"objects": objects}, ("objects",), OBJECT_FIGURES)
    _add(figures, "{}.{}", {"objects": objects.get("panoptic")}, ("objects",), PANOPTIC_FIGURES)
    _add(figures, "{}.{}", {"objects": objects.get("at_iou")}, ("objects",), SCORES)
    centroids = result.get("centroids") or {}
    _add(figures, "{}.{}", {"centroids": centroids.get("one_to_one")}, ("centroids",), SCORES)
    soft = (result.get("soft") or {}).get("averages") or {}
    _add(figures, "soft.{}.{}", soft, soft, SOFT_FIGURES)
    if agreement := result.get("agreement"):
        _add(figures, "{}.{}", {"agreement": agreement}, ("agreement",), AGREEMENT_FIGURES)
    return figures | _class_figures(result, objects)


def _add(figures: Figures, name: str, table: Any, groups: Iterable[str], scores: Iterable[str]) -> None:
    """Add the scores of some groups of {group: {score: value}}; what is missing is n/a."""
    for group in groups:
        values = (table or {}).get(group) or {}
        figures |= {name.format(group, score): values.get(score) for score in scores}


def _class_figures(result: Mapping[str, Any], objects: Mapping[str, Any]) -> Figures:
    """The scores of every label but Background, at pixel level and as objects."""
    of_pixels = {row["label"]: row for row in result["classes"] or ()}
    of_objects = {row["label"]: row for row in objects.get("per_class") or ()}
    figures: Figures = {}
    for label in dict.fromkeys(result["labels"][1:]):
        pixels, boxes = of_pixels.get(label, {}), of_objects.get(label, {})
        figures |= {class_figure(label, score): pixels.get(score) for score in CLASS_SCORES}
        figures |= {class_figure(label, score): boxes.get(score) for score in OBJECT_FIGURES}
    return figures


def class_figure(label: str, score: str) -> str:
    return f"class.{label}.{score}"


def find_figure(name: object, figures: Figures, place: str) -> str:
    """The name of a figure; an InputError for an unknown one names those that are close to it."""
    if isinstance(name, str) and name in figures:
        return name
    wrong = unknown_choice(place, name, figures)
    hint = wrong.hint or f"Figures are named like {', '.join(HEADLINE)}, objects.ap, class.LABEL.f1."
    raise InputError("", place, f"there is no figure {wrong.problem.removesuffix(' is not known')}", hint)


def interval_column(name: str) -> str | None:
    """The name of an average or of content in `Intervals.figures`; None if there is none."""
    first, _, score = name.rpartition(".")
    *prefix, kind = first.split(".")
    if score not in SCORES or kind not in (*AVERAGES, "content"):
        return None
    if not prefix:
        return f"{kind}_{score}"
    return f"{kind}_{score}_{prefix[0]}" if len(prefix) == 1 and f"{prefix[0]}." in AVERAGE_KEYS else None


def interval_of(name: str, averages: Mapping[str, Ends], classes: Mapping[tuple[str, str], Ends]) -> Ends | None:
    """What intervals have of a figure, from {column: ends} and {(label, score): ends}; None if they have nothing."""
    if (column := interval_column(name)) is not None:
        return averages.get(column)
    return {class_figure(*key): ends for key, ends in classes.items()}.get(name)
