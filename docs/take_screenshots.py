"""Take the screenshots of the dashboard for the README, light and dark, with the sample: `make screenshots`."""

import sys
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from support.browser import SETTLED, chromium, visit  # noqa: E402  (the browser and the server of the tests)
from support.servers import server  # noqa: E402

VIEWS = {
    "data": "?load=sample",
    "models": "models?load=sample",
    "errors": "errors?load=sample&gt_label=Caption&pred_label=Text",
    "page": "page?load=sample&page=report-1_p3.png&gt_label=Table&pred_label=Picture",
}


def main():
    with server() as address, chromium() as browser:
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": 1400, "height": 900}, color_scheme=scheme)
            page = context.new_page()
            for name, link in VIEWS.items():
                visit(page, f"{address}/{link}")
                page.wait_for_selector(SETTLED)
                page.wait_for_timeout(2_500)
                target = HERE / "screenshots" / f"{name}-{scheme}.png"
                page.screenshot(path=target)
                # A palette makes the files small and keeps the text sharp.
                Image.open(target).convert("RGB").quantize(256).save(target, optimize=True)
                print(target.name, target.stat().st_size)
            context.close()


if __name__ == "__main__":
    main()
