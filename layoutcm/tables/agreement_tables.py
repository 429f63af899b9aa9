"""The tables of the agreement of two sides, A and B, if neither is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from msgspec import to_builtins

from layoutcm.comparison import Comparison
from layoutcm.metrics.confusion import Confusion
from layoutcm.results.measures import MEASURES
from layoutcm.results.result import Result, frame_of
from layoutcm.results.types import Agreement, LabelAgreement, PageToReview, Part
from layoutcm.tables.tables import (
    Table,
    confusions_table,
    findings_table,
    level_tables,
    matrix_table,
    recipe_table,
)
from layoutcm.wording import USE_A_MAPPING

if TYPE_CHECKING:
    import pandas as pd

AGREEMENT_TITLES = {one.name.partition(".")[2]: one.title for one in MEASURES if one.grid == "agreement"}
NO_AGREEMENT = f"There is no agreement: A and B have different labels ({USE_A_MAPPING})."
REVIEW_ORDER = "pages to review: first the page of every label where A and B disagree most, then their second pages, …"


def agreement_tables(result: Result, confusion: Confusion, comparison: Comparison | None = None) -> list[Table]:
    """The tables of a report on A and B."""
    largest = confusions_table(confusion)
    title = "Largest disagreements" if confusion.diagonal else largest.title
    review = _frame(agreed(result).pages_to_review, PageToReview)  # only the first of very many
    return [
        matrix_table(confusion, "pixels"),
        _agreement_table(result),
        replace(largest, title=title, data=largest.data.rename(columns={"share": "share_of_a"})),
        Table("label_agreement", "Labels", _frame(agreed(result).labels, LabelAgreement)),
        review_table(review if comparison is None else comparison.pages_to_review()),
        *level_tables(result, comparison),
        findings_table(result),
        recipe_table(result),
    ]


def _frame(rows: Sequence[Part], kind: type[Part]) -> pd.DataFrame:
    """The rows as a table, which has its columns even without a row."""
    return frame_of(to_builtins(rows), kind.__struct_fields__)


def agreed(result: Result) -> Agreement:
    assert result.agreement is not None
    return result.agreement


def _agreement_table(result: Result) -> Table:
    import pandas as pd

    values = {one.title: result.measures[one.name] for one in MEASURES if one.grid == "agreement"}
    data = pd.DataFrame({"measure": list(values), "value": np.array(list(values.values()), float)})
    return Table("agreement", "Agreement", data, note="" if result.has_classes else NO_AGREEMENT)


def review_table(pages: pd.DataFrame) -> Table:
    """The table of `Comparison.pages_to_review`."""
    data = pages.rename(columns={"share": "share_of_label"})
    return Table("review", REVIEW_ORDER[0].upper() + REVIEW_ORDER[1:], data)
