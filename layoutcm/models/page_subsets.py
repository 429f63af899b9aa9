"""A comparison on some of its pages, and the difference between two sets of pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from layoutcm.alignment.recipe import Recipe
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.slices import slice_source, tested_row
from layoutcm.errors import InputError
from layoutcm.metrics.intervals import UNIT_FIGURES
from layoutcm.models.differences import on_pages

if TYPE_CHECKING:
    import pandas as pd


def comparison_of_pages(compared: Comparison, pages: Sequence[str], chosen: str = "") -> Comparison:
    """The same comparison on these pages only; `chosen` says in the recipe which they are.

    Nothing is counted again: pair counts are those of the pages, and regions of other pages are left out. The pages of
    a comparison of parts keep their order.
    """
    if pages == compared.pages:
        return compared
    fields = compared.settings.fields | {"pages": str(len(pages))}
    if chosen:
        fields["chosen"] = chosen.replace("|", "/")
    recipe, whole = Recipe(fields, compared.settings.version), compared.alignment
    numbers = compared.levels.numbers_of(pages)
    if hasattr(whole, "comparison_on"):  # it reads its files
        return whole.comparison_on(numbers, recipe)
    levels = on_pages(compared.levels, list(pages))
    gt, pred = (source[numbers] for source in whole.sources)
    return replace(
        compared,
        alignment=replace(whole, pages=levels.pages, sources=(gt, pred)),
        all_counts=levels.counts,
        settings=recipe,
    )


def difference_of_pages(
    compared: Comparison, first: Sequence[str], second: Sequence[str], method: str = "matrix"
) -> pd.DataFrame:
    """One row per figure: its value on the first and on the second pages, second minus first, interval, p, verdict.

    Different pages cannot be paired. The interval and the test are those of slices: documents are the units, and the
    pages of the two sets are exchanged. The sets must not have a page in common.
    """
    import pandas as pd

    common = set(first) & set(second)
    if common:
        problem = f"{len(common):,} pages are in both sets"
        raise InputError("", "first, second", problem, "Give two sets of pages without a common page.")
    both = comparison_of_pages(compared, [*first, *second])
    inside = np.zeros(len(both.pages), bool)
    inside[both.levels.numbers_of(second)] = True
    rows = []
    for figure in UNIT_FIGURES:
        source = slice_source(both.alignment, both.levels, figure, method)
        own, other = tested_row(source, "second", inside), source.row("first", ~inside)
        rows.append(
            {
                "figure": figure,
                **{f"first{end}": other[name] for end, name in (("", figure), ("_low", "low"), ("_high", "high"))},
                **{f"second{end}": own[name] for end, name in (("", figure), ("_low", "low"), ("_high", "high"))},
                **{name: own[name] for name in ("difference", "difference_low", "difference_high", "p", "verdict")},
                "first_documents": other["documents"],
                "second_documents": own["documents"],
            }
        )
    table = pd.DataFrame(rows)
    return table.assign(verdict=pd.Series([row["verdict"] for row in rows], dtype=object))
