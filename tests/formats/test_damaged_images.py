"""Damaged page images are refused with a sentence, and are not shown."""

import struct

import pytest

import layoutcm as lcm
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from written import written


def tiff(**entries):
    """A little-endian TIFF without pixels; entries are whole numbers."""
    numbers = {"width": 256, "height": 257, "compression": 259}
    packed = b"".join(struct.pack("<HHII", numbers[name], 3, 1, value) for name, value in entries.items())
    return struct.pack("<2sHIH", b"II", 42, 8, len(entries)) + packed + bytes(4)


DAMAGED = {"no width": tiff(height=9), "unknown compression": tiff(width=9, height=9, compression=11051)}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_tiff_is_refused_as_page_size(data):
    with pytest.raises(lcm.InputError, match=r"report_p1\.tif.*this image cannot be read"):
        lcm.read([next(iter(written("doctags").items())), ("report_p1.tif", data)])


def test_a_file_that_is_no_image_is_named():
    with pytest.raises(lcm.InputError) as error:
        lcm.read([next(iter(written("doctags").items())), ("report_p1.png", b"no image")])
    assert str(error.value).startswith("report_p1.png: this image cannot be read: it is damaged, or none of PNG, JPEG")
    assert "object at" not in str(error.value)


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_tiff_is_not_shown(data):
    (picture,) = images_from_files([ImageFile("p1.tif", "digest", data)]).pictures
    assert load_shrunk(picture, 100) is None
