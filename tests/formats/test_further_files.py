"""What real files of document parsers and models have beyond the first files of each tool."""

import json

import pytest

import layoutcm as lcm
from support.reading import codes, fails, labels, pages, reader, refuser, regions

SIZE = (1000, 1000)
DOTS = [{"bbox": [1, 2, 30, 40], "category": "Title", "text": "a"}, {"bbox": [5, 60, 70, 80], "category": "Picture"}]
BOXES = [("Title", 1, 2, 30, 40), ("Picture", 5, 60, 70, 80)]


read, refuse = reader("page.json"), refuser("page.json")


def test_line_breaks_in_texts_and_a_last_comma_do_no_harm():
    text = json.dumps(DOTS).replace('"a"', '"a\n\tb"')
    assert regions(read(text, sizes=SIZE)) == BOXES and not codes(read(text, sizes=SIZE))
    text = json.dumps(DOTS)[:-1] + ",\n]"
    assert regions(read(text, sizes=SIZE)) == BOXES and not codes(read(text, sizes=SIZE))
    cut = read(json.dumps(DOTS).replace('"a"', '"a\nb"')[:-5], sizes=SIZE)
    assert regions(cut) == BOXES[:1] and codes(cut) == {"cut-off-answer": 1}


@pytest.mark.parametrize("fence", ["```json{}```", "```json {}```\n", "```\n{}\n  ```", "Here it is:\n```json{}```"])
def test_a_fence_may_open_and_close_on_the_lines_of_the_list(fence):
    layout = read(fence.replace("{}", json.dumps(DOTS)), format="dots-ocr", sizes=SIZE)
    assert regions(layout) == BOXES and not codes(layout)


def test_a_second_fence_with_json_is_a_finding():
    fence = f"```json\n{json.dumps(DOTS)}\n```\n"
    layout = read(f"{fence}Corrected:\n\n```json\n[]\n```\n", sizes=SIZE)
    assert regions(layout) == BOXES and codes(layout) == {"second-answer": 1}
    assert not codes(read(f"{fence}Drawn with\n```python\nprint()\n```\n", sizes=SIZE))


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


def test_unlimited_ocr_has_labels_in_the_boxes_and_marks_before_pages():
    text = (
        "<PAGE><|det|>title [0, 0, 999, 111]<|/det|>Words <|ref|>more<|/ref|>\n<|det|>text [[0,111,333,333]]<|/det|>\n"
        "<PAGE>\n<PAGE><|det|>table [1, 2]<|/det|><|det|>image [0,0,999,9"
    )
    layout = read(text, "scan.md", sizes=(999, 999))
    assert layout.format == "deepseek-ocr" and layout.page_columns.names == ("scan_p1", "scan_p2", "scan_p3")
    assert regions(layout) == [("title", 0, 0, 999, 111), ("text", 0, 111, 333, 333)]
    assert codes(layout) == {"no-location": 1, "cut-off-answer": 1}
    layout = read("Words before it.<PAGE><|det|>text [0, 0, 9, 9]<|/det|>", "scan.md", sizes=(999, 999))
    assert layout.region_columns.page.tolist() == [1]


def test_glm_ocr_has_pages_and_the_labels_of_its_detector():
    title = {"index": 0, "label": "text", "bbox_2d": [100, 200, 300, 400], "native_label": "doc_title"}
    found = [title, title | {"native_label": None}, {"index": 2, "label": "text"}]
    layout = read([[], found], "report.json", sizes=(100, 200))
    assert regions(layout) == [("doc_title", 10, 40, 30, 80), ("text", 10, 40, 30, 80)]
    assert layout.page_columns.names == ("report_p1", "report_p2") and codes(layout) == {"no-place": 1}


def test_blocks_of_mineru_may_have_scores():
    block = {"type": "text", "bbox": [1, 2, 3, 4], "score": 0.5}
    page = {"page_idx": 0, "page_size": [10, 10], "para_blocks": [block], "discarded_blocks": []}
    assert read({"pdf_info": [page]}).region_columns.scores.tolist() == [0.5]


def test_paddle_answers_as_json_lines_count_pages_on():
    page = {"page_index": 0, "width": 20, "height": 10, "parsing_res_list": [{"block_bbox": [1, 2, 3, 4]}]}
    answer = {"result": {"layoutParsingResults": [{"prunedResult": page}, {"prunedResult": page}]}}
    layout = read(json.dumps(answer) + "\n\n" + json.dumps(answer), "book.jsonl")
    assert [name for name, *_ in pages(layout)] == ["book_p1", "book_p2", "book_p3", "book_p4"]
    answer["result"]["layoutParsingResults"][1]["prunedResult"] = page | {"width": "x"}
    refuse(json.dumps(answer) + "\n" + json.dumps(answer), "layoutParsingResults[1].prunedResult", name="book.jsonl")


def test_chunks_of_marker():
    frame = {"bbox": [5, 5, 105, 55]}
    blocks = [{"block_type": "Text", "page": 1, "bbox": [6, 7, 30, 40], "html": "words"}]
    file = {"blocks": blocks, "page_info": {"0": frame, "1": frame}, "metadata": {}}
    layout = read(file, "doc.json")
    assert pages(layout) == [("doc_p1", 100, 50), ("doc_p2", 100, 50)] and regions(layout) == [("Text", 1, 2, 25, 35)]
    assert layout.format == "marker" and layout.region_columns.page.tolist() == [1]
    refuse(file | {"page_info": {"0": frame}}, "blocks[0]", "page 1", "page_info")


def test_document_ai_in_the_spelling_of_its_python_package():
    poly = {"vertices": [], "normalized_vertices": [{"x": 0.1, "y": 0.2}, {"x": 0.5, "y": 0.6}]}
    parts = {
        "paragraphs": [{"layout": {"bounding_poly": poly}}],
        "visual_elements": [{"layout": {"bounding_poly": poly}}],
    }
    page = {"page_number": 2, "dimension": {"width": 100, "height": 50}, **parts}
    layout = read({"mime_type": "application/pdf", "text": "", "pages": [page]}, "doc.json")
    assert regions(layout) == [("paragraph", 10, 10, 50, 30), ("visual element", 10, 10, 50, 30)]
    assert layout.page_columns.names == ("doc_p2",)


def test_services_that_were_asked_for_words_only_are_refused():
    words = [{"content": "words", "polygon": [0, 0, 1, 0, 1, 1, 0, 1]}]
    page = {"pageNumber": 1, "width": 100, "height": 50, "words": words}
    file = {"apiVersion": "2024-11-30", "modelId": "prebuilt-read", "pages": [page]}
    refuse(file, "no paragraphs", "prebuilt-layout")
    assert codes(read(file | {"tables": []})) == {"no-paragraphs": 1}
    ocr = {"apiVersion": "1.1", "modelVersion": "ocr-2.2.1", "mimeType": "x", "text": "", "pages": [{"words": []}]}
    refuse(ocr, "not recognised")


def test_captions_of_pdffigures2_without_a_boundary_are_left_out():
    captions = [{"figType": "Table", "name": "1", "page": 2, "text": "words"}]
    layout = read({"figures": [], "regionless-captions": captions}, sizes=SIZE)
    assert regions(layout) == [] and codes(layout)["no-place"] == 1


def test_regions_inside_pictures_and_tables_of_chandra_are_nested():
    def div(label, inside=""):
        return f'<div data-bbox="0 0 500 500" data-label="{label}">{inside}</div>'

    text = div("Figure", "<div>words</div>" + div("Text", div("List"))) + div("Form", div("Text")) + div("Text")
    assert labels(read(text, "a.html", sizes=SIZE)) == [*("Figure", "Text", "List", "Form", "Text", "Text")]
    outer = read(text, "a.html", sizes=SIZE, nested=False)
    assert labels(outer) == ["Figure", "Form", "Text", "Text"]


def test_slides_in_points_were_converted_through_a_pdf_and_keep_their_origin():
    def document(unit, mimetype):
        box = {"l": 1 * unit, "b": 2 * unit, "r": 30 * unit, "t": 40 * unit, "coord_origin": "BOTTOMLEFT"}
        return {
            "schema_name": "DoclingDocument",
            "origin": {"mimetype": mimetype},
            "pages": {"1": {"page_no": 1, "size": {"width": 960 * unit, "height": 540 * unit}}},
            "texts": [{"label": "text", "prov": [{"page_no": 1, "bbox": box}]}],
        }

    slides = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
    assert regions(read(document(1, slides))) == [("text", 1, 500, 30, 538)]
    for kind in (slides, None):
        layout = read(document(12_700, kind))
        assert regions(layout) == [("text", 1, 2, 30, 40)] and codes(layout) == {"slides-from-top": 1}


def test_files_all_of_whose_pages_are_blank():
    for value in ([[]], [[], []]):
        layout = read(value, "d_content_list_v2.json", sizes=SIZE)
        assert layout.format == "mineru-content-v2" and len(layout.page_columns) == len(value)
    for image in ({"image": "a.png", "annotations": []}, {"imagefilename": "a.png", "annotation": []}):
        layout = read([image], sizes=SIZE)
        assert layout.format == "createml" and layout.page_columns.names == ("a.png",) and not regions(layout)
    refuse([{"image": "a.png", "annotations": [{"label": "x"}]}], "not recognised")
    refuse([{"image": "a.png", "annotations": 5}], "not recognised")


def test_blank_documents_of_upstage_and_its_keys_in_another_order():
    answer = {"api": "2.0", "content": {}, "elements": [], "model": "document-parse", "usage": {"pages": 2}}
    layout = read(answer, "doc.json", sizes=SIZE)
    assert layout.format == "upstage" and layout.page_columns.names == ("doc_p1", "doc_p2")
    for usage in ({}, {"pages": -3}):
        assert read(answer | {"usage": usage}, "doc.json", sizes=SIZE).page_columns.names == ("doc",)
    points = [{"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.4}]
    element = {"page": 1, "category": "Text", "coordinates": points}
    documents = {"a.pdf": {"id": 1, "elements": []}, "b.pdf": {"id": 2, "elements": [element]}}
    layout = read(documents, sizes=SIZE)
    assert layout.format == "upstage" and layout.page_columns.names == ("a", "b")
    refuse(documents | {"c.pdf": {"id": 3}}, "not recognised", sizes=SIZE)


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


def test_blocks_of_suryas_ocr():
    block = {"label": "Text", "bbox": [11, 12, 30, 40], "confidence": 0.5, "reading_order": 0, "html": "words"}
    page = {"image_bbox": [10, 10, 110, 60], "blocks": [block]}
    layout = read({"doc": [page]})
    assert (
        layout.format == "surya" and regions(layout) == [("Text", 1, 2, 20, 30)] and pages(layout) == [("doc", 100, 50)]
    )
    refuse({"doc": [{"image_bbox": [0, 0, 9, 9], "text_lines": []}]}, "neither bboxes nor blocks", format="surya")
    without_place = {"image_bbox": [0, 0, 9, 9], "bboxes": [], "blocks": [{"label": "Text"}]}
    refuse({"doc": [without_place]}, "blocks[0]", format="surya")


def test_the_title_of_grobid_is_one_region():
    title = '<title coords="1,1,2,30,4">words</title>'
    text = f"<TEI><teiHeader>{title}<sourceDesc><biblStruct>{title}</biblStruct></sourceDesc></teiHeader></TEI>"
    assert regions(read(text, "a.tei.xml", sizes=SIZE)) == [("title", 1, 2, 31, 6)]


@pytest.mark.parametrize("box", ["1 2 3", "1 2 3 nan", "1 2 3 1e999", "1 2 3 1_0", "a b c d", ""])
def test_boxes_of_chandra_that_are_no_four_numbers_are_left_out(box):
    whole = '<div data-bbox="0 0 500 500" data-label="Text"></div>'
    layout = read(f'{whole}<div data-bbox="{box}" data-label="Text"></div>', "a.html", sizes=SIZE)
    assert len(regions(layout)) == 1 and codes(layout) == {"no-location": 1}
