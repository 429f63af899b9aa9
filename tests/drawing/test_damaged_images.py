"""Damaged page images: what can be shown is shown, and nothing else comes out than an InputError."""

import struct

import pytest

from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk

PIXEL = 8  # where the only pixel is, after the header
WHOLE = {256: 1, 257: 1, 258: 8, 259: 1, 262: 1, 273: PIXEL, 279: 1}  # sides, bits, compression, colours, place, length


def tiff(*frames):
    """A little-endian TIFF; each frame is given as {tag: number}."""
    out = struct.pack("<2sHI", b"II", 42, PIXEL + 2) + b"\xff\0"
    for i, tags in enumerate(frames):
        entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
        following = len(out) + 2 + len(entries) + 4 if i + 1 < len(frames) else 0
        out += struct.pack("<H", len(tags)) + entries + struct.pack("<I", following)
    return out


DAMAGED = {
    "no width": {tag: value for tag, value in WHOLE.items() if tag != 256},
    "unknown compression": WHOLE | {259: 11051},
}


def shown(data):
    """The sizes of the pictures in a file, None for one that cannot be shown."""
    pictures = images_from_files([ImageFile("p1.tif", "digest", data)]).pictures
    return [image and image.size for image in (load_shrunk(picture, 100) for picture in pictures)]


def test_frames_of_a_whole_tiff_are_shown():
    assert shown(tiff(WHOLE, WHOLE)) == [(1, 1), (1, 1)]


@pytest.mark.parametrize("frame", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_second_frame_does_not_hide_the_first(frame):
    first, *others = shown(tiff(WHOLE, frame))
    assert first == (1, 1) and not any(others)


@pytest.mark.parametrize("frame", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_tiff_is_not_shown(frame):
    assert shown(tiff(frame)) == [None]
