"""The page Ground truth: its numbers are those of the library, its files those of the command line."""

import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.tables.command_texts import label_errors_sentence
from layoutcm.ui.ground_truth import all_comparisons, candidates
from layoutcm.wording import score_text
from support.app_runner import (
    choose,
    coco,
    held_background,
    opened,
    opened_once,
    opened_unmapped,
    opened_with,
    problems,
    texts,
    uploaded,
)
from support.hostile import SCREEN
from support.layouts import build
from support.paths import ROOT, SAMPLE
from support.truth_files import ALMOST, GOOD, WRONG, write_files

NAMES = ("gt.json", "model-a.json", "model-c.json")


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """A gt with an error of each kind, and two predictions without them."""
    paths = write_files(tmp_path_factory.mktemp("planted"), gt=WRONG, good=GOOD, almost=ALMOST)
    gt = lcm.read(paths["gt"])
    errors = lcm.label_errors([lcm.compare(gt, lcm.read(paths[name], like=gt)) for name in ("good", "almost")])
    assert {"label", "missing", "spurious", "box"} == set(errors["kind"][:4]) and len(errors) >= 4
    return list(paths.values()), gt, errors


def opened_files(monkeypatch, paths, /, **parameters):
    app = opened_with(monkeypatch, [str(path) for path in paths], "ground_truth", **parameters)
    assert not app.exception and not problems(app), texts(app)
    return app


@pytest.fixture
def app(monkeypatch, planted):
    return opened_files(monkeypatch, planted[0])


def table(app):
    return next(frame.value for frame in app.dataframe if "suggested" in frame.value)


def press(app, name):
    app.button(key=f"candidate_{name}").click().run()
    assert not app.exception and not problems(app), texts(app)


def shown_change(app):
    return next(one.value for one in app.markdown if ", evidence 0." in one.value and "**" in one.value)


def test_on_a_large_set_candidates_are_found_in_the_background(monkeypatch):
    monkeypatch.setattr(all_comparisons, "MOST_PAGES", 5)
    finish = held_background(monkeypatch)
    app = opened("ground_truth", load="sample", rounding="nearest")  # not kept yet
    assert not app.exception and "Looking for probable errors … " in texts(app) and "probably wrong" not in texts(app)
    finish()
    app.run()
    assert not app.exception and "are probably wrong" in texts(app)


def test_numbers_and_order_are_those_of_the_library(app, planted):
    _, gt, errors = planted
    shown = table(app)
    assert shown["evidence"].tolist() == errors["evidence"].tolist()
    assert shown[["kind", "page"]].values.tolist() == errors[["kind", "page"]].values.tolist()
    for name in ("good", "almost"):
        assert shown[name].fillna("").tolist() == errors[f"{name}_label"].fillna("").tolist()
    assert label_errors_sentence(errors, len(gt.region_columns)) in texts(app)
    assert f"0 accepted, 0 dismissed of {len(errors)} candidates." in texts(app)
    assert "With one prediction" not in texts(app)
    first = errors.iloc[0]
    assert f"good.json: {first['good_label']} ({score_text(first['good_evidence'])} by itself)" in texts(app)
    assert f"page {first['page']}" in texts(app) and sum("<img" in one.proto.body for one in app.get("html")) == 1


def test_the_sample_has_the_candidates_of_three_predictions():
    app = opened_once("ground_truth", load="sample")
    gt = lcm.read(SAMPLE / "gt.json")
    mapping = {"model-b.csv": SAMPLE / "mapping.yaml"}
    read = lambda name: lcm.compare(gt, lcm.read(SAMPLE / name, like=gt), mapping=mapping.get(name))
    errors = lcm.label_errors([read(name) for name in ("model-a.json", "model-b.csv", "model-c.json")])
    assert table(app)["evidence"].tolist() == errors["evidence"].tolist() and len(errors) == 68
    assert "8 places of the ground truth, with 947 regions, are probably wrong" in texts(app)


def test_accept_dismiss_next_previous_and_undo(app, planted):
    errors = planted[2]
    press(app, "accepted")  # goes on to the next one
    assert score_text(errors["evidence"][1]) in shown_change(app)
    press(app, "dismissed")
    assert table(app)["decision"].tolist()[:3] == ["✓ accepted", "✗ dismissed", ""]
    assert "1 accepted, 1 dismissed of" in texts(app)
    press(app, "Previous")
    press(app, "accepted")  # another decision about the same one
    assert "2 accepted, 0 dismissed of" in texts(app)
    press(app, "undo")
    assert table(app)["decision"].tolist()[:3] == ["✓ accepted", "✗ dismissed", ""]
    press(app, "undo")
    press(app, "undo")
    assert not any(table(app)["decision"]) and app.button(key="candidate_undo").disabled
    assert score_text(errors["evidence"][0]) in shown_change(app)  # it went back to the candidate
    press(app, "Next")
    assert "page p" in texts(app) and not app.button(key="candidate_Previous").disabled


def test_decisions_belong_to_the_candidate_not_to_its_row(app, planted, monkeypatch):
    """With other predictions, and with filters, the same candidates stand in other rows."""
    kinds = planted[2]["kind"].tolist()
    press(app, "Next")
    press(app, "dismissed")
    app.session_state["chosen_candidate"] = ""
    app.pills(key="truth_error_kinds").set_value([kinds[1]]).run()
    assert table(app)["decision"].tolist()[0] == "✗ dismissed" and kinds[1] in table(app)["kind"].tolist()
    app.switch_page("pages/errors.py").run()
    app.switch_page("pages/ground_truth.py").run()
    assert table(app)["decision"].tolist()[0] == "✗ dismissed"


def test_filters_by_kind_and_label(app, planted):
    errors = planted[2]
    app.pills(key="truth_error_kinds").set_value(["missing", "box"]).run()
    wanted = errors[errors["kind"].isin(["missing", "box"])]
    assert table(app)["evidence"].tolist() == wanted["evidence"].tolist()
    assert app.query_params["error_kinds"] == '["missing", "box"]'
    assert f"{len(wanted)} candidates after filtering" in texts(app)
    app.multiselect(key="truth_labels").set_value(["Text"]).run()
    wanted = wanted[(wanted["gt_label"] == "Text") | (wanted["suggested"] == "Text")]
    if len(wanted):
        assert table(app)["page"].tolist() == wanted["page"].tolist()
    else:
        assert "No candidate has these kinds and labels" in texts(app)
    app.pills(key="truth_error_kinds").set_value([]).run()
    wanted = errors[(errors["gt_label"] == "Text") | (errors["suggested"] == "Text")]
    assert table(app)["page"].tolist() == wanted["page"].tolist() and 0 < len(wanted) < len(errors)


def test_the_level_is_a_filter_too(monkeypatch, planted):
    app = opened_files(monkeypatch, planted[0], level="page", page="p0.png")
    assert set(table(app)["page"]) == {"p0.png"} and "1 candidate after filtering" in texts(app)


def record_files(patch):
    """{key of a button: (name of the file, function that makes it, whether it is disabled)}, filled in every run."""
    buttons = {}
    record = lambda label, data, name="", *_, key, **more: buttons.update({key: (name, data, more.get("disabled"))})
    patch.setattr(candidates.st, "download_button", record)
    return buttons


@pytest.fixture
def taken(monkeypatch):
    return record_files(monkeypatch)


# {what is taken: how many of the first candidates these are, in the command --top}; the first two are accepted, all
# after the third are dismissed.
TAKEN = {"all": None, "accepted": 2, "not dismissed": 3}
SUFFIXES = {"csv": ".csv", "label-studio": ".json", "cvat": ".xml"}


@pytest.fixture(scope="module")
def taken_files(planted):
    """{(what is taken, format): (name, content, whether the button is disabled)}, and the texts of the options."""
    paths, _, errors = planted
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        buttons = record_files(patch)
        app = opened_files(patch, paths)
        for k in range(len(errors)):
            press(app, "accepted" if k < 2 else "Next" if k == 2 else "dismissed")
        for which in TAKEN:
            app.radio(key="candidates_to_take").set_value(which).run()
            for to in SUFFIXES:
                name, make, disabled = buttons[f"take_{to}"]
                found[which, to] = (name, make(), disabled)
    return found, app.radio(key="candidates_to_take").options


@pytest.mark.parametrize("which", TAKEN)
@pytest.mark.parametrize("to", SUFFIXES)
def test_files_are_those_of_the_command(taken_files, tmp_path, planted, which, to):
    paths, _, errors = planted
    target = tmp_path / f"errors{SUFFIXES[to]}"
    main(["label-errors", *map(str, paths), "-o", str(target), "--top", str(TAKEN[which] or len(errors))])
    assert taken_files[0][which, to] == (f"label-errors{SUFFIXES[to]}", target.read_bytes(), False)


def test_the_options_say_how_many_candidates_are_taken(taken_files, planted):
    assert taken_files[1] == [f"all ({len(planted[2])})", "accepted (2)", "not dismissed (3)"]


def test_without_an_accepted_candidate_there_are_no_tasks(taken, app):
    app.radio(key="candidates_to_take").set_value("accepted").run()
    assert [taken[f"take_{to}"][2] for to in ("csv", "label-studio", "cvat")] == [False, True, True]
    assert taken["take_csv"][1]().decode().count("\n") == 1  # the names of the columns


def test_one_prediction_is_called_weak_evidence(monkeypatch, planted):
    app = opened_files(monkeypatch, planted[0][:2])
    gt = planted[1]
    errors = lcm.label_errors(lcm.compare(gt, lcm.read(planted[0][1], like=gt)))
    assert table(app)["evidence"].tolist() == errors["evidence"].tolist()
    assert "Two or more predictions" in texts(app)


def test_without_candidates_the_page_says_so(monkeypatch, planted):
    app = opened_files(monkeypatch, [planted[0][0]] * 2)
    assert f"No region of the ground truth is probably wrong, of {len(WRONG)} regions." in texts(app)
    assert not any("suggested" in frame.value for frame in app.dataframe)
    shown = next(frame.value for frame in app.dataframe if "kappa" in frame.value)
    assert shown[["observed", "kappa", "alpha"]].values.tolist() == [[1, 1, 1]]


def test_a_broken_prediction_is_named_and_left_out(monkeypatch, tmp_path, planted):
    broken = tmp_path / "broken.json"
    broken.write_text('{"images": [')
    app = opened_with(monkeypatch, [*planted[0], broken], "ground_truth")
    for pred in 0, 1, 2:  # the sidebar may have chosen it
        choose(app, pred=pred)
        app.run()
        assert not app.exception and len(app.warning) == 1 and "broken.json is left out" in texts(app)
        assert table(app)["evidence"].tolist() == planted[2]["evidence"].tolist()


def test_a_prediction_with_other_labels_is_named_and_left_out(monkeypatch):
    app = opened_unmapped(monkeypatch, "ground_truth")
    assert not app.exception and "its labels are not those of gt" in texts(app) and "Map them on the page" in texts(app)
    assert "There is no agreement" in texts(app)


def test_a_broken_ground_truth_is_an_error_message(monkeypatch, tmp_path):
    (tmp_path / "gt.json").write_text("{")
    app = opened_with(monkeypatch, [tmp_path / "gt.json", SAMPLE / "gt.json"], "ground_truth")
    assert not app.exception and len(app.warning) == 1 and "gt.json" in texts(app)


def test_agreement_is_that_of_the_library(monkeypatch):
    files = [SAMPLE / name for name in NAMES]
    app = opened_files(monkeypatch, files)
    shown = next(frame.value for frame in app.dataframe if "kappa" in frame.value)
    layouts = [lcm.read(files[0])]
    layouts += [lcm.read(file, like=layouts[0]) for file in files[1:]]
    wanted = [lcm.compare(layouts[0], other).agreement() for other in layouts[1:]] + [lcm.agreement(layouts)]
    assert shown[["observed", "kappa", "alpha"]].to_dict("records") == wanted
    assert shown["layouts"].tolist() == [
        "ground truth and model-a.json", "ground truth and model-c.json", "all 3 together",
    ]  # fmt: skip


def test_large_sets_are_compared_with_each_other_on_a_click(monkeypatch, app):
    monkeypatch.setattr(all_comparisons, "MOST_PAIRS_OF_PAGES", 100)
    app.run()
    shown = lambda: next(frame.value for frame in app.dataframe if "kappa" in frame.value)
    assert len(shown()) == 2
    assert app.button(key="agreement_of_all").label.startswith("Compare all 3 layouts with each other (180 pairs")
    app.button(key="agreement_of_all").click().run()
    assert len(shown()) == 3 and not any("Compare all 3" in one.label for one in app.button)


def test_without_a_truth_there_are_a_and_b_and_nothing_is_wrong(monkeypatch):
    files = [SAMPLE / name for name in NAMES]
    app = opened_files(monkeypatch, files)
    app.segmented_control(key="truth_truth").set_value(False).run()
    assert not app.exception and not problems(app) and app.query_params["truth"] == "False"
    gt = lcm.read(files[0])
    compared = lcm.compare(gt, lcm.read(files[1], like=gt), truth=False)
    said = texts(app)
    assert "A (gt.json) and B (model-a.json) have the same labels on" in said
    shown = next(frame.value for frame in app.dataframe if "kappa" in frame.value)
    assert shown["layouts"].tolist()[:2] == ["gt.json and model-a.json", "gt.json and model-c.json"]
    for word in ("probably wrong", "recall", "missed", "Accept", "ground truth and"):
        assert word not in said
    review = next(frame.value for frame in app.dataframe if "share" in frame.value)
    assert review["page"].tolist() == compared.pages_to_review()["page"].head(len(review)).tolist()
    labels = next(frame.value for frame in app.dataframe if "a_pixels" in frame.value)
    assert labels["label"].tolist() == [label for label in gt.labels if label in labels["label"].tolist()]
    # A link has it, too.
    assert "A (gt.json) and B" in texts(opened_files(monkeypatch, files, truth="False"))


def test_only_the_first_rows_are_in_the_table(monkeypatch, taken, app, planted):
    monkeypatch.setattr(candidates, "ROWS_SHOWN", 2)
    app.run()
    assert len(table(app)) == 2 and "the first 2 are in the table, files have all" in texts(app)
    press(app, "Next")
    assert app.button(key="candidate_Next").disabled
    assert taken["take_csv"][1]().decode().count("\n") == len(planted[2]) + 1


def test_names_are_shown_as_typed():
    boxes = [(k % len(SCREEN), [5 * k, 0, 4, 4]) for k in range(9)]
    gt = ("gt.json", coco(SCREEN, boxes))
    pred = ("$pred$ *x*.json", coco(SCREEN, [*boxes[:-1], (1, [20, 20, 8, 8])]))
    app = uploaded(gt, pred, page="ground_truth")
    assert not app.exception and not problems(app) and "$pred$ *x*.json" in texts(app)


def test_nothing_loaded_and_pages_without_common_names(monkeypatch, tmp_path):
    assert "Nothing to show yet" in texts(opened("ground_truth"))
    for name, pages in (("gt", ("alpha.png", "beta.png")), ("other", ("gamma.png", "delta.png"))):
        rows = [(page, "Text", 0, 0, 20, 20) for page in pages]
        lcm.write(build(dict.fromkeys(pages, (50, 50)), rows, name=name), "coco", tmp_path / f"{name}.json")
    files = [str(tmp_path / f"{name}.json") for name in ("gt", "other")]
    app = opened_with(monkeypatch, files, "ground_truth")
    assert not app.exception and "no page of pred is a page of gt" in texts(app)
