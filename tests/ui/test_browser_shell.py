"""What all pages share, in a real browser: a menu that is right from the start, no jumps; a result of parts."""

import os

import pytest

from layoutcm.ui.shared.page_shell import PAGES
from layoutcm.wording import score_text, thin_spaced
from support.browser import settle, shown, tab, visit, wait_for_link
from support.parts import result_of_sample
from support.paths import ROOT, SAMPLE
from support.servers import server

MENU = [title for title, _ in PAGES.values()]
WATCH = ROOT / "tests" / "support" / "watch_menus.js"


def names_in(menus):
    """The titles in menus, without the names of icons, which are text, too."""
    return [[next((title for title in MENU if text.endswith(title)), text) for text in menu] for menu in menus]


def test_a_cold_deep_link_never_shows_a_raw_menu(browser):
    with (
        server() as fresh,
        browser.fresh_context(viewport={"width": 1400, "height": 900}) as context,
        tab(context) as page,
    ):
        page.add_init_script(path=WATCH)
        visit(page, f"{fresh}/errors?load=sample")
        page.wait_for_selector(".lcm-matrix table")
        assert names_in(page.evaluate("window.menus")) == [MENU]


def test_back_returns_to_the_former_view_not_to_every_toggle(browser, address):
    with browser.new_context(viewport={"width": 1400, "height": 900}) as context, tab(context) as page:
        visit(page, f"{address}/errors?load=sample&gt_label=Caption&pred_label=Text")
        page.get_by_role("heading", name="Caption read as Text").wait_for()
        entries = page.evaluate("history.length")
        for view in ("Precision", "F1"):
            page.get_by_role("radio", name=view, exact=True).click()
            wait_for_link(page, f"view={view.lower()}")
        page.get_by_role("button", name="More").click()
        page.get_by_text("Log", exact=True).first.click()
        wait_for_link(page, "view=f1", "log=True")
        assert page.evaluate("history.length") == entries
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Measures", exact=True).click()
        wait_for_link(page, "/measures", "load=sample", "log=True")
        assert page.evaluate("history.length") == entries + 1
        page.go_back()
        wait_for_link(page, "/errors", "view=f1", "log=True", "gt_label=Caption")
        page.get_by_role("heading", name="Caption read as Text").wait_for()
        assert page.get_by_role("radio", name="F1", exact=True).is_checked()


MOST_SHIFT = 0.05  # the sum of the layout shifts of a place; up to 0.1 counts as good for a whole visit


@pytest.mark.parametrize(
    ("width", "places"),
    [
        (1400, ("models", "errors")),
        pytest.param(1400, tuple(PAGES), marks=pytest.mark.long),
        pytest.param(900, tuple(PAGES), marks=pytest.mark.long),
    ],
)
def test_nothing_jumps_at_a_cold_deep_link(browser, address, width, places):
    sums = {}
    for name in places:
        with browser.fresh_context(viewport={"width": width, "height": 900}) as context, tab(context) as page:
            page.add_init_script(path=WATCH)
            visit(page, f"{address}/{'' if name == 'data' else name}?load=sample")
            page.get_by_role("button", name="Take it away").wait_for()
            page.wait_for_load_state("networkidle")  # pictures and scripts of parts, which could still move something
            sums[name] = sum(value for value, *_ in page.evaluate("window.shifts"))
    assert {name: value for name, value in sums.items() if value > MOST_SHIFT} == {}


def test_the_first_page_loads_the_script_of_spinners(browser, address):
    """A fast machine shows no spinner on the other places, so the next test may not notice a missing script."""
    with browser.fresh_context() as context, tab(context) as page:
        requested = []
        page.on("request", lambda request: requested.append(request.url.rsplit("/", 1)[-1]))
        visit(page, f"{address}/?load=sample")
        page.get_by_role("button", name="Take it away").wait_for()
        assert any(name.startswith("Spinner.") for name in requested)


def test_after_the_first_page_no_place_waits_for_the_script_of_a_part(browser, address):
    """Streamlit draws a grey bar until it has the script of a kind of part."""
    with browser.fresh_context(viewport={"width": 1400, "height": 900}) as context, tab(context) as page:
        sent = []
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(frame)))
        visit(page, f"{address}/?load=sample")
        page.get_by_role("button", name="Take it away").wait_for()
        page.wait_for_load_state("networkidle")  # it loads the scripts of parts ahead
        page.evaluate("""() => {
          window.waited = [];
          new MutationObserver(() => {
            for (const bar of document.querySelectorAll('[data-testid=stSkeleton]'))
              window.waited.push([location.pathname, bar.parentElement.outerHTML]);
          }).observe(document.body, { childList: true, subtree: true });
        }""")
        for name, (title, _) in list(PAGES.items())[1:]:
            page.get_by_role("link", name=title, exact=True).click()
            wait_for_link(page, f"/{name}", "load=sample")
        assert page.evaluate("window.waited") == []
    # No message has a path of the server.
    assert len(sent) > len(PAGES) and not [one for one in sent if os.fsencode(ROOT) in _bytes(one)]


def _bytes(frame):
    return frame.encode() if isinstance(frame, str) else frame


@pytest.fixture(scope="module")
def parts_address(tmp_path_factory):
    result = result_of_sample(tmp_path_factory.mktemp("result"), "model-a.json", why=True)
    with server([result], images=SAMPLE / "images") as running:
        yield running


def test_from_the_result_to_one_of_its_pages(page, parts_address, sample):
    visit(page, parts_address)
    assert "Result of 3 parts" in shown(page) and "60 pages, 939 regions, 11 labels, with scores" in shown(page)
    page.get_by_role("button", name="Go on to Models").click()
    row = page.locator(".models-table tbody tr").first
    row.get_by_text("n/a").first.wait_for()  # objects come last
    value, low, high, *_ = sample.bootstrap().figures["macro_f1"]
    assert all(score_text(number) in row.inner_text() for number in (value, low, high))
    settle(page)
    page.get_by_role("button", name="Errors of model-a").click()
    page.locator(".lcm-matrix table").first.wait_for()
    settle(page)
    worst = sample.page_table()
    rows = page.locator("table").last
    assert rows.get_by_text(worst["page"][0]).first.is_visible() and score_text(worst["f1"][0]) in rows.inner_text()
    page.locator(".lcm-matrix table tbody tr").nth(10).locator("td").first.click()  # Text read as Background
    thumbnail = page.locator(".st-key-clicked .thumbnails img").first
    thumbnail.wait_for()
    settle(page)
    behind, panel = sample.pages_behind("Text", "Background"), page.locator(".st-key-clicked").inner_text()
    assert f"{thin_spaced(behind['pixels'].sum())} px on {len(behind)} of 60 pages" in panel
    slack = sample.causes().values[0][sample.cell("Text", "Background")]
    assert f"slack {100 * slack / behind['pixels'].sum():.1f}" in panel.replace("\u00a0", " ")
    page.wait_for_function("one => one.complete && one.naturalWidth > 99", arg=thumbnail.element_handle())
    page.locator(".st-key-clicked .thumbnails button").first.click()
    wait_for_link(page, "/page", f"page={behind['page'][0]}")
    packed = page.get_by_text("Packed words").locator("xpath=..")
    packed.wait_for()
    pairs = sample.counts(page=behind["page"][0]).table()
    assert thin_spaced(pairs["pixels"][0]) in packed.inner_text()
