"""A ground truth with one error of each kind, and predictions without these errors, as files."""

import layoutcm as lcm
from support.layouts import build

PAGES = {f"p{i}.png": (100, 100) for i in range(60)}
TITLE, TEXT = ("Title", 10, 10, 60, 30), ("Text", 10, 40, 90, 80)
GOOD = [(page, *region) for page in PAGES for region in (TITLE, TEXT)]
LABELS = ["Text", "Title"]
# A label on p0, a missing region on p1, a box on p2, a spurious region on p3.
WRONG = [
    ("p0.png", "Text", 10, 10, 60, 30), GOOD[1], GOOD[3], ("p2.png", "Title", 10, 10, 40, 30), *GOOD[5:],
    ("p3.png", "Title", 10, 85, 60, 95),
]  # fmt: skip
# One more mistake, which only one prediction makes.
ALMOST = [*GOOD[:-1], ("p59.png", "Title", 10, 40, 90, 80)]


def write_files(folder, **rows):
    """{name: COCO file} of the regions of each; page images are not written."""
    paths = {}
    for name, regions in rows.items():
        paths[name] = folder / f"{name}.json"
        lcm.write(build(PAGES, regions, LABELS, name=name), "coco", paths[name])
    return paths
