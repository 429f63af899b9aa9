"""The script that Streamlit runs: installs the pages, draws the sidebar, runs the current page."""

from layoutcm.ui import link, page_frame, router, sidebar, warm_up

page = router.navigation()
with router.routing():
    warm_up.start_warm_up()
    link.start_session()
    link.follow_address(page.url_path)
    page_frame.apply_style()
    with warm_up.preload_browser():
        page_frame.guard(sidebar.show_sidebar)
        page_frame.guard(page.run)
    link.write_link()
