"""One run of the dashboard: installs the pages, draws sidebar and bar, runs the current page."""

from __future__ import annotations

from layoutcm.ui import link, page_shell, router, sidebar, visitors, warm_up
from layoutcm.ui.parts import top_bar


def run_dashboard() -> None:
    page = router.install_pages()
    with router.routing():
        warm_up.start_warm_up()
        visitors.start_run()
        link.start_session()
        link.follow_address(page.url_path)
        page_shell.apply_style()
        with warm_up.preload_browser():
            page_shell.guard(sidebar.show_sidebar)
            page_shell.guard(top_bar.show_bar)
            page_shell.guard(page.run)
        link.write_link()
