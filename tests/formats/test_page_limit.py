"""A small file cannot have far more pages than bytes."""

import layoutcm as lcm
from layoutcm.layouts import limits
from support.hostile_formats import zip_of
from support.reading import fails

CSV = "page,width,height,label,x0,y0,x1,y1\n" + "".join(f"{i},9,9,a,0,0,1,1\n" for i in range(300))


def test_more_pages_than_packed_bytes_can_hold_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "PAGES_FLOOR", 299)
    packed = ("pages.zip", zip_of({"pages.csv": CSV}))
    assert len(packed[1]) < 300 * limits.STORED_BYTES_PER_PAGE
    fails(r"^pages.zip: 300 pages, but at most 299 can be read from [\d,]+ bytes", lcm.read, packed)
    assert len(lcm.read(("pages.csv", CSV.encode())).pages) == 300  # not packed, it has enough bytes
    monkeypatch.setattr(limits, "PAGES_FLOOR", 300)
    assert len(lcm.read(packed).pages) == 300


def test_pages_of_the_reference_and_a_file_for_each_page_are_enough(monkeypatch):
    reference = lcm.read(("pages.csv", CSV.encode()))
    monkeypatch.setattr(limits, "PAGES_FLOOR", 1)
    assert len(lcm.read(("pages.zip", zip_of({"pages.csv": CSV})), like=reference).pages) == 300
    yolo = {"classes.txt": "a", **{f"{i}.txt": "0 0.5 0.5 0.2 0.2" for i in range(30)}}
    monkeypatch.setattr(limits, "STORED_BYTES_PER_PAGE", 1000)
    assert len(lcm.read(("pages.zip", zip_of(yolo)), sizes=(9, 9)).pages) == 30
