"""Seeded pages as in `generate`, as two sets of Parquet parts. One part is generated at a time, so any size fits."""

from pathlib import Path

import numpy as np
from generate import LABELS, PAGE_SIDE, PAGES_PER_DOCUMENT, page_boxes

from layoutcm.layouts.model import Pages, Regions
from layoutcm.layouts.stored_facts import MANIFEST_FILE
from layoutcm.layouts.table_writers import write_parquet
from layoutcm.layouts.validation import make_layout
from layoutcm.scale.manifest import ManifestBuilder
from layoutcm.scale.partitions import ROWS_IN_GROUP, document_part, part_name

SHARES = np.array([2, 1, 2, 17, 6, 5, 4, 13, 3, 46, 1]) / 100


def layout_pair(documents, seed):
    """gt and pred of these documents, given by their numbers: shifted, dropped and mislabelled boxes, with scores."""
    rng = np.random.default_rng(seed)
    numbers = np.repeat(documents, PAGES_PER_DOCUMENT)
    count = len(numbers)
    within = np.tile(np.arange(PAGES_PER_DOCUMENT), len(documents))
    ids = (numbers * PAGES_PER_DOCUMENT + within).tolist()
    pages = Pages(
        tuple(f"{i * 2654435761 % 2**64:064x}.png" for i in ids),
        np.full(count, float(PAGE_SIDE)),
        np.full(count, float(PAGE_SIDE)),
        tuple(document_name(number) for number in numbers.tolist()),
        (within + 1).astype(np.int32),
    )
    page, boxes = page_boxes(rng, count, 13.6)
    label = rng.choice(len(LABELS), page.size, p=SHARES)
    kept = rng.random(page.size) < 0.97
    moved = boxes + rng.normal(0, 2.5, boxes.shape)
    moved[:, 2:] = moved[:, 2:].clip(2)
    mixed = np.where(rng.random(page.size) < 0.06, rng.integers(0, len(LABELS), page.size), label)
    score = rng.beta(8, 2, page.size).round(4)
    gt = _layout("gt", pages, page, label, boxes.round(3), np.full(page.size, np.nan))
    return gt, _layout("pred", pages, page[kept], mixed[kept], moved[kept].round(2), score[kept])


def document_name(number):
    return f"report_{number:08d}.pdf"


def _layout(name, pages, page, label, boxes, scores):
    corners = np.concatenate([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], axis=1)
    return make_layout(
        name, "parquet", LABELS, pages, Regions(page.astype(np.int32), label.astype(np.int32), corners, scores)
    )


def write_parts(folder, pages, parts, seed=0):
    """Write gt and pred below the folder; returns their folders."""
    number_of_documents = -(-pages // PAGES_PER_DOCUMENT)
    part = np.array([document_part(document_name(number), parts) for number in range(number_of_documents)])
    folders = [Path(folder) / side for side in ("gt", "pred")]
    builders = [ManifestBuilder(place.name, str(place), LABELS) for place in folders]
    for place in folders:
        place.mkdir(parents=True, exist_ok=True)
    for k in range(parts):
        for place, builder, layout in zip(folders, builders, layout_pair(np.flatnonzero(part == k), [seed, k])):
            file = place / f"{part_name(k)}.parquet"
            with file.open("wb") as out:
                write_parquet(layout, out, ROWS_IN_GROUP)
            builder.add(str(file), layout)
    for place, builder in zip(folders, builders):
        builder.write(str(place / MANIFEST_FILE))
    return folders
