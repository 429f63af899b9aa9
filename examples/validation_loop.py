"""Evaluate a detector page by page, as in a validation loop, and in several processes at once."""

from concurrent.futures import ProcessPoolExecutor
from functools import reduce
from multiprocessing import get_context
from pathlib import Path

import layoutcm as lcm

SAMPLE = Path(__file__).parent.parent / "sample_data"
PROCESSES = 2


def sample_pages(part=0, parts=1):
    """(page, size, target, output) of every `parts`-th page; a data loader and a model would give these."""
    gt = lcm.read(SAMPLE / "gt.json")
    pred = lcm.read(SAMPLE / "model-a.json", like=gt)
    for row in gt.pages.iloc[part::parts].itertuples():
        sides = [layout.regions[layout.regions["page"] == row.page] for layout in (gt, pred)]
        # The form of torchmetrics and of Hugging Face; all values may be tensors.
        target, output = (
            {
                "boxes": side[["x0", "y0", "x1", "y1"]].to_numpy(),
                "labels": [gt.labels.index(label) for label in side["label"]],
                "scores": side["score"].to_numpy(),
            }
            for side in sides
        )
        yield row.page, (row.width, row.height), target, output


def evaluate(part=0, parts=1):
    """The loop of one process. With torch.distributed, `part` is the rank and `parts` the world size."""
    evaluator = lcm.Evaluator(lcm.read(SAMPLE / "gt.json").labels)
    for page, size, target, output in sample_pages(part, parts):
        evaluator.update(target, output, page=page, size=size)
    return evaluator


def main():
    # With torch.distributed, all_gather_object collects the evaluators of all processes.
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        evaluators = list(pool.map(evaluate, range(PROCESSES), [PROCESSES] * PROCESSES))
    merged = reduce(lcm.Evaluator.merge, evaluators)
    figures = merged.as_dict()
    print(f"{len(merged)} pages, macro F1 {figures['macro.f1']:.3f}, AP {figures['objects.ap']:.3f}")
    print(merged.compute().pages_behind("Table", "Picture").head(3).to_string(index=False))


if __name__ == "__main__":
    main()
