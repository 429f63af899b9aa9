"""Decide how two sets of parts are compared, before the first page is counted, and write the plan."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import msgspec
import numpy as np

from layoutcm import __version__
from layoutcm.alignment.align import MISSING_PAGES, Alignment, AlignmentOptions, align
from layoutcm.alignment.min_scores import MinScore, check_named_labels, checked_min_score
from layoutcm.alignment.recipe import make_recipe
from layoutcm.alignment.taxonomy import LabelMapping, check_mapping, load_mapping, mapping_for, model_name
from layoutcm.errors import InputError, check_choice, unknown_choice
from layoutcm.formats import SHAPES
from layoutcm.layouts.model import GT, PRED, ROUNDINGS, SIDES, Finding
from layoutcm.layouts.page_maps import PageMapLike, load_page_map
from layoutcm.layouts.repairs import REPAIRS, is_repair, repair
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE, stored_findings
from layoutcm.lazy import pa, pq
from layoutcm.scale import storage
from layoutcm.scale.manifest import Manifest, label_layout, part_mark
from layoutcm.scale.page_pairs import Cut, PagePairs, cut_anew, find_cut, pair_set_pages
from layoutcm.scale.part_counts import read_counts
from layoutcm.scale.part_files import read_part, unknown_label
from layoutcm.scale.partitions import part_name
from layoutcm.scale.plan import (
    CUT_FOLDER,
    PLAN_FILE,
    RESULT_FILE,
    TOTAL_FILE,
    VERSION,
    Plan,
    PlanFacts,
    PlanPart,
    PlanSide,
    StoredPlan,
    plan_digest,
    read_plan,
)
from layoutcm.scale.storage import Place

OWN_FOLDERS = ("plan", CUT_FOLDER, "counts", "pages", "scores", "causes")  # of a result
MISSING_LABELS = ("error", "add")
Phase = Callable[[str], None]  # called when a step begins, with its name
PAGE_BY_PAGE = (
    "flip-y",
    "swap-xy",
    "swap-shares",
    "unit",
    "scale",
    "xywh",
    "xyxy",
    "corner",
    "centre",
    "ids",
)  # repairs that parts can have
CHECKED_AT_ONCE = 16  # parts of a storage whose ends are read at the same time
NAMES_SHOWN = 6


class PlanOptions(NamedTuple):
    """The options of a comparison of parts; most are those of `layoutcm.compare`."""

    rounding: str = "outer"
    min_score: MinScore = None
    missing_pages: str = "penalise"
    taxonomy: str = "auto"
    mapping: LabelMapping | str | os.PathLike[str] | None = None
    pages: PageMapLike = None
    shapes: str = "box"
    fix_gt: str | Sequence[str] = ""  # repairs; in a text they are separated by commas
    fix: str | Sequence[str] = ""  # those of pred
    missing_labels: str = "error"
    why: bool = False
    truth: bool = True

    @property
    def repairs(self) -> tuple[str, str]:
        """The repairs of gt and of pred, separated by commas."""
        gt, pred = (given if isinstance(given, str) else ",".join(given) for given in (self.fix_gt, self.fix))
        return gt, pred

    @property
    def alignment(self) -> AlignmentOptions:
        """For `align`; the mapping was loaded before."""
        assert not isinstance(self.mapping, str | os.PathLike)
        return AlignmentOptions(self.missing_pages, self.taxonomy, self.mapping)


def plan_options(given: Mapping[str, Any]) -> PlanOptions:
    """The options with these names; an InputError for any other name."""
    for name in given:
        check_choice("option", name, PlanOptions._fields)
    return PlanOptions(**given)


def make_plan(gt: Manifest, pred: Manifest, out: Place, options: PlanOptions, phase: Phase = lambda text: None) -> Plan:
    """Decide how the two sets are compared, and write the plan; a folder with the same plan is not changed."""
    options = _checked(options, model_name(label_layout(pred)))
    _check_output((gt, pred), out)
    found = [_checked_parts(one, options) for one in (gt, pred)]
    labels = [one.labels for one in found]
    named = [label_layout(side, labels=own) for side, own in zip((gt, pred), labels)]
    gt_labels, pred_labels = (repair(one, names) if names else one for one, names in zip(named, options.repairs))
    alignment = align(gt_labels, pred_labels, options.alignment)
    names = dict.fromkeys(label for one in alignment.layouts for label in one.labels)
    check_named_labels(options.min_score, list(names))
    pairs = pair_set_pages(gt, pred, options.missing_pages, load_page_map(options.pages))
    cut = find_cut(gt, pred, pairs)
    facts = _facts((gt, pred), found, options, alignment, pairs, cut, str(out))
    plan = Plan(str(out), facts, plan_digest(facts), (out, *gt.folders, *pred.folders))
    if not _is_written(plan):
        if cut.anew:
            phase("cutting")
            cut_anew(pred, labels[PRED], out, cut, options.shapes)
        _write_lists(plan, pairs, cut)
        storage.write_bytes(
            plan.place(PLAN_FILE), msgspec.json.format(msgspec.json.encode(StoredPlan(plan.digest, facts)))
        )
    return plan


def _check_output(sets: Sequence[Manifest], out: Place) -> None:
    """Raise an InputError if the result would be among the files of a set, or would replace some of them."""
    for folder in {storage.folder_of(one.part_place(part)) for one in sets for part in range(len(one.facts.parts))}:
        if storage.is_below(out, folder):
            problem = f"this is inside the input {folder}, whose files are all read"
            raise InputError(str(out), "", problem, "Choose a place outside of it.")
        if storage.relative_to(folder, out).partition("/")[0] in OWN_FOLDERS:
            problem = f"files of the result would replace those of the input {folder}"
            raise InputError(str(out), "", problem, "Choose another folder.")


def _is_written(plan: Plan) -> bool:
    """Whether the folder has this plan already; an InputError if it has another one."""
    if not storage.exists(plan.place(PLAN_FILE)):
        _check_foreign_result(plan)
        return False
    before = read_plan(plan.folder)
    if before.digest == plan.digest:
        return True
    other = [name for name in PlanFacts.__struct_fields__ if getattr(before.facts, name) != getattr(plan.facts, name)]
    problem = f"the folder has the results of another comparison, which differs in {', '.join(other)} of {PLAN_FILE}"
    raise InputError(plan.folder, "", problem, "Choose another folder, or delete this one.")


def _check_foreign_result(plan: Plan) -> None:
    """Raise an InputError if a folder without a plan has a result that this comparison would replace.

    Someone may have deleted the plan of an own result, which has its sums beside it.
    """
    there = [name for name in (RESULT_FILE, DOCUMENTS_FILE) if storage.exists(plan.place(name))]
    if not there:
        return
    try:
        read_counts(plan.place(TOTAL_FILE))
    except InputError:
        problem = f"the folder has {there[0]}, which compare-parts has not written"
        raise InputError(plan.folder, "", problem, "Choose another folder.") from None


def _checked(options: PlanOptions, model: str) -> PlanOptions:
    check_choice("rounding", options.rounding, ROUNDINGS)
    check_choice("missing_pages", options.missing_pages, MISSING_PAGES)
    check_choice("missing_labels", options.missing_labels, MISSING_LABELS)
    check_choice("shapes", options.shapes, SHAPES)
    if options.why and not options.truth:
        hint = "Leave out why (--why), or give a ground truth (leave out --no-truth)."
        raise InputError("", "why", "causes and score curves need a ground truth", hint)
    for side, names in zip(SIDES, options.repairs):
        for name in filter(None, names.split(",")):
            if not is_repair(name):
                raise unknown_choice("fix", name, REPAIRS)
            if name.partition(":")[0] not in PAGE_BY_PAGE:
                problem = f"the repair {name!r} needs all pages of {side} at once"
                raise InputError("", "fix", problem, "Repair the layout before it is partitioned.")
    given = os.fspath(options.mapping) if isinstance(options.mapping, os.PathLike) else options.mapping
    mapping = check_mapping(mapping_for(load_mapping(given), model) or {}, "")
    return options._replace(min_score=checked_min_score(options.min_score), mapping=mapping)


class CheckedParts(NamedTuple):
    """What was found in the parts of a side: all labels, a digest of manifest and parts, and added labels."""

    labels: list[str]
    digest: str
    findings: list[Finding]


def _checked_parts(side: Manifest, options: PlanOptions) -> CheckedParts:
    """Read every part that has changed since its manifest was written, before anything is counted.

    With changed parts the plan has another digest, so new counts are never mixed with those of the old parts.
    """
    count = range(len(side.facts.parts))
    with ThreadPoolExecutor(CHECKED_AT_ONCE) as pool:
        marks = list(pool.map(lambda part: part_mark(side.part_place(part)), count))
        found = list(pool.map(lambda part: _new_labels(side, part, marks[part], options), count))
    new = dict.fromkeys(label for one in found for label in one)
    if new and options.missing_labels == "error":
        part = next(i for i, one in enumerate(found) if one)
        raise unknown_label(side.part_place(part), found[part][0])
    values = {"file": side.facts.name, "names": list(new)[:NAMES_SHOWN]}
    digest = storage.digest_of(repr([side.digest, *marks]).encode())
    added = [Finding("label-added", len(new), values)] if new else []
    return CheckedParts([*side.facts.labels, *new], digest, added)


def _new_labels(side: Manifest, part: int, mark: tuple[int, str], options: PlanOptions) -> list[str]:
    """The labels of a part that the manifest does not have; [] for a part that has not changed."""
    facts, place = side.facts.parts[part], side.part_place(part)
    if mark == (facts.bytes, facts.footer):
        return []
    layout = read_part(place, options.shapes)
    if layout.format != side.facts.format:
        problem = f"this part is {layout.format}, and the manifest says {side.facts.format}"
        raise InputError(storage.name_of(place), "", problem, "Convert it: the parts of a set have one format.")
    new = [label for label in layout.labels if label in layout.labels_in_use and label not in side.facts.labels]
    rows = side.page_table(["page", "part"])
    names = rows.filter(np.equal(rows["part"].to_numpy(), part))["page"].to_pylist()
    if list(layout.page_columns.names) != names and not (new and options.missing_labels == "error"):
        problem = "its pages are not those that the manifest lists"
        raise InputError(storage.name_of(place), "", problem, "Write the manifest again (layoutcm manifest).")
    return new


def _facts(
    sides: Sequence[Manifest],
    checked: Sequence[CheckedParts],
    options: PlanOptions,
    alignment: Alignment,
    pairs: PagePairs,
    cut: Cut,
    out: str,
) -> PlanFacts:
    chosen = options.alignment._replace(page_map=load_page_map(options.pages))
    recipe = make_recipe(*alignment.layouts, alignment, chosen, options.rounding, options.min_score)
    fields = recipe.fields | {"pages": str(len(pairs.how))} | {name: one.facts.name for name, one in zip(SIDES, sides)}
    fields |= {"shapes": "polygon"} if options.shapes == "polygon" else {}
    taxonomy = options.taxonomy
    if taxonomy == "auto":
        taxonomy = "same" if alignment.space.shared else "different"
    in_parts = pairs.parts_of_documents
    score = options.min_score
    # Other findings of the alignment are about its only page and its few regions.
    others = ("page-", "scaled-page", "documents-", "ignored-pred", "background-region")
    found = (*(one for one in alignment.findings if not one.code.startswith(others)), *pairs.findings)
    return PlanFacts(
        VERSION,
        __version__,
        [
            PlanSide(
                one.facts.name,
                one.facts.format,
                storage.relative_to(one.place, out),
                now.digest,
                now.labels,
                one.pages,
                one.regions,
                repairs,
                one.facts.has_scores,
                stored_findings([*one.findings, *now.findings], PLAN_FILE),
            )
            for one, now, repairs in zip(sides, checked, options.repairs)
        ],
        options.rounding,
        sorted(score.items(), key=str) if isinstance(score, Mapping) else score,
        options.missing_pages,
        taxonomy,
        alignment.taxonomy,
        {side: dict((options.alignment.mapping or {}).get(side, {})) for side in SIDES},
        options.shapes,
        options.why,
        fields,
        stored_findings(found, PLAN_FILE),
        pairs.matched(),
        pairs.only_in,
        len(pairs.how),
        int((in_parts > 0).sum()),
        int((in_parts > 1).sum()),
        _page_digest(pairs, cut),
        _plan_parts(sides, pairs, cut, out),
        options.truth,
        _frame(sides[GT]) if (pairs.rows[GT] < 0).any() else None,
    )


def _frame(gt: Manifest) -> tuple[float, float]:
    """The median width and height of the pages of gt."""
    table = gt.page_table(["width", "height"])
    return float(np.median(table["width"].to_numpy())), float(np.median(table["height"].to_numpy()))


def _plan_parts(sides: Sequence[Manifest], pairs: PagePairs, cut: Cut, out: str) -> list[PlanPart]:
    pages = np.bincount(pairs.part, minlength=len(sides[GT].facts.parts)).tolist()
    found = []
    for number, (count, pred_part) in enumerate(zip(pages, cut.pred_part.tolist())):
        pred = storage.relative_to(sides[PRED].part_place(pred_part), out) if pred_part >= 0 and not cut.anew else ""
        if cut.anew and pred_part >= 0:
            pred = f"{CUT_FOLDER}/{part_name(number)}.parquet"
        gt = storage.relative_to(sides[GT].part_place(number), out)
        found.append(PlanPart(part_name(number), gt, pred, count, int(cut.regions[number])))
    return found


def _page_digest(pairs: PagePairs, cut: Cut) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for column in (pairs.part, *pairs.rows, *cut.positions, pairs.how):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


def _write_lists(plan: Plan, pairs: PagePairs, cut: Cut) -> None:
    """Write the pages of each part."""
    codes, texts = pairs.documents
    table = pa.table(
        {
            "page": pairs.names,
            "pred_page": pairs.pred_names,
            "document": pa.DictionaryArray.from_arrays(codes, pa.array(texts, pa.string())),
            **{side: column.astype(np.int32) for side, column in zip(SIDES, cut.positions)},
            "how": pairs.how,
            **{f"{side}_part": column.astype(np.int32) for side, column in zip(SIDES, cut.own_parts)},
            "split": pairs.parts_of_documents[codes] > 1,
        }
    )
    ends = np.searchsorted(pairs.part, np.arange(len(plan.facts.parts) + 1)).tolist()
    column = table.column_names.index("document")
    for number in range(len(plan.facts.parts)):
        part = table.slice(ends[number], ends[number + 1] - ends[number])
        own = part["document"].cast(pa.string())  # else every part would have the names of all documents
        with storage.open_output(plan.list_place(number)) as file:
            pq.write_table(part.set_column(column, "document", own), file, write_page_checksum=True)
