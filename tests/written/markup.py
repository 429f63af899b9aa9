"""Writers of tables, hOCR and CVAT."""

import io

import pandas as pd

from written import LABELS, corners, one_file


def rectangle(box, between=" "):
    return between.join(f"{x},{y}" for x, y in corners(box))


@one_file("hocr", "book.hocr")
def hocr(pages):
    """One file for all pages, HTML 5 instead of XML: an unclosed meta tag, attributes without quotes."""
    kinds = {"Title": "ocr_header", "Text": "ocr_carea", "Table": "ocr_table", "Picture": "ocr_photo"}
    body = "".join(
        f"<div class='ocr_page' id=page_{n} title='image \"{page.name}.png\"; bbox 0 0 {page.width} {page.height}; "
        f"ppageno {n}'>\n"
        + "".join(
            f"<div class='{kinds[label]}' title=\"bbox {' '.join(map(str, box))}\"></div>\n"
            for label, box, _ in page.regions
        )
        + "</div>\n"
        for n, page in enumerate(pages)
    )
    return f"<!doctype html>\n<html><head><meta charset=utf-8></head><body>{body}</body></html>"


@one_file("cvat", "annotations.xml")
def cvat(pages):
    """Regions alternate between boxes and polygons."""

    def shape(i, label, box):
        if i % 2:
            return f'<polygon label="{label}" occluded="0" points="{rectangle(box, ";")}" z_order="{i}"></polygon>'
        sides = " ".join(f'{name}="{value:.2f}"' for name, value in zip(("xtl", "ytl", "xbr", "ybr"), box))
        return f'<box label="{label}" source="manual" occluded="0" {sides} z_order="{i}"></box>'

    labels = "".join(f"<label><name>{label}</name><type>rectangle</type></label>" for label in LABELS)
    images = "".join(
        f'<image id="{n}" name="{page.name}.png" width="{page.width}" height="{page.height}" '
        'subset="Train" task_id="1">'
        + "".join(shape(i, label, box) for i, (label, box, _) in enumerate(page.regions))
        + "</image>"
        for n, page in enumerate(pages)
    )
    task = "<task><id>1</id><name>round</name><assignee><username>ann</username></assignee></task>"
    meta = f"<meta><project><id>1</id><tasks>{task}</tasks><labels>{labels}</labels></project></meta>"
    return f"<annotations><version>1.1</version>{meta}{images}</annotations>"


def table(pages):
    rows = []
    for page in pages:
        page_values = {"page": f"{page.name}.png", **page.size}
        rows += [
            page_values | dict(zip(("x0", "y0", "x1", "y1"), box)) | {"label": label, "score": score}
            for label, box, score in page.regions
        ]
        rows += [] if page.regions else [page_values]
    return pd.DataFrame(rows, columns=["page", "width", "height", "label", "x0", "y0", "x1", "y1", "score"])


@one_file("csv", "layout.csv")
def csv(pages):
    return table(pages).to_csv(index=False)


@one_file("parquet", "layout.parquet")
def parquet(pages):
    out = io.BytesIO()
    table(pages).to_parquet(out)
    return out.getvalue()
