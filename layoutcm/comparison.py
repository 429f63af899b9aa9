"""`compare` and `Comparison`: from two layouts to pair counts, and from them to every number.

The only place that knows the whole way of the data.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from layoutcm import __version__
from layoutcm.align import Alignment, Mapped, align, aligned_pages, own_frames
from layoutcm.confusion import SCORES, Confusion, confusion_of, ratio
from layoutcm.counts import PairCounts
from layoutcm.errors import InputError, shown
from layoutcm.levels import Stacks, level_averages, level_scores, stacks
from layoutcm.model import GT, PRED, ROUNDINGS, Finding, Floats, LabelSpace, Layout, Regions, stem
from layoutcm.taxonomy import check_mapping

if TYPE_CHECKING:
    import pandas as pd

    from layoutcm.cells import LaidOut

Progress = Callable[[int, int], None]
PAGES_A_CHUNK = 2048


def compare(
    gt: Layout,
    pred: Layout,
    *,
    rounding: str = "outer",
    min_score: float | None = None,
    missing_pages: str = "penalise",
    taxonomy: str = "auto",
    documents: str | Mapping[str, str] | None = None,
    mapping: Mapped | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare two layouts pixel by pixel, without looking at pixels.

    `min_score` drops pred regions with a lower score. `progress` is called with (pages done, pages in all).
    """
    for name, layout in (("gt", gt), ("pred", pred)):
        if not isinstance(layout, Layout):
            raise InputError("", name, f"{shown(layout)} is not a layout", "Read the file first: layoutcm.read(path).")
    if min_score is not None and not (isinstance(min_score, int | float) and math.isfinite(min_score)):
        raise InputError("", "min_score", f"{shown(min_score)} is not a finite number", "Use one such as 0.5.")
    if threads is not None and not (isinstance(threads, int) and threads >= 1):
        raise InputError("", "threads", f"{shown(threads)} is not a number of threads", "Use 1 or more.")
    if rounding not in ROUNDINGS:
        raise InputError("", "rounding", f"{shown(rounding)} is not known", f"Use one of {', '.join(ROUNDINGS)}.")
    if isinstance(mapping, str | os.PathLike):
        mapping = read_mapping(mapping)
    alignment = align(gt, pred, missing_pages=missing_pages, taxonomy=taxonomy, mapping=mapping, documents=documents)
    counts = count_pairs(alignment, rounding, min_score, threads, progress)
    mapped = sum(len(names) for names in mapping.values()) if mapping else 0
    options = {
        "shapes": "polygon" if any(side.region_columns.shapes for side in (gt, pred)) else None,
        "rounding": rounding,
        "min_score": min_score,
        "missing_pages": None if missing_pages == "penalise" else missing_pages,
        "documents": None if documents is None else documents if isinstance(documents, str) else "table",
        "taxonomy": "match-names" if taxonomy == "match-names" else alignment.taxonomy,
        "mapped_labels": mapped or None,
    }
    named = {name: str(value).replace("|", "/") for name, value in options.items() if value is not None}
    return Comparison(alignment, counts, rounding, min_score, named)


def read_mapping(path: str | os.PathLike[str]) -> dict[str, dict[str, str]]:
    """{"gt": {old: new}, "pred": {old: new}} from a YAML or JSON file."""
    try:
        return parse_mapping(str(path), Path(path).read_bytes())
    except FileNotFoundError:
        raise InputError(str(path), "", "there is no such file", "Check the name and the folder.") from None
    except (OSError, ValueError) as error:
        raise InputError(
            str(path), "", f"the file cannot be read: {error}", "Check its name and permissions."
        ) from None


def parse_mapping(name: str, data: bytes) -> dict[str, dict[str, str]]:
    import yaml

    try:
        loaded = yaml.safe_load(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise InputError(name, "", f"the mapping cannot be read: {problem}", "Write it as YAML or JSON.") from None
    sides = {side: names or {} for side, names in loaded.items()} if isinstance(loaded, dict) else loaded
    return check_mapping(sides, name)


def count_pairs(
    alignment: Alignment, rounding: str, min_score: float | None, threads: int | None, progress: Progress | None
) -> PairCounts:
    """Hand chunks of pages to the kernel, on as many threads as asked for."""
    from layoutcm.cells import count_pages

    laid = lay_out_alignment(alignment, rounding, min_score)
    pages = len(alignment.pages)
    starts = range(0, pages, PAGES_A_CHUNK)
    parts = []
    for part in _mapped(lambda first: count_pages(first, min(first + PAGES_A_CHUNK, pages), laid), starts, threads):
        parts.append(part)
        if progress:
            progress(min(len(parts) * PAGES_A_CHUNK, pages), pages)
    if not parts:
        parts = [count_pages(0, 0, laid)]  # no rows, but of the right types
    labels = (tuple(alignment.layouts[GT].labels), tuple(alignment.layouts[PRED].labels))
    page, words, pixels = parts[0] if len(parts) == 1 else (np.concatenate(columns) for columns in zip(*parts))
    return PairCounts(labels, page, words, pixels)


def lay_out_alignment(alignment: Alignment, rounding: str, min_score: float | None) -> LaidOut:
    """Both sides' boxes on the pixel grid of the aligned pages."""
    from layoutcm.cells import lay_out
    from layoutcm.pixels import painted

    frames = np.stack([alignment.pages.widths, alignment.pages.heights], axis=1)
    gt, pred = (
        painted(
            layout.region_columns,
            aligned_pages(alignment, side, min_score if side == PRED else None),
            own_frames(alignment, side),
            frames,
        )
        for side, layout in enumerate(alignment.layouts)
    )
    n_labels = (len(alignment.layouts[GT].labels), len(alignment.layouts[PRED].labels))
    return lay_out(gt, pred, n_labels, frames, rounding)


def _mapped(work: Callable, starts: range, threads: int | None) -> Iterator:
    workers = min(threads or os.cpu_count() or 1, max(len(starts), 1))
    if workers == 1:
        yield from map(work, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, starts)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two layouts compared: matrices at every level, tables, and the pages behind a number."""

    alignment: Alignment
    all_counts: PairCounts
    rounding: str
    min_score: float | None
    options: dict[str, str]  # as the recipe names them

    def __repr__(self) -> str:
        return f"<Comparison {self.recipe}>"

    @property
    def space(self) -> LabelSpace:
        return self.alignment.space

    @property
    def labels(self) -> list[str]:
        return list(self.space.labels)

    @property
    def taxonomy(self) -> str:
        """same, different or mapped."""
        return self.alignment.taxonomy

    @cached_property
    def pages(self) -> list[str]:
        return list(self.alignment.pages.names)

    @cached_property
    def documents(self) -> list[str]:
        return list(dict.fromkeys(self.alignment.pages.documents))

    @cached_property
    def document_of_page(self) -> NDArray[np.int64]:
        """int64[pages]: index into `documents`."""
        position = {document: i for i, document in enumerate(self.documents)}
        return np.fromiter((position[d] for d in self.alignment.pages.documents), np.int64, len(self.pages))

    @property
    def pixels(self) -> float:
        return self.all_counts.total

    @property
    def findings(self) -> tuple[Finding, ...]:
        gt, pred = self.alignment.layouts
        return (*gt.findings, *pred.findings, *self.alignment.findings, *self._below_threshold())

    def _below_threshold(self) -> list[Finding]:
        scores = self.alignment.layouts[PRED].region_columns.scores
        dropped = 0 if self.min_score is None else int((scores < self.min_score).sum())
        message = (
            f"{dropped:,} of {len(scores):,} regions of pred have a score below {self.min_score} and are left out."
        )
        return [Finding("below-min-score", message, severity="info", count=dropped)] if dropped else []

    @property
    def recipe(self) -> str:
        """What was done, in one line; `recipe_for` names the method too."""
        return self.recipe_for("matrix")

    def recipe_for(self, method: str) -> str:
        gt, pred = (PurePosixPath(side.name).stem.replace("|", "/") for side in self.alignment.layouts)
        parts = {"gt": gt, "pred": pred, "pages": len(self.pages), **self.options, "method": method}
        return "|".join(f"{name}:{value}" for name, value in parts.items()) + f"|v{__version__}"

    @cached_property
    def laid_out(self) -> LaidOut:
        """The boxes of both sides on the pixel grid, for looking at pages; made anew, because few ask for it."""
        return lay_out_alignment(self.alignment, self.rounding, self.min_score)

    def counts(self, page: str | None = None, document: str | None = None) -> PairCounts:
        """Pair counts of the whole set, of a page or of a document."""
        if page is not None and document is not None:
            raise InputError("", "page, document", "both are given", "Give one of them.")
        if page is not None:
            return self.all_counts.of_pages([self.page_index(page)])
        if document is not None:
            return self.all_counts.of_pages(self.pages_of(document).tolist())
        return self.all_counts

    def confusion(self, page: str | None = None, document: str | None = None, method: str = "matrix") -> Confusion:
        """The multi-label confusion matrix of the whole set, of a page or of a document."""
        return confusion_of(self.counts(page, document), self.space, method, self.recipe_for(method))

    def page_index(self, page: str) -> int:
        """The page of this name; without folder and suffix where that is enough to tell."""
        index = self.alignment.pages.index
        if not isinstance(page, str):
            raise InputError(
                "", "page", f"{shown(page)} is not a page's name", f"Names are like {shown(next(iter(index), ''))}."
            )
        if page in index:
            return index[page]
        alike = [i for name, i in index.items() if stem(name) == stem(page)]
        if len(alike) == 1:
            return alike[0]
        problem = f"{shown(page)} fits {len(alike)} pages" if alike else f"there is no page {shown(page)}"
        raise InputError("", "page", problem, f"Page names are like {shown(next(iter(index), ''))}.")

    def pages_of(self, document: str) -> NDArray[np.int64]:
        if document not in self.documents:
            raise InputError(
                "",
                "document",
                f"there is no document {shown(document)}",
                f"Document names are like {shown(next(iter(self.documents), ''))}.",
            )
        return np.flatnonzero(self.document_of_page == self.documents.index(document))

    def page_matrices(self, method: str = "matrix") -> Stacks:
        """Blocks of pages with a matrix for each page."""
        return stacks(self.all_counts, self.space, self.all_counts.page, len(self.pages), method)

    def document_matrices(self, method: str = "matrix") -> Stacks:
        """The same for documents."""
        document = self.document_of_page[self.all_counts.page]
        return stacks(self.all_counts, self.space, document, len(self.documents), method)

    @cached_property
    def page_pixels(self) -> Floats:
        """float64[pages]"""
        return np.bincount(self.all_counts.page, self.all_counts.pixels, minlength=len(self.pages)).astype(float)

    def page_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row a page, the worst first: page, document, pixels, scores without Background, content scores."""
        pages = self.alignment.pages
        columns = {"page": list(pages.names), "document": list(pages.documents), "pixels": self.page_pixels}
        return self._worst_first(columns, self.page_matrices(method))

    def document_table(self, method: str = "matrix") -> pd.DataFrame:
        """One row a document, the worst first: document, pages, pixels, and the scores of the page table."""
        n = len(self.documents)
        columns = {
            "document": list(self.documents),
            "pages": np.bincount(self.document_of_page, minlength=n),
            "pixels": np.bincount(self.document_of_page, self.page_pixels, minlength=n),
        }
        return self._worst_first(columns, self.document_matrices(method))

    def _worst_first(self, columns: dict[str, Any], blocks: Stacks) -> pd.DataFrame:
        import pandas as pd

        table = pd.DataFrame(columns | level_scores(blocks, self.space.shared))
        by = ["f1", "content_f1"] if self.space.shared else ["content_f1"]
        return table.sort_values(by, kind="stable", na_position="last", ignore_index=True)

    def average(
        self, kind: str = "macro", background: bool = False, over: str = "pixels", method: str = "matrix"
    ) -> dict[str, float]:
        """Precision, recall and F1 of the set: of all pixels, or the mean of each page's or document's own.

        `over` is "pixels", "pages" or "documents"; a page with nothing to score is left out.
        """
        if over not in ("pixels", "pages", "documents"):
            raise InputError("", "over", f"{shown(over)} is not known", "Use pixels, pages or documents.")
        if over == "pixels":
            return self.confusion(method=method).average(kind, background)
        if not self.space.shared:
            return dict.fromkeys(SCORES, float("nan"))
        blocks = self.page_matrices(method) if over == "pages" else self.document_matrices(method)
        values = level_averages(blocks, kind, background)
        return {name: float(ratio(np.nansum(v), np.isfinite(v).sum())) for name, v in values.items()}

    def regions_of(self, side: int, page: int) -> Regions:
        """A side's regions on one page, in the common frame; those under the score threshold are left out."""
        regions = self.alignment.layouts[side].region_columns
        order, starts = self._regions_by_page[side]
        rows = order[starts[page] : starts[page + 1]]
        own, pages = own_frames(self.alignment, side)[page], self.alignment.pages
        frame = np.array([pages.widths[page], pages.heights[page]])
        shapes = {new: regions.shapes[old] for new, old in enumerate(rows.tolist()) if old in regions.shapes}
        return Regions(
            regions.page[rows],
            regions.label[rows],
            regions.boxes[rows] * np.tile(frame, 2) / np.tile(own, 2),
            regions.scores[rows],
            shapes,
        )

    @cached_property
    def _regions_by_page(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """For each side: regions sorted by aligned page, and where each page begins."""
        sorted_sides = []
        for side in (GT, PRED):
            page = aligned_pages(self.alignment, side, self.min_score if side == PRED else None)
            order = np.argsort(page, kind="stable")
            sorted_sides.append((order, np.searchsorted(page[order], np.arange(len(self.pages) + 1))))
        return sorted_sides

    def pages_behind(self, gt_label: str, pred_label: str, method: str = "matrix") -> pd.DataFrame:
        """Pages ranked by what they add to one cell: page, document, pixels, share of the cell."""
        import pandas as pd

        counts = self.all_counts
        gt, pred = self._side_label(GT, gt_label), self._side_label(PRED, pred_label)
        rows = counts.select(counts.has(GT, gt) & counts.has(PRED, pred))
        # Only pages that have such a pair, numbered anew, so that the stack stays small.
        pages, group = np.unique(rows.page, return_inverse=True)
        i, j = self.places(gt_label, pred_label)
        blocks = stacks(rows, self.space, group, pages.size, method)
        pixels = np.concatenate([np.empty(0), *(one.recall_mass[:, i, j] for _, one in blocks)])
        documents = self.alignment.pages.documents
        table = pd.DataFrame(
            {
                "page": [self.pages[p] for p in pages],
                "document": [documents[p] for p in pages],
                "pixels": pixels,
                "share": ratio(pixels, pixels.sum()),
            }
        )
        table = table[table["pixels"] > 0]
        return table.sort_values("pixels", ascending=False, kind="stable", ignore_index=True)

    def places(self, gt_label: str, pred_label: str) -> tuple[int, int]:
        """Row and column of a cell of the matrix."""
        return self._place(GT, gt_label), self._place(PRED, pred_label)

    def _place(self, side: int, label: str) -> int:
        # A label that only the other side has still has a row and a column; nothing is ever booked there.
        own = self._side_label(side, label)
        place = (self.space.gt_place, self.space.pred_place)[side]
        return int(place[own]) if own >= 0 else self.labels.index(label)

    def _side_label(self, side: int, label: str) -> int:
        """0 for Background, i for the side's i-th label; -1 for a label that only the other side has."""
        names = (self.labels[0], *self.alignment.layouts[side].labels)
        if label not in names and label not in self.labels:
            raise InputError(
                "", "label", f"there is no label {shown(label)}", f"Labels: {', '.join(map(shown, names[:12]))}."
            )
        return names.index(label) if label in names else -1

    def write_report(
        self, folder: str | os.PathLike[str], images: str | os.PathLike[str] | None = None, method: str = "matrix"
    ) -> Path:
        """Write report.html, report.xlsx, result.json, pages, figures and tables into a folder, and give it back.

        `images` is a folder of page images, a zip of them or a PDF. An earlier report there is replaced; a folder with
        anything else in it is refused.
        """
        # Asked for by name: the report stands on top of this room, and no import may lead upwards.
        return import_module("layoutcm.report").write_report(self, folder, images, method=method)
