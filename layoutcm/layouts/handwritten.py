"""Small files that people write by hand: YAML or JSON with names in them, such as a mapping or families.

They come from anywhere, so nothing but plain values is made of them, and a key that stands twice is an error:
YAML would silently keep the last.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable
from pathlib import Path
from typing import Any

from layoutcm.errors import InputError, short_repr

MAX_NESTING = 64
# Characters with all names written out, each value counting as some on its own.
MAX_EXPANDED, VALUE_SIZE = 10_000_000, 25


def read_yaml_or_json(path: str | os.PathLike[str], what: str, hint: str = "Check the name and the folder.") -> object:
    """The plain values in a file; `what` names its content in messages, `hint` helps where there is no such file."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(str(path), "", "there is no such file", hint) from None
    except (OSError, ValueError) as error:
        problem = f"the file cannot be read: {error}"
        raise InputError(str(path), "", problem, "Check its name and permissions.") from None
    return parse_yaml_or_json(str(path), data, what)


def parse_yaml_or_json(name: str, data: bytes, what: str) -> object:
    """The plain values in the bytes of a YAML or JSON file."""
    import yaml

    try:
        text = data.decode("utf-8-sig")
        try:
            # JSON first: YAML stumbles over its tabs and over emoji written as two escapes.
            return json.loads(text, object_pairs_hook=_refuse_repeated_keys)
        except json.JSONDecodeError:
            check_expanded_size(text)
            return yaml.load(text, _loader_without_repeats())
    # Besides its own errors, PyYAML lets those of a tag with a wrong value through, such as `!!int x`.
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError, TypeError) as error:
        problem = " ".join(str(error).split()) or type(error).__name__
        raise InputError(name, "", f"the {what} cannot be read: {problem}", "Write it as YAML or JSON.") from None


def check_expanded_size(text: str) -> None:
    """Refuse what is nested or grows without end before anything is built of it.

    The compiled loader would crash on the one; the other is a few lines of names for lists of names for lists, which
    fill the memory as soon as they are written out.
    """
    import yaml

    named: dict[str, int] = {}  # how much a name stands for
    open_: list[tuple[str | None, int]] = []  # the name of what is open, and what stood before it
    extent = 0
    for event in yaml.parse(text, Loader=_base_loader()):
        if isinstance(event, yaml.CollectionStartEvent):
            open_.append((event.anchor, extent))
            extent += VALUE_SIZE
        elif isinstance(event, yaml.CollectionEndEvent):
            name, before = open_.pop()
            named |= {name: extent - before} if name else {}
        elif isinstance(event, yaml.AliasEvent):
            extent += VALUE_SIZE + named.get(event.anchor or "", 0)
        elif isinstance(event, yaml.ScalarEvent):
            extent += VALUE_SIZE + len(event.value)
            named |= {event.anchor: VALUE_SIZE + len(event.value)} if event.anchor else {}
        if len(open_) > MAX_NESTING:
            raise ValueError(f"nested more than {MAX_NESTING} deep")
        if extent > MAX_EXPANDED:
            raise ValueError("it is far longer than anybody writes; as JSON it may be long")


def _base_loader() -> Any:
    """The compiled loader, several times as fast, where there is one."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _refuse_repeated_keys(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    built: dict[Any, Any] = {}
    for key, value in pairs:
        if key in built:
            raise ValueError(f"{short_repr(key)} stands there twice")
        built[key] = value
    return built


def _loader_without_repeats() -> Any:
    """A safe YAML loader that refuses a key given twice."""

    class Loader(_base_loader()):  # type: ignore[misc]
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            merge = "tag:yaml.org,2002:merge"  # `<<`, which takes over the keys of another mapping
            keys = [self.construct_object(key, deep=True) for key, _ in node.value if key.tag != merge]
            _refuse_repeated_keys([(key, None) for key in keys if isinstance(key, Hashable)])
            return super().construct_mapping(node, deep=deep)

    return Loader
