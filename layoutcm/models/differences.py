"""Paired differences of predictions against one ground truth, also on some of the pages, and between sets of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from layoutcm.alignment.recipe import Recipe
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.slices import slice_source, tested_row
from layoutcm.errors import InputError, is_number, short_repr, unknown_choice
from layoutcm.filling.reading import paired_sums_of
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.model import Pages, Positions, concatenate_pages
from layoutcm.lazy import pd
from layoutcm.metrics.bootstrap import RESAMPLES, Resampling, Spread, check_resampling, unit_counts
from layoutcm.metrics.intervals import UNIT_FIGURES, Intervals, differences_from
from layoutcm.metrics.levels import CountedLevels, Levels, levels_of_pages, page_rows
from layoutcm.metrics.unit_sums import CLASS_SCORES, FIGURES, UnitSums, paired_sums, unit_sums
from layoutcm.pixels.pair_counts import PairCounts, join_counts, pack_sets
from layoutcm.results import verdict
from layoutcm.results.measures import class_figure, measure_of, name_of
from layoutcm.results.result import Result
from layoutcm.results.verdict import CONFIDENCE
from layoutcm.results.vocabulary import check_asked

NO_PAGES_HINT = 'Compare all with missing_pages="penalise", or give predictions of the same pages.'


def difference(
    c_a: Comparison,
    c_b: Comparison,
    n: int = RESAMPLES,
    seed: int = 0,
    level: float = CONFIDENCE,
    method: str = "matrix",
) -> Intervals:
    """b minus a for every headline figure and class value; above 0 if b is better, with a verdict for each.

    Both are counted on the same pages (see `on_common_pages`) and use the same resamples. Only classes that both have
    are included.

    Parameters
    ----------
    c_a, c_b : Comparison
        Two predictions with the same gt.
    n : int
        Number of resamples, if there are more than 1,000 documents.
    seed : int
    level : float
        Of the intervals.
    method : {"matrix", "tensor"}

    Returns
    -------
    Intervals

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> a, c = (lcm.compare(gt, lcm.read(f"sample_data/model-{name}.json", like=gt)) for name in "ac")
    >>> d = lcm.difference(a, c)
    >>> d.verdict("macro_f1")
    'no difference shown'
    """
    check_resampling(n, seed, level)
    sums = sums_of_pair(c_a, c_b, method)
    for compared in (c_a, c_b):
        check_asked(compared.vocabulary, ["difference"])
    recipes = {"c_a": c_a.recipe_for, "c_b": c_b.recipe_for}
    return differences_from(sums, recipes, n, seed, level, method)["c_b"]


def sums_of_pair(c_a: Comparison, c_b: Comparison, method: str = "matrix") -> dict[str, UnitSums]:
    """{"c_a", "c_b": sums of every unit}, of both on the same pages."""
    pair = {"c_a": c_a, "c_b": c_b}
    return {name: unit_sums(levels, method) for name, levels in zip(pair, on_common_pages(pair))}


def on_common_pages(comparisons: Mapping[str, Comparison]) -> list[Levels]:
    """The comparisons on the same pages in the same order; their names are for messages.

    Under `missing_pages="penalise"` these are the pages of gt, under "penalise-both" the pages of any of them; a page
    that only another prediction has is empty on both sides. Under "ignore" they are the pages that all have. An
    InputError says why comparisons cannot be paired.
    """
    _check_comparisons(comparisons)
    levels = [compared.levels for compared in comparisons.values()]
    if all(one.page_names == levels[0].page_names for one in levels):
        return levels
    names = list(dict.fromkeys(page for one in levels for page in one.page_names))
    if any(_missing_pages(compared) == "ignore" for compared in comparisons.values()):
        names = [page for page in names if all(page in one.pages.index for one in levels)]
        if not names:
            place = ", ".join(comparisons)
            count = "two" if len(comparisons) == 2 else str(len(comparisons))
            raise InputError("", place, f"the {count} predictions have no page in common", NO_PAGES_HINT)
    return [_with_pages(own, levels, names) for own in levels]


def _missing_pages(compared: Comparison) -> str:
    return compared.settings.fields.get("missing_pages", "penalise")


def _with_pages(own: Levels, others: Sequence[Levels], names: list[str]) -> Levels:
    """The counts of these pages; a page that only other comparisons have is all Background on both sides."""
    if own.page_names == names:
        return own
    parts = [own, *others]
    place = {page: i for i, page in reversed(list(enumerate(page for part in parts for page in part.page_names)))}
    places = np.array([place[name] for name in names], np.int64)
    rows, pixels = page_rows(own), np.concatenate([np.empty(0), *(part.page_pixels for part in others)])
    background = np.concatenate([pack_sets([[0]], len(labels))[0] for labels in rows.labels])
    words = np.tile(background, (len(pixels), 1))
    empty = PairCounts(rows.labels, np.arange(len(pixels), dtype=np.int32), words, pixels, np.zeros(len(pixels)))
    counts = join_counts([(0, replace(rows, ignored=own.page_ignored)), (own.page_count, empty)])
    pages = concatenate_pages([part.pages for part in parts])
    return levels_of_pages(CountedLevels(counts, own.space, pages), places)


def _check_comparisons(comparisons: Mapping[str, Comparison]) -> None:
    """Raise an InputError if comparisons cannot be paired: other gt pages, documents or treatment of pages."""
    _check_types(comparisons, Comparison)
    (first, c_a), *others = comparisons.items()
    for name, c_b in others:
        pair = f"{first}, {name}"
        if _missing_pages(c_a) != _missing_pages(c_b):
            treatments = f"{_missing_pages(c_a)!r} in one comparison and {_missing_pages(c_b)!r} in the other"
            problem = f"missing_pages is {treatments}, so pages that only one side has count differently"
            raise InputError("", pair, problem, "Give both comparisons the same missing_pages=.")
        _check_gt_pages(first, c_a, c_b)
        _check_gt_pages(name, c_b, c_a)
        _check_gt_sizes(pair, c_a, c_b)
        _check_judged_pixels(pair, c_a, c_b)
    _check_documents(comparisons)


def _check_types(given: Mapping[str, object], *types: type) -> None:
    for name, one in given.items():
        if not isinstance(one, types):
            raise InputError("", name, f"{short_repr(one)} is not a comparison", "Give what layoutcm.compare returns.")


def _check_documents(comparisons: Mapping[str, Comparison]) -> None:
    """Raise an InputError if a page, also one that gt does not have, is of different documents."""
    every = [compared.levels.pages for compared in comparisons.values()]
    if all(one.names == every[0].names and one.documents == every[0].documents for one in every):
        return
    known: dict[str, tuple[str, str]] = {}
    for name, pages in zip(comparisons, every):
        for page, document in zip(pages.names, pages.documents):
            first, other = known.setdefault(page, (name, document))
            if other != document:
                documents = f"{short_repr(other)} in one and of {short_repr(document)} in the other"
                problem = f"page {short_repr(page)} is of document {documents}"
                raise InputError("", f"{first}, {name}", problem, "Give both comparisons the same documents=.")


def _check_judged_pixels(pair: str, c_a: Comparison, c_b: Comparison) -> None:
    """Raise an InputError if other pixels are judged in one comparison than in the other."""
    first, second = c_a.levels, c_b.levels
    own, at = _same_pages(first.pages, second.pages)
    differing = np.flatnonzero(first.page_ignored[own] != second.page_ignored[at])
    if differing.size:
        page = int(own[differing[0]])
        amounts = f"{first.page_ignored[page]:,.0f} pixels", f"{second.page_ignored[at[differing[0]]]:,.0f}"
        name = short_repr(first.pages.names[page])
        problem = f"{amounts[0]} of page {name} are not judged in one comparison, and {amounts[1]} in the other"
        raise InputError("", pair, problem, "Compare both with the same gt, and map the same labels to Ignore.")


def _same_pages(first: Pages, second: Pages) -> tuple[Positions, Positions]:
    """int64[pages] each: the positions of the pages that both have, in the first and in the second."""
    if first.names == second.names:
        return np.arange(len(first)), np.arange(len(first))
    place = dict(zip(second.names, range(len(second))))
    at = np.array([place.get(name, -1) for name in first.names], np.int64)
    return np.flatnonzero(at >= 0), at[at >= 0]


def _check_gt_pages(name: str, own: Comparison, other: Comparison) -> None:
    """Raise an InputError if a gt page of one comparison is not a gt page of the other."""
    first, second = own.alignment.gt_pages, other.alignment.gt_pages
    if first.names == second.names:
        return
    known = set(second.names)
    missing = [page for page in first.names if page not in known]
    if missing:
        count = f"{len(missing):,} of {len(first):,} gt pages"
        problem = f"{count} are not in the gt of the other comparison, first {short_repr(missing[0])}"
        raise InputError("", name, problem, "Compare both predictions with the same gt.")


def _check_gt_sizes(pair: str, c_a: Comparison, c_b: Comparison) -> None:
    first, second = c_a.alignment.gt_pages, c_b.alignment.gt_pages
    own, at = _same_pages(first, second)
    differs = (first.widths[own] != second.widths[at]) | (first.heights[own] != second.heights[at])
    if differs.any():
        k = int(np.argmax(differs))
        sizes = [f"{width:g} x {height:g}" for width, height in (first.size(int(own[k])), second.size(int(at[k])))]
        name = short_repr(first.names[int(own[k])])
        problem = f"gt page {name} is {sizes[0]} in one comparison and {sizes[1]} in the other"
        raise InputError("", pair, problem, "Compare both predictions with the same gt.")


def documents_needed(
    c_a: Comparison | Result,
    c_b: Comparison | Result,
    figure: str = "macro.f1",
    difference: float | None = None,
    power: float = verdict.POWER,
) -> int | None:
    """The number of documents like these that would show a difference of two predictions at the level of 95 %.

    It assumes that further documents are like these: as different from each other, and from the same source. With one
    document, pages are counted instead.

    Parameters
    ----------
    c_a, c_b : Comparison or Result
        Two predictions with the same gt. Means over pages need comparisons: a `Result` has sums of documents only.
    figure : str
        A figure with an interval, such as "macro.f1", "content.f1" or "class.Table.recall".
    difference : float, optional
        The size of the difference to show; the one that these documents have unless given.
    power : float
        The probability that the documents show it.

    Returns
    -------
    int or None
        None if there are fewer than 6 documents with the figure, if the difference is 0 or undefined, or if it is the
        same in every document.

    Examples
    --------
    >>> import layoutcm as lcm
    >>> gt = lcm.read("sample_data/gt.json")
    >>> a, c = (lcm.compare(gt, lcm.read(f"sample_data/model-{name}.json", like=gt)) for name in "ac")
    >>> lcm.documents_needed(a, c), lcm.documents_needed(a, c, difference=0.05)
    (195, 62)
    """
    if not (difference is None or (is_number(difference) and -1 <= difference <= 1)):
        raise InputError("", "difference", f"{short_repr(difference)} is not a share", "Two points are 0.02.")
    if not (is_number(power) and 0.5 <= power < 1):
        raise InputError("", "power", f"{short_repr(power)} is not a share from 0.5 to 1", "Use one such as 0.8.")
    a, b = _sums_of_any(c_a, c_b).values()
    paired = paired_sums(a, b)
    places = _places(a, b, paired.a.labels)
    figure = name_of(figure)
    if not (isinstance(figure, str) and figure in places):
        hint = unknown_choice("figure", figure, places).hint
        hint = hint or "Figures with an interval are named like macro.f1, content.recall, class.LABEL.f1."
        raise InputError("", "figure", f"{short_repr(figure)} is not a figure with an interval", hint)
    place, units = places[figure], len(paired.a.names)
    if unit_counts(paired)[place] < verdict.FEWEST_UNITS:
        return None
    spread = Spread(paired, Resampling(paired.a.unit, units))
    size = float(spread.value[place]) if difference is None else difference
    return verdict.documents_needed(units, float(spread.errors[0][place]), size, power)


def _sums_of_any(c_a: Comparison | Result, c_b: Comparison | Result) -> dict[str, UnitSums]:
    """{"c_a", "c_b": sums of every unit}; if one is a result, the other is made a result, too."""
    given = {"c_a": c_a, "c_b": c_b}
    methods = {one.method for one in given.values() if isinstance(one, Result)}
    if isinstance(c_a, Comparison) and isinstance(c_b, Comparison):
        return sums_of_pair(c_a, c_b)
    _check_types(given, Comparison, Result)
    if len(methods) > 1:
        problem = "one result has the method matrix, the other has tensor"
        raise InputError("", ", ".join(given), problem, "Compare both with the same method.")
    return paired_sums_of({name: _with_units(one, *methods) for name, one in given.items()})


def _with_units(given: Comparison | Result, method: str) -> Result:
    """The result with its documents; if there is one document, with its pages."""
    if isinstance(given, Result):
        return given
    return result_of(given, method, Asked(per_page=len(given.documents) < 2, parts=("documents",)))


def _places(a: UnitSums, b: UnitSums, labels: list[str]) -> dict[str, int]:
    """{name of a figure: its column in the paired results}: averages, and scores of labels that both have."""
    places = {measure_of(column).name: FIGURES.index(column) for column in a.figures}
    scores = {
        class_figure(label, score): len(FIGURES) + k * len(labels) + labels.index(label)
        for label in a.labels[1:]
        for k, score in enumerate(CLASS_SCORES)
        if label in b.labels[1:]
    }
    return places | scores


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
    alignment, levels, sources = compared.sources.on_pages(compared.levels.numbers_of(pages))
    recipe = Recipe(fields, compared.settings.version)
    return replace(compared, alignment=alignment, levels=levels, sources=sources, settings=recipe)


def difference_of_pages(
    compared: Comparison, first: Sequence[str], second: Sequence[str], method: str = "matrix"
) -> pd.DataFrame:
    """One row per figure: its value on the first and on the second pages, second minus first, interval, p, verdict.

    Different pages cannot be paired. The interval and the test are those of slices: documents are the units, and the
    pages of the two sets are exchanged. The sets must not have a page in common.
    """
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
