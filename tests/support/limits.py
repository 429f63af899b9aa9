"""Limits on time and memory that the system enforces, also inside compiled code, and how to see which one was hit."""

import contextlib
import json
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

SECONDS = 5  # CPU time of one case
STUCK_AFTER = 60  # seconds on the clock of one case: for one that waits without computing
MEMORY = 1 << 30  # bytes that a case may add to the process


def limit_memory(more: int = MEMORY) -> None:
    """Let this process take `more` bytes of address space than it has now; beyond it, allocations fail."""
    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, resource.getrlimit(resource.RLIMIT_AS)[1]))


@contextlib.contextmanager
def limited_time(seconds: float = SECONDS, stuck_after: float = STUCK_AFTER):
    """The system ends this process if the block takes more CPU time, or more time on the clock.

    No handler is set on purpose: Python would run it only after the compiled function that takes so long.
    """
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, stuck_after)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def why_it_ended(code: int) -> str:
    """What the exit code of a process under these limits means."""
    named = {
        -signal.SIGPROF: f"took more than {SECONDS} s of CPU time",
        -signal.SIGALRM: f"did not end within {STUCK_AFTER} s",
        -signal.SIGABRT: "aborted, as compiled code does if it gets no memory",
        -signal.SIGSEGV: "crashed",
        -signal.SIGKILL: "was killed from outside",
    }
    return named.get(code, f"ended with the exit code {code}")


class Ended(NamedTuple):
    """How a child process ended."""

    code: int
    cpu: float  # seconds
    memory: int  # bytes that were resident at most
    errors: str  # what it wrote to standard error


# The process in between is small: a child of the process that runs the tests would count its memory as its own.
RUNNER = """
import os, resource, sys
seconds, address_space = map(int, sys.argv[1:3])
child = os.fork()
if not child:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    os.execv(sys.argv[3], sys.argv[3:])
_, status, used = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
"""


def run_limited(command: list[str], seconds: int, address_space: int, folder: Path) -> Ended:
    """Run a command in a folder; the system ends it after `seconds` of CPU time."""
    runner = [sys.executable, "-S", "-c", RUNNER, str(seconds), str(address_space)]
    done = subprocess.run([*runner, *command], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    code, cpu, memory = done.stdout.split()
    return Ended(int(code), float(cpu), int(memory), done.stderr.decode("utf-8", "replace"))


# Every file is read in a fork of one process, which loads the libraries only once.
PROGRAM = """
import json, os, resource, sys, traceback
import layoutcm, numba, pandas, pyarrow.csv, pyarrow.parquet, PIL.Image, yaml
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
def read(path):
    {body}
for path in sys.argv[1:]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        sys.stdout = sys.stderr
        try:
            read(path)
        except layoutcm.InputError as error:
            print(str(error)[:300])
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status, used = os.wait4(child, 0)
    taken = [path, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]
    print(json.dumps(taken), flush=True)
"""
READ = "layoutcm.read(path, sizes=(10, 10), shapes='polygon')"
SHOW = """
    images = images_from_files([ImageFile(os.path.basename(path), path, open(path, "rb").read())])
    load_shrunk(images.pictures[-1], 100)
"""


def read_with_limits(paths: list[Path], body: str = READ) -> dict[str, tuple[int, float, float]]:
    """{name of the file: exit code, seconds of CPU, most MB in memory}; the code is 0 for a layout or an InputError."""
    program = PROGRAM.format(body=body.strip())
    done = subprocess.run([sys.executable, "-c", program, *map(str, paths)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    print(done.stderr)
    taken = [json.loads(line) for line in done.stdout.splitlines()]
    return {Path(path).name: (code, seconds, megabytes) for path, code, seconds, megabytes in taken}
