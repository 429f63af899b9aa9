"""The regions of a page, prepared for drawing on the screen and on paper."""

from __future__ import annotations

from typing import Any

import numpy as np

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.page_tiles import NOT_JUDGED
from layoutcm.drawing.palette import NOT_JUDGED_COLOUR, label_colours
from layoutcm.layouts.model import SIDES


def page_boxes(comparison: Comparison, page: str) -> list[dict[str, Any]]:
    """The regions of both sides in the common frame: side, label, colour, corners, score (or None) and number.

    The label of regions whose pixels are not judged is NOT_JUDGED.
    """
    index = comparison.levels.page_index(page)
    colours = label_colours(comparison.labels[1:])
    found = []
    for side, name in enumerate(SIDES):
        regions, labels = comparison.sources.page_regions.of(side, index), comparison.alignment.layouts[side].labels
        judged = regions.label < len(labels)
        for number in range(len(regions)):
            score = float(regions.scores[number])
            x0, y0, x1, y1 = regions.boxes[number].tolist()
            label = labels[regions.label[number]] if judged[number] else NOT_JUDGED
            colour = colours[label] if judged[number] else NOT_JUDGED_COLOUR
            found.append(
                {"side": name, "label": label, "colour": colour, "judged": bool(judged[number]), "x0": x0, "y0": y0,
                 "x1": x1, "y1": y1, "score": None if np.isnan(score) else score, "number": number + 1}
            )  # fmt: skip
    return found
