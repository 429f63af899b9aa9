"""Evaluate detections of supervision, which come from Ultralytics, Transformers, Inference and other packages."""

from pathlib import Path

import numpy as np
import supervision

import layoutcm as lcm

SAMPLE = Path(__file__).parent.parent / "sample_data"


def detections(layout, page):
    """The regions of a page as supervision has them after, for instance, `Detections.from_ultralytics`."""
    regions = layout.regions[layout.regions["page"] == page]
    return supervision.Detections(
        xyxy=regions[["x0", "y0", "x1", "y1"]].to_numpy(),
        confidence=regions["score"].to_numpy() if layout.has_scores else None,
        class_id=np.array([layout.labels.index(label) for label in regions["label"]], int),
    )


def main():
    gt = lcm.read(SAMPLE / "gt.json")
    pred = lcm.read(SAMPLE / "model-a.json", like=gt)
    evaluator = lcm.Evaluator(gt.labels)
    for row in gt.pages.itertuples():
        evaluator.update(
            detections(gt, row.page), detections(pred, row.page), page=row.page, size=(row.width, row.height)
        )
    print(f"macro F1 {evaluator.as_dict()['macro.f1']:.3f}, AP50 {evaluator.as_dict()['objects.ap50']:.3f}")


if __name__ == "__main__":
    main()
