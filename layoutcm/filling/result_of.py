"""`result_of`: the result of a comparison, with the parts that are asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec

from layoutcm import __version__
from layoutcm.comparison import Comparison
from layoutcm.filling import level_records, result_parts
from layoutcm.metrics.bootstrap import RESAMPLES
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import FamiliesLike
from layoutcm.metrics.intervals import Intervals
from layoutcm.metrics.levels import means_over
from layoutcm.metrics.scores import AVERAGES
from layoutcm.pixels.counting import map_chunks
from layoutcm.results.common_parts import FindingRecord, Views
from layoutcm.results.encoding import json_ready
from layoutcm.results.result import Result, filled
from layoutcm.results.types import SCHEMA, Averages, BoardRow, IntervalTables
from layoutcm.results.vocabulary import check_asked
from layoutcm.wording import pixels_as_number

FEWEST_PARALLEL = 2_000  # pages from which parts of the result are computed at the same time
MOST_PAGES = 5000  # of a set whose objects are counted even if they are not asked for; about a second of work
MEASURED = ("objects", "centroids", "soft", "means", "agreement")  # what measures are read off
GATED = (*MEASURED, "findings", "documents")
PARTS = ("objects", "centroids", "soft", "findings", "documents", "pages", "means", "agreement", "slack")


@dataclass(frozen=True, eq=False)
class Asked:
    """What a result contains in addition to the parts of every result."""

    why: bool = False
    per_page: bool = False
    families: FamilyConfusion | FamiliesLike | None = None
    intervals: Intervals | int | bool | None = None  # a number of resamples; True: the usual number
    slices: str | bool | None = None  # an attribute of pages; True: the worst slices of all
    difference: Intervals | None = None  # from the baseline
    standing: BoardRow | None = None  # the place among several predictions
    documents_file: str = ""  # the name of the file that has the documents of a very large set
    parts: Collection[str] = PARTS


ASKED_OF_TRUTH = ("why", "families", "intervals", "slices", "difference")


def usual_asked(comparison: Comparison, intervals: Intervals | int | bool | None = None, **more: Any) -> Asked:
    """What a result or a report contains unless a person says otherwise: intervals, if there is a ground truth."""
    return Asked(intervals=comparison.has_truth if intervals is None else intervals, **more)


def result_of(comparison: Comparison, method: str = "matrix", asked: Asked | None = None) -> Result:
    """The result of one comparison.

    A result with very many documents has no `by_document`; `write_documents` writes them to a file of their own.
    """
    asked = asked or Asked()
    check_asked(comparison.vocabulary, [name for name in ASKED_OF_TRUTH if getattr(asked, name)])
    confusion = comparison.confusion(method=method)
    matrices, collapsed = level_records.view_matrices(confusion), confusion.collapse()
    found = _parallel_parts(comparison, method, asked)
    shared, gt, pred = confusion.diagonal, *comparison.alignment.layouts
    means = found["means"] or {}
    unpaired = result_parts.no_causes(comparison) if asked.why else []
    result = Result(
        schema=SCHEMA,
        version=__version__,
        recipe=comparison.recipe_for(method),
        recipe_fields=comparison.settings.with_version(method=method),
        vocabulary=comparison.vocabulary,
        inputs=comparison.sources.inputs(),
        headline=[],
        measures={},
        method=method,  # type: ignore[arg-type]
        weights="area",
        taxonomy=comparison.taxonomy,  # type: ignore[arg-type]
        labels=list(confusion.labels),
        gt_labels=list(gt.labels),
        pred_labels=list(pred.labels),
        page_count=comparison.levels.page_count,
        document_count=len(comparison.documents),
        pixels=pixels_as_number(comparison.pixels),
        ignored_pixels=pixels_as_number(comparison.ignored_pixels),
        confusion_matrix=matrices.pop("confusion"),
        **matrices,
        **level_records.mass_matrices(confusion),
        class_scores=level_records.class_scores(confusion.class_table()) if shared else None,
        averages=_averages(confusion, background=False) if shared else None,
        averages_with_background=_averages(confusion, background=True) if shared else None,
        averages_over_pages=means.get("pages") if shared else None,
        averages_over_documents=means.get("documents") if shared else None,
        **level_records.set_sums(confusion),
        collapsed=Views(labels=list(collapsed.labels), **level_records.view_matrices(collapsed)),
        findings=finding_records(one.as_dict() for one in (*(found["findings"] or ()), *unpaired)),
        page_matching=comparison.sources.page_matching(),
        plan=comparison.sources.plan_digest,
        objects=found["objects"],
        centroids=found["centroids"],
        soft=found["soft"],
        agreement=found["agreement"],
        border_slack=found["slack"],
        page_scores=found["pages"],
        by_document=found["documents"],
        by_page=level_records.page_records(comparison, method) if asked.per_page else None,
        leaderboard=asked.standing,
        **asked_parts(comparison, method, asked),
    )
    left_out = level_records.too_many_documents(comparison) and "documents" in asked.parts
    return filled(with_documents_in(result, comparison, asked.documents_file) if left_out else result)


def asked_parts(comparison: Comparison, method: str, asked: Asked) -> dict[str, Any]:
    """The parts that are counted only if asked for."""
    found: dict[str, Any] = result_parts.why_parts(comparison) if asked.why else {}
    if asked.families is not None:
        given = asked.families
        counted = given if isinstance(given, FamilyConfusion) else comparison.families(given)
        found["families"] = result_parts.families_part(comparison, counted, method)
    if asked.intervals:
        made = asked.intervals
        if not isinstance(made, Intervals):
            made = comparison.bootstrap(RESAMPLES if made is True else made, method=method)
        found["intervals"] = intervals_part(made)
    if asked.difference:
        found["difference_from_first"] = intervals_part(asked.difference)
    if asked.slices:
        attribute = None if asked.slices is True else asked.slices
        found["slices"] = result_parts.slices_of_comparison(comparison, attribute, method)
    return found


def intervals_part(intervals: Intervals) -> IntervalTables:
    return msgspec.convert(json_ready(intervals.as_dict()), IntervalTables)


def _parallel_parts(comparison: Comparison, method: str, asked: Asked) -> dict[str, Any]:
    """The parts that take long; on several processors, because most of them is done without Python's lock."""
    regions, shared = comparison.levels.has_regions, comparison.space.shared
    if regions and {"objects", "centroids"} & {*asked.parts}:
        _ = comparison.sources.objects.sides  # needed by two of them
    works: dict[str, Callable[[], Any]] = {
        "objects": lambda: result_parts.objects_part(comparison.objects()) if regions else None,
        "documents": lambda: level_records.document_records(comparison, method),
        "centroids": lambda: result_parts.centroids_part(comparison) if regions else None,
        "soft": lambda: result_parts.soft_part(comparison) if regions and shared else None,
        "findings": lambda: comparison.findings,
        "pages": lambda: level_records.page_scores(comparison, method),
        "means": lambda: _means(comparison, method) if shared else None,
        "agreement": lambda: None if comparison.has_truth else result_parts.agreement_part(comparison),
        "slack": lambda: json_ready(comparison.border_slack()) if comparison.has_truth else None,
    }
    works = {name: work for name, work in works.items() if name in asked.parts}
    # Of few pages they take little time, and one after the other they need less memory.
    threads = comparison.threads if len(comparison.pages) >= FEWEST_PARALLEL else 1
    found = map_chunks(lambda i: list(works.values())[i](), range(len(works)), threads)
    return dict.fromkeys(PARTS) | dict(zip(works, found))


def _means(comparison: Comparison, method: str) -> dict[str, Averages]:
    of = lambda over: means_over(comparison.levels, over, AVERAGES, background=False, method=method)
    return {over: msgspec.convert(json_ready(of(over)), Averages) for over in ("pages", "documents")}


def _averages(confusion: Confusion, background: bool) -> Averages:
    found = {kind: confusion.average(kind, background) for kind in AVERAGES}
    return msgspec.convert(json_ready(found), Averages)


def finding_records(findings: Iterable[Any]) -> list[FindingRecord]:
    return msgspec.convert(json_ready(list(findings)), list[FindingRecord])


def with_documents_in(result: Result, comparison: Comparison, file: str) -> Result:
    """The result with a finding that its documents are too many for it, and in which file they are."""
    more = finding_records([level_records.left_out_finding(comparison, file).as_dict()])
    others = [finding for finding in result.findings if finding.code != more[0].code]
    return msgspec.structs.replace(result, findings=[*others, *more])
