"""Session files: the same numbers and findings after saving and opening, the same bytes, no paths of the machine."""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import layoutcm as lcm
from layoutcm.alignment.taxonomy import load_mapping, mapping_for
from layoutcm.drawing.page_images import ImageFile, PageImages, images_from_files, images_from_folder
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.repairs import repair
from layoutcm.layouts.table_writers import as_parquet
from layoutcm.layouts.writers import written
from layoutcm.ui.files.input_file import (
    Origin,
    input_from_bytes,
    input_from_path,
    read_layout,
    read_page_map,
    rows_of,
    stored_input,
)
from layoutcm.ui.files.session_files import CONTENTS, SessionContents, is_session_file, read_session, write_session
from support.app_runner import coco
from support.full_layouts import full_layouts, page_facts, region_facts
from support.generated_pages import LABELS, layouts, page
from support.image_files import pdf, png, zipped
from support.paths import SAMPLE

PAGE = coco(["a", "b"], [(0, [0, 0, 20, 20]), (1, [20, 0, 20, 20])])


def contents_of(gt, *preds, **more):
    """The session of inputs, without page maps unless given."""
    return SessionContents(gt, preds, more.pop("page_maps", (None,) * len(preds)), **more)


def opened(data):
    return read_session(input_from_bytes("saved.layoutcm", data))


def saved_and_opened(contents):
    return opened(write_session(contents))


def comparisons(contents):
    """The comparisons that the dashboard shows for a session."""

    def repairs(side):
        return [text.partition("=")[2] for text in contents.repairs if text.startswith(f"{side}=")]

    gt = repair(read_layout(contents.gt, None, None, contents.sizes), repairs("gt"))
    for i, (given_pred, page_map) in enumerate(zip(contents.preds, contents.page_maps)):
        pred = repair(read_layout(given_pred, gt, page_map, contents.sizes), repairs(i))
        mapping = mapping_for(contents.mapping, str(i)) or None
        yield lcm.compare(gt, pred, pages=read_page_map(page_map), mapping=mapping)


def results(contents):
    """Everything that a comparison writes as JSON: numbers of pages and classes, findings, formats, digests, recipe."""
    asked = Asked(per_page=True)
    return [json.loads(result_of(compared, asked=asked).to_json()) for compared in comparisons(contents)]


@settings(max_examples=40)
@given(
    st.lists(page, min_size=1, max_size=3),
    st.sampled_from(["csv", "coco", "parquet"]),
    st.sampled_from([(), ("gt=flip-y",), ("0=scale:2", "0=flip-y")]),
    st.sampled_from([{}, {"pred": {LABELS[0]: LABELS[1]}}, {"preds": {"0": {LABELS[2]: "Background"}}}]),
)
def test_numbers_and_findings_are_the_same_after_opening(pages, format, repairs, mapping):
    gt, pred = (
        input_from_bytes(f"{side}.{format}", written(layout, format)[0])
        for side, layout in zip(("gt", "pred"), layouts(pages))
    )
    before = contents_of(gt, pred, repairs=repairs, mapping=mapping)
    after = saved_and_opened(before)
    assert (after.repairs, after.mapping) == (repairs, mapping)
    assert results(after) == results(before)


@settings(max_examples=30)
@given(full_layouts())
def test_everything_that_a_layout_holds_is_in_the_file(layout):
    def stored(one):
        return read_layout(stored_input(one.name, as_parquet(one), Origin(one.format, None)), None, None, "")

    box_layout = stored(layout)  # the dashboard reads boxes, not outlines
    given_gt = stored_input(box_layout.name, as_parquet(box_layout), Origin("test", "0" * 64))
    after = read_layout(saved_and_opened(contents_of(given_gt, given_gt)).gt, None, None, "")
    assert (after.name, after.format, after.sha256) == (box_layout.name, "test", "0" * 64)
    assert page_facts(after) == page_facts(box_layout) and after.labels == box_layout.labels
    for regions in ("region_columns", "dropped", "ignore_areas"):
        assert region_facts(getattr(after, regions)) == region_facts(getattr(box_layout, regions))
    assert after.findings == box_layout.findings and after.keys == box_layout.keys


@settings(max_examples=30)
@given(full_layouts())
def test_regions_keep_their_rows(layout):
    """Also if the original file does not have them page by page."""
    layout = replace(layout, region_columns=replace(layout.region_columns, shapes={}))
    given_input = stored_input("a.json", as_parquet(layout), Origin("coco", None, rows_of(layout)))
    stored = read_layout(given_input, None, None, "")
    before, after = layout.region_columns, stored.region_columns
    assert after.page.tolist() == before.page.tolist() and after.label.tolist() == before.label.tolist()
    assert after.boxes.tolist() == before.boxes.tolist() and after.ignored.tolist() == before.ignored.tolist()


def test_a_file_whose_pages_are_mixed_has_rows():
    pages = [{"id": i, "file_name": f"p{i}.png", "width": 50, "height": 40} for i in (1, 2)]
    region = lambda i, page: {"id": i, "image_id": page, "category_id": 1, "bbox": [10 * i, 0, 9, 9]}
    regions = [region(i, page) for i, page in enumerate((1, 2, 1))]
    file = {"images": pages, "categories": [{"id": 1, "name": "a"}], "annotations": regions}
    gt = input_from_bytes("gt.json", json.dumps(file).encode())
    data = write_session(contents_of(gt, gt))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.read("layouts/gt.rows") == b"\0\0\0\0\2\0\0\0\1\0\0\0"
    layout = read_layout(opened(data).gt, None, None, "")
    assert layout.region_columns.page.tolist() == [0, 1, 0]
    assert layout.region_columns.boxes[:, 0].tolist() == [0, 10, 20]
    assert write_session(opened(data)) == data


@pytest.fixture(scope="module")
def sample_contents():
    files = [input_from_path(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv", "model-c.json")]
    mapping = {"preds": {"1": dict(load_mapping(SAMPLE / "mapping.yaml")["pred"])}}
    return contents_of(
        *files,
        mapping=mapping,
        choices={"gt_label": "Caption", "pred_label": "Text", "families": "doclaynet", "pred": "1"},
        decisions={"p1/3": {"verdict": "accepted", "note": "Ä <b>"}},
        pictures=images_from_folder(SAMPLE / "images").pictures,
    )


def test_the_sample_gives_the_same_results_and_choices(sample_contents):
    after = saved_and_opened(sample_contents)
    assert results(after) == results(sample_contents)
    assert after.choices == sample_contents.choices and after.decisions == sample_contents.decisions
    assert [one.name for one in after.preds] == ["model-a.json", "model-b.csv", "model-c.json"]


def test_the_same_session_has_the_same_bytes_also_after_opening(sample_contents):
    data = write_session(sample_contents)
    assert data == write_session(sample_contents) == write_session(opened(data))
    assert is_session_file("renamed.zip", data) and not is_session_file("a.zip", zipped(**{"a.json": PAGE}))


def test_objects_have_the_same_average_precision(sample_contents):
    before, after = (next(comparisons(one)).objects() for one in (sample_contents, saved_and_opened(sample_contents)))
    assert before.ap_at(0.5)["Table"] > 0.5 and after.ap_at(0.5) == pytest.approx(before.ap_at(0.5), nan_ok=True, abs=0)


def test_a_folder_is_stored_without_its_path(tmp_path):
    folder = tmp_path / "secret place" / "labels"
    folder.mkdir(parents=True)
    for name, data in {"p1.txt": b"0 .25 .2 .1 .2", "data.yaml": b"names: [a]", "odd.xyz": b"?"}.items():
        (folder / name).write_bytes(data)
    (folder / "p1.png").write_bytes(png())
    before = contents_of(input_from_path(folder), input_from_path(folder))
    assert any(str(folder) in one.message for one in read_layout(before.gt, None, None, "").findings)
    data = write_session(before)
    after = opened(data)
    layout = read_layout(after.gt, None, None, "")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
        assert all(not name.startswith(("/", "\\")) and ".." not in name for name in archive.namelist())
    assert b"secret" not in everything and "secret" not in repr(layout.findings)
    assert layout.name == "labels" and any(one.message.startswith("labels: ") for one in layout.findings)


def test_a_page_map_and_a_given_page_size_are_kept():
    without_sizes = b"page,label,x0,y0,x1,y1\nother,a,0,0,20,20\n"
    page_map = input_from_bytes("map.csv", b"gt,pred\np1.png,other\n")
    gt, pred = input_from_bytes("gt.json", PAGE), input_from_bytes("pred.csv", without_sizes)
    before = contents_of(gt, pred, page_maps=(page_map,))
    after = saved_and_opened(before)
    assert after.page_maps[0].data == page_map.data and results(after) == results(before)
    sized = contents_of(input_from_bytes("gt.csv", without_sizes), pred, sizes="50x40")
    assert saved_and_opened(sized).sizes == "" and results(saved_and_opened(sized)) == results(sized)


def test_coco_results_are_repaired_as_before():
    """They take their pages from gt: a repair of page numbers moves regions instead of renaming pages."""
    files = (input_from_path(SAMPLE / name) for name in ("gt.json", "model-a.json"))
    before = contents_of(*files, repairs=("0=pages:1",))
    assert results(saved_and_opened(before)) == results(before)


def test_a_prediction_that_cannot_be_read_is_left_out_and_the_others_keep_what_is_theirs():
    good, broken = input_from_bytes("good.json", PAGE), input_from_bytes("broken.json", PAGE[:-30])
    before = contents_of(
        good,
        broken,
        replace(good, name="second.json"),
        repairs=("0=flip-y", "1=scale:1", "gt=scale:1"),
        mapping={"pred": {"a": "b"}, "preds": {"0": {"x": "y"}, "1": {"b": "a"}}},
        choices={"pred": "1", "view": "precision"},
    )
    after = saved_and_opened(before)
    assert after.left_out == ("broken.json",) and [one.name for one in after.preds] == ["second.json"]
    assert after.repairs == ("0=scale:1", "gt=scale:1")
    assert after.mapping == {"pred": {"a": "b"}, "preds": {"0": {"b": "a"}}}
    assert after.choices == {"pred": "0", "view": "precision"}
    with pytest.raises(lcm.InputError, match="no prediction of this session can be read"):
        write_session(contents_of(good, broken))


def test_page_images_are_matched_as_before():
    two = json.loads(PAGE.replace(b"p1.png", b"report_p2.png"))
    two["images"].append(two["images"][0] | {"id": 2, "file_name": "deep/scan.png"})
    data = json.dumps(two).encode()
    both = contents_of(input_from_bytes("gt.json", data), input_from_bytes("pred.json", data))
    given_images = [
        ImageFile("report.pdf", "1", pdf()),
        ImageFile("scans.zip", "2", zipped(**{"deep/scan.png": png(), "no.txt": b""})),
    ]
    before = replace(both, pictures=images_from_files(given_images).pictures)
    after = saved_and_opened(before)
    assert [(one.file, one.page_index, one.page_count) for one in after.pictures] == [
        ("report.pdf", 0, 2), ("report.pdf", 1, 2), ("deep/scan.png", 0, 1)
    ]  # fmt: skip
    (compared,) = comparisons(after)
    found = PageImages(after.pictures).by_page(compared)
    assert sorted((page, one.name) for page, one in found.items()) == [(0, "report_p2"), (1, "deep/scan.png")]
    assert found[1].file_bytes() == png()


def test_a_session_has_images_only_if_they_are_given(sample_contents):
    with zipfile.ZipFile(io.BytesIO(write_session(replace(sample_contents, pictures=())))) as archive:
        assert archive.namelist() == [
            CONTENTS,
            *(f"layouts/{name}.parquet" for name in ("gt", "pred-0", "pred-1", "pred-2")),
        ]
    after = saved_and_opened(sample_contents)
    assert len(after.pictures) == 60
    assert after.pictures[0].file_bytes() == Path(sample_contents.pictures[0].path).read_bytes()
