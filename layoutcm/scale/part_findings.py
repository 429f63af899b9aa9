"""Findings on single regions and pages of a comparison of parts: counted by every part, and summed.

What must hold for all regions of a side, such as equal scores, is not looked for. Whether pred fits better if it is
read in another way is looked for in the part with the most regions; a comparison in memory looks at a sample of pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec

from layoutcm.alignment.checks import below_threshold, check_layout, check_pair
from layoutcm.comparison import Comparison
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Layout
from layoutcm.layouts.stored_facts import StoredFinding, stored_findings, usable_findings
from layoutcm.scale.plan import PLAN_FILE, Plan, PlanFacts

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
PartFindings = dict[str, list[StoredFinding]]


def findings_of_part(plan: Plan, part: int, comparison: Comparison) -> PartFindings:
    """{"gt", "pred", "both": findings} of the regions and pages of a part, those that add up."""
    alignment = comparison.alignment
    found = {
        **{name: _of_side(plan, side, alignment.layouts[side]) for side, name in enumerate(SIDES)},
        BOTH: [*alignment.findings, *below_threshold(alignment.layouts[PRED], comparison.min_score)],
    }
    kept = {side: [one for one in own if one.code in ADDED] for side, own in found.items()}
    if part == plan.largest_part:
        kept[BOTH] += check_pair(alignment)
    return {side: stored_findings(own, plan.facts.parts[part].name) for side, own in kept.items() if own}


def _of_side(plan: Plan, side: int, layout: Layout) -> list[Finding]:
    regions = len(layout.region_columns)
    found = check_layout(layout) if regions else []
    if plan.facts.sides[side].has_scores and regions and not layout.has_scores:  # other parts have some
        found.append(Finding("score-missing", regions, {"file": layout.name, "regions": regions}))
    return found


def merge_findings(parts: Sequence[Mapping[str, Sequence[StoredFinding]]]) -> PartFindings:
    """One finding of each code: counts are added, all else is that of the first part."""
    merged: dict[str, dict[tuple[str, str], StoredFinding]] = {}
    for part in parts:
        for side, findings in part.items():
            own = merged.setdefault(side, {})
            for one in findings:
                before = own.get((one.code, one.repair))
                count = one.count + (before.count if before else 0)
                own[one.code, one.repair] = msgspec.structs.replace(before or one, count=count)
    return {side: list(own.values()) for side, own in merged.items()}


def findings_of_set(
    plan: Plan, merged: Mapping[str, Sequence[StoredFinding]], pixels: float, ignored: float
) -> dict[str, tuple[Finding, ...]]:
    """As `Comparison.findings_by_side`: those of reading and of the plan, then those that parts have counted."""
    hidden = Finding("ignored-pixels", math.ceil(ignored), {"pixels": math.ceil(pixels + ignored)})
    before: dict[str, list[Finding]] = {
        name: usable_findings(side.findings).with_note(PLAN_FILE) for name, side in zip(SIDES, plan.facts.sides)
    }
    before[BOTH] = [*([hidden] if ignored else []), *plan.findings]
    return {
        side: (*own, *(_of_all(one, side, plan.facts) for one in usable_findings(merged.get(side, ())).findings))
        for side, own in before.items()
    }


def _of_all(finding: Finding, side: str, facts: PlanFacts) -> Finding:
    """The finding with the number of all pages or regions instead of those of its part."""
    what = ADDED.get(finding.code)
    if not what:
        return finding
    of_side = facts.sides[GT if side == SIDES[GT] else PRED]
    every = {"pages": facts.pages if side == BOTH else of_side.pages, "regions": of_side.regions}[what]
    severity = "warning" if finding.code == "below-min-score" and finding.count == every else ""
    return replace(finding, values={**finding.values, what: every}, severity=severity)
