"""All code of the README and of the documentation runs, and prints what the page says."""

import json
from xml.etree import ElementTree

import pytest
import yaml

from support.code_blocks import SETUPS, PageRun, blocks_of
from support.paths import ROOT, SAMPLE

# test_documented_examples reads the examples of formats.
PAGES = [ROOT / "README.md", *sorted(set(ROOT.glob("docs/**/*.md")) - {ROOT / "docs" / "format-examples.md"})]
PARSERS = {"json": json.loads, "yaml": yaml.safe_load, "xml": ElementTree.fromstring}
LANGUAGES = {"python", "sh", "text", "csv", "bibtex", *PARSERS}


def page_name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_code_blocks(path, tmp_path, monkeypatch, quick):
    blocks = blocks_of(path)
    assert {block.language for block in blocks} <= LANGUAGES
    if not {"python", "sh"} & {block.language for block in blocks}:
        return
    (tmp_path / "sample_data").symlink_to(SAMPLE)
    monkeypatch.chdir(tmp_path)
    page = PageRun(path)
    with pytest.MonkeyPatch.context() as patch:
        page.names |= SETUPS.get(page_name(path), lambda _: {})(patch)
        for block in blocks:
            page.run(block)


@pytest.mark.parametrize("path", PAGES, ids=page_name)
def test_data_in_blocks_can_be_parsed(path):
    for block in blocks_of(path):
        PARSERS.get(block.language, str)(block.text)


def test_the_action_has_the_inputs_that_its_example_gives():
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    (step,) = [
        step
        for block in blocks_of(ROOT / "docs" / "gate.md")
        if block.language == "yaml"
        for step in yaml.safe_load(block.text)
        if "with" in step
    ]
    assert set(step["with"]) <= set(inputs) and len(step["with"]) > 3


def test_setups_are_of_pages():
    assert set(SETUPS) <= {page_name(path) for path in PAGES}
