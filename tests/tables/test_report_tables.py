"""Whole tables of a report, for pages whose pixels can be counted by hand, and where each table appears."""

import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.models.differences import difference
from layoutcm.tables import report_tables
from layoutcm.tables.report_tables import all_tables, family_matrix_tables, table_of
from support.layouts import build
from support.sample_comparisons import compare_sample
from support.stored import stored_text
from support.three_pages import three_pages

RECIPE = "gt:gt|pred:pred|pages:3|rounding:outer|{}" + f"|v{lcm.__version__}"
RESAMPLES = "taxonomy:same|method:matrix|of:documents|interval:none|level:0.95"


def text_of(value):
    return value if isinstance(value, str) else "nan" if pd.isna(value) else f"{value:.3f}".rstrip("0").rstrip(".")


def lines_of(table):
    """The headings and the rows; numbers have three decimals, and the first column has one width."""
    rows = [[text_of(value) for value in row] for row in table.data.itertuples(index=False, name=None)]
    width = max(len(row[0]) for row in [table.headings(), *rows])
    return [" | ".join([row[0].ljust(width), *row[1:]]).rstrip() for row in [table.headings(), *rows]]


@pytest.fixture
def tables():
    """All tables of the three pages; the other prediction has only the regions of p1 with a score of 0.75."""
    c = three_pages()
    other = difference(c, three_pages(min_score=0.75), 100)
    return all_tables(result_of(c, asked=Asked(families={"All": ["a", "b"]}, intervals=100, difference=other)), c)


LEVEL_SCORES = "macro precision | macro recall | macro F1 | micro F1 | content precision | content recall | content F1"


@pytest.mark.parametrize(
    "text", stored_text("three_pages_tables.txt").split("\n\n"), ids=lambda text: text.partition(":")[0]
)
def test_table(tables, text):
    title, *lines = text.replace("<scores>", LEVEL_SCORES).split("\n")
    name, _, title = title.partition(": ")
    table = tables[name]
    assert (table.name, table.title, table.note) == (name, title, "")
    assert lines_of(table) == lines


def test_every_measure_with_its_name_for_a_gate(tables):
    """Those of agreement, and of medium and large objects, are not defined; without intervals there are no ends."""
    lines = [" ".join(line.split()) for line in lines_of(tables["measures"])]
    assert lines[:2] == ["measure | title | value", "micro.precision | micro precision, without Background | 0.286"]
    assert "objects.ap50 | AP50 | 0.5" in lines and len(lines) == 1 + 83 - 3 - 4


def test_table_of_background_and_content(tables):
    table = tables["collapsed"]
    views = ("pixels", "recall", "precision", "F1")
    assert table.title == "2x2: Background and Content"
    assert table.headings() == ["gt", *(f"{view}: {label}" for view in views for label in ("Background", "Content"))]
    assert lines_of(table)[1:] == [
        "Background | 12 | 2 | 0.857 | 0.143 | 1 | 0.143 | 0.923 | 0.143",
        "Content    | 0 | 12 | 0 | 1 | 0 | 0.857 | 0 | 0.923",
    ]


def test_recipe_is_a_table(tables):
    values = ["gt", "pred", "3", "outer", "same", "matrix", f"v{lcm.__version__}"]
    assert (tables["recipe"].title, tables["recipe"].headings()) == ("Recipe", ["setting", "value"])
    assert tables["recipe"].data.to_numpy().tolist() == [
        list(row) for row in zip(["gt", "pred", "pages", "rounding", "taxonomy", "method", "version"], values)
    ]


def test_intervals_of_figures_then_of_classes(tables):
    """Two documents are too few for intervals. The unused label c has no rows."""
    table, few = tables["intervals"], " | nan | nan | {} | fewer than 6 documents"
    lines = [" ".join(line.split()) for line in lines_of(table)]
    assert table.title == "Intervals" and table.recipe == RECIPE.format(RESAMPLES)
    assert table.note == "no intervals: 2 documents are too few, at least 6 are needed"
    assert lines[:3] == [
        "of | value | low | high | documents | remark",
        "micro precision, without Background | 0.286" + few.format(2),
        "micro recall, without Background | 0.333" + few.format(2),
    ]
    assert lines[19] == "macro precision, mean over pages | 0.167" + few.format(2)
    assert lines[27:] == [
        "content F1, against Background | 0.923" + few.format(2),
        "Background: precision | 1" + few.format(2),
        "Background: recall | 0.857" + few.format(2),
        "Background: F1 | 0.923" + few.format(2),
        "Background: IoU | 0.857" + few.format(2),
        "a: precision | 0.5" + few.format(2),
        "a: recall | 0.5" + few.format(1),
        "a: F1 | 0.5" + few.format(2),
        "a: IoU | 0.333" + few.format(2),
        *(
            f"b: {score} | 0" + few.format(units)
            for score, units in zip(("precision", "recall", "F1", "IoU"), (2, 1, 2, 2))
        ),
    ]
    assert list(table.data.index) == list(range(39))


def test_difference_from_the_first_prediction(tables):
    table = tables["difference"]
    tested = RESAMPLES + "|test:randomisation|seed:0"
    recipes = [RECIPE.format("min_score:0.75|" + tested), RECIPE.format(tested)]
    assert (table.title, table.recipe) == ("Difference from the baseline", " minus ".join(recipes))
    assert table.headings()[4:] == ["verdict", "p", "better in", "worse in", "documents needed", "documents", "remark"]
    lines = [" ".join(line.split()) for line in lines_of(table)]
    assert [lines[0], *lines[-6:-3]] == [
        "of | value | low | high | verdict | p | better in | worse in | documents needed | documents | remark",
        "a: F1 | 0.167 | nan | nan | too few documents | nan | 0 | 0 | nan | 2 | fewer than 6 documents",
        "a: IoU | 0.167 | nan | nan | too few documents | nan | 0 | 0 | nan | 2 | fewer than 6 documents",
        "b: precision | 0 | nan | nan | too few documents | nan | 0 | 0 | nan | 2 | fewer than 6 documents",
    ]
    kinds = "text share number number text number whole whole pixels whole text"
    assert table.kinds() == kinds.split()


def test_recipes_that_differ_from_that_of_the_comparison(tables):
    families = RECIPE.format("taxonomy:same|families:1 given|depth:1|sample:pixel|count:by side")
    assert {name: table.recipe for name, table in tables.items() if table.recipe} == {
        "intervals": RECIPE.format(RESAMPLES),
        "difference": tables["difference"].recipe,
        "families": families,
        "families_pred": families,
    }


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("confusion", "text pixels pixels pixels pixels"),
        ("recall", "text share share share share"),
        ("collapsed", "text pixels pixels share share share share share share"),
        ("classes", "text pixels pixels share share share share"),
        ("confusions", "text text pixels share"),
        ("documents", "text whole pixels share share share share share share share"),
        ("findings", "text text whole text text"),
        ("objects", "text" + 5 * " whole" + 10 * " share"),
        ("ranked_pairs", "text text whole whole share share text"),
        ("families", "text share share share pixels text"),
        ("family_2", "text pixels pixels pixels"),
    ],
)
def test_kinds_of_columns(tables, name, kinds):
    assert tables[name].kinds() == kinds.split()


def test_every_table_is_of_the_method_of_the_matrix(two_pages):
    """With tensor, the extra table on the upper half of the picture does not cost recall (see the two-page example)."""
    c = lcm.compare(*two_pages)
    tables = all_tables(result_of(c, "tensor"), c)
    assert lines_of(tables["averages"])[-1] == "macro, mean over documents   | 0.5 | 0.45 | 0.456"
    for name in ("documents", "pages"):
        assert lines_of(tables[name])[-1].endswith(" | 400 | 0.5 | 0.5 | 0.467 | 0.545 | 1 | 1 | 1")
    assert tables["recipe"].data["value"].tolist()[-2] == "tensor"
    assert lines_of(tables["confusions"])[1:3] == [
        "list_item  | paragraph | 80 | 1",
        "picture    | table | 80 | 0.5",
    ]


def test_tables_of_objects_families_and_intervals_are_made_if_given(two_pages):
    c = lcm.compare(*two_pages)
    matrices = "confusion recall precision f1 collapsed classes averages measures confusions"
    always = f"{matrices} documents pages findings recipe"
    without = result_of(c, asked=Asked(parts=()))
    assert list(all_tables(without)) == [*matrices.split(), "findings", "recipe"]
    assert list(all_tables(without, c)) == always.split()
    tables = all_tables(result_of(c, asked=Asked(families=c.families({"T": ["title"]}, sample="page"))), c)
    names = f"{always} object_scores objects families families_pred".split()
    assert list(tables) == [*names, *(f"family_{k}" for k in range(1, 7)), "ranked_pairs"]
    assert [table.title for table in family_matrix_tables(tables)] == [
        f"Family {name}" for name in ("T", "paragraph", "list_item", "picture", "table", "caption")
    ]


def test_where_tables_appear():
    matrices = ["confusion", "recall", "precision", "f1", "collapsed"]
    results = ["classes", "label_agreement", "review", "intervals", "difference", "units"]
    grouped = ["slices", "families", "families_pred"]
    details = ["documents", "pages", "findings", "recipe"]
    causes = ["causes", "causes_by_label", "forgiveness", "thresholds", "calibration"]
    by_group = ["causes_by_document", "causes_by_page"]
    objects = ["objects", "ranked_pairs"]
    diagnosed = [*causes, *by_group, *objects]
    assert list(report_tables.SHEETS) == [*matrices, "measures", *results, *diagnosed, *grouped, *details]
    assert report_tables.SHEETS["families_pred"] == "Families pred" and report_tables.SHEETS["f1"] == "F1"
    assert report_tables.SUMMARY_TABLES == ["agreement", "averages", "object_scores", "confusions"]
    averages = ("agreement", "averages", "measures", "confusions")
    on_page = [*causes, "causes_by_document", "object_scores", "objects"]
    assert list(report_tables.HTML_TABLES) == [*averages, *results, *on_page, *grouped, *details]
    latex = [name for name in results if name not in ("review", "units")]
    assert list(report_tables.LATEX_TABLES) == [*matrices, *averages, *latex, *causes, "objects", *grouped]


@pytest.mark.parametrize("truth", [True, False])
def test_tables_without_rows_have_their_headings(truth):
    empty = build({"p": (4, 4)}, [], ["a"])
    result = result_of(lcm.compare(empty, empty, truth=truth), asked=Asked(why=truth, intervals=5 if truth else None))
    assert [name for name, table in all_tables(result).items() if len(table.headings()) < 2] == []


def test_pages_without_labels_have_a_report_with_causes(tmp_path):
    empty = build({"p": (4, 4)}, [], ["a"])
    lcm.compare(empty, empty).write_report(tmp_path / "report", why=True)
    assert not (tmp_path / "report" / "figures" / "forgiveness.svg").exists()


def test_a_number_with_an_interval_says_which_interval_it_is():
    c = compare_sample()
    result = c.result(intervals=c.bootstrap(level=0.8))
    assert result.quote("macro.f1").endswith(f"; {result.intervals.recipe}") and "level:0.8" in result.quote("macro.f1")
    assert result.quote("objects.ap").endswith(f"; {result.recipe_of('objects.ap')}")
    for name in ("measures", "classes"):
        table = table_of(result, name)
        assert table.note.startswith("80 % intervals over 30 documents") and table.recipe == result.intervals.recipe
        plain = table_of(c.result(intervals=False), name)
        assert plain.note == plain.recipe == ""
