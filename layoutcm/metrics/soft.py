"""Soft scores: precision, recall, F-beta and dice of scores between 0 and 1, without a threshold.

Arrays are [N, C, ...]: samples, classes, and the axes of a sample's pixels, if any. The code works with any array
library: with torch tensors the results are tensors and can be differentiated. Denominators are at least `eps`, so
0/0 is 0 and a gradient exists everywhere.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import SCORE_TOLERANCE
from layoutcm.wording import plain_number

SOFT_AVERAGES = ("micro", "macro", "weighted", "samples")
SOFT_SCORES = ("precision", "recall", "f_beta", "dice")
EPS = 1e-6


def soft_scores(
    y_true: Any, y_pred: Any, average: str | None = "macro", beta: float = 1.0, eps: float = EPS
) -> dict[str, Any]:
    """Soft precision, recall, F-beta and dice of arrays with values in 0..1, numpy or torch (differentiable).

    Parameters
    ----------
    y_true, y_pred : array [samples, classes, ...]
    average : {"micro", "macro", "weighted", "samples"} or None
        All values together; the mean over classes; the mean over classes weighted by the sums of `y_true`; the mean
        over samples; None: the scores of the classes, arrays [classes].
    beta : float
        Weight of recall in F-beta and dice.
    eps : float
        Denominators are at least this, so 0 / 0 is 0, as in scikit-learn, and a gradient exists.

    Returns
    -------
    dict
        {"precision", "recall", "f_beta", "dice"}

    Examples
    --------
    >>> import numpy as np
    >>> import layoutcm as lcm
    >>> scores = lcm.soft_scores(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]), average="micro")
    >>> {name: round(float(value), 3) for name, value in scores.items()}
    {'precision': 0.5, 'recall': 0.5, 'f_beta': 0.5, 'dice': 0.667}
    """
    from array_api_compat import is_numpy_namespace

    check_soft_options(average, beta, eps)
    y_true, y_pred = _array(y_true, "y_true"), _array(y_pred, "y_pred")
    xp = _namespace(y_true, y_pred)
    _check_shapes(y_true, y_pred)
    gt, pred = _as_floats(xp, y_true, y_pred)
    _check_range(xp, gt, "y_true")
    _check_range(xp, pred, "y_pred")
    axes = tuple(range(gt.ndim))
    summed = {"micro": axes, "samples": axes[1:]}.get(average or "", (0, *axes[2:]))
    sums = [xp.sum(values, axis=summed) for values in (gt * pred, gt, pred, gt * gt, pred * pred)]
    values = scores_from_sums(xp, *sums, beta=beta, eps=eps)
    if average == "weighted":
        whole = xp.maximum(xp.sum(sums[1]), xp.full_like(xp.sum(sums[1]), eps))
        values = {name: xp.sum(sums[1] * array) / whole for name, array in values.items()}
    elif average in ("macro", "samples"):
        values = {name: xp.sum(array) / max(array.shape[0], 1) for name, array in values.items()}
    # numpy scalars become floats; torch tensors stay tensors, to keep the gradient.
    as_floats = average is not None and is_numpy_namespace(xp)
    return {name: float(array) for name, array in values.items()} if as_floats else values


def scores_from_sums(
    xp: Any, both: Any, gt: Any, pred: Any, gt_squares: Any, pred_squares: Any, *, beta: float, eps: float
) -> dict[str, Any]:
    """The four scores from sums of y_true * y_pred, y_true, y_pred and the squares of the last two."""

    # Part and whole of equal sides are the same sums in the same order, so the scores are exactly 1.
    parts = {"precision": both, "recall": both} | dict.fromkeys(("f_beta", "dice"), beta * beta * both + both)
    wholes = denominators(gt, pred, gt_squares, pred_squares, beta=beta)
    return {name: part / xp.maximum(wholes[name], xp.full_like(part, eps)) for name, part in parts.items()}


def denominators(gt: Any, pred: Any, gt_squares: Any, pred_squares: Any, *, beta: float) -> dict[str, Any]:
    """What the four scores are divided by, before it is clamped."""
    b2 = beta * beta
    return {"precision": pred, "recall": gt, "f_beta": b2 * gt + pred, "dice": b2 * gt_squares + pred_squares}


def check_soft_options(average: str | None, beta: float, eps: float) -> None:
    if average is not None:
        check_choice("average", average, SOFT_AVERAGES, otherwise=", or None for each class")
    for name, value, zero in (("beta", beta, True), ("eps", eps, False)):
        number = isinstance(value, int | float) and math.isfinite(value)
        if not (number and (value > 0 or (value == 0 and zero))):
            problem = f"{short_repr(value)} is not a number {'of 0 or more' if zero else 'above 0'}"
            raise InputError("", name, problem, f"Leave out {name} to use the default.")


def _array(values: Any, name: str) -> Any:
    """Convert nested lists to an array; return an array of any library unchanged."""
    if not isinstance(values, list | tuple):
        return values
    try:
        return np.asarray(values)
    except ValueError as error:
        problem = f"these lists do not form an array: {error}"
        raise InputError("", name, problem, "Give lists of equal length.") from None


def _namespace(y_true: Any, y_pred: Any) -> Any:
    from array_api_compat import array_namespace

    try:
        return array_namespace(y_true, y_pred)
    except TypeError:
        kinds = " and ".join(type(array).__name__ for array in (y_true, y_pred))
        hint = "Give two numpy arrays or two torch tensors."
        raise InputError("", "y_true, y_pred", f"{kinds} are not arrays of one library", hint) from None


def _check_shapes(y_true: Any, y_pred: Any) -> None:
    shapes = tuple(y_true.shape), tuple(y_pred.shape)
    if shapes[0] != shapes[1] or len(shapes[0]) < 2:
        problem = f"the shapes are {shapes[0]} and {shapes[1]}"
        raise InputError("", "y_true, y_pred", problem, "Both must be [samples, classes, ...] and equal.")


def _as_floats(xp: Any, y_true: Any, y_pred: Any) -> list[Any]:
    """Convert both to one floating type of at least 32 bits, because sums over a page overflow in half precision."""
    kinds = [array.dtype for array in (y_true, y_pred) if xp.isdtype(array.dtype, "real floating")]
    wide = [kind for kind in kinds if xp.finfo(kind).bits >= 32]
    for array in (y_true, y_pred):
        if not xp.isdtype(array.dtype, ("bool", "integral", "real floating")):
            problem = f"values of type {array.dtype} are not numbers in 0..1"
            raise InputError("", "y_true, y_pred", problem, "Convert them to float.")
    dtype = xp.result_type(*wide) if wide else xp.float32 if kinds else xp.float64
    return [xp.astype(array, dtype) for array in (y_true, y_pred)]


def _check_range(xp: Any, values: Any, name: str) -> None:
    # Values a little outside are not clamped here, because that changes gradients at 0 and 1.
    # nan fails every comparison, so it is reported, too.
    inside = (values >= -SCORE_TOLERANCE) & (values <= 1 + SCORE_TOLERANCE)
    if not bool(xp.all(inside)):
        problem = f"the value {plain_number(values[~inside][0].item())} is outside 0..1"
        raise InputError("", name, problem, "Use a sigmoid or softmax, or rescale.")
