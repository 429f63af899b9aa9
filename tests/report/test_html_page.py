"""The HTML page of a report: its numbers, its pictures, and nothing loaded from elsewhere."""

import re

import numpy as np
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.web import IMAGE_BYTES, image_uri
from layoutcm.drawing.web.matrix_data import PAGES_PER_CELL
from layoutcm.filling.result_of import result_of
from layoutcm.metrics.levels import page_matrices
from layoutcm.metrics.matrix_blocks import largest_groups
from layoutcm.report import html_page
from layoutcm.report.report_files import all_tables
from support.browser import chromium
from support.layouts import build
from support.matrix_values import KNOWN_LABELS, views_of
from support.written_reports import data_of


def test_html_numbers_equal_the_api(sample, folder):
    data, m = data_of(folder / "report.html"), sample.confusion()
    for view, wanted in (("pixels", m.values), ("recall", m.recall), ("precision", m.precision), ("f1", m.f1)):
        np.testing.assert_array_equal(views_of(data["matrix"])[view], wanted)
    np.testing.assert_array_equal(views_of(data["collapsed"])["f1"], m.collapse().f1)
    assert data["matrix"]["row_names"] == data["matrix"]["column_names"] == m.labels
    assert data["recipe"] == sample.recipe and data["labels"] == m.labels and data["pages"] == 60
    assert data["matrix"]["groups"] == []  # 11 labels are few


def test_many_labels_are_in_groups_of_their_families(quick, tmp_path):
    pages = {"p": (10, 10 * len(KNOWN_LABELS))}
    layout = build(pages, [("p", label, 0, 10 * i, 10, 10 * i + 10) for i, label in enumerate(KNOWN_LABELS)])
    place = lcm.compare(layout, layout).write_report(tmp_path / "r")
    data = data_of(place / "report.html")["matrix"]
    groups = {one["name"]: [data["row_names"][i] for i in one["rows"]] for one in data["groups"]}
    assert list(groups) == ["Text", "Floats", "Furniture"] and len(groups["Text"]) == 15
    assert groups["Floats"] == ["Table", "Picture", "Figure"]
    assert groups["Furniture"] == ["Page-header", "Page-footer", "Header", "Footer"]
    assert all(one["rows"] == one["columns"] for one in data["groups"])


def test_the_html_loads_no_other_resources(folder):
    text = (folder / "report.html").read_text("utf-8")
    assert len(text) < 15_000_000
    assert not re.search(r"(src|href)\s*=\s*[\"']?(https?:)?//", text) and "@import" not in text and "url(" not in text
    assert "default-src 'none'" in text and "http:" not in text.replace("http://www.w3.org/2000/svg", "")


def test_pictures_highlight_exactly_the_pixels_of_a_cell(sample, folder):
    data = data_of(folder / "report.html")
    i, j = sample.cell("Caption", "Text")
    wanted = sample.pages_behind("Caption", "Text").set_index("page")["pixels"]
    seen = {}
    for picture in data["pictures"]:
        shares = [sum(add[2] for add in pair["adds"] if add[:2] == [i, j]) for pair in picture["pairs"]]
        lit = 0.0
        for r, row in enumerate(picture["runs"]):
            column = 0
            for length, pair in zip(row[::2], row[1::2]):
                wide = picture["x"][column + length] - picture["x"][column]
                lit += wide * (picture["y"][r + 1] - picture["y"][r]) * shares[pair]
                column += length
            assert column == len(picture["x"]) - 1
        if lit:
            seen[picture["page"]] = lit
    pictured = {picture["page"] for picture in data["pictures"]}
    assert len(pictured) == html_page.MOST_PICTURES
    assert len(seen) == 8 and seen == pytest.approx({page: n for page, n in wanted.items() if page in pictured})
    cell = data["cells"][f"{i}-{j}"]
    assert cell["pages"] == 9 and dict(cell["worst"]) == pytest.approx(wanted.head(PAGES_PER_CELL).to_dict())
    assert all(picture["images"]["small"].startswith("data:image/webp;base64,") for picture in data["pictures"])


def test_the_worst_pages_of_the_largest_confusions_come_first(sample):
    m = sample.confusion()
    group, _, _ = largest_groups(page_matrices(sample.levels), range(len(m.labels)), 8)
    behind = {cell: group[cell].tolist() for cell in zip(*np.nonzero(group[:, :, 0] >= 0))}
    pages = html_page.pages_to_picture(m, behind)
    assert len(set(pages)) == len(pages) == html_page.MOST_PICTURES == 40
    largest = [("Background", "Text"), ("Text", "Background"), ("Table", "Picture")]
    assert [sample.pages[page] for page in pages[:3]] == [sample.pages_behind(*cell)["page"][0] for cell in largest]


def test_image_uris_of_noise_have_a_limited_size():
    noise = Image.fromarray(np.random.default_rng(0).integers(0, 256, (900, 900, 3), np.uint8))
    assert len(image_uri(noise)) < 4 / 3 * IMAGE_BYTES + 100
    assert image_uri(None) is None


def test_tables_in_the_html_are_limited(sample, monkeypatch):
    monkeypatch.setattr(html_page, "HTML_ROWS", {"pages": 3, "documents": 2})
    monkeypatch.setattr(html_page, "MOST_PICTURES", 2)
    result = result_of(sample)
    data = html_page.report_data(result, all_tables(result), sample)
    assert len(data["tables"]["pages"]["rows"]) == 3 and data["tables"]["pages"]["of"] == 60
    assert len(data["pictures"]) == 2 and data["pictures"][0]["images"]["small"] is None


def test_a_label_can_have_the_name_of_the_family_margin(quick, tmp_path):
    pages, labels = {"p": (10, 10)}, ["out of family", "b"]
    gt = build(pages, [("p", labels[0], 0, 0, 5, 5), ("p", "b", 5, 5, 10, 10)], labels)
    pred = build(pages, [("p", "b", 0, 0, 5, 5), ("p", labels[0], 5, 5, 10, 10)], labels)
    place = lcm.compare(gt, pred).write_report(tmp_path / "r", families={"F": labels})
    visible = next(one for one in data_of(place / "report.html")["families"] if one["title"] == "Family F")
    assert visible["matrix"]["row_names"] == ["out of family", "b", "out of family"]
    assert visible["matrix"]["margins"] == [2] and visible["matrix"]["rows"] == [0, 1, 2]
    assert visible["matrix"]["models"][0]["mass"] == [[0, 25, 0], [25, 0, 0], [0, 0, 0]]


def test_a_page_with_very_many_regions_keeps_some_of_both_sides(monkeypatch, no_figures, tmp_path):
    """gt has 60 regions, pred 20; of 30 that fit, 15 are those of pred, and the page says how many there are."""
    monkeypatch.setattr(html_page, "MOST_BOXES", 30)
    gt = build({"p": (100, 100)}, [("p", "x", k, 0, k + 1, 10) for k in range(60)])
    pred = build({"p": (100, 100)}, [("p", "x", k, 5, k + 1, 10) for k in range(20)])
    (picture,) = data_of(lcm.compare(gt, pred).write_report(tmp_path / "r") / "report.html")["pictures"]
    sides = [box[0] for box in picture["boxes"]]
    assert (sides.count(0), sides.count(1), picture["region_count"]) == (15, 15, 80)


def test_joined_labels_have_no_pages_and_say_so(no_figures, tmp_path):
    names = [f"label {k}" for k in range(100)]
    gt = build({"p": (100, 100)}, [("p", name, k, 0, k + 1, 10 + k) for k, name in enumerate(names)], names)
    # Only the smallest label, which is joined, and the largest are not found completely.
    low = [5 if k in (0, 99) else 0 for k in range(100)]
    pred = build({"p": (100, 100)}, [("p", name, k, low[k], k + 1, 10 + k) for k, name in enumerate(names)], names)
    page = lcm.compare(gt, pred).write_report(tmp_path / "r") / "report.html"
    assert data_of(page)["cells"] is None and data_of(page)["pictures"] == []
    with chromium() as browser:
        shown, problems = browser.new_page(), []
        shown.on("pageerror", lambda error: problems.append(str(error)))
        shown.goto(page.as_uri())
        rows = shown.locator("#confusions tbody tr")
        texts = {row.inner_text().split("\t")[0]: row.locator("button").count() for row in rows.all()}
        assert (texts["label 0"], texts["label 99"]) == (0, 2)
        rows.locator("button").first.click()
        said = shown.inner_text("#cell")
        assert "px" in said and "pages" not in said.split("\n\n")[1] and "the dashboard shows those" in said
        assert not problems
