"""Writers of COCO, COCO results lists, plain tables and Pascal VOC."""

import io

import pandas as pd

from written import one_file, per_page


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
