"""A Dask cluster on this machine that only this process can use: connections need the key of this run, and there is
no HTTP server.

Whoever can connect to a scheduler or a worker can run code in it. Dask opens HTTP servers even if no dashboard is asked
for, so the method that does it is replaced. Workers import this module by name.
"""

from __future__ import annotations

from typing import Any

from distributed import LocalCluster, Nanny, Scheduler, Worker
from distributed.security import Security


class WithoutHttp:
    """Comes before a server of Dask."""

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Open no port."""


class PrivateScheduler(WithoutHttp, Scheduler):
    """A scheduler without an HTTP server."""


class PrivateWorker(WithoutHttp, Worker):
    """A worker without an HTTP server."""


class PrivateNanny(Nanny):
    """Starts a worker without an HTTP server, and another one if it dies."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options | {"worker_class": PrivateWorker})


class PrivateCluster(LocalCluster):
    """Processes of this machine that speak TLS with certificates that are made now and never stored."""

    def __init__(self, workers: int) -> None:
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
