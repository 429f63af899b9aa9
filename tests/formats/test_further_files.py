"""What real files of document parsers and models have beyond the first files of each tool."""

import json

import pytest

import layoutcm as lcm
from support.reading import fails, read_as, reader, reads, refused_as, refuser, refuses, regions

SIZE = (1000, 1000)
DOTS = [{"bbox": [1, 2, 30, 40], "category": "Title", "text": "a"}, {"bbox": [5, 60, 70, 80], "category": "Picture"}]
BOXES = [("Title", 1, 2, 30, 40), ("Picture", 5, 60, 70, 80)]


read, refuse = reader("page.json"), refuser("page.json")
AT = {"sizes": SIZE}
TEXT = json.dumps(DOTS)
FENCE = f"```json\n{TEXT}\n```\n"
UNLIMITED = (
    "<PAGE><|det|>title [0, 0, 999, 111]<|/det|>Words <|ref|>more<|/ref|>\n<|det|>text [[0,111,333,333]]<|/det|>\n"
    "<PAGE>\n<PAGE><|det|>table [1, 2]<|/det|><|det|>image [0,0,999,9"
)
GLM = {"index": 0, "label": "text", "bbox_2d": [100, 200, 300, 400], "native_label": "doc_title"}
MINERU = {"page_idx": 0, "page_size": [10, 10], "discarded_blocks": [],
          "para_blocks": [{"type": "text", "bbox": [1, 2, 3, 4], "score": 0.5}]}  # fmt: skip
FRAME = {"bbox": [5, 5, 105, 55]}
CHUNKS = {"blocks": [{"block_type": "Text", "page": 1, "bbox": [6, 7, 30, 40], "html": "words"}],
          "page_info": {"0": FRAME, "1": FRAME}, "metadata": {}}  # fmt: skip
PART = [
    {"layout": {"bounding_poly": {"vertices": [], "normalized_vertices": [{"x": 0.1, "y": 0.2}, {"x": 0.5, "y": 0.6}]}}}
]
DOCUMENT_AI = {"page_number": 2, "dimension": {"width": 100, "height": 50}, "paragraphs": PART, "visual_elements": PART}
WORDS = {"apiVersion": "2024-11-30", "modelId": "prebuilt-read", "pages": [{"pageNumber": 1, "width": 100, "height": 50,
         "words": [{"content": "words", "polygon": [0, 0, 1, 0, 1, 1, 0, 1]}]}]}  # fmt: skip
OCR = {"apiVersion": "1.1", "modelVersion": "ocr-2.2.1", "mimeType": "x", "text": "", "pages": [{"words": []}]}
UPSTAGE = {"api": "2.0", "content": {}, "elements": [], "model": "document-parse", "usage": {"pages": 2}}
ELEMENT = {"page": 1, "category": "Text", "coordinates": [{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}]}
DOCUMENTS = {"a.pdf": {"id": 1, "elements": []}, "b.pdf": {"id": 2, "elements": [ELEMENT]}}
SURYA = {"label": "Text", "bbox": [11, 12, 30, 40], "confidence": 0.5, "reading_order": 0, "html": "words"}
GROBID = '<title coords="1,1,2,30,4">words</title>'
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def paddle(**changed):
    """A line with two pages; the changes are those of the second."""
    page = {"page_index": 0, "width": 20, "height": 10, "parsing_res_list": [{"block_bbox": [1, 2, 3, 4]}]}
    return json.dumps({"result": {"layoutParsingResults": [{"prunedResult": page}, {"prunedResult": page | changed}]}})


def slides(unit, mimetype):
    box = {"l": 1 * unit, "b": 2 * unit, "r": 30 * unit, "t": 40 * unit, "coord_origin": "BOTTOMLEFT"}
    size = {"page_no": 1, "size": {"width": 960 * unit, "height": 540 * unit}}
    texts = [{"label": "text", "prov": [{"page_no": 1, "bbox": box}]}]
    return {"schema_name": "DoclingDocument", "origin": {"mimetype": mimetype}, "pages": {"1": size}, "texts": texts}


def div(label, inside="", box="0 0 500 500"):
    return f'<div data-bbox="{box}" data-label="{label}">{inside}</div>'


NESTED = div("Figure", "<div>words</div>" + div("Text", div("List"))) + div("Form", div("Text")) + div("Text")
test_reading = read_as(
    reads("a line break in a text", TEXT.replace('"a"', '"a\n\tb"'), AT, regions=BOXES, codes={}),
    reads("a last comma", TEXT[:-1] + ",\n]", AT, regions=BOXES, codes={}),
    reads("a line break in a text that is cut off", TEXT.replace('"a"', '"a\nb"')[:-5], AT, regions=BOXES[:1],
          codes={"cut-off-answer": 1}),
    *(reads(f"a fence on the lines of the list: {fence!r}", fence.replace("{}", TEXT), AT | {"format": "dots-ocr"},
            regions=BOXES, codes={})
      for fence in ("```json{}```", "```json {}```\n", "```\n{}\n  ```", "Here it is:\n```json{}```")),
    reads("a second fence with JSON", f"{FENCE}Corrected:\n\n```json\n[]\n```\n", AT, regions=BOXES,
          codes={"second-answer": 1}),
    reads("a second fence with Python", f"{FENCE}Drawn with\n```python\nprint()\n```\n", AT, codes={}),
    reads("Unlimited OCR has labels in the boxes and marks before pages", UNLIMITED, "scan.md", {"sizes": (999, 999)},
          format="deepseek-ocr", names=("scan_p1", "scan_p2", "scan_p3"), codes={"no-location": 1, "cut-off-answer": 1},
          regions=[("title", 0, 0, 999, 111), ("text", 0, 111, 333, 333)]),
    reads("words before the first mark of Unlimited OCR", "Words before it.<PAGE><|det|>text [0, 0, 9, 9]<|/det|>",
          "scan.md", {"sizes": (999, 999)}, places=["scan_p2"]),
    reads("GLM-OCR has pages and the labels of its detector",
          [[], [GLM, GLM | {"native_label": None}, {"index": 2, "label": "text"}]], "report.json",
          {"sizes": (100, 200)}, regions=[("doc_title", 10, 40, 30, 80), ("text", 10, 40, 30, 80)],
          names=("report_p1", "report_p2"), codes={"no-place": 1}),
    reads("blocks of MinerU may have scores", {"pdf_info": [MINERU]}, scores=[0.5]),
    reads("chunks of Marker", CHUNKS, "doc.json", pages=[("doc_p1", 100, 50), ("doc_p2", 100, 50)], format="marker",
          regions=[("Text", 1, 2, 25, 35)], places=["doc_p2"]),
    reads("Document AI in the spelling of its Python package",
          {"mime_type": "application/pdf", "text": "", "pages": [DOCUMENT_AI]}, "doc.json", names=("doc_p2",),
          regions=[("paragraph", 10, 10, 50, 30), ("visual element", 10, 10, 50, 30)]),
    reads("a service without paragraphs", WORDS | {"tables": []}, codes={"no-paragraphs": 1}),
    reads("captions of pdffigures2 without a boundary", {"figures": [], "regionless-captions": [
        {"figType": "Table", "name": "1", "page": 2, "text": "words"}]}, AT, regions=[], some={"no-place": 1}),
    reads("regions of Chandra are nested", NESTED, "a.html", AT,
          labels=["Figure", "Text", "List", "Form", "Text", "Text"]),
    reads("outer ones of Chandra", NESTED, "a.html", AT | {"nested": False}, labels=["Figure", "Form", "Text", "Text"]),
    *(reads(f"a box of Chandra that is not four numbers: {box!r}", div("Text") + div("Text", box=box), "a.html", AT,
            count=1, codes={"no-location": 1})
      for box in ("1 2 3", "1 2 3 nan", "1 2 3 1e999", "1 2 3 1_0", "a b c d", "")),
    reads("slides in points were converted through a PDF", slides(1, PPTX), regions=[("text", 1, 500, 30, 538)]),
    *(reads(f"slides in another unit keep their origin: {kind}", slides(12_700, kind), regions=[("text", 1, 2, 30, 40)],
            codes={"slides-from-top": 1}) for kind in (PPTX, None)),
    reads("a blank page of MinerU", [[]], "d_content_list_v2.json", AT, format="mineru-content-v2", names=("d",)),
    reads("blank pages of MinerU", [[], []], "d_content_list_v2.json", AT, format="mineru-content-v2",
          names=("d_p1", "d_p2")),
    *(reads(f"a blank image of Create ML: {key}", [{key: "a.png", found: []}], AT, format="createml", names=("a.png",),
            regions=[]) for key, found in (("image", "annotations"), ("imagefilename", "annotation"))),
    reads("a blank document of Upstage", UPSTAGE, "doc.json", AT, format="upstage", names=("doc_p1", "doc_p2")),
    *(reads(f"Upstage with the usage {usage}", UPSTAGE | {"usage": usage}, "doc.json", AT, names=("doc",))
      for usage in ({}, {"pages": -3})),
    reads("documents of Upstage, the first blank", DOCUMENTS, AT, format="upstage", names=("a", "b")),
    reads("blocks of Surya's OCR", {"doc": [{"image_bbox": [10, 10, 110, 60], "blocks": [SURYA]}]}, format="surya",
          regions=[("Text", 1, 2, 20, 30)], pages=[("doc", 100, 50)]),
    reads("the title of GROBID is one region", f"<TEI><teiHeader>{GROBID}<sourceDesc><biblStruct>{GROBID}</biblStruct>"
          "</sourceDesc></teiHeader></TEI>", "a.tei.xml", AT, regions=[("title", 1, 2, 31, 6)]),
    reads("lines of Paddle count pages on", paddle() + "\n\n" + paddle(), "book.jsonl",
          names=("book_p1", "book_p2", "book_p3", "book_p4")),
    read=read,
)  # fmt: skip

WITHOUT_PLACE = {"image_bbox": [0, 0, 9, 9], "bboxes": [], "blocks": [{"label": "Text"}]}
test_refusal = refused_as(
    refuses("a chunk on another page", CHUNKS | {"page_info": {"0": FRAME}}, "blocks[0]", "page 1", "page_info"),
    refuses("a service that was asked for words", WORDS, "no paragraphs", "prebuilt-layout"),
    refuses("OCR of Document AI", OCR, "not recognised"),
    refuses("Create ML without places", [{"image": "a.png", "annotations": [{"label": "x"}]}], "not recognised"),
    refuses("Create ML with a number", [{"image": "a.png", "annotations": 5}], "not recognised"),
    refuses("a document of Upstage without elements", DOCUMENTS | {"c.pdf": {"id": 3}}, "not recognised", **AT),
    refuses("lines of Surya", {"doc": [{"image_bbox": [0, 0, 9, 9], "text_lines": []}]}, "neither bboxes nor blocks",
            format="surya"),
    refuses("a block of Surya without place", {"doc": [WITHOUT_PLACE]}, "blocks[0]", format="surya"),
    refuses("a wrong page of Paddle", paddle(width="x") + "\n" + paddle(), "layoutParsingResults[1].prunedResult",
            name="book.jsonl"),
    refuse=refuse,
)  # fmt: skip


@pytest.mark.parametrize("name", ["dots-ocr", "qwen-vl-pixels", "qwen-vl-1000", "dolphin", "glm-ocr", "mineru-content"])
def test_fractions_in_a_format_with_another_unit_are_refused(name):
    item = {"label": "a", "category": "Text", "type": "text", "page_idx": 0}
    unit = "parts of 1000" if name in ("qwen-vl-1000", "glm-ocr", "mineru-content") else "pixels"
    words = "no coordinate is above 2: these look like fractions", unit
    for reach in (1, 1.002):  # a model may write a little more than the whole page
        item["bbox"] = item["bbox_2d"] = [0.1, 0.2, 0.5, reach]
        refuse([[item]] if name == "glm-ocr" else [item], *words, format=name, sizes=SIZE)
    if unit == "pixels":
        assert len(regions(read([item], format=name, sizes=(2, 2)))) == 1
    item["bbox"] = item["bbox_2d"] = [0, 0, 1, 3]
    assert len(regions(read([[item]] if name == "glm-ocr" else [item], format=name, sizes=SIZE))) == 1


def test_fractions_in_markup_are_refused_in_each_file():
    refuse("<|ref|>text<|/ref|><|det|>[[0.1, 0.2, 0.3, 0.4]]<|/det|>", "parts of 999", name="a.md", sizes=SIZE)
    div = '<div data-bbox="{} 0.2 0.9 0.8" data-label="Text"></div>'
    files = [("a.html", div.format(500).encode()), ("b.html", div.format(0.1).encode())]
    fails(r"b\.html.*parts of 1000", lcm.read, files, sizes=SIZE)


@pytest.mark.parametrize("as_list", [False, True])
def test_crowds_and_areas_of_image_folders_and_a_first_page_without_objects(as_list):
    boxes, crowds, areas = [[1, 2, 3, 4], [5, 6, 7, 8]], [0, 1], [10.5, 50]
    lists = {"bbox": boxes, "category": ["a", "b"], "iscrowd": crowds, "area": areas}
    objects = [dict(zip(lists, values)) for values in zip(*lists.values())] if as_list else lists
    lines = [{"file_name": "blank.png"}, {"file_name": "a.png", "objects": objects}]
    layout = read("\n".join(map(json.dumps, lines)), "metadata.jsonl", sizes=SIZE)
    assert layout.format == "hf-imagefolder" and layout.page_columns.names == ("blank.png", "a.png")
    facts = layout.region_columns.coco
    assert facts.crowd.tolist() == [False, True] and facts.areas.tolist() == areas
    assert facts.sizes.tolist() == [[3, 4], [7, 8]]
