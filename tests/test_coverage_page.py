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


@pytest.mark.parametrize("source", ["independent", "shared"])
def test_a_gain_of_two_points_is_found_in_most_sets_of_40_or_the_interval_is_marked_as_too_wide(source):
    found = shares(source, "The better prediction is called better")
    wide = shares(source, "The interval of the gain is marked as too wide")
    assert set(found) == set(wide) == {6, 10, 20, 40}
    assert [share > 50 for share in found[40]] == [share < 50 for share in wide[40]]
    assert found[40][2] > 90  # content F1
    for figure in range(3):
        by_size = [values[figure] for _, values in sorted(found.items())]
        assert by_size == sorted(by_size)


def test_most_gains_of_two_versions_of_one_model_are_found_in_micro_and_content_f1():
    micro, macro, content = shares("shared", "The better prediction is called better")[40]
    assert micro > 60 and content > 95 and macro > 40
