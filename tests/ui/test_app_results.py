"""A result of parts in the dashboard: its numbers are those of a comparison in memory, and what it lacks is said."""

import argparse
import json
import shutil

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.ui import launch
from layoutcm.ui.server import serving
from layoutcm.wording import score_text
from support.app_runner import choose, matrices, opened, opened_with, take_away, texts
from support.parts import result_of_sample
from support.paths import SAMPLE

FROM_PARTS = "of all pages are not counted from parts. On Errors and Measures, choose a document or a page with Filter"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def result(folder):
    return result_of_sample(folder, "model-a.json")


@pytest.fixture
def started(monkeypatch, result):
    """A function that opens the dashboard as `layoutcm app RESULT` does."""
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"files": [str(result)]}))
    return lambda page, **parameters: opened(page, load="start", **parameters)


def problems(app):
    return [one.value for one in (*app.error, *app.exception)]


def test_models_has_figures_intervals_and_a_reason_for_what_is_not_counted(started, sample):
    app = started("models")
    table = " ".join(one.proto.body for one in app.get("html"))
    assert not problems(app)
    figures = sample.bootstrap().figures
    for figure in ("macro_f1", "content_f1"):
        value, low, high, *_ = figures[figure]
        assert all(score_text(number) in table for number in (value, low, high))
    assert f"Objects {FROM_PARTS}" in table
    said = texts(app)
    assert "Causes were not counted. Compare the parts with --why." in said
    assert "Score curves were not counted. Compare the parts with --why." in said


def test_errors_of_all_pages_and_objects_of_a_document(started, sample):
    app = started("errors", gt_label="Text", pred_label="Background")
    (data,) = matrices(app)
    place = [sample.labels.index(label) for label in data["row_names"]]
    assert data["models"][0]["mass"] == sample.confusion().values[np.ix_(place, place)].tolist()
    assert not problems(app) and f"on {len(sample.pages_behind('Text', 'Background'))} of 60 pages" in texts(app)
    choose(app, counted="objects", gt_label="")
    app.run()
    assert not problems(app) and f"Objects {FROM_PARTS}" in texts(app)
    document = sample.documents[4]
    choose(app, level="document", document=document)
    app.run()
    assert not problems(app) and f"chosen:document {document}" in texts(app)
    found = sample.objects(document=document).confusion_at(0.5)
    assert np.sum(matrices(app)[0]["models"][0]["mass"]) == found.to_numpy().sum()


def test_measures_say_what_parts_do_not_have_and_show_a_document(started, sample):
    app = started("measures", measure="objects")
    for measure, what in (("objects", "Objects"), ("soft", "Soft scores"), ("centroids", "Centroids")):
        choose(app, measure=measure)
        app.run()
        assert not problems(app) and f"{what} {FROM_PARTS}" in texts(app)
    document = sample.documents[4]
    choose(app, measure="objects", level="document", document=document)
    app.run()
    assert not problems(app) and "not counted" not in texts(app)
    assert score_text(sample.objects(document=document).summary["AP"]) in [one.value for one in app.metric]


def test_ground_truth_and_take_it_away_say_what_there_is_not(started, monkeypatch, sample):
    app = started("ground_truth")
    assert not problems(app)
    assert "Probable errors of the ground truth are not looked for in parts." in texts(app)
    assert app.dataframe[0].value["kappa"].iloc[0] == pytest.approx(sample.agreement()["kappa"])
    app = take_away("errors", load="start")
    assert "There is no report of a result of parts." in texts(app) and not problems(app)


def test_a_choice_that_would_change_numbers_is_refused_until_it_is_removed(started):
    app = started("errors", min_score="0.5")
    assert "in a result of parts, the score threshold cannot be changed. Remove the choice in the bar" in texts(app)
    app.button(key="chip_min_score").click().run()
    assert not problems(app) and app.title[0].value == "Errors"


def test_pages_are_recounted(started):
    app = started("method")
    app.number_input(key="verify_pages").set_value(2).run()
    app.button(key="verify").click().run()
    assert not problems(app) and "All numbers that were compared agree" in app.success[0].value


def test_two_results_are_two_predictions(monkeypatch, folder, result, sample):
    other = result_of_sample(folder, "model-c.json")
    app = opened_with(monkeypatch, [result, other], "models")
    gt = lcm.read(SAMPLE / "gt.json")
    against = lcm.compare(gt, lcm.read(SAMPLE / "model-c.json", like=gt))
    board = lcm.leaderboard({"a": sample, "c": against})
    table = " ".join(one.proto.body for one in app.get("html"))
    row = board.table.set_index("model").loc["c"]
    assert not problems(app) and score_text(row["macro_f1"]) in table and row["verdict"] in table


def test_a_result_of_the_data_folder(monkeypatch, folder, result):
    monkeypatch.setenv("LAYOUTCM_APP", json.dumps({"data": str(folder)}))
    app = opened()
    app.multiselect(key="folder_results").set_value([f"{result.name}/"]).run()
    next(one for one in app.button if one.label == "Open these results").click().run()
    assert not problems(app) and app.session_state["choices"].load == f"{result.name}/"
    assert f"Result of 3 parts** &ensp; {result.name}" in texts(app)


def test_what_the_command_refuses(tmp_path, result):
    serve = lambda *files: launch.check_files([str(file) for file in files])
    serve(result)
    with pytest.raises(lcm.InputError, match="a result of compare-parts has both sides"):
        serve(result, SAMPLE / "gt.json")
    (tmp_path / "plan.json").write_bytes((result / "plan.json").read_bytes())
    with pytest.raises(lcm.InputError, match="this comparison is not finished"):
        serve(tmp_path)
    options = argparse.Namespace(files=["s3://bucket/out"], data="", images="", trust=[], public=False)
    assert serving.settings_of(options)["files"] == ["s3://bucket/out"]


@pytest.mark.parametrize(("page", "file"), [("data", "total.json"), ("errors", "pages/part-00001.parquet")])
def test_a_damaged_file_is_a_message(monkeypatch, tmp_path, result, file, page):
    damaged = tmp_path / "damaged"
    shutil.copytree(result, damaged)
    (damaged / file).write_bytes((damaged / file).read_bytes()[:-40])
    app = opened_with(monkeypatch, [damaged], page)
    assert not app.exception
    assert "compare-parts again" in app.error[0].value.replace("\\", "")
