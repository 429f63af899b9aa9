"""The recipe of a comparison: the two files and every setting that changes its numbers, as fields and as one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from layoutcm import __version__
from layoutcm.alignment.align import Alignment, AlignmentOptions
from layoutcm.alignment.min_scores import MinScore, min_score_setting
from layoutcm.alignment.taxonomy import model_name
from layoutcm.layouts.model import GT, LETTERS, PRED, SIDES, Layout
from layoutcm.wording import one_line

# The names of settings of one side if neither side is the truth.
LETTER_NAMES = {
    **dict(zip(SIDES, LETTERS)),
    **{f"gt_{name}": f"{LETTERS[GT]}_{name}" for name in ("annotator", "fix")},
    **{name: f"{LETTERS[PRED]}_{name}" for name in ("annotator", "fix")},
}


@dataclass(frozen=True)
class Recipe:
    """{setting: value} in printing order, without the version; `version` is that of the layoutcm that was used."""

    fields: dict[str, str]
    version: str = __version__

    def without_truth(self) -> Recipe:
        """The same recipe for two sides that are called A and B."""
        return Recipe({LETTER_NAMES.get(name, name): value for name, value in self.fields.items()}, self.version)

    def with_version(self, **more: object) -> dict[str, str]:
        """The fields, then `more`, then the version; None leaves a setting out."""
        named = self.fields | _as_text(more)
        return {name: one_line(value) for name, value in named.items()} | {"version": f"v{self.version}"}

    def line(self, **more: object) -> str:
        """The fields as one line, "name:value|...|vVERSION". It is for people: no code parses it."""
        *settings, (_, version) = self.with_version(**more).items()
        return "|".join([*(f"{name}:{value}" for name, value in settings), version])


def make_recipe(
    gt: Layout, pred: Layout, alignment: Alignment, options: AlignmentOptions, rounding: str, min_score: MinScore
) -> Recipe:
    """The settings of a comparison; a setting that has no effect at its default value is left out."""
    documents = options.documents
    settings = {
        "gt": model_name(gt),
        "pred": model_name(pred),
        "pages": len(alignment.pages),
        "shapes": "polygon" if any(side.region_columns.shapes for side in (gt, pred)) else None,
        "outer_only": "+".join(name for name, side in zip(SIDES, (gt, pred)) if side.outer_only) or None,
        "rounding": rounding,
        "min_score": min_score_setting(min_score),
        "missing_pages": None if options.missing_pages == "penalise" else options.missing_pages,
        "documents": None if documents is None else documents if isinstance(documents, str) else "table",
        "taxonomy": "match-names" if options.taxonomy == "match-names" else alignment.taxonomy,
        "mapped_labels": alignment.mapped.renamed or None,
        "ignored_labels": alignment.mapped.ignored or None,
        "gt_annotator": gt.annotator or None,
        "annotator": pred.annotator or None,
        "gt_fix": "+".join(gt.repairs) or None,
        "fix": "+".join(pred.repairs) or None,
        "mapped_pages": (options.page_map and len(options.page_map.entries)) or None,
    }
    return Recipe(_as_text(settings))


def _as_text(settings: Mapping[str, object]) -> dict[str, str]:
    """The values as text, with the separator "|" replaced by "/"; None is left out."""
    return {name: str(value).replace("|", "/") for name, value in settings.items() if value is not None}
