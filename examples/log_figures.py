"""Log all figures of an Evaluator after every epoch."""

import re
from pathlib import Path

import layoutcm as lcm

SAMPLE = Path(__file__).parent.parent / "sample_data"
NOT_IN_MLFLOW = re.compile(r"[^\w\-. :/]")  # characters that MLflow does not take in the name of a metric


def defined(evaluator):
    """The figures that have a value; n/a is None."""
    return {name: value for name, value in evaluator.as_dict("val/").items() if value is not None}


def log_to_mlflow(evaluator, step):
    import mlflow

    mlflow.log_metrics({NOT_IN_MLFLOW.sub("_", name): value for name, value in defined(evaluator).items()}, step=step)


def log_to_wandb(run, evaluator, step):
    """`run` is what wandb.init() returns."""
    run.log(defined(evaluator), step=step)


def log_to_tensorboard(writer, evaluator, step):
    """`writer` is a torch.utils.tensorboard.SummaryWriter."""
    for name, value in defined(evaluator).items():
        writer.add_scalar(name, value, step)


def evaluate(model):
    """The Evaluator of one epoch; here the files of the sample are the predictions."""
    gt = lcm.read(SAMPLE / "gt.json")
    pred = lcm.read(SAMPLE / model, like=gt)
    evaluator = lcm.Evaluator(gt.labels)
    for row in gt.pages.itertuples():
        sides = (layout.regions[layout.regions["page"] == row.page] for layout in (gt, pred))
        evaluator.update(*sides, page=row.page, size=(row.width, row.height))
    return evaluator


def main():
    import mlflow

    with mlflow.start_run():
        for step, model in enumerate(["model-a.json", "model-c.json"]):
            log_to_mlflow(evaluate(model), step)


if __name__ == "__main__":
    main()
