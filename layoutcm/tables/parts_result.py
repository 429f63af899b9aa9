"""The result.json of a comparison of parts: as of a comparison in memory, without what is computed from regions."""

from __future__ import annotations

from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import SIDES
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.scores import AVERAGES
from layoutcm.scale.places import Place, folder_of, join, write_bytes
from layoutcm.scale.plan import Plan
from layoutcm.tables.agreement_tables import agreement_result
from layoutcm.tables.result_json import json_ready, json_text, set_result
from layoutcm.tables.result_levels import (
    MOST_DOCUMENTS,
    document_records,
    left_out_finding,
    write_documents,
)
from layoutcm.tables.why import Why, why_result


def write_parts_result(comparison: Comparison, plan: Plan, place: Place) -> None:
    """Write result.json, and documents.parquet beside it; pages stay in the folder `pages`."""
    write_documents(comparison, "matrix", join(folder_of(place), DOCUMENTS_FILE))
    write_bytes(place, json_text(parts_result(comparison, plan)))


def parts_result(comparison: Comparison, plan: Plan) -> dict[str, Any]:
    """The JSON of a comparison of parts. Objects, centroids and soft scores are null."""
    left_out = plan.facts.documents > MOST_DOCUMENTS
    means = lambda over: comparison.levels.means_over(over, AVERAGES, background=False, method="matrix")
    parts = {
        "inputs": {name: _input_facts(plan, side) for side, name in enumerate(SIDES)},
        "pages": plan.facts.pages,
        "documents": plan.facts.documents,
        "page_matching": _page_matching(plan),
        "findings": comparison.findings,
        "objects": None,
        "centroids": None,
        "soft": None,
        "means": {over: means(over) for over in ("pages", "documents")},
    }
    answer = set_result(comparison, "matrix", parts)
    if not comparison.has_truth:
        answer["agreement"] = agreement_result(comparison)
    if left_out:
        answer["findings"].append(left_out_finding(comparison, DOCUMENTS_FILE).as_dict())
    answer["plan"] = plan.digest
    answer = json_ready(answer)
    answer["by_document"] = None if left_out else document_records(comparison, "matrix")
    return answer | (json_ready(why_result(Why(comparison))) if plan.facts.why else {})


def _input_facts(plan: Plan, side: int) -> dict[str, Any]:
    facts = plan.facts.sides[side]
    return {
        "name": facts.name,
        "format": facts.format,
        "sha256": None,
        "manifest": facts.digest,
        "pages": facts.pages,
        "regions": facts.regions,
    }


def _page_matching(plan: Plan) -> dict[str, Any]:
    """The number of pages matched by each rule, and the first names of unmatched pages."""
    only_in = {f"only_in_{side}": names for side, (_, names) in plan.facts.only_in.items()}
    return {"matched": plan.facts.matched, **only_in}
