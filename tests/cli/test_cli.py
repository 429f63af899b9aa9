"""The command line: output and exit codes, partly in a real process."""

import contextlib
import fcntl
import json
import os
import pty
import socket
import struct
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import layoutcm as lcm
from layoutcm.cli.main import main
from layoutcm.cli.main import run as run_command
from layoutcm.filling.result_of import intervals_part
from layoutcm.layouts.writers import write
from layoutcm.tables.interval_texts import difference_summary, interval_of_row, resampling_text
from support.comparisons import compare_sample
from support.paths import SAMPLE
from support.results import full_result
from support.servers import free_port

GT, MODEL_A, MODEL_B = (str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-b.csv"))


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "layoutcm", *arguments], capture_output=True, text=True, check=False)


def test_compare_prints_a_summary(printed):
    out = printed(["compare", GT, MODEL_A])
    averages = ("micro, without Background", "content, against Background")
    for words in ("60 pages", *averages, "largest confusions", "List-item read as Text"):
        assert words in out


def test_json_equals_the_api(tmp_path):
    target = tmp_path / "out.json"
    assert main(["compare", GT, MODEL_A, "--json", str(target), "--per-page", "--method", "tensor"]) == 0
    found, c = json.loads(target.read_text()), compare_sample()
    assert found == full_result(c, "tensor", per_page=True)
    assert (found["pages"], found["documents"], found["pixels"]) == (60, 30, 850 * 1100 * 60)
    for level in ("by_page", "by_document"):
        summed = sum(np.array(one["confusion"]) for one in found[level])
        np.testing.assert_allclose(summed, c.confusion(method="tensor").values)
    assert [d["pages"] for d in found["by_document"]][:7] == [4, 2, 3, 2, 2, 1, 4]


def test_families_are_in_the_summary_and_the_json(tmp_path, printed):
    target, families = tmp_path / "out.json", SAMPLE / "families.yaml"
    out = printed(["compare", GT, MODEL_A, "--json", str(target), "--families", str(families)])
    assert "given gt" in out and "in family" in out and "all but Background" in out
    found, c = json.loads(target.read_text())["families"], compare_sample()
    assert found == full_result(c, families=families)["families"]
    coarse = c.confusion(families=families)
    assert [level["depth"] for level in found["at_depth"]] == [1] and found["at_depth"][0]["labels"] == coarse.labels
    np.testing.assert_array_equal(found["at_depth"][0]["confusion"], coarse.values)


def test_families_accept_options_and_built_in_names(capsys):
    choices = ["--families", "mixed", "--family-sample", "page", "--family-count", "gold", "--family-depth", "2"]
    assert main(["compare", GT, MODEL_A, MODEL_B, "--json", "-", *choices]) == 0
    first, second = (one["families"] for one in json.loads(capsys.readouterr().out))
    assert first["sample"] == "page" and first["count"] == "gold" and first["depth"] == 2
    assert "Headings" in first["matrices"] and len(first["at_depth"]) == 2
    assert second["matrices"]["Headings"]["gt_labels"] == ["Title", "Section-header", "OOF"]
    assert second["matrices"]["Headings"]["pred_labels"] == ["doc_title", "paragraph_title", "OOF"]


def test_intervals_and_differences_are_in_the_summary_and_the_json(tmp_path, printed):
    target, mapping = tmp_path / "out.json", SAMPLE / "mapping.yaml"
    files = [GT, MODEL_A, MODEL_B, "--mapping", str(mapping), "--method", "tensor"]
    out = printed(["compare", *files, "--json", str(target), "--intervals", "30"])
    gt = lcm.read(GT)
    a, b = (lcm.compare(gt, lcm.read(file, like=gt), mapping=mapping) for file in (MODEL_A, MODEL_B))
    first, second = json.loads(target.read_text())
    for found, expected in (
        (first["intervals"], a.bootstrap(30, method="tensor")),
        (second["intervals"], b.bootstrap(30, method="tensor")),
        (second["difference_from_first"], lcm.difference(a, b, 30, method="tensor")),
    ):
        wanted = {"units": "documents", "unit_count": len(a.documents), "n": 30, "seed": 0, "level": 0.95}
        assert found | wanted == found
        assert found["recipe"] == expected.recipe
        for rows, table in ((found["headline"], expected.headline), (found["classes"], expected.classes())):
            pd.testing.assert_frame_equal(pd.DataFrame(rows).fillna(np.nan), table, check_dtype=False)
    assert "difference_from_first" not in first
    found = a.bootstrap(30, method="tensor")
    line = next(line for line in out.splitlines() if line.startswith("weighted, without Background"))
    assert line.endswith(f"   {interval_of_row(found.figure_rows['weighted_f1'])}")
    assert resampling_text(found.resampling) in out
    difference = intervals_part(lcm.difference(a, b, 30, method="tensor"))
    assert difference_summary(difference, "model-a", "Background") in out


def test_predictions_may_have_pages_that_others_do_not_have(tmp_path, printed):
    """Prediction `more` finds nothing on a page of gt, and has a page more than gt itself."""
    (tmp_path / "gt.csv").write_text("page,label,x0,y0,x1,y1,width,height\np,a,0,0,5,5,9,9\nq,a,0,0,5,5,9,9\n")
    (tmp_path / "more.csv").write_text("page,label,x0,y0,x1,y1,width,height\np,a,6,6,9,9,9,9\nr,a,0,0,5,5,9,9\n")
    gt, more, json_file = (str(tmp_path / name) for name in ("gt.csv", "more.csv", "out.json"))
    options = ["--missing-pages", "penalise-both", "--intervals", "9", "--json", json_file]
    assert "F1 minus that of gt" in printed(["compare", gt, gt, more, *options])
    found = json.loads(Path(json_file).read_text())[1]["difference_from_first"]
    assert found["unit_count"] == 3 and found["headline"][1]["value"] == -1  # micro recall: nothing is found


def test_several_predictions_give_a_json_list(printed):
    found = json.loads(printed(["compare", GT, MODEL_A, MODEL_B, "--json", "-"]))
    assert [one["taxonomy"] for one in found] == ["same", "different"]
    assert found[1]["classes"] is None and found[1]["averages"] is None
    assert not {"by_page", "intervals", "difference_from_first"} & {*found[0], *found[1]}  # they are off by default


def test_mapping_makes_model_b_comparable(printed):
    found = json.loads(printed(["compare", GT, MODEL_B, "--mapping", str(SAMPLE / "mapping.yaml"), "--json", "-"]))
    assert found["taxonomy"] == "mapped" and 0.6 < found["averages"]["macro"]["f1"] < 0.8
    assert {f["code"] for f in found["findings"]} == {"empty-page", "scaled-page", "page-without-pred"}


def test_different_taxonomies_print_their_block(printed):
    out = printed(["compare", GT, MODEL_B, "--missing-pages", "ignore"])
    assert "none, because the two sides have different labels" in out and "Text overlaps text" in out


def test_inspect_describes_files(printed):
    gt, a, b = json.loads(printed(["inspect", GT, MODEL_A, MODEL_B, "--json", "-"]))
    assert (gt["format"], a["format"], b["format"]) == ("coco", "coco-results", "csv")
    assert gt["page0"] == {"page": "paper-1_p1.png", "width": 850, "height": 1100}
    assert gt["region0"]["box"] and gt["region0"]["score"] is None and a["region0"]["score"] > 0
    assert sum(gt["labels"].values()) == gt["regions"]
    assert "without scores" in printed(["inspect", GT])


def test_a_results_list_alone_is_an_error_with_a_hint(refusal):
    assert "ground truth" in refusal(["inspect", MODEL_A])
    assert main(["inspect", MODEL_A, "--like", GT]) == 0
    assert main(["inspect", MODEL_A, "--sizes", "850x1100"]) == 0


@pytest.mark.parametrize(
    "arguments", [["compare", "missing.json", GT], ["compare", GT, "missing.json"], ["inspect", "missing.json"]]
)
def test_bad_input_exits_with_2_and_the_file_name(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert "missing.json" in done.stderr and "Traceback" not in done.stderr and not done.stdout


BUILT_IN = "doclaynet, publaynet, docling, mixed"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--intervals", "0"], ["0 is not a number of resamples"]),
        (["--per-page"], ["--per-page: matrices of pages are for JSON and reports. Name a file with --json"]),
        (["-o", ""], ["-o: the output has no name"]),
        (["--json", ""], ["--json: the output has no name"]),
        (["--write-page-map", ""], ["--write-page-map: the output has no name"]),
        (["--families", "nosuch"], ["nosuch: there is no such file", BUILT_IN]),
        (["--families", "nope.yaml"], ["nope.yaml: there is no such file"]),
        (["--families", "two.yaml"], ["'x' is in two families"]),
        (["--json", "/no/such/folder/x.json"], ["/no/such/folder"]),
    ],
)
def test_bad_options_are_reported_before_the_layouts_are_read(options, words, tmp_path, monkeypatch, refusal):
    (tmp_path / "two.yaml").write_text("A: [x]\nB: [x]\n")
    monkeypatch.chdir(tmp_path)
    error = refusal(["compare", "no such gt", "no such pred", *options])
    assert all(one in error for one in words)


def test_bad_values_exit_with_2():
    assert main(["compare", GT, MODEL_A, "--threads", "0"]) == 2
    with pytest.raises(SystemExit) as caught:
        main(["compare", GT, MODEL_A, "--rounding", "up"])
    assert caught.value.code == 2


def test_a_closed_pipe_does_not_lose_the_json(tmp_path):
    command = (
        f'"{sys.executable}" -m layoutcm compare {GT} {" ".join([MODEL_A] * 4)} --json {tmp_path}/r.json | head -1'
    )
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True)
    assert done.stdout.startswith("4 predictions on 60 pages") and done.stderr == ""
    assert len(json.loads((tmp_path / "r.json").read_text("utf-8"))) == 4


def test_piped_output_has_no_progress_bar():
    done = run("compare", GT, MODEL_A)
    assert done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout


def test_a_terminal_has_a_progress_bar_that_is_removed_at_the_end():
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))  # 24 lines of 100 columns
    command = [sys.executable, "-m", "layoutcm", "compare", GT, MODEL_A]
    # Every step is drawn: the sample is compared in less than the usual time between two drawings.
    often = os.environ | {"TQDM_MININTERVAL": "0"}
    with subprocess.Popen(command, stderr=terminal, stdout=subprocess.DEVNULL, env=often) as process:
        os.close(terminal)
        shown = b""
        with contextlib.suppress(OSError):  # the end of the terminal
            while part := os.read(reader, 4096):
                shown += part
    bars = shown.decode("utf-8").split("\r")
    assert process.returncode == 0 and any("comparing model-a.json: 100%" in bar and "60/60" in bar for bar in bars)
    assert bars[-2].isspace() and bars[-1] == ""


def test_settings_of_the_progress_bar_that_cannot_be_used_do_no_harm(monkeypatch, printed):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("tqdm.tqdm.__init__", lambda *_, **__: float("x"))
    assert "60 pages" in printed(["compare", GT, MODEL_A])


def test_a_bug_exits_with_1_and_a_message(monkeypatch, capsys):
    monkeypatch.setattr("layoutcm.cli.main.main", lambda: 1 / 0)
    with pytest.raises(SystemExit) as caught:
        run_command()
    assert caught.value.code == 1 and "This is a bug" in capsys.readouterr().err


def test_the_app_opens_folders_and_zips_and_refuses_missing_files(monkeypatch, tmp_path, capsys):
    opened = []
    monkeypatch.setattr("layoutcm.ui.launch.launch", lambda options: opened.append(options.files))
    files = [str(tmp_path), str(tmp_path / "run.zip")]
    port = ["--port", str(free_port())]  # the default port may be in use
    assert main(["app", *port, *files]) == 2 and "run.zip: there is no such file" in capsys.readouterr().err
    (tmp_path / "run.zip").write_bytes(b"PK")
    assert main(["app", *port, *files]) == 0 and opened == [files]
    assert main(["app", *port, files[0], "a\0b"]) == 2


def test_the_app_opens_a_saved_session_alone(monkeypatch, tmp_path, capsys):
    opened = []
    monkeypatch.setattr("layoutcm.ui.launch.launch", lambda options: opened.append(options.files))
    port, saved = ["--port", str(free_port())], tmp_path / "Mine.LayoutCM"
    saved.write_bytes(b"PK")
    assert main(["app", *port, str(saved)]) == 0 and opened == [[str(saved)]]
    assert main(["app", *port, GT]) == 2 and "one file alone cannot be compared" in capsys.readouterr().err
    assert main(["app", *port, GT, str(saved)]) == 2 and "a saved session has all its files" in capsys.readouterr().err


def test_a_port_that_cannot_be_used_is_an_error(capsys, refusal):
    assert "--port: 99999 is not a port" in refusal(["app", "--port", "99999"])
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        assert main(["app", "--port", str(taken)]) == 2
    assert f"the server cannot listen on 127.0.0.1:{taken}" in capsys.readouterr().err


def test_intervals_before_the_files_is_an_error_with_a_hint(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["compare", "--intervals", GT, MODEL_A])
    error = capsys.readouterr().err
    assert stopped.value.code == 2 and "is not a number: write --intervals=1000, or put --intervals last" in error


def test_a_depth_beyond_the_tree_uses_the_deepest_and_adds_a_finding(tmp_path, printed):
    (tmp_path / "flat.yaml").write_text("Words: [Text, Title]\n")
    options = ["--families", str(tmp_path / "flat.yaml"), "--family-depth", "9"]
    out = printed(["compare", GT, MODEL_A, *options])
    assert "|depth:1|" in out
    assert "The tree has no families at depth 9, so the families at depth 1 are used." in out
    assert "|depth:9|" not in out


@pytest.mark.parametrize("command", [["inspect"], ["convert", "--to", "csv", "-o", "out.csv"]])
def test_attributes_and_annotators_send_no_commands_to_the_terminal(command, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    shape = "\x1b]0;title\x07\n[error] forged"
    row = {
        "page": "a",
        "label": "T",
        "x0": 1,
        "y0": 1,
        "x1": 5,
        "y1": 5,
        "width": 9,
        "height": 9,
        f"attr:{shape}": shape,
    }
    write(lcm.read([row]), "parquet", "a.parquet")
    assert main([command[0], "a.parquet", *command[1:]]) == 0
    shown = "".join(capfd.readouterr())
    assert "title" in shown and "\x1b" not in shown and "\n[error]" not in shown
