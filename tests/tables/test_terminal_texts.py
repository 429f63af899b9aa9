"""Whole texts of the terminal, for pages whose pixels can be counted by hand (see test_two_page_example)."""

import pytest

import layoutcm as lcm
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.tables.terminal import (
    family_summary,
    finding_lines,
    layout_summary,
    result_summary,
)
from support.layouts import build
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
    assert (
        summary(lcm.compare(*two_pages))
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
    assert (
        summary(comparison, "tensor", intervals=comparison.bootstrap(100, level=0.9))
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
    assert (
        summary(different_labels(), intervals=5)
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
    assert (
        family_text(lcm.compare(*two_pages), FAMILIES)
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
    assert (
        family_text(comparison, comparison.families(tree, sample="page", depth=3))
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
