"""Page sizes that are not in the file: given, from images, or from the reference layout."""

import pytest

import layoutcm as lcm


def test_sizes_of_equal_stems_are_not_mixed_up(tmp_path):
    table = b"page,label,x0,y0,x1,y1\nx/1.png,a,0,0,1,1\ny/1.png,a,0,0,1,1\n"
    layout = lcm.read(("t.csv", table), sizes={"x/1.png": (10, 10), "y/1.png": (20, 20)})
    assert layout.pages["width"].tolist() == [10, 20]
    with pytest.raises(lcm.InputError, match="not known"):
        lcm.read(("t.csv", table.replace(b"x/1.png", b"z/1.png")), sizes={"x/1.png": (10, 10), "y/1.png": (20, 20)})


def test_page_sizes_from_a_folder_of_images(tmp_path):
    from PIL import Image

    Image.new("1", (40, 30)).save(tmp_path / "1.png")
    layout = lcm.read(("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)
    assert layout.pages[["width", "height"]].values.tolist() == [[40, 30]]
    (tmp_path / "2.png").write_bytes(b"no image")
    with pytest.raises(lcm.InputError, match=r"2\.png"):
        lcm.read(("t.csv", b"page,label,x0,y0,x1,y1\n1.jpg,a,0,0,1,1\n"), sizes=tmp_path)


def test_sizes_of_the_reference_layout_are_found_by_the_same_rules():
    gt = lcm.read(("gt.csv", b"page,label,x0,y0,x1,y1,width,height\nimg/a 1.png,t,0,0,1,1,40,30\n"))
    table = "page,label,x0,y0,x1,y1\n{},t,0,0,1,1\n"
    for name in ("img/a 1.png", "a 1.png", "a 1.jpg", "A_1"):
        pred = lcm.read(("pred.csv", table.format(name).encode()), like=gt)
        assert pred.pages[["width", "height"]].values.tolist() == [[40, 30]]
    with pytest.raises(lcm.InputError, match="not known"):
        lcm.read(("pred.csv", table.format("a 2").encode()), like=gt)
