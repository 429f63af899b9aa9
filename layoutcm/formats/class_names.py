"""Names of classes in a file beside the labels, for formats whose labels are numbers.

data.yaml, *.names, classes.txt and the like, and JSON: a list of names, {number: name} as in id2label, or a list of
categories with id and name, also below `names`, `id2label` or `categories`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.parsing import names_by_number
from layoutcm.layouts.handwritten import parse_yaml_or_json
from layoutcm.layouts.model import Finding

STEMS = ("classes", "names", "class_names", "label_names", "id2label", "categories")
KEYS = ("names", "id2label", "categories")


def is_list_of_names(name: str) -> bool:
    """Whether a file is a list of class names, by its name."""
    path = PurePosixPath(name.replace("\\", "/").lower())
    return path.suffix == ".names" or (path.stem in STEMS and path.suffix in (".txt", ".json"))


def class_names(options: Options) -> dict[int, str] | None:
    """{class number: name} from the first file beside the labels that contains names, or None."""
    for content in options.companions:
        name = content.name.lower()
        if name.endswith((".yaml", ".yml")) or (name.endswith(".json") and is_list_of_names(name)):
            found = _as_names(parse_yaml_or_json(content.name, content.data, "list of names"), name.endswith(".json"))
        elif is_list_of_names(name):
            found = _lines(content)
        else:
            continue
        if found is not None:
            return found
    return None


def _lines(content: FileContent) -> dict[int, str]:
    text = content.data_without_bom.decode("utf-8", "replace")
    # A blank line is a class without a name: without it, the numbers of all later ones would change.
    return {i: line.strip() for i, line in enumerate(text.splitlines()) if line.strip()}


def _as_names(loaded: object, may_be_root: bool) -> dict[int, str] | None:
    """The names in a parsed file; in YAML, which holds much else, only those below a key."""
    if isinstance(loaded, dict) and (key := next((key for key in KEYS if key in loaded), None)):
        loaded = loaded[key]
    elif not may_be_root:
        return None
    if isinstance(loaded, list) and loaded and all(isinstance(one, dict) for one in loaded):
        loaded = {one.get("id"): one.get("name") for one in loaded if isinstance(one.get("id"), int | str)}
    if isinstance(loaded, list):
        return {i: str(name) for i, name in enumerate(loaded)}
    return names_by_number(loaded) if isinstance(loaded, dict) else None


def reference_names(file: str, options: Options) -> tuple[dict[int, str], Finding]:
    """{class number: label} of the reference layout, and a finding that there is no list of names."""
    like = options.like
    names: dict[int, str] = {}
    if like is not None:
        ids: Mapping[Any, int] = {key: i for key, i in like.label_keys.items() if isinstance(key, int) and i >= 0}
        names = {key: like.labels[i] for key, i in (ids or {i: i for i in range(len(like.labels))}).items()}
    return names, Finding("unnamed-classes", values={"file": file, "by_reference": bool(names)})


class ClassLabels:
    """Class numbers as labels, and findings about them, for a file that does not name them itself.

    Names are looked for when the first number needs them: in a file beside it, else in the reference layout.
    """

    def __init__(self, file: str, options: Options) -> None:
        self.file, self.options = file, options
        self.declared: dict[int, str] | None = None
        self.findings: list[Finding] = []
        self.undeclared: Counter[int] = Counter()

    @property
    def names(self) -> dict[int, str]:
        """{class number: name}"""
        if self.declared is None:
            self.declared = class_names(self.options)
        if self.declared is None:
            self.declared, finding = reference_names(self.file, self.options)
            self.findings.append(finding)
        return self.declared

    def label(self, category: int | str) -> str:
        """The label of a class number; a text is a label."""
        if isinstance(category, str):
            return category
        if category not in self.names:
            self.undeclared[category] += 1
        return self.names.get(category) or f"category {category}"

    def keys(self, labels: Sequence[str]) -> dict[int | float | str, int]:
        """{class number: position in the labels of a layout}, to find numbers that count from another start."""
        position = {label: i for i, label in enumerate(labels)}
        return {key: position[label] for key, label in (self.declared or {}).items() if label in position}

    def all_findings(self) -> list[Finding]:
        return [*self.findings, *undeclared_findings(self.file, self.undeclared)]


def undeclared_findings(file: str, undeclared: Counter[int]) -> list[Finding]:
    """A finding about class numbers without a name, and how often they are used."""
    if not undeclared:
        return []
    first, regions = next(iter(undeclared.items()))
    values = {"ids": len(undeclared), "first": first, "regions": regions, "label": f"category {first}"}
    return [Finding("undeclared-category", undeclared.total(), {"file": file, **values})]
