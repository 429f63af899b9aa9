"""Numbers for people and files: the JSON of a comparison, and the summary on a terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from layoutcm import __version__
from layoutcm.average_precision import RULES, mean
from layoutcm.checks import findings_of
from layoutcm.comparison import Comparison
from layoutcm.confusion import AVERAGES, SCORES, Confusion, collapsed
from layoutcm.levels import Stacks
from layoutcm.model import PRED, SIDES, Finding, Layout
from layoutcm.page_matching import WAYS
from layoutcm.pairing import name_documents
from layoutcm.resample import Intervals
from layoutcm.soft import SOFT_AVERAGES

MISSING = "–"
F1_FIGURES = {
    **{f"{kind}_f1": f"{kind}, without Background" for kind in AVERAGES},
    "micro_f1_with_background": "micro, with Background",
    **{f"macro_f1_over_{level}": f"macro, mean over {level}" for level in ("pages", "documents")},
    "content_f1": "Content against Background",
}


def json_ready(value: Any) -> Any:
    """Plain Python values; nan, which JSON has not, becomes None."""
    if isinstance(value, dict):
        return {key: json_ready(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return json_ready(value.tolist())
    if isinstance(value, list | tuple):
        return [json_ready(item) for item in value]
    if isinstance(value, np.generic):
        return json_ready(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def json_text(value: Any) -> bytes:
    """JSON as it is written to a file."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    # A file name that is no valid text (a lone surrogate in Python) must not spoil the result.
    return (text + "\n").encode("utf-8", "replace")


def result(
    comparison: Comparison, method: str = "matrix", per_page: bool = False, intervals: Intervals | None = None
) -> dict[str, Any]:
    """What `compare --json` writes for one prediction."""
    confusion = comparison.confusion(method=method)
    diagonal = confusion.diagonal
    answer = {
        "version": __version__,
        "recipe": comparison.recipe_for(method),
        "method": method,
        "taxonomy": comparison.taxonomy,
        "labels": confusion.labels,
        "gt_labels": comparison.alignment.layouts[0].labels,
        "pred_labels": comparison.alignment.layouts[1].labels,
        "pages": len(comparison.pages),
        "documents": len(comparison.documents),
        "pixels": whole(comparison.pixels),
        **matrices(confusion),
        "classes": confusion.classes().to_dict("records") if diagonal else None,
        "averages": _averages(confusion, background=False) if diagonal else None,
        "averages_with_background": _averages(confusion, background=True) if diagonal else None,
        "collapsed": {"labels": list(confusion.collapse().labels), **matrices(confusion.collapse())},
        "findings": [finding.as_dict() for finding in comparison.findings],
        "page_matching": _page_matching(comparison),
        "objects": _objects(comparison),
        "centroids": _centroids(comparison),
        "by_document": list(_by_document(comparison, method)),
    }
    for level in ("pages", "documents"):
        own = {kind: comparison.average(kind, over=level, method=method) for kind in AVERAGES} if diagonal else None
        answer[f"averages_over_{level}"] = own
    answer["soft"] = _soft(comparison) if diagonal else None
    if intervals:
        answer["intervals"] = intervals.as_dict()
    if per_page:
        answer["by_page"] = list(_by_page(comparison, method))
    return json_ready(answer)


def _page_matching(comparison: Comparison) -> dict[str, Any]:
    """How many pages were matched how, and all that were not."""
    matches, sides = comparison.alignment.matches, [side.page_columns for side in comparison.alignment.layouts]
    counts = dict(zip(WAYS, np.bincount(matches.how, minlength=len(WAYS)).tolist()))
    alone = matches.alone(len(sides[PRED]))
    return {
        "matched": {way: count for way, count in counts.items() if way and count},
        **{f"only_in_{name}": [side.names[i] for i in own] for name, side, own in zip(SIDES, sides, alone)},
    }


def matrices(confusion: Confusion) -> dict[str, Any]:
    """The four matrices under the names that JSON has for them."""
    return {
        "confusion": confusion.values,
        "recall": confusion.recall,
        "precision": confusion.precision,
        "f1": confusion.f1,
    }


def _averages(confusion: Confusion, background: bool) -> dict[str, dict[str, float]]:
    return {kind: confusion.average(kind, background) for kind in AVERAGES}


def _soft(comparison: Comparison) -> dict[str, Any]:
    """Soft scores with beta 1: the averages, and each label in turn."""
    by_label = comparison.soft(average=None)
    rows = zip(comparison.labels[1:], *by_label.values())
    return {
        "beta": 1.0,
        "averages": {kind: comparison.soft(average=kind) for kind in SOFT_AVERAGES},
        "classes": [dict(zip(("label", *by_label), row)) for row in rows],
    }


def _objects(comparison: Comparison, iou: float = 0.5) -> dict[str, Any]:
    """COCO's numbers, then everything at one IoU; the matrix's last row is `invented`, its last column `missed`."""
    objects = comparison.objects()
    matrix = objects.confusion_at(iou)
    ap = None if objects.why_no_ap else {rule: objects.ap_at(iou, rule) for rule in RULES}
    at_iou = {
        "iou": iou,
        **objects.scores_at(iou),
        "class_blind": objects.scores_at(iou, class_aware=False),
        "classes": objects.class_scores_at(iou).to_dict("records"),
        "ap": ap,
        "map": {rule: mean(list(values.values())) for rule, values in ap.items()} if ap else None,
        "confusion": {
            "gt_labels": list(matrix.index),
            "pred_labels": list(matrix.columns),
            "values": matrix.to_numpy(),
        },
    }
    return {
        "shapes": objects.shapes,
        "gt": objects.gt_counts.sum(),
        "pred": objects.pred_counts.sum(),
        **{name: getattr(objects, name) for name in ("ap", "ap50", "ap75", "ar")},
        "summary": objects.summary,
        "why_no_ap": objects.why_no_ap or None,
        "labels": objects.labels,
        "per_class": objects.per_class.to_dict("records"),
        "at_iou": at_iou,
    }


def _centroids(comparison: Comparison) -> dict[str, Any]:
    """At the default tolerance: one to one, and as published, many to one; of any labels where these differ."""
    aware = comparison.space.shared
    ways = {"one_to_one": True, "many_to_one": False}
    found = {way: comparison.centroids(one_to_one=single, class_aware=aware) for way, single in ways.items()}
    scores = {way: {name: getattr(one, name) for name in SCORES} for way, one in found.items()}
    return {"tolerance": found["one_to_one"].tolerance, "class_aware": aware, **scores}


def _by_document(comparison: Comparison, method: str) -> Iterator[dict[str, Any]]:
    sizes = np.bincount(comparison.document_of_page, minlength=len(comparison.documents))
    pixels = np.bincount(comparison.document_of_page, comparison.page_pixels, minlength=len(comparison.documents))
    for i, matrix in _each(comparison.document_matrices(method)):
        yield {"document": comparison.documents[i], "pages": sizes[i], "pixels": whole(pixels[i]), **matrix}


def _by_page(comparison: Comparison, method: str) -> Iterator[dict[str, Any]]:
    documents = comparison.alignment.pages.documents
    for i, matrix in _each(comparison.page_matrices(method)):
        pixels = whole(comparison.page_pixels[i])
        yield {"page": comparison.pages[i], "document": documents[i], "pixels": pixels, **matrix}


def _each(blocks: Stacks) -> Iterator[tuple[int, dict[str, Any]]]:
    for groups, stack in blocks:
        small = collapsed(stack.recall_mass)
        for k, i in enumerate(groups):
            yield i, {"confusion": stack.recall_mass[k].tolist(), "collapsed": small[k].tolist()}


def whole(pixels: float) -> float | int:
    """Pixel counts are whole unless the rounding is `exact`."""
    return int(pixels) if float(pixels).is_integer() else float(pixels)


def largest_confusions(confusion: Confusion, most: int = 10) -> list[tuple[str, str, float, float]]:
    """(gt label, pred label, pixels, share of the gt label) of the largest cells off the diagonal.

    Where the taxonomies differ no cell is wrong by itself; the largest cells of the block are listed then.
    """
    rows, columns = confusion.drawn
    cells = [
        (confusion.labels[i], confusion.labels[j], float(confusion.values[i, j]), float(confusion.recall[i, j]))
        for i in rows
        for j in columns
        if i != j and confusion.values[i, j] > 0
    ]
    return sorted(cells, key=lambda cell: -cell[2])[:most]


def number(value: float, digits: int = 3) -> str:
    return MISSING if math.isnan(value) else f"{value:.{digits}f}"


def pixels_of(value: float) -> str:
    """Whole pixels as such; fractions, which several labels on a pixel make, with one digit."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def share(value: float) -> str:
    """'43.6 %', '5.23 %', '100 %': three significant digits, but not below a thousandth of a per cent."""
    if math.isnan(value) or value == 0:
        return MISSING if math.isnan(value) else "0 %"
    percent = float(f"{100 * value:.3g}")
    return f"{percent:.{max(2 - math.floor(math.log10(percent)), 0)}f} %" if percent >= 0.001 else "<0.001 %"


def summary(comparison: Comparison, method: str = "matrix", intervals: Intervals | None = None) -> str:
    """The comparison on a terminal: headline, averages, content, classes, largest confusions, findings."""
    confusion = comparison.confusion(method=method)
    sections = [
        [comparison.recipe_for(method)],
        [
            f"{counted(len(comparison.pages), 'page')}, {counted(len(comparison.documents), 'document')}, "
            f"{whole(comparison.pixels):,} pixels, {comparison.taxonomy} taxonomy",
        ],
        finding_lines(tuple(finding for finding in comparison.findings if finding.severity == "warning")),
        _average_lines(comparison, confusion, method, intervals),
        _content_lines(confusion, intervals),
        [resamples_of(intervals)] if intervals else [],
        _class_lines(confusion),
        _confusion_lines(confusion),
        finding_lines(tuple(finding for finding in comparison.findings if finding.severity != "warning"), "notes"),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _average_lines(comparison: Comparison, confusion: Confusion, method: str, intervals: Intervals | None) -> list[str]:
    if not confusion.diagonal:
        return ["Averages over classes: none, because the two sides have different labels (use a mapping)."]
    rows = [confusion.average(kind) for kind in AVERAGES]
    rows.append(confusion.average("micro", background=True))
    rows += [comparison.average("macro", over=over, method=method) for over in ("pages", "documents")]
    heading = "   interval of F1" if intervals else ""
    lines = [f"{'averages':28} precision   recall       F1{heading}"]
    return lines + [_score_line(figure, scores, intervals) for figure, scores in zip(F1_FIGURES, rows)]


def _score_line(figure: str, scores: dict[str, float], intervals: Intervals | None) -> str:
    numbers = f"{number(scores['precision']):>9} {number(scores['recall']):>8} {number(scores['f1']):>8}"
    return f"{F1_FIGURES[figure]:28} {numbers}" + (f"   {ends(intervals, figure)}" if intervals else "")


def ends(intervals: Intervals, figure: str) -> str:
    """'0.812 – 0.843'"""
    _, low, high, *_ = intervals.figures[figure].tolist()
    return MISSING if math.isnan(low) else f"{number(low)} – {number(high)}"


def resamples_of(intervals: Intervals) -> str:
    """What the intervals are made of."""
    drawn = counted(intervals.unit_count, intervals.units[:-1])
    return (
        f"intervals: {100 * intervals.level:g} %, {counted(intervals.n, 'resample')} of {drawn}, seed {intervals.seed}"
    )


def _content_lines(confusion: Confusion, intervals: Intervals | None) -> list[str]:
    content = confusion.collapse().class_values()
    return [_score_line("content_f1", {name: content[name][1] for name in SCORES}, intervals)]


def _class_lines(confusion: Confusion) -> list[str]:
    if not confusion.diagonal:
        return []
    values = confusion.class_values()
    rows, _ = confusion.drawn
    width = max(len(confusion.labels[i]) for i in rows)
    lines = [f"{'class':{width}} {'gt px':>14} {'pred px':>14} precision   recall       F1      IoU"]
    for i in rows:
        scores = " ".join(f"{number(values[name][i]):>8}" for name in ("recall", "f1", "iou"))
        lines.append(
            f"{confusion.labels[i]:{width}} {pixels_of(values['gt_pixels'][i]):>14} "
            f"{pixels_of(values['pred_pixels'][i]):>14} "
            f"{number(values['precision'][i]):>9} {scores}"
        )
    return lines


def _confusion_lines(confusion: Confusion) -> list[str]:
    cells = largest_confusions(confusion)
    if not cells:
        return []
    verb = "read as" if confusion.diagonal else "meets"
    names = [f"{gt} {verb} {pred}" for gt, pred, _, _ in cells]
    width = max(map(len, names))
    lines = ["largest confusions" if confusion.diagonal else "largest cells"]
    for name, (gt, _, pixels, part) in zip(names, cells):
        lines.append(f"  {name:{width}} {pixels_of(pixels):>14} px  {share(part):>7} of {gt}")
    return lines


def finding_lines(findings: tuple[Finding, ...], title: str = "findings") -> list[str]:
    if not findings:
        return []
    lines = [title]
    for finding in findings:
        lines.append(f"  [{finding.severity}] {finding.message}" + (f" {finding.fix}" if finding.fix else ""))
    return lines


def inspection(layout: Layout) -> dict[str, Any]:
    """What `inspect --json` writes for one file."""
    pages, regions = layout.page_columns, layout.region_columns
    used = np.bincount(regions.label, minlength=len(layout.labels))
    answer = {
        "file": layout.name,
        "format": layout.format,
        "pages": len(pages),
        "documents": len(set(name_documents(pages, None)[0].documents)),
        "regions": len(regions),
        "labels": dict(zip(layout.labels, used.tolist())),
        "page0": {"page": pages.names[0], "width": whole(pages.widths[0]), "height": whole(pages.heights[0])}
        if len(pages)
        else None,
        "region0": _first_region(layout) if len(regions) else None,
        "findings": [finding.as_dict() for finding in findings_of(layout)],
    }
    return json_ready(answer)


def _first_region(layout: Layout) -> dict[str, Any]:
    regions = layout.region_columns
    return {
        "page": layout.page_columns.names[regions.page[0]],
        "label": layout.labels[regions.label[0]],
        "box": regions.boxes[0],
        "score": regions.scores[0],
    }


def inspection_text(layout: Layout) -> str:
    facts = inspection(layout)
    lines = [
        f"{facts['file']}: {facts['format']}, {counted(facts['pages'], 'page')}, "
        f"{counted(facts['documents'], 'document')}, {counted(facts['regions'], 'region')}, "
        f"{'with' if layout.has_scores else 'without'} scores"
    ]
    if facts["page0"]:
        lines.append("  first page   {page}, {width} x {height}".format(**facts["page0"]))
    if facts["region0"]:
        box = ", ".join(f"{v:g}" for v in facts["region0"]["box"])
        lines.append(f"  first region {facts['region0']['label']} at {box} on {facts['region0']['page']}")
    width = max(map(len, facts["labels"]), default=0)
    lines += [f"  {label:{width}} {count:>10,}" for label, count in facts["labels"].items()]
    lines += [f"  {line.strip()}" for line in finding_lines(findings_of(layout))]
    return "\n".join(lines)
