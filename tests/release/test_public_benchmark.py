"""The recipe of a public benchmark on small stand-ins: columns of DocLayNet, forms of predictions, the page of all."""

import json
import runpy

import pyarrow.parquet as pq
import pytest
import yaml

import layoutcm as lcm
from support.code_blocks import blocks_of
from support.paths import ROOT

FOLDER = ROOT / "benchmarks" / "public"
SCRIPT = runpy.run_path(str(FOLDER / "leaderboard.py"))
COLUMNS = ["image", "bboxes", "category_id", "segmentation", "area", "pdf_cells", "metadata", "pdf"]
PAGES = 120


@pytest.fixture(scope="module")
def stand_ins(tmp_path_factory):
    folder = tmp_path_factory.mktemp("public")
    runpy.run_path(str(FOLDER / "stand_ins.py"))["write_stand_ins"](folder, PAGES)
    return folder


def test_stand_ins_have_the_columns_and_splits_of_doclaynet(stand_ins):
    shards = {path.name.partition("-")[0]: pq.ParquetFile(path) for path in (stand_ins / "data").iterdir()}
    assert {name: shard.metadata.num_rows for name, shard in shards.items()} == {"train": 102, "val": 10, "test": 8}
    assert all(shard.schema_arrow.names == COLUMNS for shard in shards.values())
    gt = lcm.read(stand_ins / "data")
    assert gt.format == "hf-doclaynet" and len(gt.pages) == PAGES and len(gt.labels) == 11
    assert gt.pages["document"].nunique() == 10


@pytest.fixture(scope="module")
def chosen(stand_ins):
    return SCRIPT["load_models"](stand_ins / "models.yaml")


def test_every_form_of_predictions_is_read_and_compared(chosen):
    gt = lcm.read(chosen["ground_truth"])
    for name, settings in chosen["models"].items():
        c = SCRIPT["compare_model"](gt, settings)
        assert c.taxonomy == ("mapped" if name == "other-labels" else "same") and len(c.pages) == PAGES
        assert 0.7 < c.confusion().average("macro")["f1"] < 0.95, name


def test_the_page_has_all_models_on_the_pages_of_the_split(chosen, tmp_path, capsys, quick):
    both = {name: chosen["models"][name] for name in ("ultralytics-like", "detectron-like")}
    out = tmp_path / "out"
    board = SCRIPT["make_leaderboard"](chosen | {"split": "test", "models": both}, out, why=False)
    assert board.models == ["detectron-like", "ultralytics-like"] and board.baseline == "ultralytics-like"
    page = (out / "index.html").read_text("utf-8")
    assert all(name in page and (out / name / "report.html").exists() for name in both)
    stored = json.loads((out / "leaderboard.json").read_text("utf-8"))
    assert stored["pages"] == 8 and [row["model"] for row in stored["models"]] == board.models
    assert "ground truth: 8 pages" in capsys.readouterr().out


def test_predictions_of_other_pages_are_refused(chosen):
    gt = SCRIPT["read_ground_truth"](chosen["ground_truth"], "test")
    with pytest.raises(SystemExit, match="112 pages are not in the ground truth"):
        SCRIPT["compare_model"](gt, chosen["models"]["table"])


def test_the_documented_file_has_keys_that_the_script_knows(tmp_path):
    (block,) = [block for block in blocks_of(ROOT / "docs" / "public-benchmark.md") if block.language == "yaml"]
    (tmp_path / "models.yaml").write_text(block.text, "utf-8")
    chosen = SCRIPT["load_models"](tmp_path / "models.yaml")
    assert list(chosen["models"]) == ["detector", "yolo", "other-labels"]
    assert chosen["models"]["detector"]["file"] == tmp_path / "predictions" / "coco_instances_results.json"


@pytest.mark.parametrize("wrong", [{"models": {}}, {"ground_truth": "data", "models": {"a": {"fil": "x"}}}])
def test_a_wrong_key_is_named(wrong, tmp_path):
    (tmp_path / "models.yaml").write_text(yaml.safe_dump(wrong))
    with pytest.raises(SystemExit, match="keys"):
        SCRIPT["load_models"](tmp_path / "models.yaml")
