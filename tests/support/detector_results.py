"""Stand-ins with the attributes of the results of other packages, which the tests do not install."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np


@dataclass
class Tensor:
    """What is used of a torch tensor on a GPU: NumPy takes it only after detach() and cpu(), and never as bfloat16."""

    values: np.ndarray
    place: str = "cuda, requires_grad"
    bfloat16: bool = False

    def detach(self):
        return Tensor(self.values, self.place.partition(",")[0], self.bfloat16)

    def cpu(self):
        assert self.place == "cuda"
        return Tensor(self.values, "cpu", self.bfloat16)

    def float(self):
        return Tensor(np.asarray(self.values, np.float32), self.place)

    def numpy(self):
        assert self.place == "cpu"
        if self.bfloat16:
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values

    def __array__(self, *args, **kwargs):
        raise TypeError("can't convert cuda:0 device type tensor to numpy")


@dataclass
class Detections:
    """supervision.Detections"""

    xyxy: np.ndarray
    confidence: np.ndarray | None = None
    class_id: np.ndarray | None = None
    data: dict = field(default_factory=dict)


def ultralytics_result(boxes, scores, ids, names, shape):
    """ultralytics.engine.results.Results: `orig_shape` is (height, width)."""
    found = SimpleNamespace(xyxy=Tensor(boxes), conf=Tensor(scores), cls=Tensor(np.asarray(ids, float)))
    return SimpleNamespace(boxes=found, names=names, orig_shape=shape)
