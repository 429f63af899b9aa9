"""Join the labels of gt and pred: label mapping, equal names, and the rows and columns of the matrix."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.handwritten import parse_yaml_or_json, read_yaml_or_json
from layoutcm.layouts.model import BACKGROUND, GT, PRED, SIDES, Finding, Layout, Positions, recode_labels
from layoutcm.layouts.validation import drop_background, is_background, is_ignore, set_labels_aside

TAXONOMIES = ("auto", "same", "different", "match-names")
SIMILARITY = 0.75  # from this ratio on, one name may be a misspelling of the other
NAMES_SHOWN, FEW_NAMES = 6, 3
# Rows and columns of a matrix: 32 MB. Label sets of real data have up to a few hundred labels on each side.
MOST_LABELS = 2000
MAX_COMPARED = 100  # comparing spellings is slow
# {"gt": {old: new}, "pred": {old: new}}, and {"preds": {model: {old: new}}} for single predictions
LabelMapping = Mapping[str, Mapping[str, Any]]
PREDS = "preds"
MAPPING_HINT = "Write {pred: {old label: new label}} and the same for gt; map to Background to drop a label."


def check_mapping(mapping: object, file: str) -> dict[str, dict[str, Any]]:
    """A copy of a `LabelMapping`; anything else raises InputError."""
    known = (*SIDES, PREDS)
    if not isinstance(mapping, Mapping) or not all(side in known for side in mapping):
        wrong = next((side for side in mapping if side not in known), None) if isinstance(mapping, Mapping) else mapping
        hint = f"Use the keys gt and pred, or preds for single predictions. {MAPPING_HINT}"
        raise InputError(file, "mapping", f"{short_repr(wrong)} is not a side", hint)
    checked = {side: _check_names(names, f"mapping.{side}", file) for side, names in mapping.items() if side in SIDES}
    if PREDS not in mapping:
        return checked
    models = mapping[PREDS]
    if not isinstance(models, Mapping) or not all(isinstance(model, str) for model in models):
        hint = "Write {preds: {name of the file without suffix: {old label: new label}}}."
        raise InputError(file, f"mapping.{PREDS}", f"{short_repr(models)} has no mapping for each prediction", hint)
    own = {model: _check_names(names, f"mapping.{PREDS}.{model}", file) for model, names in models.items()}
    return {**checked, PREDS: own}


def _check_names(names: object, place: str, file: str) -> dict[str, str]:
    """A copy of {old: new}."""
    if not isinstance(names, Mapping):
        raise InputError(file, place, f"{short_repr(names)} is not a mapping of labels", MAPPING_HINT)
    for old, new in names.items():
        if not isinstance(old, str) or not isinstance(new, str) or not new:
            problem = f"{short_repr(old)} becomes {short_repr(new)}, both must be label names"
            raise InputError(file, place, problem, f"Put names in quotes if need be. {MAPPING_HINT}")
    return dict(names)


def load_mapping(mapping: LabelMapping | str | os.PathLike[str] | None) -> LabelMapping | None:
    """A mapping of labels; a path is read as a YAML or JSON file.

    {"gt": {old: new}, "pred": {old: new}}. A mapping for several predictions may also have {"preds": {model: {old:
    new}}}, where a model is named as in the recipe: by its file without folder and suffix. See `mapping_for`.
    """
    if not isinstance(mapping, str | os.PathLike):
        return mapping
    return _check_loaded(read_yaml_or_json(mapping, "mapping"), str(mapping))


def mapping_for(mapping: LabelMapping | None, model: str) -> LabelMapping | None:
    """The mapping of one prediction: what it has under `preds`, and what is under `pred` for all its other labels."""
    if mapping is None or not isinstance(mapping, Mapping) or PREDS not in mapping:
        return mapping
    checked = check_mapping(mapping, "")
    own = checked.pop(PREDS).get(model, {})
    return {**checked, SIDES[PRED]: {**checked.get(SIDES[PRED], {}), **own}}


def model_name(layout: Layout) -> str:
    """The name of a layout in recipes, and under `preds` in a mapping: that of its file, without folder and suffix."""
    return PurePosixPath(layout.name).stem


def check_models(mapping: LabelMapping | None, models: Sequence[str], file: str) -> None:
    """Raise an InputError if the mapping has labels of a prediction that is not among `models`."""
    for model in (mapping or {}).get(PREDS, {}):
        check_choice(f"mapping.{PREDS}", model, models, file=file)


def parse_mapping(name: str, data: bytes) -> dict[str, dict[str, Any]]:
    return _check_loaded(parse_yaml_or_json(name, data, "mapping"), name)


def _check_loaded(loaded: object, name: str) -> dict[str, dict[str, Any]]:
    # An empty side is allowed, and so is an empty prediction.
    sides = {side: names or {} for side, names in loaded.items()} if isinstance(loaded, dict) else loaded
    if isinstance(sides, dict) and isinstance(sides.get(PREDS), dict):
        sides[PREDS] = {model: names or {} for model, names in sides[PREDS].items()}
    return check_mapping(sides, name)


def relabel(
    layout: Layout, mapping: Mapping[str, str], side: str, findings: list[Finding], known: Collection[str] = ()
) -> Layout:
    """The layout with renamed labels, and without those that become Background or Ignore. Adds to `findings`.

    Labels that are all among the `known` ones need no mapping, which was then written for other predictions.
    """
    findings += _unknown_label_findings(layout, mapping, side, all(label in known for label in layout.labels))
    if not mapping:
        return layout
    layout = rename_labels(_set_ignored_aside(layout, mapping, side, findings), mapping)
    before = len(layout.findings)
    layout = drop_background(layout)
    findings += layout.findings[before:]
    return replace(layout, findings=layout.findings[:before])


def rename_labels(layout: Layout, names: Mapping[str, str]) -> Layout:
    """The layout with other names of labels; several labels may become one."""
    if not names:
        return layout
    renamed = [str(names.get(label, label)) for label in layout.labels]
    labels = list(dict.fromkeys(renamed))
    recode = np.array([labels.index(name) for name in renamed], np.int32)
    regions = recode_labels(layout.region_columns, recode)
    dropped = layout.dropped and recode_labels(layout.dropped, recode)
    # The label ids of the file no longer apply.
    return replace(layout, labels=labels, region_columns=regions, label_keys={}, dropped=dropped)


def _set_ignored_aside(layout: Layout, mapping: Mapping[str, str], side: str, findings: list[Finding]) -> Layout:
    """The layout without the labels that are mapped to Ignore. In gt their regions are areas that are not judged."""
    ignored = labels_to_ignore(layout, mapping)
    if side != SIDES[PRED]:
        return set_labels_aside(layout, ignored)
    layout = set_labels_aside(replace(layout, ignore_areas=None), ignored)
    if layout.ignore_areas:
        findings.append(Finding("ignored-pred", len(layout.ignore_areas), {"file": layout.name}))
    return replace(layout, ignore_areas=None)


def labels_to_ignore(layout: Layout, mapping: Mapping[str, str]) -> list[str]:
    """The labels of the layout that are mapped to Ignore. One that has this name already is a label like any other."""
    return [label for label in layout.labels if label in mapping and is_ignore(mapping[label])]


def kept_rows(layout: Layout, mapping: Mapping[str, str]) -> Positions:
    """int64[regions]: the regions that stay after `relabel`: those whose label does not become Background or Ignore."""
    names = [mapping.get(label, label) for label in layout.labels]
    ignored = labels_to_ignore(layout, mapping)
    dropped = [i for i, name in enumerate(names) if is_background(name) or layout.labels[i] in ignored]
    return np.flatnonzero(~np.isin(layout.region_columns.label, dropped))


def _unknown_label_findings(layout: Layout, mapping: Mapping[str, str], side: str, all_known: bool) -> list[Finding]:
    """Findings on labels of the mapping that the layout does not have.

    A warning if the layout has a similar label, else only an info: one mapping may be used for several predictions.
    """
    unknown = [label for label in mapping if label not in layout.labels]
    free = {plain_spelling(label): label for label in layout.labels if label not in mapping and not all_known}
    near = {
        label: difflib.get_close_matches(plain_spelling(label), free, 1, SIMILARITY) for label in unknown[:MAX_COMPARED]
    }
    meant = {label: free[found[0]] for label, found in near.items() if found}
    others = [label for label in unknown if label not in meant]
    findings = []
    if meant:
        first = next(iter(meant))
        values = {"side": side, "file": layout.name, "first": first, "meant": meant[first]}
        findings.append(Finding("mapping-misspelt", len(meant), values))
    if others:
        findings.append(Finding("mapping-unused", len(others), {"side": side, "file": layout.name, "first": others[0]}))
    return findings


def unknown_target_findings(sides: Sequence[Layout], mappings: Sequence[Mapping[str, str]]) -> list[Finding]:
    """Findings on labels that are mapped to a name that the other side does not have, but a similar one."""
    findings = []
    for side, other in ((GT, PRED), (PRED, GT)):
        known = {*sides[other].labels, *mappings[other].values()}
        targets = dict.fromkeys(new for old, new in mappings[side].items() if old in sides[side].labels)
        unknown = [new for new in targets if new not in known and not is_ignore(new) and not is_background(new)]
        spelt = {plain_spelling(label): label for label in sides[other].labels}
        near = [(new, difflib.get_close_matches(plain_spelling(new), spelt, 1, SIMILARITY)) for new in unknown]
        meant = [(new, spelt[found[0]]) for new, found in near[:MAX_COMPARED] if found]
        if meant:
            values = {"side": SIDES[side], "other": SIDES[other], "first": meant[0][0], "meant": meant[0][1]}
            findings.append(Finding("mapping-target-misspelt", len(meant), values))
    return findings


def count_renamed_labels(layout: Layout, mapping: Mapping[str, str]) -> int:
    """The number of labels of the layout that the mapping renames, without those that it maps to Ignore."""
    ignored = labels_to_ignore(layout, mapping)
    return sum(mapping.get(label, label) != label for label in layout.labels if label not in ignored)


def match_similar_names(gt: Layout, pred: Layout) -> dict[str, str]:
    """{pred label: gt label} for names that differ only in case, blanks, hyphens, or singular and plural.

    Singular and plural are matched only if neither side uses both: they may be two labels. Exactly equal labels are not
    included.
    """
    by_spelling = [_labels_by(fold_name, side.labels) for side in (gt, pred)]
    by_singular = [_labels_by(plain_spelling, side.labels) for side in (gt, pred)]
    matched = {}
    for label in pred.labels:
        spelled = by_spelling[GT].get(fold_name(label), [])
        in_gt, in_pred = (side.get(plain_spelling(label), []) for side in by_singular)
        alike = spelled or (in_gt if len(in_gt) == len(in_pred) == 1 else [])
        if alike and label not in gt.labels:
            matched[label] = alike[0]
    return matched


def _labels_by(key: Callable[[str], str], labels: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for label in labels:
        if key(label):
            found.setdefault(key(label), []).append(label)
    return found


def fold_name(label: str) -> str:
    """The label in lower case, without blanks, hyphens and underscores."""
    return re.sub(r"[\s_\-]+", "", label).casefold()


def plain_spelling(label: str) -> str:
    """The label in lower case, without blanks, hyphens, underscores and a plural s."""
    plain = fold_name(label)
    return plain[:-1] if len(plain) > 3 and plain.endswith("s") and not plain.endswith("ss") else plain


def join_labels(
    gt: Layout, pred: Layout, taxonomy: str, mapped: bool, used: Sequence[set[str]] = ()
) -> tuple[LabelSpace, str]:
    """The label list of the matrix, and its kind: "same", "different" or "mapped".

    `used` are the labels of both sides on the pages that are compared, those of all pages unless given.
    """
    check_choice("taxonomy", taxonomy, TAXONOMIES)
    lists = (set(gt.labels), set(pred.labels)), tuple(used) or (gt.labels_in_use, pred.labels_in_use)
    one_has_all = any(own <= other or other <= own for own, other in lists)
    shared = taxonomy in ("same", "match-names") or (taxonomy == "auto" and one_has_all)
    _check_number_of_labels(gt, pred, shared)
    if shared:
        labels = (BACKGROUND, *dict.fromkeys((*gt.labels, *pred.labels)))
        position = {label: i for i, label in enumerate(labels)}
        gt_positions, pred_positions = (np.array([0, *map(position.__getitem__, side.labels)]) for side in (gt, pred))
        kind = "mapped" if mapped else "same"
        return LabelSpace(labels, gt_positions, pred_positions), kind
    labels = (BACKGROUND, *gt.labels, *pred.labels)
    gt_positions = np.arange(len(gt.labels) + 1)
    pred_positions = np.array([0, *range(len(gt.labels) + 1, len(labels))])
    return LabelSpace(labels, gt_positions, pred_positions, shared=False), "different"


def _check_number_of_labels(gt: Layout, pred: Layout, shared: bool) -> None:
    n = len({*gt.labels, *pred.labels}) if shared else len(gt.labels) + len(pred.labels)
    if n > MOST_LABELS:
        each = f"{len(gt.labels):,} in gt and {len(pred.labels):,} in pred"
        problem = f"{n:,} labels, {each}; at most {MOST_LABELS:,} can be compared"
        hint = "Check that the label column is not one of texts or ids, or map several labels to one."
        raise InputError(f"{gt.name}, {pred.name}", "labels", problem, hint)


def label_findings(sides: list[Layout], kind: str, wanted: str) -> list[Finding]:
    """Findings on labels that one side lacks; `kind` is how the labels relate, `wanted` what was asked for."""
    labels = [side.labels for side in sides]
    apart: list[Finding] = []
    used = all(len(side.region_columns) for side in sides)
    if used and not {*labels[GT]} & {*labels[PRED]} and wanted != "different":
        names = {side: (len(own), own[:NAMES_SHOWN]) for side, own in zip(SIDES, labels)}
        apart = [Finding("labels-disjoint", values=names)]
    if kind == "different":
        return [*apart, *_equal_name_findings(sides)]
    return apart or _one_sided_label_findings(sides)


def _one_sided_label_findings(sides: list[Layout]) -> list[Finding]:
    used = [side.labels_in_use for side in sides]
    findings = []
    for side, other in ((GT, PRED), (PRED, GT)):
        one_sided = [label for label in sides[side].labels if label in used[side] - used[other]]
        if one_sided and used[other]:
            values = {"names": one_sided[:NAMES_SHOWN], "declared": set(one_sided) <= set(sides[other].labels)}
            findings.append(Finding(f"label-only-in-{SIDES[side]}", len(one_sided), values))
    return findings


def _equal_name_findings(sides: list[Layout]) -> list[Finding]:
    alike = match_similar_names(sides[GT], sides[PRED])
    alike |= {name: name for name in sides[PRED].labels if name in sides[GT].labels}
    if not alike:
        return []
    first = {"pred": next(iter(alike)), "gt": next(iter(alike.values()))}
    others = [
        [name for name in side.labels if name not in known] for side, known in zip(sides, (alike.values(), alike))
    ]
    only = {f"only_{side}": (len(names), names[:FEW_NAMES]) for side, names in zip(SIDES, others)}
    return [Finding("equal-label-names", len(alike), {"labels": len(sides[PRED].labels), **first, **only})]


@dataclass(frozen=True, eq=False)
class LabelSpace:
    """The labels of a matrix, and the position of each side's labels in it (entry 0 is Background)."""

    labels: tuple[str, ...]
    gt_positions: NDArray[np.int64]
    pred_positions: NDArray[np.int64]
    shared: bool = True  # both sides use the same labels, so the diagonal has a meaning
