"""The tables of a comparison as DataFrames, used by all report files and pages; writers for CSV and Parquet.

Numbers have full precision; each output format decides how many digits it writes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import FamilyConfusion, FamilyMatrix
from layoutcm.metrics.family_trees import OUT_OF_FAMILY, preferred_name
from layoutcm.metrics.intervals import Intervals
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.panoptic import QUALITIES, mean_qualities
from layoutcm.metrics.scores import SCORES
from layoutcm.tables.averages import ALL_AVERAGES, CONTENT_TITLE, SCORE_TITLES, average_scores, figure_title
from layoutcm.tables.drawn_labels import drawn_matrix
from layoutcm.tables.interval_texts import TEST_TEXT, resampling_text
from layoutcm.tables.matrix_views import (
    TABLE_OF_VIEW,
    VIEW_TITLES,
    VIEWS,
    Selection,
    every_label,
    largest_confusions,
    view_title,
    view_values,
)
from layoutcm.wording import USE_A_MAPPING, as_text_cell, one_line

if TYPE_CHECKING:
    import pandas as pd

AP_COLUMNS = ("ap", "ap50", "ap75", "ar")
SHAPES = {"box": "boxes", "mask": "masks"}
ANY_LABEL = ", whatever the label"
COUNTS = ("tp", "fp", "fn")
RANKED_PAIRS = "ranked_pairs"
# Float columns that contain pixels; all other float columns contain shares.
PIXEL_COLUMNS = frozenset({"pixels", "total", *(f"{side}_pixels" for side in ("gt", "pred", "a", "b", "both"))})
HEADINGS = {
    "gt_pixels": "gt pixels",
    "pred_pixels": "pred pixels",
    "f1": "F1",
    "iou": "IoU",
    "micro_f1": "micro F1",
    "macro_f1": "macro F1",
    "difference_low": "difference, low",
    "difference_high": "difference, high",
    "error_share": "share of error",
    "content_precision": "content precision",
    "content_recall": "content recall",
    "content_f1": "content F1",
    "share": "share of gt",
    "share_of_a": "share of A",
    "share_of_wrong": "share of wrong pixels",
    "share_of_label": "share of the label",
    "a_pixels": "A pixels",
    "b_pixels": "B pixels",
    "both_pixels": "pixels of both",
    **{name: name.upper() for name in (*AP_COLUMNS, *QUALITIES, *COUNTS)},
    "in_family": "in family",
    "oof": OUT_OF_FAMILY,
    "preferred": "mostly confused with",
    "better_in": "better in",
    "worse_in": "worse in",
    "present_f1": "F1 now",
    "held_out_f1": "F1 on held-out documents",
    "roc_auc": "ROC AUC",
    "ece": "ECE",
    "up_to": "up to",
    "mean_score": "mean score",
    "share_in_gt": "share in gt",
}


@dataclass(frozen=True, eq=False)
class Table:
    """A DataFrame with a title and an optional `note`.

    The columns of a `matrix` are named by labels and contain either pixels (`pixels`) or shares. `recipe` is set if it
    differs from the recipe of the comparison. `places` numbers the labels of the rows and of the columns of a family; a
    cell is correct if both numbers are equal.
    """

    name: str
    title: str
    data: pd.DataFrame
    matrix: bool = False
    pixels: bool = False
    note: str = ""
    recipe: str = ""
    places: tuple[list[int], list[int]] | None = None

    def headings(self) -> list[str]:
        names = [str(name) for name in self.data.columns]
        return [one_line(name if self.matrix else _heading(name)) for name in names]

    def kinds(self) -> list[str]:
        """The content of each column: text, whole (integers), pixels or share."""
        return [self._kind(str(name), dtype.kind) for name, dtype in zip(self.data.columns, self.data.dtypes)]

    def _kind(self, name: str, dtype: str) -> str:
        if dtype in "iu":
            return "whole"
        if dtype != "f":
            return "text"
        return "pixels" if self.pixels or (not self.matrix and name.partition(":")[0] in PIXEL_COLUMNS) else "share"


def _heading(name: str) -> str:
    """The heading of a column: "f1" is "F1", and "f1: model" is "F1: model"."""
    known, colon, rest = name.partition(": ")
    return f"{HEADINGS.get(known, known)}{colon}{rest}"


def matrix_table(confusion: Confusion, view: str, selection: Selection | None = None) -> Table:
    """One view of a matrix; the first column has the gt labels. All labels, or only those of a selection.

    More labels than can be drawn are joined.
    """
    import pandas as pd

    confusion, (rows, columns), _ = drawn_matrix(confusion, selection or every_label(confusion))
    values = view_values(confusion, view)[np.ix_(rows, columns)]
    # Two taxonomies can use the same label name, so columns are built by position, not by name.
    data = pd.DataFrame(values, columns=pd.Index([confusion.labels[j] for j in columns], dtype=object))
    gt, pred = confusion.side_names
    data.insert(0, gt, pd.Series([confusion.labels[i] for i in rows], dtype=object), allow_duplicates=True)
    name = view_title(view, confusion)
    title = f"{name[:1].upper()}{name[1:]}, rows {gt}, columns {pred}"
    return Table(TABLE_OF_VIEW[view], title, data, matrix=True, pixels=view == "pixels")


def collapsed_table(confusion: Confusion) -> Table:
    """Background against Content: two gt rows, and two pred columns for each view."""
    import pandas as pd

    collapsed = confusion.collapse()
    columns: dict[str, object] = {"gt": list(collapsed.labels)}
    for view in VIEWS:
        values = view_values(collapsed, view)
        columns |= {f"{VIEW_TITLES[view]}: {label}": values[:, j] for j, label in enumerate(collapsed.labels)}
    return Table("collapsed", "Background against Content", pd.DataFrame(columns))


NO_CLASSES = f"n/a: the two sides have different labels ({USE_A_MAPPING})."


def class_table(confusion: Confusion, selection: Selection | None = None) -> Table:
    data = confusion.classes()
    return Table("classes", "Classes", data.iloc[selection.rows] if selection else data)


def average_table(comparison: Comparison, confusion: Confusion) -> Table:
    """The scores of Content, then all averages."""
    import pandas as pd

    rows = [{"average": CONTENT_TITLE, **confusion.content()}]
    if confusion.diagonal:
        averages = average_scores(comparison, confusion, ALL_AVERAGES)
        rows += [{"average": average.title, **scores} for average, scores in averages]
    return Table("averages", "Averages", pd.DataFrame(rows))


def confusions_table(confusion: Confusion, most: int = 20) -> Table:
    import pandas as pd

    columns = [*confusion.side_names, "pixels", "share"]
    title = "Largest confusions" if confusion.diagonal else "Largest cells"
    return Table("confusions", title, pd.DataFrame(largest_confusions(confusion, most), columns=columns))


def object_tables(objects: Objects, iou: float = HEADLINE_IOU) -> list[Table]:
    """The scores of all objects, and a table with one row per label that has objects.

    AP comes first; without it, panoptic quality, and a note says why.
    """
    import pandas as pd

    no_ap = f"There is no AP. {objects.why_no_ap}" if objects.why_no_ap else ""
    note = " ".join(filter(None, (no_ap, objects.note)))
    panoptic = {
        name.upper(): value for name, value in mean_qualities(objects.panoptic()).items() if objects.space.shared
    }
    values = panoptic if objects.why_no_ap else objects.summary | panoptic
    for class_aware, suffix in ((True, ""), (False, ANY_LABEL)):
        if objects.space.shared or not class_aware:
            scores = objects.scores_at(iou, class_aware)
            values |= {f"{HEADINGS.get(name, name)} at IoU {iou:.2f}{suffix}": scores[name] for name in SCORES}
    rows = pd.DataFrame({"measure": list(values), "value": np.array(list(values.values()), float)})
    shapes = SHAPES[objects.shapes]
    parts = objects.class_scores_at(iou), objects.per_class[list(AP_COLUMNS)], objects.panoptic()[list(QUALITIES)][:-1]
    classes = pd.concat(parts, axis=1)
    classes = classes[classes["gt"] + classes["pred"] > 0].reset_index(drop=True)
    columns = ["label", "gt", "pred"]
    if objects.space.shared:
        found = [*COUNTS, *SCORES]
        columns += [*QUALITIES, *found] if objects.why_no_ap else [*found, *AP_COLUMNS, *QUALITIES]
    return [
        Table("object_scores", f"Objects ({shapes})", rows, note=note),
        Table("objects", f"Objects by class, found at IoU {iou:.2f}", classes[columns], note=note),
    ]


def ranked_pairs_table(objects: Objects, iou: float = HEADLINE_IOU, pairing: str = "coco") -> Table:
    """Which prediction is paired with which gt object; with many pages this is a long table."""
    title = f"Ranked pairs at IoU {iou:.2f}, pairing {pairing}"
    return Table(RANKED_PAIRS, title, objects.ranked_pairs(iou, pairing))


def interval_tables(intervals: Intervals | None, difference: Intervals | None) -> list[Table]:
    """Confidence intervals of the figures and class scores, and of their difference from the baseline."""
    given = {"intervals": ("Intervals", intervals), "difference": ("Difference from the baseline", difference)}
    tables = [_interval_table(name, title, found) for name, (title, found) in given.items() if found]
    if intervals and intervals.resampling.kind == "none":
        unit, data = intervals.resampling.unit, intervals.by_unit()
        data = data.rename(columns={unit: "unit"})
        tables.append(Table("units", f"F1 of each {unit}, because there are no intervals", data))
    return tables


def _interval_table(name: str, title: str, intervals: Intervals) -> Table:
    """The figures first, then the scores of each label."""
    import pandas as pd

    # In print, the p-value and the verdict stand for the share of resamples on the other side of 0.
    figures = intervals.headline.drop(columns="other_side", errors="ignore")
    figures.insert(0, "of", [figure_title(figure) for figure in figures.pop("figure")])
    classes = intervals.classes().drop(columns="other_side", errors="ignore")
    titles = [SCORE_TITLES[score] for score in classes.pop("score")]
    classes.insert(0, "of", [f"{label}: {title}" for label, title in zip(classes.pop("label"), titles)])
    data = pd.concat([figures, classes])
    data = data[data["value"].notna()].reset_index(drop=True)
    if intervals.is_difference:
        data.insert(list(data).index("p"), "verdict", data.pop("verdict"))
    note = resampling_text(intervals) + (f"; {TEST_TEXT}" if intervals.is_difference else "")
    return Table(name, title, data, note=note, recipe=intervals.recipe)


def family_tables(families: FamilyConfusion) -> list[Table]:
    """For gt and for pred, the shares of identity, in family and out of family; then the matrix of every family."""
    given = []
    for name, side, data in (
        ("families", "gt", families.given_gt()),
        ("families_pred", "pred", families.given_pred()),
    ):
        preferred = [preferred_name(label) for label in data["preferred"]]
        given.append(Table(name, f"Families, given {side}", data.assign(preferred=preferred), recipe=families.recipe))
    return [*given, *(_family_matrix(k, matrix) for k, matrix in enumerate(families.all_matrices, 1))]


def _family_matrix(number: int, matrix: FamilyMatrix) -> Table:
    import pandas as pd

    data = pd.DataFrame(matrix.values, columns=pd.Index([*matrix.pred_labels, OUT_OF_FAMILY], dtype=object))
    gt = pd.Series([*matrix.gt_labels, OUT_OF_FAMILY], dtype=object)
    data.insert(0, "gt", gt, allow_duplicates=True)
    title = f"Family {matrix.family}"
    return Table(f"family_{number}", title, data, matrix=True, pixels=True, places=matrix.with_oof)


def findings_table(comparison: Comparison) -> Table:
    import pandas as pd

    columns = ["severity", "code", "count", "message", "fix"]
    facts = (finding.as_dict() | {"message": one_line(finding.message)} for finding in comparison.findings)
    rows = [[fact[name] for name in columns] for fact in facts]
    return Table("findings", "Findings", pd.DataFrame(rows, columns=columns))


def recipe_table(comparison: Comparison, method: str) -> Table:
    import pandas as pd

    rows = list(comparison.settings.with_version(method=method).items())
    return Table("recipe", "Recipe", pd.DataFrame(rows, columns=["setting", "value"]))


def page_table(comparison: Comparison, method: str) -> Table:
    return Table("pages", "Pages, worst first", comparison.page_table(method))


def document_table(comparison: Comparison, method: str) -> Table:
    return Table("documents", "Documents, worst first", comparison.document_table(method))


def csv_text(table: Table) -> str:
    """The table as CSV: full precision, quoted text, n/a as an empty cell; equal bytes on every machine.

    A page or label can have any name, so text that a spreadsheet would take for a formula is marked as text.
    """
    data = _valid_text(table.data, as_text_cell)
    data.columns = data.columns.map(as_text_cell)
    return data.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")


def write_parquet(table: Table, path: Path) -> None:
    _valid_text(table.data).to_parquet(path, index=False)


def _valid_text(data: pd.DataFrame, mark: Callable[[Any], Any] = lambda value: value) -> pd.DataFrame:
    """The data with text that UTF-8 can encode, marked by `mark`; a file name can contain lone surrogates."""
    columns = {name: data[name].tolist() for name, dtype in zip(data.columns, data.dtypes) if dtype.kind not in "iuf"}
    return data.assign(**{name: _encodable([str(mark(value)) for value in values]) for name, values in columns.items()})


def _encodable(texts: list[str]) -> list[str]:
    try:
        "".join(texts).encode()  # of all at once, because hardly ever a text cannot be encoded
    except UnicodeEncodeError:
        return [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
    return texts
