"""What is fuzzed: one target for every format and every other kind of file that people give, and how a case is run.

A case is made from the name of its target and a number. Any process can make it again.
"""

import io
import json
import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import layoutcm as lcm
from layoutcm.alignment.taxonomy import parse_mapping
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
from layoutcm.filling.result_of import result_of
from layoutcm.formats.registry import BY_NAME
from layoutcm.layouts.page_attributes import add_attributes, parse_attributes
from layoutcm.layouts.page_maps import parse_page_map
from layoutcm.layouts.writers import written as written_as
from layoutcm.metrics.family_trees import parse_tree
from support.fuzz_parts import FILES, part_files, use_parts
from support.mutations import mutated
from support.one_layout import one_full_layout
from written import writers, written

# The formats that `tests/written` does not write under their own name.
SAME_FILE_AS = {"docling-metrics-b": "docling-metrics", "docling-eval-pred": "docling-eval"}
COMPARED_EVERY = 10  # of the cases that could be read
PART_TARGETS = tuple(FILES)  # which the coverage-guided fuzzer leaves out: each case writes files
OUTLINES, OUTER_ONLY, NAMED, COMPARED = 1, 2, 4, 8  # the options of a case, as bits
PICTURE_SIDE = 200


@dataclass(frozen=True)
class Case:
    """The files of one attempt and the options of `read`."""

    target: str
    files: dict[str, bytes]
    options: dict[str, Any] = field(default_factory=dict)
    compared: bool = False


def targets() -> list[str]:
    """Every registered format, and the other kinds of files."""
    return [*sorted(BY_NAME), *OTHER_TARGETS]


def make_case(target: str, number: int) -> Case:
    """The case with this number: one file of the target is damaged, the others stay."""
    rng = random.Random(f"layoutcm {target} {number}")
    files = original_files(target)
    name = rng.choice(list(files))
    return case_with(
        target, name, mutated(files[name], rng), rng.randrange(8) | (number % COMPARED_EVERY == 0) * COMPARED
    )


@cache
def slots() -> list[tuple[str, str]]:
    """(target, file name): every file that is fuzzed on its own; of several files of one kind, the first."""
    found = {
        (target, Path(name).suffix): (target, name) for target in targets() for name in reversed(original_files(target))
    }
    return sorted(found.values())


def case_with(target: str, name: str, data: bytes, flags: int) -> Case:
    """The files of a target with one file replaced; `flags` are the options as bits."""
    options: dict[str, Any] = {}
    if target in BY_NAME or target == "zip":
        options = {"shapes": "polygon" if flags & OUTLINES else "box", "nested": not flags & OUTER_ONLY}
    if target in SAME_FILE_AS or (target in BY_NAME and flags & NAMED):
        options["format"] = target
    return Case(target, original_files(target) | {name: data}, options, bool(flags & COMPARED))


def run_case(case: Case) -> bool:
    """Read the files as the program does; True if they could be read, False if they were refused."""
    try:
        if case.target in PART_TARGETS:
            use_parts(case.target, case.files)
        else:
            OTHER_TARGETS.get(case.target, read_layout)(case)
    except lcm.InputError as error:
        assert str(error).strip()
        return False
    return True


@cache
def original_files(target: str) -> dict[str, bytes]:
    if target in SAME_FILE_AS:  # one file: the format is not recognised, so it cannot be found among others
        return dict([next(iter(written(SAME_FILE_AS[target]).items()))])
    if target in ("csv", "parquet"):  # with every column that is read, and metadata
        return {f"layout.{target}": written_as(one_full_layout(), target)[0]}
    if target in ("coco", "coco-results"):  # with outlines and masks
        file = json.loads(written_as(one_full_layout(), "coco")[0])
        file["annotations"][1] |= {"segmentation": {"size": [80, 100], "counts": "Pb0000"}, "score": 0.5}
        (name,) = written(target)
        return {name: json.dumps(file if target == "coco" else file["annotations"]).encode()}
    if target in BY_NAME:
        return written(target)
    if target in PART_TARGETS:
        return part_files(target)
    return {
        "zip": lambda: {"pages.zip": zipped(written("yolo") | small_images(["PNG", "TIFF"]))},
        "images": lambda: small_images(["PNG", "JPEG", "GIF", "BMP", "TIFF", "WEBP", "PDF"]),
        "page-map": lambda: {
            "pages.csv": PAGE_MAP_CSV, "pages.yaml": PAGE_MAP_YAML, "pages.json": b'{"p1": "a"}',
            "attributes.csv": ATTRIBUTES, "attributes_of_documents.csv": ATTRIBUTES.replace(b"page", b"document", 1),
        },
        "mapping": lambda: {"mapping.yaml": MAPPING, "mapping.json": b'{"gt": {"a": "b"}, "pred": {"c": "d"}}'},
        "families": lambda: {"families.yaml": FAMILIES, "families.json": b'{"a": {"b": ["c"], "d": ["e", "f"]}}'},
        "result": lambda: {"result.json": result_of(reference_comparison()).to_json()},
    }[target]()  # fmt: skip


PAGE_MAP_CSV = b"gt,pred\nreport_p1.png,1\nreport_p2.png,2\n,3\n"
ATTRIBUTES = b'page,kind,year\nreport_p1.png,letter,"19,00"\nreport,form,\nreport_p2.png,form,1910\n'
PAGE_MAP_YAML = b"report_p1.png: 1\nreport_p2.png: '2'\n"
MAPPING = b"gt: {Title: Heading, Text: &x Text}\npred:\n  Title: Heading\n  Text: *x\n"
FAMILIES = b"words: [Title, Text]\nthings: {drawn: [Picture], ruled: [Table]}\n"


def zipped(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def small_images(kinds: list[str]) -> dict[str, bytes]:
    from PIL import Image

    pages = [Image.new("RGB", (24, 16), colour) for colour in ("white", "red")]
    made = {}
    for kind in kinds:
        out = io.BytesIO()
        several = {"save_all": True, "append_images": pages[1:]} if kind in ("TIFF", "PDF", "GIF") else {}
        pages[0].save(out, kind, **several)
        made[f"report_p1.{kind.lower()}"] = out.getvalue()
    return made


@cache
def reference() -> lcm.Layout:
    return lcm.read(list(written("coco").items()))


def reference_comparison() -> lcm.Comparison:
    return lcm.compare(reference(), lcm.read(list(written("csv").items())))


def read_layout(case: Case) -> None:
    layout = lcm.read(list(case.files.items()), like=reference(), **case.options)
    if case.compared:
        compared = lcm.compare(reference(), layout)
        assert compared.confusion().values.min() >= 0 and compared.findings is not None


def read_images(case: Case) -> None:
    """Sizes of images for a layout without sizes, and pictures for the page viewer."""
    given = [ImageFile(name, name, data) for name, data in case.files.items()]
    for picture in images_from_files(given).pictures:
        load_shrunk(picture, PICTURE_SIDE)
    images = [(name, data) for name, data in case.files.items() if not name.endswith(".pdf")]
    for image in images:
        lcm.read([next(iter(written("doctags").items())), image])


def parse_with(parse: Callable[[str, bytes], object]) -> Callable[[Case], None]:
    """What reads every file of a case with one function; a refused file must not hide the others."""

    def run(case: Case) -> None:
        refused = None
        for name, data in case.files.items():
            try:
                parse(name, data)
            except lcm.InputError as error:
                refused = error
        if refused is not None:
            raise refused

    return run


def parse_page_table(name: str, data: bytes) -> object:
    """A page map, or a table of attributes."""
    if name.startswith("attributes"):
        return add_attributes(reference(), parse_attributes(name, data)).pages
    return parse_page_map(name, data)


def read_result(case: Case) -> None:
    """A result.json is read back with its matrices, tables and findings."""
    loaded = lcm.load_result(next(iter(case.files.values())))
    for result in loaded if isinstance(loaded, list) else [loaded]:
        _ = result.labels, result.method, result.recipe, result.inputs, result.findings, result.confusion()


OTHER_TARGETS: dict[str, Callable[[Case], None]] = {
    "zip": read_layout,
    "images": read_images,
    "page-map": parse_with(parse_page_table),
    "mapping": parse_with(parse_mapping),
    "families": parse_with(parse_tree),
    "result": read_result,
}


def missing_writers() -> list[str]:
    """Formats that are registered and that no writer of the tests writes."""
    return sorted(set(BY_NAME) - set(writers()) - set(SAME_FILE_AS))
