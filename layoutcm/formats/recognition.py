"""Find the format of a file from its content, and the files of a folder that have the same format.

For a file of no known format, say why: it is not a layout, or it lacks what the most similar formats need.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

import msgspec

from layoutcm import hints
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.formats.class_names import is_list_of_names
from layoutcm.formats.content import HEAD, SEARCHED, FileContent
from layoutcm.formats.image_files import is_image
from layoutcm.formats.markup import check_ends_like_root, root_element, root_name
from layoutcm.formats.needs import Needs
from layoutcm.formats.registry import BY_NAME, DATA_SET, FORMATS, Format
from layoutcm.formats.source_files import Bundle

# An empty label file is a page without regions; an empty table is an error.
_START_OF_JSON = re.compile(rb"\{\s*+[\"}]|\[\s*+[\[{]")
_EMPTY_LIST = re.compile(rb"\s*+\[\s*+\]\s*+")
_EMPTY_LISTS = re.compile(rb"\s*+\[(?:[\s,]|\[\s*+\])++\]\s*+")
LISTS_OF_PAGES = ("glm-ocr", "mineru-vlm")  # beside these, a list of empty lists is not of MinerU's content list
NAMES_OF_EMPTY_FILES = (".txt", ".csv", ".tsv")


def choose_format(bundle: Bundle, name: str | None) -> tuple[Format, tuple[FileContent, ...], tuple[FileContent, ...]]:
    """The format, the files in this format, and the other files."""
    if len(bundle.contents) == 1:
        return find_format(bundle.contents[0], name), bundle.contents, ()
    kinds = _with_blank_pages(bundle.contents, list(_candidates_per_file(bundle.contents)))
    if name is not None:
        wanted = named_format(bundle.name, name)
        matching = tuple(content for content, kind in zip(bundle.contents, kinds) if wanted in kind)
    else:
        votes = Counter(kind[0].name for kind in kinds if len(kind) == 1)
        if not votes:
            if ambiguous := next(filter(None, kinds), None):
                raise _ambiguous_error(bundle.name, ambiguous)
            problem = f"none of its {len(bundle.contents):,} files is of a known kind"
            raise InputError(bundle.name, "", problem, explain_unknown(bundle.contents[0]).advice)
        if len(votes) > 1:
            found = ", ".join(f"{count:,} of {kind}" for kind, count in votes.most_common())
            raise InputError(bundle.name, "", f"it holds files of several kinds: {found}", hints.SEVERAL_FORMATS)
        wanted = BY_NAME[next(iter(votes))]
        matching = tuple(content for content, kind in zip(bundle.contents, kinds) if wanted in kind)
    if not matching:
        raise InputError(bundle.name, "", f"it holds no file of the format {wanted.name}", hints.WRONG_FORMAT)
    taken = {id(content) for content in matching}  # by identity: equality would compare all bytes
    return wanted, matching, tuple(content for content in bundle.contents if id(content) not in taken)


def named_format(file: str, name: str, option: str = "format") -> Format:
    check_choice(option, name, BY_NAME, "; `layoutcm formats` lists all", file)
    return BY_NAME[name]


def _candidates_per_file(contents: Sequence[FileContent]) -> Iterator[list[Format]]:
    """The possible formats of every file. Most have the format of the file before, which is tried first."""
    before: list[Format] = []
    for content in contents:
        if len(before) != 1 or not before[0].recognises(content):
            before = find_candidates(content)
        yield before


def _with_blank_pages(contents: Sequence[FileContent], kinds: list[list[Format]]) -> list[list[Format]]:
    """The kinds, with those of pages without regions, which are like the files beside them.

    An empty text file is of DocBank or of YOLO, an empty JSON list of any format with a list for each page, and a list
    of empty lists of any with a list of such lists.
    """
    docbank = BY_NAME["docbank"]
    if any(docbank in kind for kind in kinds):
        kinds = [kind if content.data else [docbank] for content, kind in zip(contents, kinds)]
    lists = [content.json_text if content.json_root == "array" else b"" for content in contents]
    nested = [_EMPTY_LISTS.fullmatch(text) is not None for text in lists]
    kinds = _like_others(kinds, nested, lambda one: one.name in LISTS_OF_PAGES)
    empty = [_EMPTY_LIST.fullmatch(text) is not None for text in lists]
    return _like_others(kinds, empty, lambda one: one.holds != DATA_SET)


def _like_others(
    kinds: list[list[Format]], is_blank: Sequence[bool], can_be: Callable[[Format], bool]
) -> list[list[Format]]:
    """Give files of blank pages the kind of the first other file, if this format `can_be` written so."""
    others = next((kind for kind, blank in zip(kinds, is_blank) if kind and not blank), [])
    return [others if blank and others and can_be(others[0]) else kind for kind, blank in zip(kinds, is_blank)]


def find_candidates(content: FileContent) -> list[Format]:
    if not content.size and not content.name.lower().endswith(NAMES_OF_EMPTY_FILES):
        return []  # an archive may hold very many of them
    found = [format for format in FORMATS if format.recognises(content)]
    if found or content.searches_all or content.size <= SEARCHED:
        return found
    return find_candidates(FileContent(content.name, content.data, content.packed, searches_all=True))


def find_format(content: FileContent, name: str | None = None) -> Format:
    if name is not None:
        return named_format(content.name, name)
    candidates = find_candidates(content)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise _ambiguous_error(content.name, candidates)
    raise explain_unknown(content)


def _ambiguous_error(file: str, candidates: Sequence[Format]) -> InputError:
    names = " or ".join(f"{format.name} ({format.title})" for format in candidates)
    return InputError(file, "", f"this could be {names}", hints.AMBIGUOUS_FORMAT)


COMPANIONS = ("notes.json", "readme.txt", "meta.json")
KEYS_SHOWN = 8
LIKELIEST = 2
# What formats without keys and elements need.
TEXT_NEEDS = {
    "csv": "a header with columns for label and box, such as label,x0,y0,x1,y1",
    "yolo": "lines of class cx cy w h, in fractions of the page",
}


class OtherFile(NamedTuple):
    """A kind of file that holds no regions."""

    recognises: Callable[[FileContent], bool]
    problem: str
    hint: str


def is_companion(content: FileContent) -> bool:
    """Whether a file is a list of names or settings that often accompanies annotations."""
    name = PurePosixPath(content.name.replace("\\", "/")).name.lower()
    return name.endswith((".yaml", ".yml", ".data")) or name in COMPANIONS or is_list_of_names(name)


def _lists_texts(content: FileContent) -> bool:
    """Whether it is {name: [text, ...]}."""
    texts = content.try_decode(dict[str, list[str]]) if content.json_root == "object" else None
    return bool(texts) and all((texts or {}).values())


OTHER_FILES = (
    OtherFile(
        lambda content: content.data_without_bom.lstrip()[:1] == b'"' and b"bbox" in content.data,
        "this is one JSON text: an answer of the model that dots.ocr could not read is saved as text",
        "Run dots.ocr again on this page, or compare without it.",
    ),
    OtherFile(
        lambda content: is_image(content.data),
        "this is a picture, which holds no regions",
        "Give the file or folder of the annotations instead.",
    ),
    OtherFile(
        lambda content: content.data.startswith(b"%PDF"),
        "this is a PDF, which holds no regions",
        "Give what a tool or a person found in it: JSON, XML or CSV.",
    ),
    OtherFile(
        is_companion,
        "this file holds names or settings, no regions",
        "Give the folder that holds the annotations with this file beside them.",
    ),
    OtherFile(
        Needs("object", ("table_of_contents", "page_stats")),
        "this is the metadata of Marker (…_meta.json), which has no places of blocks",
        "Give the JSON of Marker instead: marker_single --output_format json.",
    ),
    OtherFile(
        Needs("object", ("request_id", "confidence_rate")),
        "this is an answer of Mathpix with text and formulas, which has no places of blocks",
        "Its lines.json has the places of lines: write them as CSV with label,x0,y0,x1,y1.",
    ),
    OtherFile(
        Needs("array", ("text", "spans", "_task_hash")),
        "these are answers of Prodigy about texts, whose spans have no places on a page",
        "Give the answers of an image recipe, such as image.manual.",
    ),
    OtherFile(
        Needs("object", ("recipe", "recipe_fields")),
        "this is a result of layoutcm, not a layout",
        "Give the files that were compared.",
    ),
    OtherFile(
        lambda content: "schema_name" not in content.json_keys and Needs("object", ("texts",))(content),
        "this has the texts of docling, but it is not a DoclingDocument: 'schema_name' is missing",
        "Write the whole document, with its pages and places: document.save_as_json(file).",
    ),
    OtherFile(
        _lists_texts,
        "this is a list of texts for each name, such as the section titles of pdffigures2, which has no places",
        "Give the annotations of figures, or what pdffigures2 wrote: both have boxes.",
    ),
)


def why_unread(content: FileContent, suffixes: Collection[str], read: FileContent) -> str:
    """Why a file beside those that are read is none of them, if a person would expect it to be; else "".

    It has the suffix of one of them, or starts like them and is broken. What is known to be something else is expected
    nowhere.
    """
    is_alike = content.suffix in suffixes
    if not content.size or content.is_blank:
        return "the file is empty" if is_alike else ""
    if not is_alike and not (_starts_as_data(content) and _starts_as_data(content) == _starts_as_data(read)):
        return ""
    try:
        _check_well_formed(content)
    except InputError as error:
        return ", ".join(part for part in (error.place, error.problem) if part)
    known = not is_alike or find_candidates(content) or any(other.recognises(content) for other in OTHER_FILES)
    return "" if known else f"the kind of file is not recognised: {describe_content(content)}"


def _starts_as_data(content: FileContent) -> str:
    """ "json", "xml" or "". A log line such as "[2024-01-01]" is no list of objects."""
    start = content.head_without_bom[:HEAD].lstrip()
    return "json" if _START_OF_JSON.match(start) else "xml" if root_name(content) else ""


def explain_unknown(content: FileContent) -> InputError:
    """The error for a file of no known format."""
    for other in OTHER_FILES:
        if other.recognises(content):
            return InputError(content.name, "", other.problem, other.hint)
    _check_well_formed(content)
    problem = f"the kind of file is not recognised: {describe_content(content)}"
    return InputError(content.name, "", problem, hints.unknown_format(likeliest_formats(content)))


def _check_well_formed(content: FileContent) -> None:
    """Refuse cut JSON and XML: a truncated file is reported as malformed rather than as unknown."""
    if content.json_root:
        content.decode(msgspec.Raw)
    check_ends_like_root(content)


def describe_content(content: FileContent) -> str:
    """The first keys, the root element with its namespace, or the first characters."""
    if content.json_root:
        keys = ", ".join(short_repr(key) for key in sorted(content.json_keys)[:KEYS_SHOWN])
        kind = "object" if content.json_root == "object" else "list"
        return f"a JSON {kind} with {'keys ' + keys if keys else 'no keys'}"
    name, namespace = root_element(content)
    if name:
        return f"XML with the root element <{name}>" + (f" of {short_repr(namespace, 120)}" if namespace else "")
    head = content.head[:40]
    try:
        return f"it starts with {head.decode('utf-8')!r}"
    except UnicodeDecodeError:
        return f"binary data that starts with {head[:8].hex(' ')}"


def likeliest_formats(content: FileContent) -> dict[str, str]:
    """{format: what the file lacks for it}, the likeliest first."""
    if not content.json_root and not root_element(content)[0]:
        return TEXT_NEEDS if b"\0" not in content.head[:40] and content.head[:40].isascii() else {}
    ranked = sorted(
        ((format.name, format.needs) for format in FORMATS if format.needs),
        key=lambda pair: pair[1].likeness(content),
        reverse=True,
    )
    found: dict[str, str] = {}
    for name, needs in ranked:
        missing = needs.missing(content)
        if missing and len(found) < LIKELIEST:
            found[name] = " and ".join(missing[:3])
    return found
