"""What layoutcm and other tools say about the sample, as one table; `bench_all.py` writes it to two pages.

    python benchmarks/sample_figures.py PEER_PYTHON

prints it. PEER_PYTHON is the Python of an environment in which the other tools are installed.
"""

import json
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from other_tools import LABELS

PEERS = ("docling-metrics-layout", "hotcoco", "faster-coco-eval", "TIDE", "mote_error")
BEGIN, END = "<!-- written by make bench-all: begin -->", "<!-- written by make bench-all: end -->"
CELL = ("Table", "Picture")
NOTHING = "–"


def tool_answer(python, tool, folder):
    """{"version", "figures"} of a tool, which runs in a process of its own."""
    script = str(Path(__file__).with_name("other_tools.py"))
    run = subprocess.run([python, script, tool, str(folder)], capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(f"{tool}: {run.stderr[-2000:]}")
    return json.loads(run.stdout.splitlines()[-1])


def sample_figures(peer_python):
    """The lines of the table: one row per figure, one column per tool."""
    with tempfile.TemporaryDirectory() as folder:
        answers = {"layoutcm": tool_answer(sys.executable, "layoutcm", folder)}
        answers |= {tool: tool_answer(peer_python, tool, folder) for tool in PEERS}
    own = answers["layoutcm"]["figures"]["matrix"]
    for answer in answers.values():
        if matrix := answer["figures"].pop("matrix", None):
            answer["figures"] |= matrix_rows(matrix, own)
    rows = dict.fromkeys(name for answer in answers.values() for name in answer["figures"])
    heads = [f"{tool} {answer['version']}" for tool, answer in answers.items()]
    lines = [f"| figure | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name in rows:
        cells = [cell_text(answer["figures"], name) for answer in answers.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [
        f"Ground truth against model A of sample_data, by benchmarks/sample_figures.py, "
        f"a part of `make bench-all`, on {date.today()}. "
        f"{NOTHING}: the tool has no such figure, or it was not asked for it.",
        "",
        *lines,
    ]


def matrix_rows(matrix, own):
    """One cell of a matrix, and how far any of its cells is from that of layoutcm."""
    gt, pred = (["Background", *LABELS.values()].index(name) for name in CELL)
    far = max(abs(value - other) for row, others in zip(matrix, own) for value, other in zip(row, others))
    cells = len(own) * len(own[0])
    return {
        f"pixels of {CELL[0]} read as {CELL[1]}": f"{matrix[gt][pred]:,.1f}",
        f"largest difference of a cell from layoutcm, of {cells}": f"{far:g}",
    }


def cell_text(figures, name):
    if name not in figures:
        return NOTHING
    value = figures[name]
    return "n/a" if value is None else value if isinstance(value, str) else f"{value:.3f}"


def write_between_marks(path, lines):
    """Put the lines between the two marks of a page."""
    text = path.read_text("utf-8")
    before, after = text[: text.index(BEGIN)], text[text.index(END) :]
    path.write_text("\n".join([f"{before}{BEGIN}", "", *lines, "", after]), "utf-8")


if __name__ == "__main__":
    print("\n".join(sample_figures(sys.argv[1])))
