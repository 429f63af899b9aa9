"""The text of every finding.

A finding is a code with values, and is worded only here. `n` is how often it occurs; the other values are those that
its finder gives. A hint has one text for Python and the command line, where users give options, and another for the
screen, where they have controls; where both do the same, one text is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from layoutcm.errors import Hint, short_repr
from layoutcm.wording import agree, percent, plural

HintOf = str | Hint | Callable[..., str | Hint]


class FindingText(NamedTuple):
    """How a finding is worded: functions of its values, or a hint that is always the same."""

    message: Callable[..., str]
    hint: HintOf = ""
    severity: str = "warning"


_note = partial(FindingText, severity="info")


def hint_of(hint: HintOf, **values: Any) -> Hint:
    worded = hint if isinstance(hint, str | Hint) else hint(**values)
    return worded if isinstance(worded, Hint) else Hint(worded, worded)


def _first_names(n: int, names: Sequence[str]) -> str:
    return ", ".join(map(short_repr, names)) + (" …" if n > len(names) else "")


def _size(width: float, height: float) -> str:
    return f"{width:g} x {height:g}"


def _regions_are(n: int) -> str:
    return plural(n, "region is", "regions are")


def _pages_were(n: int) -> str:
    return plural(n, "page was", "pages were")


def _only_in(n: int, side: str, pages: int, ignored: bool, names: Sequence[str]) -> str:
    treatment = "left out" if ignored else "compared with an empty page"
    verb, first = agree(n, "is", "are"), _first_names(n, names)
    return f"{n:,} of {pages:,} pages of {side} {verb} not in the other side and {verb} {treatment}: {first}."


def _only_in_hint(ignored: bool, **_: Any) -> Hint:
    check = "Check the page names of both files"
    if ignored:
        return Hint(f"{check}, say which belong together (pages=, --pages).", f"{check}. {_UPLOAD_MAP}.")
    return Hint(
        f"{check}, say which belong together (pages=, --pages), or leave such pages out (missing pages: ignore).",
        f"{check}. {_UPLOAD_MAP}, or set Missing pages to ignore in the sidebar.",
    )


_UPLOAD_MAP = "Upload a page map under Pages"
HOW_MATCHED = {
    "map": "by the page map",
    "exact": "by equal names",
    "base name": "by name without folders",
    "stem": "by name without folders and suffix",
    "spelling": "by name without folders and suffix, ignoring case, blanks and percent codes",
    "number": "by document and page number",
    "number alone": "by page number alone, because each side is one document",
}


def _matched(n: int, how: str, gt: str, pred: str) -> str:
    return f"{_pages_were(n)} matched {HOW_MATCHED[how]} (first: {short_repr(gt)} and {short_repr(pred)})."


def _count_from(from_zero: str) -> str:
    return f"{from_zero} counts pages from 0 and {'pred' if from_zero == 'gt' else 'gt'} from 1"


def _labels_are(n: int, what: str, first: str) -> str:
    return f"{n} label{agree(n, ' is', 's are')} {what} (first: {short_repr(first)})."


def _label_only_in(n: int, side: str, names: Sequence[str]) -> str:
    return f"{n} label{agree(n, ' is', 's are')} used by {side} only: {_first_names(n, names)}."


def _repair_hint(repair: str, side: str = "pred", **_: Any) -> Hint:
    """On the screen there is a button instead."""
    option = f"--fix {repair}" if side == "pred" else f"--fix {repair} (--fix-gt for the ground truth)"
    return Hint(f"Repair it: fix({side}, {repair!r}) or {option}.", "")


def _without_area(n: int, inverted: int) -> str:
    boxes = plural(n, "box has", "boxes have")
    if inverted == n:
        return f"{boxes} inverted corners and {agree(n, 'is', 'are')} dropped"
    if inverted:
        return (
            f"{boxes} no area or inverted corners: {inverted:,} with inverted corners {agree(inverted, 'is', 'are')} "
            f"dropped, {n - inverted:,} without area {agree(n - inverted, 'covers', 'cover')} no pixel but "
            f"{agree(n - inverted, 'counts as an object', 'count as objects')}"
        )
    return f"{boxes} no area: no pixel is covered, but {agree(n, 'it counts as an object', 'they count as objects')}"


def _better_reading(n: int, reading: str, found: float, before: float, regions: int, **_: Any) -> str:
    return (
        f"{reading}: with this reading, {percent(found)} of gt's regions have a counterpart in pred, against "
        f"{percent(before)} now (measured on {regions:,} regions)."
    )


def _other_scale(n: int, **values: Any) -> str:
    """Found by trying other readings of pred, or in a file itself."""
    if "reading" in values:
        return _better_reading(n, **values)
    return f"{values['file']}: no coordinate is above {values['reach']:.4g}; they look like {values['unit']}."


def _repeated(n: int, text: str, file: str, place: str, **values: Any) -> str:
    """Something that a reader finds again and again; `text` is in the plural, and may name a value."""
    return f"{file}: {text.format(**values)} ({'once, at' if n == 1 else f'{n:,} times, first at'} {place or file})."


# Called when the module is imported, before a mutant of it could be active.
def _unusual(what: str, hint: HintOf = "", severity: str = "warning") -> FindingText:  # pragma: no mutate
    return FindingText(partial(_repeated, text=what), hint, severity)  # pragma: no mutate


# fmt: off
TEXTS = {
    # Pages of the two sides.
    "scaled-page": _note(
        lambda n, page, pred_size, gt_size:
            f"{plural(n, 'page has', 'pages have')} another size in pred and {agree(n, 'is', 'are')} scaled to gt's "
            f"(first: {short_repr(page)}, {_size(*pred_size)} to {_size(*gt_size)})."),
    "page-without-pred": FindingText(
        lambda n, pages, first:
            f"{n:,} of {pages:,} pages {agree(n, 'has', 'have')} regions in gt and none in pred "
            f"(first: {short_repr(first)}); they count as missed.",
        "Check that the model ran on all pages."),
    **{f"page-only-in-{side}": FindingText(partial(_only_in, side=side), _only_in_hint) for side in ("gt", "pred")},
    **{f"page-matched-by-{how.replace(' ', '-')}": _note(_matched) for how in HOW_MATCHED
       if how != "exact"},
    "page-matched-by-number-alone": FindingText(
        _matched, Hint("Check that both are the same document; if not, give a page map (pages=, --pages).",
                       f"Check that both are the same document. {_UPLOAD_MAP} if not.")),
    "page-numbers-shifted": FindingText(
        lambda n, from_zero, gt, pred:
            f"{_pages_were(n)} matched {HOW_MATCHED['number']}, shifted by one, because {_count_from(from_zero)} "
            f"(first: {short_repr(gt)} and {short_repr(pred)}).",
        Hint("Give a page map (pages=, --pages) if this is wrong.", f"{_UPLOAD_MAP} if this is wrong.")),
    "page-numbers-suspect": FindingText(
        lambda n, from_zero, first:
            f"It seems that {_count_from(from_zero)}, yet {plural(n, 'page has', 'pages have')} the same name and "
            f"number on both sides (first: {short_repr(first)}); they are compared by name.",
        Hint("If pages are off by one, give a page map (pages=, --pages).", f"{_UPLOAD_MAP} if pages are off by one.")),
    "page-numbers-ambiguous": FindingText(
        lambda n, first:
            "One side has a page 0 and the other has none, and the numbers do not show whether they are shifted by "
            f"one: {plural(n, 'page')} of gt could not be matched by page number (first: {short_repr(first)}).",
        Hint("Give a page map (pages=, --pages).", f"{_UPLOAD_MAP}.")),
    "page-off-by-one": FindingText(
        lambda n, unit, shift, found, before:
            f"{unit.capitalize()}s of pred seem to be off by one: with pred's regions moved to the "
            f"{'next' if shift > 0 else 'previous'} {unit}, {percent(found)} of gt's regions have a counterpart, "
            f"against {percent(before)} now.",
        _repair_hint),
    "documents-from-names": FindingText(
        lambda n, first, pages:
            f"{plural(n, 'document was', 'documents were')} taken from page names that are equal except for their "
            f"number (first: {short_repr(first)}, {pages} pages).",
        Hint("Give documents= a pattern or a table if this is wrong.", ""), "info"),
    "documents-pattern": FindingText(
        lambda n, pages, first:
            f"The pattern for documents does not match {n:,} of {pages:,} pages (first: {short_repr(first)}).",
        "Such a page is its own document."),
    "shared-page-name": FindingText(
        lambda n, file, first, now:
            f"{file}: " + plural(n, "page shares its name with another and is named after its file or subset",
                                 "pages share a name and are named after their files or subsets")
            + f" (first: {short_repr(first)} becomes {short_repr(now)}).",
        "Check whether each file names its own image."),
    "coarse-page": FindingText(
        lambda n, file, pages, limit, first, size:
            f"{file}: {n:,} of {pages:,} pages {agree(n, 'is', 'are')} less than {limit} units wide and high "
            f"(first: {short_repr(first)}, {_size(*size)}), so rounding to whole units is coarse.",
        "Use the rounding exact, or make the side with pixels the ground truth."),
    "empty-page": _note(
        lambda n, file, pages, first:
            f"{file}: {n:,} of {pages:,} pages {agree(n, 'has', 'have')} no region (first: {short_repr(first)})."),
    # Labels of the two sides.
    "mapping-misspelt": FindingText(
        lambda n, side, file, first, meant:
            f"The mapping of {side} names {plural(n, 'label')} that {file} has in another spelling "
            f"(first: {short_repr(first)}).",
        lambda first, meant, **_: f"Write {short_repr(meant)} for {short_repr(first)} if that is meant."),
    "mapping-unused": _note(
        lambda n, side, file, first:
            f"The mapping of {side} names {plural(n, 'label')} that {file} does not have "
            f"(first: {short_repr(first)})."),
    **{f"label-only-in-{side}": FindingText(
        partial(_label_only_in, side=side), "Map labels to each other if they mean the same.", "info")
       for side in ("gt", "pred")},
    "equal-label-names": FindingText(
        lambda n, labels, gt, pred:
            f"{n} of {labels} labels of pred {agree(n, 'has', 'have')} the same or a similar name as one of gt (first: "
            f"{short_repr(pred)} and {short_repr(gt)}), but neither side's labels include the other's, so they count "
            "as different.",
        Hint("Match equal names (taxonomy: match-names) or map labels.", "Match equal names, or map labels below.")),
    "ids-off-by-one": FindingText(
        lambda n, by, after, before:
            f"Category ids of pred seem to be off by one: with every id {'one higher' if by > 0 else 'one lower'}, "
            f"{percent(after)} of the regions in the same place have the same label, against {percent(before)} now.",
        _repair_hint),
    "undeclared-category": FindingText(
        lambda n, file, ids, first, regions, label:
            f"{file}: {ids} category id{agree(ids, ' is', 's are')} used but not declared (first: {short_repr(first)}, "
            f"on {plural(regions, 'region')}); shown as label {label!r}.",
        "Add the missing entries to `categories`, or check whether ids are off by one."),
    "unnamed-classes": FindingText(
        lambda n, file, by_reference:
            f"{file}: there is no list of class names beside the labels, so class numbers are "
            f"{'read as the ids of the ground truth' if by_reference else 'shown as they are'}.",
        Hint("Put data.yaml, classes.txt or obj.names beside the label files.",
             "Drop data.yaml, classes.txt or obj.names together with the label files.")),
    "depth-beyond-tree": _note(
        lambda n, depth, used:
            f"The tree has no families at depth {depth}, so the families at depth {used} are used."),
    "family-label-unknown": FindingText(
        lambda n, first: _labels_are(n, "named by the families and used by neither side", first),
        "Check their spelling."),
    "label-without-family": FindingText(
        lambda n, first: _labels_are(n, "in no family; each counts as its own family", first), severity="info"),
    "label-like-family": _note(
        lambda n, first: _labels_are(n, "in no family but named like a family, and counted there", first)),
    # Regions.
    "empty-side": FindingText(
        lambda n, file: f"{file} has no region at all, so every score with it is 0 or n/a.",
        "Check that this is the right file."),
    "empty-box": FindingText(
        lambda n, file, inverted, place, box:
            f"{file}: {_without_area(n, inverted)}; first at {place}: "
            f"x0, y0, x1, y1 = {', '.join(f'{v:g}' for v in box)}.",
        "Check whether width and height were written as corners, or the other way round."),
    "clipped-box": FindingText(
        lambda n, file, excess, place, page:
            f"{file}: {plural(n, 'box reaches', 'boxes reach')} beyond the page, by up to {excess:.3g}, and "
            f"{agree(n, 'is', 'are')} clipped; first at {place} on page {short_repr(page)}.",
        "Large excesses usually mean another resolution or xywh read as xyxy."),
    "background-region": _note(
        lambda n, file, label:
            f"{file}: {_regions_are(n)} labelled {label} and {agree(n, 'is', 'are')} dropped; "
            f"{label} is what no region covers."),
    "duplicate-box": FindingText(
        lambda n, file, label, page:
            f"{file}: {plural(n, 'region is a duplicate', 'regions are duplicates')} with the same page, box and label "
            f"as another (first: {short_repr(label)} on page {short_repr(page)}).",
        "Pixels are not counted twice, but objects are: remove the duplicates."),
    **{code: FindingText(_better_reading, _repair_hint) for code in (
        "y-flipped", "xywh-as-xyxy", "xyxy-as-xywh", "corner-as-centre", "centre-as-corner")},
    "other-scale": FindingText(_other_scale, _repair_hint),
    "fixed": _note(
        lambda n, file, repair, lost:
            f"{file}: read with the repair {repair}"
            f"{f'; {_regions_are(lost)} left out because there is no such page' if lost else ''}."),
    "unlabelled-row": FindingText(
        lambda n, file, place:
            f"{file}: {plural(n, 'row has a box but no label and is', 'rows have a box but no label and are')} "
            f"dropped; first at {place}.",
        "Fill the label column."),
    "unlisted-image": FindingText(
        lambda n, file, images, place, image_id:
            f"{file}: {plural(n, 'region')} on {plural(images, 'image')} that `images` does not list, dropped; "
            f"first at {place}: image_id {short_repr(image_id)}.",
        "If you filtered `images`, filter `annotations` too."),
    "unknown-page": FindingText(
        lambda n, file, images, place, image_id:
            f"{file}: {plural(n, 'region')} on {plural(images, 'image')} that the ground truth does not have, dropped; "
            f"first at {place}: image_id {short_repr(image_id)}.",
        "Check that both files come from the same split and number their images alike."),
    "image-ids-are-names": _note(
        lambda n, file, images, first, page:
            f"{file}: image ids are not ids but file names; {plural(images, 'page was', 'pages were')} found by name "
            f"(first: {short_repr(first)} is page {short_repr(page)})."),
    "image-ids-respelt": _note(
        lambda n, file, images, first, page:
            f"{file}: {plural(images, 'image id is', 'image ids are')} a number in one place and text in another, and "
            f"taken for the same (first: {short_repr(first)} is page {short_repr(page)})."),
    "image-ids-like-names": FindingText(
        lambda n, file, first, page, other:
            f"{file}: image ids are read as ids of the ground truth, but each is also the file name of a page "
            f"(first: {short_repr(first)} is read as page {short_repr(page)}, and is the name of {short_repr(other)}).",
        "If file names are meant, add `file_name` to each entry."),
    "class-numbers": FindingText(
        lambda n, file, start, first, label:
            f"{file}: category ids are read as "
            + (f"positions in the labels of the ground truth, counted from {start}" if start >= 0
               else "ids of the ground truth")
            + f" (first: {first} is {short_repr(label)}).",
        "Tools that write file names as image ids count classes from 0 or from 1: check one label.", "info"),
    "ignore-without-crowd": FindingText(
        lambda n, file:
            f"{file}: {plural(n, 'annotation is', 'annotations are')} marked `ignore` but not `iscrowd`; COCO's rules "
            f"look at `iscrowd` alone, so {agree(n, 'it is an object', 'they are objects')} like all others. "
            f"{agree(n, 'Its', 'Their')} pixels are not judged.",
        severity="info"),
    "outlines-as-boxes": FindingText(
        lambda n, file: f"{file}: {plural(n, 'outline is', 'outlines are')} read as {agree(n, 'a box', 'boxes')}.",
        Hint('Read it with shapes="polygon" (--shapes polygon).',
             "The dashboard compares boxes; the command line can compare outlines."), "info"),
    # Scores.
    "score-range": FindingText(
        lambda n, file, place, score:
            f"{file}: {plural(n, 'score lies', 'scores lie')} outside 0..1; first at {place}: {score:g}. Soft scores "
            "need probabilities and are n/a.",
        "Divide percentages by 100; put logits through a sigmoid."),
    "score-missing": FindingText(
        lambda n, file, regions: f"{file}: {n:,} of {regions:,} regions {agree(n, 'has', 'have')} no score.",
        "Objects need all scores or none."),
    "score-constant": FindingText(
        lambda n, file, score: f"{file}: all scores are {score:g}, so they do not rank the regions.",
        "AP needs real scores."),
    "min-score-without-scores": _note(
        lambda n, min_score:
            f"No region of pred has a score, so the minimum score of {min_score} leaves none out."),
    "below-min-score": _note(
        lambda n, regions, min_score:
            f"{n:,} of {regions:,} regions of pred {agree(n, 'has', 'have')} a score below {min_score} and "
            f"{agree(n, 'is', 'are')} left out."),
    # Several annotators.
    "other-annotators": _note(
        lambda n, file, chosen, names:
            f"{file}: "
            + (f"the regions of annotator {short_repr(chosen)} are read; there {agree(n, 'is', 'are')} also "
               if chosen else "one annotation of each page is read, whoever made it; named annotators: ")
            + f"{_first_names(n, names)}.",
        Hint("Name another one with annotator= or --annotator; two of them can be compared with each other.",
             "Python and the command line can read those of another annotator.")),
    # Attributes of pages.
    "attributes-without-page": FindingText(
        lambda n, file, table, by, rows, first:
            f"{table}: {n:,} of {rows:,} rows {agree(n, 'belongs', 'belong')} to no {by} of {file}, or to several that "
            f"are alike (first: {short_repr(first)}).",
        "Check the names.", "info"),
    "page-without-attributes": FindingText(
        lambda n, file, table, pages, first:
            f"{file}: {n:,} of {pages:,} pages {agree(n, 'has', 'have')} no row in {table} "
            f"(first: {short_repr(first)}).",
        "Add the missing rows.", "info"),
    "attribute-replaced": FindingText(
        lambda n, file, table, page, name, old, new:
            f"{file}: {plural(n, 'attribute has', 'attributes have')} another value in {table}, which is used "
            f"(first: {short_repr(name)} of page {short_repr(page)}, {short_repr(old)} becomes {short_repr(new)})."),
    "attributes-left-out": _note(
        lambda n, file, limit:
            f"{file}: pages have more than {limit} attributes; {agree(n, 'one is', f'{n:,} are')} left out."),
    # Ignore regions.
    "ignored-pixels": _note(
        lambda n, pixels:
            f"{n:,} of {pixels:,} pixels {agree(n, 'is', 'are')} not judged and {agree(n, 'counts', 'count')} in "
            "nothing, because gt has ignore regions or crowds there."),
    "ignored-pred": _note(
        lambda n, file:
            f"{file}: {_regions_are(n)} mapped to Ignore and {agree(n, 'is', 'are')} left out.",
        "Only gt decides which pixels are judged: map labels of gt to Ignore."),
    # What a written format cannot hold.
    "not-written": FindingText(
        lambda n, format, what, names:
            f"{format} has no place for {what}: {n:,} {agree(n, 'is', 'are')} left out"
            + (f" ({_first_names(n, names)})." if names else "."),
        "Parquet holds all of a layout."),
    "renamed-pages": _note(
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
    "rounded-coordinates": _note(
        lambda n, format, most:
            f"{format}: coordinates of {plural(n, 'region or page size', 'regions or page sizes')} are rounded, by up "
            f"to {most:.3g}."),
    "clipped-regions": _note(
        lambda n, format:
            f"{format}: {plural(n, 'region reaches', 'regions reach')} beyond the page and "
            f"{agree(n, 'is', 'are')} clipped."),
    "page-order": _note(
        lambda n, format: f"{format}: pages are read in the order of their file names; {n:,} change their position."),
    # Files.
    "documents-left-out": _note(
        lambda n, limit, file:
            f"There are {n:,} documents, more than the {limit:,} that a result lists, so by_document is null"
            + (f"; {short_repr(file)} beside this file has one row per document." if file else "."),
        lambda file="", **_: "" if file else "Write the result to a file: the documents are then written beside it."),
    "skipped-file": _note(
        lambda n, file, first:
            f"{file}: {plural(n, 'file of another kind is', 'files of another kind are')} left out "
            f"(first: {short_repr(first)})."),
    "findings-left-out": _note(
        lambda n, file:
            f"{file}: {plural(n, 'finding was', 'findings were')} not kept when the file was written or read."),
    "two-sides": FindingText(
        lambda n, file, side: f"{file}: the file holds two resolutions of each page, a and b; this is {side}.",
        lambda side, **_: "" if side == "b" else Hint(
            "format=docling-metrics-b reads b.", "Drop the file as the prediction too: there it is read as b."),
        "info"),
    "two-documents": FindingText(
        lambda n, file, side:
            f"{file}: the file holds the ground truth and the prediction of each document; this is the {side}.",
        lambda side, **_: "" if side == "prediction" else Hint(
            "format=docling-eval-pred reads the prediction.",
            "Drop the file as the prediction too: there the prediction is read."),
        "info"),
    "document-without-side": FindingText(
        lambda n, file, side, first, status:
            f"{file}: {plural(n, 'document has', 'documents have')} no {side} with pages "
            f"(first: {short_repr(first)}{', status ' + status if status else ''}) and {agree(n, 'is', 'are')} "
            "left out. Pages that only the other side has are compared with an empty page.",
        Hint("To leave these pages out: missing pages: ignore.", "Set Missing pages to ignore in the sidebar.")),
    "slides-from-top": _unusual(
        "boxes of slides claim to count from the bottom of the page, but docling wrote them from the top, so they are "
        "read from the top"),
    "other-attributes": FindingText(
        lambda n, file, used, names:
            f"{file}: the label of a region is its attribute {short_repr(used)}; regions also have "
            f"{_first_names(n, names)}.",
        severity="info"),
    "box-from-content": _unusual("blocks have no box of their own and are given the box around their content"),
    "deleted-object": _unusual("objects are marked as deleted and are left out", severity="info"),
    "cut-off": _unusual("files end before they are closed, so that pages may be missing"),
    "cut-off-answer": _unusual(
        "answers of a model end too early and are read up to their last whole region",
        "Let the model write more tokens, and run it again on these pages."),
    "ignored-region": _unusual(
        "regions are marked as not to be judged: they are objects, but in gt their pixels count in nothing",
        severity="info"),
    "ignored-shape": _unusual(
        "shapes are marked to be ignored: they are no regions, and in gt their pixels count in nothing",
        severity="info"),
    "images-only": _unusual(
        "pages have places of images and of nothing else", "Use mistral-ocr-4 or later, which writes blocks."),
    "inline-detection": _unusual("formulas and text lines are not blocks and are left out", severity="info"),
    "interval": _unusual("intervals have no box and are left out"),
    "likely-noise": _unusual("entries that the tool itself takes for noise are left out", severity="info"),
    "no-coordinates": _unusual("{what} are left out"),
    "lines-without-block": _unusual(
        "pages have lines ({lines} on the first) and no block; lines are not read, so that there is no region",
        "Let the tool write areas or paragraphs, too (ocr_carea, ocr_par)."),
    "mask-left-out": _unusual("masks of this kind are not read and are left out"),
    "no-label": _unusual("regions have no label and are called 'region'"),
    "no-location": _unusual("tags without a whole location are left out"),
    "no-paragraphs": _unusual(
        "analysis without paragraphs: only tables and figures are read", "Use the model prebuilt-layout."),
    "no-place": _unusual("{what} and are left out"),
    "not-an-area": _unusual("lines, points and the like cover no area and are left out"),
    "page-left-out": _unusual("{what} and are left out with their pages", severity="info"),
    "page-offset": _unusual(
        "pages do not start at 0, 0; their frame is taken from 0, 0 to the far corner of their box"),
    "rotated-page": _unusual(
        "pages are marked as rotated; their boxes are taken to be in the frame of the page as it is shown"),
    "several-annotators": _unusual(
        "tasks have several annotations",
        Hint("The last one is used; annotator= or --annotator chooses an annotator.", "The last one is used.")),
    "several-locations": _unusual("tags have several locations, all taken to be on one page"),
    "shape-left-out": _unusual("{what} and are left out"),
    "skipped-task": _unusual("tasks that were skipped, with cancelled annotations only, are left out"),
    "size-in-points": _unusual(
        "boxes are in points and their pages have no size; the size from elsewhere must be in points, too",
        "Give the size of the PDF page, such as 612x792, and not that of an image."),
    "size-of-document": _unusual(
        "pages without figures have no size and are given that of the other pages", severity="info"),
    "skipped-frames": _unusual("frames that a track skips are not filled in"),
    "token-regions": _unusual(
        "files have a region for each token, because they have no larger unit", severity="info"),
    "unknown-tag": _unusual(
        "blocks refer to tags that the file does not have", "Check whether the tags were left out of the file."),
}
# fmt: on
