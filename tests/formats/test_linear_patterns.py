"""Every regular expression that is used on untrusted text takes linear time; a new one is checked, too."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import layoutcm
from support.linear_patterns import growth

PACKAGE = Path(layoutcm.__file__).parent
FOLDERS = ("formats/**/*.py", "layouts/*.py", "drawing/page_images.py")
FILES = sorted(path for folder in FOLDERS for path in PACKAGE.glob(folder))
NAMES = ("compile", "match", "search", "fullmatch", "findall", "finditer", "sub", "subn", "split")
FUNCTIONS = [f"re.{name}" for name in NAMES]
FIXED_START = ("match", "fullmatch")
# It matches wherever it is tried, so no place is tried twice; an unclosed quote ends the match before it.
ALWAYS_MATCHES = {("hocr.py", "_PROPERTY")}
# `outputs.folders` matches whole names of files with it.
WHOLE_NAMES = {("writers.py", "OWN_FILES")}
# The pattern by which a user names documents is the user's own.
OWN_PATTERNS = {
    ("page_documents.py", "pattern"),
    ("findings.py", "'|'.join([*kept, _SIDES])"),  # escaped names of the finding itself
}


def calls(tree):
    """All calls re.FUNCTION(pattern, ...) of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in FUNCTIONS:
            yield node


def is_searched(function, name, tree):
    """Whether every place of a text may be the start; of a compiled pattern, from its methods that are called."""
    if function != "compile":
        return function not in FIXED_START
    used = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name
    }
    return not used or not used <= set(FIXED_START)


def patterns(path):
    """(line, pattern, flags, whether it is searched) of the patterns in a module."""
    tree = ast.parse(path.read_text("utf-8"))
    names = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for call in calls(tree):
        source = ast.unparse(call.args[0])
        if (path.name, source) in OWN_PATTERNS:
            continue
        module = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        # A pattern that is not a constant of its module cannot be checked and fails here.
        pattern = eval(source, vars(module))  # the source is our own
        flags = [eval(ast.unparse(a), vars(module)) for a in call.args[1:] if call.func.attr == "compile"]
        name = names.get(id(call), "")
        searched = is_searched(call.func.attr, name, tree) and (path.name, name) not in ALWAYS_MATCHES | WHOLE_NAMES
        yield call.lineno, pattern, sum(flags), searched


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_the_patterns_of_a_module_take_linear_time(path):
    assert {line: why for line, *given in patterns(path) if (why := growth(*given))} == {}


def test_patterns_are_found():
    found = {pattern for path in FILES for _, pattern, *_ in patterns(path)}
    assert len(found) > 25 and "[0-9]{1,4300}" in found


@pytest.mark.parametrize("pattern", [
    r"(\d+\.?\d*)+", r"(a|a)*", r"(a*)*b", r"\s*\s*x", r"(\w+\s?)*$", r"(?:a{1,2}){1,1000}b", r"\d+\d+x", r"\d*5\d*x",
    r".*,.*;", r"(?:\s*,?)*x", rb"(?:\d+x?)*y", r"(\s*){4}x", r"(?:a?)*a*b", r"(?:\s++|\s)*x", r"[^\u4e2d]*\u6587*x",
])  # fmt: skip
@pytest.mark.parametrize("searched", [True, False])
def test_a_pattern_that_takes_longer_is_refused(pattern, searched):
    assert growth(pattern, 0, searched) != ""


@pytest.mark.parametrize("pattern", [r"\s+x", r"a+$", r"[^,]*,x", r"\d+(?=x)y", r".*x"])
def test_a_search_that_starts_again_at_every_place_is_refused(pattern):
    assert growth(pattern, 0, True) != "" and growth(pattern, 0, False) == ""


@pytest.mark.parametrize("pattern", [
    r"\d+", r"(\d+)", r"[\s_]+", r"abc|abd", r"^\s*x", r"\.[^./]*$", r"(?:\s++|x)*+y", r"<[^<>]*>", r"[a-z]{1,8}x",
    r"(?:,[0-9]+)*;", r"(?:<loc_[0-9]{1,9}>\s*){4}", r"-(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[0-9]+)?;", r"a(?!b)c",
    r'"[^"]*x', r"(?:[ab]|c);", r"\\u([0-9a-f]{4})",
])  # fmt: skip
def test_a_pattern_that_takes_linear_time_is_accepted(pattern):
    assert growth(pattern, 0, pattern not in (r"(?:\s++|x)*+y", r"(?:,[0-9]+)*;")) == ""


def test_the_growth_of_references_is_not_known():
    with pytest.raises(ValueError, match="GROUPREF"):
        growth(r"(a)\1")
    assert re.compile(r"(a)\1")
