"""Trees of families: valid and wrong files, built-in trees, and the names that labels are shown as."""

import json

import pytest

import layoutcm as lcm
from layoutcm.layouts.model import Finding
from layoutcm.metrics.family_trees import (
    BUILT_IN,
    FamilyTree,
    depth_findings,
    depth_within,
    display_paths,
    family_tree,
    parse_tree,
    path_names,
    preferred_name,
    tree_findings,
)
from support.paths import SAMPLE
from support.reading import fails

NESTED = {"Text": {"Headings": ["Title", "Section-header"], "Body": ["Text"]}, "Figure": ["Picture"]}
DOCLAYNET = ["Caption", "Footnote", "Formula", "List-item", "Page-footer", "Page-header", "Picture", "Section-header",
             "Table", "Text", "Title"]  # fmt: skip
WRITE = "Write {family: [labels]}, or families inside families: {Text: {Headings: [Title], Body: [Text]}}."
BOMB = "\n".join(  # few lines with very many references
    ["a0: &a0 {x: [], y: [], z: []}"]
    + [f"a{i}: &a{i} {{p: *a{i - 1}, q: *a{i - 1}, r: *a{i - 1}, s: *a{i - 1}}}" for i in range(1, 8)]
)
QUOTE = f"Put it in quotes. {WRITE}"


@pytest.mark.parametrize(
    "text",
    [
        "Text:\n  Headings: [Title, Section-header]\n  Body: [Text]\nFigure: [Picture]\n",
        "Text:\n  Headings:\n  - Title\n  - Section-header\n  Body:\n  - Text\nFigure: [Picture]\nEmpty:\n",
        json.dumps(NESTED),
        json.dumps(NESTED, indent="\t"),
        "\ufeff" + json.dumps(NESTED),
    ],
)
def test_yaml_and_json_give_the_same_tree(text, tmp_path):
    (tmp_path / "tree.txt").write_text(text, "utf-8")
    tree = family_tree(tmp_path / "tree.txt", [])
    assert tree.paths == {
        "Title": ("Text", "Headings"), "Section-header": ("Text", "Headings"), "Text": ("Text", "Body"),
        "Picture": ("Figure",),
    }  # fmt: skip
    assert tree.depth == 2 and tree.title == "tree" and tree.as_written() == NESTED


def test_a_list_may_contain_labels_and_families():
    tree = family_tree({"Text": ["Text", {"Headings": ["Title"]}, "Caption"]}, [])
    assert tree.paths == {"Text": ("Text",), "Caption": ("Text",), "Title": ("Text", "Headings")}
    assert tree.as_written() == {"Text": ["Text", "Caption", {"Headings": ["Title"]}]}
    assert family_tree(tree.as_written(), []) == tree


def test_labels_may_contain_special_characters():
    names = ["<b>bold</b>", "$x$", "=1+1", "مرحبا", "😀", "a: b"]
    tree = parse_tree("x.json", json.dumps({"…": names}).encode())
    assert list(tree.paths) == names


@pytest.mark.parametrize(("text", "place", "problem", "hint"), [
    ("A: [x]\nB: [x]", "families.B", "the label 'x' is in two families, 'A' and 'B'", "Keep it in one."),
    ("A: [x, x]", "families.A", "the label 'x' is in two families, 'A' and 'A'", "Keep it in one."),
    ("A: {B: [x], C: [x]}", "families.A.C", "the label 'x' is in two families, 'A / B' and 'A / C'",
     "Keep it in one."),
    ("A: [x]\nA: [y]", "", "the families cannot be read: 'A' occurs twice", "Write it as YAML or JSON."),
    ('{"A": ["x"], "A": ["y"]}', "", "the families cannot be read: 'A' occurs twice", "Write it as YAML or JSON."),
    ("OOF: [x]", "families", "a family is named OOF, which means out of family", "Rename it."),
    ("A: {OOF: [x]}", "families.A", "a family is named OOF, which means out of family", "Rename it."),
    ("Background: [x]", "families", "Background is a family of its own", "Leave it out."),
    ("A: {B: {Background: [x]}}", "families.A.B", "Background is a family of its own", "Leave it out."),
    ("A: [Background]", "families.A", "Background is a family of its own", "Leave it out."),
    ("A: x", "families.A", "'x' is not a list of labels", WRITE),
    ("A: 3", "families.A", "3 is not a list of labels", WRITE),
    ("A: {B: 3}", "families.A.B", "3 is not a list of labels", WRITE),
    ("A: [[x]]", "families.A", "['x'] is not a label's name", QUOTE),
    ("A: [1]", "families.A", "1 is not a label's name", QUOTE),
    ("A: {B: [1]}", "families.A.B", "1 is not a label's name", QUOTE),
    ("A: ['']", "families.A", "'' is not a label's name", QUOTE),
    ("1: [x]", "families", "1 is not a family's name", QUOTE),
    ("'': [x]", "families", "'' is not a family's name", QUOTE),
    ("no: [x]", "families", "False is not a family's name", QUOTE),
    ("a: &a {1: []}", "families.a", "1 is not a family's name", QUOTE),
    ("- x", "families", "['x'] is not a set of families", WRITE),
    ("", "families", "None is not a set of families", WRITE),
    ("\xff", "families", "'\xff' is not a set of families", WRITE),
    ("A: &a {B: *a}", "families", "there are more than 20 families inside each other", WRITE),
    (BOMB, "families", "there are more than 10,000 families", WRITE),
])  # fmt: skip
def test_wrong_files_are_named(text, place, problem, hint, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(text, "utf-8")
    for read in (lambda: family_tree(str(path), []), lambda: parse_tree(str(path), path.read_bytes())):
        with pytest.raises(lcm.InputError) as caught:
            read()
        assert caught.value.args == (str(path), place, problem, hint)


@pytest.mark.parametrize("data", [b"A: [x", b"A: !!python/object:os.system [x]", b"A: [\xff\xfe]"])
def test_files_that_are_not_yaml_are_named(data):
    fails(r"^x\.yaml: the families cannot be read: .*\. Write it as YAML or JSON\.$", parse_tree, "x.yaml", data)


def test_the_largest_and_the_deepest_tree():
    wide = {f"family {i}": [f"label {i}"] for i in range(10_000)}
    assert len(family_tree(wide, []).paths) == 10_000
    fails(r"^families: there are more than 10,000 families\.", family_tree, {**wide, "one more": []}, [])
    deep = ["label"]
    for i in range(20, 0, -1):
        deep = {f"family {i}": deep}
    assert family_tree(deep, []).paths == {"label": tuple(f"family {i}" for i in range(1, 21))}
    fails(r"^families: there are more than 20 families inside each other\.", family_tree, {"family 0": deep}, [])


@pytest.mark.parametrize(("given", "error"), [
    (5, ("", "families", "5 is not a set of families", WRITE)),
    (None, ("", "families", "None is not a set of families", WRITE)),
    (["a"], ("", "families", "['a'] is not a set of families", WRITE)),
    ({"F": {"a", 1, None}}, ("", "families.F", "1 is not a label's name", QUOTE)),
    (b"x", ("", "families", "b'x' is not a set of families", WRITE)),
    ("no such file.yaml", ("no such file.yaml", "", "there is no such file",
        "Check the name and the folder, or use a built-in tree: doclaynet, publaynet, docling, mixed.")),
])  # fmt: skip
def test_a_value_that_is_not_a_tree_is_an_error(given, error):
    with pytest.raises(lcm.InputError) as caught:
        family_tree(given, [])
    assert caught.value.args == error


@pytest.mark.parametrize(
    ("labels", "order"), [(["b", "a"], "ba"), (("b", "a"), "ba"), ({"b", "a"}, "ab"), (frozenset("ba"), "ab")]
)
def test_a_list_of_labels_keeps_its_order_and_a_set_is_sorted(labels, order):
    tree = family_tree({"F": labels, "G": None}, [])
    assert list(tree.paths.items()) == [(label, ("F",)) for label in order]


@pytest.mark.parametrize(
    ("name", "paths", "title", "depth", "families"),
    [
        ("", {}, "none", 0, []),
        ("", {"a": ("A",)}, "1 given", 1, ["A"]),
        ("", {"a": ("A",), "b": ("A", "A1"), "c": ("B", "B1", "B2")}, "2 given", 3, ["A", "A1", "B", "B1", "B2"]),
        ("trees/mine.yaml", {"a": ("A",)}, "mine", 1, ["A"]),
    ],
)
def test_the_title_the_depth_and_the_families_of_a_tree(name, paths, title, depth, families):
    tree = FamilyTree(name, paths)
    assert (tree.title, tree.depth, tree.families) == (title, depth, families)
    assert all(tree.full_path(label) == (*path, label) for label, path in paths.items())
    assert tree.full_path("elsewhere") == ("elsewhere",)


def test_unknown_labels_and_labels_without_family_are_reported(two_pages):
    c = lcm.compare(*two_pages)
    f = c.families({"table": ["picture", "titel"], "Text": ["title", "paragraph", "list_item"]})
    # the label table is in no family, but a family has its name: it counts there, as with a mapping
    assert f.findings == (
        Finding("family-label-unknown", 1, {"first": "titel"}),
        Finding("label-without-family", 1, {"first": "caption"}),
        Finding("label-like-family", 1, {"first": "table"}),
    )
    assert list(f.matrices) == ["Background", "table", "Text", "caption"]
    assert f.given_gt().set_index("label").loc["picture"].tolist() == [0.5, 0.5, 0, 160, "table"]
    mapped = lcm.compare(*two_pages, mapping={side: {"picture": "table"} for side in ("gt", "pred")})
    m = c.confusion(families={"table": ["picture"]})
    assert m.labels == mapped.labels and (m.values == mapped.confusion().values).all()


def test_findings_count_labels_and_name_the_first():
    tree = FamilyTree("", {"x": ("F",), "y": ("F",), "a": ("F", "G"), "z": ("H",)})
    found = tree_findings(tree, ["a", "b", "c", "F", "H", "G"])
    assert [(f.code, f.severity, f.count, f.message, f.hint) for f in found] == [
        ("family-label-unknown", "warning", 3,
         "3 labels are named by the families and used by neither side (first: 'x').", "Check their spelling."),
        # G is an inner family; only outermost families count labels with their name
        ("label-without-family", "info", 3,
         "3 labels are in no family; each counts as its own family (first: 'b').", ""),
        ("label-like-family", "info", 2,
         "2 labels are in no family but named like a family, and counted there (first: 'F').", ""),
    ]  # fmt: skip
    assert tree_findings(tree, ["x", "y", "a", "z"]) == []


def test_the_sample_data_includes_families(sample):
    f = sample.families(SAMPLE / "families.yaml")
    assert list(f.matrices) == ["Background", "Text", "Headings", "Floats", "Furniture"] and not f.findings
    assert f.given_gt().set_index("label").loc["Caption", "preferred"] == "Text"
    assert "|taxonomy:same|families:families|depth:1|sample:pixel|count:by side|v" in f.recipe


def test_built_in_trees_use_the_spelling_of_the_labels():
    best = lambda labels: next(iter(lcm.suggest_families(labels)), None)
    assert best(DOCLAYNET) == "doclaynet"
    assert best(["text", "title", "list", "table", "figure"]) == "publaynet"
    assert best(["text", "section_header", "document_index", "checkbox_selected", "code", "table"]) == "docling"
    assert best([*DOCLAYNET, "doc_title", "figure", "header"]) == "mixed"
    assert best(["cat", "dog"]) is None and best([]) is None
    spelled = lcm.suggest_families(["section header", "TEXT", "logo"])["doclaynet"]
    assert spelled == {"Text": {"Headings": ["section header"], "Body": ["TEXT"]}}
    tree = family_tree("doclaynet", DOCLAYNET)
    assert sorted(tree.paths) == DOCLAYNET and tree.depth == 2 and tree.name == "doclaynet"
    # labels are in the order of the tree
    assert list(tree.paths)[:3] == ["Title", "Section-header", "Text"]


def test_a_built_in_tree_is_suggested_if_it_contains_half_of_the_labels():
    names = lambda labels: list(lcm.suggest_families(labels))
    assert names(["figure", "cat"]) == ["publaynet", "mixed"]
    assert names(["figure", "cat", "dog"]) == []
    assert names(["field_key", "title", "cat"]) == ["docling"]
    # the number of labels decides, then the order of the trees
    assert names(["title", "chart", "code", "header"]) == ["mixed", "docling"]
    assert names(["title"]) == ["doclaynet", "publaynet", "docling", "mixed"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_trees_are_valid(name, two_pages):
    tree = family_tree(BUILT_IN[name], [])
    assert len({label.lower() for label in tree.paths}) == len(tree.paths)
    assert lcm.compare(*two_pages).families(name).given_gt()["total"].sum() == 500


def test_names_of_families_with_the_same_last_part():
    tree = FamilyTree("", {"a": ("Text", "Body"), "b": ("Figure", "Body"), "c": ("Figure",)})
    shown = display_paths(tree, ["a", "b", "c", "d"], 2)
    assert shown == {"a": ("Text", "Body"), "b": ("Figure", "Body"), "c": ("Figure", "c"), "d": ("d",)}
    assert list(path_names(shown.values()).values()) == ["Text / Body", "Figure / Body", "c", "d"]


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        ([()], ["Content"]),
        # each distinct path once
        ([("A", "B"), ("C", "B"), ("A", "B"), ("A / B",)], ["A / B", "C / B", "A / B′"]),
        ([("A", "x"), ("B", "x"), ("A / x",), ("C", "A / x′")], ["A / x", "B / x", "A / x′", "A / x′′"]),
        # Content is the name of all labels; a label Content beside it gets a mark, too
        ([(), ("Content",)], ["Content", "Content′"]),
    ],
)
def test_a_family_name_that_looks_like_a_path_gets_a_mark(paths, names):
    assert path_names(paths) == dict(zip(dict.fromkeys(paths), names))


@pytest.mark.parametrize(
    ("depth", "expanded", "shown"),
    [
        (0, [], {"a": "", "b": "", "F": "", "d": ""}),
        (0, ["F"], {"a": "", "b": "", "F": "", "d": ""}),
        (1, [], {"a": "F", "b": "F", "F": "F", "d": "d"}),
        (1, ["F"], {"a": "F/G", "b": "F/H", "F": "F/F", "d": "d"}),
        (1, ["F", "G"], {"a": "F/G/a", "b": "F/H", "F": "F/F", "d": "d"}),
        (1, ["G"], {"a": "F", "b": "F", "F": "F", "d": "d"}),
        (2, ["H"], {"a": "F/G", "b": "F/H/b", "F": "F/F", "d": "d"}),
        (9, [], {"a": "F/G/a", "b": "F/H/b", "F": "F/F", "d": "d"}),
    ],
)
def test_the_family_that_a_label_is_shown_as(depth, expanded, shown):
    tree = family_tree({"F": ["F", {"G": ["a"], "H": ["b"]}]}, [])
    found = display_paths(tree, ["a", "b", "F", "d"], depth, expanded)
    assert {label: "/".join(path) for label, path in found.items()} == shown


def test_an_unknown_expanded_family_is_named_with_the_first_12():
    tree = family_tree({f"F{i}": [f"label {i}"] for i in range(1, 14)}, [])
    with pytest.raises(lcm.InputError) as caught:
        display_paths(tree, ["label 1"], 1, ["F1", "Nope", "No"])
    known = "Families: 'F1', 'F2', 'F3', 'F4', 'F5', 'F6', 'F7', 'F8', 'F9', 'F10', 'F11', 'F12'."
    assert caught.value.args == ("", "expanded", "there is no family 'Nope'", known)


def test_the_most_frequent_confusion_in_words():
    assert [preferred_name(one) for one in ("OOF", None, "", "Text")] == ["out of family", "", "", "Text"]


@pytest.mark.parametrize(("depth", "used"), [(1, 1), (2, 2), (3, 2), (9, 2)])
def test_a_depth_beyond_the_tree_is_reported(depth, used):
    tree = family_tree(NESTED, [])
    beyond = Finding("depth-beyond-tree", values={"depth": depth, "used": 2})
    assert depth_within(tree, depth) == used and depth_findings(tree, depth) == [beyond] * (depth > used)


def test_a_depth_beyond_the_tree():
    gt = lcm.read(SAMPLE / "gt.json")
    c = lcm.compare(gt, gt)
    deep, deepest = (c.families(NESTED, depth=depth) for depth in (9, 2))
    assert (deep.depth, deepest.depth) == (2, 2) and deep.recipe == deepest.recipe and "|depth:2|" in deep.recipe
    assert "depth-beyond-tree" in {finding.code for finding in deep.findings}
    assert "depth-beyond-tree" not in {finding.code for finding in deepest.findings}
    assert "|depth:3|" in c.confusion(families=NESTED, depth=9).recipe  # the labels themselves
    assert c.families({}, depth=4).depth == 1
