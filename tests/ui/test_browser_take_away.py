"""Take it away in a real browser: the fewest clicks, and files that equal those of the API."""

import io

import pandas as pd
import pytest

from layoutcm.drawing.paper.matrix import matrix_figure
from layoutcm.drawing.paper.printing import figure_bytes
from layoutcm.tables.matrix_views import select
from support.browser import settle, tab, visit


class Clicks:
    """Counts the clicks of a visitor."""

    def __init__(self, page):
        self.page, self.count = page, 0

    def click(self, name, inside=""):
        self.count += 1
        place = self.page.locator(inside) if inside else self.page
        place.get_by_role("button", name=name, exact=True).first.click()

    def download(self, name, inside):
        with self.page.expect_download() as taken:
            self.click(name, inside)
        return taken.value


@pytest.fixture
def visitor(browser, address):
    with browser.new_context(viewport={"width": 1400, "height": 900}) as context, tab(context) as page:
        visit(page, f"{address}/errors?load=sample")
        page.wait_for_selector(".lcm-matrix table")
        yield Clicks(page)


def test_the_recall_heatmap_is_a_pdf_after_two_clicks_and_its_table_after_one_more(visitor, sample):
    visitor.click("Take it away")
    first = ".st-key-take_row_0"
    visitor.page.locator(first).wait_for()
    pdf = visitor.download("PDF", first)
    assert visitor.count == 2 and pdf.suggested_filename == "recall-model-a.pdf"
    confusion = sample.confusion()
    drawn = matrix_figure(confusion, "recall", selection=select(confusion), log=False)
    assert pdf.path().read_bytes() == figure_bytes(drawn, "pdf")
    table = visitor.download("CSV", first)
    assert visitor.count == 3 and table.suggested_filename == "recall-model-a.csv"
    read = pd.read_csv(io.BytesIO(table.path().read_bytes()), index_col=0)
    assert read.loc["Caption", "Text"] == pytest.approx(confusion.recall[1, 10], rel=1e-12)


def test_a_view_that_was_chosen_in_a_part_of_the_page_is_the_one_that_is_taken(visitor):
    visitor.page.get_by_role("radio", name="Precision", exact=True).click()
    settle(visitor.page)
    visitor.click("Take it away")
    visitor.page.locator(".st-key-take_row_0").get_by_text("Matrix: precision").wait_for()
    assert visitor.download("SVG", ".st-key-take_row_0").suggested_filename == "precision-model-a.svg"
