"""Where parts are counted: on threads of this process, or by the workers of a Dask cluster.

Both call `count_part_of` for every part and `merge_counts` for the same groups of parts in the same order, so that
they return the same sums to the last bit.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from layoutcm.errors import InputError, check_choice
from layoutcm.scale.kernel_cache import prepare_kernel
from layoutcm.scale.part_counts import Counts, count_part, count_part_of, merge_counts
from layoutcm.scale.places import absolute
from layoutcm.scale.plan import Plan

if TYPE_CHECKING:
    from distributed import Client

ENGINES = ("threads", "dask")
MERGED_AT_ONCE = 32
RETRIES = 3
LOST_WORKERS = 10  # that may die while they count one part, before the run is given up
Progress = Callable[[int, int], None]
T = TypeVar("T")


def count_parts(plan: Plan, engine: str | Client, threads: int | None, progress: Progress | None) -> Counts:
    """The sums of all parts; those that are finished are not counted again."""
    if isinstance(engine, str):
        check_choice("engine", engine, ENGINES, ", or give a client of Dask")
        if engine == "threads":
            return _on_threads(plan, threads, progress)
        with local_cluster(threads) as client:
            return _with_dask(plan, client, progress)
    return _with_dask(plan, engine, progress)


def merge_in_tree(items: Sequence[T], merge: Callable[[Sequence[T]], T]) -> T:
    """All items merged: neighbours in groups, then their sums, until one is left."""
    level = list(items)
    while len(level) > 1:
        level = [merge(level[i : i + MERGED_AT_ONCE]) for i in range(0, len(level), MERGED_AT_ONCE)]
    return level[0]


def _on_threads(plan: Plan, threads: int | None, progress: Progress | None) -> Counts:
    prepare_kernel(plan.facts.why)
    found: dict[int, Counts] = {}
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        waiting = {pool.submit(count_part_of, plan, part): part for part in range(len(plan.facts.parts))}
        try:
            for done in as_completed(waiting):
                found[waiting[done]] = done.result()
                _report(plan, found, progress)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return merge_in_tree([found[part] for part in sorted(found)], merge_counts)


def _report(plan: Plan, done: Any, progress: Progress | None) -> None:
    if progress:
        progress(sum(plan.facts.parts[part].pages for part in done), plan.facts.pages)


def _with_dask(plan: Plan, client: Client, progress: Progress | None) -> Counts:
    from distributed import as_completed as as_dask_completes

    client.register_plugin(_kernel_plugin(plan.facts.why))
    # Workers may have been started in other folders.
    places = [absolute(plan.list_place(part)) for part in range(len(plan.facts.parts))]
    futures = client.map(count_part, places, pure=False, retries=RETRIES, key="count-part")
    merged = merge_in_tree(futures, lambda group: client.submit(merge_counts, list(group), pure=False, retries=RETRIES))
    number = {future.key: part for part, future in enumerate(futures)}
    done: set[int] = set()
    for future in as_dask_completes(list(futures)):
        if future.status == "error":
            raise future.exception()
        done.add(number[future.key])
        _report(plan, done, progress)
    return merged.result()


def _kernel_plugin(why: bool) -> Any:
    """What every worker does when it starts, also one that replaces a lost worker."""
    from distributed import WorkerPlugin

    class PrepareKernel(WorkerPlugin):
        name = "layoutcm-kernel"

        def setup(self, worker: Any) -> None:
            prepare_kernel(why)

    return PrepareKernel()


@contextmanager
def local_cluster(workers: int | None = None) -> Iterator[Client]:
    """Yield a client of a new cluster on this machine, with one process for each processor."""
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise no_dask() from None
    number = workers or os.cpu_count() or 1
    settings = {"n_workers": number, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    patient = dask.config.set({"distributed.scheduler.allowed-failures": LOST_WORKERS})
    with patient, LocalCluster(**settings) as cluster, Client(cluster) as client:
        yield client


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
        yield client


def no_dask() -> InputError:
    return InputError("", "engine", "Dask is not installed", "Install it with: pip install 'layoutcm[dask]'.")
