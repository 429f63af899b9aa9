"""The sample data: the script writes exactly the files of the repository, and the planted errors are those listed."""

import csv
import importlib
import json
import re
import statistics
import sys
from collections import Counter

import pytest

import layoutcm as lcm
from support.paths import SAMPLE

KINDS = {"label": "wrong label", "missing": "missing region", "spurious": "spurious region", "box": "wrong box"}
CORNERS = ("x0", "y0", "x1", "y1")
TYPES = ("paper", "report", "invoice", "magazine", "letter")


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(SAMPLE))
    try:
        yield importlib.import_module("make")
    finally:
        sys.path.remove(str(SAMPLE))


@pytest.fixture(scope="module")
def drawn(script):
    return script.draw_pages()


def rows_of(name):
    with (SAMPLE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def listed_region(row, side):
    """(label, box) of a side of a planted error, or None."""
    return (row[f"{side}_label"], tuple(int(row[f"{side}_{c}"]) for c in CORNERS)) if row[f"{side}_label"] else None


def regions_of(file):
    """Counter of (page, label, box) of a COCO file."""
    data = json.loads((SAMPLE / file).read_text("utf-8"))
    pages = {image["id"]: image["file_name"] for image in data["images"]}
    labels = {category["id"]: category["name"] for category in data["categories"]}
    found = []
    for row in data["annotations"]:
        x, y, width, height = row["bbox"]
        found.append((pages[row["image_id"]], labels[row["category_id"]], (x, y, x + width, y + height)))
    return Counter(found)


@pytest.mark.long
def test_the_script_writes_the_files_of_the_repository(script, drawn, tmp_path):
    script.write_layouts(tmp_path, drawn)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [
        "annotator-2.json", "attributes.csv", "families.yaml", "gt.json", "mapping.yaml",
        "model-a.json", "model-b.csv", "model-c.json", "planted-errors.csv",
    ]  # fmt: skip
    for name in names:
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes(), name


def test_the_script_draws_the_images_of_the_repository(script, drawn, tmp_path):
    names = {page.name for page in drawn}
    assert {path.stem for path in (SAMPLE / "images").iterdir()} == names
    chosen = [page for page in drawn if page.name in {f"{kind}-{number}_p1" for kind in TYPES for number in (3, 4)}]
    script.save_images(tmp_path, chosen)
    assert len(chosen) == 10
    for page in chosen:
        name = f"images/{page.name}.png"
        assert (tmp_path / name).read_bytes() == (SAMPLE / name).read_bytes(), name


def test_thirty_documents_of_five_types_that_differ(drawn):
    gt = lcm.read(SAMPLE / "gt.json")
    documents = gt.pages.drop_duplicates("document")["document"].tolist()
    assert Counter(name.partition("-")[0] for name in documents) == dict.fromkeys(TYPES, 6)
    assert len(gt.pages) == 60 and gt.pages.groupby("document").size().between(1, 4).all()
    layouts = {tuple((region.label, region.box) for region in page.regions) for page in drawn}
    assert len(layouts) == 60
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 8_000_000


def test_every_page_has_the_attributes_of_its_image():
    images = json.loads((SAMPLE / "gt.json").read_text("utf-8"))["images"]
    rows = rows_of("attributes.csv")
    names = list(rows[0])[1:]
    assert names == ["doc_category", "columns", "quality", "year"]
    assert [[row["page"], *(row[name] for name in names)] for row in rows] == [
        [image["file_name"], *(str(image[name]) for name in names)] for image in images
    ]
    assert all(len({row[name] for row in rows}) > 1 for name in names)


def test_ground_truth_is_what_was_drawn_except_for_the_listed_errors(drawn):
    truth = Counter((f"{page.name}.png", region.label, tuple(region.box)) for page in drawn for region in page.regions)
    written, right = Counter(), Counter()
    for row in rows_of("planted-errors.csv"):
        written.update((row["page"], *one) for one in [listed_region(row, "written")] if one)
        right.update((row["page"], *one) for one in [listed_region(row, "right")] if one)
    found = regions_of("gt.json")
    assert found - truth == written and truth - found == right
    assert written.total() == 9 and right.total() == 9


def test_three_errors_of_each_kind_in_twelve_documents():
    rows = rows_of("planted-errors.csv")
    assert Counter(row["kind"] for row in rows) == dict.fromkeys(KINDS, 3)
    assert len({row["page"].rpartition("_p")[0] for row in rows}) == 12
    assert [kind_of(listed_region(row, "written"), listed_region(row, "right")) for row in rows] == [
        row["kind"] for row in rows
    ]


def kind_of(written, right):
    """The kind of an error from what is written and what is right."""
    if written is None or right is None:
        return "missing" if written is None else "spurious"
    same_label, same_box = (one == other for one, other in zip(written, right, strict=True))
    return {(False, True): "label", (True, False): "box"}[same_label, same_box]


def test_the_table_of_the_readme_lists_the_planted_errors():
    text = (SAMPLE / "README.md").read_text("utf-8")
    table = [re.findall(r"[^|]+", line) for line in text.splitlines() if re.match(r"\| \w+-\d_p\d\.png", line)]
    cells = [[cell.strip() for cell in row] for row in table]

    def described(row, side):
        region = listed_region(row, side)
        return f"{region[0]} at {', '.join(map(str, region[1]))}" if region else "no region"

    assert cells == [
        [row["page"], KINDS[row["kind"]], described(row, "written"), described(row, "right")]
        for row in rows_of("planted-errors.csv")
    ]


def test_the_second_annotator_has_six_whole_documents():
    gt, other = lcm.read(SAMPLE / "gt.json"), lcm.read(SAMPLE / "annotator-2.json")
    documents = set(other.pages["document"])
    assert len(documents) == 6
    assert set(other.pages["page"]) == set(gt.pages["page"][gt.pages["document"].isin(documents)])
    agreed = lcm.compare(gt, other, missing_pages="ignore").confusion().average("micro")["f1"]
    assert 0.9 < agreed < 1


def test_what_the_readme_says_of_special_pages(script):
    models = sys.modules["drawing.models"]
    gt = lcm.read(SAMPLE / "gt.json")
    a, b = lcm.read(SAMPLE / "model-a.json", like=gt), lcm.read(SAMPLE / "model-b.csv")
    assert not (b.regions["page"] == f"{models.EMPTY_PAGE}.png").any()
    compared = lcm.compare(gt, a)
    right = {page: compared.confusion(page=page).average("micro")["f1"] for page in compared.pages}
    assert right[f"{models.SPOILED_PAGE}.png"] < 0.5 < 0.9 < statistics.median(right.values())
    page, box = models.INVENTED
    on_page = gt.regions[gt.regions["page"] == f"{page}.png"]
    overlaps = (on_page["x0"] < box[2]) & (on_page["x1"] > box[0]) & (on_page["y0"] < box[3]) & (on_page["y1"] > box[1])
    assert len(on_page) and not overlaps.any()
