"""The texts of findings on two layouts together: their pages and their labels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from layoutcm.errors import Hint, short_repr
from layoutcm.messages.finding_text import FindingText, first_names, note, option, pages_were, repair_hint, size_text
from layoutcm.wording import SUGGESTED, agree, percent, plural


def _only_in(n: int, side: str, pages: int, ignored: bool, names: Sequence[str], regions: int | None = None) -> str:
    treatment = "left out" if ignored else "compared with an empty page"
    verb, first = agree(n, "is", "are"), first_names(n, names)
    counted = "" if regions is None else f" ({plural(regions, 'region')})"
    return f"{n:,} of {pages:,} pages of {side}{counted} {verb} not in the other side and {verb} {treatment}: {first}."


def _only_in_hint(ignored: bool, side: str, **_: Any) -> Hint:
    check = "Check the page names of both files"
    if ignored and side == "pred":
        return Hint(
            f"{check}, say which belong together (pages=, --pages), or count them as wrong if gt means every page "
            f"({option('missing_pages', 'penalise-both')}).",
            f"{check}. {_UPLOAD_MAP}, or set Missing pages to penalise-both in Settings if gt means every page.",
        )
    if ignored:
        return Hint(f"{check}, or say which belong together (pages=, --pages).", f"{check}. {_UPLOAD_MAP}.")
    leave_out = "ignore" if side == "gt" else "penalise"
    return Hint(
        f"{check}, say which belong together (pages=, --pages), or leave such pages out "
        f"({option('missing_pages', leave_out)}).",
        f"{check}. {_UPLOAD_MAP}, or set Missing pages to {leave_out} in Settings.",
    )


_UPLOAD_MAP = "Drop a page map on the page Data"


HOW_MATCHED = {
    "map": "by the page map",
    "exact": "by equal names",
    "base name": "by name without folders",
    "stem": "by name without folders and suffix",
    "spelling": "by name without folders and suffix, ignoring case, blanks and percent codes",
    "path": "by folders and name without suffix",
    "number": "by document and page number",
    "number alone": "by page number alone, because each side is one document",
}


def _matched(n: int, how: str, gt: str, pred: str) -> str:
    return f"{pages_were(n)} matched {HOW_MATCHED[how]} (first: {short_repr(gt)} and {short_repr(pred)})."


def _count_from(from_zero: str) -> str:
    return f"{from_zero} counts pages from 0 and {'pred' if from_zero == 'gt' else 'gt'} from 1"


def _labels_are(n: int, what: str, first: str) -> str:
    return f"{n} label{agree(n, ' is', 's are')} {what} (first: {short_repr(first)})."


def _label_only_in(n: int, side: str, names: Sequence[str], **_: Any) -> str:
    return f"{n} label{agree(n, ' is', 's are')} used by {side} only: {first_names(n, names)}."


def _label_only_in_hint(declared: bool = False, **_: Any) -> str | Hint:
    """No mapping is needed if the other side declares these labels: it just has no region of them."""
    map_labels = f"Map labels (mapping=, --mapping) if they mean the same; {SUGGESTED}."
    return "" if declared else Hint(map_labels, "Map labels to each other if they mean the same.")


def _off_by_one_hint(mapped: bool = False, **values: Any) -> Hint:
    repair = repair_hint(**values)
    check = "Check the page map first: it may name the wrong pages."
    return Hint(f"{check} {repair.text}", check) if mapped else repair


def _labels_only_in(**sides: tuple[int, Sequence[str]]) -> str:
    parts = [f"only {side} has {first_names(*names)}" for side, names in sides.items() if names[0]]
    return f" ({'; '.join(parts)})" if parts else ""


# fmt: off
TEXTS: dict[str, FindingText] = {
    "same-file": FindingText(
        lambda n, gt, pred:
            "Ground truth and prediction are the same file"
            + (f" under two names, {short_repr(gt)} and {short_repr(pred)}" if gt != pred else f", {short_repr(gt)}")
            + ": this compares a file with itself, so the scores say nothing about a model.",
        "Check the names of the files.", "error"),
    "same-regions": FindingText(
        lambda n:
            f"Ground truth and prediction have the same {plural(n, 'region')}, on the same pages and with the same "
            "labels: this compares a file with itself, so the scores say nothing about a model.",
        "Check the names of the files.", "error"),
    "sides-swapped": FindingText(
        lambda n, gt, pred:
            f"Every region of the ground truth, {short_repr(gt)}, has a score, and no region of the prediction, "
            f"{short_repr(pred)}, has one: the two seem to be swapped, so precision and recall are exchanged.",
        Hint("Give the ground truth first: layoutcm compare GT PRED.", "Exchange their roles on the page Data."),
        "error"),
    "unrelated-sides": FindingText(
        lambda n, found, covered, elsewhere, regions:
            "The two sides seem to show different pages, such as those of another data set: "
            f"{percent(found)} of gt's regions have a counterpart in pred, and pred covers {percent(covered)} of their "
            f"area, against {percent(elsewhere)} on other pages (measured on {plural(regions, 'region')}).",
        "Check that both files are of the same images: pages are matched by their names alone.", "error"),
    "truth-with-scores": note(
        lambda n, file: f"{file}: every region of the ground truth has a score, as in a prediction.",
        Hint("If it is a prediction, too, ask how far the two agree (truth=False, --no-truth).", "")),
    "no-causes": FindingText(
        lambda n, problem: f"There are no causes of wrong pixels, because {problem}.",
        "Leave out predictions with low scores, or this page."),
    # Pages of the two sides.
    "scaled-page": note(
        lambda n, page, pred_size, gt_size:
            f"{plural(n, 'page has', 'pages have')} another size in pred and {agree(n, 'is', 'are')} scaled to gt's "
            f"(first: {short_repr(page)}, {size_text(*pred_size)} to {size_text(*gt_size)})."),
    "label-added": FindingText(
        lambda n, file, names:
            f"{file}: parts have {plural(n, 'label')} that the manifest does not know "
            f"({', '.join(map(short_repr, names))}); they were added.",
        "Write the manifest again: layoutcm manifest."),
    "page-without-pred": FindingText(
        lambda n, pages, first:
            f"{n:,} of {pages:,} pages {agree(n, 'has', 'have')} regions in gt and none in pred "
            f"(first: {short_repr(first)}); they count as missed.",
        "Check that the model ran on all pages."),
    **{f"page-only-in-{side}": FindingText(partial(_only_in, side=side), partial(_only_in_hint, side=side))
       for side in ("gt", "pred")},
    **{f"page-matched-by-{how.replace(' ', '-')}": note(_matched) for how in HOW_MATCHED
       if how != "exact"},
    "page-matched-by-number-alone": FindingText(
        _matched, Hint("Check that both are the same document; if not, give a page map (pages=, --pages).",
                       f"Check that both are the same document. {_UPLOAD_MAP} if not.")),
    "page-numbers-shifted": FindingText(
        lambda n, from_zero, gt, pred:
            f"{pages_were(n)} matched {HOW_MATCHED['number']}, shifted by one, because {_count_from(from_zero)} "
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
        lambda n, unit, shift, found, before, **_:
            f"{unit.capitalize()}s of pred seem to be off by one: with pred's regions moved to the "
            f"{'next' if shift > 0 else 'previous'} {unit}, {percent(found)} of gt's regions have a counterpart, "
            f"against {percent(before)} now.",
        _off_by_one_hint),
    "documents-from-names": FindingText(
        lambda n, first, pages:
            f"{plural(n, 'document was', 'documents were')} taken from page names that are equal except for their "
            f"number (first: {short_repr(first)}, {pages} pages).",
        Hint("Give a pattern (documents=, --documents) if this is wrong.", ""), "info"),
    "documents-of-one-page": note(
        lambda n, first:
            f"The names of all {n:,} pages are equal except for their number (first: {short_repr(first)}), which does "
            "not divide them into documents, so each page counts as its own document.",
        Hint("Give a pattern (documents=, --documents) if they belong to documents.", "")),
    "documents-pattern": FindingText(
        lambda n, pages, first:
            f"The pattern for documents does not match {n:,} of {pages:,} pages (first: {short_repr(first)}).",
        "Such a page is its own document."),
    "shared-page-name": FindingText(
        lambda n, file, first, now:
            f"{file}: " + plural(n, "page shares its name with another and is named after its file, subset or task",
                                 "pages share a name and are named after their files, subsets or tasks")
            + f" (first: {short_repr(first)} becomes {short_repr(now)}).",
        "Check whether each file names its own image."),
    "coarse-page": FindingText(
        lambda n, file, pages, limit, first, size:
            f"{file}: {n:,} of {pages:,} pages {agree(n, 'is', 'are')} less than {limit} units wide and high "
            f"(first: {short_repr(first)}, {size_text(*size)}), so rounding to whole units is coarse.",
        Hint(f"Count exact areas ({option('rounding', 'exact')}), or make the side with pixels the ground truth.",
             "Use the rounding exact, or make the side with pixels the ground truth.")),
    "empty-page": note(
        lambda n, file, pages, first:
            f"{file}: {n:,} of {pages:,} pages {agree(n, 'has', 'have')} no region (first: {short_repr(first)})."),
    # Labels of the two sides.
    "mapping-misspelt": FindingText(
        lambda n, side, file, first, meant:
            f"The mapping of {side} names {plural(n, 'label')} that {file} has in another spelling "
            f"(first: {short_repr(first)}).",
        lambda first, meant, **_: f"Write {short_repr(meant)} for {short_repr(first)} if that is meant."),
    "mapping-target-misspelt": FindingText(
        lambda n, side, other, first, meant:
            f"The mapping of {side} leads to {plural(n, 'label')} that {other} has in another spelling "
            f"(first: {short_repr(first)}).",
        lambda first, meant, **_: f"Write {short_repr(meant)} for {short_repr(first)} if that is meant."),
    "mapping-unused": note(
        lambda n, side, file, first:
            f"The mapping of {side} names {plural(n, 'label')} that {file} does not have "
            f"(first: {short_repr(first)})."),
    **{f"label-only-in-{side}": FindingText(
        partial(_label_only_in, side=side), _label_only_in_hint, "info")
       for side in ("gt", "pred")},
    "labels-disjoint": FindingText(
        lambda n, gt, pred:
            f"The two sides have no label in common: gt has {first_names(*gt)}; pred has {first_names(*pred)}. So no "
            "label has a score, and averages over labels are 0 or n/a.",
        Hint(f"Map labels (mapping=, --mapping); {SUGGESTED}. Say {option('taxonomy', 'different')} if only content "
             "is to be compared.",
             "Map labels below, or set Taxonomy to different in Settings if only content is to be compared."),
        "error"),
    "equal-label-names": FindingText(
        lambda n, labels, gt, pred, only_gt, only_pred:
            f"{n} of {labels} labels of pred {agree(n, 'has', 'have')} the same or a similar name as one of gt (first: "
            f"{short_repr(pred)} and {short_repr(gt)}). Neither side's labels include the other's"
            f"{_labels_only_in(gt=only_gt, pred=only_pred)}. So they count as different.",
        Hint(f"Use one list of all names ({option('taxonomy', 'same')}), join similar names, too "
             f"({option('taxonomy', 'match-names')}), or map these labels (mapping=, --mapping; "
             f"{SUGGESTED}).",
             "Match equal names, or map labels below.")),
    "ids-off-by-one": FindingText(
        lambda n, by, after, before:
            f"Category ids of pred seem to be off by one: with every id {'one higher' if by > 0 else 'one lower'}, "
            f"{percent(after)} of the regions in the same place have the same label, against {percent(before)} now.",
        repair_hint),
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
    "depth-beyond-tree": note(
        lambda n, depth, used:
            f"The tree has no families at depth {depth}, so the families at depth {used} are used."),
    "family-label-unknown": FindingText(
        lambda n, first: _labels_are(n, "named by the families and used by neither side", first),
        "Check their spelling."),
    "label-without-family": FindingText(
        lambda n, first: _labels_are(n, "in no family; each counts as its own family", first), severity="info"),
    "label-like-family": note(
        lambda n, first: _labels_are(n, "in no family but named like a family, and counted there", first)),
}
# fmt: on
