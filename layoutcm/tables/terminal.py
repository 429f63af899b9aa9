"""Terminal text of the commands: a comparison, its families and differences, a layout, a verification."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from layoutcm.alignment.checks import findings_of
from layoutcm.comparison import Comparison
from layoutcm.errors import short_repr
from layoutcm.layouts.model import GT, PRED, SIDES, Finding, Layout
from layoutcm.messages.finding_text import first_names
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import PARTS, FamilyConfusion
from layoutcm.metrics.family_trees import preferred_name
from layoutcm.metrics.intervals import Intervals
from layoutcm.tables.averages import CONTENT_F1_FIGURE, F1_TITLES, SHORT_LIST, average_scores
from layoutcm.tables.interval_texts import interval_text, resampling_text, unit_lines
from layoutcm.tables.matrix_views import cell_verb, largest_confusions, select
from layoutcm.tables.summary_sentence import comparison_sentence
from layoutcm.wording import USE_A_MAPPING, one_line, percent, pixels_in_full, plural, score_text, shorten

if TYPE_CHECKING:
    from layoutcm.verification.deviations import Deviation
    from layoutcm.verification.recount import Verification

NAMES_SHOWN, DEVIATIONS_SHOWN, ANNOTATORS_SHOWN = 5, 10, 12
NAME_LENGTH = 60  # of a label or page in a table


def comparison_summary(comparison: Comparison, method: str = "matrix", intervals: Intervals | None = None) -> str:
    """The comparison as terminal text: recipe, sizes, averages, classes, largest confusions, findings."""
    confusion = comparison.confusion(method=method)
    sections = [
        [one_line(comparison.recipe_for(method))],
        [
            f"{plural(comparison.levels.page_count, 'page')}, {plural(len(comparison.documents), 'document')}, "
            f"{pixels_in_full(comparison.pixels)} pixels, {comparison.taxonomy} taxonomy",
        ],
        finding_lines(tuple(finding for finding in comparison.findings if finding.severity == "warning")),
        [comparison_sentence(comparison, confusion)],
        _average_lines(comparison, confusion, intervals),
        [_score_line(CONTENT_F1_FIGURE, confusion.content(), intervals)],
        [resampling_text(intervals), *unit_lines(intervals)] if intervals else [],
        _class_lines(confusion),
        _confusion_lines(confusion),
        finding_lines(tuple(finding for finding in comparison.findings if finding.severity != "warning"), "notes"),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _average_lines(comparison: Comparison, confusion: Confusion, intervals: Intervals | None) -> list[str]:
    heading = f"{'averages':28} precision   recall       F1" + ("   interval of F1" if intervals else "")
    if not confusion.diagonal:
        none = f"Averages over classes: none, because the two sides have different labels ({USE_A_MAPPING}"
        unmapped = _labels_without_partner(comparison) if comparison.alignment.mapped.renamed else ""
        none += f"; not in gt: {unmapped})." if unmapped else ")."
        return [none, "", heading.replace("averages", " " * len("averages"))]
    lines = [heading]
    averages = average_scores(comparison, confusion, SHORT_LIST)
    return lines + [_score_line(one.f1_figure, scores, intervals) for one, scores in averages]


def _labels_without_partner(comparison: Comparison) -> str:
    """The labels of pred that gt does not have, after a mapping."""
    gt, pred = comparison.alignment.layouts
    names = [label for label in pred.labels if label in pred.labels_in_use and label not in gt.labels]
    return first_names(len(names), names[:NAMES_SHOWN])


def _score_line(figure: str, scores: dict[str, float], intervals: Intervals | None) -> str:
    numbers = f"{score_text(scores['precision']):>9} {score_text(scores['recall']):>8} {score_text(scores['f1']):>8}"
    return f"{F1_TITLES[figure]:28} {numbers}" + (f"   {interval_text(intervals, figure)}" if intervals else "")


def _class_lines(confusion: Confusion) -> list[str]:
    if not confusion.diagonal:
        return []
    values = confusion.class_values()
    rows, _ = select(confusion)
    names = {i: short_name(confusion.labels[i]) for i in rows}
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


def _confusion_lines(confusion: Confusion) -> list[str]:
    cells = largest_confusions(confusion)
    if not cells:
        return []
    verb = cell_verb(confusion.diagonal, correct=False)
    names = [f"{short_name(gt)} {verb} {short_name(pred)}" for gt, pred, _, _ in cells]
    width = max(map(len, names))
    lines = ["largest confusions" if confusion.diagonal else "largest cells"]
    for name, (gt, _, pixels, share) in zip(names, cells):
        lines.append(f"  {name:{width}} {pixels_in_full(pixels):>14} px  {percent(share):>7} of {short_name(gt)}")
    return lines


def short_name(text: str) -> str:
    """A name on one line and not too long, so that it cannot look like other lines, or widen a table."""
    return shorten(one_line(text), NAME_LENGTH)


def finding_lines(findings: tuple[Finding, ...], title: str = "findings") -> list[str]:
    if not findings:
        return []
    lines = [title]
    for finding in findings:
        text = one_line(finding.message + (f" {finding.hint}" if finding.hint else ""))
        lines.append(f"  [{finding.severity}] {text}")
    return lines


def family_summary(families: FamilyConfusion) -> str:
    """The families as terminal text: for every label of gt, then of pred, the shares in its family and out of it."""
    sections = [[one_line(families.recipe)], *(_family_lines(families, side) for side in (GT, PRED))]
    sections.append(finding_lines(families.findings))
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _family_lines(families: FamilyConfusion, side: int) -> list[str]:
    table = families.given_gt() if side == GT else families.given_pred()
    used = table[table["total"] > 0]
    width = max(len(short_name(label)) for label in (*used["label"], "all but Background"))
    unit = "px" if families.sample == "pixel" else "pages"
    title = f"given {SIDES[side]}"
    lines = [f"{title:{width}} identity in family  out of it {unit:>14}  mostly confused with"]
    lines += [_family_line(row, width) for row in used.to_dict("records")]
    overall = {"label": "all but Background", **families.shares(side), "total": float("nan"), "preferred": None}
    return [*lines, _family_line(overall, width)]


def _family_line(row: Mapping[Any, Any], width: int) -> str:
    parts = " ".join(f"{percent(row[part]):>{column}}" for part, column in zip(PARTS, (8, 9, 10)))
    total = "" if math.isnan(row["total"]) else pixels_in_full(row["total"])
    return f"{short_name(row['label']):{width}} {parts} {total:>14}  {preferred_name(row['preferred'])}".rstrip()


def layout_summary(layout: Layout) -> str:
    from layoutcm.tables.result_json import layout_result

    facts = layout_result(layout)
    lines = [
        f"{one_line(facts['file'])}: {facts['format']}, {plural(facts['pages'], 'page')}, "
        f"{plural(facts['documents'], 'document')}, {plural(facts['regions'], 'region')}, "
        f"{'with' if layout.has_scores else 'without'} scores"
    ]
    if facts["page0"]:
        first = facts["page0"]
        lines.append(f"  first page   {short_name(first['page'])}, {first['width']} x {first['height']}")
    if facts["region0"]:
        box = ", ".join(f"{v:g}" for v in facts["region0"]["box"])
        label, page = (short_name(facts["region0"][name]) for name in ("label", "page"))
        lines.append(f"  first region {label} at {box} on {page}")
    names = list(map(short_name, facts["labels"]))  # those of two labels may be equal
    width = max(map(len, names), default=0)
    lines += [f"  {name:{width}} {count:>10,}" for name, count in zip(names, facts["labels"].values())]
    lines += [f"  {one_line(line)}" for line in further_facts(facts)]
    lines += [f"  {line.strip()}" for line in finding_lines(findings_of(layout))]
    return "\n".join(lines)


def further_facts(facts: Mapping[str, Any]) -> list[str]:
    """Attributes of pages, annotators and ignored pixels of a `layout_result`, a line each."""
    lines = [_attribute_line(name, values) for name, values in facts["attributes"].items()]
    if facts["annotators"]:
        names = facts["annotators"]
        shown = ", ".join(names[:ANNOTATORS_SHOWN]) + (f", … ({len(names):,})" if len(names) > ANNOTATORS_SHOWN else "")
        lines.append(f"annotators: {shown}; read: {facts['annotator'] or 'one for each page'}")
    if facts["ignored_regions"]:
        regions, pixels = plural(facts["ignored_regions"], "region"), facts["ignored_pixels"]
        amount = "" if pixels is None else f"{pixels_in_full(pixels)} pixels under "
        lines.append(f"not judged if this is the ground truth: {amount}{regions}")
    return lines


def _attribute_line(name: str, values: Mapping[str, Any]) -> str:
    shown = list(values["pages"].items())[:NAMES_SHOWN]
    more = f", … ({values['values']:,} values)" if values["values"] > len(shown) else ""
    return f"{name}: " + ", ".join(f"{value} {pages:,}" for value, pages in shown) + more


def verification_summary(result: Verification, findings: tuple[Finding, ...] = ()) -> str:
    """Warnings about the files, what was recounted, the largest deviations, and whether all numbers agree."""
    from layoutcm.verification.recount import MAX_PAGE_PIXELS

    recounted = f"{len(result.recounted.pages):,} of {plural(result.page_count, 'page')} recounted (seed {result.seed})"
    sizes = f"{pixels_in_full(result.recounted.pixels)} pixels, {plural(result.recounted.label_pairs, 'label pair')}"
    notes = []
    if result.recounted.too_large:
        names = ", ".join(map(short_repr, result.recounted.too_large[:NAMES_SHOWN])) + ", …" * (
            len(result.recounted.too_large) > NAMES_SHOWN
        )
        left_out = plural(len(result.recounted.too_large), "page was", "pages were")
        notes.append(f"{left_out} left out, with over {MAX_PAGE_PIXELS:,} pixels: {names}")
    if result.not_installed:
        notes.append(f"not installed: {', '.join(result.not_installed)}; install layoutcm[verify]")
    if result.why_no_ap:
        notes.append(f"AP was not compared. {result.why_no_ap}")
    sections = [
        [result.recipe],
        finding_lines(tuple(finding for finding in findings if finding.severity == "warning")),
        [f"{recounted}: {sizes}, {plural(result.numbers, 'number')} compared"],
        _deviation_table(result),
        notes,
        _verdict(result),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _deviation_table(result: Verification) -> list[str]:
    rows = [("quantity", "recounted by", "numbers", "largest deviation")]
    for title, by, numbers, largest in result.table.itertuples(index=False):
        rows.append((title, by, f"{numbers:,}", f"{largest:.1e}" if largest else "0"))
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    return [f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}" for a, b, c, d in rows]


def _verdict(result: Verification) -> list[str]:
    from layoutcm.verification.deviations import TOLERANCE

    if result.agrees:
        return [f"All numbers that were compared agree (largest deviation {result.largest:.1e}, limit {TOLERANCE:g})."]
    lines = [_deviation_line(one) for one in result.deviations[:DEVIATIONS_SHOWN]]
    more = len(result.deviations) - len(lines)
    lines += [f"  … and {more:,} more"] if more else []
    wrong = plural(len(result.deviations), "number does", "numbers do")
    return [*lines, f"{wrong} not agree (limit {TOLERANCE:g}). Please report this as a bug, with the two files."]


def _deviation_line(one: Deviation) -> str:
    place = f", {one.place}" if one.place else ""
    values = f"layoutcm {one.computed:.10g}, {one.recounted_by} {one.recounted:.10g}"
    return f"  {one.page}: {one.quantity.title}{place}: {values}"
