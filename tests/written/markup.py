"""Writers of PAGE-XML, ALTO, hOCR, CVAT and DocTags."""

from written import LABELS, corners, one_file, per_page


def rectangle(box, between=" "):
    return between.join(f"{x},{y}" for x, y in corners(box))


@per_page("page-xml", "{}.xml")
def page_xml(page):
    """Headings have a type as in PRImA's tools, paragraphs a custom attribute as in Transkribus."""
    kinds = {
        "Title": ("TextRegion", 'type="heading"'),
        "Text": ("TextRegion", 'custom="readingOrder {index:0;} structure {type:paragraph;}"'),
        "Table": ("TableRegion", 'lineSeparators="true"'),
        "Picture": ("ImageRegion", ""),
    }
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


@per_page("alto", "{}.alto")
def alto(page):
    """A title is a block with a tag, a table is a composed block of type table."""
    kinds = {
        "Title": ("TextBlock", 'TAGREFS="BT1"'), "Text": ("TextBlock", ""), "Table": ("ComposedBlock", 'TYPE="table"'),
        "Picture": ("Illustration", ""),
    }  # fmt: skip
    blocks = "".join(
        f'<{kinds[label][0]} ID="b{i}" {kinds[label][1]} HPOS="{x0}" VPOS="{y0}" WIDTH="{x1 - x0}" HEIGHT="{y1 - y0}"/>'
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


@per_page("doctags", "{}.dt")
def doctags(page):
    """The format has no page sizes; all coordinates of PAGES are on its grid of 500."""
    kinds = {"Title": "title", "Text": "text", "Table": "otsl", "Picture": "picture"}
    tags = "\n".join(
        f"<{kinds[label]}>{''.join(f'<loc_{value}>' for value in page.whole_parts(box, 500))}words</{kinds[label]}>"
        for label, box, _ in page.regions
    )
    return f"<doctag>{tags}\n</doctag>"
