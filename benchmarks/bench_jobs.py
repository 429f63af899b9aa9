"""The jobs that `bench_all.py` measures, each from two COCO files to an answer."""

import contextlib
import io
import resource
import tempfile
import time
from pathlib import Path


def run_job(name, gt_path, pred_path):
    """Wall seconds, CPU seconds and peak memory in GB of a job."""
    job = JOBS[name]
    if name in WARM:
        warm_up(job)
    start, cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        job(gt_path, pred_path)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"seconds": seconds, "cpu": cpu, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}


def warm_up(job):
    from generate import write_pair

    from layoutcm.compiled import compile_from_now_on

    compile_from_now_on()
    with tempfile.TemporaryDirectory() as folder:
        job(*write_pair(Path(folder), 200))
        # The scanner works on large files only; spaces make a small one large.
        paths = write_pair(Path(folder), 10)
        for path in paths:
            path.write_bytes(path.read_bytes() + b" " * (1 << 24))
        job(*paths)


def read_both(gt_path, pred_path):
    import layoutcm as lcm

    gt = lcm.read(gt_path)
    return gt, lcm.read(pred_path, like=gt)


def confusion(gt_path, pred_path):
    import layoutcm as lcm

    lcm.compare(*read_both(gt_path, pred_path)).confusion()


def objects(gt_path, pred_path):
    import numpy as np

    from layoutcm.alignment.align import align
    from layoutcm.comparison import comparison_in_memory
    from layoutcm.pixels.pair_counts import PairCounts

    # Without pixel counts, which objects do not need.
    counts = PairCounts(((), ()), np.empty(0, np.int32), np.empty((0, 2), np.uint64), np.empty(0))
    comparison = comparison_in_memory(align(*read_both(gt_path, pred_path)), counts, "outer", None, {})
    print(comparison.objects().summary)


def orjson_loads(gt_path, pred_path):
    import orjson

    for path in (gt_path, pred_path):
        orjson.loads(Path(path).read_bytes())


def _evaluate(coco, evaluator, gt_path, pred_path):
    gt = coco(str(gt_path))
    run = evaluator(gt, gt.loadRes(str(pred_path)), "bbox")
    run.evaluate()
    run.accumulate()
    run.summarize()


def hotcoco(gt_path, pred_path):
    from hotcoco import COCO, COCOeval

    _evaluate(COCO, COCOeval, gt_path, pred_path)


def faster_coco_eval(gt_path, pred_path):
    from faster_coco_eval import COCO, COCOeval_faster

    _evaluate(COCO, COCOeval_faster, gt_path, pred_path)


def pycocotools(gt_path, pred_path):
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    _evaluate(COCO, COCOeval, gt_path, pred_path)


JOBS = {
    "confusion": confusion,
    "objects": objects,
    "orjson": orjson_loads,
    "hotcoco": hotcoco,
    "faster-coco-eval": faster_coco_eval,
    "pycocotools": pycocotools,
}
WARM = ("confusion", "objects")
