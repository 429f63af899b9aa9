"""The error if no page of pred is one of gt, and the page map to fill in, which says which pages belong together."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from layoutcm.errors import Hint, InputError, short_repr
from layoutcm.wording import as_text_cell, plural

NAMES_SHOWN = 3
COLUMNS = ("gt_page", "pred_page")


class NoCommonPages(InputError):
    """Pred names pages, and none of them is one of gt.

    Attributes
    ----------
    names : (sequence of str, sequence of str)
        All page names of gt and of pred.
    reason : str
        What is likely.
    """

    def __init__(self, gt: Sequence[str], pred: Sequence[str], reason: str = "") -> None:
        self.names = (gt, pred)
        self.reason = reason.rstrip(".") or _likely_reason(gt, pred)
        problem = f"no page of pred is a page of gt. Pred has {_names(pred)}; gt has {_names(gt)}. {self.reason}"
        both = "If they are the same pages, say which belong together"
        hint = Hint(
            f"{both}: give a page map (pages=, --pages); --write-page-map FILE writes one to fill in.",
            f"{both}: fill in the page map and drop it on the page Data.",
        )
        super().__init__("", "pages", problem, hint if gt else "Check that the right file is the ground truth.")
        self.args = (*self.names, self.reason)  # from which other processes, and caches, make it again

    @property
    def page_map(self) -> bytes:
        """A page map to fill in, as CSV: a row for each page of gt, then the pages of pred to choose from."""
        gt, pred = self.names
        return page_map_csv([*((page, "") for page in gt), *(("", page) for page in pred)])


def page_map_csv(rows: Iterable[tuple[str, str]]) -> bytes:
    """The rows (gt page, pred page) as a file that `--pages` reads; rows with an empty side have no effect there."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([as_text_cell(page) for page in row] for row in rows)
    return out.getvalue().encode("utf-8")


def _names(names: Sequence[str]) -> str:
    first = ", ".join(short_repr(name) for name in names[:NAMES_SHOWN])
    more = " …" if len(names) > NAMES_SHOWN else ""
    return f"{plural(len(names), 'page')} ({first}{more})" if names else "no pages"


def _likely_reason(gt: Sequence[str], pred: Sequence[str]) -> str:
    if not gt:
        return "The ground truth is empty"
    if len(gt) == len(pred):
        return "Both have as many pages, so these may be the same pages under other names"
    return "One of the two may be of another data set"
