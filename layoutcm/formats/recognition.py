"""Find the format of a file from its content, and the files of a folder that have the same format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from layoutcm import hints
from layoutcm.errors import InputError, check_choice
from layoutcm.formats.content import SEARCHED, FileContent
from layoutcm.formats.other_files import explain_unknown
from layoutcm.formats.registry import BY_NAME, DATA_SET, FORMATS, Format
from layoutcm.formats.source_files import Bundle

# An empty label file is a page without regions; an empty table is an error.
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
    """The possible formats of every file. Most have the format of the file before, so that is tried first."""
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
    """The kinds, where files of blank pages have that of the first other file, if this format `can_be` so written."""
    others = next((kind for kind, blank in zip(kinds, is_blank) if kind and not blank), [])
    return [others if blank and others and can_be(others[0]) else kind for kind, blank in zip(kinds, is_blank)]


def find_candidates(content: FileContent) -> list[Format]:
    if not content.size and not content.name.lower().endswith(NAMES_OF_EMPTY_FILES):
        return []  # an archive may hold very many of them
    found = [format for format in FORMATS if format.recognises(content)]
    if found or content.searches_all or content.size <= SEARCHED:
        return found
    return find_candidates(content.searching_all())


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
