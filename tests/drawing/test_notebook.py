"""Notebooks: small HTML without script, and the interactive matrix and pages in a sandboxed frame."""

import re
from html import unescape
from html.parser import HTMLParser

import pytest

import layoutcm as lcm
from layoutcm.layouts.model import Findings
from support.browser import chromium
from support.comparisons import different_labels, three_pages
from support.layouts import build
from support.paths import SAMPLE

HOSTILE = '</td><script>alert(1)</script><img src=x onerror="alert(2)">'
OPEN = {"style", "div", "b", "table", "thead", "tbody", "tr", "th", "td", "span"}


class Tags(HTMLParser):
    """The tags and attributes of an HTML text; raises if they are not closed in order."""

    def __init__(self, html):
        super().__init__()
        self.names, self.attributes, self.open = set(), set(), []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def cells(html):
    """The texts of the cells of all tables, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [[unescape(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)] for row in rows]


def hostile_comparison():
    size, labels = {HOSTILE: (4, 4)}, [HOSTILE, "b"]
    gt = build(size, [(HOSTILE, HOSTILE, 0, 0, 4, 2)], labels, name=HOSTILE)
    return lcm.compare(gt, build(size, [(HOSTILE, "b", 0, 0, 4, 1)], labels, name=HOSTILE))


def test_small_html_is_escaped_and_has_no_script():
    c = hostile_comparison()
    board = lcm.leaderboard({HOSTILE: c, "other": c})
    finding = lcm.Finding("empty-side", values={"file": HOSTILE})
    for one in (c.alignment.layouts[0], c, c.confusion(), board, finding, Findings([finding]), different_labels()):
        html = one._repr_html_()
        tags = Tags(html)
        assert tags.names <= OPEN and tags.attributes <= {"class", "style"}
        assert len(html) < 8_000
    assert "&lt;script&gt;" in c.confusion()._repr_html_()


def test_numbers_of_the_small_html():
    """Three pages. Of 8 pixels of a, 4 are found and 4 are read as b; 4 pixels of b are read as a."""
    c = three_pages()
    m = c.confusion()
    assert cells(m._repr_html_()) == [
        ["gt \\ pred, %", "Background", "a", "b"],
        ["Background", "86", "", "14"],
        ["a", "", "50", "50"],
        ["b", "", "100", ""],
    ]
    rows = cells(c._repr_html_())
    recall, precision = m.average("micro")["recall"], m.average("micro")["precision"]
    assert ["micro, without Background", f"{precision:.3f}", f"{recall:.3f}", f"{m.average('micro')['f1']:.3f}"] in rows
    assert ["a", "b", "4", "50.0 %"] in rows and ["b", "a", "4", "100 %"] in rows
    assert c.recipe in unescape(c._repr_html_())
    assert cells(c.alignment.layouts[1]._repr_html_())[1:] == [["a", "3"], ["b", "2"], ["c", "0"]]


def test_findings_are_a_list_that_notebooks_show():
    gt = build({"p": (4, 4)}, [("p", "a", 3, 3, 1, 1)])
    assert isinstance(gt.findings, tuple) and gt.findings == tuple(gt.findings) and len(gt.findings) == 1
    html = gt.findings._repr_html_()
    assert html.count('<span class="warning">') == 1 and unescape(gt.findings[0].message) in unescape(html)
    c = lcm.compare(gt, build({"p": (4, 4)}, [("p", "a", 0, 0, 1, 1)]))
    assert gt.findings[0].message in unescape(c.findings._repr_html_())
    assert gt.findings[0].message in unescape(c._repr_html_())


def test_many_labels_are_a_table_of_classes():
    labels = [f"label {k:02}" for k in range(20)]
    gt = build({"p": (40, 4)}, [("p", label, 2 * k, 0, 2 * k + 2, 4) for k, label in enumerate(labels)], labels)
    html = lcm.compare(gt, gt).confusion()._repr_html_()
    assert cells(html)[0] == ["label", "gt pixels", "pred pixels", "precision", "recall", "F1"]
    assert len(cells(html)) == 13 and "and 9 more labels" in html
    assert "and 8 more labels" in gt._repr_html_()


def test_the_frame_is_sandboxed_and_its_page_cannot_leave_it(tmp_path):
    shown = hostile_comparison().show()
    frame = shown._repr_html_()
    assert re.fullmatch(
        r'<iframe sandbox="allow-scripts" title="[^"<>]*" style="[^"]*" srcdoc="[^"]*"></iframe>', frame
    )
    assert unescape(re.search(r'srcdoc="([^"]*)"', frame)[1]) == shown.html
    assert "default-src 'none'" in shown.html and HOSTILE not in shown.html
    file = tmp_path / "matrix.html"
    shown.write(file)
    assert file.read_text("utf-8") == shown.html
    with pytest.raises(lcm.InputError, match="there is no page"):
        three_pages().show_page("p9")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_matrix_and_page_in_the_browser(scheme, sample, tmp_path):
    """As a notebook shows them: two frames in one page. A click lists the pages behind a cell."""
    worst = sample.pages_behind("Footnote", "Page-footer")
    page_name = worst["page"].iloc[0]
    frames = sample.show()._repr_html_() + sample.show_page(page_name, images=SAMPLE / "images")._repr_html_()
    file = tmp_path / "notebook.html"
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{frames}", "utf-8")
    problems = []
    with chromium() as browser:
        page = browser.new_page(color_scheme=scheme, viewport={"width": 1400, "height": 900})
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(file.as_uri())
        matrix, viewer = page.frame_locator("iframe >> nth=0"), page.frame_locator("iframe >> nth=1")
        row = matrix.locator("#matrix tr", has=page.locator("th", has_text="Footnote"))
        row.locator("td", has_text="33").click()
        matrix.get_by_text("Footnote read as Page-footer, on 8 of 60 pages").wait_for()
        listed = matrix.locator("#cell tbody tr").all_inner_texts()
        assert [text.split("\t")[0] for text in listed] == worst["page"].head(8).tolist()
        assert [float(re.sub(r"\D", "", text.split("\t")[1])) for text in listed] == worst["pixels"].head(8).tolist()
        matrix.get_by_role("button", name="Precision").click()
        row.locator("td", has_text="13").wait_for()
        page.locator("iframe").nth(1).scroll_into_view_if_needed()
        viewer.locator(".viewer canvas").first.wait_for()
        viewer.get_by_text("Packed words").wait_for()
        regions = len(sample.page_tiles(page_name).pairs.pixels)
        assert viewer.locator(".viewer-words tbody tr").count() == regions
        paper = viewer.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
        assert paper == {"light": "rgb(255, 255, 255)", "dark": "rgb(14, 17, 23)"}[scheme]
    assert problems == []
