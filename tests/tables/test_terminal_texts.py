"""Whole texts of the terminal, for pages whose pixels can be counted by hand (see test_two_page_example)."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.tables.terminal import (
    family_summary,
    finding_lines,
    layout_summary,
    result_summary,
)
from layoutcm.tables.why import cause_shares, why_summary, why_tables
from support.layouts import build
from support.result_schema import assert_valid
from support.three_pages import different_labels, three_pages

NOTHING = "has no region at all, so every score with it is 0 or n/a. Check that this is the right file."
FINDS, CONTENT = "finds", "of content pixels of the whole set"
RIGHT = "of the ground truth's label pixels have the right label"
SLACK = "of the wrong pixels are only border slack"
VERSION = f"v{lcm.__version__}"
FAMILIES = {"Text": ["title", "paragraph", "list_item", "caption"], "Figure": ["picture"], "Table": ["table"]}


def summary(c, method="matrix", **asked):
    return result_summary(result_of(c, method, Asked(**asked)))


def family_text(c, families):
    return family_summary(result_of(c, asked=Asked(families=families)).families)


def test_summary_of_a_comparison(two_pages):
    found = summary(lcm.compare(*two_pages))
    assert (
        found
        == f"""\
gt:gt|pred:pred|pages:2|rounding:outer|taxonomy:same|method:matrix|{VERSION}

2 pages, 2 documents, 500 pixels, same taxonomy

pred {FINDS} 97.8 % {CONTENT}; 62.2 % {RIGHT}; largest confusion: picture read as table; 4.35 % {SLACK}.

averages                     precision   recall       F1
micro, without Background        0.522    0.533    0.527
macro, without Background        0.458    0.508    0.408
weighted, without Background     0.650    0.533    0.481
micro, with Background           0.540    0.540    0.540
macro, mean over pages           0.500    0.425    0.429
macro, mean over documents       0.500    0.425    0.429

content, against Background      0.957    0.978    0.967

class               gt px        pred px precision   recall       F1      IoU
Background             50             40     0.750    0.600    0.667    0.500
title                  80             80     1.000    1.000    1.000    1.000
paragraph              80            160     0.500    1.000    0.667    0.500
list_item              80              0         –    0.000    0.000    0.000
picture               160             80     1.000    0.250    0.400    0.250
table                  50            200     0.250    0.800    0.381    0.235
caption                 0             20     0.000        –    0.000    0.000

largest confusions
  picture read as table                  120 px   75.0 % of picture
  list_item read as paragraph             80 px    100 % of list_item
  Background read as caption              20 px   40.0 % of Background
  table read as Background                10 px   20.0 % of table

notes
  [info] 1 label is used by gt only: 'list_item'.
  [info] 1 label is used by pred only: 'caption'."""
    )


def test_summary_with_intervals():
    """Two documents are too few for intervals, so their own values are listed. The b on p3 has too low a score."""
    comparison = three_pages(min_score=0.55)
    found = summary(comparison, "tensor", intervals=comparison.bootstrap(100, level=0.9))
    assert (
        found
        == f"""\
gt:gt|pred:pred|pages:3|rounding:outer|min_score:0.55|taxonomy:same|method:tensor|{VERSION}

3 pages, 2 documents, 26 pixels, same taxonomy

pred {FINDS} 100 % {CONTENT}; 33.3 % {RIGHT}; largest confusion: a read as b; 0 % {SLACK}.

averages                     precision   recall       F1   interval of F1
micro, without Background        0.333    0.333    0.333   –
macro, without Background        0.250    0.250    0.250   –
weighted, without Background     0.333    0.333    0.333   –
micro, with Background           0.692    0.692    0.692   –
macro, mean over pages           0.250    0.125    0.167   –
macro, mean over documents       0.250    0.125    0.167   –

content, against Background      1.000    1.000    1.000   –

no intervals: 2 documents are too few, at least 6 are needed
F1 in each document     micro     macro   content
A                       0.500     0.333     1.000
B                       0.000     0.000     1.000

class               gt px        pred px precision   recall       F1      IoU
Background             14             14     1.000    1.000    1.000    1.000
a                       8              8     0.500    0.500    0.500    0.333
b                       4              4     0.000    0.000    0.000    0.000

largest confusions
  a read as b              4 px   50.0 % of a
  b read as a              4 px    100 % of b

notes
  [info] gt: 1 of 3 pages has no region (first: 'p3').
  [info] 1 of 5 regions of pred has a score below 0.55 and is left out."""
    )


def test_summary_with_different_labels():
    found = summary(different_labels(), intervals=5)
    assert (
        found
        == f"""\
gt:gt|pred:pred|pages:1|rounding:outer|taxonomy:different|method:matrix|{VERSION}

1 page, 1 document, 16 pixels, different taxonomy

pred finds 50.0 % of content pixels of the whole set; 100 % of what it marks is content. Labels need a mapping.

Averages over classes: none, because the two sides have different labels (use a mapping; \
layoutcm suggest-mapping (suggest_mapping in Python) suggests one).

                             precision   recall       F1   interval of F1

content, against Background      1.000    0.500    0.667   –

no intervals: 1 page of one document is too few, at least 6 are needed
F1 in each page     micro     macro   content
p                       –         –     0.667

largest cells
  a overlaps Background              4 px   50.0 % of a
  a overlaps x                       4 px   50.0 % of a"""
    )


def test_warnings_stand_before_the_scores():
    gt = build({"p": (4, 4)}, [("p", "a", 0, 0, 4, 4)], name="gt")
    sections = summary(lcm.compare(gt, build({"p": (4, 4)}, [], ["a"], name="pred"))).split("\n\n")
    assert sections[1:3] == [
        "1 page, 1 document, 16 pixels, same taxonomy",
        "findings\n"
        f"  [warning] pred {NOTHING}\n"
        "  [warning] 1 of 1 pages has regions in gt and none in pred (first: 'p'); they count as missed. "
        "Check that the model ran on all pages.",
    ]
    assert [section.split()[0] for section in sections[3:]] == ["pred", "averages", "content,", "class", "largest"]


def test_no_findings_have_no_lines():
    assert finding_lines(()) == []


def test_summary_of_families(two_pages):
    found = family_text(lcm.compare(*two_pages), FAMILIES)
    assert (
        found
        == f"""\
gt:gt|pred:pred|pages:2|rounding:outer|taxonomy:same|families:3 given|depth:1|sample:pixel|count:by side|{VERSION}

given gt           identity in family  out of it             px  mostly confused with
Background           60.0 %       0 %     40.0 %             50  out of family
title                 100 %       0 %        0 %             80
paragraph             100 %       0 %        0 %             80
list_item               0 %     100 %        0 %             80  paragraph
picture              50.0 %       0 %     50.0 %            160  out of family
table                80.0 %       0 %     20.0 %             50  out of family
all but Background   62.2 %    17.8 %     20.0 %

given pred         identity in family  out of it             px  mostly confused with
Background           75.0 %       0 %     25.0 %             40  out of family
title                 100 %       0 %        0 %             80
paragraph            50.0 %    50.0 %        0 %            160  list_item
caption                 0 %       0 %      100 %             20  out of family
picture               100 %       0 %        0 %             80
table                20.0 %       0 %     80.0 %            200  out of family
all but Background   51.9 %    14.8 %     33.3 %"""
    )


def test_summary_of_families_on_pages_with_findings(two_pages):
    """A label that is longer than the name of the last row makes the first column wider."""
    comparison = lcm.compare(*two_pages, mapping={side: {"title": "title of the document"} for side in ("gt", "pred")})
    tree = {"A": {"B": ["title of the document"]}, "Text": ["nope"]}
    found = family_text(comparison, comparison.families(tree, sample="page", depth=3))
    assert (
        found
        == f"""\
gt:gt|pred:pred|pages:2|rounding:outer|taxonomy:mapped|mapped_labels:2|families:2 given|depth:2|sample:page\
|count:by side|{VERSION}

given gt              identity in family  out of it          pages  mostly confused with
title of the document    100 %       0 %        0 %              1
paragraph                100 %       0 %        0 %              1
list_item                  0 %       0 %      100 %              1  out of family
picture                  100 %       0 %        0 %              1
table                    100 %       0 %        0 %              1
all but Background      80.0 %       0 %     20.0 %

given pred            identity in family  out of it          pages  mostly confused with
title of the document    100 %       0 %        0 %              1
paragraph                100 %       0 %        0 %              1
picture                  100 %       0 %        0 %              1
table                   50.0 %       0 %     50.0 %              2  out of family
caption                    0 %       0 %      100 %              1  out of family
all but Background      66.7 %       0 %     33.3 %

findings
  [info] The tree has no families at depth 3, so the families at depth 2 are used.
  [warning] 1 label is named by the families and used by neither side (first: 'nope'). Check their spelling.
  [info] 5 labels are in no family; each counts as its own family (first: 'paragraph')."""
    )


PAGES = {"p": (10, 20), "q": (7.5, 30)}
REGIONS = [("q", "text", 1, 2.5, 3, 4, 0.5), ("p", "a", 2, 3, 4, 5, 0.25), ("q", "text", 1, 2.5, 3, 4, 0.5)]


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        (
            build(PAGES, REGIONS, ["a", "text", "title"], "in.csv", {"p": "D", "q": "D"}),
            """\
in.csv: test, 2 pages, 1 document, 3 regions, with scores
  first page   p, 10 x 20
  first region text at 1, 2.5, 3, 4 on q
  a              1
  text           2
  title          0
  findings
  [warning] in.csv: 1 region is a duplicate with the same page, box and label as another (first: 'text' on page 'q'). \
Pixels are not counted twice, but objects are: remove the duplicates.""",
        ),
        (
            build({"p": (60, 80)}, [("p", "x", 0, 0, 40, 1)]),
            """\
x: test, 1 page, 1 document, 1 region, without scores
  first page   p, 60 x 80
  first region x at 0, 0, 40, 1 on p
  x          1""",
        ),
        (
            build({}, [], name="none"),
            f"none: test, 0 pages, 0 documents, 0 regions, without scores\n  findings\n  [warning] none {NOTHING}",
        ),
    ],
)
def test_summary_of_a_layout(layout, text):
    assert layout_summary(layout) == text


SIZES = {"d_0": (100, 100), "d_1": (100, 100)}
EMPTY = dict.fromkeys(CAUSES, 0.0)


@pytest.fixture(scope="module")
def compared():
    """d_0: a box without its last column (40 px of slack). d_1: a missed region of 100 px, one of 200 px as b."""
    gt = [("d_0", "a", 10, 10, 50, 50), ("d_1", "a", 0, 0, 10, 10), ("d_1", "a", 50, 50, 70, 60)]
    pred = [("d_0", "a", 10, 10, 49, 50), ("d_1", "b", 50, 50, 70, 60)]
    return lcm.compare(*(build(SIZES, rows, ["a", "b"], name=name) for rows, name in ((gt, "gt"), (pred, "pred"))))


@pytest.fixture(scope="module")
def why(compared):
    return result_of(compared, asked=Asked(why=True))


def test_tables_of_causes(why):
    tables = {table.name: table for table in why_tables(why)}
    totals = tables["causes"].data.set_index("cause")
    assert totals["pixels"].to_dict() == EMPTY | {"slack": 40, "label": 200, "missed": 100}
    assert totals.loc["label"].tolist() == [200, 200 / 340, "a read as b"]
    assert totals.loc["split"].tolist() == [0, 0, ""]
    by_label = tables["causes_by_label"].data.set_index(["side", "class"])
    lost = EMPTY | {"slack": 40, "label": 200, "missed": 100, "total": 340}
    assert by_label.loc[("missing in pred", "a")].to_dict() == lost
    assert by_label.loc[("too much in pred", "b")].to_dict() == EMPTY | {"label": 200, "total": 200}
    extra = [("too much in pred", "Background"), ("too much in pred", "b")]
    assert by_label.index.tolist() == [("missing in pred", "a"), *extra]
    documents = tables["causes_by_document"].data
    assert documents[["document", "pages", "total"]].values.tolist() == [["d", 2, 340]]
    pages = tables["causes_by_page"].data
    assert pages[["page", "document", "slack", "label", "total"]].values.tolist() == [
        ["d_1", "d", 0, 200, 300],
        ["d_0", "d", 40, 0, 40],
    ]
    assert tables["causes"].kinds() == ["text", "pixels", "share", "text"]
    assert set(tables["causes_by_document"].kinds()[2:]) == {"pixels"}
    assert tables["causes"].note == "slack: borders within 0.5 % of the longer side of a page"
    # With slack as right, 1600 of 1900 pixels of gt are found, and 1600 of 1800 of pred are right.
    forgiven = tables["forgiveness"].data.set_index("tolerance")
    assert forgiven.loc[0.005, "micro_f1"] == pytest.approx(2 * 1600 / (1900 + 1600 + 200))
    assert forgiven.loc[0, "micro_f1"] == pytest.approx(2 * 1560 / (1900 + 1560 + 200))


def test_shares_are_what_recall_and_precision_lack(compared):
    shares = cause_shares(compared.causes(), compared.confusion())
    assert shares.labels == ["a", "b"]
    assert dict(zip(CAUSES, shares.gt[0])) == pytest.approx(
        EMPTY | {"slack": 40 / 1900, "label": 200 / 1900, "missed": 100 / 1900}
    )
    assert shares.pred[0].sum() == 0 and shares.pred[1].sum() == 1 and np.isnan(shares.gt[1]).all()


def test_the_json(compared, why):
    result = why.as_dict()
    assert_valid(result)
    causes = result["causes"]
    assert causes["totals"] == EMPTY | {"slack": 40, "label": 200, "missed": 100} and causes["tolerance"] == 0.005
    assert causes["by_document"] == [{"document": "d", "pages": 2, **EMPTY, "slack": 40, "label": 200, "missed": 100}]
    assert causes["by_label"][0] == {"side": "gt", "class": "a", **causes["totals"]}
    assert causes["values"]["missed"] == [[0, 0, 0], [100, 0, 0], [0, 0, 0]]
    assert [row["tolerance"] for row in result["forgiveness"]] == [0, 0.0025, 0.005, 0.01, 0.02]
    plain = result_of(compared).as_dict()
    assert "causes" not in plain and "forgiveness" not in plain


def test_the_text(why):
    shares = "    11.8 %    58.8 %         –         –         –         –    29.4 %         –"
    assert why_summary(why).split("\n\n") == [
        """\
why pixels are wrong         pixels   share  mostly
slack                            40  11.8 %  a read as Background
label                           200  58.8 %  a read as b
size                              0     0 %
split                             0     0 %
merge                             0     0 %
duplicate                         0     0 %
missed                          100  29.4 %  a read as Background
invented                          0     0 %""",
        f"""\
missing in pred         pixels     slack     label      size     split     merge duplicate    missed  invented
a                          340{shares}""",
        """\
too much in pred         pixels     slack     label      size     split     merge duplicate    missed  invented
Background                  140    28.6 %         –         –         –         –         –    71.4 %         –
b                           200         –     100 %         –         –         –         –         –         –""",
        """\
if borders may be off by       micro F1 macro F1 content F1 of the 2x2 matrix
0 % of the longer page side       0.852    0.451                        0.962
0.25 % of the longer page side    0.865    0.457                        0.973
0.5 % of the longer page side     0.865    0.457                        0.973
1 % of the longer page side       0.865    0.457                        0.973
2 % of the longer page side       0.865    0.457                        0.973""",
    ]


def test_different_labels_have_no_causes():
    why = result_of(different_labels(), asked=Asked(why=True))
    assert why_summary(why).startswith("There are no causes")
    assert why_tables(why)[0].note.startswith("There are no causes")
    result = why.as_dict()
    assert_valid(result)
    assert result["causes"] is None and result["forgiveness"][0]["micro_f1"] is None
