"""Read the long expected values of tests, which are files in tests/stored so one can read and compare them as text.

No command writes these files. If an output changes, its file is changed by hand.
"""

import json

import layoutcm as lcm
from support.paths import ROOT

STORED = ROOT / "tests" / "stored"


def stored_text(name, **values):
    """The text of a file without its last line break; {version} and the other names in braces are filled in."""
    text = (STORED / name).read_text("utf-8").removesuffix("\n")
    for key, value in {"version": lcm.__version__, **values}.items():
        text = text.replace(f"{{{key}}}", value)
    return text


def stored_json(name):
    return json.loads(stored_text(name))


def stored_rows(name):
    """The rows of a table: the file has one JSON value in each line."""
    return [json.loads(line) for line in stored_text(name).split("\n")]
