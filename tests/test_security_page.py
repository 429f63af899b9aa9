"""The table of limits in SECURITY.md has the values of the code."""

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


def test_the_limit_of_pillow_is_in_the_table():
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    assert f"| {2 * Image.MAX_IMAGE_PIXELS:,} | `PIL.Image`" in text


def test_the_limits_of_visitors_are_those_of_the_code():
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    table = text[text.index("| bytes | own machine |") :]
    found = re.findall(r"^\| of .*? \| (\d+) (\w+) \| (\d+) (\w+) \|$", table, re.MULTILINE)
    values = [(int(local) * UNITS[unit], int(public) * UNITS[other]) for local, unit, public, other in found]
    assert values == list(zip(astuple(LOCAL), astuple(PUBLIC)))
