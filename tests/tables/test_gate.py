"""`gate`: thresholds, drops from a baseline, noise, and the texts about them."""

import json

import pytest
from msgspec import structs

import layoutcm as lcm
from layoutcm.filling.reading import difference_of_results, intervals_of_result
from layoutcm.filling.result_of import MEASURED, Asked, result_of
from layoutcm.results.encoding import json_text
from layoutcm.results.result import filled
from layoutcm.tables.gate import gate_lines, gate_markdown
from support.comparisons import ROWS, compare_all_of_sample, compare_rows, compare_sample, different_labels, three_pages
from support.layouts import build
from support.results import full_result

GOOD = [ROWS] * 12
ONE_BAD = [ROWS] * 11 + [2]
ALL_WORSE = [7, 8, 9] * 4
PASSES = "no difference shown, so it passes, although beyond the limit"


def stored(c):
    return lcm.load_result(result_of(c).to_json())


@pytest.fixture(scope="module")
def sample_result():
    return stored(compare_sample())


def only(gate):
    (check,) = gate.checks
    return check


def test_figures_are_those_of_the_comparison():
    c = compare_sample()
    figures, m, o = result_of(c, asked=Asked(parts=MEASURED)).figures, c.confusion(), c.objects()
    for kind in ("micro", "macro", "weighted"):
        for score in ("precision", "recall", "f1"):
            assert figures[f"{kind}.{score}"] == m.average(kind)[score]
            assert figures[f"with_background.{kind}.{score}"] == m.average(kind, background=True)[score]
            assert figures[f"over_pages.{kind}.{score}"] == c.average(kind, over="pages")[score]
    assert figures["content.recall"] == c.content()["recall"] and figures["right"] == m.right
    assert [figures[f"objects.{name}"] for name in ("ap", "ap50", "ap75", "ar")] == [o.ap, o.ap50, o.ap75, o.ar]
    assert figures["objects.f1"] == o.scores_at(0.5)["f1"]
    assert figures["soft.macro.dice"] == c.soft("macro")["dice"]
    table = m.classes().set_index("label")
    assert figures["class.Table.iou"] == table.loc["Table", "iou"]
    assert figures["class.Table.precision"] == table.loc["Table", "precision"] != table.loc["Table", "recall"]
    assert figures["class.Table.ap"] == o.per_class.set_index("label").loc["Table", "ap"]
    assert result_of(c).figures == figures
    assert "class.Background.f1" not in figures


def test_thresholds():
    """Recall is 0.8 exactly, precision is 1."""
    gate = lcm.gate(compare_rows([8] * 12), {"macro.recall": 0.8, "macro.precision": 1, "class.a.recall": 0.81})
    assert [check.passed for check in gate.checks] == [True, True, False]
    assert [check.value for check in gate.checks] == [0.8, 1, 0.8]
    assert not gate.passed and [check.figure for check in gate.short] == ["class.a.recall"]
    assert repr(gate) == "<Gate failed: class.a.recall>"
    assert list(gate.table["least"]) == [0.8, 1, 0.81]
    assert lcm.gate(compare_rows([8] * 12), "macro.recall=0.8\n class.a.recall = 0.79 ").passed


def test_a_threshold_inside_the_interval_is_remarked():
    check = only(lcm.gate(compare_rows(ALL_WORSE), "micro.recall=0.81"))
    assert (check.value, check.passed, check.remark) == (0.8, False, "its interval contains 0.81")
    assert check.low < 0.8 < check.high < 0.9


def test_what_is_not_defined_falls_short():
    gate = lcm.gate(different_labels(), ["macro.f1=0", "objects.ap=0", "class.a.f1=0", "content.recall=0.5"])
    assert [check.passed for check in gate.checks] == [False, False, False, True]
    assert gate.checks[0].remark == "n/a: it is not defined in this result"


def test_what_is_not_defined_in_the_baseline_passes_and_says_why():
    wrong = compare_rows(GOOD, label="b").alignment.layouts[1]
    no_labels = lcm.compare(compare_rows(GOOD).alignment.layouts[0], wrong, taxonomy="different")
    check = only(lcm.gate(compare_rows(GOOD), baseline=no_labels, max_drop={"macro.f1": 0}))
    assert (check.passed, check.least, check.baseline) == (True, None, None)
    assert check.remark == "n/a in the baseline, so there is nothing to compare it with, and it passes"


def test_a_drop_in_one_document_is_not_shown_and_passes_unless_strict():
    """One document of twelve finds 2 instead of 10 rows: recall drops from 1 to 0.933, but not in general."""
    good, bad = compare_rows(GOOD), compare_rows(ONE_BAD)
    check = only(lcm.gate(bad, baseline=good, max_drop={"micro.recall": 0.01}))
    assert check.baseline == 1 and check.least == 0.99 and check.value == pytest.approx(1 - 8 / 120)
    assert check.passed and check.low < -8 / 120 < 0 <= check.high
    assert check.remark.startswith("-0.067, interval ")
    assert f": {PASSES}; about 95 documents like these would show it" in check.remark
    strict = only(lcm.gate(bad, baseline=good, max_drop={"micro.recall": 0.01}, strict=True))
    assert not strict.passed and ": no difference shown, but every drop counts (strict)" in strict.remark
    assert lcm.gate(bad, baseline=good, max_drop={"micro.recall": 0.07}, strict=True).passed


def test_a_drop_in_all_documents_is_real():
    check = only(lcm.gate(compare_rows(ALL_WORSE), baseline=compare_rows(GOOD), max_drop={"class.a.recall": 0.1}))
    assert not check.passed and check.value == 0.8 and check.high < 0
    family = "corrected for the classes of this prediction alone (Holm)"
    assert check.remark.startswith("-0.200, interval ") and check.remark.endswith(f": worse, {family}")
    assert lcm.gate(compare_rows(ALL_WORSE), baseline=compare_rows(GOOD), max_drop={"class.a.recall": 0.2}).passed


def test_a_drop_that_a_leaderboard_does_not_show_passes():
    """Six documents, all worse: p is 2/64, but 4/64 for two labels. The interval is not corrected."""
    pages = {f"d{k}": (10, 20) for k in range(6)}
    columns = (("a", 0), ("b", 5))
    rows = lambda found: [(page, label, x, 0, x + 5, n) for page, n in zip(pages, found) for label, x in columns]
    gt, pred = (build(pages, rows(found), "ab", name, {page: page for page in pages})
                for found, name in ((GOOD, "gt"), (ALL_WORSE, "pred")))  # fmt: skip
    good, worse = lcm.compare(gt, gt), lcm.compare(gt, pred)
    check = only(lcm.gate(worse, baseline=good, max_drop={"class.a.recall": 0}))
    row = lcm.difference(good, worse).class_rows["a", "recall"]
    assert (row["p"], row["verdict"]) == (4 / 64, "no difference shown")
    assert check.passed and check.high < 0
    family = "corrected for the classes of this prediction alone (Holm)"
    corrected = "the interval is of this one alone, the verdict is corrected for 2 tests"
    passes = PASSES.replace(",", f", {family},", 1)
    assert check.remark.endswith(f": {passes}; a few more documents like these would show it; {corrected}")
    assert not only(lcm.gate(worse, baseline=good, max_drop={"micro.recall": 0})).passed  # one test


def test_one_number_is_for_the_headline_figures_and_those_with_a_threshold():
    gate = lcm.gate(compare_rows(GOOD), "class.a.iou=0.5", baseline=compare_rows(GOOD), max_drop=0.05)
    drops = [check for check in gate.checks if check.kind == "max_drop"]
    assert [check.figure for check in drops] == ["micro.f1", "macro.f1", "content.f1", "class.a.iou"]
    assert {check.least for check in drops} == {0.95}
    assert {check.least for check in lcm.gate(compare_rows(GOOD), baseline=compare_rows(GOOD)).checks} == {1}
    assert lcm.gate(compare_rows(GOOD), baseline=compare_rows(GOOD), max_drop="0.05").checks == tuple(drops[:3])


def test_a_bare_number_beside_others_is_for_all_figures_without_their_own():
    def allowed(max_drop):
        gate = lcm.gate(compare_rows(GOOD), "class.a.iou=0.5", baseline=compare_rows(GOOD), max_drop=max_drop)
        return {check.figure: check.least for check in gate.checks if check.kind == "max_drop"}

    others = {"micro.f1": 0.99, "macro.f1": 0.75, "content.f1": 0.99, "class.a.iou": 0.99, "class.a.f1": 0.5}
    assert allowed(["0.01", "macro.f1=0.25", "class.a.f1=0.5"]) == others
    assert allowed("macro.f1=0.25\nclass.a.f1=0.5\n0.01\n") == others
    assert allowed(["macro.f1=0.25"]) == {"macro.f1": 0.75}


def test_with_too_few_documents_every_drop_counts_and_it_is_said():
    gate = lcm.gate(compare_rows([10, 10, 9]), baseline=compare_rows([10, 10, 10]), max_drop={"micro.recall": 0.01})
    assert not gate.passed
    assert only(gate).remark == "-0.033; too few documents for a verdict, so every drop counts"
    assert gate.notes == ("3 documents are too few for intervals: at least 6 are needed.",)
    rough = lcm.gate(compare_rows(GOOD), "micro.f1=1")
    assert rough.notes == ("12 documents: with fewer than 20, intervals are rough.",)


def test_a_figure_without_an_interval_may_not_drop():
    check = only(lcm.gate(compare_rows(ONE_BAD), baseline=compare_rows(GOOD), max_drop={"objects.f1": 0}))
    assert not check.passed and check.remark.endswith("; it has no interval, so every drop counts")
    check = only(lcm.gate(compare_rows(ONE_BAD), baseline=compare_rows(GOOD), max_drop={"over_pages.macro.f1": 0}))
    assert not check.passed and check.remark.endswith("; it has no interval, so every drop counts")


def test_pages_of_one_document_are_the_units():
    def one_document(found):
        c = compare_rows(found, documents={f"d{k:02}": "all" for k in range(len(found))})
        assert c.documents == ["all"]
        return c

    gate = lcm.gate(one_document(ONE_BAD), baseline=one_document(GOOD), max_drop={"micro.recall": 0})
    assert gate.passed and f": {PASSES}; about 95 pages like these would show it" in only(gate).remark
    without = stored(one_document(GOOD))
    gate = lcm.gate(one_document(ONE_BAD), baseline=without, max_drop={"micro.recall": 0})
    assert not gate.passed and "the pages of the only one" in gate.notes[-1] and "--per-page" in gate.notes[-1]


def test_other_settings_documents_and_truths_are_noted(sample_result):
    good, other = compare_rows(GOOD), compare_rows(GOOD, gt_rows=11)
    gate = lcm.gate(good, baseline=other, max_drop=1, allow_severe=True)
    assert gate.passed and "Not paired with the baseline" in gate.notes[-1] and "gt pixels" in gate.notes[-1]
    gate = lcm.gate(good, baseline=compare_rows(GOOD[:-1], rounding="exact"), max_drop=0)
    assert "The baseline was made with other settings: rounding was exact, and is outer." in gate.notes
    assert "The baseline was made with other settings: pages was 11, and is 12." in gate.notes
    assert "its documents differ from those of the other result" in gate.notes[-1]
    model = sample_result
    changed = json.loads(json.dumps(model.data))
    changed["inputs"]["gt"]["sha256"] = "0" * 64
    assert "The baseline was made with another ground truth." in lcm.gate(model, baseline=changed).notes
    assert lcm.gate(model, baseline=model).notes == ()


def test_intervals_and_differences_are_those_of_the_comparison():
    comparisons = compare_all_of_sample()
    a, c = (comparisons[name] for name in "ac")
    own, expected = intervals_of_result(stored(a)), a.bootstrap()
    paired, difference = difference_of_results(stored(a), stored(c)), lcm.difference(a, c)
    for found, wanted in ((own, expected), (paired, difference)):
        for name, ends in wanted.figures.items():
            if "over_pages" not in name:
                assert found.figures[name] == pytest.approx(ends, abs=1e-12), name
        for score, ends in wanted.scores.items():
            assert found.scores[score] == pytest.approx(ends, abs=1e-12, nan_ok=True)
    check = only(lcm.gate(stored(a), baseline=stored(c), max_drop={"class.Table.f1": 0}))
    labels = lcm.difference(c, a).labels
    assert [check.low, check.high] == lcm.difference(c, a).scores["f1"][labels.index("Table"), 1:3].tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"fail_under": "macro.f2=0.8"}, "there is no figure 'macro.f2'. The closest are macro.f1,"),
        ({"fail_under": "class.Tabel.f1=0.8"}, "The closest are class.Table.f1,"),
        ({"fail_under": "zzzzzzzz=0.8"}, "Figures are named like micro.f1, macro.f1, content.f1, objects.ap"),
        ({"fail_under": "macro.f1"}, 'has no =. Write it like "macro.f1=0.8".'),
        ({"fail_under": "macro.f1=80"}, "'80' for 'macro.f1' is not a share. Figures are from 0 to 1: 80 % is 0.8."),
        ({"fail_under": {"macro.f1": None}}, "None for 'macro.f1' is not a share"),
        ({"fail_under": "macro.f1=nan"}, "is not a share"),
        ({"fail_under": ["macro.f1=0.9", "macro.f1=0.1"]}, "fail_under: 0.9 and 0.1 are both for 'macro.f1'"),
        ({"baseline": "here", "max_drop": "right=0\nright=1"}, "max_drop: 0 and 1 are both for 'right'"),
        ({}, "nothing is checked"),
        ({"max_drop": 0.1}, "there is no baseline to drop from"),
        ({"baseline": "here", "max_drop": "macro.f2=0.1"}, "there is no figure 'macro.f2'"),
        ({"baseline": "here", "max_drop": "much"}, "is not a share"),
        ({"baseline": "here", "max_drop": ["0.1", "0.2"]}, "max_drop: 0.1 and 0.2 are both for all figures"),
        ({"baseline": "here", "max_drop": []}, "nothing is checked"),
    ],
)
def test_wrong_arguments(arguments, words, sample_result):
    arguments = {name: sample_result if value == "here" else value for name, value in arguments.items()}
    with pytest.raises(lcm.InputError) as error:
        lcm.gate(sample_result, **arguments)
    assert words in str(error.value)


def test_a_file_of_several_results_is_refused(tmp_path):
    one = full_result(three_pages())
    file = tmp_path / "results.json"
    file.write_bytes(json_text([one, one]))
    with pytest.raises(lcm.InputError, match="the file has 2 results"):
        lcm.gate(str(file), "macro.f1=0")
    assert lcm.gate([one], "macro.f1=0").passed


def test_the_table_of_the_terminal():
    gate = lcm.gate(compare_rows([8] * 12), ["macro.recall=0.8", "macro.f1=0.9"], baseline=compare_rows(GOOD))
    lines = gate_lines(gate)
    assert lines[0] == "gate failed: 5 of 6 checks fell short"
    assert lines[2:5] == [
        "figure          value    limit  baseline     outcome  remark",
        "macro.f1        0.889  ≥ 0.900            fell short",
        "micro.f1        0.889  ≥ 1.000     1.000  fell short  -0.111, interval -0.111 to -0.111: worse",
    ]
    assert ["macro.recall", "0.800", "≥", "0.800", "passed"] in [line.split() for line in lines]
    assert lines[-1] == gate.result.recipe


def test_labels_in_the_markdown_are_escaped():
    """No label can add a column, a tag, a link or a reference to a person or an issue."""
    label = "@octocat #1 <b>|x|</b> [y](http://z) `c`"
    gate = lcm.gate(compare_rows([5] * 8, label), {f"class.{label}.f1": 0.99})
    text = gate_markdown(gate)
    assert "@octocat" not in text and "#1" not in text and "@&#8203;octocat #&#8203;1" in text
    assert "<b>" not in text and "](" not in text and "`" not in text.replace("\\`", "")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    unescaped = [row.replace("\\|", "").count("|") for row in rows]
    assert set(unescaped) == {7, 5}
    assert "Largest confusions:" in text


def test_the_markdown_of_a_passed_gate():
    c = lcm.compare(build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 4)]), build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 4)]))
    text = gate_markdown(lcm.gate(c, "micro.f1=1"))
    assert text.startswith("**layoutcm gate passed: 1 check**")
    assert "| micro\\.f1 | 1.000 | ≥ 1.000 |  | passed |  |" in text
    assert "confusions" not in text


def test_a_gate_has_the_intervals_of_the_result():
    c = compare_sample()
    result = c.result(intervals=c.bootstrap(level=0.8))
    for figure in ("macro.f1", "over_pages.macro.f1", "class.Table.f1"):
        check, row = only(lcm.gate(result, {figure: 0.5})), result.interval_of(figure)
        assert (check.low, check.high) == (row.low, row.high)
    assert only(lcm.gate(c, {"over_pages.macro.f1": 0.5})).low is not None
    without = c.result(intervals=False)  # its sums are those of documents
    assert only(lcm.gate(without, {"over_pages.macro.f1": 0.5})).low is None
    assert only(lcm.gate(without, {"macro.f1": 0.5})).low == c.result().interval_of("macro.f1").low


def test_a_baseline_of_parts_with_another_manifest_has_another_ground_truth():
    own = compare_rows(GOOD).result()
    other = lambda digest: structs.replace(
        own, inputs=structs.replace(own.inputs, gt=structs.replace(own.inputs.gt, sha256=None, manifest=digest))
    )
    note = "The baseline was made with another ground truth."
    assert note in lcm.gate(other("1"), baseline=other("2")).notes
    assert note not in lcm.gate(other("1"), baseline=other("1")).notes


def test_a_figure_whose_part_was_not_counted_says_so():
    """A comparison of parts has no objects."""
    result = structs.replace(compare_rows(GOOD).result(), objects=None)
    gate = lcm.gate(filled(result), {"objects.ap": 0.5}, baseline=compare_rows(GOOD), max_drop={"objects.pq": 0})
    assert [check.remark for check in gate.checks] == ["n/a: it is not counted in this result"] * 2


@pytest.mark.parametrize(("figure", "value"), [("macro", 5.0), ("micro", -0.5)])
def test_a_result_with_figures_that_are_not_possible_is_refused(sample_result, figure, value):
    changed = json.loads(json_text(sample_result))
    changed["measures"][f"{figure}.f1"] = value
    for given in ({"result": changed}, {"result": sample_result, "baseline": changed}):
        with pytest.raises(lcm.InputError, match=f"'{figure}.f1' is {value:g}, but it can only be from 0 to 1"):
            lcm.gate(**given, fail_under={"content.f1": 0})


@pytest.mark.parametrize("limits", [{"macro.f1": -1}, "macro.f1=-0.1"])
def test_a_threshold_that_always_passes_is_refused(sample_result, limits):
    with pytest.raises(lcm.InputError, match=r"fail_under: .* for 'macro.f1' is not a share. Figures are from 0 to 1"):
        lcm.gate(sample_result, limits)
