"""The plan of a comparison of two sets of parts: everything that must be the same for all parts, decided once.

plan.json has labels, taxonomy, mapping, rounding and the parts; plan/part-00000.parquet the pages of a part with their
place on both sides. The digest of the plan is in every file that is computed from it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec
import numpy as np

from layoutcm.alignment.align import Alignment, AlignmentOptions, align
from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.recipe import Recipe
from layoutcm.errors import InputError
from layoutcm.layouts.model import Finding, Layout, Pages, Positions, Regions
from layoutcm.layouts.repairs import repair
from layoutcm.layouts.stored_facts import StoredFinding, usable_findings
from layoutcm.lazy import pa
from layoutcm.scale.part_files import on_labels, read_part
from layoutcm.scale.storage import Place, digest_of, folder_of, join, name_of, read_json, read_parquet

VERSION = 1
PLAN_FILE, PLAN_FOLDER = "plan.json", "plan"
PLAN_AGAIN = f"Delete {PLAN_FILE}, and run layoutcm compare-parts again; finished parts are kept."
Score = float | None | list[tuple[str | None, float]]


class PlanSide(msgspec.Struct, frozen=True):
    """One side: its manifest, relative to the folder of the plan, and the labels of all its parts."""

    name: str
    format: str
    manifest: str
    digest: str
    labels: list[str]
    pages: int
    regions: int
    repairs: str
    has_scores: bool = False
    findings: list[StoredFinding] = []  # of reading it, which its manifest has


class PlanPart(msgspec.Struct, frozen=True):
    """One part: the files of both sides, "" if a side has none of its pages, and its numbers of pages and regions."""

    name: str
    gt: str
    pred: str
    pages: int
    regions: int


class PlanFacts(msgspec.Struct, frozen=True):
    """plan.json, without its digest."""

    version: int
    layoutcm: str
    sides: list[PlanSide]
    rounding: str
    min_score: Score
    missing_pages: str
    taxonomy: str  # as `align` takes it; never auto
    kind: str  # same, different or mapped
    mapping: dict[str, dict[str, str]]
    shapes: str
    why: bool
    recipe: dict[str, str]
    findings: list[StoredFinding]
    matched: dict[str, int]
    only_in: dict[str, tuple[int, list[str]]]
    pages: int
    documents: int
    split: int  # documents with pages in several parts
    page_list: str  # digest of all pages with their parts
    parts: list[PlanPart]
    truth: bool = True  # else the sides are called A and B
    frame: tuple[float, float] | None = None  # width and height of pages that only pred has


class StoredPlan(msgspec.Struct, frozen=True):
    digest: str
    plan: PlanFacts


@dataclass(frozen=True, eq=False)
class Plan:
    """A plan and the folder that it is in."""

    folder: str
    facts: PlanFacts
    digest: str

    def page_table(self, part: int, columns: Sequence[str] | None = None) -> pa.Table:
        """One row per page of a part: page, pred_page, document, gt, pred, how, gt_part, pred_part, split.

        `gt` and `pred` are positions in the files of the part, -1 if a side has no such page. `pred_page` is the name
        on the other side, if it is another one. `split` says that the document has pages in other parts, too.
        """
        return read_parquet(self.list_place(part), columns, ["document"], PLAN_AGAIN)

    def list_place(self, part: int) -> str:
        return join(self.folder, PLAN_FOLDER, f"{self.facts.parts[part].name}.parquet")

    @property
    def options(self) -> AlignmentOptions:
        """How the labels of each part are aligned; its pages were matched before."""
        facts = self.facts
        return AlignmentOptions(facts.missing_pages, facts.taxonomy, facts.mapping, frame=facts.frame)

    @property
    def min_score(self) -> MinScore:
        given = self.facts.min_score
        return dict(given) if isinstance(given, list) else given

    @property
    def recipe(self) -> Recipe:
        settings = Recipe(self.facts.recipe, self.facts.layoutcm)
        return settings if self.facts.truth else settings.without_truth()

    @cached_property
    def largest_part(self) -> int:
        """The first part with the most regions."""
        parts = self.facts.parts
        return max(range(len(parts)), key=lambda part: parts[part].regions)

    @cached_property
    def findings(self) -> list[Finding]:
        return usable_findings(self.facts.findings).with_note(PLAN_FILE)

    @cached_property
    def labels(self) -> Alignment:
        """The labels of both sides, aligned on a single page, which has a score if the side has scores."""
        pages = [_pages_and_regions(1, int(one.has_scores and bool(one.labels))) for one in self.facts.sides]
        gt, pred = (Layout(one.name, one.format, list(one.labels), *own) for one, own in zip(self.facts.sides, pages))
        return align(gt, pred, self.options)

    def read_side(self, part: int, side: int, pages: Positions | None = None) -> Layout:
        """The layout of one side of a part, or of the pages at these positions of its file, ascending.

        It has the labels of the plan, and its repairs are made.
        """
        one, facts = self.facts.sides[side], self.facts.parts[part]
        file = (facts.gt, facts.pred)[side]
        if not file or (pages is not None and not len(pages)):
            return Layout(one.name, one.format, list(one.labels), *_pages_and_regions(0, 0))
        place = join(self.folder, file)
        layout = replace(on_labels(read_part(place, self.facts.shapes, pages), one.labels, place), name=one.name)
        return repair(layout, one.repairs) if one.repairs else layout


def _pages_and_regions(pages: int, regions: int) -> tuple[Pages, Regions]:
    """None or one page, and regions that have a score and no area."""
    names = ("page",) * pages
    numbers = np.zeros(regions, np.int32)
    columns = Pages(names, np.ones(pages), np.ones(pages), ("",) * pages, np.full(pages, -1, np.int32))
    return columns, Regions(numbers, numbers, np.zeros((regions, 4)), np.ones(regions))


def read_plan(folder: Place) -> Plan:
    """The plan in a folder."""
    place = join(folder, PLAN_FILE)
    stored = read_json(place, StoredPlan, "plan", PLAN_AGAIN)
    if stored.plan.version != VERSION:
        raise InputError(place, "", f"version {stored.plan.version} of a plan is not known", "Start in a new folder.")
    if plan_digest(stored.plan) != stored.digest:
        raise InputError(place, "", "this file is damaged: its digest does not fit", PLAN_AGAIN)
    return Plan(str(folder), stored.plan, stored.digest)


def plan_digest(facts: PlanFacts) -> str:
    """The digest of a plan, the same before it is written and after it was read."""
    as_read = msgspec.json.decode(msgspec.json.encode(facts), type=PlanFacts)  # a whole number may become a float
    return digest_of(msgspec.json.encode(as_read))


def part_of_list(place: Place) -> tuple[Plan, int]:
    """The plan that a list of pages belongs to, and the number of the part."""
    if os.path.isdir(place):
        hint = f"Name a file of the folder {PLAN_FOLDER}."
        raise InputError(str(place), "", "this is a folder, and not a file", hint)
    plan = read_plan(join(folder_of(place), ".."))
    names = [f"{one.name}.parquet" for one in plan.facts.parts]
    if name_of(place) not in names:
        raise InputError(str(place), "", "this is not a part of the plan", f"Name a file of the folder {PLAN_FOLDER}.")
    return plan, names.index(name_of(place))
