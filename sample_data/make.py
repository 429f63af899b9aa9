"""Write the sample data: page images, ground truth, two predictions, families and a label mapping.

Run it as `python sample_data/make.py`. It needs Pillow and numpy, but no network and no installed fonts, and writes
the same files each time.
"""

import csv
import json
import random
from pathlib import Path

from drawing.invoice import draw_invoice
from drawing.magazine import draw_magazine
from drawing.models import Guess, label_of_model_b, model_a, model_b, random_score
from drawing.page import SIZE, Page
from drawing.report import draw_report
from PIL import Image

from drawing.paper import draw_paper

FOLDER = Path(__file__).parent
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
EMPTY_PAGE = "invoice_p3"  # model B finds nothing on this page
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


def save_images(pages: list[Page]) -> None:
    """Save palette images: a third of the size of full colour, with hardly a visible difference."""
    folder = FOLDER / "images"
    folder.mkdir(exist_ok=True)
    for page in pages:
        small = page.image.quantize(256, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
        small.save(folder / f"{page.name}.png", optimize=True)


def image_row(number: int, page: Page) -> dict:
    document, _, page_no = page.name.rpartition("_p")
    return {
        "id": number,
        "file_name": f"{page.name}.png",
        "width": SIZE[0],
        "height": SIZE[1],
        "doc_name": f"{document}.pdf",
        "page_no": int(page_no),
    }


def corner_and_size(box: tuple) -> list:
    """COCO's [x, y, width, height] of a box."""
    return [round(value, 2) for value in (box[0], box[1], box[2] - box[0], box[3] - box[1])]


def annotation_rows(pages: list[Page]) -> list[dict]:
    rows = []
    for image_id, page in enumerate(pages, 1):
        for region in page.regions:
            bbox = corner_and_size(region.box)
            rows.append({"id": len(rows) + 1, "image_id": image_id, "category_id": LABELS.index(region.label) + 1})
            rows[-1] |= {"bbox": bbox, "area": bbox[2] * bbox[3], "iscrowd": 0}
    return rows


def json_list(rows: list[dict]) -> str:
    """One row per line, so that a changed row is one changed line in a diff."""
    return "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"


def write(name: str, text: str) -> None:
    # As bytes, because some systems change the line ends of text files.
    (FOLDER / name).write_bytes(text.encode())


def write_ground_truth(pages: list[Page]) -> None:
    parts = {
        "images": [image_row(number, page) for number, page in enumerate(pages, 1)],
        "annotations": annotation_rows(pages),
        "categories": [{"id": number, "name": name} for number, name in enumerate(LABELS, 1)],
    }
    body = ",\n".join(f'"{name}": {json_list(rows)}' for name, rows in parts.items())
    write("gt.json", "{\n" + body + "\n}\n")


def write_model_a(pages: list[Page]) -> None:
    """A COCO results list, with scores."""
    ids = {page.name: number for number, page in enumerate(pages, 1)}
    rng = random.Random("a scores")
    rows = [
        {
            "image_id": ids[guess.page],
            "category_id": LABELS.index(guess.label) + 1,
            "bbox": corner_and_size(guess.box),
            "score": random_score(guess, rng),
        }
        for guess in model_a(pages)
    ]
    rows.sort(key=lambda row: (row["image_id"], -row["score"]))
    write("model-a.json", json_list(rows) + "\n")


def table_row(guess: Guess) -> list[str]:
    """A row of the table of model B, with its labels, and in points instead of pixels."""
    scales = [points / pixels for points, pixels in zip(POINTS, SIZE, strict=True)] * 2
    corners = [f"{value * scale:.2f}" for value, scale in zip(guess.box, scales, strict=True)]
    return [*page_cells(guess.page), label_of_model_b(guess), *corners]


def page_cells(name: str) -> list[str]:
    return [f"{name}.png", f"{name.rpartition('_p')[0]}.pdf", *map(str, POINTS)]


def write_model_b(pages: list[Page]) -> None:
    """A plain table without scores; a page without regions is a row without label and corners."""
    guesses = model_b(pages, EMPTY_PAGE)
    with (FOLDER / "model-b.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["page", "document", "width", "height", "label", "x0", "y0", "x1", "y1"])
        for page in pages:
            rows = [table_row(guess) for guess in guesses if guess.page == page.name]
            writer.writerows(rows or [[*page_cells(page.name), "", "", "", "", ""]])


def write_settings() -> None:
    families = [f"{name}: [{', '.join(labels)}]\n" for name, labels in FAMILIES.items()]
    write("families.yaml", "".join(families))
    write("mapping.yaml", "pred:\n" + "".join(f"  {old}: {new}\n" for old, new in MAPPING.items()))


def main() -> None:
    pages = [*draw_paper(), *draw_report(), *draw_invoice(), *draw_magazine()]
    save_images(pages)
    write_ground_truth(pages)
    write_model_a(pages)
    write_model_b(pages)
    write_settings()


if __name__ == "__main__":
    main()
