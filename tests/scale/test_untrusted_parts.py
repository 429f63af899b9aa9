"""Files of parts are not trusted: no path leads out, no file is too much, and no input is overwritten."""

import json
import os
import shutil

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.scale.manifest import METADATA_KEY, read_manifest
from layoutcm.scale.part_files import read_part
from layoutcm.scale.plan import PlanFacts, plan_digest, read_plan
from support.fuzz_cases import PART_TARGETS, make_case, run_case
from support.parts import digests, write_sets
from support.reading import fails


def change_manifest(folder, **changes):
    """Change what the manifest says about its first part."""
    place = folder / "_manifest.parquet"
    table, facts = pq.read_table(place), json.loads(pq.read_metadata(place).metadata[METADATA_KEY])
    facts["parts"][0] |= changes
    pq.write_table(table.replace_schema_metadata({METADATA_KEY: json.dumps(facts)}), place)


def change_plan(out, **changes):
    """Change what the plan says about its first part; the digests fit again."""
    place = out / "plan.json"
    plan = json.loads(place.read_bytes())["plan"]
    plan["parts"][0] |= changes
    digest = plan_digest(msgspec.json.decode(json.dumps(plan), type=PlanFacts))
    place.write_text(json.dumps({"digest": digest, "plan": plan}))
    for path in (out / "total.json", *(out / "counts").iterdir()):
        path.write_text(json.dumps(json.loads(path.read_bytes()) | {"plan": digest}))


OUTSIDE = [
    "/etc/passwd", "../pred/part-00000.parquet", "a/../../pred/part-00000.parquet", "http://127.0.0.1:9/a.parquet",
    "simplecache::http://127.0.0.1:9/a.parquet", "zip://a.parquet::/a.zip", "file:///etc/passwd", "link.parquet",
    "\0",
]  # fmt: skip


@pytest.mark.parametrize("file", OUTSIDE)
def test_a_manifest_leads_nowhere_else(tmp_path, sets, file, monkeypatch):
    """Nor are addresses asked for what they have."""
    gt, pred = sets
    (gt / "link.parquet").symlink_to(pred / "part-00000.parquet")
    change_manifest(gt, file=file)
    monkeypatch.setattr("fsspec.core.url_to_fs", lambda *_: pytest.fail("an address was followed"))
    fails(
        r"_manifest\.parquet, parts\[0\]\.file: .* leads out of the folders that were named.*--trust",
        lcm.compare_partitions, gt, pred, tmp_path / "out",
    )  # fmt: skip


def test_a_manifest_elsewhere_needs_trust_in_the_folder_of_the_parts(tmp_path, sets):
    gt, pred = sets
    (tmp_path / "far" / "away").mkdir(parents=True)
    manifest = lcm.make_manifest(gt, tmp_path / "far" / "away" / "m.parquet").place
    fails("leads out of the folders", lcm.compare_partitions, manifest, pred, tmp_path / "out")
    stored = lcm.compare_partitions(manifest, pred, tmp_path / "out", trusted=[gt])
    assert len(stored.pages) == 40


@pytest.mark.parametrize("file", ["/etc/passwd", "../../etc/passwd", "/proc/self/environ", "/dev/zero", "secret"])
def test_a_result_shows_only_parts_that_are_beside_it(tmp_path, file):
    """A plan names another file as a part, or a file beside the result that is not Parquet."""
    (tmp_path / "a").mkdir()
    gt, pred = write_sets(tmp_path / "a")
    out = tmp_path / "a" / "out"
    lcm.compare_partitions(gt, pred, out)
    (tmp_path / "a" / "secret").write_text("a secret")
    change_plan(out, gt=file if file.startswith(("/", "..")) else f"../{file}")
    stored = lcm.open_comparison(out)
    page = read_plan(out).page_table(0)["page"][0].as_py()
    fails(r"leads out of the folders that were named|this is not a Parquet file", stored.objects, page=page)


def test_a_result_in_a_data_folder_is_below_it(tmp_path, sets):
    lcm.compare_partitions(*sets, tmp_path / "data" / "out")
    inner = read_plan(tmp_path / "data" / "out", [tmp_path / "data"])
    fails("leads out of the folders", inner.read_side, 0, 0)
    assert len(read_plan(tmp_path / "data" / "out", [tmp_path]).read_side(0, 0).pages)


@pytest.mark.parametrize("name", ["../../victim", "part-00000/../../x", "/tmp/x"])
def test_the_name_of_a_part_is_not_a_path(tmp_path, sets, name):
    lcm.compare_partitions(*sets, tmp_path / "out")
    change_plan(tmp_path / "out", name=name)
    fails(r"plan\.json, parts\[0\]\.name: .* is not the name of a part", lcm.open_comparison, tmp_path / "out")


def test_files_of_a_result_are_not_links_that_lead_out_of_it(tmp_path, sets):
    lcm.compare_partitions(*sets, tmp_path / "out")
    (tmp_path / "out" / "total.json").rename(tmp_path / "elsewhere.json")
    (tmp_path / "out" / "total.json").symlink_to(tmp_path / "elsewhere.json")
    fails("'total.json' leads out of the folders", lcm.open_comparison, tmp_path / "out")


def test_a_small_part_does_not_stand_for_millions_of_rows(tmp_path):
    row = {"page": "p", "document": "d", "width": 9.0, "height": 9.0, "label": "a"} | dict.fromkeys(("x0", "y0"), 0.0)
    row |= {"x1": 3.0, "y1": 3.0}
    many = {name: pa.repeat(value, 600_000) for name, value in row.items()}
    pq.write_table(pa.table(many), tmp_path / "a.parquet")
    fails("it has more than 500,000 rows", read_part, tmp_path / "a.parquet")


def test_a_small_manifest_does_not_stand_for_millions_of_pages(tmp_path, sets):
    """Nor do its texts: a long name is stored once, and repeated."""
    place, metadata = sets[0] / "_manifest.parquet", pq.read_metadata(sets[0] / "_manifest.parquet").metadata
    for table in (pa.table({"page": pa.repeat("p", 600_000)}), pa.table({"page": ["p" * 100_000] * 700})):
        facts = json.loads(metadata[METADATA_KEY])
        facts["parts"] = [facts["parts"][0] | {"pages": table.num_rows}]
        pq.write_table(table.replace_schema_metadata({METADATA_KEY: json.dumps(facts)}), place)
        fails("this file is damaged: it(s texts have)? ?.*more than", read_manifest(sets[0]).page_table, ["page"])


@pytest.mark.parametrize("target", PART_TARGETS)
def test_damaged_files_are_refused_or_used(target):
    """`make fuzz` does this with 10,000 of each; nothing but InputError comes out."""
    outcomes = [run_case(make_case(target, number)) for number in range(12)]
    assert not all(outcomes)


def test_a_manifest_does_not_replace_a_part(tmp_path, sets):
    gt, _ = sets
    before = digests(gt)
    assert main(["manifest", str(gt), "-o", str(gt / "part-00000.parquet")]) == 2
    other = shutil.copy(gt / "part-00000.parquet", tmp_path / "other.parquet")
    fails("would replace this file, which is not a manifest", lcm.make_manifest, gt, other)
    assert digests(gt) == before
    lcm.make_manifest(gt)


def test_merged_counts_replace_only_merged_counts(tmp_path, sets):
    out = tmp_path / "out"
    lcm.compare_partitions(*sets, out)
    counts = [str(path) for path in sorted((out / "counts").iterdir())]
    before = digests(out)
    for target in ("plan.json", "counts/part-00000.json", "counts/part-00002.json", "result.json"):
        assert main(["merge", *counts[:2], "-o", str(out / target)]) == 2
    assert digests(out) == before
    for _ in range(2):
        assert main(["merge", *counts[:2], "-o", str(tmp_path / "merged.json")]) == 0


def test_a_comparison_does_not_replace_a_foreign_result(tmp_path, sets):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "result.json").write_text("mine")
    fails("has result.json, which compare-parts has not written", lcm.compare_partitions, *sets, tmp_path / "out")
    assert (tmp_path / "out" / "result.json").read_text() == "mine"
    assert os.listdir(tmp_path / "out") == ["result.json"]
