"""Many visitors at once: errors, data of others, times of script runs, memory after they have left.

Visitors speak Streamlit's own protocol, because browsers on the same machine would take most of its time.

First one visitor comes and goes, and the memory of the server is measured; then many come, each with own files, one of
them with very many pages. Meanwhile three hostile visitors come again and again: one begins uploads of 1 GiB and sends
nothing, one uploads zips of many tables, one uploads zips that unpack to very much. Exit code 1 if a visitor saw an
error, a refused upload or data of another one, if fewer than 95 % of the visitors' actions (uploads and pages) took
less than 2 s, or if the memory some minutes later is over 20 % larger.
"""

import argparse
import asyncio
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Awaitable, Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from generate import write_pair
from protocol_client import Client

import layoutcm as lcm
from layoutcm.ui.data.drop_zone import DROP
from layoutcm.wording import score_text, thin_spaced

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from support.servers import free_port, wait_for_server

LONGEST = 2.0  # seconds
WITHIN_TIME = 0.95  # share of the actions
MORE_MEMORY = 1.2  # times the memory after one visitor
TIMEOUT = 120.0  # seconds
WAIT_BETWEEN_CLICKS = 3.0  # seconds, in which a person would look at the page
PAGES = ("Models", "Errors", "Page", "Ground truth", "Measures")
SILENT_UPLOADS = 8  # at once, of a hostile visitor
TABLES = 4000  # in a hostile zip
BOMB = 60 << 20  # bytes, in a zip of 60 kB
OWN_MARK = re.compile(rb"visitor\d\d")  # a part of all names of a visitor's files and labels


@dataclass
class Visitor:
    """One visitor: the mark in its names, its files, and what it should see."""

    mark: str
    gt: Path
    pred: Path
    pages: int
    f1: str
    clicks: int = 0
    problems: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of its actions


def make_visitor(folder: Path, number: int, pages: int) -> Visitor:
    """Files of the given number of pages, whose labels and names carry the mark of the visitor."""
    mark = f"visitor{number:02d}"
    gt, pred = write_pair(folder / mark, pages, seed=number)
    named = re.sub(rb'"name": "([^"]+)"', rb'"name": "\1 %s"' % mark.encode(), gt.read_bytes(), count=11)
    gt.write_bytes(named)
    gt, pred = gt.rename(gt.with_name(f"gt {mark}.json")), pred.rename(pred.with_name(f"pred {mark}.json"))
    reference = lcm.read(gt)
    f1 = lcm.compare(reference, lcm.read(pred, like=reference)).average("micro")["f1"]
    return Visitor(mark, gt, pred, pages, score_text(f1))


def serve(port: int, times: Path) -> None:
    """Run the server in this process, and write the seconds of every script run to a file."""
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner

    from layoutcm.cli.main import main

    run = ScriptRunner._run_script

    def timed_run(self, *arguments, **options):
        start = time.perf_counter()
        try:
            return run(self, *arguments, **options)
        finally:
            with times.open("a") as file:
                file.write(f"{time.perf_counter() - start:.3f}\n")

    ScriptRunner._run_script = timed_run
    main(["app", "--port", str(port)])


@contextmanager
def running_server(folder: Path):
    """The process of a server, its address, and the files with its times and its log."""
    port, times, log = free_port(), folder / "times", folder / "log"
    times.touch()
    command = [sys.executable, __file__, "--serve", str(port), str(times)]
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
    try:
        wait_for_server(port)
        yield process, f"http://127.0.0.1:{port}", times, log
    finally:
        process.terminate()
        process.wait(20)


def memory_of(process: subprocess.Popen) -> float:
    """The resident memory of the server and of the processes that read files, in MB."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    found = [re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()) for pid in (process.pid, *children)]
    return sum(int(one[1]) for one in found if one) / 1000


def look(client: Client, visitor: Visitor, where: str) -> None:
    """Note errors, names that belong to another visitor, and what is missing in all that the server has sent."""
    sent, own = client.received, visitor.mark.encode()
    foreign = set(OWN_MARK.findall(sent)) - {own}
    if foreign:
        visitor.problems.append(f"{where}: names of {b', '.join(sorted(foreign)).decode()}")
    if own not in sent or f"{thin_spaced(visitor.pages)} pages".encode() not in sent:
        visitor.problems.append(f"{where}: own names or the number of pages are missing")
    if where == "Errors" and visitor.f1.encode() not in sent:
        visitor.problems.append(f"{where}: the F1 {visitor.f1} is missing")
    visitor.problems += [f"{where}: {message}" for message in client.errors]
    client.errors.clear()


async def visit(address: str, visitor: Visitor, seconds: float) -> None:
    """Upload the files, then go from page to page for some seconds (through all pages at least once)."""
    end = time.monotonic() + seconds
    try:
        async with Client(address, TIMEOUT) as client:
            await client.open()
            for file in (visitor.gt, visitor.pred):
                await client.upload(DROP, file)
            visitor.seconds = client.seconds
            while visitor.clicks < len(PAGES) or time.monotonic() < end:
                await asyncio.sleep(WAIT_BETWEEN_CLICKS)
                name = PAGES[visitor.clicks % len(PAGES)]
                await client.go_to(name)
                look(client, visitor, name)
                visitor.clicks += 1
    except Exception as error:  # also a timeout: noted, and the other visitors go on
        visitor.problems.append(f"{type(error).__name__}: {str(error)[:300]}")


async def send_nothing(client: Client, _: Path) -> None:
    await asyncio.gather(*(client.stand_still(1 << 30) for _ in range(SILENT_UPLOADS)))


def many_tables(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(TABLES):
            archive.writestr(f"{file.stem}-{number}.csv", "page,width,height,label,x0,y0,x1,y1\np,9,9,a,0,0,5,5\n")


def bomb(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{file.stem}.csv", bytes(BOMB))


def upload_made(make: Callable[[Path], None]) -> Callable[[Client, Path], Awaitable[None]]:
    async def upload(client: Client, file: Path) -> None:
        await asyncio.to_thread(make, file)
        await client.upload(DROP, file)
        file.unlink()

    return upload


HOSTILE = {"silent": send_nothing, "tables": upload_made(many_tables), "bomb": upload_made(bomb)}


async def attack(address: str, folder: Path, name: str, done: dict[str, int]) -> None:
    """Come again and again as a new visitor, with another file each time: the content of a file is read only once."""
    while True:
        with suppress(Exception):  # what a hostile visitor gets does not matter
            async with Client(address, TIMEOUT) as client:
                await client.open()
                await HOSTILE[name](client, folder / f"{name}-{done[name]}.zip")
        done[name] += 1
        await asyncio.sleep(0.1)


async def visit_all(address: str, visitors: list[Visitor], seconds: float, folder: Path | None = None) -> None:
    """Let all visitors come at once, and with a folder for their files the hostile ones."""
    done = dict.fromkeys(HOSTILE, 0)
    hostile = [asyncio.create_task(attack(address, folder, name, done)) for name in HOSTILE] if folder else []
    await asyncio.gather(*(visit(address, visitor, seconds) for visitor in visitors))
    for one in hostile:
        one.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
    if hostile:
        print(f"  hostile visits: {', '.join(f'{count} {name}' for name, count in done.items())}", flush=True)


def judge(visitors: list[Visitor], times: list[float], before: float, after: float, log: str) -> bool:
    """Print all figures; whether all of them are good."""
    quick = sum(seconds < LONGEST for seconds in times) / max(len(times), 1)
    slowest = ", ".join(f"{seconds:.1f}" for seconds in sorted(times)[-5:])
    problems = [f"{visitor.mark}: {problem}" for visitor in visitors for problem in visitor.problems]
    problems += re.findall(r"a page failed|Traceback.*", log)
    clicks = sum(visitor.clicks for visitor in visitors)
    print(f"  {len(visitors)} visitors, {clicks} pages seen, {len(problems)} errors or data of others")
    for problem in problems[:20]:
        print(f"    {problem}")
    print(f"  {len(times)} script runs, also hostile ones, {quick:.1%} under {LONGEST:.0f} s; slowest {slowest} s")
    actions = sorted(one for visitor in visitors for one in visitor.seconds)
    within = actions[int(WITHIN_TIME * (len(actions) - 1))] if actions else 0.0
    longest = ", ".join(f"{seconds:.1f}" for seconds in actions[-5:])
    print(f"  {len(actions)} actions, {WITHIN_TIME:.0%} within {within:.2f} s; the slowest took {longest} s")
    print(f"  memory after one visitor {before:.0f} MB, after all of them {after:.0f} MB ({after / before:.2f} times)")
    return not problems and bool(actions) and within < LONGEST and after <= MORE_MEMORY * before


def soak(options: argparse.Namespace, folder: Path) -> bool:
    sizes = [40 + number for number in range(options.visitors)] + [options.pages]
    first, *visitors = (make_visitor(folder, number, pages) for number, pages in enumerate(sizes))
    with running_server(folder) as (process, address, times, log):
        print(f"  memory at the start {memory_of(process):.0f} MB", flush=True)
        asyncio.run(visit_all(address, [first], 0))
        time.sleep(options.wait)
        before = memory_of(process)
        already = len(times.read_text().split())
        asyncio.run(visit_all(address, visitors, options.seconds, folder if options.hostile else None))
        print(f"  memory when they leave {memory_of(process):.0f} MB", flush=True)
        time.sleep(options.wait)
        runs = [float(text) for text in times.read_text().split()[already:]]
        return judge([first, *visitors], runs, before, memory_of(process), log.read_text())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(int(sys.argv[2]), Path(sys.argv[3]))
        sys.exit()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visitors", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=120, help="how long they stay")
    parser.add_argument("--wait", type=float, default=300, help="seconds before memory is measured")
    parser.add_argument("--hostile", action=argparse.BooleanOptionalAction, default=True, help="let hostile ones come")
    parser.add_argument("--pages", type=int, default=30_000, help="pages of the largest files")
    with tempfile.TemporaryDirectory() as folder:
        sys.exit(0 if soak(parser.parse_args(), Path(folder)) else 1)
