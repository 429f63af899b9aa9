"""The dashboard under Streamlit's own test runner, and small COCO files to upload."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from functools import cache
from threading import Event

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from layoutcm.ui.server import background
from layoutcm.ui.shared.page_shell import SEVERE_ICON
from layoutcm.ui.state.choices import DEFAULTS, choices_in
from support.paths import ROOT, SAMPLE

# Streamlit looks through all installed packages for components whenever a test opens the app; that takes longer than
# the app itself.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


def opened(page="data", /, **parameters):
    """The dashboard on one of its pages, with URL parameters."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    for name, value in parameters.items():
        app.query_params[name] = value
    if page != "data":
        app.switch_page(f"pages/{page}.py")
    return app.run()


@cache
def opened_once(page="data", /, **parameters):
    """As `opened`, for tests that only look at it.

    What is shown of the sample is a snapshot: one visitor of each page goes from choices to choices.
    """
    if parameters.get("load") != "sample":
        return opened(page, **parameters)
    app = _visitor_of_sample(page)
    app.session_state["choices"] = replace(DEFAULTS, **choices_in(parameters))
    snapshot = copy(app.run())
    snapshot.session_state = app.session_state.to_dict()
    return snapshot


@cache
def _visitor_of_sample(page):
    return opened(page, load="sample")


def held_background(monkeypatch):
    """Hold everything that is made in the background; the returned function lets it run and waits for it."""
    release, threads = Event(), ThreadPoolExecutor(1)
    threads.submit(release.wait)
    monkeypatch.setattr(background, "_threads", threads)

    def finish():
        release.set()
        threads.submit(int).result()

    return finish


def in_popover(widgets, name):
    """The widget of a popover; its key ends with a number if something else has changed its value."""
    (found,) = (one for one in widgets if str(one.key).startswith(name))
    return found


def opened_with(monkeypatch, files, page="data", /, **parameters):
    """The dashboard as `layoutcm app FILES` opens it."""
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": [str(file) for file in files]}))
    return opened(page, load="start", **parameters)


def opened_unmapped(monkeypatch, page="data", /, **parameters):
    """The dashboard with model B of the sample, whose labels differ from those of gt and are not mapped."""
    return opened_with(monkeypatch, [SAMPLE / "gt.json", SAMPLE / "model-b.csv"], page, **parameters)


def take_away(page="data", /, **parameters):
    """The dashboard with the dialog of "Take it away" open."""
    app = opened(page, **parameters)
    return app.button(key="take_away").click().run()


def matrices(app):
    """The data of the matrices on the page."""
    return [json.loads(one.proto.json) for one in app.get("bidi_component") if '"row_names"' in one.proto.json]


def problems(app):
    """The errors on the page; severe findings on files, which look like errors, are not among them."""
    return [one for one in app.error if one.icon != SEVERE_ICON]


def metrics(app):
    """{label: value} of the metrics on the page, which has no error."""
    assert not app.exception and not problems(app), texts(app)
    return {metric.label: metric.value for metric in app.metric}


def figures(app):
    """The Plotly figures on the page."""
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def table_with(app, column):
    """The first table that has this column."""
    return next(frame.value for frame in app.dataframe if column in frame.value)


def button(app, label):
    """The button with this label, or None."""
    return next((one for one in app.button if one.label == label), None)


def models_table(app):
    """The HTML of the table of predictions on Models."""
    (found,) = [one.proto.body for one in app.get("html") if "<table" in one.proto.body]
    return found


def model_row(app, name):
    """The HTML of the row of one prediction on Models."""
    return next(row for row in models_table(app).split("<tr") if f">{name}</th>" in row)


def choose(app, **values):
    """Change choices as widgets do; `app.run()` shows them."""
    app.session_state["choices"] = replace(app.session_state["choices"], **values)


def texts(app):
    """All texts on the screen, joined."""
    kinds = (
        "title", "header", "expander", "subheader", "markdown", "caption", "error", "warning", "info", "metric",
        "button",
    )  # fmt: skip
    found = []
    for kind in (*kinds, "button"):
        for element in getattr(app, kind):
            found += [str(getattr(element, "value", "")), str(getattr(element, "label", ""))]
    # Remove Markdown escapes, which a user does not see.
    return re.sub(r"\\([^A-Za-z0-9\s])", r"\1", " ".join(found))


def coco(labels, boxes):
    """The bytes of a COCO file with one page; `boxes` are (label number, bbox)."""
    return json.dumps({
        "images": [{"id": 1, "width": 50, "height": 40, "file_name": "p1.png"}],
        "categories": [{"id": i + 1, "name": name} for i, name in enumerate(labels)],
        "annotations": [
            {"id": i, "image_id": 1, "category_id": label + 1, "bbox": box} for i, (label, box) in enumerate(boxes)
        ],
    }).encode()  # fmt: skip


def drop(app, *files):
    """Drop files, (name, bytes) each, into the one drop zone of the page Data."""
    (zone,) = [one for one in app.file_uploader if str(one.key).startswith("drop_")]
    zone.set_value([(name, data, "application/octet-stream") for name, data in files]).run()
    return app


def on_data(app):
    """The page Data, which the app leaves by itself when all is well."""
    return app.switch_page("pages/data.py").run()


def uploaded(gt, pred, page="data"):
    """The dashboard on a page after dropping two files, (name, bytes) each."""
    return drop(opened(), gt, pred).switch_page(f"pages/{page}.py").run()
