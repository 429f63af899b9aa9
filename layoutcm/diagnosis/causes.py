"""Causes: why the pixels off the diagonal of the matrix are wrong.

Every such pixel has one of eight causes, so the causes of a cell add up to the cell. They are counted once for
all pages, as rows of (page, cause, gt label, pred label, pixels), and then summed for a page, a document or the set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.align import Alignment
from layoutcm.alignment.min_scores import MinScore
from layoutcm.diagnosis.cause_kernel import CAUSES, PageRegionsOnTiles
from layoutcm.diagnosis.cause_pages import (
    ROW,
    causes_of_pages,
    main_causes_of_boxes,
    main_causes_of_tiles,
    page_of_shapes,
    rows_of_page,
)
from layoutcm.errors import InputError, check_choice, is_number, short_repr
from layoutcm.layouts.model import GT, PRED, SIDES, Floats
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.pixels.counting import PAGES_PER_CHUNK, map_chunks
from layoutcm.pixels.grid import GridBoxes, PageRegions, alignment_to_grid

TOLERANCE = 0.005  # of the longer side of a page: 5 px of 1025
TOLERANCES = (0, 0.0025, 0.005, 0.01, 0.02)
MOST_REGIONS = 4000  # of a page; every region is compared with every other


@dataclass(frozen=True, eq=False)
class Causes:
    """float64[cause, gt, pred]: the pixels of every cell by their cause; nan if the sides have different labels.

    Attributes
    ----------
    names : tuple of str
        The causes, in the order of `values`.
    labels : list of str
    values : float64[cause, gt, pred]
    tolerance : float
    """

    names: tuple[str, ...]
    labels: tuple[str, ...]
    values: Floats
    tolerance: float

    def by_label(self) -> pd.DataFrame:
        """Two rows per label: what pred lacks of it (side "gt") and what it has too much of (side "pred"), by cause."""
        tables = []
        for side, axis in zip(SIDES, (2, 1)):
            table = pd.DataFrame(self.values.sum(axis=axis).T, columns=list(self.names))
            table.insert(0, "class", self.labels)
            table.insert(0, "side", side)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    @property
    def totals(self) -> dict[str, float]:
        """The pixels of each cause in all cells."""
        return dict(zip(self.names, self.values.sum(axis=(1, 2)).tolist()))


@dataclass(frozen=True, eq=False)
class CauseCounts:
    """The causes of all pages: one row for every page, cause and cell that has pixels, sorted by page.

    The rows are in memory, or are read part by part whenever they are needed.
    """

    labels: tuple[str, ...]
    tolerance: float
    parts: Callable[[], Iterable[NDArray[Any]]] | None  # returns ROW[...] of every part; None if the labels differ
    known_total: Floats | None = None  # the values of `total`, if they were summed before

    @property
    def total(self) -> Causes:
        """The sum over the pages."""
        n = len(self.labels)
        cell = lambda rows: (rows["cause"].astype(np.int64) * n + rows["gt"]) * n + rows["pred"]
        values = self._sums(cell, (len(CAUSES), n, n)) if self.known_total is None else self.known_total
        return Causes(CAUSES, self.labels, values, self.tolerance)

    def of_pages(self, pages: Sequence[int] | NDArray[np.integer]) -> CauseCounts:
        """The causes of some pages, by their numbers."""
        return self._changed(lambda rows: rows[np.isin(rows["page"], pages)])

    def renumbered(self, numbers: NDArray[np.integer]) -> CauseCounts:
        """The same counts; page i gets the number `numbers[i]`."""

        def change(rows: NDArray[Any]) -> NDArray[Any]:
            new = rows.copy()
            new["page"] = numbers[rows["page"]]
            return new

        return self._changed(change)

    def by_group(self, group_of_page: NDArray[np.integer], groups: int) -> Floats:
        """float64[groups, causes]: the pixels of each cause in every group of pages; nan if the labels differ."""
        place = lambda rows: group_of_page[rows["page"]].astype(np.int64) * len(CAUSES) + rows["cause"]
        return self._sums(place, (groups, len(CAUSES)))

    def by_page(self, pages: int, cell: tuple[int, int], cause: str) -> Floats:
        """float64[pages]: the pixels of a cell with a cause on every page; 0 if the labels differ."""
        check_choice("cause", cause, CAUSES)
        wanted = (CAUSES.index(cause), *cell)
        found = np.zeros(pages)
        for rows in self.parts() if self.parts else ():
            chosen = rows[np.all([rows[name] == one for name, one in zip(("cause", "gt", "pred"), wanted)], axis=0)]
            found += np.bincount(chosen["page"], chosen["pixels"], pages)
        return found

    def pages_with(self, pages: int, cause: str) -> NDArray[np.bool_]:
        """bool[pages]: whether a page has pixels with this cause."""
        found = np.zeros(pages, bool)
        for rows in self.parts() if self.parts else ():
            found[rows["page"][rows["cause"] == CAUSES.index(cause)]] = True
        return found

    def _changed(self, change: Callable[[NDArray[Any]], NDArray[Any]]) -> CauseCounts:
        if self.parts is None:
            return self
        changed = [change(rows) for rows in self.parts()]
        return CauseCounts(self.labels, self.tolerance, partial(list, changed))

    def _sums(self, place: Callable[[NDArray[Any]], NDArray[np.int64]], shape: tuple[int, ...]) -> Floats:
        """float64[shape]: the pixels of all rows, each at its place; nan if the labels differ."""
        sums = np.full(math.prod(shape), np.nan if self.parts is None else 0.0)
        for rows in self.parts() if self.parts else ():
            sums += np.bincount(place(rows), rows["pixels"], sums.size)
        return sums.reshape(shape)


def check_tolerance(tolerance: float) -> float:
    if not (is_number(tolerance) and 0 <= tolerance <= 1):
        problem = f"{short_repr(tolerance)} is not a share of the page"
        raise InputError("", "tolerance", problem, "Use a number from 0 to 1, such as 0.005.")
    return float(tolerance)


def tolerance_in_pixels(frames: Floats, tolerance: float, rounding: str) -> Floats:
    """float64[pages]: the tolerance on each page; whole numbers of at least 1, except with `exact` rounding."""
    given = tolerance * frames.max(axis=1, initial=0)
    if rounding == "exact" or tolerance == 0:
        return given
    return np.maximum(np.floor(given + 0.5 + 1e-9), 1)


class TooManyRegions(InputError):
    """A page has too many regions to be paired, so a set with it has no causes."""


class CauseCounter(Protocol):
    """Where the causes of all pages and of a few pages come from."""

    @property
    def kept(self) -> Collection[float]:
        """The tolerances for which the causes of all pages are counted."""

    def of_all_pages(self, tolerance: float = TOLERANCE) -> CauseCounts: ...
    def of_pages(self, pages: Sequence[int] | NDArray[np.integer] | None, tolerance: float = TOLERANCE) -> CauseCounts:
        """The causes of a few pages, without counting the others; None: of all pages."""


@dataclass(frozen=True, eq=False)
class CauseSource:
    """Counts causes from the regions of a comparison, and keeps the counts of all pages for every tolerance."""

    alignment: Alignment
    regions: PageRegions
    rounding: str
    min_score: MinScore
    threads: int | None
    kept: dict[float, CauseCounts] = field(default_factory=dict)

    def grid_of_all_pages(self) -> GridBoxes:
        return alignment_to_grid(self.alignment, self.rounding, self.min_score)

    def of_all_pages(self, tolerance: float = TOLERANCE) -> CauseCounts:
        """The causes of all pages, counted on several threads."""
        tolerance = check_tolerance(tolerance)
        if tolerance not in self.kept:
            rows = self._rows_of_all(tolerance) if self.alignment.space.shared else None
            self.kept[tolerance] = self._counts(rows, tolerance)
        return self.kept[tolerance]

    def of_pages(self, pages: Sequence[int] | NDArray[np.integer] | None, tolerance: float = TOLERANCE) -> CauseCounts:
        tolerance = check_tolerance(tolerance)
        if pages is None:
            return self.of_all_pages(tolerance)
        if tolerance in self.kept:
            return self.kept[tolerance].of_pages(pages)
        if not self.alignment.space.shared:
            return self._counts(None, tolerance)
        rows = [self._rows_of_page(page, tolerance) for page in sorted({int(page) for page in pages})]
        return self._counts(_joined(rows), tolerance)

    def on_tiles(self, page: int, tolerance: float = TOLERANCE) -> tuple[Floats, Floats, NDArray[np.int8]] | None:
        """The x and y edges of the tiles of a page, and int8[rows, columns]: the main cause of each tile, or -1.

        None if the sides have different labels.
        """
        if not self.alignment.space.shared:
            return None
        grid = self._grid_of_page(page)
        if grid.shapes:
            tiles, used = self._tiles_of_shapes(grid, page, check_tolerance(tolerance))
            return tiles.x_edges, tiles.y_edges, main_causes_of_tiles(tiles, used)
        frames, _, boxes, places, n_gt, distances, n_places = self._arguments(grid, check_tolerance(tolerance))
        return main_causes_of_boxes(boxes, places, n_gt[0], frames[0], distances[0], n_places)

    def _counts(self, rows: NDArray[Any] | None, tolerance: float) -> CauseCounts:
        # Not a lambda: a comparison with its causes is sent to the process that makes reports.
        labels = tuple(self.alignment.space.labels)
        return CauseCounts(labels, tolerance, None if rows is None else partial(list, [rows]))

    def _rows_of_all(self, tolerance: float) -> NDArray[Any]:
        grid, n_pages = self.grid_of_all_pages(), len(self.alignment.pages)
        check_regions(grid, self.alignment.pages.names)
        arguments = self._arguments(grid, tolerance)
        with_shapes = sorted(grid.shapes)
        chunk = lambda first: causes_of_pages(first, min(first + PAGES_PER_CHUNK, n_pages), *arguments)
        rows = _joined(list(map_chunks(chunk, range(0, n_pages, PAGES_PER_CHUNK), self.threads)))
        if not with_shapes:
            return rows
        one = lambda k: self._rows_of_page(with_shapes[k], tolerance)
        shaped = map_chunks(one, range(len(with_shapes)), self.threads)
        rows = _joined([rows[~np.isin(rows["page"], with_shapes)], *shaped])
        return rows[np.argsort(rows["page"], kind="stable")]

    def _rows_of_page(self, page: int, tolerance: float) -> NDArray[Any]:
        grid = self._grid_of_page(page)
        if not grid.shapes:
            rows = causes_of_pages(0, 1, *self._arguments(grid, tolerance))
            rows["page"] = page
            return rows
        return rows_of_page(*self._tiles_of_shapes(grid, page, tolerance), page)[0]

    def _grid_of_page(self, page: int) -> GridBoxes:
        grid = self.regions.to_grid(page, self.rounding)
        check_regions(grid, [self.alignment.pages.names[page]])
        return grid

    def _tiles_of_shapes(
        self, grid: GridBoxes, page: int, tolerance: float
    ) -> tuple[PageRegionsOnTiles, NDArray[np.int64]]:
        distance = float(tolerance_in_pixels(grid.frames, tolerance, self.rounding)[0])
        sides = [self.regions.as_written(side, page) for side in (GT, PRED)]
        return page_of_shapes(grid, sides, places_of_labels(self.alignment, grid), distance)

    def _arguments(self, grid: GridBoxes, tolerance: float) -> tuple[Any, ...]:
        """The arguments of the compiled functions for the boxes of a grid."""
        is_gt = np.concatenate([[0], np.cumsum(grid.labels < grid.n_labels[GT])])
        distances = tolerance_in_pixels(grid.frames, tolerance, self.rounding)
        places = places_of_labels(self.alignment, grid)[grid.labels]
        n_gt = np.diff(is_gt[grid.offsets])
        return grid.frames, grid.offsets, grid.boxes, places, n_gt, distances, len(self.alignment.space.labels)


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, ROW), *parts])


def places_of_labels(alignment: Alignment, grid: GridBoxes) -> NDArray[np.int64]:
    """int64[labels of both sides]: the row or column of each in the matrix, -1 for what is not judged."""
    gt, pred = alignment.space.gt_positions[1:], alignment.space.pred_positions[1:]
    return np.concatenate([gt, [-1] * grid.ignores, pred]).astype(np.int64)


def check_regions(grid: GridBoxes, names: Sequence[str]) -> None:
    counts = np.diff(grid.offsets)
    for page, shapes in grid.shapes.items():
        counts[page] += len(shapes)
    if counts.size and counts.max() > MOST_REGIONS:
        name, most = short_repr(names[int(counts.argmax())]), int(counts.max())
        limit = f"causes are computed only for pages with at most {MOST_REGIONS:,}"
        problem = f"the page {name} has {most:,} regions, but {limit}"
        raise TooManyRegions("", "regions", problem, "Leave out predictions with low scores, or this page.")


def forgiven_scores(confusion: Confusion, source: CauseCounter, tolerances: Sequence[float]) -> pd.DataFrame:
    """One row for every tolerance: F1 if slack within the tolerance counts as right."""
    if not isinstance(tolerances, Iterable):
        raise InputError("", "tolerances", f"{short_repr(tolerances)} is not a list", "Write [0, 0.005, 0.01].")
    rows = []
    for tolerance in tolerances:
        slack = source.of_all_pages(tolerance).total.values[0] if check_tolerance(tolerance) else 0 * confusion.values
        mass = confusion.values - slack + np.diag(slack.sum(axis=1))
        moved = replace(confusion, recall_mass=mass, precision_mass=mass, source=None)
        scores = {f"{kind}_f1": moved.average(kind)["f1"] for kind in ("micro", "macro")}
        content = float(moved.collapse().f1[1, 1]) if confusion.diagonal else np.nan
        rows.append({"tolerance": float(tolerance), **scores, "content_f1": content})
    return pd.DataFrame(rows, columns=["tolerance", "micro_f1", "macro_f1", "content_f1"])
