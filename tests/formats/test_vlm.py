"""Details of the answers of vision-language models, and answers that end in the middle."""

import json

import pytest

import layoutcm as lcm
from layoutcm.layouts import limits
from support.reading import codes, fails, pages, read_as, reader, reads, refusal, refused_as, refuser, refuses, regions

SIZE = (1000, 500)
DOTS = [{"bbox": [1, 2, 30, 40], "category": "Title", "text": "a"}, {"bbox": [5, 60, 70, 80], "category": "Picture"}]
BOXES = [("Title", 1, 2, 30, 40), ("Picture", 5, 60, 70, 80)]


read, refuse = reader("page.json", sizes=SIZE), refuser("page.json", sizes=SIZE)


def only_finding(layout):
    (finding,) = layout.findings
    return finding.code, finding.message.partition("(")[2].rstrip(").")


LIST = json.dumps(DOTS)[:-1]  # without its end
CELLS = [{"bbox": [1, 2, 3, 4], "category": "cat"}]
QWEN = [{"bbox_2d": [100, 200, 500, 400], "label": "text"}]
POINTS = {"bbox_2d": [1, 2, 3, 4]}
ODD_QWEN = [*QWEN, {"point_2d": [5, 5], "label": "text"}, POINTS, POINTS | {"category": "a"}, POINTS | {"type": "b"}]
PIXELS, THOUSANDTHS = {"format": "qwen-vl-pixels"}, {"format": "qwen-vl-1000"}
IMAGES = "words\n<|ref|>image<|/ref|><|det|>[[0, 0, 999, 999], [333, 0, 666, 999]]<|/det|>\n"
AMOUNT = "<|ref|>Total amount due<|/ref|><|det|>[[0, 0, 999, 999]]<|/det|>\n"
TEXT = AMOUNT.replace("Total amount due", "text")
CORNERS = {"top_left_x": 1, "top_left_y": 2, "bottom_right_x": 30, "bottom_right_y": 40}
CAMEL_CORNERS = {"topLeftX": 1, "topLeftY": 2, "bottomRightX": 30, "bottomRightY": 40}
PARAGRAPH = {"label": "para", "bbox": [1, 2, 30, 40], "reading_order": 0, "text": "a"}


def mistral(model="mistral-ocr-4", **page):
    entry = {"index": 0, "markdown": "words", "dimensions": {"dpi": 72, "width": 100, "height": 80}} | page
    return {"pages": [entry], "model": model, "usage_info": {}}


def div(box, label="Text", name="data-bbox"):
    return f'<div {name}="{box}" data-label="{label}"><p>words<br/></p></div>\n'


test_reading = read_as(
    reads("an answer that is cut in its first region is a page without regions",
          '[{"bbox": [1, 2, 30, 40], "category": "Title", "te', regions=[], some={"cut-off-answer": 1},
          names=("page",)),
    reads("cells of dots.ocr without box or category are left out",
          [*DOTS, {"bbox": [1, 2, 3], "category": "Text"}, {"category": "Text"}, {"bbox": [1, 2, 3, 4]}],
          regions=BOXES, codes={"no-place": 3}),
    reads("other categories in dots.ocr", CELLS, {"format": "dots-ocr"}, regions=[("cat", 1, 2, 3, 4)]),
    reads("one object of Qwen", QWEN[0], PIXELS, regions=[("text", 100, 200, 500, 400)]),
    reads("points of Qwen and no labels", ODD_QWEN, PIXELS, labels=["text", "a", "b"], codes={"no-place": 2}),
    *(reads(f"words before the fence: {words!r}", words + f"```json\n{json.dumps(QWEN)}\n```\nLet me know.", "p.txt",
            THOUSANDTHS, regions=[("text", 100, 100, 500, 200)]) for words in ("Here is the layout:\n", "\nSure.\n\n")),
    reads("DeepSeek has pages, several boxes and text before the first reference",
          (IMAGES + "\n<--- Page Split --->\n") * 2, "book_det.mmd", {"sizes": (300, 100)},
          regions=[("image", 0, 0, 300, 100), ("image", 100, 0, 200, 100)] * 2, names=("book_p1", "book_p2"),
          documents=("book", "book"), numbers=[1, 2]),
    reads("texts of DeepSeek are no labels", AMOUNT + TEXT, "a.md", labels=["text"], codes={"no-place": 1}),
    reads("a line break inside a reference of DeepSeek", TEXT.replace("<|det|>", "\n<|det|>"), "a.md", count=1),
    reads("blocks of Mistral and images that are not among them",
          mistral(blocks=[CORNERS | {"type": "text"}, {"type": "text"}], images=[CORNERS, CORNERS | {"top_left_x": 5}]),
          {"sizes": None}, regions=[("text", 1, 2, 30, 40), ("image", 5, 2, 30, 40)], pages=[("page", 100, 80)],
          codes={"no-place": 1}),
    reads("its TypeScript", mistral(blocks=[CAMEL_CORNERS | {"type": "title"}]), regions=[("title", 1, 2, 30, 40)]),
    reads("Mistral without blocks has images", mistral("mistral-ocr-2512", blocks=[], images=[CORNERS]),
          regions=[("image", 1, 2, 30, 40)], codes={"images-only": 1}),
    reads("a blank page of Mistral", mistral(blocks=[], markdown=""), names=("page",), regions=[]),
    reads("Chandra in thousandths", div("0 0 1000 500"), "p.html", regions=[("Text", 0, 0, 1000, 250)]),
    reads("Chandra in parts of 1024", div("[0, 0, 1024, 512]"), "p.html", regions=[("Text", 0, 0, 1000, 250)]),
    reads("Chandra in a fence and in another attribute", "```html\n" + div("0 0 1000 500", "A&amp;B")
          + div("0 0 500 500", name="data") + "```", "p.html", labels=["A&B", "Text"]),
    reads("a blank page of Chandra", div("0 0 1000 1000", "Blank-Page"), "p.html", names=("p",), declared=[], count=0),
    reads("documents of Dolphin have pages that count from 1",
          {"source_file": "in/a.pdf", "total_pages": 2, "pages": [{"page_number": 1, "elements": [PARAGRAPH]},
           {"page_number": 2, "elements": [PARAGRAPH | {"bbox": None}]}]},
          names=("a_p1", "a_p2"), regions=[("para", 1, 2, 30, 40)], codes={"no-place": 1}),
    reads("a page that Dolphin could not divide", [PARAGRAPH | {"label": "distorted_page"}], count=0,
          says=["distorted_page"]),
    read=read,
)  # fmt: skip

BROKEN = ['{"a": [1 2]', '{"a": oops', '{"a": 1 }}', '{"a" 1', "{a", '{"text": "\\q"', '{"a": [1.x']
UNREADABLE = {
    "bytes": b'{"text": "\xff"}',
    "digits": b'{"a": %b}' % (b"1" * 5000),
    "deep": b'{"a": %b}' % (b"[" * 10**5),
}
test_refusal = refused_as(
    refuses("a fence keeps the numbers of lines",
            '```json\n[\n{"bbox": [1, 2, 30, 40], "category": "Title"},\n{"bbox": oops, "category": "Text"}\n]\n```',
            "line 4, column 10"),
    *(refuses(f"broken before its end: {broken}", f"{LIST}, {broken}, " + ", ".join(["{}"] * 20), "not valid JSON")
      for broken in ('{"bbox": [1 2]}', '{"text": "\\q"}', "]", "oops")),
    *(refuses(f"broken near its end: {broken}", f"{LIST}, {broken}", "not valid JSON") for broken in BROKEN),
    *(refuses(f"cut off and cannot be decoded: {name}", LIST.encode() + b", " + odd + b', {"bbox": [1, 2, ')
      for name, odd in UNREADABLE.items()),
    refuses("wrong value before a cut", '[{"bbox": [1, "x", 3, 4], "category": "Text"}, {"bb', "[0].bbox[1]", "'x'"),
    refuses("the keys of dots.ocr with other categories", CELLS, "not recognised"),
    refuses("the keys of dots.ocr and others", [DOTS[0] | {"image_id": 1}], "not recognised"),
    refuses("words of DeepSeek", AMOUNT, "places of words", "Convert the document", name="a.md"),
    refuses("a word of DeepSeek", AMOUNT.replace("Total amount due", "Total") + AMOUNT, "places of words", name="a.md"),
    refuses("Mistral without blocks and images", mistral("mistral-ocr-2512", blocks=[], images=[]),
            "'mistral-ocr-2512' wrote no blocks", "mistral-ocr-4", sizes=None),
    refuses("an unknown version of Mistral", mistral(None), "this version wrote no blocks", sizes=None),
    refuses("pixels as thousandths", [{"bbox_2d": [10, 20, 1400, 1900], "label": "title"}],
            "bbox_2d: 1900 cannot be a thousandth of the page. Read it as qwen-vl-pixels", **THOUSANDTHS),
    refuses("regions of Qwen inside another object", {"elements": QWEN}, "has no bbox_2d",
            "Give the list of regions itself", **THOUSANDTHS),
    refuse=refuse,
)  # fmt: skip


@pytest.mark.parametrize("fence", ["", "```json\n", "\n```\n", "```JSON\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n```", "\n```\nThese are all regions."])
def test_a_markdown_fence_is_dropped(fence, end):
    text = fence + json.dumps(DOTS) + (end if fence else "")
    assert regions(read(text)) == BOXES and read(text).findings == ()


def test_every_cut_of_an_answer_is_read_up_to_its_last_whole_region():
    text = json.dumps(DOTS)
    whole = [text.index("}") + 1, text.rindex("}") + 1]
    for end in range(whole[0], len(text)):
        layout = read(text[:end])
        expected = BOXES if end >= whole[1] else BOXES[:1]
        assert regions(layout) == expected, text[:end]
        assert codes(layout) == {"cut-off-answer": 1}


def test_the_finding_says_how_much_is_left_out():
    text = json.dumps(DOTS)
    assert only_finding(read(text[:-1])) == ("cut-off-answer", "1 time, at the end, after region 2")
    cut = text.rindex(" 70")
    left_out = cut - text.rindex("{")
    place = f"1 time, at region 2, of which {left_out} characters are left out"
    assert only_finding(read(text[:cut])) == ("cut-off-answer", place)
    assert only_finding(read("```json\n" + text[:cut] + "\n```")) == ("cut-off-answer", place)


def test_a_cut_inside_a_character_or_a_name():
    data = json.dumps([*DOTS, {"bbox": [1, 1, 2, 2], "category": "Text", "text": "é"}], ensure_ascii=False).encode()
    assert regions(read(data[: data.index(b"\xc3") + 1])) == BOXES
    cuts = (
        '"bbox": nu', '"bbox": [1.', '"bbox": [-', '"bbox": [1e+', '"text": "\\u00', '"text": "\\', '"text"',
        '"a": tru',
    )  # fmt: skip
    for rest in (f", {{{cut}" for cut in cuts):
        assert regions(read(json.dumps(DOTS)[:-1] + rest)) == BOXES


def test_dots_pages_of_a_pdf_count_from_0():
    layout = read(DOTS, "report_page_0.json")
    assert layout.page_columns.names == ("report_page_0",)
    assert layout.pages.loc[0, ["document", "number"]].tolist() == ["report", 1]
    assert read(DOTS).pages.loc[0, ["document", "number"]].tolist() == ["", -1]


def test_a_failed_page_of_dots_ocr_is_refused_by_its_name_and_skipped_in_a_folder(tmp_path):
    failed = json.dumps(json.dumps(DOTS)[:40]).encode()
    refusal(failed, "one JSON text", "dots.ocr", name="a_page_1.json", sizes=SIZE)
    layout = lcm.read([("a_page_0.json", json.dumps(DOTS).encode()), ("a_page_1.json", failed)], sizes=SIZE)
    assert regions(layout) == BOXES and codes(layout) == {"failed-answer": 1}


def test_answers_without_regions_are_counted_and_named():
    answers = {"p1.json": json.dumps(QWEN), "p2.json": "I cannot help with that.", "p3.JSON": "null", "p4.txt": "words"}
    files = [(name, text.encode()) for name, text in answers.items()]
    layout = lcm.read(files, sizes=SIZE, format="qwen-vl-1000")
    assert layout.page_columns.names == ("p1",) and codes(layout) == {"failed-answer": 2, "skipped-file": 1}
    assert layout.findings[0].message == (
        "p1.json and 3 more: 2 answers of the model have no regions that can be read ('p2.json', 'p3.JSON'), "
        "so their pages are missing."
    )
    gt = read("page,label,x0,y0,x1,y1,width,height\np1,text,0,0,9,9,9,9\np2,text,0,0,9,9,9,9\n", "gt.csv")
    assert lcm.compare(gt, layout).pages == ["p1", "p2"]
    assert lcm.compare(gt, layout, missing_pages="ignore").pages == ["p1"]


def test_the_unit_of_qwen_has_to_be_named():
    files = [(f"p{i}.json", json.dumps(QWEN).encode()) for i in range(2)]
    for source in (files[0], files):
        fails(r"qwen-vl-1000 \(.*Qwen3-VL\) or qwen-vl-pixels \(.*Qwen2\.5-VL\)", lcm.read, source, sizes=SIZE)
        assert regions(lcm.read(source, sizes=SIZE, format="qwen-vl-1000"))[0] == ("text", 100, 100, 500, 200)
        assert regions(lcm.read(source, sizes=SIZE, format="qwen-vl-pixels"))[0] == ("text", 100, 200, 500, 400)


def test_a_finding_says_that_pixels_of_qwen_have_the_page_size_of_the_ground_truth(tmp_path):
    from PIL import Image

    gt = read("page,label,x0,y0,x1,y1,width,height\np,text,0,0,9,9,1000,500\n", "gt.csv")
    answer = ("p.json", json.dumps(QWEN).encode())
    pixels = lcm.read(answer, like=gt, format="qwen-vl-pixels")
    assert pages(pixels) == [("p", 1000, 500)] and codes(pixels) == {"size-of-other-image": 1}
    assert codes(lcm.read(answer, like=gt, format="qwen-vl-1000")) == {}
    assert codes(lcm.read(answer, like=gt, format="qwen-vl-pixels", sizes=SIZE)) == {}
    Image.new("1", (600, 500)).save(tmp_path / "p.png")
    assert codes(lcm.read(answer, like=gt, format="qwen-vl-pixels", sizes=tmp_path)) == {}


def test_deepseek_answers_that_end_too_early_or_have_broken_boxes():
    one = "<|ref|>text<|/ref|><|det|>[[0, 0, 999, 999]]<|/det|>\nwords "
    for end in range(1, len(one) - 7):
        cut = "<|ref|>"[:end] if end < 7 else one[:end]
        found = codes(read(one + cut, "a.mmd"))
        assert found == ({} if end < 7 else {"cut-off-answer": 1}), cut
    place = "1 time, at region 2, of which 30 characters are left out"
    assert only_finding(read(one + one[:30], "a.mmd"))[1] == place
    layout = read(one + one.replace("999]]", "99 9]]") + one.replace("[[0", "[[0, 0"), "a.mmd")
    assert len(regions(layout)) == 1 and codes(layout) == {"no-location": 2}


def test_deepseek_files_of_too_many_pages_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_STATED_PAGES", 2)
    one = "<|ref|>text<|/ref|><|det|>[[0, 0, 999, 999]]<|/det|><--- Page Split --->"
    assert len(read(one * 2, "a.mmd").page_columns) == 2
    refusal(one * 3, "3 pages, but at most 2", name="a.mmd", sizes=SIZE)


def test_markdown_with_boxes_is_read_in_folders_and_other_markdown_is_skipped(tmp_path):
    (tmp_path / "p1.md").write_text("<|ref|>text<|/ref|><|det|>[[0, 0, 999, 999]]<|/det|>")
    (tmp_path / "README.md").write_text("words")
    layout = lcm.read(tmp_path, sizes=SIZE)
    assert layout.page_columns.names == ("p1",) and layout.findings == ()
    assert lcm.read([tmp_path / "p1.md", tmp_path / "README.md"], sizes=SIZE).page_columns.names == ("p1",)


def test_chandra_boxes_that_are_not_whole_and_answers_that_end_too_early():
    whole = div("0 0 1000 500")
    layout = read(whole + div("0 0 1000") + div("", "Table") + div("0 0 9 9", ""), "p.html")
    assert len(regions(layout)) == 1 and codes(layout) == {"no-location": 3}
    refusal(whole.encode() + b"\xff<p>words</p>", "UTF-8", name="p.html", sizes=SIZE)
    assert codes(read((whole + "<div>é").encode()[:-1], "p.html")) == {"cut-off-answer": 1}
    place = "1 time, at region 2, of which 18 characters are left out"
    assert only_finding(read(whole + whole[:18], "p.html")) == ("cut-off-answer", place)
    assert only_finding(read(whole + whole[: whole.index("<br")], "p.html"))[1] == "1 time, at the end, after region 2"


def test_an_empty_list_beside_answers_is_a_blank_page():
    page = b'[{"bbox": [1, 2, 30, 40], "category": "Text", "text": "x"}]'
    for blank in (b"[]", b" [ ]\n"):
        layout = lcm.read([("a.json", page), ("b.json", blank)], sizes=(100, 100))
        assert layout.format == "dots-ocr" and layout.page_columns.names == ("a", "b")
        assert layout.region_columns.page.tolist() == [0] and layout.findings == ()


@pytest.mark.parametrize("format", [None, "glm-ocr"])
def test_a_list_with_an_empty_list_beside_answers_of_glm_ocr_is_a_blank_page(format):
    page = b'[[{"index": 0, "label": "text", "bbox_2d": [100, 200, 300, 400]}]]'
    for blank, names in ((b"[[]]", ("a", "b")), (b"[ [],\n[ ] ]\n", ("a", "b_p1", "b_p2"))):
        layout = lcm.read([("a.json", page), ("b.json", blank)], sizes=(100, 100), format=format)
        assert layout.format == "glm-ocr" and layout.page_columns.names == names
        assert layout.region_columns.page.tolist() == [0] and layout.findings == ()


def test_an_answer_in_markdown_without_boxes_is_counted_beside_others(tmp_path):
    answer = "<|ref|>text<|/ref|><|det|>[[0, 0, 500, 500]]<|/det|>\nwords\n"
    (tmp_path / "p1.md").write_text(answer)
    (tmp_path / "p2.md").write_text("I cannot read this page.\n")
    layout = lcm.read(tmp_path, sizes=(100, 100))
    assert layout.page_columns.names == ("p1",) and codes(layout) == {"failed-answer": 1}


def test_a_number_above_1000_in_thousandths_is_a_finding():
    item = {"bbox_2d": [0, 0, 1004, 500], "label": "text"}
    layout = lcm.read(("p.json", json.dumps([item]).encode()), sizes=SIZE, format="qwen-vl-1000")
    assert codes(layout)["beyond-parts"] == 1
