"""`Evaluator`: pages are added one by one or in batches, as in a validation loop; `compute` compares them.

It keeps regions; pixels are counted when all pages are compared. Evaluators of several processes
are merged; pair counts add up over pages, so the result is that of one process.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.taxonomy import LabelMapping
from layoutcm.comparison import Comparison, compare
from layoutcm.errors import InputError, is_number, short_repr
from layoutcm.filling.result_of import MEASURED, Asked, result_of
from layoutcm.layouts.findings import severe_of, severe_sentence
from layoutcm.layouts.model import GT, PRED, SIDES, Layout, Pages, Regions
from layoutcm.layouts.validation import make_layout
from layoutcm.results.result import Result
from layoutcm.scale.region_inputs import LabelIds, RegionRows, as_array, region_rows
from layoutcm.wording import plural

SEVERE_FINDINGS = "severe_findings"
IN_MEMORY = "evaluator"  # the format of its layouts
Labels = Sequence[str] | Mapping[int, str]


@dataclass(frozen=True, eq=False)
class AddedPage:
    """A page with the regions of both sides."""

    size: tuple[float, float]  # width, height
    document: str
    sides: tuple[RegionRows, RegionRows]  # gt, pred

    def is_same(self, other: AddedPage) -> bool:
        facts = (self.size, self.document) == (other.size, other.document)
        return facts and all(own.is_same(others) for own, others in zip(self.sides, other.sides))


class Evaluator:
    """Collect pages with `update`, then `compute` a `Comparison`, or `as_dict` for a logger.

    Parameters
    ----------
    labels : list of str or dict
        Names, whose ids are their positions from 0, or {id: name}.
    pred_labels : list of str or dict, optional
        Those of pred if they differ.
    rounding, min_score, taxonomy, documents, mapping, threads
        As in `compare`.
    name : str
        Of the prediction, in recipes and reports.

    Examples
    --------
    >>> import layoutcm as lcm
    >>> e = lcm.Evaluator(["Text", "Table"])
    >>> truth = [{"label": "Text", "x0": 0, "y0": 0, "x1": 9, "y1": 5}]
    >>> e.update(truth, [[0, 0, 9, 4, 0.9, 0]], page="a.png", size=(10, 10))
    <Evaluator 1 page, 2 labels>
    >>> round(e.as_dict()["macro.f1"], 3)
    0.889
    """

    def __init__(
        self,
        labels: Labels,
        *,
        pred_labels: Labels | None = None,
        rounding: str = "outer",
        min_score: MinScore = None,
        taxonomy: str = "auto",
        documents: str | Mapping[str, str] | None = None,
        mapping: LabelMapping | str | os.PathLike[str] | None = None,
        threads: int | None = None,
        name: str = "pred",
    ) -> None:
        if not isinstance(name, str):
            raise InputError("", "name", f"{short_repr(name)} is not a name", "Give a text.")
        own = LabelIds.of(labels, "labels")
        self.label_ids = (own, own if pred_labels is None else LabelIds.of(pred_labels, "pred_labels"))
        self.options: dict[str, Any] = {"rounding": rounding, "min_score": min_score, "taxonomy": taxonomy}
        self.options |= {"documents": documents, "mapping": mapping, "threads": threads}
        self.name = name
        self._pages: dict[str, AddedPage] = {}
        self._found: Comparison | None = None
        self._compare()  # of no pages: wrong options are an error here, not after a long loop

    def __repr__(self) -> str:
        return f"<Evaluator {plural(len(self), 'page')}, {plural(len(self.label_ids[GT].names), 'label')}>"

    def __len__(self) -> int:
        """The number of pages."""
        return len(self._pages)

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: without the comparison, which is made again when it is needed."""
        return self.__dict__ | {"_found": None}

    def update(
        self, gt_regions: Any, pred_regions: Any, *, page: Any, size: Any = None, document: Any = None
    ) -> Evaluator:
        """Add a page, or a batch of pages if `page` is a list; then all arguments are lists, but `size` may be one.

        `scale.region_inputs` describes the forms of regions. `size` is (width, height); a result of Ultralytics has it.
        A page that is added again with the same regions is counted once: a sampler may repeat pages.
        """
        added: dict[str, AddedPage] = {}
        for name, *parts in _batch(gt_regions, pred_regions, page, size, document):
            one = self._page(name, *parts)
            earlier = added.get(name) or self._pages.get(name)
            added[name] = one if earlier is None else _same(name, earlier, one)
        self._pages |= added  # only if all of them can be used
        self._found = None
        return self

    def _page(self, name: str, gt: Any, pred: Any, size: Any, document: Any) -> AddedPage:
        sides = [
            region_rows(regions, labels, f"page {short_repr(name)}, {side}")
            for regions, labels, side in zip((gt, pred), self.label_ids, SIDES)
        ]
        text = "" if document is None else str(document)
        return AddedPage(_page_size(name, size, pred), text, (sides[GT], sides[PRED]))

    def merge(self, other: Evaluator) -> Evaluator:
        """An Evaluator with the pages of both, which must have the same labels and options."""
        if not isinstance(other, Evaluator) or (self.label_ids, self.options) != (other.label_ids, other.options):
            problem = (
                "the other has other labels or options" if isinstance(other, Evaluator) else "it is not an Evaluator"
            )
            raise InputError("", "merge", problem, "Make all of them with the same arguments.")
        joined = self.empty()
        joined._pages = dict(self._pages)
        for name, page in other._pages.items():
            joined._pages[name] = _same(name, joined._pages[name], page) if name in joined._pages else page
        return joined

    def empty(self) -> Evaluator:
        """An Evaluator with the same labels and options, and no pages."""
        made = copy(self)
        made.reset()
        return made

    def reset(self) -> None:
        """Drop all pages, for instance before the next epoch."""
        self._pages, self._found = {}, None

    def compute(self) -> Comparison:
        """The comparison of all pages, as `compare` makes it; kept until the next `update`."""
        if self._found is None:
            self._found = self._compare()
        return self._found

    def result(self, method: str = "matrix", **more: Any) -> Result:
        """The result of all pages, as `Comparison.result` makes it."""
        return self.compute().result(method, **more)

    def as_dict(self, prefix: str = "") -> dict[str, float | None]:
        """All figures under flat names, such as "macro.f1" and "class.Table.f1", for a logger; None is n/a.

        If findings say that the figures say nothing about a model, a warning names them, and "severe_findings" is
        their number.
        """
        compared = self.compute()
        figures, severe = result_of(compared, asked=Asked(parts=MEASURED)).figures, severe_of(compared.findings)
        if severe:
            warnings.warn(severe_sentence(severe), stacklevel=2)
            figures = {**figures, SEVERE_FINDINGS: len(severe)}
        return {f"{prefix}{name}": value for name, value in figures.items()}

    def _compare(self) -> Comparison:
        return compare(self._layout(GT, "gt"), self._layout(PRED, self.name), **self.options)

    def _layout(self, side: int, name: str) -> Layout:
        pages = list(self._pages.values())
        sizes = np.array([page.size for page in pages], float).reshape(-1, 2)
        documents = tuple(page.document for page in pages)
        numbers = np.full(len(pages), -1, np.int32)
        columns = Pages(tuple(self._pages), sizes[:, 0], sizes[:, 1], documents, numbers)
        labels = list(self.label_ids[side].names)
        return make_layout(name, IN_MEMORY, labels, columns, _joined([page.sides[side] for page in pages]))


def _joined(parts: Sequence[RegionRows]) -> Regions:
    page = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part) for part in parts])
    none = RegionRows(np.empty(0, np.int32), np.empty((0, 4)), np.empty(0))
    label, boxes, scores = zip(*((part.label, part.boxes, part.scores) for part in (none, *parts)))
    return Regions(page, np.concatenate(label), np.concatenate(boxes), np.concatenate(scores))


def _batch(gt: Any, pred: Any, page: Any, size: Any, document: Any) -> list[tuple[Any, ...]]:
    """(page, gt, pred, size, document) of every page."""
    page, size = (as_array(one).tolist() if hasattr(one, "tolist") else one for one in (page, size))
    if isinstance(page, str) or not isinstance(page, Sequence):
        return [(_page_name(page), gt, pred, size, document)]
    size = [size] * len(page) if size is None or _is_size(size) else size
    document = [document] * len(page) if document is None or isinstance(document, str) else document
    given = {"gt_regions": gt, "pred_regions": pred, "size": size, "document": document}
    columns = [[_page_name(one) for one in page], *(_column(values, name) for name, values in given.items())]
    if len({len(column) for column in columns}) > 1:
        counts = ", ".join(str(len(column)) for column in columns)
        problem = f"a batch has {counts} pages, gt, pred, sizes and documents"
        raise InputError("", "update", problem, "Give one of each for every page.")
    return list(zip(*columns))


def _column(values: Any, name: str) -> list[Any]:
    """The values of a batch as a list, one for each of its pages."""
    try:
        return list(values)
    except TypeError:
        problem = f"{short_repr(values)} is not a list, although `page` is one"
        raise InputError("", f"update, {name}", problem, "Give one of each for every page.") from None


def _page_name(page: Any) -> str:
    """The name of a page, which may be given as an image id."""
    if isinstance(page, str) and page:
        return page
    if isinstance(page, int | np.integer) and not isinstance(page, bool):
        return str(page)
    raise InputError("", "page", f"{short_repr(page)} is not the name of a page", "Give a text or a whole number.")


def _is_size(size: Any) -> bool:
    return isinstance(size, Sequence) and len(size) == 2 and all(is_number(side) for side in size)


def _page_size(name: str, size: Any, pred: Any) -> tuple[float, float]:
    """Width and height; unless given, the size of the image that Ultralytics has seen."""
    shape = getattr(pred, "orig_shape", None)
    if size is None and shape is not None:
        size = tuple(shape)[::-1]
    if not _is_size(size) or not all(0 < side <= sys.float_info.max for side in size):
        problem = f"the size {short_repr(size)} is not width and height"
        raise InputError("", f"page {short_repr(name)}", problem, "Give size=(width, height) in pixels.")
    return float(size[0]), float(size[1])


def _same(name: str, earlier: AddedPage, page: AddedPage) -> AddedPage:
    """The page that was added before; an InputError if it was another one."""
    if earlier.is_same(page):
        return earlier
    hint = "Give each page its own name, or call reset() before the next epoch."
    raise InputError("", f"page {short_repr(name)}", "it was added before, with other regions", hint)
