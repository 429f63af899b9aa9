"""Terminal text of the commands: a comparison, its families and differences, a layout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from layoutcm.alignment.checks import findings_of
from layoutcm.layouts.findings import SEVERE, severe_of, worst_first
from layoutcm.layouts.model import Finding, Layout
from layoutcm.messages.finding_text import first_names
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import PARTS
from layoutcm.metrics.family_trees import preferred_name
from layoutcm.metrics.objects.ranked_pairs import QUALITIES
from layoutcm.results.common_parts import FindingRecord
from layoutcm.results.measures import (
    CONTENT_ROW,
    MEASURES,
    OBJECT_SCORES,
    OF_PIXELS,
    SCORES,
    Measure,
    grid_rows,
    quoted_measures,
)
from layoutcm.results.result import Result
from layoutcm.results.view_types import CentroidScores, Families, FamilyShares, ObjectScores
from layoutcm.tables.interval_texts import interval_of_row, resampling_of, resampling_text, unit_lines
from layoutcm.tables.layout_facts import layout_result
from layoutcm.tables.matrix_views import cell_name, largest_confusions, largest_title, result_sentence, select
from layoutcm.tables.report_tables import LABEL_TITLES, NO_AGREEMENT, REVIEW_ORDER, agreed
from layoutcm.tables.tables import ANY_LABEL, SHAPES
from layoutcm.wording import USE_A_MAPPING, iou_text, one_line, percent, pixels_in_full, plural, score_text, short_name

NAMES_SHOWN, ANNOTATORS_SHOWN, PAGES_SHOWN = 5, 12, 10
LINE_NAME = 60  # characters of a label or page


def result_summary(result: Result) -> str:
    """The result as terminal text: recipe, sizes, averages, classes, largest confusions, findings."""
    confusion, intervals = result.confusion(), result.intervals
    if result.vocabulary.measured == "agreement":
        largest = _confusion_lines(confusion, has_shares=False)
        middle = [_agreement_lines(result), _label_lines(result), largest, _review_lines(result)]
    else:
        own = [one for one in MEASURES if not one.grid]  # no other table of the terminal has them
        middle = [
            _average_lines(result),
            [_score_line(result, CONTENT_ROW, grid_rows(OF_PIXELS)[CONTENT_ROW])],
            [f"{one.title:28} {score_text(result.measures.get(one.name)):>27}" for one in own],
            [resampling_text(resampling_of(intervals)), *unit_lines(intervals)] if intervals else [],
            _class_lines(confusion),
            _confusion_lines(confusion),
        ]
    sizes = f"{plural(result.page_count, 'page')}, {plural(result.document_count, 'document')}, "
    sections = [
        [one_line(result.recipe)],
        [f"{sizes}{pixels_in_full(result.pixels)} pixels, {result.taxonomy} taxonomy"],
        severe_lines(result.findings),
        finding_lines([finding for finding in result.findings if finding.severity == "warning"]),
        [result_sentence(result, confusion)],
        *middle,
        finding_lines([finding for finding in result.findings if finding.severity == "info"], "notes"),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _average_lines(result: Result) -> list[str]:
    heading = f"{'averages':28} precision   recall       F1" + ("   interval of F1" if result.intervals else "")
    if not result.has_classes:
        none = f"Averages over classes: none, because the two sides have different labels ({USE_A_MAPPING}"
        unmapped = _labels_without_partner(result) if "mapped_labels" in result.recipe_fields else ""
        none += f"; not in gt: {unmapped})." if unmapped else ")."
        return [none, "", heading.replace("averages", " " * len("averages"))]
    rows = grid_rows(OF_PIXELS, brief=True)
    return [heading, *(_score_line(result, row, found) for row, found in rows.items() if row != CONTENT_ROW)]


def _labels_without_partner(result: Result) -> str:
    """The labels of pred that are in use and that gt does not have, after a mapping."""
    pixels = result.pred_pixels[1 + len(result.gt_labels) :]
    names = [label for label, own in zip(result.pred_labels, pixels) if own and label not in result.gt_labels]
    return first_names(len(names), names[:NAMES_SHOWN])


def _score_line(result: Result, title: str, measures: Mapping[str, Measure]) -> str:
    """Precision, recall and F1 of one row, with the interval of F1."""
    numbers = " ".join(
        f"{score_text(result.measures[measures[score].name]):>{width}}" for score, width in zip(SCORES, (9, 8, 8))
    )
    row = result.interval_of(measures["f1"].name)
    return f"{title:28} {numbers}" + (f"   {interval_of_row(row)}" if row is not None else "")


def _class_lines(confusion: Confusion) -> list[str]:
    if not confusion.diagonal:
        return []
    values = confusion.class_values()
    rows, _ = select(confusion)
    names = {i: line_name(confusion.labels[i]) for i in rows}
    width = max(map(len, names.values()))
    lines = [f"{'class':{width}} {'gt px':>14} {'pred px':>14} precision   recall       F1      IoU"]
    for i in rows:
        scores = " ".join(f"{score_text(values[name][i]):>8}" for name in ("recall", "f1", "iou"))
        lines.append(
            f"{names[i]:{width}} {pixels_in_full(values['gt_pixels'][i]):>14} "
            f"{pixels_in_full(values['pred_pixels'][i]):>14} "
            f"{score_text(values['precision'][i]):>9} {scores}"
        )
    return lines


def _confusion_lines(confusion: Confusion, has_shares: bool = True) -> list[str]:
    cells = largest_confusions(confusion)
    if not cells:
        return []
    names = [cell_name(confusion.vocabulary, *cell[:2], confusion.diagonal, line_name) for cell in cells]
    width = max(map(len, names))
    lines = [largest_title(confusion)]
    for name, (gt, _, pixels, share) in zip(names, cells):
        of_gt = f"  {percent(share):>7} of {line_name(gt)}" if has_shares else ""
        lines.append(f"  {name:{width}} {pixels_in_full(pixels):>14} px{of_gt}")
    return lines


def _agreement_lines(result: Result) -> list[str]:
    if not result.has_classes:
        return [NO_AGREEMENT]
    return [f"{one.title:28} {score_text(result.measures[one.name]):>8}" for one in quoted_measures("agreement")]


def _label_lines(result: Result) -> list[str]:
    rows = agreed(result).labels
    if not rows:
        return []
    width = max(len("label"), *(len(line_name(row["label"])) for row in rows))
    lines = [f"{'label':{width}} {'A px':>14} {'B px':>14} {'both px':>14}  {LABEL_TITLES['agreement']}"]
    for row in rows:
        pixels = " ".join(f"{pixels_in_full(row[name]):>14}" for name in ("a_pixels", "b_pixels", "both_pixels"))
        lines.append(f"{line_name(row['label']):{width}} {pixels} {score_text(row['agreement']):>15}")
    return lines


def _review_lines(result: Result) -> list[str]:
    found = agreed(result)
    rows = found.pages_to_review[:PAGES_SHOWN]
    more = (found.review_count or len(found.pages_to_review)) - len(rows)
    if not rows:
        return []
    pages, labels = (max(len(line_name(row[column])) for row in rows) for column in ("page", "label"))
    lines = [REVIEW_ORDER]
    for row in rows:
        part = f"{percent(row['share']):>7} of the label"
        names = f"{line_name(row['page']):{pages}}  {line_name(row['label']):{labels}}"
        lines.append(f"  {names} {pixels_in_full(row['pixels']):>14} px  {part}")
    return [*lines, f"  … and {more:,} more"] if more else lines


def line_name(text: str) -> str:
    """`short_name` with more characters, for tables with few columns."""
    return short_name(text, LINE_NAME)


def severe_lines(findings: Iterable[Finding | FindingRecord]) -> list[str]:
    """The severe findings below the sentence that says what they mean."""
    return finding_lines(severe_of(findings), SEVERE)


def finding_lines(findings: Iterable[Finding | FindingRecord], title: str = "findings") -> list[str]:
    lines = []
    for finding in worst_first(findings):
        hint = finding.hint
        lines.append(f"  [{finding.severity}] {one_line(finding.message + (f' {hint}' if hint else ''))}")
    return [title, *lines] if lines else []


def family_summary(families: Families) -> str:
    """The families as terminal text: for every label of gt, then of pred, the shares in its family and out of it."""
    sections = [
        [one_line(families.recipe)],
        _family_lines(families, "gt", families.given_gt),
        _family_lines(families, "pred", families.given_pred),
        finding_lines(families.findings),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _family_lines(families: Families, side: str, rows: Sequence[FamilyShares]) -> list[str]:
    used = [row for row in rows if row.total]
    width = max(len(line_name(label)) for label in (*(str(row.label) for row in used), "all but Background"))
    unit = "px" if families.sample == "pixel" else "pages"
    lines = [f"{f'given {side}':{width}} identity in family  out of it {unit:>14}  mostly confused with"]
    lines += [_family_line(row, str(row.label), width) for row in used]
    return [*lines, _family_line(families.shares[side], "all but Background", width)]


def _family_line(row: FamilyShares, name: str, width: int) -> str:
    parts = " ".join(f"{percent(row[part]):>{column}}" for part, column in zip(PARTS, (8, 9, 10)))
    total = pixels_in_full(row.total) if row.total else ""
    return f"{line_name(name):{width}} {parts} {total:>14}  {preferred_name(row.preferred or None)}".rstrip()


def layout_summary(layout: Layout) -> str:
    facts = layout_result(layout)
    lines = [
        f"{one_line(facts['file'])}: {facts['format']}, {plural(facts['pages'], 'page')}, "
        f"{plural(facts['documents'], 'document')}, {plural(facts['regions'], 'region')}, "
        f"{'with' if layout.has_scores else 'without'} scores"
    ]
    if facts["page0"]:
        first = facts["page0"]
        lines.append(f"  first page   {line_name(first['page'])}, {first['width']} x {first['height']}")
    if facts["region0"]:
        box = ", ".join(f"{v:g}" for v in facts["region0"]["box"])
        label, page = (line_name(facts["region0"][name]) for name in ("label", "page"))
        lines.append(f"  first region {label} at {box} on {page}")
    names = list(map(line_name, facts["labels"]))  # those of two labels may be equal
    width = max(map(len, names), default=0)
    lines += [f"  {name:{width}} {count:>10,}" for name, count in zip(names, facts["labels"].values())]
    lines += [f"  {one_line(line)}" for line in further_facts(facts)]
    lines += [f"  {line.strip()}" for line in finding_lines(findings_of(layout))]
    return "\n".join(lines)


def further_facts(facts: Mapping[str, Any]) -> list[str]:
    """Attributes of pages, annotators and ignored pixels of a `layout_result`, one line for each."""
    lines = [_attribute_line(name, values) for name, values in facts["attributes"].items()]
    if facts["annotators"]:
        names = facts["annotators"]
        shown = ", ".join(names[:ANNOTATORS_SHOWN]) + (f", … ({len(names):,})" if len(names) > ANNOTATORS_SHOWN else "")
        lines.append(f"annotators: {shown}; read: {facts['annotator'] or 'one for each page'}")
    if facts["ignored_regions"]:
        regions, pixels = plural(facts["ignored_regions"], "region"), facts["ignored_pixels"]
        amount = "" if pixels is None else f"{pixels_in_full(pixels)} pixels under "
        lines.append(f"not judged if this is the ground truth: {amount}{regions}")
    return list(map(one_line, lines))


def _attribute_line(name: str, values: Mapping[str, Any]) -> str:
    shown = list(values["pages"].items())[:NAMES_SHOWN]
    more = f", … ({values['values']:,} values)" if values["values"] > len(shown) else ""
    return f"{name}: " + ", ".join(f"{value} {pages:,}" for value, pages in shown) + more


COUNTS = {"tp": "found", "fn": "missed", "fp": "invented"}


def object_summary(result: Result) -> str:
    """Objects at one IoU, AP and centroids; one line if they were not counted, as of a very large set."""
    objects, centroids = result.objects, result.centroids
    if objects is None or centroids is None:
        return f"Objects and centroids of {plural(result.page_count, 'page')} take a while: --objects adds them."
    rows = list(_rows(objects, centroids))
    title = f"objects ({SHAPES[objects.shapes]}), {objects.gt:,} gt, {objects.pred:,} pred"
    width = max(len(name) for name in (title, *(name for name, _ in rows)))
    heading = " ".join(f"{name:>9}" for name in ("precision", "recall", "F1", *COUNTS.values()))
    lines = [f"{title:{width}} {heading}"]
    lines += [f"{name:{width}} " + " ".join(f"{value:>9}" for value in values) for name, values in rows]
    if objects.headline == "pq":
        found = objects.panoptic
        pq, *parts = (f"{name.upper()} {score_text(found[name] if found else None)}" for name in QUALITIES)
        lines.append(f"panoptic quality: {pq} ({', '.join(parts)})")
    ap = ", ".join(f"{name.upper()} {score_text(objects[name])}" for name in OBJECT_SCORES)
    lines.append(f"no AP: {objects.why_no_ap}" if objects.why_no_ap else ap)
    notes = dict.fromkeys(filter(None, (objects.note, centroids.note)))  # each once
    return "\n".join([*lines, *notes])


def _rows(objects: ObjectScores, centroids: CentroidScores) -> Iterator[tuple[str, list[str]]]:
    shared, at = objects.headline is not None, objects.at_iou
    blind = (at.class_blind, at.class_blind_counts or {}, ANY_LABEL)
    for scores, counts, suffix in ((at, at, ""), blind) if shared else (blind,):
        numbers = [score_text(scores[name]) for name in SCORES] + [f"{counts[name]:,}" for name in COUNTS]
        yield f"at IoU {iou_text(at.iou)}{suffix}", numbers
    dx, dy = centroids.tolerance
    yield (
        f"centroids within {dx:g} x {dy:g} px{'' if shared else ANY_LABEL}",
        [score_text(centroids.one_to_one[name]) for name in SCORES],
    )
