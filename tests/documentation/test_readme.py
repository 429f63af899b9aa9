"""The README stays short, its commands exist, and its times are those of the last `make bench-all`."""

import re
import subprocess

from support.paths import ROOT

README = (ROOT / "README.md").read_text("utf-8")
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")


def test_the_readme_is_short():
    assert README.count("\n") < 150


def test_the_two_commands_are_targets_of_make():
    commands = re.findall(r"^make (\w+)", README, re.MULTILINE)
    assert commands == ["run", "test"]
    for target in (*commands, "docs", "bench-all"):
        subprocess.run(["make", "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def test_times_are_those_of_the_benchmarks():
    rows = re.findall(r"^\| .+ \| ([\d.]+ s) \| ([\d.]+ GB) \|$", README, re.MULTILINE)
    assert len(rows) == 5
    for seconds, memory in rows:
        assert re.search(rf"\| {seconds} \| [\d.]+ s \| {memory} \|", BENCHMARKS), seconds
    kernel = re.findall(r"\| ([\d.]+) ms \| ([\d.]+) µs \|", BENCHMARKS)
    peer, own = ([float(row[i]) for row in kernel] for i in (0, 1))
    stated = [float(text) for text in re.search(r"takes (\d+) to (\d+) µs .+ (\d+) to (\d+) ms", README).groups()]
    assert stated == [round(min(own)), round(max(own), -1), round(min(peer)), round(max(peer))]
