"""The headline numbers of a result with all that one needs to quote them: recipe, version, digests of the inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from layoutcm.alignment.recipe import Recipe
from layoutcm.errors import InputError
from layoutcm.layouts.model import SIDES
from layoutcm.tables.averages import figure_title
from layoutcm.tables.named_figures import find_figure, interval_column, interval_of, named_figures
from layoutcm.wording import score_text

OF_PIXELS = ("micro.f1", "macro.f1", "weighted.f1", "content.f1", "right")
OF_OBJECTS = ("objects.ap", "objects.pq")
SHOWN_DIGITS = 12  # of a digest, in a quotation
TITLES = {"right": "share of right label pixels", "objects.ap": "AP", "objects.pq": "panoptic quality"}


def headline_records(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """One record per headline number: figure, value, recipe, version, and the digests of both inputs."""
    figures = named_figures(result)
    return [
        {
            "figure": name,
            "value": figures[name],
            "recipe": _recipe_of(name, result),
            "version": result["version"],
            **{f"{side}_digest": _digest(result["inputs"][side]) for side in SIDES},
        }
        for name in (*OF_PIXELS, *OF_OBJECTS)
    ]


def _recipe_of(name: str, result: Mapping[str, Any]) -> str:
    """The recipe of a figure; that of objects says whether they are boxes or masks instead of how pixels count."""
    if not name.startswith("objects.") or not result["objects"]:
        return str(result["recipe"])
    fields = {key: value for key, value in result["recipe_fields"].items() if key not in ("version", "method")}
    return Recipe(fields, result["version"]).line(objects=result["objects"]["shapes"])


def _digest(facts: Mapping[str, Any]) -> str | None:
    """The digest of an input: of its files, or of the manifest of its parts; None if it was made in memory."""
    found = facts.get("sha256") or facts.get("manifest")
    return None if found is None else str(found)


def quotation(result: Mapping[str, Any], name: str) -> str:
    """'macro F1 0.810 (0.770 – 0.845); gt.json sha256 1a2b…, model-a.json sha256 3c4d…; gt:gt|pred:model-a|…|v1.0.0'"""
    figures = named_figures(result)
    value = figures[find_figure(name, figures, "figure")]
    if value is None:
        raise InputError("", name, "it is not defined in this result", "Quote another figure.")
    inputs = ", ".join(_input_text(result["inputs"][side]) for side in SIDES)
    return f"{_title(name)} {score_text(value)}{_interval_text(result, name)}; {inputs}; {_recipe_of(name, result)}"


def _title(name: str) -> str:
    column = interval_column(name)
    return TITLES.get(name) or (figure_title(column) if column else name)


def _input_text(facts: Mapping[str, Any]) -> str:
    digest = _digest(facts)
    return f"{facts['name']} {'in memory' if digest is None else f'sha256 {digest[:SHOWN_DIGITS]}'}"


def _interval_text(result: Mapping[str, Any], name: str) -> str:
    """The interval of an average, of content or of a label, if the result has intervals."""
    stored = result.get("intervals") or {}
    averages = {row["figure"]: (row["low"], row["high"]) for row in stored.get("headline") or ()}
    classes = {(row["label"], row["score"]): (row["low"], row["high"]) for row in stored.get("classes") or ()}
    low, high = interval_of(name, averages, classes) or (None, None)
    return "" if low is None or high is None else f" ({score_text(low)} – {score_text(high)})"
