"""What the pages of the documentation say is true: links, code, commands, findings, other tools, the citation."""

import argparse
import json
import re
import runpy
import subprocess
from functools import cache
from xml.etree import ElementTree

import pytest
import yaml

import layoutcm
from layoutcm.alignment.likely_mistakes import PLAIN_READINGS
from layoutcm.cli.arguments import argument_parser
from layoutcm.layouts.repairs import REPAIRS, is_repair
from layoutcm.messages import TEXTS
from support.code_blocks import SETUPS, PageRun, blocks_of
from support.comparisons import compare_sample
from support.paths import ROOT, SAMPLE

FILES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    ROOT / "sample_data" / "README.md",
    ROOT / "examples" / "README.md",
]
_FENCE = re.compile(r"^[ ]*```.*?^[ ]*```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^[ ]*```.*?^[ ]*```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"""(?:\]\(|src="|srcset=")(?!\w+:)([^)\s"#]*)(?:#([^)\s"]*))?""")
MOST_CLICKS = 3
# (what is looked for, the page that answers it, words that are there)
QUESTIONS = [
    ("how to load YOLO against COCO", "tutorials/own-files.md", "## YOLO against COCO"),
    ("why a score is 0", "score-is-zero.md", "# My score is 0"),
    ("what macro F1 is here", "method.md", "**macro F1** is the mean of the F1 values of the classes"),
    ("how to make CI fail", "gate.md", "exit code 3"),
    ("how to cite", "cite.md", "@software{layoutcm,"),
]


@cache
def links(path):
    """(file, anchor or None) of every link to a file of the repository."""
    text = _CODE.sub("", path.read_text("utf-8"))
    return [((path.parent / target).resolve() if target else path, anchor) for target, anchor in _LINK.findall(text)]


def anchors(path):
    """What a heading is called in an address, as GitHub and MkDocs do it for the headings of these files."""
    titles = re.findall(r"^#+ (.+)$", _FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower()) for title in titles}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    for target, anchor in links(path):
        assert target.exists(), target
        assert not anchor or anchor in anchors(target), f"{target.name}#{anchor}"


def pages_within(clicks):
    """{page: clicks} from the start page."""
    found, last = {ROOT / "docs" / "index.md": 0}, [ROOT / "docs" / "index.md"]
    for click in range(1, clicks + 1):
        new = {target for page in last for target, _ in links(page) if target.suffix == ".md"} - set(found)
        found |= dict.fromkeys(new, click)
        last = list(new)
    return found


@pytest.mark.parametrize(("question", "page", "words"), QUESTIONS)
def test_a_reader_finds_it_in_three_clicks(question, page, words):
    target = ROOT / "docs" / page
    assert pages_within(MOST_CLICKS)[target] == 1  # the start page names all of them
    assert words in target.read_text("utf-8")


def test_every_page_is_within_three_clicks_of_the_start_page():
    assert {path for path in FILES if path.is_relative_to(ROOT / "docs")} <= set(pages_within(MOST_CLICKS))


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


OTHER_TOOLS, BENCHMARKS = ((ROOT / "docs" / name).read_text("utf-8") for name in ("other-tools.md", "benchmarks.md"))
MARKED = re.search(r"<!-- .+: begin -->\n(.+)<!-- .+: end -->", OTHER_TOOLS, re.DOTALL).group(1).strip()
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in MARKED.splitlines() if line.startswith("| ")]
TOOLS = {head.split()[0]: {row[0]: row[i] for row in ROWS} for i, head in enumerate(ROWS[0][1:], 1)}


def test_the_table_is_that_of_the_benchmarks():
    assert f"## What the tools say about the sample\n\n{MARKED}" in BENCHMARKS
    assert list(TOOLS) == ["layoutcm", "docling-metrics-layout", "hotcoco", "faster-coco-eval", "TIDE", "mote_error"]


def test_the_figures_of_layoutcm_are_true():
    found, own = compare_sample(), TOOLS["layoutcm"]
    figures = found.result(intervals=False).figures
    for name in ("AP", "AP50", "AP75"):
        assert own[name] == f"{figures[f'objects.{name.lower()}']:.3f}"
    causes = found.causes().totals
    assert own["share of the wrong pixels: duplicate"] == f"{causes['duplicate'] / sum(causes.values()):.3f}"
    assert own["1 - recall of content"] == f"{1 - figures['content.recall']:.3f}"
    labels, confusion = found.labels, found.confusion().values
    cell = confusion[labels.index("Table"), labels.index("Picture")]
    assert own["pixels of Table read as Picture"] == f"{cell:,.1f}"


def test_the_readme_says_rightly_that_others_agree():
    """The same matrix to the last cell, the same AP and AP50, and an AP75 that differs by .001 due to equal scores."""
    assert TOOLS["docling-metrics-layout"]["largest difference of a cell from layoutcm, of 144"] == "0"
    for name in ("AP", "AP50"):
        assert TOOLS["layoutcm"][name] == TOOLS["hotcoco"][name] == TOOLS["faster-coco-eval"][name]
    others = {TOOLS[name]["AP75"] for name in ("hotcoco", "faster-coco-eval")}
    assert [abs(round(1000 * (float(other) - float(TOOLS["layoutcm"]["AP75"])))) for other in others] == [1]


DOCS = ROOT / "docs"


@pytest.mark.parametrize("page", ["findings", "measures"])
def test_the_page_is_that_of_the_library(page):
    script = DOCS / f"make_{page}.py"
    written = runpy.run_path(str(script))[f"{page}_page"]()
    assert (DOCS / f"{page}.md").read_text("utf-8") == written, f"run python docs/make_{page}.py"


def test_every_finding_has_a_row_with_severity_and_advice():
    rows = re.findall(r"^\| `([a-z-]+)` \| (\w+) \| .+ \| (.+) \|$", (DOCS / "findings.md").read_text("utf-8"), re.M)
    assert {code: severity for code, severity, _ in rows} == {code: text.severity for code, text in TEXTS.items()}
    assert all(advice.strip() for *_, advice in rows)


def test_every_reading_has_its_own_example():
    text = (DOCS / "findings.md").read_text("utf-8")
    shown = {one.code for one in PLAIN_READINGS if f"| `{one.code}` | warning | {one.words}: with" in text}
    assert shown == {one.code for one in PLAIN_READINGS}


def test_findings_with_a_repair_and_all_repairs_are_explained():
    text = (DOCS / "score-is-zero.md").read_text("utf-8")
    with_repair = runpy.run_path(str(DOCS / "make_findings.py"))["REPAIRS"]
    assert all(f"`{code}`" in text for code in with_repair)
    named = {name for name in re.findall("`([^`\n]+)`", text) if is_repair(name)}
    assert {name.partition(":")[0] for name in named} == {name.partition(":")[0] for name in REPAIRS}


README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_is_short():
    assert README.count("\n") < 150


def test_the_two_commands_are_targets_of_make():
    commands = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert commands == ["run", "test"]
    for target in (*commands, "docs", "bench-all"):
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def test_times_are_those_of_the_benchmarks():
    rows = re.findall(r"^\| .+ \| ([\d.]+ s) \| ([\d.]+ GB) \|$", README, re.MULTILINE)
    assert len(rows) == 5
    for seconds, memory in rows:
        assert re.search(rf"\| {seconds} \| [\d.]+ s \| {memory} \|", BENCHMARKS), seconds
    kernel = re.findall(r"\| ([\d.]+) ms \| ([\d.]+) µs \|", BENCHMARKS)
    peer, own = ([float(row[i]) for row in kernel] for i in (0, 1))
    stated = [float(text) for text in re.search(r"takes (\d+) to (\d+) µs .+ (\d+) to (\d+) ms", README).groups()]
    assert stated == [round(min(own)), round(max(own), -1), round(min(peer)), round(max(peer))]


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


CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def test_the_citation_has_the_present_version_and_no_invented_author():
    assert CITATION["cff-version"] == "1.2.0" and CITATION["type"] == "software" and CITATION["license"] == "MIT"
    assert CITATION["authors"] == [{"name": "The layoutcm authors"}]
    assert str(CITATION["version"]) == layoutcm.__version__
    assert [one["value"] for one in CITATION["identifiers"]] == [f"urn:layoutcm:{layoutcm.__version__}"]


def test_the_page_says_the_same():
    text = (ROOT / "docs" / "cite.md").read_text("utf-8")
    assert set(re.findall(r"(?<![\d.])\d+\.\d+\.\d+(?![\d.])", text)) == {layoutcm.__version__}
    assert "author  = {{The layoutcm authors}}" in text and f"layoutcm {layoutcm.__version__} (method" in text
    assert all(one["doi"] in text and str(one["year"]) in text for one in CITATION["references"])
