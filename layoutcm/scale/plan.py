"""The plan of a comparison of two sets of parts: everything that must be the same for all parts, decided once.

plan.json has labels, taxonomy, mapping, rounding and the parts; plan/part-00000.parquet the pages of a part with their
place on both sides. The digest of the plan is in every file that is computed from it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import msgspec
import numpy as np

from layoutcm.alignment.align import MISSING_PAGES, Alignment, AlignmentOptions, align
from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.page_matching import WAYS
from layoutcm.alignment.recipe import Recipe
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.formats import SHAPES
from layoutcm.layouts.model import ROUNDINGS, SIDES, Finding, Layout, Pages, Positions, Regions
from layoutcm.layouts.repairs import is_repair, repair
from layoutcm.layouts.stored_facts import StoredFinding, usable_findings
from layoutcm.lazy import pa
from layoutcm.scale.part_files import on_labels, read_part
from layoutcm.scale.storage import (
    Place,
    damage_named,
    digest_of,
    folder_of,
    inside,
    join,
    name_of,
    read_json,
    read_parquet,
    trusted_place,
)

VERSION = 1
PLAN_FILE, PLAN_FOLDER = "plan.json", "plan"
TOTAL_FILE, RESULT_FILE = "total.json", "result.json"
CUT_FOLDER = "pred"  # parts of pred that were cut anew
PLAN_AGAIN = f"Delete {PLAN_FILE}, and run layoutcm compare-parts again; finished parts are kept."
KINDS = ("same", "different", "mapped")
PART_NAME = re.compile(r"part-\d{5,9}")
Number = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
LIST_COLUMNS = ("page", "pred_page", "document", "gt", "pred", "how", "gt_part", "pred_part", "split")
LIST_RANGES = {"gt": (-1, 2**31), "pred": (-1, 2**31), "how": (0, len(WAYS) - 1)}
Score = float | None | list[tuple[str | None, float]]


class PlanSide(msgspec.Struct, frozen=True):
    """One side: its manifest, relative to the folder of the plan, and the labels of all its parts."""

    name: str
    format: str
    manifest: str
    digest: str
    labels: list[str]
    pages: Number
    regions: Number
    repairs: str
    has_scores: bool = False
    findings: list[StoredFinding] = []  # of reading it, which its manifest has


class PlanPart(msgspec.Struct, frozen=True):
    """One part: the files of both sides, "" if a side has none of its pages, and its numbers of pages and regions."""

    name: str
    gt: str
    pred: str
    pages: Number
    regions: Number


class PlanFacts(msgspec.Struct, frozen=True):
    """plan.json, without its digest."""

    version: int
    layoutcm: str
    sides: list[PlanSide]
    rounding: str
    min_score: Score
    missing_pages: str
    taxonomy: str  # as `align` takes it; never auto
    kind: str  # one of KINDS
    mapping: dict[str, dict[str, str]]
    shapes: str
    why: bool
    recipe: dict[str, str]
    findings: list[StoredFinding]
    matched: dict[str, Number]
    only_in: dict[str, tuple[Number, list[str]]]
    pages: Number
    documents: Number
    split: Number  # documents with pages in several parts
    page_list: str  # digest of all pages with their parts
    parts: list[PlanPart]
    truth: bool = True  # else the sides are called A and B
    frame: tuple[float, float] | None = None  # width and height of pages that only pred has


class StoredPlan(msgspec.Struct, frozen=True):
    digest: str
    plan: PlanFacts


@dataclass(frozen=True, eq=False)
class Plan:
    """A plan and the folder that it is in; its parts are below one of the `trusted` folders."""

    folder: str
    facts: PlanFacts
    digest: str
    trusted: tuple[Place, ...] = ()
    read_part: Callable[..., Layout] = read_part  # the dashboard reads in another process

    def place(self, *names: str) -> str:
        """The place of a file of the result."""
        return inside(self.folder, *names)

    def page_table(self, part: int, columns: Sequence[str] | None = None) -> pa.Table:
        """One row per page of a part: page, pred_page, document, gt, pred, how, gt_part, pred_part, split.

        `gt` and `pred` are positions in the files of the part, -1 if a side has no such page. `pred_page` is the name
        on the other side, if it is another one. `split` says that the document has pages in other parts, too.
        """
        place, pages = self.list_place(part), self.facts.parts[part].pages
        table = read_parquet(place, columns or LIST_COLUMNS, ["document"], PLAN_AGAIN, rows=pages)
        with damage_named(place, PLAN_AGAIN):
            for name, (least, most) in LIST_RANGES.items():
                if name in table.column_names and not is_within(table[name].to_numpy(), least, most):
                    raise ValueError(f"the column {name} has values that no plan has")
        return table

    def list_place(self, part: int) -> str:
        return self.place(PLAN_FOLDER, f"{self.facts.parts[part].name}.parquet")

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
        where = f"parts[{part}].{SIDES[side]}"
        place = trusted_place(self.folder, file, self.trusted, join(self.folder, PLAN_FILE), where)
        with damage_named(place, "Write the manifest again (layoutcm manifest), and start in another folder."):
            read = self.read_part(place, self.facts.shapes, pages)
            layout = replace(on_labels(read, one.labels, place), name=one.name)
            return repair(layout, one.repairs) if one.repairs else layout


def _pages_and_regions(pages: int, regions: int) -> tuple[Pages, Regions]:
    """None or one page, and regions that have a score and no area."""
    names = ("page",) * pages
    numbers = np.zeros(regions, np.int32)
    columns = Pages(names, np.ones(pages), np.ones(pages), ("",) * pages, np.full(pages, -1, np.int32))
    return columns, Regions(numbers, numbers, np.zeros((regions, 4)), np.ones(regions))


def read_plan(folder: Place, trusted: Sequence[Place] = ()) -> Plan:
    """The plan in a folder.

    Its parts may be in the folder, and in the `trusted` ones; unless any are given, beside the folder.
    """
    place = inside(folder, PLAN_FILE)
    stored = read_json(place, StoredPlan, "plan", PLAN_AGAIN)
    if stored.plan.version != VERSION:
        raise InputError(place, "", f"version {stored.plan.version} of a plan is not known", "Start in a new folder.")
    if plan_digest(stored.plan) != stored.digest:
        raise InputError(place, "", "this file is damaged: its digest does not fit", PLAN_AGAIN)
    _check_facts(place, stored.plan)
    return Plan(str(folder), stored.plan, stored.digest, (folder, *(trusted or (join(folder, ".."),))))


def _check_facts(place: str, facts: PlanFacts) -> None:
    names = [part.name for part in facts.parts]
    chosen = {"rounding": ROUNDINGS, "missing_pages": MISSING_PAGES, "kind": KINDS, "shapes": SHAPES}
    for option, known in chosen.items():
        check_choice(option, getattr(facts, option), known, file=place)
    wrong = next((i for i, name in enumerate(names) if not PART_NAME.fullmatch(name)), None)
    if wrong is not None:
        problem = f"{short_repr(names[wrong])} is not the name of a part"
        raise InputError(place, f"parts[{wrong}].name", problem, PLAN_AGAIN)
    labels = [side.labels for side in facts.sides]
    repairs = [name for side in facts.sides for name in filter(None, side.repairs.split(","))]
    fits = [
        ("sides", len(labels) == len(SIDES) and all(len({*own, ""}) == len(own) + 1 for own in labels)),
        ("parts", len(set(names)) == len(names) > 0),
        ("pages", sum(part.pages for part in facts.parts) == facts.pages),
        ("mapping", set(facts.mapping) == set(SIDES)),
        ("only_in", set(facts.only_in) == set(SIDES)),
        ("repairs", all(map(is_repair, repairs))),
    ]
    for name, is_right in fits:
        if not is_right:
            raise InputError(place, name, "this does not fit to the rest of the plan", PLAN_AGAIN)


def plan_digest(facts: PlanFacts) -> str:
    """The digest of a plan, the same before it is written and after it was read."""
    as_read = msgspec.json.decode(msgspec.json.encode(facts), type=PlanFacts)  # a whole number may become a float
    return digest_of(msgspec.json.encode(as_read))


def is_within(values: np.ndarray, least: float, most: float) -> bool:
    """Whether all values are numbers in a range."""
    return bool(((values >= least) & (values <= most)).all())


def part_of_list(place: Place, trusted: Sequence[Place] = ()) -> tuple[Plan, int]:
    """The plan that a list of pages belongs to, and the number of the part."""
    if os.path.isdir(place):
        hint = f"Name a file of the folder {PLAN_FOLDER}."
        raise InputError(str(place), "", "this is a folder, and not a file", hint)
    plan = read_plan(join(folder_of(place), ".."), trusted)
    names = [f"{one.name}.parquet" for one in plan.facts.parts]
    if name_of(place) not in names:
        raise InputError(str(place), "", "this is not a part of the plan", f"Name a file of the folder {PLAN_FOLDER}.")
    return plan, names.index(name_of(place))
