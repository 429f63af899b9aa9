"""Where parts are counted: on threads of this process, or by the workers of a Dask cluster.

Both call `count_part_of` for every part and `merge_counts` for the same groups of parts in the same order, so
they return the same sums to the last bit.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from layoutcm.errors import InputError, check_choice
from layoutcm.scale.kernel_cache import prepare_kernel
from layoutcm.scale.part_counts import Counts, begun_parts, count_part_of, merge_counts
from layoutcm.scale.plan import Plan, read_plan
from layoutcm.scale.storage import absolute

if TYPE_CHECKING:
    from distributed import Client, Future

ENGINES = ("threads", "dask")
MERGED_AT_ONCE = 32
RETRIES = 3
LOST_WORKERS = 10  # that may die while they count one part, before the run is given up
NO_WORKERS = "2 minutes"  # without any worker on this machine, before the run is given up
GO_ON = "Finished parts are kept: start the same command again."
Progress = Callable[[int, int], None]
T = TypeVar("T")


def count_parts(plan: Plan, engine: str | Client, threads: int | None, progress: Progress | None) -> Counts:
    """The sums of all parts; those that are finished are not counted again."""
    shown = _ShownProgress(plan, progress)
    if isinstance(engine, str):
        check_choice("engine", engine, ENGINES, ", or give a client of Dask")
        if engine == "threads":
            return _on_threads(plan, threads, shown)
        with local_cluster(threads) as client:
            return _with_dask(plan, client, shown)
    return _with_dask(plan, engine, shown)


class TreeMerge(Generic[T]):
    """Merges neighbours in groups, and then their sums, until one is left: a group as soon as it is complete.

    The groups do not depend on the order in which items arrive. Items that are merged are not kept.
    """

    def __init__(self, count: int, merge: Callable[[Sequence[T]], T]) -> None:
        self.merge, self.sizes = merge, [count]
        while self.sizes[-1] > 1:
            self.sizes.append(-(-self.sizes[-1] // MERGED_AT_ONCE))
        self.waiting: dict[tuple[int, int], dict[int, T]] = {}  # {(level, group): {number: item}}

    def add(self, number: int, item: T, level: int = 0) -> None:
        group = number // MERGED_AT_ONCE
        own = self.waiting.setdefault((level, group), {})
        own[number] = item
        last = level == len(self.sizes) - 1
        if not last and len(own) == min(MERGED_AT_ONCE, self.sizes[level] - group * MERGED_AT_ONCE):
            del self.waiting[level, group]
            self.add(group, self.merge([own[one] for one in sorted(own)]), level + 1)

    @property
    def total(self) -> T:
        """All items merged, after the last of them was added."""
        return self.waiting[len(self.sizes) - 1, 0][0]


def merge_in_tree(items: Iterable[T], count: int, merge: Callable[[Sequence[T]], T]) -> T:
    """All items merged by `TreeMerge`; `count` is their number."""
    tree = TreeMerge(count, merge)
    for number, item in enumerate(items):
        tree.add(number, item)
    return tree.total


class _ShownProgress:
    """Calls `progress`, first with the pages that an earlier run has counted."""

    def __init__(self, plan: Plan, progress: Progress | None) -> None:
        self.progress, self.facts = progress, plan.facts
        before: Collection[str] = begun_parts(plan) if progress else ()
        self.left = {number: part.pages for number, part in enumerate(plan.facts.parts) if part.name not in before}
        self.done = plan.facts.pages - sum(self.left.values())
        if progress:
            progress(self.done, plan.facts.pages)

    def add(self, part: int) -> None:
        if self.progress and part in self.left:
            self.done += self.left.pop(part)
            self.progress(self.done, self.facts.pages)


def _on_threads(plan: Plan, threads: int | None, shown: _ShownProgress) -> Counts:
    prepare_kernel(plan.facts.why)
    tree = TreeMerge(len(plan.facts.parts), merge_counts)
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        waiting = {pool.submit(count_part_of, plan, part): part for part in range(len(plan.facts.parts))}
        try:
            for done in as_completed(list(waiting)):
                part = waiting.pop(done)
                tree.add(part, done.result())
                shown.add(part)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return tree.total


def _with_dask(plan: Plan, client: Client, shown: _ShownProgress) -> Counts:
    try:
        return _on_workers(plan, client, shown)
    except _lost_errors() as error:
        raise _not_done(plan, "", error) from error


def _on_workers(plan: Plan, client: Client, shown: _ShownProgress) -> Counts:
    from distributed import as_completed as as_dask_completes

    # Workers may have been started in other folders.
    given: dict[str, Any] = {"folder": absolute(plan.folder), "digest": plan.digest}
    given["trusted"] = tuple(map(absolute, plan.trusted))
    parts = range(len(plan.facts.parts))
    futures = client.map(_count_on_worker, parts, **given, pure=False, retries=RETRIES, key="count-part")
    merge = lambda group: client.submit(merge_counts, list(group), pure=False, retries=RETRIES)
    merged = merge_in_tree(futures, len(parts), merge)
    number = {future.key: part for part, future in zip(parts, futures)}
    waiting = as_dask_completes(futures)
    del futures  # so workers drop what is merged
    for future in waiting:
        part = number[future.key]
        _check_done(plan, part, future)
        shown.add(part)
    return merged.result()


def _count_on_worker(part: int, folder: str, digest: str, trusted: tuple[str, ...]) -> Counts:
    return count_part_of(_plan_on_worker(folder, digest, trusted), part)


@lru_cache(maxsize=1)
def _plan_on_worker(folder: str, digest: str, trusted: tuple[str, ...]) -> Plan:
    """The plan, read once for all parts that a worker counts."""
    plan = read_plan(folder, trusted)
    if plan.digest != digest:
        raise InputError(folder, "", "the worker finds another plan here", "Use storage that all workers see.")
    return plan


def _check_done(plan: Plan, part: int, future: Future) -> None:
    """Raise the error of a task, or an InputError that names the part if Dask has given up the task."""
    if future.status == "finished":
        return
    try:
        if future.status in ("error", "cancelled"):  # a task that is lost has no result to wait for
            future.result()
        raise CancelledError
    except _lost_errors() as error:
        raise _not_done(plan, plan.facts.parts[part].name, error) from error


def _lost_errors() -> tuple[type[Exception], ...]:
    """The errors of Dask if workers or tasks are lost; the connection to a dying worker may close first (OSError)."""
    from distributed.client import ClosedClientError
    from distributed.scheduler import KilledWorker, NoWorkerError

    return CancelledError, KilledWorker, NoWorkerError, ClosedClientError, OSError


def _not_done(plan: Plan, part: str, error: Exception) -> InputError:
    """The error for a run that Dask has given up; all ways in which a worker can die share one sentence."""
    reason = "its workers died or cannot be reached"
    if isinstance(error, CancelledError):
        reason = "its tasks were cancelled"
    elif isinstance(error, OSError) and error.errno and not isinstance(error, ConnectionError | TimeoutError):
        reason = str(error)  # of a file that a worker has read or written
    return InputError(plan.folder, part, f"Dask did not finish the count: {reason}", GO_ON)


@contextmanager
def local_cluster(workers: int | None = None) -> Iterator[Client]:
    """Yield a client of a new cluster on this machine, with one process for each processor, which only it can use."""
    try:
        import cryptography  # noqa: F401 - which the certificates of the cluster need
        import dask
        from distributed import Client

        from layoutcm.scale.private_cluster import PrivateCluster, quieten
    except ImportError:
        raise no_dask() from None
    patient = dask.config.set(
        {"distributed.scheduler.allowed-failures": LOST_WORKERS, "distributed.scheduler.no-workers-timeout": NO_WORKERS}
    )
    with patient, PrivateCluster(workers or os.cpu_count() or 1) as cluster, Client(cluster) as client:
        try:
            yield client
        except (KeyboardInterrupt, SystemExit):  # that workers are then killed is no news
            quieten()
            raise


@contextmanager
def dask_client(address: str, workers: int | None = None) -> Iterator[Client]:
    """Yield a client of the scheduler at this address, or of a new local cluster for "local"."""
    if address == "local":
        with local_cluster(workers) as client:
            yield client
        return
    try:
        from distributed import Client
    except ImportError:
        raise no_dask() from None
    try:
        client = Client(address, timeout="10s")
    except (OSError, ValueError, TypeError) as error:
        raise InputError("", "--dask", f"there is no scheduler at {address}: {error}", "Check the address.") from None
    with client:
        try:
            yield client
        except InputError:  # what Dask logs while it closes would hide the message
            logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
            raise


def no_dask() -> InputError:
    return InputError("", "engine", "Dask is not installed", "Install it with: pip install 'layoutcm[dask]'.")
