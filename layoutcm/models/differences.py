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
    """b minus a for every headline figure and class value; above 0 if b is better.

    Both comparisons use the same resamples of the same gt pages. Only classes that both have are included.
    """
    check_same_pages(c_a, c_b)
    return intervals_of([c_a.levels, c_b.levels], [c_a.recipe_for, c_b.recipe_for], n, seed, level, method)


def check_same_pages(c_a: Comparison, c_b: Comparison) -> None:
    """Raise an InputError if the comparisons do not have the same pages in the same documents."""
    for name, compared in (("c_a", c_a), ("c_b", c_b)):
        if not isinstance(compared, Comparison):
            raise InputError(
                "", name, f"{short_repr(compared)} is not a comparison", "Give what layoutcm.compare returns."
            )
    a, b = (dict(zip(c.pages, c.alignment.pages.documents)) for c in (c_a, c_b))
    for name, own, other in (("c_a", a, b), ("c_b", b, a)):
        missing = [page for page in own if page not in other]
        if missing:
            count = f"{len(missing):,} of {len(own):,} pages"
            problem = f"{count} are not in the other comparison, first {short_repr(missing[0])}"
            hint = 'Compare both predictions with the same gt and missing_pages="ignore", on pages that both have.'
            raise InputError("", name, problem, hint)
    moved = next((page for page in a if a[page] != b[page]), None)
    if moved is not None:
        first, second = short_repr(a[moved]), short_repr(b[moved])
        problem = f"page {short_repr(moved)} is of document {first} in one and of {second} in the other"
        raise InputError("", "c_a, c_b", problem, "Give both comparisons the same documents=.")
