"""Labels of two sides: same, different or mapped, mapping files, and findings about labels."""

import numpy as np
import pytest

import layoutcm as lcm
from layoutcm.alignment.taxonomy import match_similar_names
from layoutcm.filling.result_of import result_of
from layoutcm.tables.terminal import result_summary
from support.layouts import build
from support.reading import fails
from support.results import codes

ONE = {"p": (10, 10)}
LAYOUT = build(ONE, [("p", "a", 0, 0, 5, 10, 0.5)])


def labelled(*labels):
    """Strips of 2 columns beside each other."""
    return build(ONE, [("p", label, 2 * i, 0, 2 * i + 2, 10) for i, label in enumerate(labels)])


def halves(*labels, **options):
    """The left half of the page has the first label, the right half the second one."""
    return build(ONE, [("p", label, 5 * i, 0, 5 * i + 5, 10) for i, label in enumerate(labels)], **options)


def test_taxonomies():
    gt, other = halves("a", "b"), halves("a", "B")
    different = lcm.compare(gt, other)
    assert different.taxonomy == "different"
    m = different.confusion()
    assert m.labels == ["Background", "a", "b", "a", "B"]
    expected = np.zeros((5, 5))
    expected[1, 3] = expected[2, 4] = 50
    np.testing.assert_array_equal(m.values, expected)
    assert np.isnan(m.class_values()["f1"]).all() and np.isnan(list(m.average("macro").values())).all()
    assert m.recall[1, 3] == 1 and m.collapse().recall[1, 1] == 1
    assert m.visible == ([0, 1, 2], [0, 3, 4])
    assert different.average("macro", over="pages").keys() == {"precision", "recall", "f1"}
    for options in ({"taxonomy": "match-names"}, {"mapping": {"pred": {"B": "b"}}}):
        mapped = lcm.compare(gt, other, **options)
        assert mapped.taxonomy == "mapped"
        assert mapped.confusion().average("macro")["f1"] == 1
    assert lcm.compare(gt, other, taxonomy="same").confusion().labels == ["Background", "a", "b", "B"]


def test_matching_names_does_not_change_labels_with_an_exact_match():
    layout = build(ONE, [("p", "list-item", 0, 0, 5, 10), ("p", "List item", 5, 0, 10, 10), ("p", "-", 0, 0, 1, 1)])
    m = lcm.compare(layout, layout, taxonomy="match-names").confusion()
    assert (m.values == np.diag(np.diag(m.values))).all()


@pytest.mark.parametrize(
    ("pred", "taxonomy", "findings"),
    [
        (halves("a"), "same", {"label-only-in-gt": 1}),
        (halves("a", labels=["a", "z"]), "same", {"label-only-in-gt": 1}),
        (halves("a", "z"), "different", {"equal-label-names": 1}),
    ],
    ids=["a", "a, declares z", "a and z"],
)
def test_labels_of_one_side_only(pred, taxonomy, findings):
    c = lcm.compare(halves("a", "b"), pred)
    assert c.taxonomy == taxonomy and codes(c.findings) == findings


def test_a_taxonomy_is_mapped_only_if_a_label_has_a_new_name():
    gt = halves("a")
    for options in ({"taxonomy": "match-names"}, {"mapping": {"pred": {"a": "a"}, "gt": {"zzz": "a"}}}):
        same = lcm.compare(gt, gt, **options)
        assert same.taxonomy == "same" and "mapped_labels" not in same.recipe


def test_a_mapping_joins_labels_and_maps_to_background():
    gt = halves("a", "b")
    joined = lcm.compare(gt, gt, mapping={"gt": {"a": "b"}, "pred": {"a": "b"}})
    assert joined.confusion().labels == ["Background", "b"]
    np.testing.assert_array_equal(joined.confusion().values, [[0, 0], [0, 100]])
    dropped = lcm.compare(gt, gt, mapping={"gt": {"a": "Background"}})
    np.testing.assert_array_equal(dropped.confusion().values, [[0, 0, 50], [0, 50, 0], [0, 0, 0]])
    assert "background-region" in codes(dropped.findings)
    unknown = lcm.compare(gt, gt, mapping={"pred": {"zzz": "a"}})
    assert codes(unknown.findings) == {"mapping-unused": 1}
    assert unknown.taxonomy == "same" and "mapped" not in unknown.recipe


def test_a_mapping_may_join_labels_and_drop_one():
    gt = labelled("a", "b", "c")
    mapping = {"gt": {"a": "Background", "b": "c"}, "pred": {"a": "Background", "b": "c"}}
    m = lcm.compare(gt, gt, mapping=mapping).confusion()
    assert m.labels == ["Background", "c"] and m.values.tolist() == [[60, 0], [0, 40]]


def test_a_mapping_for_other_predictions_is_not_misspelt_if_pred_has_the_labels_of_gt():
    gt = halves("Section-header", "Text")
    c = lcm.compare(gt, gt, mapping={"pred": {"section_header": "Section-header", "text": "Text"}})
    codes = [finding.code for finding in c.findings]
    assert "mapping-unused" in codes and "mapping-misspelt" not in codes


def test_a_misspelt_label_of_a_mapping_is_a_warning_with_the_right_name():
    gt, pred = halves("Section-header", "Text"), halves("heading", "Text")
    typo = lcm.compare(gt, pred, mapping={"pred": {"Headng": "Section-header", "seal": "Text"}})
    found = {finding.code: finding for finding in typo.findings}
    misspelt, unused = found["mapping-misspelt"], found["mapping-unused"]
    assert misspelt.severity == "warning" and misspelt.hint.startswith("Write 'heading'")
    assert "names 1 label that" in misspelt.message and "'Headng'" in misspelt.message
    assert unused.severity == "info" and "'seal'" in unused.message
    assert typo.taxonomy == "different" and "mapped_labels" not in typo.recipe
    # A mapping may have the spellings of several predictions: no warning if the similar label is mapped, too.
    both = lcm.compare(gt, pred, mapping={"pred": {"Heading": "Section-header", "heading": "Section-header"}})
    assert codes(both.findings) == {"mapping-unused": 1} and both.taxonomy == "mapped"
    assert "|mapped_labels:1|" in both.recipe


def test_a_misspelt_target_of_a_mapping_is_a_warning_and_the_summary_names_unmapped_labels():
    gt, pred = halves("Text", "Table"), halves("text", "image")
    typo = lcm.compare(gt, pred, mapping={"pred": {"text": "Txt"}})
    finding = next(one for one in typo.findings if one.code == "mapping-target-misspelt")
    assert finding.severity == "warning" and finding.hint == "Write 'Text' for 'Txt' if that is meant."
    right = lcm.compare(gt, pred, mapping={"pred": {"text": "Text"}})
    assert "mapping-target-misspelt" not in codes(right.findings)
    assert "suggests one; not in gt: 'image')." in result_summary(result_of(right))
    other = lcm.compare(gt, pred, mapping={"pred": {"text": "Paragraph", "image": "Background"}})
    assert "mapping-target-misspelt" not in codes(other.findings)


def test_mapping_files(tmp_path):
    gt = halves("a")
    path = tmp_path / "mapping.yaml"
    path.write_text("gt: {a: b}\npred:\n  a: b\n")
    assert lcm.compare(gt, gt, mapping=path).confusion().labels == ["Background", "b"]
    fails("no such file", lcm.compare, gt, gt, mapping=tmp_path / "none.yaml")
    fails("not a side", lcm.compare, gt, gt, mapping={"prediction": {}})


@pytest.mark.parametrize(
    "text",
    ["gt: {a: 2001-13-45}", "gt: {a: 1}", "gt: {No: a}", "gt: {a: b", "- 1", "gt: [a]", "[1]", "sides: {a: b}", "\x00"],
)
def test_wrong_mapping_files_are_input_errors(tmp_path, text):
    path = tmp_path / "mapping.yaml"
    path.write_text(text)
    fails(r"mapping\.yaml", lcm.compare, LAYOUT, LAYOUT, mapping=path)


def test_singular_and_plural_are_two_labels_if_a_side_uses_both():
    gt, pred = labelled("New", "News", "Table"), labelled("News", "tables", "Other")
    c = lcm.compare(gt, pred, taxonomy="match-names")
    assert c.labels == ["Background", "New", "News", "Table", "Other"]  # tables is Table, News is News
    assert match_similar_names(labelled("Table"), labelled("table", "tables")) == {"table": "Table"}
    assert match_similar_names(labelled("Page-header"), labelled("page headers")) == {"page headers": "Page-header"}


def test_similar_names_are_reported_with_both_names():
    found = lcm.compare(labelled("Tables", "x"), labelled("table", "y")).findings
    (finding,) = (one for one in found if one.code == "equal-label-names")
    assert finding.message == (
        "1 of 2 labels of pred has the same or a similar name as one of gt (first: 'table' and 'Tables'). Neither "
        "side's labels include the other's (only gt has 'x'; only pred has 'y'). So they count as different."
    )


def test_a_label_that_a_mapping_forgets_is_named_with_the_way_out():
    gt, pred = labelled("Text", "Table", "Title"), labelled("text", "table", "seal")
    forgotten = {"mapping": {"pred": {"text": "Text", "table": "Table"}}}
    c = lcm.compare(gt, pred, **forgotten)
    (finding,) = (one for one in c.findings if one.code == "equal-label-names")
    assert c.taxonomy == "different" and "(only gt has 'Title'; only pred has 'seal')" in finding.message
    assert "--taxonomy same" in finding.hint
    assert lcm.compare(gt, pred, **forgotten, taxonomy="same").taxonomy == "mapped"


def test_a_mapping_may_have_labels_of_single_predictions(tmp_path):
    """What is under the name of a prediction wins over what is for all, label by label."""
    gt = halves("a", "b")
    first, second = (halves("x", "y", name=f"folder/{name}.json") for name in ("first", "second.v2"))
    path = tmp_path / "mapping.yaml"
    path.write_text("pred: {x: a, y: b}\npreds: {second.v2: {x: b}, third: }\n")
    for mapping in (path, {"pred": {"x": "a", "y": "b"}, "preds": {"second.v2": {"x": "b"}, "third": {}}}):
        matrices = [lcm.compare(gt, pred, mapping=mapping).confusion() for pred in (first, second)]
        assert [m.labels for m in matrices] == [["Background", "a", "b"]] * 2
        assert [m.values.tolist() for m in matrices] == [
            [[0, 0, 0], [0, 50, 0], [0, 0, 50]],
            [[0, 0, 0], [0, 0, 50], [0, 0, 50]],
        ]
    only = lcm.compare(gt, second, mapping={"preds": {"second.v2": {"x": "a", "y": "b"}}})
    assert only.taxonomy == "mapped" and only.confusion().average("micro")["f1"] == 1
    for preds, message in (
        ({"first": ["x"]}, r"mapping\.preds\.first: \['x'\] is not a mapping of labels"),
        ({"first": {"x": 5}}, r"mapping\.preds\.first: 'x' becomes 5, both must be label names"),
        (["first"], r"mapping\.preds: \['first'\] has no mapping for each prediction"),
    ):
        fails(message, lcm.compare, gt, first, mapping={"preds": preds})
