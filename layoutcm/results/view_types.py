"""The parts of a result that show one view each, such as objects, families, causes and curves."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, UnsetType

from layoutcm.results.common_parts import (
    Columns,
    Count,
    FindingRecord,
    MaybeShare,
    MaybeText,
    Part,
    PixelMatrix,
    Scores,
    Share,
    Views,
)


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
    pages_left_out: list[str] | UnsetType = UNSET  # Pages with too many overlapping regions, or too long outlines.
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
