"""Kill the command at random moments, fill the disk, and let two commands write at once; `make kills`.

After each run the output must be the old one or the new one, complete: its digests are compared with those of runs that
nothing has disturbed. After the next run nothing hidden may be left. Prints one line for each kind of output.
"""

from __future__ import annotations

import hashlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

KILLS, FULL_DISKS, PAIRS = 102, 20, 5
SAMPLE = Path(__file__).parent.parent / "sample_data"
GT, OLD_PRED, NEW_PRED = (str(SAMPLE / name) for name in ("gt.json", "model-a.json", "model-c.json"))
COMMAND = [sys.executable, "-m", "layoutcm"]
# What each command writes to the given place; the two predictions make the old and the new output.
OUTPUTS: dict[str, Callable[[str, str], list[str]]] = {
    "--json": lambda pred, place: ["compare", GT, pred, "--json", place],
    "convert": lambda pred, place: ["convert", pred, "--like", GT, "--to", "parquet", "-o", place],
    "-o": lambda pred, place: ["compare", GT, pred, "-o", place],
}
# Files that contain times, or numbers that depend on them: only their presence is compared.
TIMED = (".xlsx", ".pdf", ".png")


def run(output: str, pred: str, place: Path) -> int:
    return subprocess.run(
        [*COMMAND, *OUTPUTS[output](pred, str(place))], capture_output=True, check=False, timeout=600
    ).returncode


def digests(place: Path) -> dict[str, str]:
    """{file: digest of its bytes} of an output; "empty" and a part of a file therefore differ from the whole."""
    files = [place] if place.is_file() else sorted(path for path in place.rglob("*") if path.is_file())
    found = {}
    for path in files:
        data = b"" if path.suffix in TIMED and path.stat().st_size > 1000 else path.read_bytes()
        found[str(path.relative_to(place))] = hashlib.sha256(data).hexdigest()
    return found


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(".layoutcm-*")]


class Trial:
    """One kind of output in a folder of its own, with the digests of both complete outputs and the time of a run."""

    def __init__(self, output: str, folder: Path, place: Path) -> None:
        self.output, self.folder, self.place = output, folder, place
        folder.mkdir(exist_ok=True)
        self.whole = {}
        for name, pred in (("old", OLD_PRED), ("new", NEW_PRED)):
            start = time.monotonic()
            if run(output, pred, self.place):
                sys.exit(f"{output}: an undisturbed run fails")
            self.seconds = time.monotonic() - start
            self.whole[name] = digests(self.place)

    def state(self) -> str:
        """ "old", "new" or what is wrong."""
        found = digests(self.place)
        return next((name for name, whole in self.whole.items() if whole == found), "a part")

    def next_run(self) -> None:
        """A run that is not disturbed must leave its output and nothing hidden."""
        code = run(self.output, OLD_PRED, self.place)
        if code or self.state() != "old" or hidden(self.folder):
            sys.exit(f"{self.output}: after the next run: exit code {code}, {self.state()}, {hidden(self.folder)}")

    def kill_once(self, share: float) -> str:
        """Kill a run at a moment of its life; says whether the output is still the one of before, or the other one."""
        before = self.state()
        process = self._start(NEW_PRED if before == "old" else OLD_PRED)
        time.sleep(share * self.seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = self.state()
        return after if after not in self.whole else "kept" if after == before else "replaced"

    def _start(self, pred: str) -> subprocess.Popen[bytes]:
        command = [*COMMAND, *OUTPUTS[self.output](pred, str(self.place))]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def two_at_once(self) -> str:
        pair = [self._start(pred) for pred in (OLD_PRED, NEW_PRED)]
        codes = [process.wait() for process in pair]
        return self.state() if not any(codes) and not hidden(self.folder) else f"{codes} {hidden(self.folder)}"


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """A file system of its own at the folder."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=60m", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)
        folder.rmdir()


def leave_room(folder: Path, kilobytes: int | None) -> None:
    """Make the file system so small that this is what is free."""
    used = shutil.disk_usage(folder).used // 1024
    size = "60m" if kilobytes is None else f"{used + kilobytes}k"
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)


def fill_disks(output: str, folder: Path, count: int) -> Counter[str]:
    """Runs on a disk with room for the old output and a part of the new one; every second report is a mount point."""
    states: Counter[str] = Counter()
    for k in range(count):
        with small_disk(folder):
            trial = Trial(output, folder, folder if output == "-o" and k % 2 else folder / "out")
            trial.next_run()
            size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) // 1024
            leave_room(folder, random.randint(0, size * 9 // 10))
            code = run(output, NEW_PRED, trial.place)
            states[trial.state() if not hidden(folder) else f"hidden {hidden(folder)}"] += 1
            states[f"exit code {code}"] += 1
            leave_room(folder, None)
            trial.next_run()
    return states


def main() -> None:
    random.seed(0)
    folder = Path(tempfile.mkdtemp())
    failed = False
    for output in OUTPUTS:
        own = folder / output.strip("-")
        trial = Trial(output, own, own / "out")
        trial.next_run()
        # Most of a run only reads and counts, so half of the kills are in its last part.
        shares = [random.uniform(0.0 if k % 2 else 0.7, 1.05) for k in range(KILLS // len(OUTPUTS))]
        states = Counter(map(trial.kill_once, shares))
        trial.next_run()
        print(f"{output}: {len(shares)} kills: {dict(states)}; nothing hidden after the next run")
        at_once = Counter(trial.two_at_once() for _ in range(PAIRS))
        print(f"{output}: {PAIRS} times two writers at once: {dict(at_once)}")
        failed |= bool((set(states) | set(at_once)) - {"kept", "replaced", "old", "new"})
    for k, output in enumerate(OUTPUTS):
        try:
            states = fill_disks(output, folder / "disk", len(range(k, FULL_DISKS, len(OUTPUTS))))
        except subprocess.CalledProcessError:
            print("full disks: nothing can be mounted here; tests/outputs/test_faults.py simulates them")
            break
        print(f"{output}: full disks: {dict(states)}")
        failed |= bool(set(states) - {"old", "new", "exit code 0", "exit code 2"})
    shutil.rmtree(folder)
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
