"""The figures of the page on other tools are those of `make bench-all`, and its column of layoutcm is true."""

import re

from support.paths import ROOT
from support.sample_comparisons import compare_sample

PAGE, BENCHMARKS = ((ROOT / "docs" / name).read_text("utf-8") for name in ("other-tools.md", "benchmarks.md"))
MARKED = re.search(r"<!-- .+: begin -->\n(.+)<!-- .+: end -->", PAGE, re.DOTALL).group(1).strip()
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
    """'docling-metrics-layout has the same matrix to the last cell, and hotcoco and faster-coco-eval the same AP.'"""
    assert TOOLS["docling-metrics-layout"]["largest difference of a cell from layoutcm, of 144"] == "0"
    for name in ("AP", "AP50", "AP75"):
        assert TOOLS["layoutcm"][name] == TOOLS["hotcoco"][name] == TOOLS["faster-coco-eval"][name]
