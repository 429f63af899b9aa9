"""Whole tables of a report, for pages whose pixels can be counted by hand, and where each table appears."""

import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.models.differences import difference
from layoutcm.tables import report_tables
from layoutcm.tables.report_tables import all_tables, family_matrix_tables, table_of
from support.comparisons import compare_sample, three_pages
from support.layouts import build
from support.stored import stored_text


def text_of(value):
    return value if isinstance(value, str) else "nan" if pd.isna(value) else f"{value:.3f}".rstrip("0").rstrip(".")


def lines_of(table):
    """The headings and the rows; numbers have three decimals, and the first column has one width."""
    rows = [[text_of(value) for value in row] for row in table.data.itertuples(index=False, name=None)]
    width = max(len(row[0]) for row in [table.headings(), *rows])
    return [" | ".join([row[0].ljust(width), *row[1:]]).rstrip() for row in [table.headings(), *rows]]


def block_of(table):
    """A whole table as text, with the kinds of its columns, and its note and recipe if it has them."""
    facts = {"kinds": " ".join(table.kinds()), "note": table.note, "recipe": table.recipe}
    said = [f"{name}: {text}" for name, text in facts.items() if text]
    return "\n".join([f"{table.name}: {table.title}", *said, *lines_of(table)])


@pytest.fixture(scope="module")
def tables():
    """All tables of the three pages; the other prediction has only the regions of p1 with a score of 0.75.

    Two documents are too few for intervals, and the unused label c has none. Of the measures, those of agreement and
    of medium and large objects are not defined. Recipes are written where they differ from that of the comparison.
    """
    c = three_pages()
    other = difference(c, three_pages(min_score=0.75), 100)
    return all_tables(result_of(c, asked=Asked(families={"All": ["a", "b"]}, intervals=100, difference=other)), c)


TABLES = {text.partition(":")[0]: text for text in stored_text("three_pages_tables.txt").split("\n\n")}


@pytest.mark.parametrize("name", TABLES)
def test_table(tables, name):
    assert block_of(tables[name]) == TABLES[name]
    assert tables[name].name == name and list(tables[name].data.index) == list(range(len(tables[name].data)))


def test_every_table_is_tested(tables):
    assert list(tables) == list(TABLES)


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
