"""What all pages share, in a real browser: the menu is right from the first paint on, and nothing jumps."""

from layoutcm.ui.router import PAGES
from support.browser import server, settle, tab, visit

MENU = [title for title, _ in PAGES.values()]
# Notes every menu that is ever on the screen, and every layout shift that no input of the visitor explains.
WATCH = """
window.menus = []; window.shifts = [];
const look = () => {
  const links = [...document.querySelectorAll('[data-testid=stSidebarNavLink]')].map((link) => link.innerText.trim());
  const last = window.menus.at(-1);
  if (links.length && JSON.stringify(links) !== JSON.stringify(last)) window.menus.push(links);
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
const name = (node) => node?.closest?.('[class*=st-key-],[data-testid]')?.outerHTML.slice(0, 160) ?? String(node);
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput)
      window.shifts.push([entry.value, ...entry.sources.map((one) => name(one.node))]);
}).observe({ type: 'layout-shift', buffered: true });
"""


def names_in(menus):
    """The titles in menus, without the names of icons, which are text, too."""
    return [[next((title for title in MENU if text.endswith(title)), text) for text in menu] for menu in menus]


def test_a_cold_deep_link_never_shows_a_raw_menu(browser):
    with (
        server() as fresh,
        browser.new_context(viewport={"width": 1400, "height": 900}) as context,
        tab(context) as page,
    ):
        page.add_init_script(WATCH)
        visit(page, f"{fresh}/errors?load=sample")
        page.wait_for_selector(".lcm-matrix table", timeout=30_000)
        settle(page)
        assert names_in(page.evaluate("window.menus")) == [MENU]
