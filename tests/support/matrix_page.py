"""A page that has only a matrix, drawn by the scripts that dashboard and report share, and its numbers."""

import json
import re
from contextlib import contextmanager

import numpy as np
from axe_playwright_python.sync_playwright import Axe

from layoutcm.drawing import web
from layoutcm.metrics.bootstrap import Resampling
from layoutcm.metrics.scores import harmonic, ratio
from layoutcm.models.cell_differences import CellDifferences
from layoutcm.results.verdict import decide

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


def serious_violations(page, within, looked_at=()):
    """What axe-core finds inside an element: the rules with a serious or critical impact, and where.

    It must have looked at elements whose HTML has the texts `looked_at`.
    """
    found = Axe().run(page, context=within).response
    seen = str([node["html"] for rule in found["passes"] for node in rule["nodes"]])
    assert [part for part in looked_at if part not in seen] == []
    return [
        (rule["id"], node["html"][:200])
        for rule in found["violations"]
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def colour_of(text):
    """(r, g, b) of a CSS colour; None for none."""
    return tuple(map(int, re.findall(r"\d+", text)[:3])) if text else None


# So many labels of known families that a matrix opens in groups.
KNOWN_LABELS = ["Title", "Section-header", "Text", "List-item", "Table", "Picture", "Caption", "Formula", "Footnote",
                "Page-header", "Page-footer", "Paragraph", "Heading", "Figure", "Equation", "List", "Header", "Footer",
                "Reference", "Code", "Document-title", "Table-caption"]  # fmt: skip


def views_of(matrix, n=0):
    """{view: float64[rows, columns]} of one model."""
    model = matrix["models"][n]
    mass = np.array(model["mass"], float)
    precision_mass = mass if model["precision_mass"] is None else np.array(model["precision_mass"], float)
    recall = ratio(mass, np.array(model["gt_totals"], float)[:, None])
    precision = ratio(precision_mass, np.array(model["pred_totals"], float)[None, :])
    return {
        "pixels": mass,
        "recall": recall,
        "precision": precision,
        "f1": harmonic(recall, precision, precision_mass is not mass),
    }


def known_differences(values, low, high):
    """Differences of cells with these intervals, as if they were computed from eight documents."""
    labels = [f"label {k}" for k in range(len(values))]
    p = np.where(np.isnan(low), np.nan, 0.0)  # so that the intervals decide
    units, is_right = np.full(values.shape, 8), np.eye(*values.shape, dtype=bool)
    verdicts = np.full(values.shape, None)
    for place in np.ndindex(values.shape):
        numbers = (one[place].item() for one in (values, low, high, p, units))
        verdicts[place] = decide(*numbers, higher_is_better=is_right[place])
    return CellDifferences(labels, values, low, high, p, units, verdicts, Resampling("document", 8))


def cell_colours(page, within=""):
    """{"row-column": colour of the cell} of the cells that have one, and the text of each."""
    return page.evaluate(
        "(within) => Object.fromEntries([...document.querySelectorAll(within + ' td[data-cell]')]"
        ".map((cell) => [cell.dataset.cell, [cell.style.background || cell.style.backgroundColor, cell.textContent]]))",
        within,
    )
