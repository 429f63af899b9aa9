"""Seconds and memory to read DocLayNet-like Parquet files with images, and the ratio to reading the columns with Arrow.

    python benchmarks/bench_huggingface.py [pages]

The files are shards of 8,000 pages in row groups of 1,000, with an image of some hundred bytes to some kB on each page.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import layoutcm as lcm

PAGES, SHARD, GROUP, REGIONS, ROUNDS = 80_000, 8_000, 1_000, 13, 3
COLUMNS = ["bboxes", "category_id", "area", "metadata", "image.path"]


def write_shard(path: Path, first: int, pages: int) -> None:
    rng, choose = np.random.default_rng(first), random.Random(first)
    counts = rng.integers(1, 2 * REGIONS, pages)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    total = int(offsets[-1])
    boxes = rng.random((total, 4)) * 500
    four = pa.ListArray.from_arrays(np.arange(0, 4 * total + 1, 4, dtype=np.int32), pa.array(boxes.ravel()))
    metadata = [
        {"coco_height": 1025, "coco_width": 1025, "collection": "reports", "doc_category": "manuals", "image_id": i,
         "original_filename": f"document_{i // 20}.pdf", "page_hash": f"{i:064x}", "page_no": i % 20}
        for i in range(first, first + pages)
    ]  # fmt: skip
    images = [{"bytes": choose.randbytes(choose.randrange(300, 5000)), "path": None} for _ in range(pages)]
    table = pa.table(
        {
            "image": pa.array(images, pa.struct([("bytes", pa.binary()), ("path", pa.string())])),
            "bboxes": pa.ListArray.from_arrays(offsets, four),
            "category_id": pa.ListArray.from_arrays(offsets, pa.array(rng.integers(1, 12, total))),
            "area": pa.ListArray.from_arrays(offsets, pa.array(boxes[:, 2] * boxes[:, 3])),
            "metadata": pa.array(metadata),
        }
    )
    pq.write_table(table, path, row_group_size=GROUP)


def seconds_of(work: str, folder: str) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of a process that does this once; starting Python is not counted."""
    found = subprocess.run([sys.executable, __file__, work, folder], check=True, capture_output=True, text=True)
    seconds, megabytes = map(float, found.stdout.split()[-2:])
    return seconds, megabytes


def do(work: str, folder: str) -> None:
    start = time.process_time()
    if work == "--layoutcm":
        lcm.read(folder)
    else:
        for path in sorted(Path(folder).iterdir()):
            pq.ParquetFile(path).read(columns=COLUMNS, use_threads=False)
    print(time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    pages = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    with tempfile.TemporaryDirectory() as folder:
        shards = -(-pages // SHARD)
        for i in range(shards):
            path = Path(folder, f"train-{i:05}-of-{shards:05}.parquet")
            write_shard(path, i * SHARD, min(SHARD, pages - i * SHARD))
        size = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
        (ours, memory), (plain, plain_memory) = (
            min(seconds_of(work, folder) for _ in range(ROUNDS)) for work in ("--layoutcm", "--arrow")
        )
    print(f"{pages:,} pages in {shards} files, {size:,.0f} MB")
    print(f"layoutcm {ours:.2f} s, {memory:,.0f} MB")
    print(f"Arrow alone {plain:.2f} s, {plain_memory:,.0f} MB; the ratio is {ours / plain:.1f}")


if __name__ == "__main__":
    if sys.argv[1:2] in (["--layoutcm"], ["--arrow"]):
        do(*sys.argv[1:3])
    else:
        main()
