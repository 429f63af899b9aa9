"""The fields of a `Result`, and its parts: everything that is known about one comparison, as frozen values.

JSON is the encoding of these types, and docs/schema is generated from them: the comment behind a field describes it.
None is n/a (0 / 0). A part that was not asked for is None or `UNSET`, and absent from the JSON. Rows are gt, columns
pred. Without a truth, gt is A and pred is B.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType, field

from layoutcm.results.vocabulary import Vocabulary

SCHEMA = "2.0"  # a new first number means that keys were removed or have another meaning
Number = int | float  # whole pixels are written without a point
Share = float | None
Count = int | None
MaybeShare = float | None | UnsetType
MaybeText = str | UnsetType


class Part(Struct, frozen=True):
    """A part of a result, whose values can also be read by their names, as from the JSON: `part["f1"]`."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class Columns(Part, frozen=True):
    """A part whose lists are columns of one table, so they have the same length."""


class SparseMatrix(Part, frozen=True, kw_only=True):
    """The cells of a matrix that are not 0."""

    shape: tuple[int, int]  # Number of rows and of columns.
    row: list[int]  # Row of each cell.
    column: list[int]  # Column of each cell.
    value: list[float]  # Value of each cell.


PixelMatrix = list[list[float]] | SparseMatrix
ShareMatrix = list[list[Share]] | UnsetType  # left out of matrices with more than 200 rows


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


class Scores(Part, frozen=True, kw_only=True):
    """Precision, recall and their harmonic mean."""

    precision: Share  # Precision.
    recall: Share  # Recall.
    f1: Share  # Harmonic mean of precision and recall.


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


class Views(Part, frozen=True, kw_only=True):
    """A matrix with its shares."""

    depth: int | UnsetType = UNSET  # Depth in a tree of families.
    labels: list[str]  # Names of the rows and columns.
    confusion: PixelMatrix  # The matrix in pixels; with the method tensor, the mass for recall.
    recall: ShareMatrix = UNSET  # Share of gt label i that is predicted as j.
    precision: ShareMatrix = UNSET  # Share of pred label j that is i in gt.
    f1: ShareMatrix = UNSET  # Harmonic mean of the two.


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


class FindingRecord(Part, frozen=True, kw_only=True):
    """Something unusual in the inputs."""

    code: str  # Name of the kind of finding.
    severity: Literal["warning", "info"]  # How serious it is.
    message: str  # What is unusual.
    count: int  # How often it occurs.
    fix: str  # Advice to a person; may be empty.
    remedy: str  # Name of a repair that the program can make; may be empty.

    @property
    def hint(self) -> str:
        return self.fix


class PageMatching(Part, frozen=True, kw_only=True):
    """How pages were matched."""

    matched: dict[str, int]  # Number of pages matched by each rule.
    only_in_gt: list[str]  # Pages that only gt has.
    only_in_pred: list[str]  # Pages that only pred has.


class LabelledMatrix(Part, frozen=True, kw_only=True):
    """Counts with the names of rows and columns."""

    gt_labels: list[str]  # Names of the rows.
    pred_labels: list[str]  # Names of the columns.
    values: PixelMatrix  # Counts.
    gt_places: list[int] | UnsetType = UNSET  # A number for each row; a correct cell has that of its column.
    pred_places: list[int] | UnsetType = UNSET  # A number for each column.


class Qualities(Part, frozen=True, kw_only=True):
    """Panoptic quality of a label."""

    label: MaybeText = UNSET  # Name of the label.
    tp: Count  # Pairs with an IoU above 1/2.
    fp: Count  # Pred objects in no pair.
    fn: Count  # Gt objects in no pair.
    sq: Share  # Segmentation quality.
    rq: Share  # Recognition quality.
    pq: Share  # Panoptic quality; of all labels together the mean, which is not sq times rq.
    classes: list[Qualities] | UnsetType = UNSET  # One record per label.


class ObjectPrecision(Part, frozen=True, kw_only=True):
    """Average precision of the objects of one label."""

    label: str  # Name of the label.
    gt: int  # Number of gt objects.
    pred: int  # Number of pred objects.
    ap: Share  # AP over IoU 0.50 to 0.95, as in COCO.
    ap50: Share  # AP at IoU 0.50.
    ap75: Share  # AP at IoU 0.75.
    ar: Share  # AR with at most 100 objects per page.


class ObjectCounts(Part, frozen=True, kw_only=True):
    """Objects of one label at one IoU."""

    label: str  # Name of the label.
    gt: int  # Number of gt objects.
    pred: int  # Number of pred objects.
    found: Count  # The same as tp.
    tp: Count  # Pairs with the right label; null if the labels differ.
    fp: Count  # Pred objects in no such pair.
    fn: Count  # Gt objects in no such pair.
    precision: Share  # Precision.
    recall: Share  # Recall.
    f1: Share  # Harmonic mean of precision and recall.


class ObjectsAt(Part, frozen=True, kw_only=True):
    """Scores of objects at one IoU."""

    iou: float  # The threshold that the following numbers use.
    precision: Share  # Precision.
    recall: Share  # Recall.
    f1: Share  # Harmonic mean of precision and recall.
    tp: Count  # Pairs with the right label.
    fp: Count  # Pred objects in no such pair.
    fn: Count  # Gt objects in no such pair.
    class_blind: Scores  # The same, whatever the label.
    class_blind_counts: dict[str, int] | UnsetType = UNSET  # tp, fp and fn, whatever the label.
    classes: list[ObjectCounts]  # One record per label.
    ap: dict[str, dict[str, Share]] | None  # {rule: {label: AP}}; null without AP.
    map: dict[str, Share] | None  # {rule: mean over labels}.
    confusion: LabelledMatrix  # Objects matched whatever their label; last row invented, last column missed.


class Curve(Columns, frozen=True, kw_only=True):
    """Precision over recall of one label, thinned out for drawing."""

    recall: list[float]  # Recall, ascending.
    precision: list[float]  # The best precision at this recall or a higher one.


class ObjectScores(Part, frozen=True, kw_only=True):
    """Scores of regions."""

    shapes: Literal["box", "mask"]  # Whether boxes or masks are compared.
    gt: int  # Number of gt objects.
    pred: int  # Number of pred objects.
    headline: Literal["ap", "pq"] | None = None  # The figure that stands for all objects; null if the labels differ.
    ap: Share  # AP over IoU 0.50 to 0.95, as in COCO.
    ap50: Share  # AP at IoU 0.50.
    ap75: Share  # AP at IoU 0.75.
    ar: Share  # AR with at most 100 objects per page.
    panoptic: Qualities | UnsetType = UNSET  # Panoptic quality: the mean over labels, and each label.
    summary: dict[str, Share]  # COCO's twelve numbers under their names.
    why_no_ap: str | None  # Why there is no AP; null if there is.
    pages_left_out: list[str] | UnsetType = UNSET  # Pages with too many overlapping regions to be compared.
    note: str = ""  # What is said about these pages.
    labels: list[str]  # The labels, without Background.
    per_class: list[ObjectPrecision]  # One record per label.
    at_iou: ObjectsAt  # Scores at one IoU.
    curves: dict[str, Curve] | UnsetType = UNSET  # {label: curve at this IoU}, the most frequent labels of gt first.


class CentroidScores(Part, frozen=True, kw_only=True):
    """Regions matched by the distance of their centres."""

    tolerance: tuple[float, float]  # Largest distance of two centres in x and y.
    class_aware: bool  # Whether labels must be equal.
    pages_left_out: list[str] | UnsetType = UNSET  # Pages with too many regions near each other to be compared.
    note: str = ""  # What is said about these pages.
    one_to_one: Scores  # Each region is matched once at most.
    many_to_one: Scores  # Several pred regions may match one gt region.


class SoftScores(Part, frozen=True, kw_only=True):
    """Scores of soft label maps."""

    label: MaybeText = UNSET  # Name of the label.
    precision: Share  # Soft precision.
    recall: Share  # Soft recall.
    f_beta: Share  # Soft F-beta.
    dice: Share  # Dice score.


class Soft(Part, frozen=True, kw_only=True):
    """Soft scores of the set."""

    beta: float  # Weight of recall in F-beta and dice.
    averages: dict[str, SoftScores]  # micro, macro, weighted, and samples: the mean over pages.
    classes: list[SoftScores]  # One record per label, without Background.


class LabelAgreement(Part, frozen=True, kw_only=True):
    """How far A and B agree about one label."""

    label: str  # Name of the label.
    a_pixels: float  # Pixels of A.
    b_pixels: float  # Pixels of B.
    both_pixels: float  # Pixels of both.
    agreement: Share  # Pixels of both as a share of the pixels of either.


class PageToReview(Part, frozen=True, kw_only=True):
    """A page on which A and B disagree about a label."""

    page: str  # Name of the page.
    document: str  # Its document.
    label: str  # Name of the label.
    pixels: float  # Pixels that carry it on one side only.
    share: Share  # Share of all such pixels of the label.


class Agreement(Part, frozen=True, kw_only=True):
    """How far A and B agree, if neither is the truth."""

    observed: Share  # Share of pixels with the same label set on both sides.
    kappa: Share  # Cohen's kappa of label sets.
    alpha: Share  # Krippendorff's alpha of label sets, with the Jaccard distance.
    labels: list[LabelAgreement]  # One record per label in use, without Background.
    pages_to_review: list[PageToReview]  # Where the two sides disagree most about a label; at most 1,000 records.
    review_count: int | UnsetType = UNSET  # Number of such pages before the list was cut.


class FamilyShares(Part, frozen=True, kw_only=True):
    """Where the samples of a label go, seen from its families."""

    label: MaybeText = UNSET  # Name of the label.
    identity: Share  # Correct.
    in_family: Share  # Another label of the same family.
    oof: Share  # Out of the family.
    total: float | UnsetType = UNSET  # Number of samples.
    preferred: str | UnsetType | None = UNSET  # The label that it is mostly confused with; OOF is out of family.


class Families(Part, frozen=True, kw_only=True):
    """Confusions inside a family of labels and confusions that leave it."""

    recipe: str  # All settings in one line.
    tree: dict[str, Any]  # The families: {family: labels or smaller families}.
    sample: Literal["pixel", "page"]  # What one sample is.
    count: Literal["pairs", "gold", "pred"] | None  # How confusions count; null for the default.
    depth: int  # Depth of the families in the tree.
    matrices: dict[str, LabelledMatrix]  # The matrix of each family; the last row and column are OOF (out of family).
    given_gt: list[FamilyShares]  # One record per gt label.
    given_pred: list[FamilyShares]  # One record per pred label.
    shares: dict[str, FamilyShares]  # Shares of all labels together, given gt and given pred.
    at_depth: list[Views]  # The whole matrix at each depth.
    findings: list[FindingRecord]  # What is unusual in the families.


class CausePixels(Part, frozen=True, kw_only=True, rename={"label_name": "class"}):
    """Wrong pixels by cause."""

    model: MaybeText = UNSET  # Name of the prediction, in a leaderboard.
    side: Literal["gt", "pred"] | UnsetType = UNSET  # gt: what the label lost (its row); pred: what it has too much.
    label_name: MaybeText = UNSET  # Name of the label.
    page: MaybeText = UNSET  # Name of the page.
    document: MaybeText = UNSET  # Name of the document.
    pages: int | UnsetType = UNSET  # Number of pages of the document.
    slack: Share  # The position of a border differs by no more than the tolerance.
    label: Share  # A region was found with another label.
    size: Share  # A region reaches too far or not far enough.
    split: Share  # One region was found as several.
    merge: Share  # Several regions were found as one.
    duplicate: Share  # A region was found twice.
    missed: Share  # A region was not found.
    invented: Share  # There is no such region.


class CauseScores(Part, frozen=True, kw_only=True):
    """Why pixels are wrong."""

    tolerance: float  # Tolerance of slack, a share of the longer side of a page.
    totals: CausePixels  # Of the whole set.
    by_label: list[CausePixels]  # Two records per label, one for each side.
    by_document: list[CausePixels] | None  # One per document, the most wrong pixels first; null above 20,000 documents.
    by_page: list[CausePixels] | UnsetType | None = UNSET  # One per page, likewise.
    values: dict[str, PixelMatrix]  # {cause: matrix in pixels}; their sum is the confusion matrix off its diagonal.


class Forgiveness(Part, frozen=True, kw_only=True):
    """F1 if borders may be off by a tolerance."""

    tolerance: float  # Tolerance, a share of the longer side of a page.
    micro_f1: Share  # Micro F1 without Background.
    macro_f1: Share  # Macro F1 without Background.
    content_f1: Share  # F1 of Content in the 2x2 matrix.


class ThresholdCurve(Columns, frozen=True, kw_only=True):
    """Precision, recall and F1 over the score threshold, thinned out for drawing."""

    threshold: list[float]  # Thresholds, ascending.
    precision: list[Share]  # Precision of "score at or above the threshold".
    recall: list[Share]  # Recall.
    f1: list[Share]  # F1.
    best_threshold: Share  # The threshold with the largest F1 of the whole curve.
    best_f1: Share  # Its F1.


class Reliability(Columns, frozen=True, kw_only=True):
    """Scores and shares of right pixels, in tenths of the scores."""

    pixels: list[Share]  # Pixels with a score in the tenth.
    mean_score: list[Share]  # Their mean score.
    share_in_gt: list[Share]  # The share of them that carry the label in gt.


class BestThreshold(Part, frozen=True, kw_only=True):
    """What the best score threshold of a label gains."""

    label: MaybeText = UNSET  # Name of the label.
    threshold: Share  # The best threshold; null without scores, or if none is better than all regions.
    f1: Share  # F1 of pixels at this threshold, or of all regions if none is better.
    present_f1: MaybeShare = UNSET  # F1 of pixels with the regions that the comparison has kept.
    held_out_f1: MaybeShare = UNSET  # F1 of documents, each with the threshold of the others; null: too few.
    gain: Share  # held_out_f1, or f1 without it, minus present_f1.
    roc_auc: MaybeShare = UNSET  # Probability that a pixel of the label scores higher than another one.
    ece: MaybeShare = UNSET  # Expected calibration error.
    curve: ThresholdCurve | UnsetType | None = UNSET  # The curve itself; null without scores.
    reliability: Reliability | UnsetType | None = UNSET  # Calibration; null without scores.


class CurveScores(Part, frozen=True, kw_only=True):
    """Score thresholds and calibration."""

    cross_validated: bool  # Whether gains are measured on documents that were held out.
    documents: int | UnsetType = UNSET  # Number of documents.
    overall: BestThreshold  # One threshold for all labels.
    classes: list[BestThreshold]  # One record per label.


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
    p: MaybeShare = UNSET  # p-value of the paired randomisation test.
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
    differences: int | UnsetType = UNSET  # Number of differences; p of classes is corrected for all of them.
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
    p: Share  # p-value of the paired randomisation test.
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
    objects: ObjectScores | None  # Scores of regions; null if sets of parts were compared.
    centroids: CentroidScores | None  # Regions matched by their centres; null likewise.
    soft: Soft | None  # Soft scores; null likewise, or if the labels differ.
    agreement: Agreement | None = None  # How far A and B agree, if neither is the truth.
    border_slack: Share = None  # Share of wrong pixels that are only border slack; absent if it takes long to count.
    families: Families | None = None  # Confusions by family of labels, if asked for.
    causes: CauseScores | UnsetType | None = UNSET  # Why pixels are wrong, with --why; null if the labels differ.
    forgiveness: list[Forgiveness] | None = None  # F1 over the tolerance of borders, with --why.
    score_curves: CurveScores | UnsetType | None = UNSET  # Thresholds and calibration, with --why; null without scores.
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
    causes: list[CausePixels] | None = None  # Causes of wrong pixels of each prediction, with --why.
