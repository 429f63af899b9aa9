"""Object scores by pycocotools, as the expected values, and by layoutcm, from the same dictionaries."""

import contextlib
import copy
import io
import json

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import layoutcm as lcm


def pycocotools_evaluation(gt, results, kind="bbox"):
    """The finished COCOeval; its stats are -1 if undefined."""
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = copy.deepcopy(gt)
        truth.createIndex()
        evaluation = COCOeval(truth, truth.loadRes(copy.deepcopy(results)), kind)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return evaluation


def with_nan(values):
    """The values with nan instead of -1."""
    values = np.array(values, float)
    return np.where(values == -1, np.nan, values)


def read_pair(gt, results, **options):
    """The two layouts, read from the same dictionaries."""
    truth = lcm.read(("gt.json", json.dumps(gt).encode()), **options)
    return truth, lcm.read(("pred.json", json.dumps(results).encode()), like=truth, **options)


def assert_equal_to_pycocotools(gt, results, kind="bbox"):
    shapes = "polygon" if kind == "segm" else "box"
    objects = lcm.compare(*read_pair(gt, results, shapes=shapes)).objects()
    evaluation = pycocotools_evaluation(gt, results, kind)
    np.testing.assert_allclose(list(objects.summary.values()), with_nan(evaluation.stats), rtol=0, atol=1e-9)
    precision, recall = (with_nan(evaluation.eval[name]) for name in ("precision", "recall"))
    ids = evaluation.params.catIds
    names = [next(c["name"] for c in gt["categories"] if c["id"] == i) for i in ids]
    table = objects.per_class.set_index("label")
    at = {iou: objects.ap_at(float(iou)) for iou in evaluation.params.iouThrs[::3]}
    for k, name in enumerate(names):
        one = precision[:, :, k, 0, 2]
        expected = [one.mean(), one[0].mean(), one[5].mean(), recall[:, k, 0, 2].mean()]
        np.testing.assert_allclose(table.loc[name, ["ap", "ap50", "ap75", "ar"]].astype(float), expected, atol=1e-9)
        for t, values in enumerate(at.values()):
            np.testing.assert_allclose(values[name], one[3 * t].mean(), rtol=0, atol=1e-9)
