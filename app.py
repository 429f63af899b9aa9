"""The dashboard's entry: installs the pages, draws the bar that stays, runs the page."""

from layoutcm.ui import link, router, sidebar, warm_up
from layoutcm.ui.parts import panels

page = router.navigation()
with router.routed():
    warm_up.start()
    link.start_session()
    link.follow_address(page.url_path)
    panels.style()
    with warm_up.parts_loading():
        panels.guarded(sidebar.show)
        panels.guarded(page.run)
    link.write_link()
