"""Two sides of which none is the truth, A and B: the tables and the JSON of their agreement."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import LETTERS
from layoutcm.metrics.agreement import label_agreement, observed_by_group
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.tables import Table, confusions_table, findings_table, matrix_table, recipe_table

TITLES = {"observed": "Observed agreement", "kappa": "Cohen's kappa", "alpha": "Krippendorff's alpha"}
NO_AGREEMENT = "There is no agreement: A and B have different labels (use a mapping)."
REVIEW_STORED = 1000
# Names of the sides in the text of a finding, outside of quotation marks and file names.
_NAMES = "gt|pred|[Tt]he ground truth|[Gg]round truth|[Tt]he prediction|[Pp]rediction"
_SIDES = re.compile(rf"(?<![\w'.-])({_NAMES})(?![\w.-])")


def with_letters(text: str) -> str:
    """The text of a finding with A and B for gt and pred."""
    return _SIDES.sub(lambda found: LETTERS["pred" in found[0].lower()], text)


def agreement_tables(comparison: Comparison, confusion: Confusion) -> list[Table]:
    """The tables of a report on two sides of which none is the truth."""
    findings = findings_table(comparison)
    letters = findings.data.assign(**{name: findings.data[name].map(with_letters) for name in ("message", "fix")})
    largest = confusions_table(confusion)
    title = "Largest disagreements" if confusion.diagonal else largest.title
    return [
        matrix_table(confusion, "pixels"),
        _agreement_table(comparison),
        replace(largest, title=title, data=largest.data.rename(columns={"share": "share_of_a"})),
        Table("label_agreement", "Labels", label_agreement(comparison.counts(), comparison.space)),
        _review_table(comparison),
        _level_table(comparison, "documents"),
        _level_table(comparison, "pages"),
        replace(findings, data=letters),
        recipe_table(comparison, confusion.method),
    ]


def _agreement_table(comparison: Comparison) -> Table:
    import pandas as pd

    values = comparison.agreement()
    data = pd.DataFrame({"measure": [TITLES[name] for name in values], "value": np.array(list(values.values()))})
    return Table("agreement", "Agreement", data, note="" if comparison.space.shared else NO_AGREEMENT)


def _review_table(comparison: Comparison) -> Table:
    data = comparison.pages_to_review().rename(columns={"share": "share_of_label"})
    return Table("review", "Pages to review, where A and B disagree most about a label", data)


def _level_table(comparison: Comparison, level: str) -> Table:
    """One row per page or document, the lowest agreement first."""
    import pandas as pd

    levels, by_document = comparison.levels, level == "documents"
    columns: dict[str, Any] = {"page": levels.page_names, "document": list(levels.pages.documents)}
    columns["pixels"] = levels.page_pixels
    if by_document:
        columns = {"document": levels.documents, "pages": levels.document_sizes, "pixels": levels.document_pixels}
    data = pd.DataFrame({**columns, "agreement": observed_by_group(levels, by_document)})
    data = data.sort_values("agreement", kind="stable", ignore_index=True)
    return Table(level, f"{level.capitalize()}, lowest agreement first", data)


def agreement_result(comparison: Comparison) -> dict[str, Any]:
    """The part of the JSON about agreement; of the pages to review the first ones."""
    return {
        **comparison.agreement(),
        "labels": label_agreement(comparison.counts(), comparison.space).to_dict("records"),
        "pages_to_review": comparison.pages_to_review().head(REVIEW_STORED).to_dict("records"),
    }
