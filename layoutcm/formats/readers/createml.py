"""Create ML object detection: a JSON list of images; x and y are the centre of a box, in pixels.

The centre is Apple's definition. Some tools write the upper left corner, which a comparison reports with its repair.
"""

from __future__ import annotations

import msgspec

from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import DECODE_ERRORS, FileContent, Options
from layoutcm.formats.needs import Needs


class Coordinates(msgspec.Struct, gc=False):
    x: float
    y: float
    width: float
    height: float


class Annotation(msgspec.Struct, gc=False):
    label: str | None = None
    coordinates: Coordinates | None = None
    confidence: float | None = None


class AnnotatedImage(msgspec.Struct):
    """The keys are spelled in two ways, both by Apple."""

    image: str | None = None
    imagefilename: str | None = None
    annotations: list[Annotation] | None = None
    annotation: list[Annotation] | None = None


KEYS = ({"image", "annotations"}, {"imagefilename", "annotation"})
NEEDS = Needs("array", ("image", "annotations"), ("coordinates",)) | Needs(
    "array", ("imagefilename", "annotation"), ("coordinates",)
)


def is_createml(content: FileContent) -> bool:
    if NEEDS(content):
        return "data" not in content.json_keys
    return content.json_root == "array" and content.json_keys in KEYS and _are_blank_pages(content)


def _are_blank_pages(content: FileContent) -> bool:
    """Whether all images are without annotations, so that there are no coordinates."""
    try:
        images = msgspec.json.decode(content.json_text, type=list[AnnotatedImage])
    except DECODE_ERRORS:
        return False
    return not any(image.annotations or image.annotation for image in images)


def read_images(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    for i, image in enumerate(content.decode(list[AnnotatedImage])):
        name = image.image or image.imagefilename or f"{content.stem}_{i + 1}"
        page = builder.add_page(name, None, None, f"[{i}]")
        for k, one in enumerate(image.annotations or image.annotation or []):
            box = one.coordinates
            if box is None:  # a label of the whole image
                builder.note_unusual("not-an-area", f"[{i}].annotations[{k}]")
                continue
            x0, y0 = box.x - box.width / 2, box.y - box.height / 2
            place = ("[{0[0]}].annotations[{0[1]}]", (i, k))
            builder.add_region(page, one.label or "", x0, y0, x0 + box.width, y0 + box.height, place, one.confidence)
