"""Compile the kernels for boxes or for outlines, which the processes of the tests would otherwise each compile."""

import sys
from pathlib import Path


def compile_for_boxes():
    """What pages, objects, scores and causes of boxes need."""
    compared = compare_sample()
    page = compared.pages_behind("Caption", "Text")["page"].iloc[0]
    compared.page_tiles(page)
    objects = compared.objects()
    objects.object_confusion_at(0.5)
    objects.ap_at(0.5)
    objects.ranked_pairs(pairing="ranked")
    compared.centroids()
    compared.soft()
    cause_data(compared, page)


def compile_for_outlines():
    """What outlines, masks, many labels and large files need."""
    labels = [f"label {i}" for i in range(70)]
    plain = build({"p": (90, 90)}, [("p", label, i, 0, i + 20, 40) for i, label in enumerate(labels)], labels)
    corners = [np.array([[i, 0.0], [i + 20, 5], [i + 9, 40]]) for i in range(len(labels))]
    shapes = [Outline((ring,)) for ring in corners[:-1]] + [RunMask(90, 90, np.array([10, 4000, 4090]))]
    shaped = with_shapes(plain, dict(enumerate(shapes)))
    for pair in ((plain, plain), (shaped, plain)):
        compared = lcm.compare(*pair)
        compared.confusion()
        compared.objects().scores_at(0.5)
        compared.causes()
    with scanning(1000):
        lcm.read(SAMPLE / "model-a.json", like=lcm.read(SAMPLE / "gt.json"))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))
    import numpy as np

    import layoutcm as lcm
    from layoutcm.compiled import compile_from_now_on
    from layoutcm.drawing.web.page_data import cause_data
    from layoutcm.layouts.shapes import Outline, RunMask
    from support.comparisons import compare_sample
    from support.layouts import build, with_shapes
    from support.paths import SAMPLE
    from support.scanner_check import scanning

    compile_from_now_on()
    {"boxes": compile_for_boxes, "outlines": compile_for_outlines}[sys.argv[1]]()
