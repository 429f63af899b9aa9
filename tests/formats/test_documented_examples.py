"""docs/formats.md describes each format; docs/format-examples.md has an example of each, which is read."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

import layoutcm as lcm
from layoutcm.formats.content import FileContent
from layoutcm.formats.recognition import find_candidates
from layoutcm.formats.registry import BY_NAME
from layoutcm.ui.data.loading import format_rows

TEXT = (Path(__file__).parents[2] / "docs" / "format-examples.md").read_text("utf-8")
SIZES = (1000, 1400)  # as the text of the examples says
# `name`, `name` (what else is needed), an empty line, and a fence with the file.
_EXAMPLE = re.compile(r"^(`[^(\n]*`)(?: \(([^\n]*)\))?\n\n```([a-z]+)\n(.*?\n)```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile("`([a-z0-9-]+)`")


class Example(NamedTuple):
    needed: str
    language: str
    text: str

    @property
    def has_to_be_named(self):
        return "`format=`" in self.needed


def examples():
    """(name of the format, example) for each name of each heading."""
    found = _EXAMPLE.findall(TEXT)
    return [(name, Example(*rest)) for names, *rest in found for name in _NAME.findall(names)]


BY_HEADING = dict(examples())


def example_file(name, folder, monkeypatch):
    """The example as a file without a telling suffix; Parquet files are written by the code of the example."""
    example = BY_HEADING[name]
    if example.language != "python":
        path = folder / "page"
        path.write_text(example.text, "utf-8")
        return path
    monkeypatch.chdir(folder)
    exec(example.text, {})
    (path,) = folder.iterdir()
    return path


def test_each_format_is_in_the_table_and_has_one_example_in_the_same_order():
    names = [row.name for row in format_rows()]
    assert sorted(names) == sorted(BY_NAME) and all(row.notes for row in format_rows())
    assert [name for name, _ in examples()] == names


def test_every_fence_has_a_heading():
    assert TEXT.count("\n```") == 2 * len(_EXAMPLE.findall(TEXT))


@pytest.mark.parametrize("name", BY_NAME)
def test_examples_are_read(name, tmp_path, monkeypatch):
    path = example_file(name, tmp_path, monkeypatch)
    example = BY_HEADING[name]
    options = {"format": name} if example.has_to_be_named else {}
    if "`like=`" in example.needed:
        (reference,) = _NAME.findall(example.needed)
        options["like"] = lcm.read((reference, BY_HEADING[reference].text.encode()))
    else:
        options["sizes"] = SIZES
    layout = lcm.read(path, **options)
    assert layout.format == name and len(layout.regions) > 0


@pytest.mark.parametrize("name", BY_NAME)
def test_examples_are_recognised_unless_they_have_to_be_named(name, tmp_path, monkeypatch):
    path = example_file(name, tmp_path, monkeypatch)
    found = [format.name for format in find_candidates(FileContent(path.name, path.read_bytes()))]
    assert (found != [name]) == BY_HEADING[name].has_to_be_named
