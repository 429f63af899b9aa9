"""A run that is stopped continues: finished parts are not counted again, and the bytes at the end are the same."""

import json
import os
import signal
import subprocess
import sys

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.scale import part_counts
from layoutcm.scale.engines import TreeMerge, merge_in_tree
from layoutcm.scale.plan import read_plan
from support.parts import digests, write_sets
from support.reading import fails


def test_finished_parts_are_not_counted_again(tmp_path, sets, monkeypatch):
    lcm.compare_partitions(*sets, tmp_path / "out", why=True)
    before = digests(tmp_path / "out")
    (tmp_path / "out" / "counts" / "part-00002.json").unlink()
    (tmp_path / "out" / "result.json").unlink()
    counted = []
    real = part_counts.part_comparison
    monkeypatch.setattr(part_counts, "part_comparison", lambda plan, part: counted.append(part) or real(plan, part))
    lcm.compare_partitions(*sets, tmp_path / "out", why=True)
    assert counted == [2]
    assert digests(tmp_path / "out") == before


@pytest.mark.parametrize("damage", ["cut", "missing", "other plan", "not json"])
def test_no_part_reads_as_complete_that_is_not(tmp_path, sets, damage):
    lcm.compare_partitions(*sets, tmp_path / "out")
    before = digests(tmp_path / "out")
    pages, counts = (tmp_path / "out" / name for name in ("pages/part-00001.parquet", "counts/part-00001.json"))
    match damage:
        case "cut":
            pages.write_bytes(pages.read_bytes()[:-100])
        case "missing":
            pages.unlink()
        case "other plan":
            counts.write_text(json.dumps(json.loads(counts.read_text()) | {"plan": "0" * 32}))
        case "not json":
            counts.write_bytes(counts.read_bytes()[:50])
    assert part_counts.finished_counts(read_plan(tmp_path / "out"), 1) is None
    assert part_counts.finished_counts(read_plan(tmp_path / "out"), 0) is not None
    lcm.compare_partitions(*sets, tmp_path / "out")
    assert digests(tmp_path / "out") == before


def _last_bytes(path):
    """The position of the last byte of each column of a Parquet file; of any other file, that of a byte."""
    if path.suffix != ".parquet":
        return [5]
    group = pq.read_metadata(path).row_group(0)
    columns = [group.column(k) for k in range(group.num_columns)]
    starts = [one.dictionary_page_offset or one.data_page_offset for one in columns]
    return [start + one.total_compressed_size - 1 for start, one in zip(starts, columns)]


@pytest.mark.parametrize(
    ("file", "use"),
    [
        ("total.json", lambda c: None),
        ("plan/part-00001.parquet", lambda c: c.page_matches()),
        ("pages/part-00001.parquet", lambda c: c.page_table()),
        ("documents.parquet", lambda c: c.document_table()),
        ("scores/part-00001.parquet", lambda c: c.score_curves()),
        ("causes/part-00001.parquet", lambda c: c.pages_behind("a", "b", cause="missed")),
    ],
)
@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_file_of_a_result_is_named(tmp_path, sets, file, use, damage):
    """A byte of each column is changed, which its checksum does not fit to; the next run makes the file anew."""
    out = tmp_path / "out"
    lcm.compare_partitions(*sets, out, why=True)
    before, data = digests(out), bytearray((out / file).read_bytes())
    if damage == "cut":
        del data[-40:]
    else:
        for last in _last_bytes(out / file):
            data[last] ^= 255
    (out / file).write_bytes(data)
    fails(rf"{file}: this .* compare-parts again", lambda: use(lcm.open_comparison(out)))
    if file.startswith("plan"):
        (out / "plan.json").unlink()
    lcm.compare_partitions(*sets, out, why=True)
    assert digests(out) == before


def test_a_part_that_was_changed_is_another_comparison(tmp_path):
    """Its old counts must not be mixed with new ones."""
    gt, pred = write_sets(tmp_path)
    lcm.compare_partitions(gt, pred, tmp_path / "out")
    first = sorted(gt.glob("part-*.parquet"))[0]
    table = pq.read_table(first)
    moved = table.set_column(table.schema.get_field_index("x0"), "x0", pc.multiply(table["x0"], 0.5))
    pq.write_table(moved, first)
    fails("the results of another comparison", lcm.compare_partitions, gt, pred, tmp_path / "out")


# A run that kills itself when it opens the next file after the one that is named first.
KILLED_AFTER = """
import os, signal, sys
from layoutcm.cli.main import main
wanted = sys.argv[1]
sys.addaudithook(lambda event, _: event == "open" and os.path.exists(wanted) and os.kill(os.getpid(), signal.SIGKILL))
main(sys.argv[2:])
"""


def test_a_run_that_is_killed_ends_with_the_same_bytes(tmp_path):
    """Killed while it plans, and when it has counted some parts; `make bench-scale` does this 25 times at random."""
    gt, pred = write_sets(tmp_path, 6, 4, pages=60)
    compare_into = lambda name: ["compare-parts", str(gt), str(pred), "-o", str(tmp_path / name)]
    out = tmp_path / "killed"
    for first_file in ("plan/part-00000.parquet", "counts/part-00000.json"):
        command = [sys.executable, "-c", KILLED_AFTER, str(out / first_file), *compare_into("killed")]
        assert subprocess.run(command, capture_output=True).returncode == -signal.SIGKILL
        assert not (out / "result.json").exists()
    assert main(compare_into("killed")) == main(compare_into("whole")) == 0
    assert digests(out) == digests(tmp_path / "whole")


def test_progress_begins_with_what_an_earlier_run_has_counted(tmp_path, sets):
    plan = lcm.plan_partitions(*sets, tmp_path / "out")
    lcm.count_part(plan.list_place(2))
    before, seen = plan.facts.parts[2].pages, []
    lcm.compare_partitions(*sets, tmp_path / "out", progress=lambda *done: seen.append(done))
    assert seen[0] == (before, 40) and before > 0
    assert len(seen) == 4 and seen[-1] == (40, 40) and seen == sorted(seen)


def test_count_and_merge_as_a_batch_system_calls_them(tmp_path, sets):
    lcm.compare_partitions(*sets, tmp_path / "whole")
    plan = lcm.plan_partitions(*sets, tmp_path / "out")
    for part in reversed(range(4)):
        lcm.count_part(plan.list_place(part))
    counts = sorted((tmp_path / "out" / "counts").iterdir())
    fails("1 of 4 parts are missing, first part-00003", lcm.finish_partitions, counts[:3])
    merged = lcm.finish_partitions(counts[::-1])
    assert merged.pages == lcm.open_comparison(tmp_path / "whole").pages
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_groups_are_merged_wherever_they_lie(tmp_path, sets, monkeypatch, capsys):
    """As `layoutcm merge` does it, also from the folder of the counts."""
    plan = lcm.plan_partitions(*sets, tmp_path / "out", fix=["flip-y"])
    assert plan.facts.sides[1].repairs == "flip-y"
    monkeypatch.chdir(tmp_path / "out" / "plan")
    assert main(["count", *sorted(os.listdir())]) == 0
    monkeypatch.chdir(tmp_path / "out" / "counts")
    first, second = str(tmp_path / "first.json"), str(tmp_path / "elsewhere.json")
    for group, file in (
        (("part-00000.json", "part-00002.json"), first),
        (["part-00001.json", "part-00003.json"], second),
    ):
        assert main(["merge", *group, "-o", file]) == 0
    assert main(["merge", *sorted(os.listdir())]) == 0
    monkeypatch.chdir(tmp_path)
    expected = lcm.open_comparison("out").confusion().values
    (tmp_path / "out" / "total.json").unlink()
    assert main(["merge", first, second]) == 2
    assert "first.json: the folder above it has no plan.json. Name the folder of the plan" in capsys.readouterr().err
    assert main(["merge", first, second, "--result", "out"]) == 0
    assert (lcm.open_comparison("out").confusion().values == expected).all()


def test_merging_refuses_what_does_not_belong_together(tmp_path, sets):
    lcm.compare_partitions(*sets, tmp_path / "a")
    lcm.compare_partitions(*sets, tmp_path / "b", rounding="exact")
    one, other = (tmp_path / name / "counts" / "part-00000.json" for name in "ab")
    fails("part-00000: this part is there twice", lcm.merge_counts, [one, one])
    fails("another comparison than part-00000", lcm.merge_counts, [one, other])
    os.unlink(tmp_path / "a" / "total.json")
    fails("this comparison is not finished", lcm.open_comparison, tmp_path / "a")


def test_the_tree_merges_neighbours():
    """Always the same groups, whatever item is there first, and each as soon as it is complete."""
    assert merge_in_tree(map(str, range(3)), 3, " ".join) == "0 1 2"
    assert merge_in_tree(["0"], 1, " ".join) == "0"
    merges = []
    merge_in_tree(range(33), 33, lambda group: merges.append(len(group)) or 0)
    assert merges == [32, 1, 2]
    backwards = TreeMerge(70, lambda group: f"({' '.join(group)})")
    for number in reversed(range(70)):
        backwards.add(number, str(number))
        assert sum(map(len, backwards.waiting.values())) < 32 + 3
    assert backwards.total == merge_in_tree(map(str, range(70)), 70, backwards.merge)


def test_a_changed_plan_is_an_error(tmp_path, sets):
    """Also with a threshold that is a whole number, which is read as a float."""
    lcm.compare_partitions(*sets, tmp_path / "out", min_score=1)
    before = lcm.compare_partitions(*sets, tmp_path / "out", min_score=1).confusion().values
    plan = tmp_path / "out" / "plan.json"
    plan.write_text(plan.read_text().replace('"outer"', '"exact"'))
    with pytest.raises(
        lcm.InputError, match=r"plan\.json: this file is damaged: its digest does not fit\. Delete plan"
    ):
        lcm.open_comparison(tmp_path / "out")
    plan.unlink()
    assert (lcm.compare_partitions(*sets, tmp_path / "out", min_score=1).confusion().values == before).all()
