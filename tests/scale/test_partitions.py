"""Parts, manifests and plans: what they fix, and what they refuse."""

import json
from hashlib import blake2b

import numpy as np
import pyarrow.parquet as pq
import pytest

import layoutcm as lcm
from layoutcm.layouts.stored_facts import MANIFEST_FILE
from layoutcm.scale.manifest import read_manifest
from layoutcm.scale.part_files import _own_table, read_part
from layoutcm.scale.partitions import document_part
from support.layouts import build
from support.parts import compared, digests, pair, write_sets
from support.paths import SAMPLE
from support.reading import fails


def test_the_part_of_a_document_is_its_blake2_digest():
    expected = int.from_bytes(blake2b("März.pdf".encode(), digest_size=8).digest(), "big") % 7
    assert document_part("März.pdf", 7) == expected
    assert [document_part(f"d{i}", 4) for i in range(6)] == [1, 3, 1, 0, 0, 3]


def test_a_document_is_in_one_part_and_a_row_group_has_whole_pages(tmp_path, monkeypatch):
    monkeypatch.setattr("layoutcm.scale.partitions.ROWS_IN_GROUP", 5)
    gt, _ = pair()
    manifest = lcm.partition(gt, tmp_path / "gt", 3)
    table = manifest.page_table().to_pandas()
    assert table.groupby("document")["part"].nunique().max() == 1
    assert len(table) == 40 and table["regions"].sum() == len(gt.region_columns) == manifest.regions
    groups = 0
    for part in range(3):
        file = pq.ParquetFile(manifest.part_place(part))
        pages = [set(file.read_row_group(i)["page"].to_pylist()) for i in range(file.num_row_groups)]
        groups += len(pages)
        assert sum(map(len, pages)) == len(set().union(*pages))
    assert groups > 6


def test_the_parts_together_are_the_layout(tmp_path):
    gt, _ = pair()
    lcm.partition(gt, tmp_path / "gt", 3)
    again = lcm.read(tmp_path / "gt")
    assert again.labels == gt.labels
    rows = lambda layout: layout.regions.sort_values(list(layout.regions.columns), ignore_index=True)
    assert rows(again).equals(rows(gt))


def test_only_an_old_set_of_parts_is_replaced(tmp_path):
    gt, _ = pair()
    lcm.partition(gt, tmp_path / "gt", 3)
    lcm.partition(gt, tmp_path / "gt", 2)
    names = [f"part-0000{part}.parquet" for part in range(2)]
    assert sorted(path.name for path in (tmp_path / "gt").iterdir()) == [MANIFEST_FILE, *names]
    (tmp_path / "gt" / "notes.txt").write_text("mine")
    fails(r"'notes\.txt', which no set of parts has written", lcm.partition, gt, tmp_path / "gt", 2)


def test_the_set_of_another_layout_is_replaced_only_if_it_is_said(tmp_path):
    gt, pred = pair()
    lcm.partition(gt, tmp_path / "set", 3)
    fails(
        "holds another set of parts .* which would be replaced.*--overwrite", lcm.partition, pred, tmp_path / "set", 3
    )
    assert lcm.partition(pred, tmp_path / "set", 3, overwrite=True).regions == len(pred.regions)


def test_a_set_like_another_has_the_same_parts(tmp_path):
    gt, pred = pair()
    lcm.partition(gt, tmp_path / "gt", 4)
    like = lcm.partition(pred, tmp_path / "pred", like=tmp_path / "gt").page_table().to_pandas()
    own = read_manifest(tmp_path / "gt").page_table().to_pandas().set_index("page")["part"]
    known = like[like["page"].isin(own.index)]
    assert (own[known["page"]].to_numpy() == known["part"].to_numpy()).all() and len(known) == 37
    lcm.compare_partitions(tmp_path / "gt", tmp_path / "pred", tmp_path / "out")
    assert not (tmp_path / "out" / "pred").exists()  # nothing had to be cut anew


def with_crowd():
    """A COCO file with a crowd and a region of the same label; width and height do not fit into the corners exactly."""
    image, row = {"id": 7, "file_name": "a.png", "width": 20, "height": 20}, {"image_id": 7, "category_id": 3}
    rows = [{**row, "bbox": [1.1, 1, 5.1, 5.2], "area": 3.5, "iscrowd": k, "id": k + 1} for k in (1, 0)]
    coco = {"images": [image], "categories": [{"id": 3, "name": "x"}, {"id": 4, "name": "y"}], "annotations": rows}
    return lcm.read(("a.json", json.dumps(coco).encode()))


@pytest.mark.parametrize("layout", [pair()[1], with_crowd()], ids=["boxes", "crowd"])
def test_a_part_is_read_column_by_column_as_any_other_file(tmp_path, layout):
    manifest = lcm.partition(layout, tmp_path / "set", 1)
    with open(manifest.part_place(0), "rb") as file:
        assert _own_table("part", file, "box", None) is not None
    fast, slow = read_part(manifest.part_place(0)), lcm.read(manifest.part_place(0))
    assert fast.labels == slow.labels and fast.label_keys == slow.label_keys
    assert fast.pages.equals(slow.pages) and fast.regions.equals(slow.regions) and len(fast.regions)
    if slow.region_columns.coco:
        for name in ("crowd", "areas", "sizes"):
            a, b = (getattr(one.region_columns.coco, name) for one in (fast, slow))
            assert np.array_equal(a, b, equal_nan=True)
    at = np.unique([0, len(slow.pages) - 1])
    few = read_part(manifest.part_place(0), pages=at)
    assert few.pages.equals(slow.pages.iloc[at].reset_index(drop=True))
    own = slow.regions[slow.regions["page"].isin(few.pages["page"])].reset_index(drop=True)
    assert few.regions.equals(own) and len(own)


def test_a_manifest_for_a_folder_of_other_files(tmp_path):
    """Its labels are those of all parts, in the order of the parts; it may lie elsewhere, and the set can be moved."""
    folder = tmp_path / "here" / "set"
    folder.mkdir(parents=True)
    for name, label in (("2", "b"), ("10", "a")):
        layout = build({f"p{name}": (9, 9)}, [(f"p{name}", label, 0, 0, 3, 3)], name=name)
        lcm.write(layout, "parquet", folder / f"{name}.parquet")
    manifest = lcm.make_manifest(folder, tmp_path / "here" / "m.parquet")
    assert manifest.facts.labels == ["b", "a"]
    assert [part.file for part in manifest.facts.parts] == ["set/2.parquet", "set/10.parquet"]
    (tmp_path / "here").rename(tmp_path / "there")
    moved = tmp_path / "there" / "m.parquet"
    stored = lcm.compare_partitions(moved, moved, tmp_path / "out")
    assert stored.confusion().values.tolist() == [[144.0, 0, 0], [0, 9.0, 0], [0, 0, 9.0]]


def test_a_page_in_two_parts_is_refused(tmp_path):
    for name in "ab":
        lcm.write(build({"p": (9, 9)}, [("p", "x", 0, 0, 3, 3)], name=name), "parquet", tmp_path / f"{name}.parquet")
    fails(r"b\.parquet: the page 'p' is also in a\.parquet", lcm.make_manifest, tmp_path)


def test_parts_of_mixed_formats_are_refused(tmp_path):
    from layoutcm.scale.manifest import ManifestBuilder

    layout = build({"p": (9, 9)}, [("p", "x", 0, 0, 3, 3)])
    lcm.write(layout, "parquet", tmp_path / "a.parquet")
    builder = ManifestBuilder("set", tmp_path)
    builder.add(tmp_path / "a.parquet", layout)
    other = lcm.read(tmp_path / "a.parquet")
    with pytest.raises(lcm.InputError, match=r"a\.parquet: this part is parquet, and the first part, .* is test"):
        builder.add(tmp_path / "a.parquet", other)


def rewrite_part(folder, label):
    """Write the first part that has regions again, with a new label on its first region; returns its name."""
    manifest = read_manifest(folder)
    number = next(i for i, part in enumerate(manifest.facts.parts) if part.regions)
    place = manifest.part_place(number)
    layout = lcm.read(place)
    regions = layout.region_columns
    regions.label[0] = len(layout.labels)
    layout.labels.append(label)
    lcm.write(layout, "parquet", place)
    return manifest.facts.parts[number].file


def test_a_label_that_the_plan_does_not_know_is_named_before_anything_is_counted(tmp_path):
    gt, pred = write_sets(tmp_path)
    part = rewrite_part(pred, "new label")
    with pytest.raises(lcm.InputError, match=f"{part}, label: the plan does not know the label 'new label'"):
        lcm.compare_partitions(gt, pred, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    stored = lcm.compare_partitions(gt, pred, tmp_path / "out", missing_labels="add")
    assert stored.labels[-1] == "new label"
    assert {one.code: one.count for one in stored.findings}["label-added"] == 1
    in_memory = lcm.compare(lcm.read(gt), lcm.read(pred))
    assert np.array_equal(stored.confusion().values, in_memory.confusion().values)


def test_a_part_with_other_pages_is_refused(tmp_path):
    gt, pred = write_sets(tmp_path)
    place = read_manifest(gt).part_place(0)
    lcm.write(build({"other": (9, 9)}, [("other", "a", 0, 0, 3, 3)], "abcd"), "parquet", place)
    with pytest.raises(lcm.InputError, match=r"part-00000\.parquet: its pages are not those that the manifest lists"):
        lcm.compare_partitions(gt, pred, tmp_path / "out")


def test_shards_of_hugging_face(tmp_path):
    """Two shards with the columns of object detection; labels are the names that the shards declare."""
    import pyarrow as pa

    for side, shift in (("gt", 0.0), ("pred", 1.0)):
        (tmp_path / side).mkdir()
        for k in range(2):
            names = [f"{k}-{i}.png" for i in range(3)]
            objects = [{"bbox": [[1.0 + shift, 1.0, 4.0, 4.0]], "category": [i % 2]} for i in range(3)]
            table = pa.table({"file_name": names, "width": [10] * 3, "height": [10] * 3, "objects": objects})
            category = {"category": {"names": ["a", "b"], "_type": "ClassLabel"}}
            classes = {"objects": {"feature": category, "_type": "Sequence"}}
            info = json.dumps({"info": {"features": classes}})
            pq.write_table(table.replace_schema_metadata({"huggingface": info}), tmp_path / side / f"{k}.parquet")
        lcm.make_manifest(tmp_path / side)
    stored = lcm.compare_partitions(tmp_path / "gt", tmp_path / "pred", tmp_path / "out")
    in_memory = lcm.compare(lcm.read(tmp_path / "gt"), lcm.read(tmp_path / "pred"))
    assert stored.pages == [f"{k}-{i}.png" for k in range(2) for i in range(3)]
    assert np.array_equal(stored.confusion().values, in_memory.confusion().values)
    assert stored.confusion().values.sum() == 600


@pytest.mark.parametrize("side", ["gt", "pred"])
def test_pages_of_both_sides_are_those_of_the_plan(tmp_path, side):
    """A part with other pages than the plan lists is refused, also when a finished result reads a page of it."""
    gt, pred = write_sets(tmp_path)
    lcm.partition(pair()[1], pred, like=gt)
    stored = lcm.compare_partitions(gt, pred, tmp_path / "out")
    part = tmp_path / side / "part-00001.parquet"
    table = pq.read_table(part)
    others = [f"other {name}" for name in table["page"].to_pylist()]
    pq.write_table(table.set_column(table.column_names.index("page"), "page", [others]), part)
    plan = tmp_path / "out" / "plan" / "part-00001.parquet"
    shown = next(row["page"] for row in pq.read_table(plan).to_pylist() if row["gt"] >= 0 and row["pred"] >= 0)
    fails("its pages are not those that the plan lists", stored.objects, page=shown)
    (tmp_path / "out" / "counts" / "part-00001.json").unlink()
    fails(r"part-00001\.parquet: its pages are not those that the plan lists", lcm.count_part, plan)


def test_a_page_that_a_page_map_renames(tmp_path):
    """The map says that the page c of pred is b of gt; b of pred is left, and has another name in the comparison."""
    gt = build({"a": (9, 9), "b": (9, 9)}, [("a", "x", 0, 0, 4, 4), ("b", "x", 0, 0, 5, 5)], "x", "gt")
    pred = build({"b": (9, 9), "c": (9, 9)}, [("b", "x", 0, 0, 4, 4), ("c", "x", 0, 0, 2, 2)], "x", "pred")
    options = {"pages": {"b": "c"}, "missing_pages": "penalise-both"}
    stored, in_memory = compared(tmp_path, gt, pred, 2, 2, **options), lcm.compare(gt, pred, **options)
    assert sorted(stored.pages) == ["a", "b", "b (pred)"]
    assert sorted(stored.page_matches().values.tolist()) == sorted(in_memory.page_matches().values.tolist())
    assert np.array_equal(stored.confusion().values, in_memory.confusion().values)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"shapes": "circle"}, "shapes: 'circle' is not known. Use one of box, polygon"),
        ({"fix": "flop"}, "fix: 'flop' is not known"),
        ({"fix_gt": ["flip-y", "pages:1"]}, "the repair 'pages:1' needs all pages of gt at once"),
        ({"why": True, "truth": False}, "why: causes and score curves need a ground truth"),
    ],
)
def test_options_are_checked_before_anything_is_written(tmp_path, sets, options, problem):
    for start in (lcm.compare_partitions, lcm.plan_partitions):
        fails(problem, start, *sets, tmp_path / "out", **options)
    fails("option: 'documents' is not known", lcm.plan_partitions, *sets, tmp_path / "out", documents="x")
    assert not (tmp_path / "out").exists()


def test_cutting_in_several_passes(tmp_path, monkeypatch):
    """Small parts are written when they are complete, larger ones in row groups; the regions are the same."""
    gt, pred = write_sets(tmp_path, 9, 7)
    lcm.compare_partitions(gt, pred, tmp_path / "once")
    for name, value in {"MOST_OPEN": 2, "MOST_WAITING": 6, "PIECES": 2}.items():
        monkeypatch.setattr(f"layoutcm.scale.page_pairs.{name}", value)
    lcm.compare_partitions(gt, pred, tmp_path / "often")
    parts = sorted((tmp_path / "once" / "pred").iterdir())
    assert len(parts) == 7  # of 9; two have no pages
    for part in parts:
        other = tmp_path / "often" / "pred" / part.name
        assert pq.read_table(part).to_pylist() == pq.read_table(other).to_pylist()
    assert max(pq.read_metadata(path).num_row_groups for path in (tmp_path / "often" / "pred").iterdir()) > 1


@pytest.mark.parametrize("named", ["link", "folder"])
def test_a_result_behind_a_link(tmp_path, sets, named):
    """It finds its parts by the link and without it, whichever was named when it was made."""
    places = {"folder": tmp_path / "a" / "long" / "way" / "out", "link": tmp_path / "links" / "out"}
    places["folder"].mkdir(parents=True)
    places["link"].parent.mkdir()
    places["link"].symlink_to(places["folder"])
    lcm.compare_partitions(*sets, places[named])
    for place in places.values():
        stored = lcm.open_comparison(place, trusted=[tmp_path])
        assert len(stored.objects(page=stored.pages[5]).gt_counts) == 4


def test_a_wrong_place_is_named_with_what_it_is(tmp_path):
    gt, pred = write_sets(tmp_path, 3, 3)
    out, other, empty, no_manifest = (tmp_path / name for name in ("out", "other", "empty", "no manifest"))
    lcm.compare_partitions(gt, pred, out)
    before, start = digests(out), lcm.compare_partitions
    empty.mkdir()
    no_manifest.mkdir()
    lcm.write(pair()[0], "parquet", no_manifest / MANIFEST_FILE)
    for call, problem in (
        (lambda: start(tmp_path / "nowhere", pred, other), "nowhere: there is no such folder"),
        (lambda: start(SAMPLE / "gt.json", pred, other), r"gt\.json: this is a file, and not a folder of parts"),
        (lambda: start(empty, empty, other), "layoutcm manifest"),  # how to write one
        (lambda: start(no_manifest, no_manifest, other), "this is not a manifest"),
        (lambda: lcm.count_part(out), r"out: this is a folder, and not a file.* the folder plan"),
        (lambda: lcm.merge_counts([out / "counts"]), "counts: this is a folder, and not a file"),
        (lambda: lcm.open_comparison(out / "result.json"), r"result\.json: this is a file, and not a folder"),
        (lambda: lcm.partition(pair()[0], other), "the number of parts is missing"),
        (lambda: start(gt, pred, out, min_score=0.5), r"which differs in min_score, recipe of plan\.json"),
        (lambda: start(gt, pred, out, rounding="nearest"), "the results of another comparison"),
    ):
        fails(problem, call)
    assert digests(out) == before
