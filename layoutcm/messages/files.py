"""The texts of findings on files that are read or written."""

from __future__ import annotations

from layoutcm.errors import Hint, short_repr
from layoutcm.messages.finding_text import FindingText, first_names, note, option, unusual
from layoutcm.wording import agree, plural

_TREATED = "Missing pages are compared with an empty page, or left out"
_MISSING_PAGES = Hint(
    f"{_TREATED} ({option('missing_pages', 'ignore')}).", f"{_TREATED}: see Missing pages in Settings."
)
_RUN_AGAIN = "Run the model on these pages again."

# fmt: off
TEXTS: dict[str, FindingText] = {
    # What a written format cannot hold.
    "not-written": FindingText(
        lambda n, format, what, names:
            f"{format} has no place for {what}: {n:,} {agree(n, 'is', 'are')} left out"
            + (f" ({first_names(n, names)})." if names else "."),
        "Parquet holds all of a layout."),
    "renamed-pages": note(
        lambda n, format, first, now:
            f"{format}: {plural(n, 'page')} will have another name when read (first: {short_repr(first)} becomes "
            f"{short_repr(now)})."),
    "renamed-labels": FindingText(
        lambda n, format, first, now:
            f"{format} cannot hold the names of {plural(n, 'label')} (first: {short_repr(first)} becomes "
            f"{short_repr(now)})."),
    "shape-as-box": FindingText(
        lambda n, format:
            f"{format}: {plural(n, 'mask or outline is', 'masks and outlines are')} written as "
            f"{agree(n, 'its bounding box', 'their bounding boxes')}."),
    "split-outlines": FindingText(
        lambda n, format:
            f"{format}: {plural(n, 'region has', 'regions have')} several polygons and {agree(n, 'becomes', 'become')} "
            "one region for each polygon: the same pixels, but more objects."),
    "rounded-coordinates": note(
        lambda n, format, most:
            f"{format}: coordinates of {plural(n, 'region or page size', 'regions or page sizes')} are rounded, by up "
            f"to {most:.3g}."),
    "clipped-regions": note(
        lambda n, format:
            f"{format}: {plural(n, 'region reaches', 'regions reach')} beyond the page and "
            f"{agree(n, 'is', 'are')} clipped."),
    "page-order": note(
        lambda n, format: f"{format}: pages are read in the order of their file names; {n:,} change their position."),
    # Files.
    "documents-left-out": note(
        lambda n, limit, file:
            f"There are {n:,} documents, more than the {limit:,} that a result lists, so by_document is null"
            + (f"; {short_repr(file)} beside this file has one row per document." if file else "."),
        lambda file="", **_: "" if file else "Write the result to a file: the documents are then written beside it."),
    "failed-answer": FindingText(
        lambda n, file, names:
            f"{file}: {plural(n, 'answer of the model has', 'answers of the model have')} no regions that can be read "
            f"({first_names(n, names)}), so {agree(n, 'its page is', 'their pages are')} missing.",
        Hint(f"{_RUN_AGAIN} {_MISSING_PAGES.text}", f"{_RUN_AGAIN} {_MISSING_PAGES.on_screen}")),
    "damaged-file": FindingText(
        lambda n, file, names, why:
            f"{file}: {plural(n, 'file')} like the others cannot be read and {agree(n, 'is', 'are')} left out "
            f"({first_names(n, names)}){'' if n == 1 else '; the first'}: {why}.",
        Hint("Copy or export them again; without them, their pages are missing. strict=True or --strict makes this an "
             "error.",
             "Copy or export them again; without them, their pages are missing.")),
    "skipped-file": note(
        lambda n, file, first:
            f"{file}: {plural(n, 'file of another kind is', 'files of another kind are')} left out "
            f"(first: {short_repr(first)})."),
    "findings-left-out": note(
        lambda n, file:
            f"{file}: {plural(n, 'finding was', 'findings were')} not kept when the file was written or read."),
    "two-sides": FindingText(
        lambda n, file, side: f"{file}: the file holds two resolutions of each page, a and b; this is {side}.",
        lambda side, **_: "" if side == "b" else Hint(
            f"To read b: {option('format', 'docling-metrics-b')}.",
            "Drop the file as the prediction too: there it is read as b."),
        "info"),
    "two-documents": FindingText(
        lambda n, file, side:
            f"{file}: the file holds the ground truth and the prediction of each document; this is the {side}.",
        lambda side, **_: "" if side == "prediction" else Hint(
            f"To read the prediction: {option('format', 'docling-eval-pred')}.",
            "Drop the file as the prediction too: there the prediction is read."),
        "info"),
    "only-ground-truth": FindingText(
        lambda n, file:
            f"{file}: the file has no predictions (column PredictedDocument); the ground truth in it was read.",
        "As the prediction, give the file of an evaluation."),
    "document-without-side": FindingText(
        lambda n, file, side, first, status:
            f"{file}: {plural(n, 'document has', 'documents have')} no {side} with pages "
            f"(first: {short_repr(first)}{', status ' + status if status else ''}), so the pages of "
            f"{agree(n, 'this document', 'these documents')} are missing on this side.",
        _MISSING_PAGES),
    "slides-from-top": unusual(
        "boxes of slides claim to count from the bottom of the page, but docling wrote them from the top, so they are "
        "read from the top"),
    "other-attributes": FindingText(
        lambda n, file, used, names:
            f"{file}: the label of a region is its attribute {short_repr(used)}; regions also have "
            f"{first_names(n, names)}.",
        severity="info"),
    "box-from-content": unusual("blocks have no box of their own and are given the box around their content"),
    "beyond-parts": unusual("boxes have a coordinate above {parts}, the end of the page in this format",
        "They are clipped. Check whether the numbers are pixels of an image."),
    "deleted-object": unusual("objects are marked as deleted and are left out", severity="info"),
    "cut-off": unusual("files end before they are closed, so pages may be missing"),
    "cut-off-answer": unusual(
        "answers of a model end too early and are read up to their last whole region",
        "Let the model write more tokens, and run it again on these pages."),
    "second-answer": unusual(
        "answers of a model have several blocks of JSON; only the first is read",
        "If another one is the answer, keep only that one in the file."),
    "ignored-region": unusual(
        "regions are marked as not to be judged: they are objects, but in gt their pixels count in nothing",
        severity="info"),
    "ignored-shape": unusual(
        "shapes are marked to be ignored: they are not regions, and in gt their pixels are not counted",
        severity="info"),
    "images-only": unusual(
        "pages have places of images and of nothing else", "Use mistral-ocr-4 or later, which writes blocks."),
    "inline-detection": unusual("formulas and text lines are not blocks and are left out", severity="info"),
    "interval": unusual("intervals have no box and are left out"),
    "likely-noise": unusual("entries that the tool itself takes for noise are left out", severity="info"),
    "no-coordinates": unusual("{what} are left out"),
    "lines-without-block": unusual(
        "pages have lines ({lines} on the first) and no block; lines are not read, so there is no region",
        "Let the tool write areas or paragraphs, too (ocr_carea, ocr_par)."),
    "mask-left-out": unusual("masks of this kind are not read and are left out"),
    "no-label": unusual("regions have no label and are called 'region'"),
    "no-location": unusual("tags without a whole location are left out"),
    "no-paragraphs": unusual(
        "analysis without paragraphs: only tables and figures are read", "Use the model prebuilt-layout."),
    "no-place": unusual("{what} and are left out"),
    "not-an-area": unusual("lines, points and the like cover no area and are left out"),
    "page-left-out": unusual("{what} and are left out with their pages", severity="info"),
    "page-offset": unusual(
        "pages do not start at 0, 0; their frame is taken from 0, 0 to the far corner of their box"),
    "rotated-page": unusual(
        "pages are marked as rotated; their boxes are taken to be in the frame of the page as it is shown"),
    "several-annotators": unusual(
        "tasks have several annotations",
        Hint("The last one is used; annotator= or --annotator chooses an annotator.", "The last one is used.")),
    "several-locations": unusual("tags have several locations, all taken to be on one page"),
    "shape-left-out": unusual("{what} and are left out"),
    "skipped-task": unusual("tasks that were skipped, with cancelled annotations only, are left out"),
    "size-in-points": unusual(
        "boxes are in points and their pages have no size; the size from elsewhere must be in points, too",
        "Give the size of the PDF page, such as 612x792, and not that of an image."),
    "size-of-document": unusual(
        "pages without figures have no size and are given that of the other pages", severity="info"),
    "size-of-other-image": unusual(
        "boxes are in pixels of the image that the model was given, whose size the file does not state, and pages are "
        "given the size of the ground truth",
        Hint("If the model was given other images, give their size (sizes=, --sizes).",
             "If the model was given other images, write their size on the page Data, or drop them, too.")),
    "skipped-frames": unusual("frames that a track skips are not filled in"),
    "token-regions": unusual(
        "files have a region for each token, because they have no larger unit", severity="info"),
    "unknown-tag": unusual(
        "blocks refer to tags that the file does not have", "Check whether the tags were left out of the file."),
}
# fmt: on
