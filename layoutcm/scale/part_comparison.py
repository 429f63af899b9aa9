"""The comparison in memory of one part, or of a few pages, with the labels and the matched pages of the plan.

Findings on single regions and pages are counted by every part, and summed. What must hold for all regions of a side is
counted by every part, too, and is a finding if it holds in all: the same regions on both sides, scores on all of gt.
Whether all scores are equal is not looked for. Whether pred fits better if it is read in another way, or shows other
pages, is looked for in the part with the most regions; a comparison in memory looks at a sample of pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from layoutcm.alignment.align import Alignment, PairedPages, align, gt_without_low_scores
from layoutcm.alignment.checks import below_threshold, check_layout, check_pair, count_same_regions
from layoutcm.alignment.likely_mistakes import FEWEST_REGIONS
from layoutcm.alignment.page_matching import PageMatches
from layoutcm.comparison import Comparison, comparison_in_memory
from layoutcm.errors import InputError
from layoutcm.formats.joined_files import join_layouts
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Layout, Positions
from layoutcm.layouts.stored_facts import StoredFinding, stored_findings, usable_findings
from layoutcm.lazy import pa, pc
from layoutcm.pixels.counting import count_pairs
from layoutcm.scale.part_files import sum_findings
from layoutcm.scale.plan import PLAN_FILE, Plan, PlanFacts
from layoutcm.scale.storage import name_of

Sides = tuple[Layout, Layout]


def part_comparison(plan: Plan, part: int) -> Comparison:
    """The comparison of one part."""
    table = plan.page_table(part)
    gt, pred = (plan.read_side(part, side) for side in (GT, PRED))
    facts = plan.facts.parts[part]
    return _compare(plan, (gt, pred), table, (name_of(facts.gt), name_of(facts.pred)))


def comparison_of_few(plan: Plan, places: Mapping[int, Positions]) -> Comparison:
    """The comparison of a few pages, {part: ascending positions in its list of pages}. Only their regions are read."""
    tables, layouts = [], []
    before = np.zeros(2, np.int64)  # pages of both sides in the parts before
    for part, positions in places.items():
        table = plan.page_table(part).take(positions)
        given = [np.unique(own[own >= 0]) for own in (_positions(table, name) for name in SIDES)]
        sides = [plan.read_side(part, side, own) for side, own in enumerate(given)]
        layouts.append(sides)
        tables.append(_at(table, given, before))
        before += [len(side.page_columns) for side in sides]
    gt, pred = (join_layouts(plan.facts.sides[side].name, [one[side] for one in layouts]) for side in (GT, PRED))
    return _compare(plan, (gt, pred), pa.concat_tables(tables).unify_dictionaries(), (gt.name, pred.name))


def _at(table: pa.Table, given: Sequence[Positions], before: Positions) -> pa.Table:
    """The list of pages with their positions among the pages that were read."""
    for name, own, start in zip(SIDES, given, before):
        old = _positions(table, name)
        new = np.where(old >= 0, np.searchsorted(own, old) + start, -1)
        table = table.set_column(table.column_names.index(name), name, [new.astype(np.int32)])
    return table


def _compare(plan: Plan, sides: Sides, table: pa.Table, files: tuple[str, str]) -> Comparison:
    """The comparison of the layouts of two files on the listed pages, in the order of the list."""
    gt, pred = sides
    sources = (_positions(table, "gt"), _positions(table, "pred"))
    for side in (GT, PRED):
        _check_names(sides[side], sources[side], _names(table, side), files[side])
    partner = np.full(len(gt.page_columns), -1)
    how = np.zeros(len(partner), np.int8)
    has = sources[GT] >= 0
    partner[sources[GT][has]], how[sources[GT][has]] = sources[PRED][has], table["how"].to_numpy()[has]
    paired: PairedPages = (sources, PageMatches(partner, how), [])
    alignment = align(gt, pred, plan.options, paired)
    if not plan.facts.truth and plan.min_score is not None:
        alignment = align(gt_without_low_scores(gt, alignment, plan.min_score), pred, plan.options, paired)
    documents = table["document"].cast(pa.string()).to_pylist()
    pages = replace(alignment.pages, names=tuple(table["page"].to_pylist()), documents=tuple(documents))
    alignment = replace(alignment, pages=pages)
    how_counted = plan.facts.rounding, plan.min_score
    counts = count_pairs(alignment, *how_counted, 1, None)
    return comparison_in_memory(alignment, counts, *how_counted, plan.recipe, 1, plan.facts.truth)


def _positions(table: pa.Table, name: str) -> Positions:
    return table[name].to_numpy().astype(np.int64)


def _names(table: pa.Table, side: int) -> list[str]:
    """The names of the pages on one side, where it has them."""
    return (table["page"] if side == GT else pc.coalesce(table["pred_page"], table["page"])).to_pylist()


def _check_names(layout: Layout, rows: Positions, names: Sequence[str], file: str) -> None:
    """Raise an InputError if a side has other pages than the plan lists."""
    found = layout.page_columns.names
    has = np.flatnonzero(rows >= 0).tolist()
    if rows.max(initial=-1) >= len(found) or any(found[rows[i]] != names[i] for i in has):
        problem = "its pages are not those that the plan lists"
        raise InputError(file, "", problem, "Write the manifest again, and start in another folder.")


BOTH = "both"
# {code: what the message names as the number of all}; findings of other codes do not add up
ADDED = {
    "coarse-page": "pages",
    "empty-page": "pages",
    "duplicate-box": "",
    "score-missing": "regions",
    "scaled-page": "",
    "page-without-pred": "pages",
    "background-region": "",
    "ignored-pred": "",
    "below-min-score": "regions",
}
SAME, SCORED = "same-regions", "truth-with-scores"  # counted in regions of gt, and findings only if all are
PartFindings = dict[str, list[StoredFinding]]


def findings_of_part(plan: Plan, part: int, comparison: Comparison) -> PartFindings:
    """{"gt", "pred", "both": findings} of the regions and pages of a part; only findings that add up."""
    alignment = comparison.alignment
    found = {
        **{name: _of_side(plan, side, alignment.layouts[side]) for side, name in enumerate(SIDES)},
        BOTH: [*alignment.findings, *below_threshold(alignment.layouts[PRED], comparison.min_score)],
    }
    kept = {side: [one for one in own if one.code in ADDED] for side, own in found.items()}
    kept[BOTH] += of_all_regions(alignment)
    if part == plan.largest_part:
        kept[BOTH] += check_pair(alignment)
    return {side: stored_findings(own, plan.facts.parts[part].name) for side, own in kept.items() if own}


def of_all_regions(alignment: Alignment) -> list[Finding]:
    """How many regions of gt a part has for which a finding holds that has to hold for all regions of the set."""
    gt = alignment.layouts[GT]
    found = {SAME: count_same_regions(alignment), SCORED: int(np.isfinite(gt.region_columns.scores).sum())}
    return [Finding(code, count, {"file": gt.name} if code == SCORED else {}) for code, count in found.items() if count]


def _of_side(plan: Plan, side: int, layout: Layout) -> list[Finding]:
    regions = len(layout.region_columns)
    found = check_layout(layout) if regions else []
    if plan.facts.sides[side].has_scores and regions and not layout.has_scores:  # other parts have some
        found.append(Finding("score-missing", regions, {"file": layout.name, "regions": regions}))
    return found


def merge_findings(parts: Sequence[Mapping[str, Sequence[StoredFinding]]]) -> PartFindings:
    """One finding of each code: counts are added, all else is that of the first part."""
    sides = dict.fromkeys(side for part in parts for side in part)
    of_side = lambda side: [one for part in parts for one in part.get(side, ())]
    return {side: sum_findings(of_side(side), msgspec.structs.replace) for side in sides}


def findings_of_set(
    plan: Plan, merged: Mapping[str, Sequence[StoredFinding]], pixels: float, ignored: float
) -> dict[str, tuple[Finding, ...]]:
    """The findings of all parts by side: those of reading and of the plan, then those that parts have counted."""
    hidden = Finding("ignored-pixels", math.ceil(ignored), {"pixels": math.ceil(pixels + ignored)})
    before: dict[str, list[Finding]] = {
        name: usable_findings(side.findings).with_note(PLAN_FILE) for name, side in zip(SIDES, plan.facts.sides)
    }
    facts = plan.facts
    gt, pred = facts.sides
    before[BOTH] = [*([hidden] if ignored else []), *plan.findings]
    for name, own in zip(SIDES, facts.sides):
        before[name] += [] if own.regions else [Finding("empty-side", values={"file": own.name})]
    found = {side: list(usable_findings(merged.get(side, ())).findings) for side in before}
    hold = {one.code for one in found[BOTH] if one.code in (SAME, SCORED) and one.count == gt.regions}
    found[BOTH] = [one for one in found[BOTH] if one.code not in (SAME, SCORED)]
    if SAME in hold and pred.regions == gt.regions >= FEWEST_REGIONS:
        before[BOTH].insert(0, Finding(SAME, gt.regions))
    if SCORED in hold and facts.truth:
        swapped = pred.regions and not pred.has_scores
        scored = Finding("sides-swapped", values={"gt": gt.name, "pred": pred.name}) if swapped else Finding(
            SCORED, values={"file": gt.name})  # fmt: skip
        before[BOTH if swapped else SIDES[GT]].append(scored)
    return {side: (*own, *(_of_all(one, side, facts) for one in found[side])) for side, own in before.items()}


def _of_all(finding: Finding, side: str, facts: PlanFacts) -> Finding:
    """The finding with the number of all pages or regions instead of those of its part."""
    what = ADDED.get(finding.code)
    if not what:
        return finding
    of_side = facts.sides[GT if side == SIDES[GT] else PRED]
    every = {"pages": facts.pages if side == BOTH else of_side.pages, "regions": of_side.regions}[what]
    severity = "error" if finding.code == "below-min-score" and finding.count == every else ""
    return replace(finding, values={**finding.values, what: every}, severity=severity)
