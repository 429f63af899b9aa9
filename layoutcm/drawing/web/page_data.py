"""The data of a page for the viewer: its regions, its tiles with their pairs of label sets, causes and centres.

Coordinates are page pixels, y down. Labels are given by their position in one list of names, which a report with many
pages has only once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutcm.comparison import Comparison
from layoutcm.diagnosis.cause_kernel import CAUSES
from layoutcm.diagnosis.page_tiles import NOT_JUDGED, PageTiles
from layoutcm.drawing.page_raster import LIGHTING, PATTERNS, page_boxes
from layoutcm.drawing.palette import (
    AGREEMENT_COLOURS,
    BACKGROUND_COLOUR,
    CAUSE_COLOURS,
    LIT,
    NOT_JUDGED_COLOUR,
    label_colours,
)
from layoutcm.layouts.model import GT, PRED, SIDES, Floats
from layoutcm.metrics.levels import page_position
from layoutcm.metrics.objects.centroids import CENTROID_TOLERANCE

MOST_RUNS = 40_000  # of tiles; the data of a page are then below 1 MB
# Patterns that distinguish the causes without colour, in their order.
CAUSE_PATTERNS = (None, "falling", "dots", "rising", "dots", "falling", "rising", None)


def label_data(comparison: Comparison, more: Sequence[str] = ()) -> dict[str, Any]:
    """The data that all pages share: names and colours of labels and kinds, and the label of each bit of a word.

    `more` are labels of further predictions. The last label is that of regions that are not judged.
    """
    own = [*comparison.labels]
    labels = [*own, *dict.fromkeys(label for label in more if label not in own), NOT_JUDGED]
    colours = label_colours(labels[1:]) | label_colours(own[1:])
    return {
        "labels": labels,
        "colours": [BACKGROUND_COLOUR, *(colours[label] for label in labels[1:-1]), NOT_JUDGED_COLOUR],
        "bits": [positions.tolist() for positions in (comparison.space.gt_positions, comparison.space.pred_positions)],
        "kinds": _legend(comparison.vocabulary.kinds, AGREEMENT_COLOURS, PATTERNS),
        "cause_kinds": _legend(CAUSES, CAUSE_COLOURS, CAUSE_PATTERNS),
        "lit_colour": LIT,
        "lighting": LIGHTING._asdict(),
    }


def page_for_viewer(
    comparison: Comparison, index: int, method: str, image: str | None, most_runs: int = MOST_RUNS
) -> dict[str, Any]:
    """The data of one page that other pages do not share: its regions and tiles; `image` is a data URI."""
    page = comparison.pages[index]
    tiles = comparison.page_tiles(page)
    labels = label_data(comparison)["labels"]
    return {
        "page": page,
        "document": comparison.alignment.pages.documents[index],
        "width": float(tiles.x_edges[-1]),
        "height": float(tiles.y_edges[-1]),
        "images": {"small": image},
        "boxes": region_data(comparison, page, labels, {"gt": GT, "pred": PRED}),
        **tile_data(tiles, method, most_runs),
    }


def _legend(names: Sequence[str], colours: Sequence[str | None], patterns: Sequence[str | None]) -> list[list[Any]]:
    return [list(one) for one in zip(names, colours, patterns, strict=True)]


def region_data(
    comparison: Comparison, page: str, labels: Sequence[str], side_numbers: Mapping[str, int]
) -> list[list[Any]]:
    """[side, position of the label, x0, y0, x1, y1, score or None, number] of the regions of some sides of a page.

    `side_numbers` are the numbers under which the viewer shows "gt" and "pred"; a side without one is left out.
    """
    own = [_positions_by_name(comparison, side) for side in (GT, PRED)]
    if list(labels[: len(comparison.labels)]) != comparison.labels:  # labels of another comparison
        own = [{label: position for position, label in enumerate(labels)}] * 2
    found = []
    for box in page_boxes(comparison, page):
        if box["side"] in side_numbers:
            label = own[SIDES.index(box["side"])][box["label"]] if box["judged"] else len(labels) - 1
            corners = [round(box[edge], 2) for edge in ("x0", "y0", "x1", "y1")]
            found.append([side_numbers[box["side"]], label, *corners, box["score"], box["number"]])
    return found


def _positions_by_name(comparison: Comparison, side: int) -> dict[str, int]:
    """{label: its row or column}; with different labels on the two sides, one name can have two positions."""
    positions = (comparison.space.gt_positions, comparison.space.pred_positions)[side][1:]
    return dict(zip(comparison.alignment.layouts[side].labels, positions.tolist()))


def tile_data(tiles: PageTiles, method: str = "matrix", most_runs: int = MOST_RUNS) -> dict[str, Any]:
    """The tiles of a page and the pair of label sets on each; `adds` is what one pixel adds to cells of the matrix."""
    x_edges, y_edges, runs = tile_runs(tiles, most_runs)
    adds, kinds = tiles.contributions(method), tiles.agreement().tolist()
    return {
        "x": rounded(x_edges),
        "y": rounded(y_edges),
        "runs": runs,
        "pairs": [
            {
                "words": [set_bits(tiles.word(side, pair)) for side in (GT, PRED)],
                "kind": kinds[pair],
                "pixels": round(pixels, 2),
                "adds": adds[pair],
            }
            for pair, pixels in enumerate(tiles.pairs.pixels.tolist())
        ],
    }


def set_bits(word: int) -> list[int]:
    """The numbers of the bits that are set: [1, 2] for 0b110."""
    return [bit for bit in range(word.bit_length()) if word >> bit & 1]


def cause_data(comparison: Comparison, page: str, most_runs: int = MOST_RUNS) -> dict[str, Any] | None:
    """The main cause of each tile, as runs of numbers; -1 is "nothing is wrong". None if the sides' labels differ."""
    sources, index = comparison.sources.of_page(page_position(comparison.levels.pages, page))
    found = sources.causes.on_tiles(index)
    if found is None:
        return None
    x_edges, y_edges, causes = found
    step, runs = 1, 1 + (causes[:, 1:] != causes[:, :-1]).sum(axis=1)
    while runs[::step].sum() > most_runs:  # outlines can have more tiles than can be sent
        step *= 2
    rows = np.append(y_edges[:-1][::step], y_edges[-1])
    return {"x": rounded(x_edges), "y": rounded(rows), "runs": [list(_runs(row)) for row in causes[::step]]}


def centre_data(
    comparison: Comparison,
    page: str,
    tolerance: tuple[float, float] = CENTROID_TOLERANCE,
    one_to_one: bool = True,
    class_aware: bool = True,
) -> list[list[float]]:
    """[x, y of gt, x, y of pred]: the centres of regions that match by their centres."""
    found = comparison.centroids(tolerance, one_to_one, class_aware, page)
    pairs = (found.centres[side][found.pairs[:, side]] for side in (GT, PRED))
    return np.round(np.concatenate([*pairs], axis=1), 2).tolist()


def tile_runs(tiles: PageTiles, most_runs: int = MOST_RUNS) -> tuple[Floats, Floats, list[list[int]]]:
    """The x and y edges of the tiles, and each row of tiles run-length encoded as [length, pair, length, pair, ...].

    Exact for boxes. Polygons can give very many runs; the page is then sampled more coarsely, to limit the size.
    """
    tiles = tiles.simplified(most_runs)
    return tiles.x_edges, tiles.y_edges, [list(_runs(row)) for row in tiles.pair_of_tile]


def _runs(row: NDArray[np.integer]) -> Iterator[int]:
    starts = np.concatenate([[0], np.flatnonzero(np.diff(row)) + 1, [len(row)]])
    for first, end in zip(starts[:-1].tolist(), starts[1:].tolist()):
        yield end - first
        yield int(row[first])


def rounded(values: Floats) -> list[float]:
    return [round(value, 2) for value in values.tolist()]
