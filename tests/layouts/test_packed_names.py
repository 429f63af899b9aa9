import numpy as np
import pyarrow as pa
import pytest

from layoutcm.layouts.model import Pages
from layoutcm.layouts.packed_names import PackedTexts

NAMES = ["a.png", "b/a.jpg", "c", "d.pdf"]


@pytest.fixture
def pages():
    names = PackedTexts(pa.chunked_array([NAMES[:1], NAMES[1:]]))
    documents = PackedTexts(pa.chunked_array([["x", None, "x", "y"]]))
    return Pages(names, np.ones(4), np.ones(4), documents, np.arange(4, dtype=np.int32))


def test_the_index_of_packed_names_searches_the_column(pages):
    assert pages.index is pages.names.by_text
    assert {name: pages.index[name] for name in NAMES} == {"a.png": 0, "b/a.jpg": 1, "c": 2, "d.pdf": 3}
    assert pages.index.get("e") is None
    with pytest.raises(KeyError):
        pages.index["e"]


def test_pages_that_are_taken_have_their_own_index(pages):
    taken = pages.take([3, 1])
    assert taken.names == ("d.pdf", "b/a.jpg")
    assert taken.index == {"d.pdf": 0, "b/a.jpg": 1}


def test_columns_of_packed_texts(pages):
    assert list(pages.documents) == ["x", "", "x", "y"]  # a missing text is empty
    assert pages.names.have_stem({"a", "d"}).tolist() == [True, True, False, True]
    assert pages.names.positions(["c", "none", "a.png"]).tolist() == [2, -1, 0]
