"""The fields of a `Result`, and its parts: everything that is known about one comparison, as frozen values.

JSON is the encoding of these types, and docs/schema is generated from them: the comment behind a field describes it.
None is n/a (0 / 0). A part that was not asked for is None or `UNSET`, and absent from the JSON. Rows are gt, columns
pred. Without a truth, gt is A and pred is B.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType, field

from layoutcm.results import view_types as views
from layoutcm.results.common_parts import (
    Columns,
    FindingRecord,
    MaybeShare,
    MaybeText,
    Number,
    Part,
    PixelMatrix,
    Scores,
    Share,
    ShareMatrix,
    Views,
)
from layoutcm.results.vocabulary import Vocabulary

SCHEMA = "2.0"  # a new first number means that keys were removed or have another meaning


class Input(Part, frozen=True, kw_only=True):
    """One of the two sides that were compared."""

    name: str  # Name of the file or folder, without the folder it is in.
    format: str  # Name of the file format.
    sha256: str | None  # SHA-256 digest of the file; of several, of what sha256sum prints. null: in memory.
    manifest: MaybeText = UNSET  # Digest of the manifest, for a set of parts.
    annotator: MaybeText = UNSET  # The annotator whose regions were read, of several.
    pages: int  # Number of pages.
    regions: int  # Number of regions, after repairs and mapping.


class Inputs(Part, frozen=True, kw_only=True):
    """Both sides."""

    gt: Input  # Ground truth, or A.
    pred: Input  # Prediction, or B.


class HeadlineRecord(Part, frozen=True, kw_only=True):
    """A headline number with everything that a quotation needs."""

    figure: str  # Name of the measure, such as macro.f1 or objects.ap.
    value: Share  # Its value.
    recipe: str  # All settings in one line, with the version of layoutcm.
    version: str  # Version of layoutcm that computed it.
    gt_digest: str | None  # SHA-256 digest of gt, of the manifest for a set of parts; null if it was made in memory.
    pred_digest: str | None  # The same of pred.
    severe: list[str] | UnsetType = UNSET  # Codes of severe findings: the number says nothing about a model.


class Averages(Part, frozen=True, kw_only=True):
    """Averages over the labels."""

    micro: Scores  # Of all label pixels together.
    macro: Scores  # Mean over the labels.
    weighted: Scores  # Mean over the labels, weighted by their pixels in gt.


class ClassScores(Part, frozen=True, kw_only=True):
    """The pixels and scores of one label."""

    label: str  # Name of the label.
    gt_pixels: float  # Pixels that carry the label in gt.
    pred_pixels: float  # Pixels that carry the label in pred.
    precision: Share  # Precision of the label.
    recall: Share  # Recall of the label.
    f1: Share  # F1 of the label.
    iou: Share  # Intersection over union of the label.


class ContentPixels(Part, frozen=True, kw_only=True):
    """Pixels that carry any label, each counted once."""

    both: float  # Content on both sides.
    gt: float  # Content in gt.
    pred: float  # Content in pred.


class Level(Part, frozen=True, kw_only=True):
    """The numbers of a document or of a page."""

    page: MaybeText = UNSET  # Name of the page.
    document: str  # Name of the document.
    pages: int | UnsetType = UNSET  # Number of pages of the document.
    pixels: Number  # Number of pixels.
    agreement: MaybeShare = UNSET  # Share of pixels with the same labels on both sides, if neither is the truth.
    content: Scores  # Content against Background, each pixel counted once.
    content_pixels: ContentPixels  # The pixels that these scores are computed from.
    right: Share  # Share of the label pixels of gt whose label pred has at that pixel, too.
    confusion: PixelMatrix  # The matrix in pixels; with the method tensor, the mass for recall.
    recall: ShareMatrix = UNSET  # Share of gt label i that is predicted as j.
    precision: ShareMatrix = UNSET  # Share of pred label j that is i in gt.
    f1: ShareMatrix = UNSET  # Harmonic mean of the two.
    recall_mass: PixelMatrix | UnsetType = UNSET  # Only with the method tensor: the matrix of recall.
    precision_mass: PixelMatrix | UnsetType = UNSET  # Only with the method tensor: the matrix of precision.
    pred_pixels: list[float]  # Pixels that carry each label in pred, in the order of `labels`.
    classes: list[ClassScores] | None  # One record per label; of over 200, those that occur. null if labels differ.
    collapsed: list[list[float]]  # Background against Content, counted in label pixels.


class PageScores(Columns, frozen=True, kw_only=True):
    """The table of pages, column by column; absent above 20,000 pages."""

    page: list[str]  # Names of the pages.
    document: list[str]  # Their documents.
    pixels: list[Number]  # Their pixels.
    scores: dict[str, list[Share]]  # Macro scores, micro F1 and content scores; without a truth, the agreement.


class PageMatching(Part, frozen=True, kw_only=True):
    """How pages were matched."""

    matched: dict[str, int]  # Number of pages matched by each rule.
    only_in_gt: list[str]  # Pages that only gt has.
    only_in_pred: list[str]  # Pages that only pred has.


class IntervalRow(Part, frozen=True, kw_only=True):
    """A value with the ends of its interval, or a difference with its verdict."""

    model: MaybeText = UNSET  # Name of the prediction, in a leaderboard.
    figure: MaybeText = UNSET  # Name of the figure.
    label: MaybeText = UNSET  # Name of the label.
    score: MaybeText = UNSET  # Score of the label: precision, recall, f1 or iou.
    value: Share  # Value, or difference.
    low: Share  # Lower end of the interval.
    high: Share  # Upper end of the interval.
    other_side: MaybeShare = UNSET  # Share of resamples that are 0 or have the other sign.
    p: MaybeShare = UNSET  # p-value of the paired randomisation test, corrected for all differences (Holm).
    better_in: int | UnsetType = UNSET  # Number of units in which it is better.
    worse_in: int | UnsetType = UNSET  # Number of units in which it is worse.
    documents_needed: int | UnsetType | None = UNSET  # Documents that would show a difference of this size.
    documents: int | UnsetType = UNSET  # Number of documents with a part in it.
    pages: int | UnsetType = UNSET  # Number of pages with a part in it, if there is one document.
    verdict: str | UnsetType | None = UNSET  # better, worse, no difference shown, too few documents; null if undefined.
    remark: str  # Why there is no interval, or what else one should know; may be empty.


class UnitRow(Part, frozen=True, kw_only=True):
    """F1 of one unit."""

    document: MaybeText = UNSET  # Name of the document.
    page: MaybeText = UNSET  # Name of the page.
    micro_f1: Share  # Micro F1, or its difference.
    macro_f1: Share  # Macro F1, or its difference.
    content_f1: Share  # F1 of content, or its difference.


class IntervalTables(Part, frozen=True, kw_only=True):
    """Intervals of all figures and class values, or the difference from another prediction."""

    units: Literal["documents", "pages"]  # What a unit is: a document, or a page if there is only one document.
    unit_count: int  # How many there are.
    few_documents: bool  # Whether there are fewer than 20 units: intervals are then rough.
    interval: Literal["none", "jackknife", "percentile"]  # Kind of interval; none below 6 units.
    n: int  # Number of resamples.
    seed: int  # Seed of the random numbers.
    level: float  # Confidence level.
    recipe: str  # All settings in one line.
    differences: int | UnsetType = UNSET  # Number of differences; p of a figure or of classes is corrected for all.
    headline: list[IntervalRow]  # One record per figure.
    classes: list[IntervalRow]  # One record per label and score.
    by_unit: list[UnitRow] | UnsetType = UNSET  # The values of each unit, if there are too few for intervals.


class SliceRow(Part, frozen=True, kw_only=True):
    """Pages that have something in common, against the rest."""

    attribute: MaybeText = UNSET  # The attribute of the slice, if slices of all attributes are ranked.
    value: str  # The value of the attribute.
    pages: int  # Number of pages.
    documents: int  # Number of documents.
    micro_f1: Share  # Micro F1 without Background.
    macro_f1: Share  # Macro F1 without Background.
    content_f1: Share  # F1 of content.
    low: Share  # Lower end of the interval of the tested figure.
    high: Share  # Upper end.
    rest: Share  # The tested figure on all other pages.
    difference: Share  # The tested figure minus that of the rest.
    difference_low: Share  # Lower end of its interval.
    difference_high: Share  # Upper end.
    p: Share  # p-value, corrected for the number of slices.
    verdict: str | None  # better, worse, no difference shown, too few documents; null if undefined.
    units: int | UnsetType = UNSET  # Number of units that the verdict is from: of the slice or the rest, if fewer.
    remark: MaybeText = UNSET  # Why there is no interval, or what else one should know; may be empty.
    error_share: Share  # Share of all wrong pixels.
    explained: Share  # The part of it that is more than the rest would have.


class Slices(Part, frozen=True, kw_only=True):
    """Figures by an attribute of pages."""

    attribute: str | None  # The attribute; null for the worst slices of all attributes.
    figure: str  # The figure that is tested.
    level: float  # Confidence level.
    seed: int  # Seed of the random numbers.
    units: Literal["documents", "pages"] = "documents"  # What a unit is: a document, or a page if there is only one.
    recipe: str  # All settings in one line.
    tests: str = ""  # How intervals and p-values were computed.
    whole: Share = None  # The tested figure of all pages.
    rows: list[SliceRow]  # One record per slice.


class BoardRow(Part, frozen=True, kw_only=True):
    """One prediction of several."""

    model: str  # Name of the prediction.
    rank: int | UnsetType = UNSET  # 1 for the best.
    models: int | UnsetType = UNSET  # Number of predictions.
    baseline: MaybeText = UNSET  # Name of the prediction that the others are compared with.
    figure: MaybeText = UNSET  # The figure that decides the order, and whose difference is given.
    micro_f1: Share  # Micro F1 without Background.
    micro_f1_low: Share  # Lower end of its interval.
    micro_f1_high: Share  # Upper end.
    macro_f1: Share  # Macro F1 without Background.
    macro_f1_low: Share  # Lower end of its interval.
    macro_f1_high: Share  # Upper end.
    content_f1: Share  # F1 of content.
    content_f1_low: Share  # Lower end of its interval.
    content_f1_high: Share  # Upper end.
    difference: Share  # The figure minus that of the baseline; null for the baseline.
    difference_low: Share  # Lower end of its interval.
    difference_high: Share  # Upper end.
    p: Share  # p-value of the paired randomisation test, corrected for all predictions (Holm).
    verdict: str | None  # What is said of the difference, or "baseline"; null if it is undefined.
    documents_needed: int | UnsetType | None = UNSET  # Documents that would show a difference of this size.
    remark: str  # Why there is no interval, or what else one should know; may be empty.
    measures: dict[str, Share] | UnsetType = UNSET  # {measure: value} of the columns of a leaderboard.


class BoardClass(Part, frozen=True, kw_only=True):
    """F1 of one label and prediction."""

    label: str  # Name of the label.
    model: str  # Name of the prediction.
    gt_pixels: float | UnsetType = UNSET  # Pixels of the label in gt.
    f1: Share  # F1 of the label.
    f1_low: Share  # Lower end of its interval.
    f1_high: Share  # Upper end.
    difference: Share  # F1 minus that of the baseline.
    difference_low: Share  # Lower end of its interval.
    difference_high: Share  # Upper end.
    p: Share  # p-value, corrected for all tests of the table.
    verdict: str | None  # What is said of the difference, or "baseline"; null if it is undefined.
    documents_needed: int | UnsetType | None = UNSET  # Documents that would show a difference of this size.
    remark: str  # Why there is no interval, or what else one should know; may be empty.


class ResultFields(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of a result; `results.result.Result` adds what is computed from them."""

    schema: str  # Version of this description. A new first number means that keys were removed or have another meaning.
    version: str  # Version of layoutcm that wrote the result.
    recipe: str  # The two files and every setting that changes the numbers, in one line for people: the signature.
    recipe_fields: dict[str, str]  # The same as {setting: value}.
    vocabulary: Vocabulary  # The words for the two sides, and for what one of them lacks.
    inputs: Inputs  # The two sides that were compared.
    headline: list[HeadlineRecord]  # The headline numbers, each with everything that a quotation needs.
    measures: dict[str, Share]  # {name: value} of every measure but those of single labels, such as macro.f1.
    method: Literal["matrix", "tensor"]  # How pixels with several labels are counted.
    weights: str  # What a pixel counts: area, each the same.
    taxonomy: Literal["same", "different", "mapped"]  # How the labels of the two sides relate.
    labels: list[str]  # Labels of rows and columns: Background, then all; or those of gt, then those of pred.
    gt_labels: list[str]  # Labels of gt, without Background.
    pred_labels: list[str]  # Labels of pred, without Background.
    page_count: int = field(name="pages")  # Number of pages.
    document_count: int = field(name="documents")  # Number of documents.
    pixels: Number  # Number of pixels.
    ignored_pixels: Number  # Pixels that are not judged, which no other number counts.
    confusion_matrix: PixelMatrix = field(name="confusion")  # The matrix in pixels; with tensor, the mass for recall.
    recall: ShareMatrix = UNSET  # Share of gt label i that is predicted as j.
    precision: ShareMatrix = UNSET  # Share of pred label j that is i in gt.
    f1: ShareMatrix = UNSET  # Harmonic mean of the two.
    recall_mass: PixelMatrix | UnsetType = UNSET  # Only with the method tensor: the matrix of recall.
    precision_mass: PixelMatrix | UnsetType = UNSET  # Only with the method tensor: the matrix of precision.
    class_scores: list[ClassScores] | None = field(name="classes")  # One record per label; null if the labels differ.
    averages: Averages | None  # Averages without Background; null if the labels differ.
    averages_with_background: Averages | None  # Averages with Background.
    averages_over_pages: Averages | None  # Means of the averages of the pages.
    averages_over_documents: Averages | None  # Means of the averages of the documents.
    pred_pixels: list[float]  # Pixels that carry each label in pred, in the order of `labels`.
    content: Scores  # Content against Background, each pixel counted once.
    content_pixels: ContentPixels  # The pixels that these scores are computed from.
    right: Share  # Share of the label pixels of gt whose label pred has at that pixel, too; null if the labels differ.
    collapsed: Views  # Background against Content, counted in label pixels.
    findings: list[FindingRecord]  # What is unusual in the inputs.
    page_matching: PageMatching  # How pages were matched.
    plan: MaybeText = UNSET  # Digest of the plan, if sets of parts were compared.
    objects: views.ObjectScores | None  # Scores of regions; null if sets of parts were compared.
    centroids: views.CentroidScores | None  # Regions matched by their centres; null likewise.
    soft: views.Soft | None  # Soft scores; null likewise, or if the labels differ.
    agreement: views.Agreement | None = None  # How far A and B agree, if neither is the truth.
    border_slack: Share = None  # Share of wrong pixels that are only border slack; absent if it takes long to count.
    families: views.Families | None = None  # Confusions by family of labels, if asked for.
    causes: views.CauseScores | UnsetType | None = UNSET  # Why pixels are wrong, with --why; null if the labels differ.
    forgiveness: list[views.Forgiveness] | None = None  # F1 over the tolerance of borders, with --why.
    score_curves: views.CurveScores | UnsetType | None = UNSET  # Thresholds, calibration (--why); null without scores.
    why_no_score_curves: str | None = None  # Why there are none.
    intervals: IntervalTables | None = None  # Intervals, if asked for.
    difference_from_first: IntervalTables | None = None  # Difference from the baseline, with several predictions.
    slices: Slices | None = None  # Figures by an attribute of pages, if asked for.
    leaderboard: BoardRow | None = None  # The place among several predictions.
    page_scores: PageScores | None = None  # The table of pages; absent above 20,000 pages.
    by_document: list[Level] | None  # One record per document; null above 20,000: documents.parquet has them.
    by_page: list[Level] | None = None  # One record per page, with --per-page.


class BoardFields(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The fields of a leaderboard.json; `results.result.LeaderboardResult` adds what is computed from them."""

    kind: Literal["leaderboard"]  # What this file is.
    schema: str  # Version of this description.
    version: str  # Version of layoutcm that wrote the file.
    baseline: str  # Name of the prediction that the others are compared with.
    order: str = field(name="figure")  # The figure that decides the order.
    method: str  # How pixels with several labels are counted.
    pages: int  # Number of pages on which all predictions are counted.
    units: Literal["documents", "pages"]  # What a unit of the intervals is.
    unit_count: int  # How many there are.
    few_documents: bool  # Whether there are fewer than 20 units: intervals are then rough.
    interval: Literal["none", "jackknife", "percentile"]  # Kind of interval; none below 6 units.
    n: int  # Number of resamples.
    seed: int  # Seed of the random numbers.
    level: float  # Confidence level.
    recipes: dict[str, str]  # {prediction: all settings in one line}.
    model_rows: list[BoardRow] = field(name="models")  # One record per prediction, the best first.
    difference_rows: list[IntervalRow] = field(name="differences")  # One record per prediction and figure.
    class_rows: list[BoardClass] = field(name="classes")  # One record per label and prediction.
    causes: list[views.CausePixels] | None = None  # Causes of wrong pixels of each prediction, with --why.
    severe: dict[str, list[FindingRecord]] | None = None  # {prediction: severe findings}, where there are some.
