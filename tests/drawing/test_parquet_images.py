"""Images in Parquet files of Hugging Face and docling-eval are page images; each is read when it is shown."""

import io
import json

import pyarrow as pa
import pytest
from PIL import Image

import layoutcm as lcm
from layoutcm.drawing.page_images import ImageFile, images_from_files, images_from_path, load_shrunk
from layoutcm.formats import huggingface_pages
from layoutcm.formats.content import FileContent
from layoutcm.formats.parquet_images import image_bytes
from layoutcm.layouts import limits
from layoutcm.ui.files.visitor_files import input_from_bytes, pictures_of_files, pictures_of_folder, shrunk_image
from written import PAGES
from written.hf import IMAGE_STRUCT, doclaynet_table, objects_table, parquet_bytes

SHADES = [0, 80, 160, 240]


def image_of_shade(shade):
    out = io.BytesIO()
    Image.new("L", (40, 30), shade).save(out, "PNG")
    return out.getvalue()


def shaded_table():
    """The pages of DocLayNet, each with an image of another shade of grey."""
    images = [{"bytes": image_of_shade(shade), "path": None} for shade in SHADES]
    return doclaynet_table(PAGES).set_column(0, "image", pa.array(images, IMAGE_STRUCT))


def shades_of(pictures):
    return [load_shrunk(picture, 20).getpixel((5, 5))[0] for picture in pictures]


@pytest.mark.parametrize("options", [{}, {"row_group_size": 1}, {"row_group_size": 3}], ids=str)
def test_each_row_has_the_picture_of_its_page(tmp_path, options):
    path = tmp_path / "train.parquet"
    path.write_bytes(parquet_bytes(shaded_table(), **options))
    gt = lcm.read(path)
    from_bytes = images_from_files([ImageFile("train.parquet", "d", path.read_bytes())])
    for images in (images_from_path(path), images_from_path(tmp_path), from_bytes):
        by_page = images.by_page(lcm.compare(gt, gt))
        assert [by_page[i].name for i in range(4)] == [page.name for page in PAGES]
        assert shades_of(by_page[i] for i in range(4)) == SHADES
        assert images.unmatched_files(lcm.compare(gt, gt)) == []
    assert all(not picture.data for picture in images_from_path(path).pictures)


def test_no_image_is_read_before_it_is_shown(tmp_path, monkeypatch):
    path = tmp_path / "train.parquet"
    path.write_bytes(parquet_bytes(shaded_table()))
    monkeypatch.setattr(huggingface_pages, "iter_row_group", lambda *_: pytest.fail("read"))
    assert len(images_from_path(path).pictures) == 4


def test_a_visitor_may_drop_the_file_as_images_or_as_ground_truth(tmp_path):
    given = input_from_bytes("train.parquet", parquet_bytes(shaded_table()))
    table = input_from_bytes("t.parquet", parquet_bytes(pa.table({"label": ["a"]})))
    for pictures in (pictures_of_files([given], []), pictures_of_files([], [given, table])):
        assert [picture.member for picture in pictures] == [page.name for page in PAGES]
        assert shrunk_image(pictures[2], 20, given.data).getpixel((0, 0)) == (160, 160, 160)
    with pytest.raises(lcm.InputError, match="this Parquet file has no page images"):
        pictures_of_files([table], [])
    for one in (given, table):
        (tmp_path / one.name).write_bytes(one.data)
    assert len(pictures_of_folder(str(tmp_path / given.name))) == 4
    assert pictures_of_folder(str(tmp_path / table.name)) == ()


def test_rows_without_an_image_and_damaged_files_show_nothing(tmp_path):
    images = pa.array([{"bytes": None, "path": "a"}, None, {"bytes": b"no image", "path": "c"}], IMAGE_STRUCT)
    table = objects_table(PAGES[:3]).set_column(0, "image", images).append_column("image_id", pa.array([1, 2, 3]))
    path = tmp_path / "a.parquet"
    path.write_bytes(parquet_bytes(table))
    pictures = images_from_path(path).pictures
    assert [picture.name for picture in pictures] == ["1", "2", "3"]
    assert [load_shrunk(picture, 20) for picture in pictures] == [None] * 3
    path.write_bytes(path.read_bytes()[:-50])
    assert load_shrunk(pictures[0], 20) is None
    path.write_bytes(b"")
    assert load_shrunk(pictures[0], 20) is None
    with pytest.raises(lcm.InputError, match="has no page images"):
        images_from_path(path)


def test_pictures_are_counted(monkeypatch, tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(parquet_bytes(shaded_table()))
    monkeypatch.setattr(limits, "MAX_PICTURES", 3)
    with pytest.raises(lcm.InputError, match="more than 3 page images"):
        images_from_path(path)


def test_images_of_shards_are_found_under_the_names_that_all_shards_together_give(tmp_path):
    """The paths of images are unique in each shard only, so that pages are named by file and row."""
    base = objects_table(PAGES[:2]).select(["objects"])
    for shard, shades in (("a", (10, 90)), ("b", (170, 250))):
        images = [{"bytes": image_of_shade(shade), "path": f"{i}.png"} for i, shade in enumerate(shades)]
        table = base.append_column("image", pa.array(images, IMAGE_STRUCT))
        (tmp_path / f"{shard}.parquet").write_bytes(parquet_bytes(table))
    gt = lcm.read(tmp_path)
    assert gt.page_columns.names == ("a_p1", "a_p2", "b_p1", "b_p2")
    by_page = images_from_path(tmp_path).by_page(lcm.compare(gt, gt))
    assert shades_of(by_page[i] for i in range(4)) == [10, 90, 170, 250]


def evaluation_table(pages, images, **columns):
    text = json.dumps({"schema_name": "DoclingDocument", "texts": [], "pages": {str(n): page for n, page in pages}})
    lists = pa.array([images, []], pa.list_(IMAGE_STRUCT))
    given = {"document_id": ["a", "b"], "GroundTruthDocument": [text, "{}"], "GroundTruthPageImages": lists}
    return pa.table(given | columns)


@pytest.mark.parametrize("with_images", [(1, 2, 3), (1, 3)])
def test_page_images_of_docling_eval(tmp_path, with_images):
    size = {"width": 40, "height": 30}
    pages = [(n, {"page_no": n, "size": size, "image": {"dpi": 72} if n in with_images else None}) for n in (1, 2, 3)]
    images = [{"bytes": image_of_shade(50 * n), "path": None} for n in with_images]
    path = tmp_path / "shard.parquet"
    path.write_bytes(parquet_bytes(evaluation_table(pages, images)))
    gt = lcm.read(path)
    for found in (images_from_path(path), images_from_files([ImageFile("s.parquet", "d", path.read_bytes())])):
        by_page = found.by_page(lcm.compare(gt, gt))
        assert {gt.page_columns.names[i]: shades_of([one])[0] for i, one in by_page.items()} == {
            f"a_p{n}": 50 * n for n in with_images
        }


def test_fewer_images_than_pages_with_images_are_not_shown(tmp_path):
    pages = [(n, {"page_no": n, "size": {"width": 40, "height": 30}, "image": {"dpi": 72}}) for n in (1, 2, 3)]
    images = [{"bytes": image_of_shade(50 * n), "path": None} for n in (1, 3)]
    path = tmp_path / "shard.parquet"
    path.write_bytes(parquet_bytes(evaluation_table(pages, images)))
    with pytest.raises(lcm.InputError, match="has no page images"):
        images_from_path(path)


def test_evaluations_without_images_or_with_damaged_documents_have_no_page_images(tmp_path):
    path = tmp_path / "shard.parquet"
    for table in (evaluation_table([], []), evaluation_table([], [{"bytes": b"x", "path": None}])):
        path.write_bytes(parquet_bytes(table))
        with pytest.raises(lcm.InputError, match="has no page images"):
            images_from_path(path)
    images = [{"bytes": None, "path": "a"}, None]
    table = evaluation_table([(1, {"page_no": 1}), (2, {"page_no": 2})], images)
    path.write_bytes(parquet_bytes(table))
    pictures = images_from_path(path).pictures
    assert [load_shrunk(picture, 20) for picture in pictures] == [None, None]
    damaged = table.set_column(1, "GroundTruthDocument", pa.array(["{", "{}"]))
    path.write_bytes(parquet_bytes(damaged))
    with pytest.raises(lcm.InputError, match="has no page images"):
        images_from_path(path)
    assert image_bytes(FileContent("a", path.read_bytes()), 0, 5) == b""
