"""`layoutcm gate`: exit codes, files, and the GitHub Action and the pre-commit hook that call it."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from layoutcm.cli.main import main
from support.paths import ROOT, SAMPLE

GT, A, C = (str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-c.json"))


@pytest.fixture(scope="module")
def result_a(tmp_path_factory):
    """The result.json of model a, whose macro F1 is 0.810."""
    file = tmp_path_factory.mktemp("results") / "a.json"
    assert main(["compare", GT, A, "--json", str(file)]) == 0
    return str(file)


@pytest.fixture(scope="module")
def result_c(tmp_path_factory):
    """The result.json of model c, whose macro F1 is 0.838."""
    file = tmp_path_factory.mktemp("results") / "c.json"
    assert main(["compare", GT, C, "--json", str(file)]) == 0
    return str(file)


def test_exit_codes_and_the_table(result_a, capsys, printed):
    capsys.readouterr()
    assert "gate passed: 1 check" in printed(["gate", GT, A, "--fail-under", "macro.f1=0.81"])
    assert main(["gate", "--result", result_a, "--fail-under", "macro.f1=0.82", "--fail-under", "micro.f1=0.9"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "gate failed: 1 of 2 checks fell short"
    assert lines[3].split()[:5] == ["macro.f1", "0.810", "≥", "0.820", "fell"]
    assert lines[3].endswith("  its interval contains 0.82")
    assert lines[4].split()[:4] == ["micro.f1", "0.912", "≥", "0.900"]
    assert main(["gate", GT, A, "--fail-under", "macro.f2=0.8"]) == 2
    assert "there is no figure 'macro.f2'. The closest are macro.f1" in capsys.readouterr().err


def test_a_drop_from_the_baseline(result_a, result_c, tmp_path, capsys, printed):
    """Model a has a lower micro F1 than model c, but not in enough documents to call it worse."""
    files = [str(tmp_path / name) for name in ("gate.json", "gate.md")]
    arguments = ["gate", "--result", result_a, "--baseline", result_c, "--json", files[0], "--markdown", files[1]]
    assert "interval -0.066 to +0.017: no difference shown, so it passes" in printed([*arguments, "--max-drop", "0.01"])
    assert main([*arguments, "--max-drop", "0.01", "--strict"]) == 3
    written = json.loads(Path(files[0]).read_text("utf-8"))
    checks = {check["figure"]: check for check in written["checks"]}
    assert {name: check["passed"] for name, check in checks.items()} == {
        "micro.f1": False,
        "macro.f1": False,
        "content.f1": True,
    }
    assert written["inputs"]["pred"]["name"] == "model-a.json" and len(written["inputs"]["gt"]["sha256"]) == 64
    assert "| Background | Text | 630,522.5 | 0.019 |" in Path(files[1]).read_text("utf-8")
    assert main([*arguments, "--max-drop", "0.1", "--strict"]) == 0
    assert main([*arguments, "--max-drop", "micro.f1=0.1", "--max-drop", "class.Table.f1=0.001", "--strict"]) == 3
    assert main([*arguments, "--max-drop", "0.1", "--max-drop", "class.Table.f1=0.001", "--strict"]) == 3
    written = json.loads(Path(files[0]).read_text("utf-8"))
    assert [check["figure"] for check in written["checks"]] == ["micro.f1", "macro.f1", "content.f1", "class.Table.f1"]
    assert [check["figure"] for check in written["checks"] if not check["passed"]] == ["class.Table.f1"]
    assert main(["gate", "--result", result_c, "--baseline", result_a]) == 0
    capsys.readouterr()


def test_what_is_wrong_is_said_before_the_comparison(tmp_path, refusal):
    """The error is about the option, although the files do not exist: it comes before any reading."""
    gate = ["gate", "no-gt.json", "no-pred.json"]
    for wrong, words in (
        (["--baseline", str(tmp_path / "old.json")], "old.json"),
        (["--fail-under", "macro.f1=0.5", "--max-drop", "0.1"], "--max-drop: there is no baseline to drop from"),
        (["--baseline", GT, "--max-drop", "0.1", "--max-drop", "0.2"], "0.1 and 0.2 are both for all figures"),
        ([], "--fail-under: nothing is checked"),
    ):
        printed = refusal([*gate, *wrong])
        assert words in printed and "no-gt.json" not in printed


def test_other_outputs_and_wrong_arguments(result_a, tmp_path, capsys, printed, refusal):
    gate = ["gate", "--result", result_a, "--fail-under", "macro.f1=0.5"]
    capsys.readouterr()
    assert json.loads(printed([*gate, "--json", "-"]))["passed"] is True
    assert printed([*gate, "--markdown", "-"]).startswith("**layoutcm gate passed: 1 check**")
    for wrong, words in (
        ([*gate, "--json", "-", "--markdown", "-"], "only one of --json and --markdown can go to standard output"),
        ([*gate, "--json", result_a], "the output would replace this input"),
        ([*gate, "--baseline", result_a, "--markdown", result_a], "the output would replace this input"),
        ([*gate, GT, A], "Give GT and PRED, or --result FILE"),
        ([*gate, "--min-score", "0.9"], "--min-score: this option cannot change a finished result"),
        ([*gate, "--gt-format", "coco"], "--gt-format: this option cannot change a finished result"),
        (["gate", GT, "--fail-under", "macro.f1=0.5"], "Give GT and PRED, or --result FILE"),
    ):
        assert words in refusal(wrong), wrong


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A PATH on which the command `layoutcm` is the code of this folder."""
    folder = tmp_path_factory.mktemp("bin")
    command = folder / "layoutcm"
    command.write_text(f'#!/bin/bash\nexec "{sys.executable}" -m layoutcm "$@"\n', "utf-8")
    command.chmod(0o755)
    return os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


def run_action(environment, folder, **inputs):
    """The exit code, the outputs and the summary of the last step of the action, run as GitHub runs it."""
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    step = action["runs"]["steps"][-1]
    assert step["shell"] == "bash" and "${{" not in step["run"]
    values = {name: one.get("default", "") for name, one in action["inputs"].items()} | inputs
    given = {name: values[text.split()[1].removeprefix("inputs.")] for name, text in step["env"].items()}
    files = {name: str(folder / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(
        command, env=environment | given | files | {"RUNNER_TEMP": str(folder)}, capture_output=True, text=True
    )
    outputs = dict(line.split("=", 1) for line in Path(files["GITHUB_OUTPUT"]).read_text("utf-8").splitlines())
    summary = Path(files["GITHUB_STEP_SUMMARY"])
    return done, outputs, summary.read_text("utf-8") if summary.exists() else ""


def test_the_action_passes_and_fails(environment, result_c, tmp_path):
    """The very commands of action.yml; a label and a path of blanks and quotes do no harm."""
    folder = tmp_path / "it's a $(touch harm) folder"
    folder.mkdir()
    limits = "macro.f1=0.5\nclass.Table.f1=0.5"
    chosen = {"fail-under": limits, "baseline": result_c, "max-drop": "0.1", "options": "--rounding\nnearest"}
    done, outputs, summary = run_action(environment, folder, gt=GT, pred=A, **chosen)
    assert done.returncode == 0, done.stderr
    assert outputs["passed"] == "true" and summary.startswith("**layoutcm gate passed: 6 checks**")
    checks = json.loads(Path(outputs["json"]).read_text("utf-8"))
    assert "rounding:nearest" in checks["recipe"]
    assert "rounding was outer, and is nearest" in checks["notes"][0]
    other = tmp_path / "other"
    other.mkdir()
    done, outputs, summary = run_action(environment, other, result=result_c, strict="true", **{"fail-under": "right=1"})
    assert done.returncode == 3 and outputs["passed"] == "false"
    assert "**fell short**" in summary and summary == Path(outputs["markdown"]).read_text("utf-8")
    assert not (Path.cwd() / "harm").exists()


def test_the_action_says_what_is_wrong(environment, tmp_path):
    done, outputs, summary = run_action(environment, tmp_path, result="missing.json", **{"fail-under": "right=1"})
    assert done.returncode == 2 and "missing.json" in done.stderr
    assert outputs == {"passed": "false"} and summary == ""


def test_the_inputs_of_the_action_are_those_of_its_steps():
    text = (ROOT / "action.yml").read_text("utf-8")
    action = yaml.safe_load(text)
    assert action["runs"]["using"] == "composite"
    assert all(f"inputs.{name}" in text and one["description"] for name, one in action["inputs"].items())
    assert all("shell" in step or "uses" in step for step in action["runs"]["steps"])
    install = next(step for step in action["runs"]["steps"] if step.get("name") == "Install layoutcm")
    assert (ROOT / "constraints.txt").exists() and '"$ACTION_PATH"' in install["run"]


def test_the_entry_of_the_pre_commit_hook(environment, result_c):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    assert hook["id"] == "layoutcm-gate" and hook["language"] == "python" and hook["pass_filenames"] is False
    command = [*shlex.split(hook["entry"]), "--result", result_c, "--fail-under"]
    codes = [
        subprocess.run([*command, f"macro.f1={least}"], env=environment, capture_output=True).returncode
        for least in (0.8, 0.9)
    ]
    assert codes == [0, 3]
