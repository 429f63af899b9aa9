"""The ranked pairs of the Objects page, on one small page whose pairs can be counted."""

import pandas as pd
import pytest

from layoutcm.ui.measures import object_tables
from support.app_runner import coco, opened, texts, upload

LABELS = ["a", "b"]


def table(app):
    return next(frame.value for frame in app.dataframe if "outcome" in frame.value)


@pytest.fixture
def app():
    """a is found once and missed once, b is invented."""
    gt = ("gt.json", coco(LABELS, [(0, [0, 0, 10, 10]), (0, [20, 0, 10, 10])]), "application/json")
    pred = (
        "pred.json",
        coco(LABELS, [(0, [0, 0, 10, 9]), (1, [0, 20, 9, 9]), (0, [40, 30, 9, 9])]),
        "application/json",
    )
    app = upload(opened(), gt, pred)
    app.session_state["ranked_pairs_open"] = True
    app.switch_page("pages/measures.py").run()
    assert not app.exception and not app.error, texts(app)
    return app


def test_pairs_are_shown_with_their_counts(app):
    assert table(app)["outcome"].tolist() == ["tp", "fp", "fn", "fp"]
    assert table(app)["label"].tolist() == ["a", "a", "a", "b"]
    shown = texts(app).replace("\u00a0", " ").replace("\u202f", " ")
    assert "True positives: 1 of 3 predictions. False positives: 2. False negatives: 1 of 2 objects" in shown
    assert "pairing:coco" in texts(app) and "The first" not in texts(app)
    ranked, joint = app.session_state["offers"]["pairs"]
    assert ranked.file == "ranked_pairs-pred-coco" and ranked.table().data["outcome"].tolist() == [
        "tp",
        "fp",
        "fn",
        "fp",
    ]
    assert joint.title == "All pairs of one label" and len(joint.table().data) == 4  # two of gt x two of pred


def test_pairing_and_outcomes_can_be_chosen(app):
    app.segmented_control(key="bar_pairing").set_value("ranked")
    app.multiselect(key="bar_outcomes").set_value(["fp"]).run()
    assert not app.exception and "pairing:ranked" in texts(app)
    assert table(app)[["label", "gt"]].astype(object).values.tolist()[0] == ["a", 1]  # IoU 0, but nothing else is free
    assert table(app)["outcome"].tolist() == ["fp", "fp"]
    assert "ranked" in app.query_params["pairing"] and '["fp"]' in app.query_params["outcomes"]


def test_only_the_first_rows_are_shown(monkeypatch, app):
    monkeypatch.setattr(object_tables, "ROWS_SHOWN", 2)
    app.run()
    assert len(table(app)) == 2 and "The first 2 of 4 rows; the file has all of them." in texts(app)


def test_nothing_is_made_while_it_is_closed_and_nonsense_is_ignored():
    closed = opened("measures", load="sample", pairing="best", outcomes='["nix"]')
    assert not closed.exception and not any("outcome" in frame.value for frame in closed.dataframe)


def test_without_common_labels_the_page_says_why():
    app = opened("measures", load="sample", taxonomy="different")
    assert not app.exception and "there are no pairs of one label" in texts(app)


def test_rows_are_chosen_by_label_and_outcome():
    pairs = pd.DataFrame({"label": ["a", "a", "b"], "outcome": ["tp", "fn", "fn"]})
    assert object_tables.chosen_pairs(pairs, (), ()).equals(pairs)
    assert object_tables.chosen_pairs(pairs, ("a",), ("fn",)).index.tolist() == [1]
