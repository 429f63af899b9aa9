"""Trees of families: valid and wrong files, built-in trees, and the names that labels are shown as."""

import json

import pytest

import layoutcm as lcm
from layoutcm.metrics.family_trees import BUILT_IN, FamilyTree, display_paths, family_tree, parse_tree, path_names
from support.paths import SAMPLE

NESTED = {"Text": {"Headings": ["Title", "Section-header"], "Body": ["Text"]}, "Figure": ["Picture"]}
DOCLAYNET = ["Caption", "Footnote", "Formula", "List-item", "Page-footer", "Page-header", "Picture", "Section-header",
             "Table", "Text", "Title"]  # fmt: skip


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


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("A: [x]\nB: [x]", "'x' is in two families, 'A' and 'B'"),
        ("A: [x, x]", "two families"),
        ("A: {B: [x], C: [x]}", "'A / B' and 'A / C'"),
        ("A: [x]\nA: [y]", "'A' occurs twice"),
        ('{"A": ["x"], "A": ["y"]}', "'A' occurs twice"),
        ("OOF: [x]", "out of family"),
        ("A: {OOF: [x]}", "out of family"),
        ("Background: [x]", "Background is a family of its own"),
        ("A: [Background]", "Background is a family of its own"),
        ("A: x", "'x' is not a list of labels"),
        ("A: 3", "3 is not a list of labels"),
        ("A: [[x]]", r"\['x'\] is not a label"),
        ("A: [1]", "1 is not a label"),
        ("A: ['']", "'' is not a label"),
        ("1: [x]", "1 is not a family"),
        ("no: [x]", "False is not a family"),
        ("- x", r"\['x'\] is not a set of families"),
        ("", "None is not a set of families"),
        ("A: [x", "cannot be read"),
        ("A: !!python/object:os.system [x]", "cannot be read"),
        ("A: &a {B: *a}", "inside each other"),
        ("a: &a {1: []}", "1 is not a family"),
        ("\xff", "is not a set of families"),
    ],
)  # fmt: skip
def test_wrong_files_are_named(text, problem, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(lcm.InputError, match=problem) as caught:
        family_tree(str(path), [])
    assert caught.value.file == str(path) and caught.value.hint


def test_a_file_with_too_many_references_is_an_error():
    lines = ["a0: &a0 {x: [], y: [], z: []}"]
    lines += [f"a{i}: &a{i} {{p: *a{i - 1}, q: *a{i - 1}, r: *a{i - 1}, s: *a{i - 1}}}" for i in range(1, 8)]
    with pytest.raises(lcm.InputError, match="more than 10,000 families"):
        parse_tree("bomb.yaml", "\n".join(lines).encode())


@pytest.mark.parametrize("given", [5, None, ["a"], "no such file.yaml", b"x"])
def test_a_value_that_is_not_a_tree_is_an_error(given):
    with pytest.raises(lcm.InputError):
        family_tree(given, [])


def test_bytes_that_are_not_text():
    with pytest.raises(lcm.InputError, match="cannot be read"):
        parse_tree("x.yaml", b"A: [\xff\xfe]")


def test_unknown_labels_and_labels_without_family_are_reported(two_pages):
    c = lcm.compare(*two_pages)
    f = c.families({"table": ["picture", "titel"], "Text": ["title", "paragraph", "list_item"]})
    found = {finding.code: finding for finding in f.findings}
    assert "'titel'" in found["family-label-unknown"].message and found["family-label-unknown"].hint
    assert "'caption'" in found["label-without-family"].message
    # the label table is in no family, but a family has its name: it counts there, as with a mapping
    assert "'table'" in found["label-like-family"].message
    assert list(f.matrices) == ["Background", "table", "Text", "caption"]
    assert f.given_gt().set_index("label").loc["picture"].tolist() == [0.5, 0.5, 0, 160, "table"]
    mapped = lcm.compare(*two_pages, mapping={side: {"picture": "table"} for side in ("gt", "pred")})
    m = c.confusion(families={"table": ["picture"]})
    assert m.labels == mapped.labels and (m.values == mapped.confusion().values).all()


def test_the_sample_data_includes_families(sample):
    f = sample.families(SAMPLE / "families.yaml")
    assert list(f.matrices) == ["Background", "Text", "Headings", "Floats", "Furniture"] and not f.findings
    assert f.given_gt().set_index("label").loc["Caption", "preferred"] == "Text"
    assert "|taxonomy:same|families:families|depth:1|sample:pixel|count:pairs|v" in f.recipe


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
    assert sorted(tree.paths) == DOCLAYNET and tree.depth == 2


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
    names = path_names([("A", "B"), ("C", "B"), ("A / B",)])
    assert len(set(names.values())) == 3
    assert path_names([()]) == {(): "Content"}


def test_a_depth_beyond_the_tree():
    gt = lcm.read(SAMPLE / "gt.json")
    c = lcm.compare(gt, gt)
    deep, deepest = (c.families(NESTED, depth=depth) for depth in (9, 2))
    assert (deep.depth, deepest.depth) == (2, 2) and deep.recipe == deepest.recipe and "|depth:2|" in deep.recipe
    assert "depth-beyond-tree" in {finding.code for finding in deep.findings}
    assert "depth-beyond-tree" not in {finding.code for finding in deepest.findings}
    assert "|depth:3|" in c.confusion(families=NESTED, depth=9).recipe  # the labels themselves
    assert c.families({}, depth=4).depth == 1
