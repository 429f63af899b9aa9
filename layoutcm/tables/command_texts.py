"""Terminal texts of the commands suggest-mapping, label-errors and verify; the dashboard shows some of them, too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from layoutcm.alignment.taxonomy import parse_mapping
from layoutcm.diagnosis.label_mapping import SuggestedMapping
from layoutcm.errors import short_repr
from layoutcm.layouts.model import BACKGROUND, Finding
from layoutcm.lazy import pd, yaml
from layoutcm.models.contradictions import KINDS
from layoutcm.tables.terminal import NAMES_SHOWN, finding_lines, severe_lines
from layoutcm.wording import (
    MISSING,
    agree,
    aligned_lines,
    make_unique,
    one_line,
    percent,
    pixels_in_full,
    plural,
    score_text,
    short_name,
)

if TYPE_CHECKING:
    from layoutcm.verification.recount import Verification

LEFT_ON_BOTH = "Labels are left on both sides: compare with --taxonomy same, or map them by hand."
TITLES = ("pred label", "gt label", "share", "runner-up", "share", "names", "")


def mapping_lines(suggested: SuggestedMapping) -> list[str]:
    """The table of a suggested mapping, and the gt labels to which nothing is mapped."""
    table = suggested.table
    mapped = f"{int(table['mapped'].sum())} of {plural(len(table), 'label')} mapped"
    lines = [f"{mapped}, from the pixels of {plural(suggested.pages, 'page')}"]
    lines += aligned_lines(_rows(suggested), "<<><>><")
    if len(suggested.unmatched):
        lines.append("gt labels to which no label is mapped")
        for gt, pred, share in suggested.unmatched.itertuples(index=False):
            covered = f": {percent(share)} of its pixels are {short_name(pred)}" if pred else ": no pixels in pred"
            lines.append(f"  {short_name(gt)}{covered}")
        if not table["mapped"].all():
            lines.append(LEFT_ON_BOTH)
    return lines


def _rows(suggested: SuggestedMapping) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [TITLES]
    for row in suggested.table.to_dict("records"):
        gt_label = short_name(row["gt_label"]) or MISSING
        rows.append(
            (
                short_name(row["pred_label"]),
                gt_label if row["mapped"] or row["gt_label"] in ("", BACKGROUND) else f"({gt_label})",
                percent(row["share"]),
                short_name(row["runner_up"]) or MISSING,
                percent(row["runner_up_share"]),
                MISSING if math.isnan(row["likeness"]) else score_text(row["likeness"], 2),
                one_line(row["note"]),
            )
        )
    return rows


def mapping_yaml(suggested: SuggestedMapping) -> str:
    """The mapping as YAML, with the table above it as a comment."""
    comment = "".join(f"# {line}\n" for line in mapping_lines(suggested))
    write = lambda unicode: yaml.safe_dump(suggested.mapping, allow_unicode=unicode, sort_keys=False, width=math.inf)
    text = write(True)
    if parse_mapping("", text.encode()) != suggested.mapping:  # rare characters that YAML reads as the end of a line
        text = write(False)
    return comment + text


SHOWN = 20
LIKELY = 0.5  # with more evidence than this, gt is more likely wrong than right
SUGGESTED = {"spurious": "nothing", "box": "other borders"}  # instead of a label
HEADINGS = ("evidence", "kind", "page", "region", "in gt", "suggested")


def label_errors_summary(errors: pd.DataFrame, regions: int, top: int = SHOWN) -> str:
    """The first candidates as a table; `regions` is the number of gt regions."""
    if errors.empty:
        return f"no region of the ground truth is probably wrong, of {plural(regions, 'region')}"
    likely = int((errors["evidence"] > LIKELY).sum())
    lines = [
        f"{plural(len(errors), 'candidate')} for errors in {plural(regions, 'region')} of the ground truth, "
        f"{likely:,} of them with evidence above {LIKELY}",
        "",
    ]
    lines += aligned_lines([HEADINGS, *map(_row, errors.head(top).to_dict("records"))], "><<><<")
    left = len(errors) - top
    return "\n".join([*lines, f"… and {left:,} more"] if left > 0 else lines)


def label_errors_sentence(errors: pd.DataFrame, regions: int) -> str:
    """How many places are probably wrong, and how many of them are, if the evidence is what it should be.

    Evidence is a probability, so the sum over candidates is the number of errors to expect among them.
    """
    if errors.empty:
        return f"No region of the ground truth is probably wrong, of {plural(regions, 'region')}."
    is_likely = errors["evidence"] > LIKELY
    likely, others = errors[is_likely], errors[~is_likely]
    weaker = f"{_expected_errors(others)} among {plural(len(others), 'weaker candidate')}"
    if likely.empty:
        return (
            f"No place of the ground truth, with {plural(regions, 'region')}, is probably wrong: no evidence is above "
            f"{LIKELY}. By the evidence, there are about {weaker}."
        )
    counts = likely["kind"].value_counts()
    kinds = ", ".join(f"{counts[kind]:,} {kind}" for kind in KINDS if kind in counts)
    also = f", and about {weaker}" if len(others) else ""
    return (
        f"{plural(len(likely), 'place')} of the ground truth, with {plural(regions, 'region')}, "
        f"{agree(len(likely), 'is', 'are')} probably wrong (evidence above {LIKELY}): {kinds}. By the evidence, there "
        f"are about {_expected_errors(likely)} among them{also}."
    )


def _expected_errors(errors: pd.DataFrame) -> str:
    expected = errors["evidence"].sum()
    return f"{expected:,.{0 if expected >= 100 else 1}f} errors"


def candidate_table(errors: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """One row per candidate, to be read: what gt has, what is suggested, and the label that each prediction has there.

    `names` are those of `prediction_names`; a prediction without a region that pairs has no label there.
    """
    records: list[Any] = errors.to_dict("records")
    columns: dict[str, Any] = {
        "evidence": errors["evidence"].to_numpy(),
        "kind": errors["kind"].to_numpy(),
        "page": errors["page"].to_numpy(),
        "in gt": [_in_gt(record) for record in records],
        "suggested": [SUGGESTED.get(record["kind"]) or short_name(record["suggested"]) for record in records],
    }
    taken = make_unique([*columns, *names])[len(columns) :]
    columns |= {shown: errors[f"{name}_label"].to_numpy() for shown, name in zip(taken, names)}
    return pd.DataFrame(columns)


def _row(record: Any) -> tuple[str, ...]:
    kind = record["kind"]
    region = MISSING if kind == "missing" else f"{record['region']}"
    return score_text(record["evidence"]), kind, short_name(record["page"]), region, _in_gt(record), _suggested(record)


def _in_gt(record: Any) -> str:
    return MISSING if record["kind"] == "missing" else short_name(record["gt_label"])


def _suggested(record: Any) -> str:
    """What should be there: a label, a box, both, or nothing."""
    kind = record["kind"]
    if kind == "spurious":
        return SUGGESTED[kind]
    if kind == "label":
        return short_name(record["suggested"])
    box = ", ".join(f"{np.round(record[f'suggested_{name}']):.0f}" for name in ("x0", "y0", "x1", "y1"))
    return f"{short_name(record['suggested'])} at {box}"


DEVIATIONS_SHOWN = 10


def verification_summary(result: Verification, findings: tuple[Finding, ...] = ()) -> str:
    """Warnings about the files, what was recounted, the largest deviations, and whether all numbers agree."""
    sections = [
        [result.recipe],
        severe_lines(findings),
        finding_lines(tuple(finding for finding in findings if finding.severity == "warning")),
        [recounted_text(result)],
        _deviation_table(result),
        not_checked_lines(result),
        [*deviation_lines(result), verdict(result)],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def recounted_text(result: Verification) -> str:
    """What was recounted: pages, pixels, numbers."""
    recounted = f"{len(result.recounted.pages):,} of {plural(result.page_count, 'page')} recounted (seed {result.seed})"
    sizes = f"{pixels_in_full(result.recounted.pixels)} pixels, {plural(result.recounted.label_pairs, 'label pair')}"
    return f"{recounted}: {sizes}, {plural(result.numbers, 'number')} compared"


def not_checked_lines(result: Verification) -> list[str]:
    """What was not checked, and why."""
    from layoutcm.verification.recount import MAX_PAGE_PIXELS

    lines = []
    if result.recounted.too_large:
        left_out = plural(len(result.recounted.too_large), "page was", "pages were")
        names = _first_names(result.recounted.too_large)
        lines.append(f"{left_out} left out, with over {MAX_PAGE_PIXELS:,} pixels: {names}")
    if result.not_installed:
        lines.append(f"not installed: {', '.join(result.not_installed)}; install layoutcm[verify]")
    if result.why_no_ap:
        lines.append(f"AP and AR were not checked. {result.why_no_ap}")
    elif result.objects_left_out:
        pages = plural(len(result.objects_left_out), "page")
        lines.append(
            f"AP and AR were not checked on {pages} left out of objects: {_first_names(result.objects_left_out)}"
        )
    return lines


def _first_names(names: tuple[str, ...]) -> str:
    return ", ".join(map(short_repr, names[:NAMES_SHOWN])) + ", …" * (len(names) > NAMES_SHOWN)


def verdict(result: Verification) -> str:
    """Whether all numbers that were compared agree, and whether AP is among them."""
    from layoutcm.verification.deviations import TOLERANCE

    if result.agrees:
        not_checked = "" if result.ap_was_checked else " AP and AR: not checked."
        largest = f"largest deviation {result.largest:.1e}, limit {TOLERANCE:g}"
        return f"All numbers that were compared agree ({largest}).{not_checked}"
    wrong = plural(len(result.deviations), "number does", "numbers do")
    return f"{wrong} not agree (limit {TOLERANCE:g}). Please report this as a bug, with the two files."


def deviation_lines(result: Verification) -> list[str]:
    """The first numbers that do not agree."""
    lines = []
    for one in result.deviations[:DEVIATIONS_SHOWN]:
        place = f", {one.place}" if one.place else ""
        values = f"layoutcm {one.computed:.10g}, {one.recounted_by} {one.recounted:.10g}"
        lines.append(f"  {one.page}: {one.quantity.title}{place}: {values}")
    more = len(result.deviations) - len(lines)
    return [*lines, f"  … and {more:,} more"] if more else lines


def _deviation_table(result: Verification) -> list[str]:
    rows = [("quantity", "recounted by", "numbers", "largest deviation")]
    for title, by, numbers, largest in result.table.itertuples(index=False):
        rows.append((title, by, f"{numbers:,}", deviation_text(largest)))
    return aligned_lines(rows, "<<>>")


def deviation_text(largest: float) -> str:
    return f"{largest:.1e}" if largest else "0"
