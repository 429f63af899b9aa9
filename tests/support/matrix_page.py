"""A page that has only a matrix, drawn by the scripts that dashboard and report share."""

import json
import re
from contextlib import contextmanager

import numpy as np
from axe_playwright_python.sync_playwright import Axe

from layoutcm.drawing import web

SECURITY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
VIEWS = ("pixels", "recall", "precision", "f1")


def page_of(data):
    """The HTML of a page with this matrix; `sent` has what was reported, `took` the milliseconds of drawing."""
    text = json.dumps(data).replace("<", "\\u003c")
    paper = "#0e1117" if data["theme"] == "dark" else "#ffffff"
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>matrix</title>
<meta http-equiv="Content-Security-Policy" content="{SECURITY}">
<style>body {{ background: {paper}; margin: 12px; }} {web.style("matrix")}</style></head>
<body><main><div id="matrix"></div></main><script>"use strict";
{web.script("text", *web.PARTS["matrix"])}
const data = {text}, sent = [], root = document.getElementById("matrix"), started = performance.now();
show_matrix(root, data, (name, picked) => sent.push([name, picked]));
const took = performance.now() - started;</script></body></html>"""


@contextmanager
def drawn(browser, data, width=1100):
    """A page with the matrix; it must neither raise an error nor open a dialog nor request anything."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", lambda request: problems.append(request.url))
    page.set_content(page_of(data))
    yield page
    page.close()
    assert not problems


def cells(page, n=0):
    """For every row the (text, background, aria-label) of its cells."""
    return page.evaluate(
        "(n) => [...document.querySelectorAll('table')[n].tBodies[0].rows].map((row) => [...row.querySelectorAll('td')]"
        ".map((cell) => [cell.textContent, cell.style.background, cell.getAttribute('aria-label')]))",
        n,
    )


def computed(page, n=0):
    """{view: float64[rows, columns]} as the script computed it for the drawn rows and columns; nan for null."""
    found = page.evaluate("(n) => MATRICES.get(root).drawn[n].views", n)
    return {view: np.array(found[view], float) for view in VIEWS}


def headers(page, kind):
    return [one.strip("▸▾") for one in page.locator(f"table >> nth=0 >> th.{kind}").all_text_contents()]


def serious_violations(page, within):
    """What axe-core finds inside an element: the rules with a serious or critical impact, and where."""
    found = Axe().run(page, context=within)
    return [
        (rule["id"], node["html"][:200])
        for rule in found.response["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def colour_of(text):
    """(r, g, b) of a CSS colour; None for none."""
    return tuple(map(int, re.findall(r"\d+", text)[:3])) if text else None
