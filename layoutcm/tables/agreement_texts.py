"""Terminal text of two sides, A and B, if neither is the truth: how far they agree, and where they do not."""

from __future__ import annotations

from layoutcm.comparison import Comparison
from layoutcm.metrics.agreement import label_agreement
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.agreement_tables import NO_AGREEMENT, REVIEW_ORDER, TITLES, with_letters
from layoutcm.tables.matrix_views import largest_confusions
from layoutcm.tables.summary_sentence import agreement_sentence, in_both
from layoutcm.tables.terminal import finding_lines, short_name
from layoutcm.wording import one_line, percent, pixels_in_full, plural, score_text

PAGES_SHOWN = 10


def agreement_summary(comparison: Comparison, method: str = "matrix") -> str:
    """The comparison as terminal text: sizes, agreement, labels, largest disagreements, pages to review, findings."""
    confusion = comparison.confusion(method=method)
    sections = [
        [one_line(comparison.recipe_for(method))],
        [
            f"{plural(comparison.levels.page_count, 'page')}, {plural(len(comparison.documents), 'document')}, "
            f"{pixels_in_full(comparison.pixels)} pixels, {comparison.taxonomy} taxonomy",
        ],
        _finding_lines(comparison, "warning", "findings"),
        [agreement_sentence(comparison, confusion)],
        _agreement_lines(comparison),
        _label_lines(comparison),
        _disagreement_lines(confusion),
        _review_lines(comparison),
        _finding_lines(comparison, "info", "notes"),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines)


def _finding_lines(comparison: Comparison, severity: str, title: str) -> list[str]:
    chosen = tuple(finding for finding in comparison.findings if finding.severity == severity)
    heading, lines = [title] if chosen else [], finding_lines(chosen, title)[1:]
    return [*heading, *map(with_letters, lines, chosen)]


def _agreement_lines(comparison: Comparison) -> list[str]:
    if not comparison.space.shared:
        return [NO_AGREEMENT]
    return [f"{TITLES[name]:28} {score_text(value):>8}" for name, value in comparison.agreement().items()]


def _label_lines(comparison: Comparison) -> list[str]:
    rows = label_agreement(comparison.counts(), comparison.space).to_dict("records")
    if not rows:
        return []
    width = max(len("label"), *(len(short_name(row["label"])) for row in rows))
    lines = [f"{'label':{width}} {'A px':>14} {'B px':>14} {'both px':>14}  both of either"]
    for row in rows:
        pixels = " ".join(f"{pixels_in_full(row[name]):>14}" for name in ("a_pixels", "b_pixels", "both_pixels"))
        lines.append(f"{short_name(row['label']):{width}} {pixels} {score_text(row['agreement']):>15}")
    return lines


def _disagreement_lines(confusion: Confusion) -> list[str]:
    cells = largest_confusions(confusion)
    names = [in_both(a, b, short_name) for a, b, _, _ in cells]
    width = max(map(len, names), default=0)
    lines = [f"  {name:{width}} {pixels_in_full(pixels):>14} px" for name, (_, _, pixels, _) in zip(names, cells)]
    return ["largest disagreements" if confusion.diagonal else "largest cells", *lines] if lines else []


def _review_lines(comparison: Comparison) -> list[str]:
    table = comparison.pages_to_review()
    rows = table.head(PAGES_SHOWN).to_dict("records")
    if not rows:
        return []
    pages, labels = (max(len(short_name(row[column])) for row in rows) for column in ("page", "label"))
    lines = [REVIEW_ORDER]
    for row in rows:
        part = f"{percent(row['share']):>7} of the label"
        names = f"{short_name(row['page']):{pages}}  {short_name(row['label']):{labels}}"
        lines.append(f"  {names} {pixels_in_full(row['pixels']):>14} px  {part}")
    return [*lines, f"  … and {len(table) - len(rows):,} more"] if len(table) > len(rows) else lines
