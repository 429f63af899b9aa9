"""The comparison in memory of one part, or of a few pages, with the labels and the matched pages of the plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from layoutcm.alignment.align import PairedPages, align, gt_without_low_scores
from layoutcm.alignment.page_matching import PageMatches
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.formats.joined_files import join_layouts
from layoutcm.layouts.model import GT, PRED, SIDES, Layout, Positions
from layoutcm.pixels.counting import count_pairs
from layoutcm.scale.places import name_of
from layoutcm.scale.plan import Plan

if TYPE_CHECKING:
    import pyarrow as pa

Sides = tuple[Layout, Layout]


def part_comparison(plan: Plan, part: int) -> Comparison:
    """The comparison of one part."""
    table = plan.page_table(part)
    gt, pred = (plan.read_side(part, side) for side in (GT, PRED))
    facts = plan.facts.parts[part]
    return _compare(plan, (gt, pred), table, (name_of(facts.gt), name_of(facts.pred)))


def comparison_of_few(plan: Plan, places: Mapping[int, Positions]) -> Comparison:
    """The comparison of a few pages, {part: ascending positions in its list of pages}. Only their regions are read."""
    import pyarrow as pa

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
    """The comparison of two layouts, which are of these files, on the pages of a list, in its order."""
    import pyarrow as pa

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
    counts = count_pairs(alignment, plan.facts.rounding, plan.min_score, 1, None)
    return Comparison(alignment, counts, plan.facts.rounding, plan.min_score, plan.recipe, 1, plan.facts.truth)


def _positions(table: pa.Table, name: str) -> Positions:
    return table[name].to_numpy().astype(np.int64)


def _names(table: pa.Table, side: int) -> list[str]:
    """The names of the pages on one side, where it has them."""
    import pyarrow.compute as pc

    return (table["page"] if side == GT else pc.coalesce(table["pred_page"], table["page"])).to_pylist()


def _check_names(layout: Layout, rows: Positions, names: Sequence[str], file: str) -> None:
    """Raise an InputError if a side has other pages than the plan lists."""
    found = layout.page_columns.names
    has = np.flatnonzero(rows >= 0).tolist()
    if rows.max(initial=-1) >= len(found) or any(found[rows[i]] != names[i] for i in has):
        problem = "its pages are not those that the plan lists"
        raise InputError(file, "", problem, "Write the manifest again, and start in another folder.")
