"""Families of labels: a tree from a file, a mapping or a built-in tree, and the names that labels are shown as.

`{Text: {Headings: [Title, Section-header], Body: [Text]}, Figure: [Picture]}` is a tree; a list may contain labels and
further families. A label in no family is its own family. Labels are compared exactly; with built-in trees, case,
blanks, hyphens and underscores are ignored.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import PurePath
from typing import Any

from layoutcm.alignment.taxonomy import plain_spelling
from layoutcm.errors import InputError, short_repr
from layoutcm.layouts.handwritten import parse_yaml_or_json, read_yaml_or_json
from layoutcm.layouts.model import BACKGROUND, Finding

OOF = "OOF"
OUT_OF_FAMILY = "out of family"  # OOF in words
ALL_CONTENT = "Content"  # the name of all labels at depth 0
PATH_SEPARATOR = " / "
MOST_FAMILIES, MOST_DEPTH = 10_000, 20
TREE_HINT = "Write {family: [labels]}, or families inside families: {Text: {Headings: [Title], Body: [Text]}}."

FamilyPath = tuple[str, ...]


@dataclass(frozen=True)
class FamilyTree:
    """A tree of families: `paths[label]` are the families that contain a label, outermost first."""

    name: str
    paths: dict[str, FamilyPath]

    @property
    def title(self) -> str:
        """The name of the tree in a recipe: the file name, or the number of given families."""
        count = len({path[0] for path in self.paths.values()})
        return PurePath(self.name).stem if self.name else f"{count} given" if count else "none"

    @property
    def depth(self) -> int:
        """The largest number of nested families."""
        return max(map(len, self.paths.values()), default=0)

    @property
    def families(self) -> list[str]:
        """The names of all families, including inner ones."""
        return list(dict.fromkeys(family for path in self.paths.values() for family in path))

    def full_path(self, label: str) -> FamilyPath:
        """The families that contain the label, then the label."""
        return (*self.paths.get(label, ()), label)

    def as_written(self) -> dict[str, Any]:
        """The tree as nested mappings and lists, as in a file."""
        root: dict[str, Any] = {}
        for label, path in self.paths.items():
            node = root
            for family in path:
                node = node.setdefault(family, {})
            node.setdefault(None, []).append(label)  # type: ignore[call-overload]
        return {family: _as_nested(below) for family, below in root.items()}


def _as_nested(node: dict[Any, Any]) -> Any:
    inner = {family: _as_nested(below) for family, below in node.items() if family is not None}
    labels = node.get(None, [])
    if not labels:
        return inner
    return [*labels, *({family: below} for family, below in inner.items())]


FamiliesLike = FamilyTree | Mapping[str, Any] | str | os.PathLike[str]


def family_tree(given: FamiliesLike, labels: Sequence[str]) -> FamilyTree:
    """A tree from a mapping, from a file, or a built-in one by its name (doclaynet, publaynet, docling, mixed)."""
    if isinstance(given, FamilyTree):
        return given
    if isinstance(given, str) and given in BUILT_IN:
        return built_in_tree(given, labels)
    if isinstance(given, str | os.PathLike):
        hint = f"Check the name and the folder, or use a built-in tree: {', '.join(BUILT_IN)}."
        return check_tree(read_yaml_or_json(given, "families", hint), str(given))
    return check_tree(given, "")


def parse_tree(name: str, data: bytes) -> FamilyTree:
    """A tree from the bytes of a YAML or JSON file."""
    return check_tree(parse_yaml_or_json(name, data, "families"), name)


def check_tree(given: object, file: str) -> FamilyTree:
    """The tree of a mapping; raise an InputError with the place of the first problem if it is not a tree."""
    if not isinstance(given, Mapping):
        raise InputError(file, "families", f"{short_repr(given)} is not a set of families", TREE_HINT)
    paths: dict[str, FamilyPath] = {}
    for seen, (path, labels) in enumerate(_families_in(given, (), file)):
        if seen > MOST_FAMILIES:
            raise InputError(file, "families", f"there are more than {MOST_FAMILIES:,} families", TREE_HINT)
        for label in labels:
            _add_label(paths, label, path, file)
    return FamilyTree(file, paths)


def _families_in(node: object, path: FamilyPath, file: str) -> Iterator[tuple[FamilyPath, list[object]]]:
    """Every family with its direct labels, in the order of the file."""
    if len(path) > MOST_DEPTH:
        raise InputError(file, "families", f"there are more than {MOST_DEPTH} families inside each other", TREE_HINT)
    if not isinstance(node, Mapping | list | tuple | set | frozenset | None):
        raise InputError(file, _place_in_tree(path), f"{short_repr(node)} is not a list of labels", TREE_HINT)
    items = [node] if isinstance(node, Mapping) else list(node or ())
    if isinstance(node, set | frozenset):
        items.sort(key=str)  # a set has no order of its own
    yield path, [item for item in items if not isinstance(item, Mapping)]
    for item in items:
        if isinstance(item, Mapping):
            for name, below in item.items():
                yield from _families_in(below, (*path, _checked_name(name, "family", file, path)), file)


def _place_in_tree(path: FamilyPath) -> str:
    return ".".join(("families", *path))


def _checked_name(name: object, what: str, file: str, path: FamilyPath) -> str:
    """The name of a family or of a label; `path` is where it is in the tree."""
    if not isinstance(name, str) or not name:
        problem = f"{short_repr(name)} is not a {what}'s name"
        raise InputError(file, _place_in_tree(path), problem, f"Put it in quotes. {TREE_HINT}")
    if name == OOF and what == "family":
        problem = f"a family is named {OOF}, which means out of family"
        raise InputError(file, _place_in_tree(path), problem, "Rename it.")
    if name == BACKGROUND:
        raise InputError(file, _place_in_tree(path), f"{BACKGROUND} is a family of its own", "Leave it out.")
    return name


def _add_label(paths: dict[str, FamilyPath], given: object, path: FamilyPath, file: str) -> None:
    label = _checked_name(given, "label", file, path)
    if label in paths:
        first, second = PATH_SEPARATOR.join(paths[label]), PATH_SEPARATOR.join(path)
        problem = f"the label {short_repr(label)} is in two families, {short_repr(first)} and {short_repr(second)}"
        raise InputError(file, _place_in_tree(path), problem, "Keep it in one.")
    paths[label] = path


def depth_findings(tree: FamilyTree, depth: int) -> list[Finding]:
    used = depth_within(tree, depth)
    return [] if used == depth else [Finding("depth-beyond-tree", values={"depth": depth, "used": used})]


def tree_findings(tree: FamilyTree, labels: Sequence[str]) -> list[Finding]:
    """Labels of the tree that are not used, and used labels that are not in the tree."""
    unknown = [label for label in tree.paths if label not in labels]
    without_family = [label for label in labels if label not in tree.paths]
    outermost = {path[0] for path in tree.paths.values()}
    named_like_family = [label for label in without_family if label in outermost]
    without_family = [label for label in without_family if label not in outermost]
    by_code = {
        "family-label-unknown": unknown,
        "label-without-family": without_family,
        "label-like-family": named_like_family,
    }
    return [Finding(code, len(found), {"first": found[0]}) for code, found in by_code.items() if found]


def display_paths(
    tree: FamilyTree, labels: Iterable[str], depth: int, expanded: Sequence[str] = ()
) -> dict[str, FamilyPath]:
    """{label: path it is shown as}: its family at a depth, or the label itself if no family is that deep.

    Labels of families in `expanded` are shown as the next inner family, or as themselves.
    """
    unknown = [family for family in expanded if family not in tree.families]
    if unknown:
        known = ", ".join(map(short_repr, tree.families[:12]))
        raise InputError("", "expanded", f"there is no family {short_repr(unknown[0])}", f"Families: {known}.")
    shown_as = {}
    for label in labels:
        full_path, shown_depth = tree.full_path(label), depth
        while 0 < shown_depth < len(full_path) and full_path[shown_depth - 1] in expanded:
            shown_depth += 1
        shown_as[label] = full_path[:shown_depth]
    return shown_as


def path_names(paths: Iterable[FamilyPath]) -> dict[FamilyPath, str]:
    """A unique name for each path: its last part, or the whole path if another path has the same last part."""
    distinct = list(dict.fromkeys(paths))
    last_parts = Counter(path[-1:] for path in distinct)
    names: dict[FamilyPath, str] = {}
    for path in distinct:
        name = (path[-1] if path else ALL_CONTENT) if last_parts[path[-1:]] == 1 else PATH_SEPARATOR.join(path)
        while name in names.values():  # a family name that looks like a path
            name += "′"
        names[path] = name
    return names


def check_depth(depth: object, least: int) -> int:
    if not isinstance(depth, Integral) or isinstance(depth, bool) or depth < least:
        raise InputError("", "depth", f"{short_repr(depth)} is not a depth", f"Use a whole number of {least} or more.")
    return int(depth)


def depth_within(tree: FamilyTree, depth: int) -> int:
    """The depth, but at most that of the innermost families."""
    return min(check_depth(depth, least=1), max(tree.depth, 1))


# Trees for the labels of common datasets and models. Names are compared without case and separators, so one tree
# works for the spellings of all tools.
BUILT_IN: dict[str, dict[str, Any]] = {
    "doclaynet": {
        "Text": {
            "Headings": ["Title", "Section-header"],
            "Body": ["Text", "List-item", "Formula"],
            "Notes": ["Caption", "Footnote"],
        },
        "Floats": ["Picture", "Table"],
        "Furniture": ["Page-header", "Page-footer"],
    },
    "publaynet": {"Text": {"Headings": ["title"], "Body": ["text", "list"]}, "Floats": ["figure", "table"]},
    "docling": {
        "Text": {
            "Headings": ["title", "section_header", "field_heading"],
            "Body": ["text", "paragraph", "list_item", "reference", "formula", "code", "handwritten_text"],
            "Notes": ["caption", "footnote"],
        },
        "Floats": {"Pictures": ["picture", "chart"], "Tables": ["table", "document_index"]},
        "Furniture": ["page_header", "page_footer"],
        "Forms": {
            "Areas": ["form", "key_value_region", "field_region"],
            "Fields": ["field_item", "field_key", "field_value", "field_hint", "empty_value", "marker"],
            "Marks": ["checkbox_selected", "checkbox_unselected", "grading_scale"],
        },
    },
    # For two sides with labels from different tools.
    "mixed": {
        "Text": {
            "Headings": ["title", "doc_title", "document_title", "section_header", "paragraph_title", "heading"],
            "Body": ["text", "plain_text", "paragraph", "abstract", "list", "list_item", "reference", "references",
                     "content", "formula", "equation", "code", "algorithm"],
            "Notes": ["caption", "figure_caption", "figure_title", "table_caption", "table_title", "chart_title",
                      "footnote"],
        },
        "Floats": {"Pictures": ["picture", "figure", "image", "chart", "seal"], "Tables": ["table", "document_index"]},
        "Furniture": {
            "Headers": ["page_header", "header"],
            "Footers": ["page_footer", "footer", "page_number", "number"],
        },
    },
}  # fmt: skip


def built_in_tree(name: str, labels: Sequence[str]) -> FamilyTree:
    """A built-in tree in the spelling of these labels, without labels that they do not include."""
    known = {plain_spelling(label): path for label, path in check_tree(BUILT_IN[name], name).paths.items()}
    order = list(known)
    used = [label for label in labels if plain_spelling(label) in known]
    used.sort(key=lambda label: order.index(plain_spelling(label)))
    return FamilyTree(name, {label: known[plain_spelling(label)] for label in used})


def suggested_trees(labels: Sequence[str]) -> list[FamilyTree]:
    """Built-in trees that contain at least half of the labels, the best first."""
    trees = [built_in_tree(name, labels) for name in BUILT_IN]
    fitting = [tree for tree in trees if tree.paths and 2 * len(tree.paths) >= len(labels)]
    return sorted(fitting, key=lambda tree: -len(tree.paths))


def suggest_families(labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The built-in trees of families that fit some labels, the best first.

    Parameters
    ----------
    labels : sequence of str

    Returns
    -------
    dict
        {name: families}, as `Comparison.families` takes them.

    Examples
    --------
    >>> import layoutcm as lcm
    >>> next(iter(lcm.suggest_families(["Text", "Title", "Table", "Picture", "Caption", "Page-header"])))
    'doclaynet'
    """
    return {tree.name: tree.as_written() for tree in suggested_trees(list(labels))}


def preferred_name(preferred: str | None) -> str:
    """The most frequent confusion of a label in words; "" if it is never confused."""
    return {OOF: OUT_OF_FAMILY, None: ""}.get(preferred, preferred or "")
