"""Write findings.md: every finding with an example, and what to do about it, worded by the library.

Run `python docs/make_findings.py` after a change of `layoutcm/messages`; a test compares the page with the library.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "findings.md"
GROUPS = {
    "comparisons": "Two layouts together",
    "layouts": "Regions, scores, annotators, attributes",
    "files": "Reading and writing files",
}
# A repair that such a finding names.
REPAIRS = {
    "y-flipped": "flip-y",
    "axes-swapped": "swap-xy",
    "other-scale": "unit:1000",
    "wrong-page-size": "scale:2",
    "xywh-as-xyxy": "xywh",
    "xyxy-as-xywh": "xyxy",
    "corner-as-centre": "corner",
    "centre-as-corner": "centre",
    "page-off-by-one": "pages:1",
    "ids-off-by-one": "ids:-1",
}
# What to do if the library has no hint.
WITHOUT_HINT = {"info": "nothing, it is only noted", "warning": "check that this is what you want"}
INTRODUCTION = """# All findings

A finding is something unusual in an input that can still be used. With a severe finding (error) the numbers, as they
stand, say nothing about the model: terminal, dashboard, report.html, workbook and notebook show it above them, and
`layoutcm gate` fails. A likely mistake in coordinates, pages or ids is an error if fewer than 25 % of the regions fit
as they are. A warning may explain wrong numbers; a note (info) is only noted. `layoutcm compare` prints all of them; in
Python they are `c.findings` and `layout.findings`, with `code`, `severity`, `count`, `message`, `hint` and `repair`.
Nothing is repaired unless you ask for it.
[My score is 0](score-is-zero.md) shows how to use them. An input that cannot be used is an `InputError` instead, which
names file, place, problem and hint.

`docs/make_findings.py` writes this page from the texts of the library, with invented examples.
"""


def examples():
    """{code: finding} with the first example of each code."""
    from layoutcm.layouts.findings import Finding
    from support.stored import stored_rows

    rows = [(code, count, values) for code, count, values, _ in stored_rows("finding_messages.jsonl")]
    rows += [(code, 3, {"file": "f", "place": "x"}) for code, _ in stored_rows("reader_findings.jsonl")]
    return {code: Finding(code, count, values, repair=REPAIRS.get(code, "")) for code, count, values in reversed(rows)}


def findings_page():
    import layoutcm.messages as messages

    found, parts = examples(), [INTRODUCTION]
    for module, title in GROUPS.items():
        parts += [f"## {title}\n", "| finding | severity | example | what to do |", "|---|---|---|---|"]
        for code in getattr(messages, module).TEXTS:
            finding = found[code]
            cells = (f"`{code}`", finding.severity, finding.message, finding.hint or WITHOUT_HINT[finding.severity])
            parts.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    PAGE.write_text(findings_page(), "utf-8")
