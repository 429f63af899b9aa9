"""A suggested mapping as terminal text, and as YAML that `compare --mapping` reads."""

from __future__ import annotations

import math

from layoutcm.alignment.taxonomy import parse_mapping
from layoutcm.diagnosis.label_mapping import SuggestedMapping
from layoutcm.layouts.model import BACKGROUND
from layoutcm.wording import MISSING, NAME_LENGTH, one_line, percent, plural, score_text, shorten

LEFT_ON_BOTH = "Labels are left on both sides: compare with --taxonomy same, or map them by hand."
TITLES = ("pred label", "gt label", "share", "runner-up", "share", "names", "")


def mapping_lines(suggested: SuggestedMapping) -> list[str]:
    """The table of a suggested mapping, and the gt labels to which nothing is mapped."""
    table = suggested.table
    mapped = f"{int(table['mapped'].sum())} of {plural(len(table), 'label')} mapped"
    lines = [f"{mapped}, from the pixels of {plural(suggested.pages, 'page')}", *_aligned(_rows(suggested))]
    if len(suggested.unmatched):
        lines.append("gt labels to which no label is mapped")
        for gt, pred, share in suggested.unmatched.itertuples(index=False):
            covered = f": {percent(share)} of its pixels are {_name(pred)}" if pred else ": no pixels in pred"
            lines.append(f"  {_name(gt)}{covered}")
        if not table["mapped"].all():
            lines.append(LEFT_ON_BOTH)
    return lines


def _rows(suggested: SuggestedMapping) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [TITLES]
    for row in suggested.table.to_dict("records"):
        gt_label = _name(row["gt_label"]) or MISSING
        rows.append(
            (
                _name(row["pred_label"]),
                gt_label if row["mapped"] or row["gt_label"] in ("", BACKGROUND) else f"({gt_label})",
                percent(row["share"]),
                _name(row["runner_up"]) or MISSING,
                percent(row["runner_up_share"]),
                MISSING if math.isnan(row["likeness"]) else score_text(row["likeness"], 2),
                one_line(row["note"]),
            )
        )
    return rows


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    """Lines of columns of equal width; shares and likeness are on the right of theirs."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    signs = ("<", "<", ">", "<", ">", ">", "<")
    return [
        "  ".join(f"{text:{sign}{width}}" for text, sign, width in zip(row, signs, widths)).rstrip() for row in rows
    ]


def _name(text: str) -> str:
    return shorten(one_line(text), NAME_LENGTH)


def mapping_yaml(suggested: SuggestedMapping) -> str:
    """The mapping as YAML, with the table above it as a comment."""
    import yaml

    comment = "".join(f"# {line}\n" for line in mapping_lines(suggested))
    write = lambda unicode: yaml.safe_dump(suggested.mapping, allow_unicode=unicode, sort_keys=False, width=math.inf)
    text = write(True)
    if parse_mapping("", text.encode()) != suggested.mapping:  # rare characters that YAML reads as the end of a line
        text = write(False)
    return comment + text
