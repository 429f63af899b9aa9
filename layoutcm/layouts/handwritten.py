"""Read small handwritten YAML or JSON files, such as a label mapping or families.

The files are not trusted: only plain values are loaded. A repeated key is an error, because YAML would silently keep
the last one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable
from typing import Any

from layoutcm.errors import InputError, short_repr
from layoutcm.layouts import limits
from layoutcm.layouts.file_bytes import read_bytes
from layoutcm.lazy import yaml

# PyYAML does not wrap the errors of a tag with a wrong value, such as `!!int x`.
UNWRAPPED_ERRORS = (RecursionError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError)


def read_yaml_or_json(path: str | os.PathLike[str], what: str, hint: str = "Check the name and the folder.") -> object:
    """The plain values in a file; messages use `what` for its content and `hint` if the file does not exist."""
    return parse_yaml_or_json(str(path), read_bytes(path, hint), what)


def parse_yaml_or_json(name: str, data: bytes, what: str) -> object:
    """The plain values in the bytes of a YAML or JSON file."""
    try:
        text = data.decode("utf-8-sig")
        try:
            # JSON first: the YAML parser rejects tabs and emoji written as two escapes, which JSON allows.
            return json.loads(text, object_pairs_hook=_refuse_repeated_keys)
        except json.JSONDecodeError:
            check_expanded_size(text)
            return yaml.load(text, _loader_without_repeats())
    except (yaml.YAMLError, *UNWRAPPED_ERRORS) as error:
        problem = " ".join(str(error).split()) or type(error).__name__
        raise InputError(name, "", f"the {what} cannot be read: {problem}", "Write it as YAML or JSON.") from None


def check_expanded_size(text: str) -> None:
    """Raise ValueError if the YAML text is nested too deeply or too large, before anything is loaded.

    The compiled loader would crash on deep nesting. A few lines of aliases to lists of aliases can fill the memory
    when they are expanded.
    """
    anchor_sizes: dict[str, int] = {}
    open_collections: list[tuple[str | None, int]] = []  # anchor, and the total size before the collection
    size = 0
    for event in yaml.parse(text, Loader=_base_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            open_collections.append((event.anchor, size))
            size += limits.YAML_VALUE_SIZE
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_collections.pop()
            anchor_sizes |= {anchor: size - before} if anchor else {}
        elif isinstance(event, yaml.AliasEvent):
            size += limits.YAML_VALUE_SIZE + anchor_sizes.get(event.anchor or "", 0)
        elif isinstance(event, yaml.ScalarEvent):
            # The time for numbers to base 60, such as 1:30:00, grows with the square of their length.
            if len(event.value) > limits.MAX_NAME and (event.tag or not event.style):
                raise ValueError(f"{short_repr(event.value)} is longer than {limits.MAX_NAME:,} characters")
            size += limits.YAML_VALUE_SIZE + len(event.value)
            anchor_sizes |= {event.anchor: limits.YAML_VALUE_SIZE + len(event.value)} if event.anchor else {}
        if len(open_collections) > limits.MAX_YAML_DEPTH:
            raise ValueError(f"nested more than {limits.MAX_YAML_DEPTH} deep")
        if size > limits.MAX_YAML_SIZE:
            raise ValueError("with its aliases expanded it is far longer than a handwritten file; JSON may be longer")


def _base_loader() -> Any:
    """The compiled loader if it is installed: it is several times as fast."""
    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refuse_repeated_keys(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    built: dict[Any, Any] = {}
    for key, value in pairs:
        if key in built:
            raise ValueError(f"{short_repr(key)} occurs twice")
        built[key] = value
    return built


def _loader_without_repeats() -> Any:
    """A safe YAML loader class that refuses repeated keys."""

    class Loader(_base_loader()):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            merge = "tag:yaml.org,2002:merge"  # `<<`, which includes the keys of another mapping
            keys = [self.construct_object(key, deep=True) for key, _ in node.value if key.tag != merge]
            _refuse_repeated_keys([(key, None) for key in keys if isinstance(key, Hashable)])
            return super().construct_mapping(node, deep=deep)

    return Loader
