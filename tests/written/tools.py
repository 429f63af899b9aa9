"""Writers of annotation tools and of their data sets: VIA, V7, Supervisely, Labelbox, Prodigy, Create ML, FiftyOne …"""

import base64
import io
import zlib

from PIL import Image

from written import corner_numbers, corners, lines, one_file, per_page, several_files


def fractions(page, box):
    x0, y0, x1, y1 = page.parts(box)
    return [x0, y0, x1 - x0, y1 - y0]


@one_file("via", "via_project.json")
def via(pages):
    """A project of VIA 2; every second region is a polygon."""

    def shape(i, box):
        x0, y0, x1, y1 = box
        if i % 2:
            xs, ys = zip(*corners(box))
            return {"name": "polygon", "all_points_x": list(xs), "all_points_y": list(ys)}
        return {"name": "rect", "x": x0, "y": y0, "width": x1 - x0, "height": y1 - y0}

    images = {f"{page.name}.png{n}000": {"filename": f"{page.name}.png", "size": n * 1000, "regions": [
        {"shape_attributes": shape(i, box), "region_attributes": {"class": label}}
        for i, (label, box, _) in enumerate(page.regions)
    ], "file_attributes": {}} for n, page in enumerate(pages, 1)}  # fmt: skip
    settings = {"region": {"class": {"type": "text", "description": "", "default_value": ""}}, "file": {}}
    return {"_via_settings": {}, "_via_img_metadata": images, "_via_attributes": settings}


@one_file("via3", "via3.json")
def via3(pages):
    """A project of VIA 3; every second region is a polygon, and the label is an option."""
    used = dict.fromkeys(label for page in pages for label, _, _ in page.regions)
    options = {f"o{i}": label for i, label in enumerate(used)}
    ids = {label: key for key, label in options.items()}

    def shape(i, box):
        x0, y0, x1, y1 = box
        return [7, *corner_numbers(box)] if i % 2 else [2, x0, y0, x1 - x0, y1 - y0]

    numbered = [(str(n), page) for n, page in enumerate(pages, 1)]
    attribute = {"aname": "class", "anchor_id": "FILE1_Z0_XY1", "type": 3, "desc": "", "options": options}
    return {
        "project": {"pid": "__VIA_PROJECT_ID__", "vid_list": [n for n, _ in numbered]},
        "config": {},
        "attribute": {"1": attribute},
        "file": {n: {"fid": n, "fname": f"{page.name}.png", "type": 2, "loc": 1, "src": ""} for n, page in numbered},
        "view": {n: {"fid_list": [n]} for n, _ in numbered},
        "metadata": {
            f"{n}_{i}": {"vid": n, "flg": 0, "z": [], "xy": shape(i, box), "av": {"1": ids[label]}}
            for n, page in numbered
            for i, (label, box, _) in enumerate(page.regions)
        },
    }


@per_page("darwin")
def darwin(page):
    def annotation(i, label, box, score):
        x0, y0, x1, y1 = box
        shape = {"bounding_box": {"x": x0, "y": y0, "w": x1 - x0, "h": y1 - y0}}
        if i % 2:
            shape["polygon"] = {"paths": [[{"x": x, "y": y} for x, y in corners(box)]]}
        return {"id": str(i), "name": label, "slot_names": ["0"], "inference": {"confidence": score}} | shape

    return {
        "version": "2.0",
        "item": {"name": f"{page.name}.png", "path": "/", "slots": [{"type": "image", "slot_name": "0", **page.size}]},
        "annotations": [annotation(i, *region) for i, region in enumerate(page.regions)],
    }


@several_files("supervisely")
def supervisely(pages):
    """A project: newer objects have a shape, older ones take it from meta.json; a picture at the end is a mask."""

    def write_mask(label, box):
        x0, y0, x1, y1 = box
        png = io.BytesIO()
        Image.new("1", (x1 - x0, y1 - y0), 1).save(png, "PNG")
        data = base64.b64encode(zlib.compress(png.getvalue())).decode()
        return {"classTitle": label, "geometryType": "bitmap", "bitmap": {"origin": [x0, y0], "data": data}}

    def write_object(i, label, box, is_last):
        if label == "Picture" and is_last:
            return write_mask(label, box)
        x0, y0, x1, y1 = box
        points = [[x1, y0], [x0, y1]] if i % 2 else corners(box)
        told = {} if label == "Table" else {"geometryType": "rectangle" if i % 2 else "polygon"}
        return {"classTitle": label, "tags": [], "points": {"exterior": points, "interior": []}} | told

    files = {f"train/ann/{page.name}.png.json": {"description": "", "tags": [], "size": page.size, "objects": [
        write_object(i, label, box, i == len(page.regions) - 1)
        for i, (label, box, _) in enumerate(page.regions)
    ]} for page in pages}  # fmt: skip
    files["meta.json"] = {"classes": [{"title": "Table", "shape": "polygon", "color": "#000000"}], "tags": []}
    return files


def labelbox_box(box):
    x0, y0, x1, y1 = box
    return {"top": y0, "left": x0, "height": y1 - y0, "width": x1 - x0}


@one_file("labelbox-import", "import.ndjson")
def labelbox_import(pages):
    rows = [
        {"uuid": f"{i}", "dataRow": {"globalKey": f"{page.name}.png"}, "name": label}
        | ({"polygon": [{"x": x, "y": y} for x, y in corners(box)]} if i % 2 else {"bbox": labelbox_box(box)})
        | {"confidence": score}
        for page in pages
        for i, (label, box, score) in enumerate(page.regions)
    ]
    return lines(rows)


@one_file("fiftyone", "labels.json")
def fiftyone(pages):
    names = list(dict.fromkeys(label for page in pages for label, *_ in page.regions))
    labels = {page.name: [
        {"label": names.index(label) if i % 2 else label, "bounding_box": fractions(page, box), "confidence": score}
        for i, (label, box, score) in enumerate(page.regions)
    ] or None for page in pages}  # fmt: skip
    return {"classes": names, "labels": labels}


@per_page("ctdar", "{}.xml")
def ctdar(page):
    """Only tables; the second spelling of points has commas only."""

    def table(i, box):
        points = (",", " ")[i % 2].join(f"{x},{y}" for x, y in corners(box))
        return f'<table id="{i}"><Coords points="{points}"/><cell id="0"><Coords points="0,0 1,1"/></cell></table>'

    tables = "".join(table(i, box) for i, (_, box, _) in enumerate(page.regions))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<document filename="{page.name}.jpg">{tables}</document>'


@per_page("docbank", "{}.txt", blank=False)
def docbank(page):
    """A token for each region; all coordinates of PAGES are on the grid of 1000."""
    rows = [("a token", *page.whole_parts(box, 1000), 0, 0, 0, "Times", label) for label, box, _ in page.regions]
    return "".join("\t".join(map(str, row)) + "\n" for row in rows)
