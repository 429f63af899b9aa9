"""docs/coverage.md, which `make coverage-study` writes: every table meets what intervals and verdicts promise."""

import re

import pytest

from support.paths import ROOT

TEXT = (ROOT / "docs" / "coverage.md").read_text("utf-8")
SOURCES = dict(zip(("independent", "shared"), TEXT.split("\n## ")[1:]))


def shares(source, title):
    """{documents: [micro, macro, content]} in percent."""
    part = next(part for part in SOURCES[source].split("### ") if part.startswith(title))
    rows = re.findall(r"^\| (\d+) \| ([\d.]+) % \| ([\d.]+) % \| ([\d.]+) % \|$", part, re.MULTILINE)
    return {int(count): [float(value) for value in values] for count, *values in rows}


@pytest.mark.parametrize("source", ["independent", "shared"])
def test_intervals_and_verdicts_keep_their_promises(source):
    covered = shares(source, "95 % intervals that contain the true value")
    called = shares(source, "Two equally good predictions")
    assert set(covered) == set(called) == {6, 10, 20, 40, 120}
    assert min(covered[20]) >= 92 and min(covered[40]) >= 93
    assert max(max(values) for values in called.values()) <= 6.5


def test_a_gain_is_found_more_often_with_more_documents():
    found = shares("shared", "The better prediction is called better")
    micro = [values[0] for _, values in sorted(found.items())]
    assert micro == sorted(micro) and found[40][0] > 50  # a gain of 1.9 points of micro F1
