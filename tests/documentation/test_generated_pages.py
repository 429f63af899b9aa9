"""docs/findings.md and docs/measures.md are those of the library; docs/score-is-zero.md has every repair."""

import re
import runpy

import pytest

from layoutcm.alignment.likely_mistakes import PLAIN_READINGS
from layoutcm.layouts.repairs import REPAIRS, is_repair
from layoutcm.messages import TEXTS
from support.paths import ROOT

DOCS = ROOT / "docs"


@pytest.mark.parametrize("page", ["findings", "measures"])
def test_the_page_is_that_of_the_library(page):
    script = DOCS / f"make_{page}.py"
    written = runpy.run_path(str(script))[f"{page}_page"]()
    assert (DOCS / f"{page}.md").read_text("utf-8") == written, f"run python docs/make_{page}.py"


def test_every_finding_has_a_row_with_severity_and_advice():
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| .+ \| (.+) \|$", (DOCS / "findings.md").read_text("utf-8"), re.M)
    assert {code: severity for code, severity, _ in rows} == {code: text.severity for code, text in TEXTS.items()}
    assert all(advice.strip() for *_, advice in rows)


def test_every_reading_has_its_own_example():
    text = (DOCS / "findings.md").read_text("utf-8")
    assert all(f"| `{one.code}` | warning | {one.words}: with" in text for one in PLAIN_READINGS)


def test_findings_with_a_repair_and_all_repairs_are_explained():
    text = (DOCS / "score-is-zero.md").read_text("utf-8")
    with_repair = runpy.run_path(str(DOCS / "make_findings.py"))["REPAIRS"]
    assert all(f"`{code}`" in text for code in with_repair)
    named = {name for name in re.findall("`([^`\n]+)`", text) if is_repair(name)}
    assert {name.partition(":")[0] for name in named} == {name.partition(":")[0] for name in REPAIRS}
