"""The HTML page and the workbook of a report: their numbers, and nothing that is loaded or computed."""

import math
import re

import numpy as np
import openpyxl
import pandas as pd
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.web import IMAGE_BYTES, image_uri
from layoutcm.drawing.web.matrix_data import PAGES_PER_CELL
from layoutcm.filling.result_of import result_of
from layoutcm.metrics.levels import page_matrices
from layoutcm.metrics.matrix_blocks import largest_groups
from layoutcm.report import html_page, workbook
from layoutcm.report.report_files import all_tables
from layoutcm.tables.tables import Table
from support import hostile
from support.browser import chromium
from support.comparisons import three_pages
from support.layouts import build
from support.matrix_page import KNOWN_LABELS, views_of
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


SHEETS = ["Summary", "Confusion", "Recall", "Precision", "F1", "Collapsed", "Measures", "Classes", "Objects"]
SHEETS += ["Ranked pairs", "Documents", "Pages", "Findings", "Recipe"]


def written(c, path, method="matrix"):
    result = result_of(c, method)
    workbook.write_workbook(result, result.confusion(), all_tables(result, c), path)
    return openpyxl.load_workbook(path)


def cells(sheet, top=1):
    return [list(row) for row in sheet.iter_rows(min_row=top, values_only=True)]


def same(found, wanted):
    """Equal to 16 digits, as XLSX stores them (Excel shows 15)."""
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def numbers(rows, skip=1):
    return np.array([[np.nan if value is None else value for value in row[skip:]] for row in rows[1:]], float)


def test_all_sheets_exist_and_headings_are_frozen(two_pages, tmp_path):
    book = written(lcm.compare(*two_pages), tmp_path / "x.xlsx")
    assert book.sheetnames == SHEETS
    assert {book[name].freeze_panes for name in SHEETS[1:]} == {"B2"}


def test_the_summary_has_facts_and_averages(two_pages, tmp_path):
    c = lcm.compare(*two_pages)
    book = written(c, tmp_path / "x.xlsx")
    summary = {row[0]: row[1:4] for row in cells(book["Summary"]) if row[0]}
    macro = c.confusion().average("macro")
    same(summary["macro, without Background"], [macro[name] for name in ("precision", "recall", "f1")])
    assert summary["pages"][0] == 2 and summary["pixels"][0] == 500
    assert dict(row[:2] for row in cells(book["Recipe"]))["rounding"] == "outer"


def test_undefined_is_a_blank_cell(two_pages, tmp_path):
    c = lcm.compare(*two_pages)
    row = c.labels.index("caption")  # gt has no caption
    assert math.isnan(c.confusion().recall[row, 0])
    assert cells(written(c, tmp_path / "x.xlsx")["Recall"])[row + 1][1:] == [None] * len(c.labels)


def test_the_diagonal_is_marked_and_has_its_own_colours(two_pages, tmp_path):
    sheet = written(lcm.compare(*two_pages), tmp_path / "x.xlsx")["Recall"]
    assert sheet["B2"].font.bold and sheet["B2"].border.top.style and not sheet["C2"].font.bold
    assert sheet["B2"].number_format == "0.0000"
    areas = {rule.type: str(area.sqref).split() for area in sheet.conditional_formatting for rule in area.rules}
    ranges = [str(area.sqref).split() for area in sheet.conditional_formatting]
    assert areas and ["B2", "C3", "D4", "E5", "F6", "G7", "H8"] in ranges
    assert sum(len(area) for area in ranges) == 7 + 12


def test_labels_never_become_formulas_links_or_numbers(tmp_path):
    c = hostile.compared()
    book = written(c, tmp_path / "x.xlsx")
    assert [row[0] for row in cells(book["Confusion"])[1:]] == ["Background", *hostile.LABELS]
    assert cells(book["Pages"])[1][0] == hostile.PAGE
    for sheet in book:
        for row in sheet.iter_rows():
            for cell in row:
                assert cell.data_type != "f" and cell.hyperlink is None
                assert not (cell.data_type == "n" and cell.value in hostile.LABELS)


def test_control_characters_and_very_long_texts(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_CHARACTERS", 500)
    label = "a\x01b\nc" + "x" * 900
    layout = build({"p": (4, 4)}, [("p", label, 0, 0, 4, 4)])
    found = cells(written(lcm.compare(layout, layout), tmp_path / "x.xlsx")["Classes"])[2][0]
    assert found.startswith("a b cxxx") and len(found) == 500


def test_more_pages_than_a_sheet_has_rows(two_pages, tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "MOST_ROWS", 1)
    c = lcm.compare(*two_pages)
    result = result_of(c)
    tables = all_tables(result)
    tables |= dict.fromkeys(("averages", "confusions"), tables["recipe"])
    workbook.write_workbook(result, result.confusion(), tables, tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    rows = cells(book["Pages"])
    assert len(rows) == 4 and rows[1][0] == c.page_table()["page"][0]
    assert rows[3][0] == "The first 1 of 2 rows; pages.csv has all of them."
    assert cells(book["Documents"])[3][0] == "The first 1 of 2 rows; result.json has all of them."
    review = Table("review", "Pages to review", c.page_table())
    workbook.write_tables({"review": review}, "", tmp_path / "y.xlsx")  # no file of the report has all of them
    assert cells(openpyxl.load_workbook(tmp_path / "y.xlsx")["Review"])[3][0] == "The first 1 of 2 rows."
    assert ("Pages", "the 1 worst; all of them are in pages.parquet") in [tuple(r[:2]) for r in cells(book["Summary"])]


def test_different_taxonomies_say_that_classes_are_undefined(tmp_path):
    gt = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10), ("p", "b", 5, 0, 10, 10)])
    pred = build({"p": (10, 10)}, [("p", "b", 0, 0, 5, 10), ("p", "z", 5, 0, 10, 10)])
    c = lcm.compare(gt, pred)
    book = written(c, tmp_path / "x.xlsx")
    assert cells(book["Classes"])[0][0].startswith("n/a")
    rows = cells(book["Confusion"])
    assert rows[0] == ["gt", "Background", "a", "b", "b", "z"]
    same(numbers(rows), c.confusion().values)


def test_equal_numbers_give_equal_files(two_pages, tmp_path):
    c = lcm.compare(*two_pages)
    once, again = tmp_path / "a.xlsx", tmp_path / "b.xlsx"
    for path in (once, again):
        written(c, path)
    assert once.read_bytes() == again.read_bytes()


def test_shares_near_0_and_1_are_not_shown_as_exact(tmp_path):
    values = [0.0, 1.0, 0.5, 0.00004, -0.00004, 0.99996, -0.99996, -0.5, float("nan")]
    table = Table("intervals", "Intervals", pd.DataFrame({"of": ["x"] * len(values), "value": values}))
    result = result_of(three_pages())
    tables = all_tables(result) | {"intervals": table}
    workbook.write_workbook(result, result.confusion(), tables, tmp_path / "book.xlsx")
    cells = openpyxl.load_workbook(tmp_path / "book.xlsx")["Intervals"]["B"][1 : len(values) + 1]
    assert [cell.value for cell in cells[:-1]] == values[:-1]  # full precision is kept
    near_0, near_1 = '"<0.0001";">-0.0001"', '"0.9999";"-0.9999"'
    expected = ["0.0000"] * 3 + [near_0] * 2 + [near_1] * 2 + ["0.0000"] * 2
    assert [cell.number_format for cell in cells] == expected
