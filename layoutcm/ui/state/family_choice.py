"""The families that a visitor chose: a built-in tree, or the visitor's own, which the link holds as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from layoutcm.comparison import Comparison
from layoutcm.errors import InputError
from layoutcm.metrics.family_confusion import names_in_order
from layoutcm.metrics.family_trees import (
    BUILT_IN,
    PATH_SEPARATOR,
    FamilyTree,
    built_in_tree,
    check_tree,
    suggested_trees,
)
from layoutcm.ui.state import choices

EVERY_LABEL_ALONE = "alone"
TITLES = {
    "doclaynet": "DocLayNet",
    "publaynet": "PubLayNet",
    "docling": "docling",
    "mixed": "Labels of several tools",
    EVERY_LABEL_ALONE: "Every label alone",
}
OWN = "Your own"


def labels_of(compared: Comparison) -> list[str]:
    """The distinct label names of both sides."""
    return list(dict.fromkeys(compared.labels[1:]))


def as_text(tree: FamilyTree) -> str:
    """The tree as JSON, the form in which the session and the link keep it."""
    return json.dumps(tree.as_written(), ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> FamilyTree | None:
    """The tree that `as_text` wrote; None if the text is not a valid tree."""
    try:
        return check_tree(json.loads(text), "")
    except (ValueError, RecursionError, InputError):
        return None


def family_options(compared: Comparison) -> list[str]:
    """The options: built-in trees that fit, the best first; every label alone; the visitor's own tree."""
    own = choices.current().families
    fitting = [tree.name for tree in suggested_trees(labels_of(compared))]
    return [*fitting, EVERY_LABEL_ALONE, *([own] if own not in TITLES and from_text(own) else [])]


def explicit_tree(compared: Comparison) -> FamilyTree | None:
    """The tree that the visitor chose; None if nothing was chosen or the choice does not fit these labels."""
    name = choices.current().families
    return _tree_named(compared, name) if name in family_options(compared) else None


def chosen_tree(compared: Comparison) -> FamilyTree:
    """The tree that the visitor chose, else the built-in tree that fits best."""
    return explicit_tree(compared) or _tree_named(compared, family_options(compared)[0])


def _tree_named(compared: Comparison, name: str) -> FamilyTree:
    return built_in_tree(name, labels_of(compared)) if name in BUILT_IN else from_text(name) or FamilyTree("", {})


def labels_by_family(compared: Comparison) -> list[str]:
    """The labels in the order of their families."""
    tree = chosen_tree(compared)
    return names_in_order(labels_of(compared), tree, tree.depth + 1)


def rows_of(tree: FamilyTree, labels: list[str]) -> list[dict[str, str]]:
    """The rows of the editor: every label with the path of its families."""
    # `tree_of` would split a family name that contains the separator.
    parts = {label: [part.replace(PATH_SEPARATOR, "/") for part in tree.paths.get(label, ())] for label in labels}
    first = [label for label in tree.paths if label in parts]
    return [{"label": label, "family": PATH_SEPARATOR.join(parts[label])} for label in dict.fromkeys((*first, *labels))]


def tree_of(rows: Sequence[Mapping[str, str | None]]) -> FamilyTree:
    """The tree in the editor's rows; a label without a family is left out."""
    paths = {}
    for row in rows:
        parts = [part.strip() for part in (row["family"] or "").split(PATH_SEPARATOR)]
        if any(parts):
            paths[str(row["label"])] = tuple(part for part in parts if part)
    return check_tree(FamilyTree("", paths).as_written(), "")
