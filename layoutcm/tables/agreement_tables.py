"""The tables and the JSON of the agreement of two sides, A and B, if neither is the truth."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.errors import short_repr
from layoutcm.layouts.model import LETTERS, SIDES, Finding
from layoutcm.metrics.agreement import MOST_TO_REVIEW, label_agreement, observed_by_group
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.tables import Table, confusions_table, findings_table, matrix_table, recipe_table
from layoutcm.wording import USE_A_MAPPING, one_line

TITLES = {"observed": "Observed agreement", "kappa": "Cohen's kappa", "alpha": "Krippendorff's alpha"}
NO_AGREEMENT = f"There is no agreement: A and B have different labels ({USE_A_MAPPING})."
REVIEW_ORDER = "pages to review: first the page of every label where A and B disagree most, then their second pages, …"
# Names of the sides in the text of a finding, outside of quotation marks and file names.
_NAMES = "gt|pred|[Tt]he ground truth|[Gg]round truth|[Tt]he prediction|[Pp]rediction"
_SIDES = rf"(?<![\w'./\\-])(?P<side>{_NAMES})(?![\w./\\-])"


def with_letters(text: str, finding: Finding) -> str:
    """The text of a finding with A and B for gt and pred; names of files, pages and labels stay as they are."""
    names = {name for name in _texts(finding.values) if name and name not in SIDES}
    forms = {one_line(form) for name in names for form in (name, short_repr(name))}
    kept = [rf"(?<!\w){re.escape(form)}(?!\w)" for form in sorted(forms, key=len, reverse=True)]
    to_letter = lambda found: LETTERS["pred" in found[0].lower()] if found["side"] else found[0]
    start = f"{finding.values.get('file', '')}: "  # a file may be called gt
    first = text.find(start) + len(start) if finding.message.startswith(start) and start in text else 0
    return text[:first] + re.sub("|".join([*kept, _SIDES]), to_letter, text[first:])


def _texts(value: object) -> Iterator[str]:
    """All texts among the values of a finding."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def agreement_tables(comparison: Comparison, confusion: Confusion) -> list[Table]:
    """The tables of a report on A and B."""
    findings = findings_table(comparison)
    texts = {name: list(map(with_letters, findings.data[name], comparison.findings)) for name in ("message", "fix")}
    largest = confusions_table(confusion)
    title = "Largest disagreements" if confusion.diagonal else largest.title
    return [
        matrix_table(confusion, "pixels"),
        _agreement_table(comparison),
        replace(largest, title=title, data=largest.data.rename(columns={"share": "share_of_a"})),
        Table("label_agreement", "Labels", label_agreement(comparison.counts(), comparison.space)),
        review_table(comparison),
        _level_table(comparison, "documents"),
        _level_table(comparison, "pages"),
        replace(findings, data=findings.data.assign(**texts)),
        recipe_table(comparison, confusion.method),
    ]


def _agreement_table(comparison: Comparison) -> Table:
    import pandas as pd

    values = comparison.agreement()
    data = pd.DataFrame({"measure": [TITLES[name] for name in values], "value": np.array(list(values.values()))})
    return Table("agreement", "Agreement", data, note="" if comparison.space.shared else NO_AGREEMENT)


def review_table(comparison: Comparison) -> Table:
    data = comparison.pages_to_review().rename(columns={"share": "share_of_label"})
    return Table("review", REVIEW_ORDER[0].upper() + REVIEW_ORDER[1:], data)


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
        "pages_to_review": comparison.pages_to_review().head(MOST_TO_REVIEW).to_dict("records"),
    }
