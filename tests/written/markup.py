"""Writers of PAGE-XML, ALTO, hOCR, CVAT and DocTags."""


def rectangle(box, between=" "):
    x0, y0, x1, y1 = box
    return between.join(f"{x},{y}" for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1)))


def page_xml(pages):
    """Headings have a type as in PRImA's tools, paragraphs a custom attribute as in Transkribus."""
    kinds = {
        "Title": ("TextRegion", 'type="heading"'),
        "Text": ("TextRegion", 'custom="readingOrder {index:0;} structure {type:paragraph;}"'),
        "Table": ("TableRegion", 'lineSeparators="true"'),
        "Picture": ("ImageRegion", ""),
    }

    def write_page(page):
        regions = "".join(
            f'<{kinds[label][0]} id="r{i}" {kinds[label][1]}><Coords points="{rectangle(box)}"/></{kinds[label][0]}>'
            for i, (label, box, _) in enumerate(page.regions)
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">'
            "<Metadata><Creator>test</Creator></Metadata>"
            f'<Page imageFilename="{page.name}.png" imageWidth="{page.width}" imageHeight="{page.height}" '
            'type="content" primaryLanguage="English">'
            f'<Border><Coords points="{rectangle((0, 0, page.width, page.height))}"/></Border>{regions}</Page></PcGts>'
        )

    return {f"{page.name}.xml": write_page(page).encode() for page in pages}


def alto(pages):
    """A title is a block with a tag, a table is a composed block of type table."""
    kinds = {
        "Title": ("TextBlock", 'TAGREFS="BT1"'),
        "Text": ("TextBlock", ""),
        "Table": ("ComposedBlock", 'TYPE="table"'),
        "Picture": ("Illustration", ""),
    }

    def write_page(page):
        blocks = "".join(
            f'<{kinds[label][0]} ID="b{i}" {kinds[label][1]} HPOS="{x0}" VPOS="{y0}" WIDTH="{x1 - x0}" '
            f'HEIGHT="{y1 - y0}"/>'
            for i, (label, (x0, y0, x1, y1), _) in enumerate(page.regions)
        )
        return (
            '<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Description>'
            "<MeasurementUnit>pixel</MeasurementUnit><sourceImageInformation>"
            f"<fileName>{page.name}.png</fileName></sourceImageInformation></Description>"
            '<Tags><OtherTag ID="BT1" TYPE="region" LABEL="Title"/></Tags>'
            f'<Layout><Page ID="p1" PHYSICAL_IMG_NR="1" WIDTH="{page.width}" HEIGHT="{page.height}">'
            f'<PrintSpace HPOS="0" VPOS="0" WIDTH="{page.width}" HEIGHT="{page.height}">{blocks}</PrintSpace>'
            "</Page></Layout></alto>"
        )

    return {f"{page.name}.alto": write_page(page).encode() for page in pages}


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
    return {"book.hocr": f"<!doctype html>\n<html><head><meta charset=utf-8></head><body>{body}</body></html>".encode()}


def cvat(pages):
    """Regions alternate between boxes and polygons."""

    def shape(i, label, box):
        if i % 2:
            return f'<polygon label="{label}" occluded="0" points="{rectangle(box, ";")}" z_order="{i}"></polygon>'
        corners = " ".join(f'{name}="{value:.2f}"' for name, value in zip(("xtl", "ytl", "xbr", "ybr"), box))
        return f'<box label="{label}" source="manual" occluded="0" {corners} z_order="{i}"></box>'

    names = ("Title", "Text", "Table", "Picture")
    labels = "".join(f"<label><name>{label}</name><type>rectangle</type></label>" for label in names)
    images = "".join(
        f'<image id="{n}" name="{page.name}.png" width="{page.width}" height="{page.height}" '
        'subset="Train" task_id="1">'
        + "".join(shape(i, label, box) for i, (label, box, _) in enumerate(page.regions))
        + "</image>"
        for n, page in enumerate(pages)
    )
    task = "<task><id>1</id><name>round</name><assignee><username>ann</username></assignee></task>"
    meta = f"<meta><project><id>1</id><tasks>{task}</tasks><labels>{labels}</labels></project></meta>"
    return {"annotations.xml": f"<annotations><version>1.1</version>{meta}{images}</annotations>".encode()}


def doctags(pages):
    """The format has no page sizes; all coordinates of PAGES are on its grid of 500."""
    kinds = {"Title": "title", "Text": "text", "Table": "otsl", "Picture": "picture"}

    def write_page(page):
        sides = (page.width, page.height) * 2
        return "\n".join(
            f"<{kinds[label]}>"
            + "".join(f"<loc_{value * 500 // side}>" for value, side in zip(box, sides))
            + f"words</{kinds[label]}>"
            for label, box, _ in page.regions
        )

    return {f"{page.name}.dt": f"<doctag>{write_page(page)}\n</doctag>".encode() for page in pages}


WRITERS = {"page-xml": page_xml, "alto": alto, "hocr": hocr, "cvat": cvat, "doctags": doctags}
