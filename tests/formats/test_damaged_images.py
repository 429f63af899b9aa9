"""Damaged page images are refused with a sentence, and are not shown."""

import struct

import pytest

import layoutcm as lcm
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from written import written

# Little-endian TIFF with one entry, the height; the width is missing.
TIFF_WITHOUT_WIDTH = struct.pack("<2sHI HHHII I", b"II", 42, 8, 1, 257, 3, 1, 9, 0)


def test_a_tiff_without_a_width_is_refused_as_page_size():
    with pytest.raises(lcm.InputError, match=r"report_p1\.tif.*this image cannot be read"):
        lcm.read([next(iter(written("doctags").items())), ("report_p1.tif", TIFF_WITHOUT_WIDTH)])


def test_a_tiff_without_a_width_is_not_shown():
    (picture,) = images_from_files([ImageFile("p1.tif", "digest", TIFF_WITHOUT_WIDTH)]).pictures
    assert load_shrunk(picture, 100) is None
