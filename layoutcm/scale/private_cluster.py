"""A Dask cluster on this machine that only this process can use: connections need the key of this run, and there is
no HTTP server.

Whoever can connect to a scheduler or a worker can run code in it. Dask opens HTTP servers even if no dashboard is asked
for, so the method that does it is replaced. Workers import this module by name.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.resource_tracker import ensure_running
from typing import Any

from distributed import LocalCluster, Nanny, Scheduler, Worker
from distributed.security import Security


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let threads and processes that start in the block never see Ctrl-C, which a terminal sends to all of them.

    The main process sees it after the block, and ends the others.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    ensure_running()  # when it starts itself, it lets signals through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def quieten() -> None:
    """Log nothing of connections and tasks that end with a stopped run; errors of tasks reach the main process."""
    for name in ("client", "comm", "core", "nanny", "scheduler", "worker"):
        logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
    logging.getLogger("distributed.worker.memory").setLevel(logging.WARNING)


class WithoutHttp:
    """Comes before a server of Dask."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Open no port."""


class PrivateScheduler(WithoutHttp, Scheduler):
    """A scheduler without an HTTP server."""


class PrivateWorker(WithoutHttp, Worker):
    """A worker without an HTTP server, which says nothing of tasks that end with a stopped run."""

    def __init__(self, *given: Any, **options: Any) -> None:
        quieten()
        super().__init__(*given, **options)


class PrivateNanny(Nanny):
    """Starts a worker without an HTTP server, and another one if it dies."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options | {"worker_class": PrivateWorker})


class PrivateCluster(LocalCluster):
    """Processes of this machine that speak TLS with certificates that are made now and never stored."""

    def __init__(self, workers: int) -> None:
        try:
            with interrupts_held():
                self._start_all(workers)
        except (KeyboardInterrupt, SystemExit):
            quieten()
            self.close()
            raise

    def _start_all(self, workers: int) -> None:
        super().__init__(
            n_workers=workers,
            threads_per_worker=1,
            worker_class=PrivateNanny,
            security=Security.temporary(),
            protocol="tls://",
            host="127.0.0.1",
            dashboard_address=None,
        )

    async def _start(self) -> None:
        self.scheduler_spec["cls"] = PrivateScheduler
        await super()._start()
