"""The docstrings of public names: in the style of numpydoc, complete, and with examples that run."""

import doctest
import importlib
import inspect
import re

import pytest

import layoutcm
from support.paths import ROOT

FUNCTIONS = {name: one for name in layoutcm.__all__ if inspect.isfunction(one := getattr(layoutcm, name))}
CLASSES = {name: one for name in layoutcm.__all__ if inspect.isclass(one := getattr(layoutcm, name))}
# They need files of a run that was planned before; docs/scale.md shows and runs them.
WITHOUT_EXAMPLE = {
    "make_manifest", "plan_partitions", "finish_partitions", "count_part", "merge_counts", "open_comparison",
    "load_result", "write_label_errors",
}  # fmt: skip


def shown_members():
    """(name of a class, its members) of all pages of the reference."""
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    found = re.findall(r"^::: (\S+)\n    options:\n      members: \[(.*)\]$", pages, re.MULTILINE)
    return [(path, [name for name in members.split(", ") if name]) for path, members in found]


def section(doc, title):
    return re.split(rf"^{title}\n-+\n", doc, flags=re.MULTILINE)[1:]


def documented_parameters(doc):
    """The names before the colon, of all lines that are not indented."""
    (text,) = section(doc, "Parameters")
    lines = re.split(r"^\w+\n-+$", text, flags=re.MULTILINE)[0].splitlines()
    return [name.strip("* ") for line in lines if line[:1].strip() for name in line.partition(" : ")[0].split(",")]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_is_documented(name):
    doc = inspect.getdoc(FUNCTIONS[name])
    assert sorted(documented_parameters(doc)) == sorted(inspect.signature(FUNCTIONS[name]).parameters)
    assert len(section(doc, "Returns")) == 1
    assert (">>>" in doc) == (name not in WITHOUT_EXAMPLE)


@pytest.mark.parametrize(("path", "members"), shown_members())
def test_every_member_of_the_reference_has_a_docstring(path, members):
    module, _, name = path.rpartition(".")
    shown = getattr(importlib.import_module(module), name)
    for member in members:
        found = inspect.getattr_static(shown, member)
        doc = getattr(getattr(found, "func", None) or getattr(found, "fget", None) or found, "__doc__", None)
        assert doc, f"{name}.{member}"


@pytest.mark.parametrize("name", {**FUNCTIONS, **CLASSES})
def test_examples_run(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    finder = doctest.DocTestFinder(recurse=False, exclude_empty=True)
    for example in finder.find(getattr(layoutcm, name), name, globs={}):
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        failures = []
        runner.run(example, out=failures.append)
        assert not failures, "".join(failures)


def test_the_reference_has_every_public_name_once():
    pages = "".join(path.read_text("utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    shown = re.findall(r"^::: layoutcm\.(\w+)$", pages, re.MULTILINE)
    assert sorted(shown) == sorted(set(layoutcm.__all__) - {"fix"})
    assert set(CLASSES) <= {path.rpartition(".")[2] for path, _ in shown_members()}
