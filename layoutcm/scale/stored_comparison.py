"""A finished comparison of parts as a `Comparison`, which reads its files when they are needed.

All numbers that come from pair counts are computed as in memory. What comes from regions is computed page by page, or
read as the parts have summed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.border_slack import MOST_PAGES, quick_slack
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.cause_pages import ROW
from layoutcm.diagnosis.causes import TOLERANCE, CauseCounts, check_tolerance
from layoutcm.diagnosis.pixels_by_score import ScoreAreas
from layoutcm.diagnosis.region_sources import ObjectSource, RegionSources, Sources
from layoutcm.diagnosis.score_curves import ScoreCurves, curves_from, groups_of_documents, pixels_without_labels
from layoutcm.errors import Hint, InputError, NotCounted
from layoutcm.layouts.model import Finding, Floats, Positions
from layoutcm.metrics.levels import Levels
from layoutcm.pixels.pair_counts import PairCounts
from layoutcm.results.types import Input, Inputs, PageMatching
from layoutcm.scale.part_comparison import comparison_of_few, findings_of_set
from layoutcm.scale.part_counts import CAUSES_FOLDER, MOST_PIXELS, SCORES_FOLDER, Counts, checked_counts
from layoutcm.scale.part_levels import PartLevels
from layoutcm.scale.plan import PLAN_FILE, TOTAL_FILE, Plan, PlanSide, is_within, read_plan
from layoutcm.scale.storage import Place, damage_named, exists, join, read_json, read_parquet
from layoutcm.scale.stored_pages import PartAlignment, StoredPages

FINISH_AGAIN = "Run layoutcm compare-parts again."
KEPT = 16  # single pages whose regions stay in memory
MOST_IN_MEMORY = 2000  # pages that are chosen; with their regions they take some 20 MB
ONE_LEVEL = Hint(
    "Ask for one page or document (page=, document=), or compare the whole layouts: layoutcm.compare.",
    "On Errors and Measures, choose a document or a page with Filter; or compare the layouts without parts.",
)


@dataclass(frozen=True, eq=False)
class PartSources:
    """The `Sources` of parts; pages are numbers in `levels`."""

    levels: PartLevels
    kept: dict[int, RegionSources] = field(default_factory=dict)  # mutable: the pages that were used last
    lock: Any = field(default_factory=RLock, repr=False)

    @property
    def plan_digest(self) -> str:
        return self.levels.stored.plan.digest

    def inputs(self) -> Inputs:
        gt, pred = map(_input_facts, self.levels.stored.plan.facts.sides)
        return Inputs(gt=gt, pred=pred)

    def page_matching(self) -> PageMatching:
        facts = self.levels.stored.plan.facts
        only_in = {f"only_in_{side}": list(names) for side, (_, names) in facts.only_in.items()}
        return PageMatching(matched=dict(facts.matched), **only_in)

    @cached_property
    def findings_by_side(self) -> dict[str, tuple[Finding, ...]]:
        counts, total = self.levels.counts, self.levels.total
        found = total.findings if total else {}
        return findings_of_set(self.levels.stored.plan, found, counts.total, counts.ignored_total)

    @property
    def all_regions(self) -> RegionSources:
        return self.of_pages(None, "regions")[0]

    @property
    def objects(self) -> ObjectSource:
        return self.of_pages(None, "objects")[0].objects

    def of_page(self, page: int) -> tuple[RegionSources, int]:
        with self.lock:  # pictures of pages are drawn in threads
            found = self.kept.pop(page, None) or self.of_few([page])
            while len(self.kept) >= KEPT:
                self.kept.pop(next(iter(self.kept)))
            self.kept[page] = found  # now the last one used
            return found, 0

    def of_pages(self, pages: Positions | None, what: str) -> tuple[RegionSources, Positions | None]:
        if pages is None:
            raise NotCounted("", "", f"{what} of all pages are not counted from parts", ONE_LEVEL)
        return self.of_few(pages), None

    def of_few(self, pages: Sequence[int] | Positions) -> RegionSources:
        """The sources of a few pages, in memory and in ascending order."""
        stored = self.levels.stored
        return comparison_of_few(stored.plan, stored.places(pages)).sources.all_regions

    def on_pages(self, pages: Positions) -> tuple[Alignment, Levels, Sources]:
        """Few pages are in memory, with their regions, and more are read; they keep the order of the parts."""
        if len(pages) <= MOST_IN_MEMORY:
            few = self.of_few(pages)
            return few.alignment, few.levels, few
        levels = self.levels.of_pages(pages)
        return PartAlignment.of(levels.stored), levels, PartSources(levels)

    @property
    def causes(self) -> PartCauses:
        return PartCauses(self)

    def slack(self, pages: Positions | None) -> float | None:
        if not self.levels.space.shared:
            return float("nan")
        if TOLERANCE in self.causes.kept:
            return self.causes.of_pages(pages).total.totals["slack"]
        if pages is None or len(pages) > MOST_PAGES:
            return None
        return quick_slack(self.of_few(pages).causes, TOLERANCE, np.arange(len(pages)))

    @cached_property
    def score_curves(self) -> ScoreCurves:
        return _read_score_curves(self.levels)


@dataclass(frozen=True, eq=False)
class PartCauses:
    """The causes of all pages, as the parts have summed them, and those of a few pages, from their regions."""

    sources: PartSources

    @property
    def kept(self) -> list[float]:
        levels = self.sources.levels
        if levels.total is None:
            return [TOLERANCE] if levels.stored.plan.facts.why else []
        return [float(tolerance) for tolerance in levels.total.causes]

    def of_all_pages(self, tolerance: float = TOLERANCE) -> CauseCounts:
        tolerance, levels = check_tolerance(tolerance), self.sources.levels
        labels = tuple(levels.space.labels)
        if not levels.space.shared:
            return CauseCounts(labels, tolerance, None)
        if tolerance not in self.kept:
            raise _causes_not_counted(tolerance)
        total: Floats | None = None
        if levels.total is not None:
            total = np.zeros((len(CAUSES), len(labels), len(labels)))
            for cell, pixels in levels.total.causes[repr(tolerance)]:
                total.flat[cell] = pixels
        return CauseCounts(labels, tolerance, lambda: _read_causes(levels.stored, tolerance), total)

    def of_pages(self, pages: Sequence[int] | NDArray[np.integer] | None, tolerance: float = TOLERANCE) -> CauseCounts:
        if pages is None:
            return self.of_all_pages(tolerance)
        numbers = np.unique(np.asarray(pages, np.int64))
        few = self.sources.of_page(int(numbers[0]))[0] if len(numbers) == 1 else self.sources.of_few(numbers)
        return few.causes.of_pages(np.arange(len(numbers)), tolerance).renumbered(numbers)


def _read_causes(stored: StoredPages, tolerance: float) -> Iterator[NDArray[Any]]:
    """The rows of each part, with the numbers of pages in the set; the parts have those of one tolerance."""
    if tolerance != TOLERANCE:
        raise _causes_not_counted(tolerance)
    for part, facts in enumerate(stored.plan.facts.parts):
        place, labels = stored.plan.place(CAUSES_FOLDER, f"{facts.name}.parquet"), len(stored.space.labels)
        table = read_parquet(place, ROW.names, texts=())
        most = {"page": facts.pages - 1, "cause": len(CAUSES) - 1, "gt": labels - 1, "pred": labels - 1}
        rows = np.empty(table.num_rows, ROW)
        with damage_named(place):
            for name in table.column_names:
                rows[name] = values = table[name].to_numpy()
                if not is_within(values, 0, most.get(name, MOST_PIXELS)):
                    raise ValueError(f"the column {name} has values that no causes have")
        chosen = stored.rows_of(part)
        if chosen is not None:
            rows = rows[chosen[rows["page"]]]
            rows["page"] = (np.cumsum(chosen) - 1)[rows["page"]]
        rows["page"] += stored.starts[part]
        yield rows


def _causes_not_counted(tolerance: float) -> NotCounted:
    hint = Hint("Compare with why=True (--why), or ask for one page or document.", "Compare the parts with --why.")
    at = f" with a tolerance of {tolerance:g}" if tolerance != TOLERANCE else ""
    return NotCounted("", "", f"causes{at} were not counted", hint)


def _read_score_curves(levels: PartLevels) -> ScoreCurves:
    """The curves of all pages. Rows of equal label, score and group of documents are summed part by part."""
    stored, plan = levels.stored, levels.stored.plan
    if not plan.facts.why:
        hint = Hint("Compare with why=True (--why).", "Compare the parts with --why.")
        raise NotCounted("", "", "score curves were not counted", hint)
    group_of_page, parts = groups_of_documents(levels.document_of_page), []
    for part, facts in enumerate(plan.facts.parts):
        place = plan.place(SCORES_FOLDER, f"{facts.name}.parquet")
        if exists(place):
            first, stop = stored.starts[part : part + 2].tolist()
            table = read_parquet(place, ScoreAreas._fields, texts=())
            areas = ScoreAreas(*(table[name].to_numpy() for name in ScoreAreas._fields))
            with damage_named(place):
                _check_areas(areas, facts.pages, len(stored.space.labels))
            parts.append(_summed(_chosen(areas, stored.rows_of(part)), group_of_page[first:stop]))
    rows = None
    if parts and len(parts) == len(plan.facts.parts):  # else a score is outside 0..1, or there are none
        groups = np.arange(int(group_of_page.max(initial=0)) + 1)
        rows = _summed(ScoreAreas(*(np.concatenate(columns) for columns in zip(*parts))), groups)
        rows = rows.take(np.argsort(rows.label, kind="stable"))
    # A page of the rows is a group of documents, and each group is held out as a document of its own.
    not_in_gt = pixels_without_labels(levels.counts, plan.labels)
    numbers = np.arange(int(group_of_page.max(initial=-1)) + 1)
    return curves_from(PartAlignment.of(stored), rows, not_in_gt, numbers, len(levels.documents))


def _check_areas(areas: ScoreAreas, pages: int, labels: int) -> None:
    most = {"page": pages - 1, "label": labels - 1, "in_gt": MOST_PIXELS, "not_in_gt": MOST_PIXELS}
    for name, largest in most.items():
        if not is_within(getattr(areas, name), 0, largest):
            raise ValueError(f"the column {name} has values that no scores have")


def _chosen(rows: ScoreAreas, chosen: NDArray[np.bool_] | None) -> ScoreAreas:
    """The rows of the chosen pages, bool[pages of the part], with the numbers that these pages have among them."""
    if chosen is None:
        return rows
    kept = rows.take(np.flatnonzero(chosen[rows.page]))
    return kept._replace(page=(np.cumsum(chosen) - 1)[kept.page])


def _summed(rows: ScoreAreas, group_of_page: np.ndarray) -> ScoreAreas:
    """One row for each group, label and score."""
    group = group_of_page[rows.page]
    order = np.lexsort((rows.score, rows.label, group))
    columns = [column[order] for column in (group, rows.label, rows.score)]
    new = np.any([column[1:] != column[:-1] for column in columns], axis=0) if len(order) else np.zeros(0, bool)
    starts = np.flatnonzero(np.append(True, new))[: len(order)]
    found: list[Any] = [column[starts] for column in columns]
    sums = [
        np.add.reduceat(column[order], starts) if len(starts) else column for column in (rows.in_gt, rows.not_in_gt)
    ]
    return ScoreAreas(found[0].astype(np.int32), found[1], found[2], *sums)


def _input_facts(side: PlanSide) -> Input:
    return Input(
        name=side.name, format=side.format, sha256=None, manifest=side.digest, pages=side.pages, regions=side.regions
    )


def open_comparison(folder: Place, *, trusted: Sequence[Place] = ()) -> Comparison:
    """The comparison that `compare_partitions` has written into a folder.

    Parameters
    ----------
    folder : path or address
    trusted : sequence of paths or addresses, optional
        Folders of the parts of both sides, if they are not below the folder that contains the result.

    Returns
    -------
    Comparison
    """
    return open_plan(read_plan(folder, trusted))


def open_plan(plan: Plan) -> Comparison:
    """The finished comparison of a plan."""
    place = plan.place(TOTAL_FILE)
    if not exists(place):
        raise InputError(plan.folder, "", "this comparison is not finished", "Run layoutcm compare-parts again.")
    total = read_json(place, Counts, "file of sums", FINISH_AGAIN)
    checked_counts(place, total, FINISH_AGAIN)
    if total.plan != plan.digest or total.pages != plan.facts.pages:
        raise InputError(plan.folder, "", "the sums are those of another plan", FINISH_AGAIN)
    stored = StoredPages(plan)
    pixels, page = np.array(total.pixels, float), np.zeros(len(total.pixels), np.int32)
    words = stored.words(total.words, place, FINISH_AGAIN)
    counts = PairCounts(stored.labels, page, words, pixels, np.array([total.ignored]))
    _check_causes(place, total, len(stored.space.labels))
    levels = PartLevels(stored, counts, total)
    parts = PartAlignment.of(stored), levels, PartSources(levels)
    return Comparison(*parts, plan.facts.rounding, plan.min_score, plan.recipe, has_truth=plan.facts.truth)


def _check_causes(place: str, total: Counts, labels: int) -> None:
    if any(cell >= len(CAUSES) * labels**2 for cells in total.causes.values() for cell, _ in cells):
        raise InputError(place, "causes", "a cell is not one of the matrix", FINISH_AGAIN)


def is_result(folder: Place) -> bool:
    """Whether `compare_partitions` has written this folder, or has begun to."""
    return exists(join(folder, PLAN_FILE))
