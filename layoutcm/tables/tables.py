"""The tables of a comparison as DataFrames, used by all report files and pages.

Numbers have full precision; each output format decides how many digits it writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from msgspec import UNSET, to_builtins

from layoutcm.diagnosis.page_tiles import PageTiles
from layoutcm.filling.reading import dense
from layoutcm.layouts.model import GT, PRED
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_trees import OOF, OUT_OF_FAMILY, preferred_name
from layoutcm.metrics.objects.average_precision import HEADLINE_IOU
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.metrics.objects.ranked_pairs import QUALITIES
from layoutcm.metrics.scores import SCORES
from layoutcm.results.measures import (
    CONTENT_ROW,
    MEASURES,
    OBJECT_SCORES,
    OF_PIXELS,
    SCORE_TITLES,
    figure_title,
    grid_rows,
    measure_of,
)
from layoutcm.results.result import Result, frame_of
from layoutcm.results.types import IntervalTables
from layoutcm.results.verdict import verdict_words
from layoutcm.results.view_types import Families, LabelledMatrix, ObjectScores
from layoutcm.results.vocabulary import WITH_TRUTH, Vocabulary
from layoutcm.tables.interval_texts import needed_note, note_on_tests, resampling_of, resampling_text
from layoutcm.tables.label_folding import drawn_matrix
from layoutcm.tables.matrix_views import (
    TABLE_OF_VIEW,
    VIEW_TITLES,
    VIEWS,
    Selection,
    every_label,
    largest_confusions,
    largest_title,
    view_title,
    view_values,
)
from layoutcm.wording import (
    USE_A_MAPPING,
    as_heading,
    iou_text,
    one_line,
)

SHAPES = {"box": "boxes", "mask": "masks"}
TITLE_OF_2X2 = "2x2: Background and Content"
ANY_LABEL = ", whatever the label"
COUNTS = ("tp", "fp", "fn")
RANKED_PAIRS = "ranked_pairs"
# Float columns that contain pixels or another amount, and those with numbers that are not a share of something, such as
# the ends of intervals. All other float columns contain shares.
PIXEL_COLUMNS = frozenset(
    {"pixels", "total", "documents_needed", *(f"{side}_pixels" for side in ("gt", "pred", "a", "b", "both"))}
)
SCORE_KINDS = ("share", "number")  # kinds of columns that `score_text` writes
NUMBER_COLUMNS = frozenset({"p", "low", "high", "difference", "threshold", "gain"})
HEADINGS = {
    **{name: one.short_title for one in MEASURES for name in (one.column, one.name) if name},
    "gt_pixels": "gt pixels",
    "pred_pixels": "pred pixels",
    "f1": "F1",
    "iou": "IoU",
    "error_share": "share of error",
    "share": "share of gt",
    "share_of_a": "share of A",
    "share_of_wrong": "share of wrong pixels",
    "share_of_label": "share of the label",
    "a_pixels": "A pixels",
    "b_pixels": "B pixels",
    "both_pixels": "pixels of both",
    **{name: name.upper() for name in (*OBJECT_SCORES, *QUALITIES, *COUNTS)},
    "in_family": "in family",
    "oof": OUT_OF_FAMILY,
    "preferred": "mostly confused with",
    "better_in": "better in",
    "worse_in": "worse in",
    "documents_needed": "documents needed",
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
    differs from the recipe of the comparison. `titles` is {column: heading} of columns whose heading differs from that
    in `HEADINGS`. If it `joins_ends`, writers of text join the columns with the ends of an interval. `places` numbers
    the labels of the rows and of the columns of a family; a cell is correct if both numbers are equal.
    """

    name: str
    title: str
    data: pd.DataFrame
    matrix: bool = False
    pixels: bool = False
    note: str = ""
    recipe: str = ""
    places: tuple[list[int], list[int]] | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    joins_ends: bool = False

    def headings(self) -> list[str]:
        names = [str(name) for name in self.data.columns]
        return [one_line(name if self.matrix else self.titles.get(name) or heading_of(name)) for name in names]

    def kinds(self) -> list[str]:
        """The content of each column: text, whole (integers), pixels, share, or another number.

        A share and a number are written alike, but a share may have a bar or a colour.
        """
        return [self._kind(str(name), dtype.kind) for name, dtype in zip(self.data.columns, self.data.dtypes)]

    def _kind(self, name: str, dtype: str) -> str:
        if dtype in "iu":
            return "whole"
        if dtype != "f":
            return "text"
        name = "" if self.matrix else name.partition(":")[0]  # the columns of a matrix are labels
        if self.pixels or name in PIXEL_COLUMNS:
            return "pixels"
        return "number" if name in NUMBER_COLUMNS or name.endswith(("_low", "_high")) else "share"


def heading_of(name: str) -> str:
    """The heading of a column: "f1" is "F1", "f1: model" is "F1: model", and "f1_low" is "F1, low"."""
    known, colon, rest = name.partition(": ")
    for end in ("low", "high"):
        if known.endswith(f"_{end}"):
            return f"{heading_of(known.removesuffix(f'_{end}'))}, {end}{colon}{rest}"
    return f"{HEADINGS.get(known, known)}{colon}{rest}"


def matrix_table(confusion: Confusion, view: str, selection: Selection | None = None) -> Table:
    """One view of a matrix, with all labels or a selection of them; the first column has the gt labels.

    More labels than can be drawn are joined.
    """
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
    """The 2x2 of Background and Content: two gt rows, and two pred columns for each view."""
    collapsed = confusion.collapse()
    columns: dict[str, object] = {"gt": list(collapsed.labels)}
    for view in VIEWS:
        values = view_values(collapsed, view)
        columns |= {f"{VIEW_TITLES[view]}: {label}": values[:, j] for j, label in enumerate(collapsed.labels)}
    return Table("collapsed", TITLE_OF_2X2, pd.DataFrame(columns))


NO_CLASSES = f"n/a: the two sides have different labels ({USE_A_MAPPING})."


def class_table(
    confusion: Confusion, selection: Selection | None = None, intervals: IntervalTables | None = None
) -> Table:
    """One row per label: pixels and scores, and the ends of the interval of F1, if there are intervals."""
    data, note, recipe = confusion.classes(), "", ""
    if intervals is not None and intervals.interval != "none":
        note, recipe = resampling_text(resampling_of(intervals)), intervals.recipe
        ends = {row.label: (row.low, row.high) for row in reversed(intervals.classes) if row.score == "f1"}
        for k, name in enumerate(("f1_low", "f1_high")):
            column = np.array([ends.get(label, (None, None))[k] for label in confusion.labels], float)
            data.insert(list(data).index("iou"), name, column)
    shown = data.iloc[selection.rows] if selection else data
    return Table("classes", "Classes", shown, note=note, recipe=recipe)


def average_table(result: Result) -> Table:
    """The scores of Content, then all averages, if labels have scores."""
    rows = [
        {"average": row, **{name: result.measures[one.name] for name, one in scores.items()}}
        for row, scores in grid_rows(OF_PIXELS).items()
        if result.has_classes or row == CONTENT_ROW
    ]
    return Table("averages", "Averages", frame_of(rows))


def measure_table(result: Result) -> Table:
    """Every measure that has a value in the result, with its interval; `gate` takes the same names."""
    rows = []
    for one in MEASURES:
        value, ends = result.measures.get(one.name), result.interval_of(one.name)
        if value is not None:
            low, high = (None, None) if ends is None else (ends.low, ends.high)
            rows.append({"measure": one.name, "title": one.title, "value": value, "low": low, "high": high})
    if result.intervals is None or not any(row["low"] is not None for row in rows):
        rows = [{name: row[name] for name in ("measure", "title", "value")} for row in rows]
        return Table("measures", "Measures", frame_of(rows))
    note = resampling_text(resampling_of(result.intervals))
    return Table("measures", "Measures", frame_of(rows), note=note, recipe=result.intervals.recipe)


def confusions_table(confusion: Confusion, most: int = 20) -> Table:
    share = {"scores": "share", "agreement": "share_of_a"}[confusion.vocabulary.measured]
    data = pd.DataFrame(largest_confusions(confusion, most), columns=[*confusion.side_names, "pixels", share])
    return Table("confusions", as_heading(largest_title(confusion)), data)


def object_tables(objects: ObjectScores) -> list[Table]:
    """The scores of all objects, and a table with one row per label that has objects.

    AP comes first; without it, panoptic quality, and a note says why.
    """
    at, shared = objects.at_iou, objects.headline is not None
    no_ap = f"There is no AP. {objects.why_no_ap}" if objects.why_no_ap else ""
    note = " ".join(filter(None, (no_ap, objects.note)))
    panoptic = to_builtins(objects.panoptic) if objects.panoptic else {}
    values = {} if objects.why_no_ap else dict(objects.summary)
    values |= {measure_of(f"objects.{name}").title: panoptic.get(name) for name in QUALITIES if shared}
    for scores, suffix in ((at, ""), (at.class_blind, ANY_LABEL)):
        if shared or suffix:
            at_iou = f"at IoU {iou_text(at.iou)}{suffix}"
            values |= {f"object {SCORE_TITLES[name]}, {at_iou}": scores[name] for name in SCORES}
    rows = pd.DataFrame({"measure": list(values), "value": np.array(list(values.values()), float)})
    parts = [frame_of(to_builtins(found)) for found in (at.classes, objects.per_class, panoptic.get("classes", []))]
    wanted = [["label", "gt", "pred", *COUNTS, *SCORES], OBJECT_SCORES, QUALITIES]
    classes = pd.concat([one[[name for name in own if name in one]] for one, own in zip(parts, wanted)], axis=1)
    if len(classes):
        classes = classes[classes["gt"] + classes["pred"] > 0].reset_index(drop=True)
    columns = ["label", "gt", "pred"]
    if shared:
        found = [*COUNTS, *SCORES]
        columns += [*QUALITIES, *found] if objects.why_no_ap else [*found, *OBJECT_SCORES, *QUALITIES]
    return [
        Table("object_scores", f"Objects ({SHAPES[objects.shapes]})", rows, note=note),
        Table(
            "objects", f"Objects by class, found at IoU {iou_text(at.iou)}", classes.reindex(columns=columns), note=note
        ),
    ]


def ranked_pairs_table(objects: Objects, iou: float = HEADLINE_IOU, pairing: str = "coco") -> Table:
    """Which prediction is paired with which gt object; with many pages this is a long table."""
    title = f"Ranked pairs at IoU {iou_text(iou)}, pairing {pairing}"
    return Table(RANKED_PAIRS, title, objects.ranked_pairs(iou, pairing))


def interval_tables(intervals: IntervalTables | None, difference: IntervalTables | None) -> list[Table]:
    """Confidence intervals of the figures and class scores, and of their difference from the baseline."""
    given = {"intervals": ("Intervals", intervals), "difference": ("Difference from the baseline", difference)}
    tables = [_interval_table(name, title, found) for name, (title, found) in given.items() if found]
    if intervals and intervals.by_unit:
        unit = intervals.units[:-1]
        data = frame_of(to_builtins(intervals.by_unit)).rename(columns={unit: "unit"})
        tables.append(Table("units", f"F1 of each {unit}, because there are no intervals", data))
    return tables


def _interval_table(name: str, title: str, intervals: IntervalTables) -> Table:
    """The figures first, then the scores of each label."""
    rows: list[dict[str, Any]] = []
    for row in to_builtins([*intervals.headline, *intervals.classes]):
        label = row.pop("label", None)
        of = figure_title(row.pop("figure")) if label is None else f"{label}: {SCORE_TITLES[row.pop('score')]}"
        row.pop("other_side", None)  # in print, the p-value and the verdict stand for it
        if row["value"] is not None:
            rows.append({"of": of, **row})
    data, used = frame_of(rows, ("of", "value", "low", "high", intervals.units, "remark")), resampling_of(intervals)
    note = resampling_text(used)
    if any("p" in row for row in rows):
        data.insert(list(data).index("p"), "verdict", data.pop("verdict"))
        data["verdict"] = [verdict_words(verdict, used.unit) for verdict in data["verdict"]]
        note = "; ".join([note, note_on_tests(intervals), needed_note(used)])
    return Table(name, title, data, note=note, recipe=intervals.recipe)


def family_tables(families: Families) -> list[Table]:
    """For gt and for pred, the shares of identity, in family and out of family; then the matrix of every family."""
    given = []
    for name, side, rows in (("families", "gt", families.given_gt), ("families_pred", "pred", families.given_pred)):
        data = frame_of(to_builtins(rows))
        data["preferred"] = [preferred_name(row["preferred"]) for row in rows]
        given.append(Table(name, f"Families, given {side}", data, recipe=families.recipe))
    return [*given, *(_family_matrix(k, *item) for k, item in enumerate(families.matrices.items(), 1))]


def _family_matrix(number: int, family: str, matrix: LabelledMatrix) -> Table:
    rows, columns = (
        [OUT_OF_FAMILY if name == OOF else name for name in side] for side in (matrix.gt_labels, matrix.pred_labels)
    )
    data = pd.DataFrame(dense(matrix.values), columns=pd.Index(columns, dtype=object))
    data.insert(0, "gt", pd.Series(rows, dtype=object), allow_duplicates=True)
    places = _family_places(matrix)
    return Table(f"family_{number}", f"Family {family}", data, matrix=True, pixels=True, places=places)


def _family_places(matrix: LabelledMatrix) -> tuple[list[int], list[int]]:
    """A number for each row and column; results of the first schema have names only, and OOF comes last."""
    if matrix.gt_places is not UNSET and matrix.pred_places is not UNSET:
        return matrix.gt_places, matrix.pred_places
    gt, pred = matrix.gt_labels[:-1], matrix.pred_labels[:-1]
    numbers = {name: k for k, name in enumerate(dict.fromkeys([*gt, *pred]))}
    return [*(numbers[name] for name in gt), len(numbers)], [*(numbers[name] for name in pred), len(numbers)]


MODEL = "model"


def pair_table(matrices: Mapping[str, Confusion], view: str, selection: Selection) -> Table:
    """One view of two matrices, {title: matrix}, one below the other; the first column has the titles."""
    first, second = (matrix_table(one, view, shown) for one, shown in _drawn(list(matrices.values()), selection))
    # Two taxonomies can use the same label name, so columns are joined by position, not by name.
    both = [one.data.set_axis(range(one.data.shape[1]), axis=1) for one in (first, second)]
    data = pd.concat(both, ignore_index=True).set_axis(first.data.columns, axis=1)
    titles = [title for title, one in zip(matrices, both) for _ in range(len(one))]
    data.insert(0, MODEL, pd.Series(titles, dtype=object), allow_duplicates=True)
    return replace(first, data=data)


def difference_table(
    first: Confusion, second: Confusion, view: str, selection: Selection, names: Sequence[str]
) -> Table:
    """One view of the second matrix minus the same view of the first."""
    before, after = (matrix_table(one, view, shown) for one, shown in _drawn([first, second], selection))
    values = after.data.iloc[:, 1:].to_numpy(float) - before.data.iloc[:, 1:].to_numpy(float)
    data = after.data.copy()
    data.isetitem(list(range(1, data.shape[1])), values)
    title = f"{after.title}: {names[1]} minus {names[0]}"
    return replace(after, name=f"difference-{after.name}", title=title, data=data)


def _drawn(matrices: Sequence[Confusion], selection: Selection) -> list[tuple[Confusion, Selection]]:
    """The matrices with the same small labels joined, if they are more than can be drawn."""
    sizes = np.sum([one.gt_pixels + one.pred_pixels for one in matrices], axis=0)
    return [drawn_matrix(one, selection, sizes)[:2] for one in matrices]


def words_table(tiles: PageTiles, vocabulary: Vocabulary = WITH_TRUTH) -> Table:
    """One row per pair of label sets, the largest first: words as binary numbers, labels, agreement, pixels."""
    rows, sides = [], vocabulary.sides
    bits = [len(positions) for positions in (tiles.space.gt_positions, tiles.space.pred_positions)]
    kinds, pixels = tiles.agreement().tolist(), tiles.pairs.pixels.tolist()
    for pair in sorted(range(len(pixels)), key=lambda k: -pixels[k]):
        words = {f"{sides[side]} word": f"0b{tiles.word(side, pair):0{bits[side]}b}" for side in (GT, PRED)}
        names = {sides[side]: " + ".join(sorted(tiles.set_names(side, pair))) for side in (GT, PRED)}
        rows.append(words | names | {"agreement": vocabulary.kinds[kinds[pair]], "pixels": pixels[pair]})
    note = "bit 0 of a word, the last digit, is Background"
    return Table("words", "Packed words", pd.DataFrame(rows), note=note)
