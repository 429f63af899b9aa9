"""The numbers of a matrix as its script computes them, from the data that it gets; and what the browser shows."""

import numpy as np

from layoutcm.metrics.bootstrap import Resampling
from layoutcm.metrics.scores import harmonic, ratio
from layoutcm.models.cell_differences import CellDifferences
from layoutcm.results.verdict import decide

# So many labels of known families that a matrix opens in groups.
KNOWN_LABELS = ["Title", "Section-header", "Text", "List-item", "Table", "Picture", "Caption", "Formula", "Footnote",
                "Page-header", "Page-footer", "Paragraph", "Heading", "Figure", "Equation", "List", "Header", "Footer",
                "Reference", "Code", "Document-title", "Table-caption"]  # fmt: skip


def views_of(matrix, n=0):
    """{view: float64[rows, columns]} of one model."""
    model = matrix["models"][n]
    mass = np.array(model["mass"], float)
    precision_mass = mass if model["precision_mass"] is None else np.array(model["precision_mass"], float)
    recall = ratio(mass, np.array(model["gt_totals"], float)[:, None])
    precision = ratio(precision_mass, np.array(model["pred_totals"], float)[None, :])
    return {"pixels": mass, "recall": recall, "precision": precision, "f1": harmonic(recall, precision)}


def known_differences(values, low, high):
    """Differences of cells with these intervals, as if they were computed from eight documents."""
    labels = [f"label {k}" for k in range(len(values))]
    p = np.where(np.isnan(low), np.nan, 0.0)  # so that the intervals decide
    units, is_right = np.full(values.shape, 8), np.eye(*values.shape, dtype=bool)
    verdicts = np.full(values.shape, None)
    for place in np.ndindex(values.shape):
        numbers = (one[place].item() for one in (values, low, high, p, units))
        verdicts[place] = decide(*numbers, higher_is_better=is_right[place])
    return CellDifferences(labels, values, low, high, p, units, verdicts, Resampling("document", 8))


def cell_colours(page, within=""):
    """{"row-column": colour of the cell} of the cells that have one, and the text of each."""
    return page.evaluate(
        "(within) => Object.fromEntries([...document.querySelectorAll(within + ' td[data-cell]')]"
        ".map((cell) => [cell.dataset.cell, [cell.style.background || cell.style.backgroundColor, cell.textContent]]))",
        within,
    )
