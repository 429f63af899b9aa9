"""Causes and forgiveness as tables, JSON and text, on two pages one can count."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.tables.why import cause_shares, why_summary, why_tables
from support.layouts import build
from support.result_schema import assert_valid
from support.three_pages import different_labels

SIZES = {"d_0": (100, 100), "d_1": (100, 100)}
NOTHING = dict.fromkeys(CAUSES, 0.0)


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
    assert totals["pixels"].to_dict() == NOTHING | {"slack": 40, "label": 200, "missed": 100}
    assert totals.loc["label"].tolist() == [200, 200 / 340, "a read as b"]
    assert totals.loc["split"].tolist() == [0, 0, ""]
    by_label = tables["causes_by_label"].data.set_index(["side", "class"])
    lost = NOTHING | {"slack": 40, "label": 200, "missed": 100, "total": 340}
    assert by_label.loc[("missing in pred", "a")].to_dict() == lost
    assert by_label.loc[("too much in pred", "b")].to_dict() == NOTHING | {"label": 200, "total": 200}
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
        NOTHING | {"slack": 40 / 1900, "label": 200 / 1900, "missed": 100 / 1900}
    )
    assert shares.pred[0].sum() == 0 and shares.pred[1].sum() == 1 and np.isnan(shares.gt[1]).all()


def test_the_json(compared, why):
    result = why.as_dict()
    assert_valid(result)
    causes = result["causes"]
    assert causes["totals"] == NOTHING | {"slack": 40, "label": 200, "missed": 100} and causes["tolerance"] == 0.005
    assert causes["by_document"] == [{"document": "d", "pages": 2, **NOTHING, "slack": 40, "label": 200, "missed": 100}]
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
