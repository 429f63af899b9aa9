"""FiftyOne: labels.json of an image detection data set, and samples.json of a whole data set; fractions of the image.

A whole data set has any number of label fields, such as ground_truth and predictions. One of them is read; the
annotators of such a file are its fields.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from layoutcm.errors import InputError
from layoutcm.formats.annotators import choose_annotator
from layoutcm.formats.builder import LayoutBuilder
from layoutcm.formats.content import DECODE_ERRORS, FileContent, Options
from layoutcm.formats.needs import Needs
from layoutcm.formats.parsing import FilePlace, pixels_from_fraction, place_text

USUAL_FIELD = "ground_truth"
BOX_KINDS = ("Detections", "Detection", "Polylines", "Polyline")


class FiftyOneLabel(msgspec.Struct):
    """A detection or a polyline."""

    label: str | int | None = None
    bounding_box: tuple[float, float, float, float] | None = None
    confidence: float | None = None
    points: list[list[tuple[float, float]]] | None = None
    closed: bool | None = None
    filled: bool | None = None


class LabelsFile(msgspec.Struct):
    labels: dict[str, list[FiftyOneLabel] | str | int | None]
    classes: list[str] | None = None


class Kind(msgspec.Struct):
    """What a field of a sample holds; many fields hold no labels."""

    name: str | None = msgspec.field(name="_cls", default=None)


class Field(FiftyOneLabel):
    """A field of a sample with labels that have places: one label, or a list."""

    detections: list[FiftyOneLabel] | None = None
    polylines: list[FiftyOneLabel] | None = None

    @property
    def regions(self) -> Sequence[FiftyOneLabel]:
        listed = self.detections if self.detections is not None else self.polylines
        return [self] if listed is None else listed


class Metadata(msgspec.Struct):
    width: float | None = None
    height: float | None = None


class SamplesFile(msgspec.Struct):
    samples: list[dict[str, msgspec.Raw]]


LABELS = Needs("object", ("classes", "labels"))


def is_labels(content: FileContent) -> bool:
    return LABELS(content) and content.json_keys <= {"classes", "labels", "attributes", "info"}


is_samples = Needs("object", ("samples",), ("filepath",))


def read_labels(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    file = content.decode(LabelsFile)
    classes = file.classes or []
    builder.declare_labels(classes)
    for name, regions in file.labels.items():
        if isinstance(regions, str | int):
            problem = "these are labels of whole images, without boxes"
            raise InputError(content.name, "labels", problem, "Export a FiftyOneImageDetectionDataset.")
        page = builder.add_page(name, None, None, "labels")
        for k, one in enumerate(regions or []):
            _add_region(one, page, classes, ("labels[{0[0]!r}][{0[1]}]", (name, k)), builder)


def read_samples(content: FileContent, options: Options, builder: LayoutBuilder) -> None:
    samples = content.decode(SamplesFile).samples
    fields = [_label_fields(sample, content.name, f"samples[{i}]") for i, sample in enumerate(samples)]
    names = dict.fromkeys(name for found in fields for name in found)
    if not names:
        problem = "no field of the samples has detections or polylines"
        raise InputError(content.name, "samples", problem, "Export the data set with a field of boxes.")
    ordered = sorted(names, key=lambda name: name != USUAL_FIELD)  # the others in the order of the file
    chosen = choose_annotator(content.name, ordered, options).chosen
    builder.annotators.add(ordered, [chosen])
    for i, (sample, found) in enumerate(zip(samples, fields)):
        place = f"samples[{i}]"
        metadata = _decode(sample.get("metadata"), Metadata | None, content.name, f"{place}.metadata") or Metadata()
        path = _decode(sample.get("filepath"), str | None, content.name, f"{place}.filepath")
        page = builder.add_page(path or f"{content.stem}_{i + 1}", metadata.width, metadata.height, place)
        for k, one in enumerate(found[chosen].regions if chosen in found else []):
            _add_region(one, page, [], ("samples[{0[0]}].{0[1]}[{0[2]}]", (i, chosen, k)), builder)


def _label_fields(sample: dict[str, msgspec.Raw], file: str, place: str) -> dict[str, Field]:
    """The fields of a sample that have boxes or outlines."""
    objects = {name: raw for name, raw in sample.items() if bytes(raw)[:1] == b"{"}
    return {
        name: _decode(raw, Field, file, f"{place}.{name}")
        for name, raw in objects.items()
        if _decode(raw, Kind, file, f"{place}.{name}").name in BOX_KINDS
    }


def _decode(raw: msgspec.Raw | None, type: Any, file: str, place: str) -> Any:
    try:
        return None if raw is None else msgspec.json.decode(raw, type=type)
    except DECODE_ERRORS as error:
        raise InputError(file, place, str(error), "Repair this value or remove the entry.") from None


def _add_region(
    one: FiftyOneLabel, page: int, classes: Sequence[str], place: FilePlace, builder: LayoutBuilder
) -> None:
    width, height = builder.page_size(page)
    label = one.label if one.label is not None else ""
    if isinstance(label, int):
        label = classes[label] if 0 <= label < len(classes) else f"class {label}"
    if one.bounding_box is not None:
        x, y, w, h = one.bounding_box
        x0, x1 = pixels_from_fraction(x, width), pixels_from_fraction(x + w, width)
        y0, y1 = pixels_from_fraction(y, height), pixels_from_fraction(y + h, height)
        builder.add_region(page, label, x0, y0, x1, y1, place, one.confidence)
        return
    rings = [ring for ring in one.points or [] if len(ring) > 2] if one.closed or one.filled else []
    if not rings:
        builder.note_unusual("not-an-area", place_text(place))
    for ring in rings:
        points = [(pixels_from_fraction(x, width), pixels_from_fraction(y, height)) for x, y in ring]
        builder.add_outline(page, label, points, place, one.confidence)
