"""The Models page: one, two and three predictions, few documents, no truth, a broken file; numbers of the library."""

import json
import re

import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.filling.result_parts import curves_part
from layoutcm.results.measures import MEASURES, Measure
from layoutcm.tables.leaderboard_tables import best_sentence
from layoutcm.tables.matrix_views import agreement_sentence
from layoutcm.tables.score_tables import gain_sentence
from layoutcm.ui.models import predictions
from layoutcm.wording import difference_text, score_text
from support.app_runner import (
    coco,
    held_background,
    model_row,
    models_table,
    opened,
    opened_once,
    opened_with,
    problems,
    texts,
)
from support.comparisons import compare_sample
from support.hostile import SCREEN
from support.paths import SAMPLE

NAMES = ["model-a.json", "model-b.csv", "model-c.json"]


@pytest.fixture(scope="module")
def compared():
    """The three predictions as the dashboard compares them: the mapping is for model B only."""
    gt = lcm.read(SAMPLE / "gt.json")
    mapping = {"model-b.csv": SAMPLE / "mapping.yaml"}
    return {name: lcm.compare(gt, lcm.read(SAMPLE / name, like=gt), mapping=mapping.get(name)) for name in NAMES}


@pytest.fixture(scope="module")
def board(compared):
    return lcm.leaderboard(compared)


def start_with(monkeypatch, *files):
    return opened_with(monkeypatch, files, "models")


def titles_of(app):
    """The headings of the table, each with the small line below it."""
    cells = re.findall(r'<th scope="col">(.*?)</th>', models_table(app))
    return [re.sub(r" ?<small>(.*)</small>", r" \1", cell) for cell in cells]


def subheaders(app):
    return [one.value for one in app.subheader]


def test_the_first_sentence_and_all_figures_are_those_of_the_library(board):
    app = opened_once("models", load="sample")
    assert not app.exception and not problems(app)
    assert best_sentence(board) in texts(app).replace("**", "")
    assert "no difference shown" in best_sentence(board) and "30 documents" in best_sentence(board)
    for row in board.table.to_dict("records"):
        shown = model_row(app, row["model"])
        for figure in ("micro_f1", "macro_f1", "content_f1"):
            ends = " – ".join(score_text(row[f"{figure}_{end}"]) for end in ("low", "high"))
            assert f'<td>{score_text(row[figure])}<small class="ends">{ends}</small></td>' in shown
        objects = board.figures(row["model"])
        assert f"<td>{score_text(objects['objects.pq'])}</td>" in shown
        assert ("n/a" in shown) == (objects["objects.ap"] is None)
        assert row["verdict"] in shown
        if row["verdict"] != "baseline":
            ends = " to ".join(difference_text(row[f"difference_{end}"]) for end in ("low", "high"))
            assert f"<td>{difference_text(row['difference'])}," in shown and ends in shown
    assert "1: The prediction has no scores" in models_table(app)
    order = [models_table(app).index(f">{name}</th>") for name in board.models]
    assert order == sorted(order)


def test_another_baseline(board):
    app = opened("models", load="sample", baseline="2")
    assert "baseline" in model_row(app, "model-c.json") and "worse" in model_row(app, "model-b.csv")
    other = board.against("model-c.json").table.set_index("model")
    assert f"{difference_text(other.loc['model-a.json', 'difference'])}," in model_row(app, "model-a.json")
    app.selectbox(key="models_baseline").set_value(1).run()
    assert "better" in model_row(app, "model-a.json") and app.session_state["choices"].baseline == 1


def test_classes_as_values_and_as_differences(board):
    app = opened_once("models", load="sample")
    figures = {chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec) for chart in app.get("plotly_chart")}
    assert set(figures) == {"model_classes", "threshold_curve", "model_causes", "model_slices"}
    assert [trace["name"] for trace in figures["model_classes"]["data"]] == ["hit", "numbers", "cells"]
    app = opened_once("models", load="sample", model_values="difference")
    charts = {chart.proto.id.rsplit("-", 1)[-1]: json.loads(chart.proto.spec) for chart in app.get("plotly_chart")}
    numbers = next(trace for trace in charts["model_classes"]["data"] if trace["name"] == "numbers")
    assert len(numbers["text"]) == 11 * 2  # without the baseline
    assert "grey is a difference that the test does not show" in texts(app)
    bars = {trace["name"]: trace["x"] for trace in figures["model_causes"]["data"]}
    causes = board.causes()
    assert bars["missed"] == pytest.approx(causes["missed"].tolist())


def test_the_best_threshold_is_applied_and_removed(compared):
    curves = curves_part(compared["model-a.json"].score_curves())
    app = opened("models", load="sample")
    assert gain_sentence(curves) in texts(app)
    app.button(key="apply_best").click().run()
    assert not app.exception and app.session_state["choices"].min_score == 0.4736
    assert app.button(key="apply_best").disabled
    cut = compare_sample(min_score=0.4736)
    assert f"<td>{score_text(cut.confusion().average('macro')['f1'])}<small" in model_row(app, "model-a.json")
    assert gain_sentence(curves) in texts(app)  # the curve still has all regions
    app.button(key="remove_threshold").click().run()
    assert app.session_state["choices"].min_score == 0


def test_a_threshold_of_one_label(compared):
    app = opened("models", load="sample", curve_label="Page-footer")
    gain = gain_sentence(curves_part(compared["model-a.json"].score_curves()), "Page-footer")
    assert gain in texts(app).replace("**", "")
    app.button(key="apply_best").click().run()
    assert not app.exception and app.session_state["choices"].label_scores == ("0.6824=Page-footer",)
    cut = compare_sample(min_score={"Page-footer": 0.6824})
    assert f"<td>{score_text(cut.confusion().average('macro')['f1'])}<small" in model_row(app, "model-a.json")
    assert "score of Page-footer ≥ 0.6824" in texts(app)
    app.button(key="chip_score_Page-footer").click().run()
    assert app.session_state["choices"].label_scores == ()


def test_the_pages_on_which_the_predictions_differ_most(board):
    shown = opened_once("models", load="sample").dataframe[-1].value
    assert shown["page"].tolist() == board.pages()["page"].tolist()
    assert shown["f1: model-c.json"].tolist() == pytest.approx(board.pages()["f1: model-c.json"].tolist(), nan_ok=True)
    shown = opened_once("models", load="sample", differ="document").dataframe[-1].value
    assert shown["document"].tolist() == board.documents()["document"].tolist()


def test_a_prediction_without_scores_leads_to_one_with_scores():
    app = opened("models", load="sample", pred="2")
    assert "model-c.json has no scores" in texts(app) and not any(one.key == "apply_best" for one in app.button)
    app.button(key="curve_of_0").click().run()
    assert app.session_state["choices"].pred == 0 and "Apply 0.4736 to all labels" in texts(app)


def test_one_prediction_has_nothing_that_compares(monkeypatch, compared):
    app = start_with(monkeypatch, SAMPLE / "gt.json", SAMPLE / "model-a.json")
    assert not app.exception and "model-a.json finds 96.9 % of content pixels" in texts(app).replace("**", "")
    titles = ["Largest confusions", "Score threshold", "Causes of errors", "Slices of pages"]
    assert subheaders(app) == titles
    found = compared["model-a.json"].bootstrap().figures["macro_f1"]
    assert " – ".join(map(score_text, found[1:3])) in model_row(app, "model-a.json")
    assert "verdict" not in models_table(app) and "baseline" not in models_table(app)
    assert not any(one.key == "models_baseline" for one in app.selectbox)


def test_a_broken_prediction_is_a_row_with_its_message(monkeypatch, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"images": [')
    files = [SAMPLE / "gt.json", broken, SAMPLE / "model-a.json", SAMPLE / "model-c.json"]
    app = start_with(monkeypatch, *files)
    assert not app.exception and not problems(app)
    assert "colspan" in model_row(app, "broken.json") and "colspan" not in model_row(app, "model-a.json")
    assert "baseline" in model_row(app, "model-a.json")  # instead of the broken one, which is the first
    assert "of 2 predictions" in texts(app) and "The chosen prediction cannot be compared" in texts(app)
    only = start_with(monkeypatch, SAMPLE / "gt.json", broken)
    assert not only.exception and [one.value for one in problems(only)] == ["No prediction can be compared."]
    assert "colspan" in model_row(only, "broken.json")


@pytest.fixture
def another_measure():
    """A measure that has one entry in the list and nothing else."""
    more = Measure(name="test.share", title="test share", value=lambda result: 0.25)
    MEASURES.append(more)
    yield
    MEASURES.remove(more)


def with_boxes(tmp_path, *widths):
    """A ground truth with a box 20 pixels wide, and predictions of it."""
    paths = [tmp_path / name for name in ("gt.json", "good.json", "bad.json")][: 1 + len(widths)]
    for path, width in zip(paths, (20, *widths)):
        path.write_bytes(coco(["a"], [(0, [0, 0, width, 20])]))
    return paths


@pytest.mark.parametrize("widths", [(18,), (18, 7)])
def test_a_measure_of_the_list_has_a_column(monkeypatch, tmp_path, another_measure, widths):
    app = start_with(monkeypatch, *with_boxes(tmp_path, *widths))
    assert titles_of(app)[7] == "test share pixels"
    assert model_row(app, "good.json").count("<td>0.250</td>") == 1


def test_a_measure_that_is_not_in_the_list_has_none(monkeypatch, tmp_path):
    app = start_with(monkeypatch, *with_boxes(tmp_path, 17, 6))
    assert "test share" not in models_table(app)
    assert "0.250" not in models_table(app)


def test_columns():
    titles = ["prediction", "micro F1 pixels", "macro F1 pixels", "content F1 pixels"]
    others = ["AP objects", "panoptic quality objects", "object F1 at IoU 0.50"]
    assert titles_of(opened_once("models", load="sample")) == [*titles, *others, "macro F1 minus model-a.json"]


def test_without_an_ap_objects_have_f1(monkeypatch, tmp_path):
    app = start_with(monkeypatch, *with_boxes(tmp_path, 16))
    assert "<td>0.800</td><td>1.000</td>" in model_row(app, "good.json")  # the IoU of a box 16 of 20 pixels wide; found


def test_few_documents_have_no_verdict(monkeypatch, tmp_path):
    app = start_with(monkeypatch, *with_boxes(tmp_path, 19, 8))
    assert not app.exception and "1 page of one document is too few to say whether" in texts(app)
    assert "good.json has the highest macro F1 of 2 predictions, 0.974" in texts(app).replace("**", "")
    assert "too few pages" in model_row(app, "bad.json")
    assert "n/a: fewer than 6 pages" in model_row(app, "good.json")


def test_names_and_labels_are_shown_as_typed(monkeypatch, tmp_path):
    paths = [tmp_path / name for name in ("gt.json", "<b>one.json", "$x$ two.json")]
    for path, width in zip(paths, (20, 19, 8)):
        path.write_bytes(coco(SCREEN, [(k, [0, 6 * k, width, 5]) for k in range(len(SCREEN))]))
    app = start_with(monkeypatch, *paths)
    assert not app.exception and "&lt;b&gt;one.json" in models_table(app) and "<b>" not in models_table(app)
    assert "<b>one.json has the highest" in texts(app).replace("**", "")


def test_without_a_truth_the_words_are_those_of_agreement(compared):
    app = opened_once("models", load="sample", truth="False", pred="2")
    assert not app.exception and not problems(app)
    gt = lcm.read(SAMPLE / "gt.json")
    found = lcm.compare(gt, lcm.read(SAMPLE / "model-c.json", like=gt), truth=False)
    result = result_of(found, asked=Asked(parts=("agreement",)))
    assert agreement_sentence(result, found.confusion()) in texts(app)
    for value in found.agreement().values():
        assert f"<td>{score_text(value)}</td>" in model_row(app, "model-c.json")
    words = " ".join([*subheaders(app), models_table(app), *(one.value for one in app.main.markdown)]).lower()
    assert not any(word in words for word in ("truth", "recall", "missed", "better", "f1"))
    assert app.dataframe[-1].value["page"].tolist() == found.pages_to_review()["page"].head(200).tolist()


def test_on_a_large_set_slow_parts_are_made_in_the_background(monkeypatch):
    monkeypatch.setattr(predictions, "MOST_PAGES", 5)
    finish = held_background(monkeypatch)
    app = opened("models", load="sample", rounding="nearest")  # not kept yet
    charts = lambda: {chart.proto.id.rsplit("-", 1)[-1] for chart in app.get("plotly_chart")}
    assert charts() == {"model_classes"} and "no difference shown" in texts(app)
    assert all(f"{text} … " in texts(app) for text in ("Going through the scores", "Looking for causes", "slices"))
    finish()
    app.run()
    assert not app.exception and charts() == {"model_classes", "threshold_curve", "model_causes", "model_slices"}
    assert " … " not in texts(app)
