"""The same numbers and the same bytes from a Dask cluster of processes, also if a worker is killed."""

import errno
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import layoutcm as lcm
from layoutcm.scale.engines import local_cluster
from support.parts import digests, write_sets

pytest.importorskip("distributed")
from distributed import Client
from distributed.comm import CommClosedError
from distributed.scheduler import KilledWorker, NoWorkerError

from support.reading import fails

DEAD = r"Dask did not finish the count: its workers died or cannot be reached\. Finished parts are kept: start the same"
# A worker that is killed, and a cluster that ends, leave sockets that Python reports.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::UserWarning")


@pytest.fixture(scope="module")
def client():
    with local_cluster(2) as client:
        yield client


def test_the_same_bytes_as_with_threads(tmp_path, client):
    gt, pred = write_sets(tmp_path, 5, 3)
    lcm.compare_partitions(gt, pred, tmp_path / "threads", why=True)
    seen = []
    lcm.compare_partitions(
        gt, pred, tmp_path / "dask", engine=client, why=True, progress=lambda *done: seen.append(done)
    )
    assert digests(tmp_path / "dask") == digests(tmp_path / "threads")
    assert seen[0] == (0, 40) and seen[-1] == (40, 40) and len(seen) == 6


def test_a_worker_that_is_killed_is_replaced(tmp_path, client):
    """`make bench-scale` does this five times, and kills the scheduler, too."""
    gt, pred = write_sets(tmp_path, 12, 3, pages=240)
    lcm.compare_partitions(gt, pred, tmp_path / "threads")
    worker, counted = next(iter(client.run(os.getpid).values())), []

    def kill_one():
        while not (tmp_path / "dask" / "counts").exists():
            time.sleep(0.002)
        os.kill(worker, signal.SIGKILL)
        counted.extend((tmp_path / "dask" / "counts").iterdir())

    killer = threading.Thread(target=kill_one)
    killer.start()
    lcm.compare_partitions(gt, pred, tmp_path / "dask", engine=client)
    killer.join()
    assert len(counted) < 12  # else the run had no need of the worker
    assert digests(tmp_path / "dask") == digests(tmp_path / "threads")


def test_an_error_of_a_part_is_that_of_the_comparison(tmp_path, client):
    gt, pred = write_sets(tmp_path, 3, 2)
    lcm.plan_partitions(gt, pred, tmp_path / "out")
    (tmp_path / "out" / "pred" / "part-00001.parquet").write_bytes(b"PAR1")
    fails(r"part-00001\.parquet", lcm.compare_partitions, gt, pred, tmp_path / "out", engine=client)
    assert not (tmp_path / "out" / "result.json").exists()


def listening_ports(processes):
    """The TCP ports on which these processes accept connections; only on Linux."""
    ports = {}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for fields in map(str.split, Path(table).read_text().splitlines()[1:]):
            if fields[3] == "0A":
                ports[f"socket:[{fields[9]}]"] = int(fields[1].rpartition(":")[2], 16)
    found = [
        os.readlink(file)
        for process in processes
        for file in Path(f"/proc/{process}/fd").iterdir()
        if os.path.islink(file)
    ]
    return {ports[name] for name in found if name in ports}


@pytest.mark.skipif(sys.platform != "linux", reason="ports are listed in /proc")
def test_only_the_client_of_a_run_can_use_its_cluster():
    """Whoever can connect can run code. Without the key of the run, no port answers; none speaks HTTP."""
    before = listening_ports([os.getpid()])
    with local_cluster(1) as client:
        processes = [os.getpid(), *client.run(os.getpid).values()]
        ports = listening_ports(processes) - before
        assert int(client.scheduler.address.rpartition(":")[2]) in ports and 8787 not in ports
        for port in ports:
            with pytest.raises((OSError, TypeError)):
                Client(f"tcp://127.0.0.1:{port}", timeout="5s")
            with socket.create_connection(("127.0.0.1", port)) as plain:
                plain.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert b"HTTP" not in _answer(plain)


def _answer(connection):
    try:
        return connection.recv(100)
    except OSError:
        return b""


def test_an_engine_that_is_not_known(tmp_path, sets):
    fails("'spark' is not known", lcm.compare_partitions, *sets, tmp_path / "out", engine="spark")


ERRORS = [
    (KilledWorker("a task", None, 0), DEAD),
    (NoWorkerError("a task", 120.0), DEAD),
    (CommClosedError("in <TCP>: Stream is closed"), DEAD),
    (TimeoutError("Timed out"), DEAD),
    (OSError(errno.ENOSPC, "No space left on device"), r"the count: .*No space left on device"),
]


@pytest.mark.parametrize(("error", "message"), ERRORS, ids=[type(error).__name__ for error, _ in ERRORS])
def test_whatever_is_noticed_first_a_dead_worker_is_the_same_error(tmp_path, sets, error, message):
    """The scheduler may say that a worker died, or the connection may close before that; a full disk is named."""

    def fail(*_, **options):
        raise error

    fails(message, lcm.compare_partitions, *sets, tmp_path / "out", engine=SimpleNamespace(map=fail))


def test_a_part_that_dask_gives_up_is_a_clear_error(tmp_path, client, monkeypatch):
    """A task that is cancelled: no traceback, and a way on."""
    gt, pred = write_sets(tmp_path, 3, 2)
    real, start = client.map, lambda: lcm.compare_partitions(gt, pred, tmp_path / "out", engine=client)

    def cancelled(*given, **options):
        futures = real(*given, **options)
        client.cancel(futures, force=True)
        return futures

    monkeypatch.setattr(client, "map", cancelled)
    fails(r"part-0000\d: Dask did not finish .* cancelled.* start the same", start)
    monkeypatch.undo()
    assert len(start().pages) == 40


def test_parts_that_kill_their_workers_are_a_clear_error(tmp_path, monkeypatch):
    """A cluster of its own, because a worker that ends with exit code 0 is not replaced; threads finish the count."""
    gt, pred = write_sets(tmp_path, 3, 2)
    with local_cluster(2) as own:
        real = own.map
        monkeypatch.setattr(
            own, "map", lambda _, parts, **given: real(os._exit, [1 + part for part in parts], pure=False)
        )
        monkeypatch.setattr(own.cluster.scheduler, "allowed_failures", 0)
        fails(DEAD, lcm.compare_partitions, gt, pred, tmp_path / "out", engine=own)
    assert len(lcm.compare_partitions(gt, pred, tmp_path / "out").pages) == 40


def test_workers_do_not_see_an_interrupt_and_the_main_process_does_afterwards():
    """A terminal sends Ctrl-C to all processes; what starts in the block, starts with it blocked."""
    from layoutcm.scale.private_cluster import interrupts_held

    is_blocked = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), interrupts_held():  # noqa: PT012 - raised where the block ends
            signal.raise_signal(signal.SIGINT)
            child = subprocess.run([sys.executable, "-c", is_blocked], capture_output=True, text=True)
        assert child.stdout == "True\n" and signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.signal(signal.SIGINT, before)
