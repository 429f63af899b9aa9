"""Start servers on free ports, and wait for what happens in other processes."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager

from support.paths import ROOT

PATIENCE = 300  # seconds until a test gives up waiting: machines may be slow and busy


def wait_until(is_so, what):
    """Wait until a function returns something true, and return it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := is_so():
            return found
        time.sleep(0.05)
    raise TimeoutError(f"waited {PATIENCE} s for {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_server(port):
    """Wait until the dashboard answers on this port of this machine, and return its address."""
    address = f"http://127.0.0.1:{port}"

    def answers():
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=PATIENCE) as answer:
                return answer.status == 200
        except OSError:
            return False

    wait_until(answers, f"an answer from {address}")
    return address


@contextmanager
def server(files=(), program=("-m", "layoutcm", "app"), **options):
    """Run `layoutcm app` with files and options on a free port, and yield its address; `program` may stand for it."""
    port = free_port()
    command = [sys.executable, *program, f"--port={port}", *map(str, files)]
    command += [f"--{name}={value}" for name, value in options.items()]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, **silent)
    try:
        yield wait_for_server(port)
    finally:
        process.terminate()
        process.wait(PATIENCE)
