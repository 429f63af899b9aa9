"""Files whose names make outputs hard to write: blank names, formulas, line breaks, bytes that are not text."""

import csv
import json
from pathlib import Path

BOX = [1, 1, 5, 5]


def _coco(path: Path, names: list[str], label: str = "Text") -> Path:
    images = [{"id": i, "file_name": name, "width": 10, "height": 10} for i, name in enumerate(names)]
    boxes = [{"id": i, "image_id": i, "category_id": 0, "bbox": BOX} for i in range(len(names))]
    file = {"images": images, "annotations": boxes, "categories": [{"id": 0, "name": label}]}
    path.write_text(json.dumps(file), "utf-8")
    return path


def make_blank_page_name(folder: Path) -> Path:
    return _coco(folder / "blank-name.json", [" "])


def make_formula_names(folder: Path) -> Path:
    """Page names and a label that a spreadsheet would compute."""
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", '=HYPERLINK("http://example.org","x")']
    return _coco(folder / "formulas.json", names, "=cmd|' /C calc'!A0")


def make_names_with_line_breaks(folder: Path) -> Path:
    path = folder / "line-breaks.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL)
        writer.writerow(["page", "width", "height", "label", "x0", "y0", "x1", "y1"])
        for name in ("a\nb", "a\rb", "a\r\nb", 'a"b', "a,b", "../../a", "a\0b"):
            writer.writerow([name, 10, 10, "Te\nxt", *BOX])
    return path


def make_name_that_is_not_text(folder: Path) -> Path:
    """A folder of YOLO files; one page has a file name in Latin-1."""
    place = folder / "latin-1"
    place.mkdir()
    (place / "classes.txt").write_text("Text\n")
    (place / "caf\udce9.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    return place


HOSTILE = {
    "blank page name": make_blank_page_name,
    "formulas as names": make_formula_names,
    "line breaks in names": make_names_with_line_breaks,
    "a name that is not text": make_name_that_is_not_text,
}
