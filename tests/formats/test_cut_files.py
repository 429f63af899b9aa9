"""A file that lacks its end is named as such, whatever its format."""

from zipfile import ZIP_STORED

import pytest

import layoutcm as lcm
from layoutcm.errors import InputError
from support.hostile_formats import parquet_bytes, zip_of

CUT = "The file seems cut off: copy or export it again."
CSV = b"page,width,height,label,x0,y0,x1,y1\na,9,9,Text,0,0,5,5\nb,9,9,Text,0,0,5,5"
XML = b"<annotations><meta><task/></meta><image name='a' width='9' height='9'></image></annotations>"
PARQUET = parquet_bytes({"page": ["a"] * 50, "label": ["Text"] * 50})
ZIP = zip_of({"a.csv": CSV}, method=ZIP_STORED)


@pytest.mark.parametrize(("name", "data", "is_cut"), [
    ("a.parquet", PARQUET[:-9], True),
    ("a.zip", ZIP[:60], True),
    ("a.xml", XML[:30], True),
    ("a.xml", XML[:80], True),
    ("a.csv", CSV[:-5], True),
    ("a.parquet", PARQUET[:9] + PARQUET[-4:], False),
    ("a.zip", ZIP[:4] + ZIP[8:], False),
    ("a.xml", b"<annotations><other/></annotations>", False),
    ("a.xml", b"<x:annotations xmlns:x='u'><other/></x:annotations>", False),
    ("a.xml", b"<annotations/>", False),
    ("a.csv", CSV[:-5] + b"\nc,9,9,Text,0,0,5,5\n", False),
])  # fmt: skip
def test_only_a_file_without_its_end_is_called_cut_off(name, data, is_cut):
    with pytest.raises(InputError) as caught:
        lcm.read((name, data))
    assert (caught.value.hint == CUT) == is_cut
