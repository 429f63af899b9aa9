"""The chips of the bar on top: one for every choice in force that changes numbers, or what is shown, on all pages.

`CHIPS` is the one list of them: choice -> the chips of its value. A chip has its text, and the choices that remove it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from layoutcm.ui import choices, session
from layoutcm.ui.choice_rules import mapping_from_text
from layoutcm.ui.family_choice import OWN, TITLES
from layoutcm.wording import threshold_text

MOST_NAMES = 3  # of labels in the text of a chip


@dataclass(frozen=True)
class Chip:
    key: str
    text: str
    changes: dict[str, Any]  # the choices that remove it


def _one(name: str, text: Callable[[Any], str]) -> Callable[[Any], list[Chip]]:
    """A choice with one chip, which sets it to its default."""
    return lambda value: [Chip(name, text(value), {name: getattr(choices.DEFAULTS, name)})]


def _scope(level: str) -> list[Chip]:
    name = choices.value_of(level)
    return [Chip("level", f"on Errors, Measures: {level} {name}" if name else level, {"level": "set"})]


def _labels(names: choices.Names) -> str:
    more = len(names) - MOST_NAMES
    shown = ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"labels: {shown} (not on Models)"


def _label_scores(texts: choices.Names) -> list[Chip]:
    """A chip for every label with a threshold of its own, also for one that the files do not have."""
    split = [text.partition("=") for text in texts]
    rest = lambda text: tuple(other for other in texts if other != text)
    return [
        Chip(f"score_{label}", f"score of {label} ≥ {score}", {"label_scores": rest(text)})
        for text, (score, _, label) in zip(texts, split)
    ]


def _repairs(texts: choices.Names) -> list[Chip]:
    """A chip for every repair; a prediction is named by its file."""
    names = {"gt": session.side_names()[0], **{str(k): name for k, name in enumerate(session.pred_names())}}
    split = [text.partition("=") for text in texts]
    return [
        Chip(f"repair_{k}", f"repair of {names.get(side, side)}: {repair}", {"fixes": texts[:k] + texts[k + 1 :]})
        for k, (side, _, repair) in enumerate(split)
    ]


def _attribute(text: str) -> list[Chip]:
    """Without its attribute, a set of pages has nothing to be compared with."""
    return [Chip("attribute", f"on Errors: {text.replace('=', ' ', 1)}", {"attribute": "", "versus": ""})]


def _mapping(text: str) -> str:
    return "own label mapping" if mapping_from_text(text) else "label mapping of the files not used"


CHIPS: dict[str, Callable[[Any], list[Chip]]] = {
    "level": _scope,
    "labels": _one("labels", _labels),
    "attribute": _attribute,
    "versus": _one("versus", lambda text: f"on Errors against: {text.replace('=', ' ', 1)}"),
    "has_label": _one("has_label", lambda label: f"on Errors: pages with {label}"),
    "cause": _one("cause", lambda cause: f"on Errors: pages with the cause {cause}"),
    "min_score": _one("min_score", lambda score: f"score ≥ {threshold_text(score)}"),
    "label_scores": _label_scores,
    "truth": _one("truth", lambda _: "no truth: A and B"),
    "mapping": _one("mapping", _mapping),
    "fixes": _repairs,
    "families": _one("families", lambda tree: f"families: {TITLES.get(tree, OWN)}"),
    "method": _one("method", lambda method: f"method: {method}"),
    "rounding": _one("rounding", lambda rounding: f"rounding: {rounding}"),
    "missing_pages": _one("missing_pages", lambda rule: f"missing pages: {rule}"),
    "taxonomy": _one("taxonomy", lambda taxonomy: f"taxonomy: {taxonomy}"),
}


def chips_in_force() -> list[Chip]:
    """The chips of all choices that are not at their default."""
    differing = [name for name in CHIPS if choices.value_of(name) != getattr(choices.DEFAULTS, name)]
    return [chip for name in differing for chip in CHIPS[name](choices.value_of(name))]


def remove(chip: Chip) -> None:
    choices.put(**chip.changes)
