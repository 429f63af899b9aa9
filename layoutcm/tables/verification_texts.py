"""What `verify` found, in words: for the terminal and for the dashboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from layoutcm.errors import short_repr
from layoutcm.layouts.model import Finding
from layoutcm.tables.terminal import NAMES_SHOWN, finding_lines
from layoutcm.wording import pixels_in_full, plural

if TYPE_CHECKING:
    from layoutcm.verification.deviations import Deviation
    from layoutcm.verification.recount import Verification

DEVIATIONS_SHOWN = 10


def verification_summary(result: Verification, findings: tuple[Finding, ...] = ()) -> str:
    """Warnings about the files, what was recounted, the largest deviations, and whether all numbers agree."""
    sections = [
        [result.recipe],
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
    lines = [_deviation_line(one) for one in result.deviations[:DEVIATIONS_SHOWN]]
    more = len(result.deviations) - len(lines)
    return [*lines, f"  … and {more:,} more"] if more else lines


def _deviation_line(one: Deviation) -> str:
    place = f", {one.place}" if one.place else ""
    values = f"layoutcm {one.computed:.10g}, {one.recounted_by} {one.recounted:.10g}"
    return f"  {one.page}: {one.quantity.title}{place}: {values}"


def _deviation_table(result: Verification) -> list[str]:
    rows = [("quantity", "recounted by", "numbers", "largest deviation")]
    for title, by, numbers, largest in result.table.itertuples(index=False):
        rows.append((title, by, f"{numbers:,}", deviation_text(largest)))
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    return [f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}" for a, b, c, d in rows]


def deviation_text(largest: float) -> str:
    return f"{largest:.1e}" if largest else "0"
