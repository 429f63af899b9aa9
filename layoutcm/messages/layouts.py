"""The texts of findings on the regions, scores, annotators, attributes and ignore regions of a layout."""

from __future__ import annotations

from typing import Any

from layoutcm.errors import Hint, short_repr
from layoutcm.messages.finding_text import FindingText, first_names, note, regions_are, repair_hint
from layoutcm.wording import agree, percent, plain_number, plural


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


def _wrong_page_size(n: int, **values: Any) -> str:
    """Found by trying other readings of pred, or because most boxes differ by one factor."""
    if "found" in values:
        return _better_reading(n, **values)
    alike, regions = values["alike"], values["regions"]
    return (
        f"{values['reading']}: {alike:,} of {regions:,} regions of gt have a counterpart that is equal in this scale."
    )


def _page_size_hint(repair: str, **values: Any) -> Hint:
    given = "If you gave the size, give the right one"
    approximate = repair_hint(repair, **values).text.replace("Repair it:", "Otherwise repair it, approximately:")
    return Hint(
        f"{given} (sizes=, --sizes), or none if gt's is right. {approximate}", f"{given}, or none if gt's is right."
    )


# fmt: off
TEXTS: dict[str, FindingText] = {
    # Regions.
    "empty-side": FindingText(
        lambda n, file: f"{file} has no region at all, so every score with it is 0 or n/a.",
        "Check that this is the right file.", "error"),
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
    "background-region": note(
        lambda n, file, label:
            f"{file}: {regions_are(n)} labelled {label} and {agree(n, 'is', 'are')} dropped; "
            f"{label} is what no region covers."),
    "duplicate-box": FindingText(
        lambda n, file, label, page:
            f"{file}: {plural(n, 'region is a duplicate', 'regions are duplicates')} with the same page, box and label "
            f"as another (first: {short_repr(label)} on page {short_repr(page)}).",
        "Pixels are not counted twice, but objects are: remove the duplicates."),
    **{code: FindingText(_better_reading, repair_hint) for code in (
        "y-flipped", "axes-swapped", "xywh-as-xyxy", "xyxy-as-xywh", "corner-as-centre", "centre-as-corner")},
    "other-scale": FindingText(_other_scale, repair_hint),
    "wrong-page-size": FindingText(_wrong_page_size, _page_size_hint),
    "fixed": note(
        lambda n, file, repair, lost:
            f"{file}: read with the repair {repair}"
            f"{f'; {regions_are(lost)} left out because there is no such page' if lost else ''}."),
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
    "page-without-size": note(
        lambda n, file, pages, first:
            f"{file}: the size of {n:,} of {pages:,} pages is not known, because the reference layout does not have "
            f"{agree(n, 'it', 'them')} (first: {short_repr(first)}).",
        "Check that both files come from the same split and name or number their pages alike."),
    "image-ids-are-names": note(
        lambda n, file, images, first, page:
            f"{file}: image ids are not ids but file names; {plural(images, 'page was', 'pages were')} found by name "
            f"(first: {short_repr(first)} is page {short_repr(page)})."),
    "image-ids-respelt": note(
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
            f"{file}: {plural(n, 'score lies', 'scores lie')} outside 0..1; first at {place}: {plain_number(score)}. "
            "Soft scores need probabilities and are n/a.",
        "Divide percentages by 100; put logits through a sigmoid."),
    "score-missing": FindingText(
        lambda n, file, regions: f"{file}: {n:,} of {regions:,} regions {agree(n, 'has', 'have')} no score.",
        "Objects need all scores or none."),
    "score-constant": FindingText(
        lambda n, file, score: f"{file}: all scores are {plain_number(score)}, so they do not rank the regions.",
        "AP needs real scores."),
    "min-score-without-scores": note(
        lambda n, min_score:
            f"No region of pred has a score, so the minimum score of {min_score} leaves none out."),
    "below-min-score": note(
        lambda n, regions, min_score:
            f"{n:,} of {regions:,} regions of pred {agree(n, 'has', 'have')} a score below {min_score} and "
            f"{agree(n, 'is', 'are')} left out{', so no region of pred is left' if n == regions else ''}.",
        lambda n, regions, **_: "Use a lower minimum score." if n == regions else ""),
    # Several annotators.
    "other-annotators": note(
        lambda n, file, chosen, names:
            f"{file}: "
            + (f"the regions of annotator {short_repr(chosen)} are read; there {agree(n, 'is', 'are')} also "
               if chosen else "one annotation of each page is read, by any annotator; named annotators: ")
            + f"{first_names(n, names)}.",
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
    "attributes-left-out": note(
        lambda n, file, limit:
            f"{file}: pages have more than {limit} attributes; {agree(n, 'one is', f'{n:,} are')} left out."),
    # Ignore regions.
    "ignored-pixels": note(
        lambda n, pixels:
            f"{n:,} of {pixels:,} pixels {agree(n, 'is', 'are')} not judged and {agree(n, 'counts', 'count')} in "
            "nothing, because gt has ignore regions or crowds there."),
    "ignored-pred": note(
        lambda n, file:
            f"{file}: {regions_are(n)} mapped to Ignore and {agree(n, 'is', 'are')} left out.",
        "Only gt decides which pixels are judged: map labels of gt to Ignore."),
}
# fmt: on
