"""Writers of COCO, COCO results lists, plain tables and Pascal VOC."""

import io

import pandas as pd

from written import LABELS, one_file, per_page


@one_file("coco", "gt.json")
def coco(pages):
    images = [{"id": i, "file_name": f"{page.name}.png", **page.size} for i, page in enumerate(pages)]
    annotations = [
        {"id": 0, "image_id": i, "category_id": LABELS.index(label), "bbox": [x0, y0, x1 - x0, y1 - y0]}
        for i, page in enumerate(pages)
        for label, (x0, y0, x1, y1), _ in page.regions
    ]
    for i, annotation in enumerate(annotations):
        annotation["id"] = i
    categories = [{"id": i, "name": label} for i, label in enumerate(LABELS)]
    return {"images": images, "annotations": annotations, "categories": categories}


@one_file("coco-results", "results.json")
def results(pages):
    """Can be read only with the file of `coco` as `like`."""
    return [
        {"image_id": i, "category_id": LABELS.index(label), "bbox": [x0, y0, x1 - x0, y1 - y0], "score": score}
        for i, page in enumerate(pages)
        for label, (x0, y0, x1, y1), score in page.regions
    ]


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


@per_page("voc", "{}.xml")
def voc(page):
    objects = "".join(
        f"<object><name>{label}</name><difficult>0</difficult><bndbox><xmin>{x0}</xmin><ymin>{y0}</ymin><xmax>{x1}</xmax><ymax>{y1}</ymax>"
        f"</bndbox></object>"
        for label, (x0, y0, x1, y1), _ in page.regions
    )
    return (
        f"<annotation><filename>{page.name}.jpg</filename><size><width>{page.width}</width>"
        f"<height>{page.height}</height><depth>3</depth></size>{objects}</annotation>"
    )
