"""The dashboard's entry: installs the pages, draws the bar that stays, runs the page."""

from layoutcm.ui import bar, panels, router, state, warm

page = router.navigation()
with router.routed():
    warm.start()
    state.start_session()
    state.follow_address(page.url_path)
    panels.style()
    with warm.parts_loading():
        panels.guarded(bar.show)
        panels.guarded(page.run)
    state.write_link()
