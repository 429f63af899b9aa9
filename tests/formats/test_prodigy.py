"""Prodigy: pages of PDFs, which several versions of its recipe name in different ways."""

import json

import pytest

from support.reading import codes, pages, read, refusal, regions

NAMES_OF_PAGES = {
    "meta.pdf": lambda n: {"meta": {"pdf": "d.pdf", "page": n}},
    "pdf": lambda n: {"pdf": "d.pdf", "page": n},
    "path": lambda n: {"path": "pdfs/d.pdf", "meta": {"title": "d.pdf", "page": n}},
    "meta.path": lambda n: {"meta": {"page": n, "path": "pdfs/d.pdf"}},
}


def page_of_pdf(**facts):
    span = {"label": "x", "x": 1, "y": 2, "width": 3, "height": 4}
    return {"image": "data:image/png;base64,A", "width": 50, "height": 60, "spans": [span]} | facts


def answer(**facts):
    return page_of_pdf(answer="accept", _task_hash=1, _session_id="ann") | facts


def read_lines(*rows):
    return read("\n".join(map(json.dumps, rows)), "a.jsonl")


@pytest.mark.parametrize("facts", NAMES_OF_PAGES.values(), ids=NAMES_OF_PAGES)
def test_pages_of_a_pdf_are_told_apart_by_their_number(facts):
    lines = [answer(**facts(n)) for n in (0, 1, 2)]
    layout = read_lines(*lines)
    assert pages(layout) == [(f"d_p{n}", 50, 60) for n in (1, 2, 3)] and len(layout.region_columns) == 3
    assert layout.page_columns.documents == ("d", "d", "d") and layout.page_columns.numbers.tolist() == [1, 2, 3]
    assert not codes(layout)
    without_images = [{key: line[key] for key in line if key != "image"} for line in lines]
    assert read_lines(*without_images).page_columns.names == ("d_p1", "d_p2", "d_p3")


def test_an_answer_may_have_all_pages_of_a_pdf():
    book = [page_of_pdf(**NAMES_OF_PAGES["path"](n)) for n in (0, 1)]
    line = {"pages": book, "meta": {"title": "d.pdf"}, "answer": "accept", "_task_hash": 1}
    layout = read_lines(line, line | {"answer": "reject"})
    assert pages(layout) == [("d_p1", 50, 60), ("d_p2", 50, 60)] and len(regions(layout)) == 2
    assert codes(layout) == {"page-left-out": 1}
    book[1]["spans"][0]["x"] = -1e9
    assert "[0].pages[1].spans[0]" in str(read_lines(line).findings)


def test_pdfs_of_the_same_name_in_two_folders_are_two_documents():
    layout = read_lines(*(answer(pdf=f"{folder}/x.pdf", page=0) for folder in "ab"))
    assert layout.page_columns.names == ("a/x_p1", "b/x_p1") and layout.page_columns.documents == ("a/x", "b/x")


def test_numbers_of_pages_may_be_texts_and_are_never_guessed():
    layout = read_lines(answer(pdf="d.pdf", page="0"), answer(pdf="d.pdf", page=1.0))
    assert layout.page_columns.names == ("d_p1", "d_p2")
    for wrong in (True, -5, 0.5, "one", [0], 10**40):
        line = json.dumps(answer(pdf="d.pdf", page=wrong))
        refusal(line, "[0]", "must be a number from 0", name="a.jsonl")
