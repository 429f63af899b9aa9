"""The dashboard's entry: installs the pages, draws the bar that stays, runs the page."""

from layoutcm.ui import link, page_frame, router, sidebar, warm_up

page = router.navigation()
with router.routed():
    warm_up.start()
    link.start_session()
    link.follow_address(page.url_path)
    page_frame.style()
    with warm_up.parts_loading():
        page_frame.guarded(sidebar.show)
        page_frame.guarded(page.run)
    link.write_link()
