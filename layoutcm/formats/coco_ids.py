"""Find the page and the label of each annotation of a COCO file from `image_id` and `category_id`.

Usually both are ids that a file declares. An id may be a number in one place and text in another. Ultralytics writes
other values. Its `image_id` is the file name of the page without the suffix, or a number if the name has only digits.
Its `category_id` is a class number, which counts from 0, and from 1 since the end of 2024. Later versions also write
`file_name`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from layoutcm.layouts.model import BACKGROUND, Finding, Indices, Layout, Pages, find_page
from layoutcm.layouts.page_names import stem, unique_keys

Key = int | float | str
K = TypeVar("K")
MAX_DIGITS = 18  # longer texts of digits are not numbers, but names


class Labels(NamedTuple):
    """int32[annotations]: the label of each; all labels, also undeclared ones; and {id: label}."""

    of_annotations: Indices
    names: list[str]
    ids: dict[Key, int]


class FoundPages(NamedTuple):
    """int32[annotations]: the page of each, -1 if it is unknown; what image ids are, and findings on them."""

    of_annotations: Indices
    by_name: bool  # image ids are file names, not ids
    findings: list[Finding]


class Ids(NamedTuple, Generic[K]):
    """The distinct ids in order of first use, and int32[annotations]: the number of the id of each."""

    keys: list[K]
    codes: Indices

    def take(self, kept: NDArray[np.integer]) -> Ids[K]:
        """The ids of some annotations, in order; keys that none of them uses are left out."""
        used, first, codes = np.unique(self.codes[kept], return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty(order.size, np.int32)
        rank[order] = np.arange(order.size)
        return Ids([self.keys[code] for code in used[order].tolist()], rank[codes])

    def expand(self, values: Iterable[int]) -> Indices:
        """int32[annotations]: the value of each annotation, from one value for each key."""
        return np.fromiter(values, np.int32, len(self.keys))[self.codes]

    def expand_flags(self, flags: Iterable[bool]) -> NDArray[np.bool_]:
        """bool[annotations]: the flag of each annotation, from one flag for each key."""
        return np.fromiter(flags, bool, len(self.keys))[self.codes]


def find_ids(given: Sequence[K]) -> Ids[K]:
    position = {key: i for i, key in enumerate(dict.fromkeys(given))}
    return Ids(list(position), np.fromiter(map(position.__getitem__, given), np.int32, len(given)))


def find_pages(
    file: str,
    ids: Ids[Key],
    known: Mapping[Key, int],
    pages: Pages,
    file_names: Sequence[str | None],
    declares_pages: bool,
) -> FoundPages:
    """The page of each annotation. All image ids are read in one way, the one that finds most of them.

    In a file that declares its pages, image ids are file names only if none of them is an id.
    """
    used = ids.keys
    by_id = list(map(known.get, used, repeat(-1)))
    may_be_names = bool(file_names) or (not declares_pages and _is_other_name(used, by_id, pages))
    if min(by_id, default=0) >= 0 and not may_be_names:  # the usual case, made fast for many pages
        return FoundPages(ids.expand(by_id), False, [])
    names: Mapping[Key, str | None] = dict(zip((used[code] for code in ids.codes.tolist()), file_names))
    numbers = unique_keys((_as_number(key), page) for key, page in known.items())
    stems = unique_keys((_as_number(stem(name)), page) for page, name in enumerate(pages.names))
    found = {
        "id": dict(zip(used, by_id)),
        "number": {key: known[key] if key in known else numbers.get(_as_number(key), -1) for key in used},
        "name": {key: _page_of_name(names.get(key) or key, pages, stems) for key in used},
    }
    counts = {how: sum(page >= 0 for page in one.values()) for how, one in found.items()}
    if declares_pages and counts["number"]:
        counts["name"] = 0
    # With file names, it is certain what the names are; without, ids are ids if they can be.
    chosen = max(sorted(counts, key=["name", "id", "number"].index) if file_names else counts, key=counts.__getitem__)
    findings = _reading_findings(file, chosen, found, pages, ids.codes.size)
    return FoundPages(ids.expand(found[chosen].values()), chosen == "name", findings)


def _as_number(key: Key) -> Key:
    """The number that a text of digits stands for; any other id as it is."""
    is_number = isinstance(key, str) and key.isascii() and key.isdigit() and len(key) <= MAX_DIGITS
    return int(key) if is_number else key


def is_stem_of(key: Key, file_name: str) -> bool:
    """Whether an id is the file name without its suffix, or the number that this name stands for."""
    return bool(file_name) and _as_number(key) == _as_number(stem(file_name))


def _page_of_name(name: Key, pages: Pages, stems: Mapping[Key, int]) -> int:
    """The page with this file name, else the one whose name is this number; -1 if there is none or several."""
    page = find_page(name, pages) if isinstance(name, str) else None
    return stems.get(_as_number(name), -1) if page is None else page


def _is_other_name(ids: Sequence[Key], page: Sequence[int], pages: Pages) -> bool:
    """Whether the first page is named by a number other than its id: then ids could be meant as file names."""
    if not ids or page[0] < 0:
        return False
    number = _as_number(stem(pages.names[page[0]]))
    return not isinstance(number, str) and not isinstance(ids[0], str) and number != ids[0]


def _reading_findings(
    file: str, chosen: str, found: Mapping[str, Mapping[Key, int]], pages: Pages, annotations: int
) -> list[Finding]:
    """Findings if image ids are not simply ids, or could also be file names of other pages."""
    name_of = lambda page: pages.names[page]
    other = [key for key, page in found["name"].items() if page != found["id"][key]]
    if chosen == "id" and other and min(found["name"].values()) >= 0:
        values = {"first": other[0], "page": name_of(found["id"][other[0]]), "other": name_of(found["name"][other[0]])}
        return [Finding("image-ids-like-names", annotations, {"file": file, **values})]
    unlike = [key for key, page in found[chosen].items() if page >= 0 and page != found["id"][key]]
    if not unlike:
        return []
    code = "image-ids-are-names" if chosen == "name" else "image-ids-respelt"
    values = {"images": len(unlike), "first": unlike[0], "page": name_of(found[chosen][unlike[0]])}
    return [Finding(code, annotations, {"file": file, **values})]


def find_labels(
    file: str, ids: Ids[Key], labels: Sequence[str], known: Mapping[Key, int]
) -> tuple[Labels, list[Finding]]:
    """The label of each annotation; ids that are not declared become labels, with a finding."""
    # Background has no label in the reference layout (-1); it gets one here, because its regions are reported.
    names = [*labels, BACKGROUND]
    label_ids = {key: len(names) - 1 if i < 0 else i for key, i in known.items()}
    numbers = unique_keys((_as_number(key), i) for key, i in label_ids.items())
    uses = dict(zip(ids.keys, np.bincount(ids.codes, minlength=len(ids.keys)).tolist()))
    undeclared = {key: count for key, count in uses.items() if key not in label_ids}
    label_ids |= {key: i for key in undeclared if (i := numbers.get(_as_number(key), -1)) >= 0}
    counts = Counter({key: count for key, count in undeclared.items() if key not in label_ids})
    findings = [_add_undeclared_labels(file, counts, names, label_ids)] if counts else []
    return Labels(ids.expand(label_ids.get(key, -1) for key in ids.keys), names, label_ids), findings


def _add_undeclared_labels(file: str, counts: Counter[Key], labels: list[str], label_ids: dict[Key, int]) -> Finding:
    """Add a label for every id in `counts`, which says how often it is used, and return a finding about them."""
    for key in counts:
        label_ids[key] = len(labels)
        labels.append(f"category {key:g}" if isinstance(key, float) else f"category {key}")
    first = next(iter(counts))
    example = {"first": first, "regions": counts[first], "label": labels[label_ids[first]]}
    return Finding("undeclared-category", sum(counts.values()), {"file": file, "ids": len(counts), **example})


def read_class_numbers(
    file: str, ids: Sequence[Key], reference: Layout, counts_from_one: bool
) -> tuple[dict[Key, int], list[Finding]]:
    """{category id: label} for results of a tool that knows class numbers and no ids, and a finding that says how.

    They are the ids of the ground truth if it has them all. Otherwise they are positions in its list of labels, counted
    from 0 or 1, if only one of the two is possible. A tool that writes `file_name` counts from 1.
    """
    label_ids: dict[Key, int] = dict(reference.label_keys)
    used = {key for key in ids if isinstance(key, int)}
    known = sorted(key for key in label_ids if isinstance(key, int))
    if not used or len(used) < len(set(ids)) or len(known) < len(label_ids):
        return label_ids, []
    if reference.keys and known[0] == 0 and not (reference.region_columns.label == label_ids[0]).any():
        known = known[1:]  # Roboflow adds a category 0 that no region has
    starts = [start for start in (0, 1) if start <= min(used) and max(used) < start + len(known)]
    starts = [start for start in starts if start == 1 or not counts_from_one]
    is_shifted = counts_from_one and known[:1] == [0] and starts == [1]
    start = starts[0] if len(starts) == 1 and (is_shifted or not used <= set(known)) else -1
    if start >= 0:
        label_ids = {key: label_ids[known[key - start]] for key in range(start, start + len(known))}
    first = next((key for key in ids if label_ids.get(key, -1) >= 0), None)
    if first is None:
        return label_ids, []
    values = {"file": file, "start": start, "first": first, "label": reference.labels[label_ids[first]]}
    return label_ids, [Finding("class-numbers", len(used), values)]
