"""A file that lacks its end is named as such, whatever its format."""

import io
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import layoutcm as lcm
from layoutcm.errors import InputError

CUT = "The file seems cut off: copy or export it again."
CSV = b"page,width,height,label,x0,y0,x1,y1\na,9,9,Text,0,0,5,5\nb,9,9,Text,0,0,5,5"
XML = b"<annotations><meta><task/></meta><image name='a' width='9' height='9'></image></annotations>"


def parquet():
    out = io.BytesIO()
    pq.write_table(pa.table({"page": ["a"] * 50, "label": ["Text"] * 50}), out)
    return out.getvalue()


def packed():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.csv", CSV)
    return out.getvalue()


@pytest.mark.parametrize(("name", "data"), [
    ("a.parquet", parquet()[:-9]),
    ("a.zip", packed()[:60]),
    ("a.xml", XML[:30]),
    ("a.xml", XML[:80]),
    ("a.csv", CSV[:-5]),
], ids=["parquet", "zip", "xml early", "xml late", "csv"])  # fmt: skip
def test_a_file_without_its_end_is_called_cut_off(name, data):
    with pytest.raises(InputError) as caught:
        lcm.read((name, data))
    assert caught.value.hint == CUT


@pytest.mark.parametrize(("name", "data"), [
    ("a.parquet", parquet()[:9] + parquet()[-4:]),
    ("a.zip", packed()[:4] + packed()[8:]),
    ("a.xml", b"<annotations><other/></annotations>"),
    ("a.xml", b"<x:annotations xmlns:x='u'><other/></x:annotations>"),
    ("a.xml", b"<annotations/>"),
    ("a.csv", CSV[:-5] + b"\nc,9,9,Text,0,0,5,5\n"),
], ids=["parquet", "zip", "xml", "xml prefix", "xml empty", "csv"])  # fmt: skip
def test_other_damage_is_not_called_cut_off(name, data):
    with pytest.raises(InputError) as caught:
        lcm.read((name, data))
    assert caught.value.hint != CUT
