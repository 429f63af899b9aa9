"""The commands for sets of parts, on the sample data."""

import json

import pytest

from layoutcm.cli.main import main
from support.parts import digests
from support.paths import ROOT

GT, PRED = (str(ROOT / "sample_data" / name) for name in ("gt.json", "model-a.json"))


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    """The folders of gt and of pred, a COCO results list, which takes pages and labels from the manifest of gt."""
    folder = tmp_path_factory.mktemp("sets")
    gt, pred = str(folder / "gt"), str(folder / "pred")
    assert main(["partition", GT, "-o", gt, "--parts", "3"]) == 0
    assert main(["partition", PRED, "-o", pred, "--like", gt]) == 0
    return gt, pred


def test_compare_parts_has_the_numbers_of_compare(sets, tmp_path, capsys, printed):
    summary = printed(["compare-parts", *sets, "-o", str(tmp_path / "out")])
    main(["compare", GT, PRED, "--json", str(tmp_path / "compare.json")])
    of_compare = capsys.readouterr().out
    found, expected = (json.loads((tmp_path / name).read_text()) for name in ("out/result.json", "compare.json"))
    for key in ("confusion", "classes", "averages", "averages_with_background", "content", "pixels", "documents"):
        assert found[key] == expected[key], key
    lines = [line for line in summary.splitlines() if line.startswith(("macro", "Text", "  Background read as"))]
    assert len(lines) >= 5 and all(line in of_compare for line in lines)


def test_why_prints_the_causes_that_compare_prints(sets, tmp_path, printed):
    found = printed(["compare-parts", *sets, "-o", str(tmp_path / "out"), "--why"])
    of_compare = printed(["compare", GT, PRED, "--why"])
    causes = next(text for text in of_compare.split("\n\n") if text.startswith("why pixels are wrong"))
    assert causes in found


def test_plan_count_and_merge(sets, tmp_path, capsys, printed):
    main(["compare-parts", *sets, "-o", str(tmp_path / "whole")])
    capsys.readouterr()
    parts = printed(["compare-parts", *sets, "-o", str(tmp_path / "out"), "--plan-only"]).split()
    assert len(parts) == 3
    for part in parts:
        assert main(["count", part]) == 0
    counts = capsys.readouterr().out.split()
    assert "2 parts" in printed(["merge", *counts[:2], "-o", str(tmp_path / "two.json")])
    assert main(["merge", *counts]) == 0
    assert digests(tmp_path / "out") == digests(tmp_path / "whole")


def test_a_manifest_for_a_folder(sets, tmp_path, capsys):
    assert main(["manifest", sets[0], "-o", str(tmp_path / "m.parquet")]) == 0
    assert "3 parts, 60 pages, 947 regions, 11 labels" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["partition", GT, "-o", "{}/x", "--parts", "0"], "0 is not a number of parts"),
        (["compare-parts", "{}", "{}", "-o", "{}-out"], "the folder has no manifest"),
        (["merge", "{}/counts/a.json"], "there is no such file"),
        (["count", "{}/plan/a.parquet"], "there is no such file"),
    ],
)
def test_wrong_inputs_are_one_message(tmp_path, refusal, command, message):
    assert message in refusal([part.format(tmp_path) for part in command])


def test_the_result_is_not_written_among_the_parts(sets, refusal):
    assert "inside the input" in refusal(["compare-parts", *sets, "-o", f"{sets[0]}/out"])


def test_the_result_does_not_replace_the_parts(tmp_path, refusal):
    """The cut of a prediction with other parts is written to OUT/pred."""
    gt, pred = (str(tmp_path / name) for name in ("gt", "pred"))
    for folder, parts in ((gt, "2"), (pred, "3")):
        assert main(["partition", GT, "-o", folder, "--parts", parts]) == 0
    before = {path.name: path.read_bytes() for path in (tmp_path / "pred").iterdir()}
    assert "would replace those of the input" in refusal(["compare-parts", gt, pred, "-o", str(tmp_path)])
    assert {path.name: path.read_bytes() for path in (tmp_path / "pred").iterdir()} == before
