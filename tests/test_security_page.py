"""The pages about security and coverage say what is so."""

import importlib
import re
from dataclasses import astuple

import pytest
from PIL import Image

from layoutcm.ui.server.settings import LOCAL, PUBLIC
from support.paths import ROOT

UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "Mi": 1 << 20, "s": 1}
ROW = re.compile(r"^\| [^|]+ \| ([\d,]+) ?(\w*) \| `([\w.]+)\.(\w+)` \|", re.MULTILINE)


def rows():
    """(value, module, constant) of every row of the table."""
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    limits = text[text.index("## Limits") : text.index("## What is not promised")]
    found = [(int(value.replace(",", "")) * UNITS[unit], *where) for value, unit, *where in ROW.findall(limits)]
    assert len(found) == len(re.findall(r"^\| .*`layoutcm\.", limits, re.MULTILINE)), "a row cannot be read"
    return found


@pytest.mark.parametrize(("value", "module", "constant"), rows())
def test_a_limit_has_the_value_of_its_constant(value, module, constant):
    assert getattr(importlib.import_module(module), constant) == value


def test_every_limit_on_files_is_in_the_table():
    """Constants named MAX_… or MOST_… of packages that handle untrusted files have a row, or are of another kind."""
    listed = {(module, constant) for _, module, constant in rows()}
    packages = {"formats": "MAX", "layouts": "MAX", "drawing": "MAX", "pixels": "MOST"}
    found = set()
    for package, start in packages.items():
        for path in (ROOT / "layoutcm" / package).rglob("*.py"):
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            names = re.findall(rf"^(?:[A-Z_]+, )?({start}_\w+)[ ,=:]", path.read_text("utf-8"), re.MULTILINE)
            found |= {(module, name) for name in names}
    assert {name for _, name in found - listed} <= NO_LIMITS_ON_FILES


# What these say is part of a format or of a name, or of how a reader works inside.
NO_LIMITS_ON_FILES = {"MAX_DIGITS", "MAX_FRAME", "MAX_OPEN", "MAX_DEPTH", "MAX_CONVERSIONS"}


def test_every_promise_names_a_test():
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    table = text[text.index("| promise | test |\n|---|---|\n") :].split("\n\n")[0].splitlines()[2:]
    files = (ROOT / "tests").rglob("test_*.py")
    written = {name for file in files for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)}
    named = [set(re.findall(r"`(test_\w+)`", row)) for row in table]
    assert table and all(named) and set.union(*named) <= written


def test_the_limit_of_pillow_is_in_the_table():
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert f"| {2 * Image.MAX_IMAGE_PIXELS:,} | `PIL.Image`" in text


def test_the_limits_of_visitors_are_those_of_the_code():
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    table = text[text.index("| bytes | own machine |") :]
    found = re.findall(r"^\| of .*? \| (\d+) (\w+) \| (\d+) (\w+) \|$", table, re.MULTILINE)
    values = [(int(local) * UNITS[unit], int(public) * UNITS[other]) for local, unit, public, other in found]
    assert values == list(zip(astuple(LOCAL), astuple(PUBLIC)))


PARTS = {part.partition("\n")[0]: part for part in (ROOT / "docs" / "coverage.md").read_text("utf-8").split("\n## ")}
SOURCES = ["Independent errors", "Shared errors"]
LENGTHS = ["Labels in documents of equal length", "Labels in documents of very different length"]


def shares(part, title):
    """{documents: shares in percent} of one table."""
    table = next(one for one in PARTS[part].split("### ") if one.startswith(title))
    rows = re.findall(r"^\| (\d+) \|((?: [\d.]+ % \|)+)$", table, re.MULTILINE)
    return {int(count): [float(value) for value in re.findall(r"[\d.]+", values)] for count, values in rows}


@pytest.mark.parametrize("source", SOURCES)
def test_intervals_of_figures_keep_their_promise(source):
    covered = shares(source, "95 % intervals that contain the true value")
    assert set(covered) == {6, 10, 20, 50, 100, 101}
    assert min(min(covered[count]) for count in (20, 50, 100, 101)) >= 92


@pytest.mark.parametrize("score", ["precision", "recall", "F1", "IoU"])
@pytest.mark.parametrize("lengths", LENGTHS)
def test_intervals_of_labels_keep_their_promise(lengths, score):
    """A share of 93 % of 500 sets has a standard error of 1.1 points."""
    covered = shares(lengths, f"95 % intervals of {score} that contain the true value")
    assert set(covered) == {6, 10, 20, 50, 100, 101}
    assert min(min(values) for values in covered.values()) >= 93 - 1.1


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("title", ["Two equally good predictions", "5 equally good predictions"])
def test_equally_good_predictions_are_seldom_called_different(source, title):
    called = shares(source, title)
    assert set(called) == {6, 10, 20}
    assert max(max(values) for values in called.values()) <= 6


@pytest.mark.parametrize("source", SOURCES)
def test_a_gain_of_two_points_is_found_or_the_interval_is_marked_as_too_wide(source):
    found = shares(source, "The better prediction is called better")
    wide = shares(source, "The interval of the gain is marked as too wide")
    assert set(found) == set(wide) == {10, 20}
    assert [share > 50 for share in found[20]] == [share < 50 for share in wide[20]]
    assert all(few <= many for few, many in zip(found[10], found[20]))
