"""Agreement of layouts, if none of them is the truth: observed agreement, Cohen's kappa, Krippendorff's alpha.

Units are pixels, the value of a pixel is its label set. Everything is computed from pair counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment.taxonomy import LabelSpace
from layoutcm.layouts.model import Floats, Positions
from layoutcm.lazy import pd
from layoutcm.metrics.levels import CountedLevels, Levels
from layoutcm.metrics.scores import ratio
from layoutcm.pixels.pair_counts import PairCounts

Words = NDArray[np.uint64]  # [rows, words]: label sets
AGREEMENT = ("observed", "kappa", "alpha")
SETS_AT_A_TIME = 500  # of the distances between all sets
MOST_TO_REVIEW = 1000  # pages of a comparison of parts, and of a result.json


def agreement_of(counts: Sequence[PairCounts], space: LabelSpace) -> dict[str, float]:
    """The agreement of two layouts, or of more if there are the counts of all their pairs, on the same labels.

    Observed agreement and kappa are means over the pairs, kappa over those that have one. All are nan if the labels
    differ or there are no pixels.
    """
    if not space.shared or not all(one.total for one in counts):
        return dict.fromkeys(AGREEMENT, float("nan"))
    pairs = []  # the sets of both sides on the common labels, and the pixels of each pair
    for merged in (one.merged() for one in counts):
        first, second = np.split(merged.placed(space.gt_positions, space.pred_positions), 2, axis=1)
        pairs.append((first, second, merged.pixels))
    different = [float((n * (a != b).any(axis=1)).sum() / n.sum()) for a, b, n in pairs]  # share of n pixels
    kappas = 1 - ratio(different, [_expected_by_margins(*pair) for pair in pairs])
    distance = np.mean([(_distances(first, second) * pixels).sum() / pixels.sum() for first, second, pixels in pairs])
    return {
        "observed": float(1 - np.mean(different)),
        "kappa": float(ratio(np.nansum(kappas), np.isfinite(kappas).sum())),
        "alpha": float(1 - ratio(distance, _expected_of_pooled(pairs))),
    }


def _expected_by_margins(first: Words, second: Words, pixels: Floats) -> float:
    """The share of different sets if the sets of the two sides were paired at random."""
    sets, place = np.unique(np.concatenate([first, second]), axis=0, return_inverse=True)
    a, b = (np.bincount(half, pixels, len(sets)) for half in np.split(place.ravel(), 2))
    return float((a * (a.sum() - b)).sum() / a.sum() ** 2)  # without the difference of two numbers near 1


def _expected_of_pooled(pairs: Sequence[tuple[Words, Words, Floats]]) -> float:
    """The mean distance of two different values out of all values of all layouts.

    In the pairs of m layouts, every value occurs m - 1 times.
    """
    layouts = (1 + np.sqrt(1 + 8 * len(pairs))) / 2
    words = np.concatenate([side for first, second, _ in pairs for side in (first, second)])
    weights = np.concatenate([pixels for *_, pixels in pairs for _ in range(2)]) / (layouts - 1)
    sets, place = np.unique(words, axis=0, return_inverse=True)
    values = np.bincount(place.ravel(), weights, len(sets))
    total = 0.0
    for low in range(0, len(sets), SETS_AT_A_TIME):
        rows = slice(low, low + SETS_AT_A_TIME)
        total += float(values[rows] @ _distances(sets[rows, None], sets[None]) @ values)
    return float(ratio(total, values.sum() * (values.sum() - 1)))


def _distances(first: Words, second: Words) -> Floats:
    """float64[...]: the Jaccard distance of sets, 1 - |both| / |either|."""
    both, either = (np.bitwise_count(words).sum(axis=-1) for words in (first & second, first | second))
    return 1 - ratio(both.astype(float), either.astype(float))


def label_agreement(counts: PairCounts, space: LabelSpace) -> pd.DataFrame:
    """One row per label in use, without Background: label, a_pixels, b_pixels, both_pixels, agreement.

    `agreement` is the share of the pixels with the label on either side that have it on both.
    """
    sums = _sums_of_labels(counts, space, np.zeros(len(counts), np.int64), 1)[:, 0]
    table = pd.DataFrame(sums, columns=["a_pixels", "b_pixels", "both_pixels"])
    table["agreement"] = ratio(sums[:, 2], sums[:, 0] + sums[:, 1] - sums[:, 2])
    table.insert(0, "label", space.labels[1 : 1 + len(sums)])
    return table[table["a_pixels"] + table["b_pixels"] > 0].reset_index(drop=True)


def pages_to_review(levels: Levels) -> pd.DataFrame:
    """Pages with pixels that have a label on one side only: page, document, label, pixels, share.

    First the page with the most such pixels of every label, then their second pages, and so on; `share` is that of the
    page in all such pixels of the label. There are none if the labels differ. Of a comparison of parts, only the first
    `MOST_TO_REVIEW` are there.
    """
    parts = [_disagreement(first, own) for first, own in levels.in_parts()]
    label, page, found = (np.concatenate(column) for column in zip(*(rows for rows, _ in parts)))
    total = np.sum([own for _, own in parts], axis=0)
    label, page, found, rank = _ranked(label, page, found)
    order = np.lexsort((label, -found, rank))
    order = order if len(parts) == 1 else order[:MOST_TO_REVIEW]
    columns = {
        **levels.names_at(page[order]),
        "label": [levels.space.labels[1 + i] for i in label[order].tolist()],
        "pixels": found[order],
        "share": ratio(found, total[label])[order],
    }
    return pd.DataFrame(columns)


def _disagreement(first: int, levels: CountedLevels) -> tuple[tuple[Positions, Positions, Floats], Floats]:
    """Label, page and pixels that one side only has, of the first pages of every label; float64[labels], all pixels.

    A part that starts after page 0 is one of several; its later pages cannot be among the first of all.
    """
    rows = levels.counts
    a, b, both = np.moveaxis(_sums_of_labels(rows, levels.space, rows.page, levels.page_count), 2, 0)
    pixels = a + b - 2 * both
    label, page = np.nonzero(pixels)
    label, page, found, rank = _ranked(label, page, pixels[label, page])
    keep = rank < MOST_TO_REVIEW if first else slice(None)
    return (label[keep], page[keep] + first, found[keep]), pixels.sum(axis=1)


def _ranked(label: Positions, page: Positions, found: Floats) -> tuple[Positions, Positions, Floats, Positions]:
    """Label, page and pixels by label, most pixels first, and the rank of each page for its label."""
    order = np.lexsort((page, -found, label))
    label, page, found = label[order], page[order], found[order]
    return label, page, found, np.arange(len(label)) - np.searchsorted(label, label)


def _sums_of_labels(counts: PairCounts, space: LabelSpace, group: NDArray[np.integer], groups: int) -> Floats:
    """float64[labels, groups, 3]: pixels with the label in the first layout, in the second, in both.

    `group` is int[rows]. No labels if those of the two sides differ.
    """
    labels = len(space.labels) - 1 if space.shared else 0
    sums = np.zeros((labels, groups, 3))
    if not labels:
        return sums
    first, second = np.split(counts.placed(space.gt_positions, space.pred_positions), 2, axis=1)
    for k, words in enumerate((first, second, first & second)):
        for label in range(labels):
            word, bit = divmod(label + 1, 64)
            has = np.flatnonzero((words[:, word] >> np.uint64(bit)) & np.uint64(1))
            sums[label, :, k] = np.bincount(group[has], counts.pixels[has], groups)
    return sums
