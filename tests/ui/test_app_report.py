"""The dialog of "Take it away": previews and downloads."""

import json

from layoutcm.ui.parts import report_figures
from support.app_runner import choose, take_away, texts
from support.paths import SAMPLE


def downloads(app):
    return [element.label for element in app.get("download_button")]


def test_figures_and_tables_have_a_preview():
    app = take_away(load="sample")
    assert {"PNG", "SVG", "PDF", "CSV", "LaTeX"} <= set(downloads(app))
    for name in ("classes", "overlay", "difference"):
        app.selectbox(key="report_figure").set_value(name).run()
        assert not app.exception and not app.error, texts(app)
        assert app.selectbox(key="report_figure").value == name and len(app.get("image")) == 1
    app.selectbox(key="report_figure").set_value("curves").run()
    assert not app.exception and not app.error and len(app.get("image")) == 1
    app.selectbox(key="report_table").set_value("objects").run()
    assert not app.exception and "| Title | 32 |" in app.code[0].value
    app.selectbox(key="report_width").set_value("two").run()
    app.selectbox(key="report_table").set_value("classes").run()
    assert not app.exception and not app.error
    assert "| Caption | 118,110 |" in app.code[0].value


def test_a_figure_has_only_the_chosen_labels(monkeypatch, sample):
    drawn = []
    draw = report_figures.report_figure
    keep = lambda *args, **look: drawn.append(look["selection"]) or draw(*args, **look)
    monkeypatch.setattr(report_figures, "report_figure", keep)
    app = take_away(load="sample")
    choose(app, labels=("Table", "Picture"))
    app.run()
    assert not app.exception and [sample.labels[i] for i in drawn[-1].rows] == ["Background", "Picture", "Table"]


def test_each_prediction_of_a_difference_has_its_own_mapping():
    app = take_away(load="sample")
    app.selectbox(key="report_figure").set_value("models").run()
    assert not app.exception and app.selectbox(key="report_other").options == ["model-b.csv", "model-c.json"]
    assert len(app.get("image")) == 1 and "PDF" in downloads(app)  # model A has no mapping, model B has one


def test_two_predictions_are_drawn_as_their_difference(monkeypatch):
    files = [str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv")]
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": files}))
    app = take_away(load="start")
    app.selectbox(key="report_figure").set_value("models").run()
    assert not app.exception and app.selectbox(key="report_other").options == ["model-b.csv"]
    # Their labels differ, so there is nothing to draw or download.
    assert (
        any("different labels" in one.value for one in app.info)
        and not app.get("image")
        and "PDF" not in downloads(app)
    )
    choose(app, taxonomy="same")
    app.run()
    app.selectbox(key="report_figure").set_value("models").run()
    assert not app.exception and not app.error and len(app.get("image")) == 1 and "PDF" in downloads(app)


def test_the_report_is_downloaded_as_a_zip_or_file_by_file(monkeypatch):
    monkeypatch.setattr("layoutcm.report.report_files.FIGURE_FORMATS", ("svg",))
    app = take_away(load="sample")
    app.button(key="make_report").click().run()
    assert not app.exception and not app.error
    assert any("Everything as a zip" in label for label in downloads(app))
    members = app.selectbox(key="report_member")
    assert members.value == "report.html" and "figures/classes.svg" in members.options
    choose(app, method="tensor")
    app.run()
    assert any(button.key == "make_report" for button in app.button)  # another method, another report
