"""The paired difference of two predictions of the same pages."""

from __future__ import annotations

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, short_repr
from layoutcm.metrics.bootstrap import CONFIDENCE, RESAMPLES, Intervals, intervals_of


def difference(
    c_a: Comparison,
    c_b: Comparison,
    n: int = RESAMPLES,
    seed: int = 0,
    level: float = CONFIDENCE,
    method: str = "matrix",
) -> Intervals:
    """b minus a, above 0 where b is better: both are read off the same resamples of the same gt pages.

    Classes are those that both comparisons have.
    """
    check_same_pages(c_a, c_b)
    return intervals_of([c_a.levels, c_b.levels], [c_a.recipe_for, c_b.recipe_for], n, seed, level, method)


def check_same_pages(c_a: Comparison, c_b: Comparison) -> None:
    """Two predictions can be held against each other only on the same pages of the same documents."""
    for name, compared in (("c_a", c_a), ("c_b", c_b)):
        if not isinstance(compared, Comparison):
            raise InputError(
                "", name, f"{short_repr(compared)} is not a comparison", "Give what layoutcm.compare returns."
            )
    a, b = (dict(zip(c.pages, c.alignment.pages.documents)) for c in (c_a, c_b))
    for name, own, other in (("c_a", a, b), ("c_b", b, a)):
        alone = [page for page in own if page not in other]
        if alone:
            problem = (
                f"{len(alone):,} of {len(own):,} pages are not in the other comparison, first {short_repr(alone[0])}"
            )
            hint = 'Compare both predictions with the same gt and missing_pages="ignore", on pages that both have.'
            raise InputError("", name, problem, hint)
    moved = next((page for page in a if a[page] != b[page]), None)
    if moved is not None:
        first, second = short_repr(a[moved]), short_repr(b[moved])
        problem = f"page {short_repr(moved)} is of document {first} in one and of {second} in the other"
        raise InputError("", "c_a, c_b", problem, "Give both comparisons the same documents=.")
