"""One run of the dashboard: installs the pages, draws sidebar and bar, runs the current page."""

from __future__ import annotations

from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.scriptrunner import StopException

from layoutcm.ui.server import visitors
from layoutcm.ui.shared import downloads, page_shell, sidebar, take_away, top_bar, warm_up
from layoutcm.ui.state import address


def run_dashboard() -> None:
    page = page_shell.install_pages()
    with page_shell.routing():
        warm_up.start_warm_up()
        visitors.start_run()
        address.start_session()
        address.follow_address(page.url_path)
        page_shell.apply_style()
        with warm_up.preload_browser():
            page_shell.guard(sidebar.show_sidebar)
            page_shell.guard(top_bar.show_bar)
            _run_page(page)
        take_away.show_dialog()
        page_shell.end_run()


def _run_page(page: StreamlitPage) -> None:
    """Run the page; one that stops early, because there is nothing to show, still has the dialog."""
    downloads.forget_offers()
    try:
        page_shell.guard(page.run)
    except StopException:
        return
