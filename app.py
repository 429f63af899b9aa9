"""The dashboard's entry: installs the pages, draws the bar that stays, runs the page."""

from layoutcm.ui import router, sidebar, state, warm_up
from layoutcm.ui.parts import panels

page = router.navigation()
with router.routed():
    warm_up.start()
    state.start_session()
    state.follow_address(page.url_path)
    panels.style()
    with warm_up.parts_loading():
        panels.guarded(sidebar.show)
        panels.guarded(page.run)
    state.write_link()
