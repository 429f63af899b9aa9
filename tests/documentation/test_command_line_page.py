"""docs/command-line.md and docs/dashboard.md have every command and option, and no other."""

import argparse
import re

from layoutcm.cli.arguments import argument_parser
from support.paths import ROOT

TEXT = "".join((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("command-line", "dashboard"))


def commands():
    (action,) = (one for one in argument_parser()._actions if isinstance(one, argparse._SubParsersAction))
    return action.choices


def test_every_command_is_described():
    assert all(f"`{name}`" in TEXT and f"layoutcm {name}" in TEXT for name in commands())


def test_options_are_those_of_the_commands():
    known = {name for parser in commands().values() for name in parser._option_string_actions if name.startswith("--")}
    written = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", TEXT))
    assert known - {"--help"} <= written
    assert written - known <= {"--version"}
