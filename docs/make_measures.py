"""Write measures.md: every measure of the library, with its title, unit, direction and the place of its definition.

Run `python docs/make_measures.py` after a change of `layoutcm/results/measures.py`; a test compares the page with it.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "measures.md"
INTRODUCTION = """# All measures

These are the figures of a result that are one number, under the names that [a gate](gate.md#figures), `result.json`,
`Evaluator.as_dict` and `lcm.MEASURES` use. Scores and shares lie between 0 and 1; kappa and alpha
may be negative. A measure with an interval can be tested: a leaderboard, a gate and `lcm.difference` give a
[verdict](intervals.md#is-a-difference-real) on it. Some measures need a part that is counted only if you ask for it,
such as `--objects`.

Every label has figures of its own: `class.LABEL.precision`, `.recall`, `.f1` and `.iou` of its pixels, and `.ap`,
`.ap50`, `.ap75` and `.ar` of its objects.

`docs/make_measures.py` writes this page from the list of the library.
"""


def measures_page():
    from layoutcm import MEASURES

    parts = [INTRODUCTION]
    for url in dict.fromkeys(one.url for one in MEASURES):
        parts += [
            f"## {heading_at(url)}\n",
            f"Definition: [{url.partition('#')[0]}]({url}).\n",
            "| name | title | unit | better | interval | needs |",
            "|---|---|---|---|---|---|",
        ]
        for one in (one for one in MEASURES if one.url == url):
            better, interval = "higher" if one.higher_is_better else "lower", "yes" if one.has_interval else ""
            parts.append(
                f"| `{one.name}` | {one.title} | {one.unit} | {better} | {interval} | {', '.join(one.needs)} |"
            )
        parts.append("")
    return "\n".join(parts)


def heading_at(url):
    """The heading of the section that defines a measure; that of the page, if the address has no anchor."""
    page, _, anchor = url.partition("#")
    headings = re.findall(r"^#+ (.+)$", (PAGE.parent / page).read_text("utf-8"), re.M)
    anchors = {re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-"): heading for heading in headings}
    return anchors[anchor] if anchor else headings[0]


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    PAGE.write_text(measures_page(), "utf-8")
