"""Write the sample data: page images, ground truth, three predictions, a second annotator, and settings.

Run it as `python sample_data/make.py`. It needs Pillow and numpy, but no network and no installed fonts, and writes
the same files each time.
"""

import csv
import json
import random
from collections.abc import Iterable
from pathlib import Path

from drawing.annotator import annotated_pages, second_opinion
from drawing.documents import DOCUMENTS, SCAN, Document
from drawing.invoice import draw_invoice
from drawing.letter import draw_letter
from drawing.magazine import draw_magazine
from drawing.mistakes import Guess
from drawing.models import label_of_model_b, model_a, model_b, model_c, random_score
from drawing.page import SIZE, Page, Region
from drawing.planted import PlantedError, plant_errors, with_errors
from drawing.report import draw_report
from PIL import Image, ImageChops, ImageFilter

from drawing.paper import draw_paper

FOLDER = Path(__file__).parent
DRAW = {
    "paper": draw_paper,
    "report": draw_report,
    "invoice": draw_invoice,
    "magazine": draw_magazine,
    "letter": draw_letter,
}
LABELS = (
    "Caption",
    "Footnote",
    "Formula",
    "List-item",
    "Page-footer",
    "Page-header",
    "Picture",
    "Section-header",
    "Table",
    "Text",
    "Title",
)
POINTS = (612, 792)  # page size of model B: US letter in points
PAPER_TONE = (243, 240, 231)  # of a scan
COLOURS = 128  # of a page image
FAMILIES = {
    "Text": ("Text", "List-item", "Footnote", "Caption", "Formula"),
    "Headings": ("Title", "Section-header"),
    "Floats": ("Picture", "Table"),
    "Furniture": ("Page-header", "Page-footer"),
}
MAPPING = {
    "doc_title": "Title",
    "paragraph_title": "Section-header",
    "text": "Text",
    "figure": "Picture",
    "figure_title": "Caption",
    "table_title": "Caption",
    "table": "Table",
    "formula": "Formula",
    "footnote": "Footnote",
    "header": "Page-header",
    "footer": "Page-footer",
    "reference": "List-item",
}
DOCUMENT_OF = {name: document for document in DOCUMENTS for name in document.page_names}


def draw_pages() -> list[Page]:
    return [page for document in DOCUMENTS for page in DRAW[document.category](document)]


def scanned(image: Image.Image) -> Image.Image:
    """The image as a scanner with soft optics sees it: grey letters on yellowish paper."""
    soft = image.filter(ImageFilter.GaussianBlur(0.7))
    faded = Image.blend(soft, Image.new("RGB", image.size, "white"), 0.12)
    return ImageChops.multiply(faded, Image.new("RGB", image.size, PAPER_TONE))


def save_images(folder: Path, pages: list[Page]) -> None:
    """Save palette images: a third of the size of full colour, with hardly a visible difference."""
    (folder / "images").mkdir(exist_ok=True)
    for page in pages:
        image = scanned(page.image) if DOCUMENT_OF[page.name].quality == SCAN else page.image
        small = image.quantize(COLOURS, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
        small.save(folder / "images" / f"{page.name}.png", optimize=True)


def image_row(number: int, page: Page) -> dict:
    document: Document = DOCUMENT_OF[page.name]
    return {
        "id": number,
        "file_name": f"{page.name}.png",
        "width": SIZE[0],
        "height": SIZE[1],
        "doc_name": f"{document.name}.pdf",
        "page_no": document.page_names.index(page.name) + 1,
        **document.attributes,
    }


def corner_and_size(box: tuple) -> list:
    """COCO's [x, y, width, height] of a box."""
    return [round(value, 2) for value in (box[0], box[1], box[2] - box[0], box[3] - box[1])]


def annotation_rows(regions: Iterable[tuple[int, Region | Guess]]) -> list[dict]:
    """The annotations of (image id, region)."""
    rows = []
    for image_id, region in regions:
        bbox = corner_and_size(region.box)
        rows.append({"id": len(rows) + 1, "image_id": image_id, "category_id": LABELS.index(region.label) + 1})
        rows[-1] |= {"bbox": bbox, "area": round(bbox[2] * bbox[3], 2), "iscrowd": 0}
    return rows


def json_list(rows: list[dict]) -> str:
    """One row per line, so that a changed row is one changed line in a diff."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"


def write(path: Path, text: str) -> None:
    # As bytes, because some systems change the line ends of text files.
    path.write_bytes(text.encode())


def write_coco(path: Path, pages: list[Page], regions: dict[str, list]) -> None:
    """A COCO file; `regions` has those of each page."""
    located = [(number, region) for number, page in enumerate(pages, 1) for region in regions.get(page.name, [])]
    parts = {
        "images": [image_row(number, page) for number, page in enumerate(pages, 1)],
        "annotations": annotation_rows(located),
        "categories": [{"id": number, "name": name} for number, name in enumerate(LABELS, 1)],
    }
    body = ",\n".join(f'"{name}": {json_list(rows)}' for name, rows in parts.items())
    write(path, "{\n" + body + "\n}\n")


def by_page(guesses: list[Guess]) -> dict[str, list]:
    found: dict[str, list] = {}
    for guess in guesses:
        found.setdefault(guess.page, []).append(guess)
    return found


def write_results(path: Path, pages: list[Page], guesses: list[Guess], scores: random.Random | None) -> None:
    """A COCO results list, with random scores or without any."""
    ids = {page.name: number for number, page in enumerate(pages, 1)}
    rows = [
        {
            "image_id": ids[guess.page],
            "category_id": LABELS.index(guess.label) + 1,
            "bbox": corner_and_size(guess.box),
            **({"score": random_score(guess, scores)} if scores else {}),
        }
        for guess in guesses
    ]
    rows.sort(key=lambda row: (row["image_id"], -row.get("score", 0)))
    write(path, json_list(rows) + "\n")


def table_row(guess: Guess) -> list[str]:
    """A row of the table of model B, with its labels, and in points instead of pixels."""
    scales = [points / pixels for points, pixels in zip(POINTS, SIZE, strict=True)] * 2
    corners = [f"{value * scale:.2f}" for value, scale in zip(guess.box, scales, strict=True)]
    return [*page_cells(guess.page), label_of_model_b(guess), *corners]


def page_cells(name: str) -> list[str]:
    return [f"{name}.png", f"{DOCUMENT_OF[name].name}.pdf", *map(str, POINTS)]


def write_csv(path: Path, head: list[str], rows: Iterable[list]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])


def write_model_b(path: Path, pages: list[Page]) -> None:
    """A plain table without scores; a page without regions is a row without label and corners."""
    found = by_page(model_b(pages))
    rows: list[list[str]] = []
    for page in pages:
        rows += [table_row(guess) for guess in found.get(page.name, [])] or [[*page_cells(page.name), *[""] * 5]]
    write_csv(path, ["page", "document", "width", "height", "label", "x0", "y0", "x1", "y1"], rows)


def write_attributes(path: Path, pages: list[Page]) -> None:
    rows = [[f"{page.name}.png", *DOCUMENT_OF[page.name].attributes.values()] for page in pages]
    write_csv(path, ["page", *DOCUMENTS[0].attributes], rows)


def write_planted(path: Path, errors: list[PlantedError]) -> None:
    """The planted errors: what the ground truth says and what is right; empty where there is no region."""
    head = ["page", "kind"] + [
        f"{side}_{name}" for side in ("written", "right") for name in ("label", "x0", "y0", "x1", "y1")
    ]
    rows = []
    for error in errors:
        sides = [[side.label, *side.box] if side else [""] * 5 for side in (error.written, error.right)]
        rows.append([f"{error.page}.png", error.kind, *sides[0], *sides[1]])
    write_csv(path, head, rows)


def write_settings(folder: Path) -> None:
    families = [f"{name}: [{', '.join(labels)}]\n" for name, labels in FAMILIES.items()]
    write(folder / "families.yaml", "".join(families))
    write(folder / "mapping.yaml", "pred:\n" + "".join(f"  {old}: {new}\n" for old, new in MAPPING.items()))


def write_layouts(folder: Path, pages: list[Page]) -> None:
    """Write all files of the sample but the images into a folder."""
    errors = plant_errors(pages)
    write_coco(folder / "gt.json", pages, {page.name: with_errors(page, errors) for page in pages})
    write_coco(folder / "annotator-2.json", annotated_pages(pages), by_page(second_opinion(pages)))
    write_results(folder / "model-a.json", pages, model_a(pages), random.Random("a scores"))
    write_results(folder / "model-c.json", pages, model_c(pages), None)
    write_model_b(folder / "model-b.csv", pages)
    write_attributes(folder / "attributes.csv", pages)
    write_planted(folder / "planted-errors.csv", errors)
    write_settings(folder)


def main() -> None:
    pages = draw_pages()
    save_images(FOLDER, pages)
    write_layouts(FOLDER, pages)


if __name__ == "__main__":
    main()
