"""Use an installed layoutcm as a stranger would, and stop at the first thing that does not work.

    PYTHON tools/wheel_uses.py [package compare gate Evaluator notebook reports app]

PYTHON is the Python of the environment in which layoutcm is installed; it works in a folder that is not the repository.
Only the standard library, layoutcm and what layoutcm installs are used. The numbers are those of the sample data, which
are in the package.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from pathlib import Path

import layoutcm as lcm

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = Path(lcm.__file__).parent / "_app" / "sample_data"
FILES = [str(SAMPLE / name) for name in ("gt.json", "model-a.json")]
MACRO_F1 = 0.8101  # of model A
REPORT = {"report.html", "report.xlsx", "result.json", "pages.parquet", "pages.csv", "figures", "tables"}
COMMAND = [str(Path(sys.executable).with_name("layoutcm"))]


class Failed(Exception):
    """Something that does not work."""


def check(fact: bool, what: str) -> None:
    if not fact:
        raise Failed(what)


def run(*arguments: str, code: int = 0) -> str:
    """The output of the command `layoutcm`, which must end with this exit code."""
    found = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, encoding="utf-8")
    check(found.returncode == code, f"layoutcm {arguments[0]} ended with {found.returncode}: {found.stderr}")
    return found.stdout


def right(value: float | None) -> bool:
    return value is not None and abs(value - MACRO_F1) < 5e-5


def comparison() -> lcm.Comparison:
    gt = lcm.read(FILES[0])
    return lcm.compare(gt, lcm.read(FILES[1], like=gt))


def use_package() -> str:
    check(ROOT not in Path(lcm.__file__).parents, f"layoutcm is that of the repository: {lcm.__file__}")
    check(run("--version").strip() == f"layoutcm {lcm.__version__}", "another version")
    check(all(hasattr(lcm, name) for name in lcm.__all__), "a public name is missing")
    return lcm.__version__


def use_compare() -> str:
    result = json.loads(run("compare", *FILES, "--json", "-"))
    found = result["averages"]["macro"]["f1"]
    check(right(found) and result["pages"] == 60, f"macro F1 is {found}")
    check(right(comparison().confusion().average("macro")["f1"]), "Python and the command line differ")
    return f"macro F1 {found:.4f}"


def use_gate() -> str:
    run("gate", *FILES, "--fail-under", "macro.f1=0.8")
    check("macro.f1" in run("gate", *FILES, "--fail-under", "macro.f1=0.9", code=3), "no table of what fell short")
    return "exit codes 0 and 3"


def use_evaluator() -> str:
    gt = lcm.read(FILES[0])
    pred = lcm.read(FILES[1], like=gt)
    evaluator = lcm.Evaluator(gt.labels)
    columns = ["label", "x0", "y0", "x1", "y1", "score"]
    sides = [dict(list(layout.regions.groupby("page")[columns])) for layout in (gt, pred)]
    for row in gt.pages.itertuples():
        evaluator.update(*(side.get(row.page) for side in sides), page=row.page, size=(row.width, row.height))
    check(right(evaluator.as_dict()["macro.f1"]), f"macro F1 is {evaluator.as_dict()['macro.f1']}")
    return f"{len(evaluator)} pages"


def use_notebook() -> str:
    c = comparison()
    shown = [c, lcm.read(FILES[0]), c.confusion(), c.findings, c.show(), c.show_page(c.page_table()["page"][0])]
    texts = [one._repr_html_() for one in shown]
    check("0.810" in texts[0] and "Table" in texts[2], "a table lacks its numbers")
    check(all("<iframe" in text for text in texts[-2:]), "no frame")
    return f"{len(texts)} displays"


def use_reports() -> str:
    run("compare", *FILES, "-o", "one", "--images", str(SAMPLE / "images"))
    check({path.name for path in Path("one").iterdir()} >= REPORT, "files of the report are missing")
    check(zipfile.ZipFile("one/report.xlsx").testzip() is None, "the workbook is damaged")
    check(Path("one/figures/recall.png").read_bytes().startswith(b"\x89PNG"), "a figure is no PNG")
    check(right(lcm.load_result("one/result.json").averages["macro"]["f1"]), "result.json has other numbers")
    run("compare", *FILES, str(SAMPLE / "model-c.json"), "-o", "two")
    check("model-c" in Path("two/index.html").read_text("utf-8"), "no page of all predictions")
    return f"{sum(path.is_file() for path in Path().rglob('*'))} files"


def use_app() -> str:
    """Start the dashboard and visit it by Streamlit's own protocol: a page that cannot be drawn is an error."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen([*COMMAND, "app", "--port", str(port)], stdout=log, stderr=log)
        try:
            return asyncio.run(_visit(server, f"http://localhost:{port}"))
        finally:
            server.terminate()
            server.wait(20)


async def _visit(server: subprocess.Popen[bytes], address: str) -> str:
    sys.path.append(str(ROOT / "benchmarks"))
    from protocol_client import Client

    _wait_for(server, f"{address}/_stcore/health")
    check(b"<title>" in _answer(f"{address}/errors?load=sample"), "/errors has no page")
    async with Client(address, timeout=120) as client:
        await client.open("load=sample")
        await client.go_to("Errors")
        check(not client.errors, f"the page Errors says {client.errors}")
        received = client.received.replace(b"\\", b"")  # without the escapes of Markdown and JSON
        check(b'"row_names"' in received, "the page Errors has no matrix")
        check(f"|v{lcm.__version__}".encode() in received, "the page Errors has no recipe")
    return "health, /errors?load=sample"


def _wait_for(server: subprocess.Popen[bytes], url: str, seconds: int = 120) -> None:
    for _ in range(seconds):
        check(server.poll() is None, "the server has ended")
        try:
            check(_answer(url) == b"ok", "the server is not healthy")
            return
        except OSError:
            time.sleep(1)
    raise Failed("the server does not answer")


def _answer(url: str) -> bytes:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    return opener.open(url, timeout=60).read()


USES = {"package": use_package, "compare": use_compare, "gate": use_gate, "Evaluator": use_evaluator}
USES |= {"notebook": use_notebook, "reports": use_reports, "app": use_app}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name in sys.argv[1:] or USES:
                start = time.perf_counter()
                print(f"  {name:10} {USES[name]()} ({time.perf_counter() - start:.1f} s)", flush=True)
        except Failed as problem:
            print(f"  {name:10} FAILED: {problem}")
            return 1
        finally:
            os.chdir(ROOT)
    return 0


if __name__ == "__main__":
    sys.exit(main())
