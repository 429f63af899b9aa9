"""Two small sets of parts, for tests of `layoutcm.scale`."""

import hashlib
import random
from pathlib import Path

import layoutcm as lcm
from support.layouts import build
from support.paths import SAMPLE


def pair(seed=0, pages=40, labels="abcd", scores=True):
    """Two layouts of documents of three pages; pred misses some pages and has others."""
    rng = random.Random(seed)
    sizes = {f"d{i // 3}-p{i}": (20 + i % 3, 30) for i in range(pages)}
    documents = {name: name.partition("-")[0] for name in sizes}

    def regions(names):
        for name in names:
            for _ in range(rng.randrange(5)):
                x, y = rng.uniform(0, 15), rng.uniform(0, 25)
                box = (x, y, x + rng.uniform(1, 9), y + rng.uniform(1, 9))
                yield (name, rng.choice(labels[:-1]), *box, *([round(rng.random(), 2)] if scores else []))

    gt = build(sizes, [row[:6] for row in regions(sizes)], labels, "gt", documents)
    own = dict(list(sizes.items())[3:]) | {"d99-p0": (10, 10), "d0-extra": (20, 30)}
    named = documents | {"d99-p0": "d99", "d0-extra": "d0"}
    return gt, build(own, list(regions(own)), labels, "pred", named)


def compared(folder, gt, pred, gt_parts=4, pred_parts=3, **options):
    lcm.partition(gt, folder / "gt", gt_parts)
    lcm.partition(pred, folder / "pred", pred_parts)
    return lcm.compare_partitions(folder / "gt", folder / "pred", folder / "out", **options)


def write_sets(folder, gt_parts=4, pred_parts=3, **options):
    """The folders of gt and pred."""
    gt, pred = pair(**options)
    lcm.partition(gt, folder / "gt", gt_parts)
    lcm.partition(pred, folder / "pred", pred_parts)
    return folder / "gt", folder / "pred"


def digests(folder):
    """{file: digest} of all files of a folder, also hidden ones."""
    files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def result_of_sample(folder, model, **options):
    """The folder of a comparison of a model of the sample from three parts; the sides are called gt and MODEL."""
    gt, name = lcm.read(SAMPLE / "gt.json"), Path(model).stem
    if not (folder / "gt").exists():
        lcm.partition(gt, folder / "gt", 3)
    lcm.partition(lcm.read(SAMPLE / model, like=gt), folder / name, like=folder / "gt")
    lcm.compare_partitions(folder / "gt", folder / name, folder / f"result-{name}", **options)
    return folder / f"result-{name}"
