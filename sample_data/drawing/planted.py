"""Twelve errors planted in the ground truth, three of each kind, on twelve pages of twelve documents."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from .mistakes import share_inside
from .models import EMPTY_PAGE, INVENTED, SPOILED_PAGE
from .page import SIZE, Box, Page, Region

KINDS = ("label", "missing", "spurious", "box")
EACH = 3  # errors of a kind
SPECIAL_PAGES = (EMPTY_PAGE, INVENTED[0], SPOILED_PAGE)  # they are explained as they are
WRONG_LABELS = {"Caption": "Text", "List-item": "Text", "Section-header": "Title", "Table": "Picture"}
LEAST_AREA = 9_000  # pixels; a smaller error would hardly be seen
MARGIN = 14  # pixels between a spurious region and all others


@dataclass(frozen=True)
class PlantedError:
    """One error: what the ground truth says (None for a missing region) and what is right (None for a spurious one)."""

    page: str
    kind: str
    written: Region | None
    right: Region | None


def area(box: Box) -> int:
    return (box[2] - box[0]) * (box[3] - box[1])


def plant_errors(pages: list[Page]) -> list[PlantedError]:
    """Draw the errors: at most one in a document, so that all kinds of pages have some."""
    rng = random.Random("planted errors")
    order = [page for page in rng.sample(pages, len(pages)) if page.name not in SPECIAL_PAGES]
    errors: list[PlantedError] = []
    for kind in KINDS:
        wanted = len(errors) + EACH
        while len(errors) < wanted:
            page = order.pop(0)
            document = page.name.rpartition("_p")[0]
            candidates = list(candidates_of(page, kind, rng))
            if candidates and all(document != error.page.rpartition("_p")[0] for error in errors):
                errors.append(rng.choice(candidates))
            elif not candidates:
                order.append(page)  # perhaps it fits another kind
    return sorted(errors, key=lambda error: [page.name for page in pages].index(error.page))


def candidates_of(page: Page, kind: str, rng: random.Random) -> Iterator[PlantedError]:
    """The errors of a kind that are possible on a page."""
    if kind == "spurious":
        yield from (PlantedError(page.name, kind, region, None) for region in blank_regions(page, rng))
        return
    for region in page.regions:
        if kind == "label" and region.label in WRONG_LABELS and area(region.box) >= LEAST_AREA // 3:
            yield PlantedError(page.name, kind, Region(WRONG_LABELS[region.label], region.box), region)
        if kind == "missing" and area(region.box) >= LEAST_AREA:
            yield PlantedError(page.name, kind, None, region)
        if kind == "box" and area(region.box) >= LEAST_AREA:
            yield PlantedError(page.name, kind, Region(region.label, wrong_box(region.box, rng)), region)


def wrong_box(box: Box, rng: random.Random) -> Box:
    """A box that leaves out about a third of the region, at one side."""
    x0, y0, x1, y1 = box
    cut = rng.uniform(0.3, 0.4)
    width, height = round((x1 - x0) * cut), round((y1 - y0) * cut)
    return rng.choice(
        ((x0 + width, y0, x1, y1), (x0, y0, x1 - width, y1), (x0, y0 + height, x1, y1), (x0, y0, x1, y1 - height))
    )


def blank_regions(page: Page, rng: random.Random) -> list[Region]:
    """Some boxes on blank paper, at a distance from all regions."""
    found = []
    for _ in range(60):
        width, height = rng.randint(160, 420), rng.randint(50, 130)
        x, y = rng.randint(60, SIZE[0] - 60 - width), rng.randint(80, 1020 - height)
        around = (x - MARGIN, y - MARGIN, x + width + MARGIN, y + height + MARGIN)
        if not any(share_inside(region.box, around) > 0 for region in page.regions):
            label = rng.choice(("Text", "Picture", "Table"))
            found.append(Region(label, (x, y, x + width, y + height)))
    return found


def with_errors(page: Page, errors: list[PlantedError]) -> list[Region]:
    """The regions of the ground truth of a page: those that were drawn, with the errors planted in it."""
    regions = list(page.regions)
    for error in errors:
        if error.page != page.name:
            continue
        if error.right is None:
            regions.append(error.written)
        else:
            place = regions.index(error.right)
            regions[place : place + 1] = [error.written] if error.written else []
    return regions
