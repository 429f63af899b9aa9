"""A callback of Lightning: all figures are logged after every validation epoch, also of several processes."""

from functools import reduce

import lightning

import layoutcm as lcm


class LayoutFigures(lightning.Callback):
    """A batch has lists of pages, sizes and targets, and `validation_step` returns the predictions of its batch."""

    def __init__(self, labels):
        self.evaluator = lcm.Evaluator(labels)

    def on_validation_epoch_start(self, trainer, pl_module):
        self.evaluator.reset()

    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        self.evaluator.update(batch["targets"], outputs["predictions"], page=batch["pages"], size=batch["sizes"])

    def on_validation_epoch_end(self, trainer, pl_module):
        figures = merged(self.evaluator, trainer.world_size).as_dict("val/")
        pl_module.log_dict({name: value for name, value in figures.items() if value is not None})


def merged(evaluator, processes):
    """The pages of all processes, in each of them."""
    if processes == 1:
        return evaluator
    import torch.distributed as dist

    parts = [None] * processes
    dist.all_gather_object(parts, evaluator)
    return reduce(lcm.Evaluator.merge, parts)
