"""Read the files of a report back, and the files that a report must have."""

import json
from html.parser import HTMLParser

import numpy as np

from support.paths import SAMPLE

GT, MODEL_A, MODEL_B = (str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv"))
FIGURES = ["classes", "collapsed", "confusion", "f1", "precision", "recall"]
PAPER = ["averages", "confusions", "measures", "objects", *FIGURES]
KINDS = ("png", "svg", "pdf")
FILES = ["pages.csv", "pages.parquet", "ranked_pairs.csv", "report.html", "report.xlsx", "result.json"]
FILES += [f"figures/{name}.{kind}" for name in (*FIGURES, "curves") for kind in KINDS]
FILES += [f"tables/{name}.tex" for name in PAPER]
FAMILIES = {"Words": ["Text", "List-item", "Caption"], "Floats": ["Picture", "Table"]}


def files_in(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


class Scripts(HTMLParser):
    """The tags and scripts of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.inside, self.scripts = [], None, {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.inside = dict(attributes).get("id", "code") if tag == "script" else None

    def handle_data(self, text):
        if self.inside:
            self.scripts[self.inside] = self.scripts.get(self.inside, "") + text


def data_of(path):
    """The data in the HTML page of a report."""
    return json.loads(Scripts(path.read_text("utf-8")).scripts["data"])


def values(rows):
    """Rows of JSON as an array; null is nan."""
    return np.array(rows, float)
