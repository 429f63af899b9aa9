"""The list of measures, which are shown everywhere, and the two vocabularies."""

import io
import re
from string import Formatter

import msgspec
import pytest
from msgspec.structs import replace

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.diagnosis.page_tiles import AGREEMENT
from layoutcm.layouts.page_attributes import add_attributes, load_attributes
from layoutcm.metrics.intervals import UNIT_FIGURES
from layoutcm.results.measures import HEADLINE, MEASURES, Measure, measure_of
from layoutcm.results.vocabulary import WITH_TRUTH, WITHOUT_TRUTH, Vocabulary, vocabulary_of
from layoutcm.tables.gate import gate_lines
from layoutcm.tables.leaderboard_tables import best_sentence, leaderboard_summary, shown_table
from layoutcm.tables.report_tables import table_of
from layoutcm.tables.written_forms import markdown
from layoutcm.ui.screen_text import words_of
from support.layouts import build
from support.paths import ROOT, SAMPLE
from support.row_pages import compare_rows
from support.sample_comparisons import compare_sample
from support.three_pages import different_labels

NAME, TITLE, VALUE = "pixels.iou", "Jaccard index of pixels", "0.838"


def jaccard(result):
    """The intersection over union of all label pixels, from the micro F1."""
    f1 = result.measures.get("micro.f1") or result.averages.micro.f1
    return f1 / (2 - f1)


@pytest.fixture(params=[True, False], ids=["with the entry", "without it"])
def has_entry(request):
    own = [Measure(name=NAME, title=TITLE, value=jaccard)] if request.param else []
    MEASURES.extend(own)
    yield request.param
    del MEASURES[len(MEASURES) - len(own) :]


def anchors(page):
    """The anchors of the headings of a page."""
    lines = (ROOT / "docs" / page).read_text("utf-8").splitlines()
    titles = (line.lstrip("# ").lower() for line in lines if line[:1] == "#")
    return {re.sub(r"[^a-z0-9 -]", "", title).replace(" ", "-") for title in titles}


def test_names_are_unique_and_have_a_title_and_a_page():
    names = [one.name for one in MEASURES]
    assert len(set(names)) == len(names) == 83
    for one in MEASURES:
        page, _, anchor = one.url.partition("#")
        assert one.title and (not anchor or anchor in anchors(page)), one.name


def test_the_public_fields_of_a_measure():
    shown = {one.name: (one.title, one.unit, one.higher_is_better, one.needs, one.adds_up) for one in lcm.MEASURES}
    assert shown["macro.f1"] == ("macro F1, without Background", "score", True, (), True)
    assert shown["right"] == ("share of right label pixels", "share", True, (), False)
    assert shown["objects.ap"] == ("AP", "score", True, ("objects",), False)


def test_columns_of_intervals_are_those_of_measures_with_an_interval():
    columns = set(compare_sample().bootstrap(5).figures)
    assert {one.column for one in MEASURES if one.has_interval} == columns


def test_a_title_of_a_column():
    assert measure_of("macro_f1_over_pages").title == "macro F1, mean over pages"
    assert measure_of("content.f1").short_title == "content F1"


def test_json(has_entry):
    result = compare_sample().result(intervals=False)
    assert (NAME in lcm.load_result(result.to_json()).measures) == has_entry
    assert (f"{NAME}" in result.figures) == has_entry


def test_terminal(has_entry, capsys):
    assert main(["compare", str(SAMPLE / "gt.json"), str(SAMPLE / "model-a.json")]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(TITLE)]
    assert lines == ([[*TITLE.split(), "0.838"]] if has_entry else [])


def test_markdown_table(has_entry):
    text = markdown(table_of(compare_sample().result(intervals=False), "measures"))
    assert (TITLE in text) == has_entry


def test_report(has_entry, tmp_path):
    """LaTeX, XLSX and HTML."""
    from openpyxl import load_workbook

    compare_sample().write_report(tmp_path / "report")
    assert (f"{TITLE} & {VALUE}" in (tmp_path / "report/tables/measures.tex").read_text()) == has_entry
    sheet = load_workbook(io.BytesIO((tmp_path / "report/report.xlsx").read_bytes()))["Measures"]
    rows = {row[1].value: row[2].value for row in sheet.rows}
    assert rows.get(TITLE) == (pytest.approx(float(VALUE), abs=5e-4) if has_entry else None)
    assert (TITLE in (tmp_path / "report/report.html").read_text()) == has_entry


def test_gate(has_entry):
    if has_entry:
        assert lcm.gate(compare_sample(), {NAME: 0.8}).passed and not lcm.gate(compare_sample(), {NAME: 0.9}).passed
    else:
        with pytest.raises(lcm.InputError, match=f"there is no figure '{NAME}'"):
            lcm.gate(compare_sample(), {NAME: 0.8})


def test_leaderboard_and_notebook(has_entry):
    board = lcm.leaderboard({"a": compare_sample(), "b": compare_sample(min_score=0.6)})
    assert (TITLE in board._repr_html_()) == has_entry
    assert (NAME in board.result(objects=False).model_rows[0].measures) == has_entry
    assert (TITLE in compare_sample()._repr_html_()) == has_entry


@pytest.fixture
def lower_is_better():
    """Of micro F1 less is better, as if it were an error rate; the best prediction finds fewest rows."""
    own = measure_of("micro.f1")
    place = MEASURES.index(own)
    MEASURES[place] = replace(own, higher_is_better=False)
    yield {"many": compare_rows([7, 8, 9] * 4), "few": compare_rows([3, 4, 5] * 4)}
    MEASURES[place] = own


def test_a_leaderboard_has_the_lowest_first(lower_is_better):
    board = lcm.leaderboard(lower_is_better, figure="micro_f1")
    assert board.models == ["few", "many"]
    row = board.table.iloc[0]
    assert row["difference"] < 0 and row["verdict"] == "better"
    rows = board.differences.set_index("figure")
    assert rows.loc["micro_f1", ["better_in", "worse_in", "verdict"]].tolist() == [12, 0, "better"]
    assert rows.loc["macro_f1", ["better_in", "worse_in", "verdict"]].tolist() == [0, 12, "worse"]
    assert set(board.pages()["best"]) == {"few"} and set(board.documents()["worst"]) == {"many"}
    assert best_sentence(board).startswith("few has the lowest micro F1 of 2 predictions")
    assert board.lead.verdict("micro_f1") == "better"


def test_nothing_to_find_counts_as_the_best_value(lower_is_better):
    found = lcm.leaderboard({"x": compare_rows([0], gt_rows=0), "y": compare_rows([5], gt_rows=0)}, figure="micro_f1")
    assert found.pages()["spread"].tolist() == [0]


def test_a_gate_has_a_largest_value(lower_is_better):
    few, many = lower_is_better["few"], lower_is_better["many"]
    passed, short = (lcm.gate(one, "micro.f1=0.7") for one in (few, many))
    assert passed.passed and not short.passed
    assert "≤ 0.700" in gate_lines(short)[3]
    rise = lcm.gate(many, baseline=few, max_drop={"micro.f1": 0.1}).checks[0]
    assert not rise.passed and rise.remark.endswith(": worse")
    assert rise.least == pytest.approx(rise.baseline + 0.1)
    assert lcm.gate(few, baseline=many, max_drop={"micro.f1": 0}).passed


def test_a_verdict_on_a_slice(lower_is_better):
    c = compare_rows([2, 9] * 6)
    gt, pred = c.alignment.layouts
    kinds = load_attributes({page: {"kind": "xy"[k % 2]} for k, page in enumerate(c.pages)})
    rows = lcm.compare(add_attributes(gt, kinds), pred).slices("kind", figure="micro_f1").set_index("value")
    assert rows["verdict"].to_dict() == {"x": "better", "y": "worse"}
    assert list(rows.index) == ["y", "x"]  # the worst first


ALIASES = ["macro.f1", "macro_f1"]


@pytest.mark.parametrize("figure", ALIASES)
def test_a_figure_has_its_name_everywhere_and_its_column_is_an_alias(figure):
    a, b = compare_rows([7, 8, 9] * 4), compare_rows([3, 4, 5] * 4)
    board = lcm.leaderboard({"a": a, "b": b}, figure=figure)
    assert board.figure == "macro_f1" and board.models == ["a", "b"]
    assert lcm.difference(a, b).verdict(figure) == "worse"
    assert lcm.documents_needed(a, b, figure) == lcm.documents_needed(a, b)
    result = a.result()
    assert result.quote(figure) == result.quote() and result.interval_of(figure).figure == "macro_f1"
    gate = lcm.gate(result, {figure: 0.9}, baseline=b, max_drop={figure: 0})
    assert [check.figure for check in gate.checks] == ["macro.f1", "macro.f1"]
    assert set(a.slices("size", figure)["figure"]) == {"macro_f1"}


def test_an_unknown_figure_is_an_input_error_that_names_the_known_ones():
    with pytest.raises(lcm.InputError, match="figure: 'macro f1' is not known"):
        lcm.difference(compare_rows([7]), compare_rows([8])).verdict("macro f1")


def test_headline_figures_are_the_compared_measures_with_an_interval():
    assert [one.name for one in HEADLINE] == ["micro.f1", "macro.f1", "content.f1"]
    assert tuple(one.column for one in HEADLINE) == UNIT_FIGURES


def test_a_new_compared_measure_with_an_interval_is_shown_by_a_leaderboard():
    """Its interval is not a column of the leaderboard, so its value is shown alone."""
    MEASURES.append(Measure(name=NAME, title=TITLE, value=jaccard, column="pixels_iou", has_interval=True))
    try:
        board = lcm.leaderboard({"a": compare_rows([5] * 6), "b": compare_rows([6] * 6)}).result(objects=False)
        table = shown_table(board).data
        assert table["pixels_iou"].tolist() == pytest.approx([0.6, 0.5]) and "pixels_iou_low" not in table
        assert TITLE in leaderboard_summary(board) and TITLE in board._repr_html_()
    finally:
        MEASURES.pop()


def test_all_single_numbers_of_objects_are_measures():
    result, objects = compare_sample().result(intervals=False), compare_sample().objects()
    for name, value in objects.summary.items():
        own = {"ar100": "ar"}.get(name.lower(), name.lower())
        assert result.measures[f"objects.{own}"] == value
    blind = objects.scores_at(0.5, class_aware=False)
    assert [result.measures[f"objects.any_label.{score}"] for score in blind] == list(blind.values())


def test_centroids_have_no_measure_if_labels_differ():
    """They are matched whatever the label then, as the terminal says beside them."""
    result = different_labels().result()
    assert result.centroids.one_to_one.f1 is not None and result.measures["centroids.f1"] is None


BOTH = {"truth": WITH_TRUTH, "no truth": WITHOUT_TRUTH}
ON_SCREEN = {name: words_of(one) for name, one in BOTH.items()}
# Words that say which side is the truth, or what is right and wrong.
OF_TRUTH = re.compile(
    r"\b(ground truth|truth|gt|pred|predictions?|missed|invented|recall|precision|wrong|right|errors?|confusions?|"
    r"mistakes?|better|worse|worst|found|read as)\b",
    re.IGNORECASE,
)
# With a truth no column has another name and the script of the matrix knows the verdicts; without one nothing else is
# there, and reasons are given.
MAY_BE_EMPTY = {
    "truth": {"columns", "page_columns", "not_in_2x2", "verdicts_in_matrix", "no_ap", "no_pairs", "no_use_of_scores"},
    "no truth": {"parts"},
}
# Reasons why there is nothing to show may name the truth; the names of columns that are left out are not shown.
EXCEPT = {"no_ap", "no_pairs", "no_use_of_scores", "not_in_2x2"}


def texts(value):
    """All texts of a value; of a dict those that are shown, not its keys."""
    if isinstance(value, str):
        return [value]
    return [text for one in (value.values() if isinstance(value, dict) else value) for text in texts(one)]


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("words", [BOTH, ON_SCREEN], ids=["of results", "of the dashboard"])
def test_no_word_is_left_out(words, name):
    empty = {field for field, value in msgspec.structs.asdict(words[name]).items() if not value or not all(value)}
    assert empty == MAY_BE_EMPTY[name] & set(words[name].__struct_fields__)


@pytest.mark.parametrize("field", [name for name in Vocabulary.__struct_fields__ if name not in ("columns", "parts")])
def test_both_have_the_same_entries(field):
    first, second = (getattr(one, field) for one in BOTH.values())
    assert type(first) is type(second)
    if isinstance(first, dict):
        assert first.keys() == second.keys()
    elif isinstance(first, tuple):
        assert len(first) == len(second)


@pytest.mark.parametrize("field", sorted({*ON_SCREEN["no truth"].__struct_fields__} - EXCEPT))
def test_without_a_truth_no_word_speaks_of_one(field):
    shown = texts(getattr(ON_SCREEN["no truth"], field))
    assert [text for text in shown if OF_TRUTH.search(re.sub(r"\{\w+\}", "", text))] == []


def test_the_words_of_a_truth_are_found():
    assert OF_TRUTH.search(WITH_TRUTH.named[0]) and OF_TRUTH.search(WITH_TRUTH.only_in[1])
    assert not OF_TRUTH.search("least agreement first")


@pytest.mark.parametrize("field", WITH_TRUTH.__struct_fields__)
def test_patterns_have_places_for_the_same_names(field):
    names = [
        {name for text in texts(getattr(one, field)) for _, name, *_ in Formatter().parse(text) if name}
        for one in BOTH.values()
    ]
    assert names[0] - {"verb"} == names[1]


def test_it_is_a_small_value_of_json():
    for one in BOTH.values():
        assert msgspec.json.decode(msgspec.json.encode(one), type=Vocabulary) == one
    assert len(Vocabulary.__struct_fields__) <= 25


def test_what_only_one_side_has_is_a_kind_of_pixels_in_the_same_words():
    for one in BOTH.values():
        assert one.kinds[2:4] == one.only_in
        assert len(one.kinds) == len(AGREEMENT) == 6


def test_a_comparison_and_its_matrix_have_one_vocabulary():
    layout = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10)])
    for truth, expected in ((True, WITH_TRUTH), (False, WITHOUT_TRUTH)):
        compared = lcm.compare(layout, layout, truth=truth)
        assert compared.vocabulary is compared.confusion().vocabulary is vocabulary_of(truth) is expected
        assert compared.side_names == expected.sides


def test_matrices_made_from_a_matrix_keep_its_vocabulary():
    layout = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10)])
    compared = lcm.compare(layout, layout, truth=False)
    made = [compared.confusion().collapse(), compared.confusion(families={"f": ["a"]})]
    assert [one.vocabulary for one in made] == [WITHOUT_TRUTH, WITHOUT_TRUTH]


def test_without_a_truth_a_notebook_names_cells_after_a_and_b():
    layout = build({"p": (10, 10)}, [("p", "a", 0, 0, 5, 10)])
    html = lcm.compare(layout, layout, truth=False).show().html
    assert '"cell_name":"{gt} in A, {pred} in B"' in html


def test_few_modules_ask_whether_there_is_a_truth():
    files = [*(ROOT / "layoutcm").rglob("*.py"), *(ROOT / "pages").glob("*.py"), *(ROOT / "layoutcm").rglob("*.js")]
    asking = sorted(str(file.relative_to(ROOT)) for file in files if "has_truth" in file.read_text("utf-8"))
    assert len(files) > 300
    assert "layoutcm/comparison.py" in asking and len(asking) <= 10, asking


@pytest.mark.parametrize("asked", [{"why": True}, {"intervals": True}, {"intervals": 9}, {"slices": True}])
def test_what_needs_a_truth_is_refused_by_results_and_reports(asked, tmp_path):
    both = lcm.compare(*compare_rows([5] * 6).alignment.layouts, truth=False)
    name = next(iter(asked))
    for ask in (both.result, lambda **more: both.write_report(tmp_path / "report", **more)):
        with pytest.raises(lcm.InputError, match=f"{name} needs a ground truth"):
            ask(**asked)
    assert both.result().intervals is None


def test_without_a_truth_no_prediction_is_better():
    both = {name: lcm.compare(*compare_rows([5] * 6).alignment.layouts, truth=False) for name in "xy"}
    with pytest.raises(lcm.InputError, match="leaderboard needs a ground truth"):
        lcm.leaderboard(both)
    with pytest.raises(lcm.InputError, match="difference needs a ground truth"):
        lcm.difference(*both.values())
