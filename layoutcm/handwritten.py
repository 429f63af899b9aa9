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

from layoutcm.errors import InputError, shown

MAX_DEPTH = 64


def read_written(path: str | os.PathLike[str], what: str) -> object:
    """The plain values in a file; `what` names its content in messages."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError(str(path), "", "there is no such file", "Check the name and the folder.") from None
    except (OSError, ValueError) as error:
        problem = f"the file cannot be read: {error}"
        raise InputError(str(path), "", problem, "Check its name and permissions.") from None
    return parse_written(str(path), data, what)


def parse_written(name: str, data: bytes, what: str) -> object:
    """The plain values in the bytes of a YAML or JSON file."""
    import yaml

    try:
        text = data.decode("utf-8-sig")
        try:
            # JSON first: YAML stumbles over its tabs and over emoji written as two escapes.
            return json.loads(text, object_pairs_hook=_unrepeated)
        except json.JSONDecodeError:
            check_nesting(text)
            return yaml.load(text, _loader())
    # Besides its own errors, PyYAML lets those of a tag with a wrong value through, such as `!!int x`.
    except (yaml.YAMLError, RecursionError, ValueError, LookupError, AttributeError, TypeError) as error:
        problem = " ".join(str(error).split()) or type(error).__name__
        raise InputError(name, "", f"the {what} cannot be read: {problem}", "Write it as YAML or JSON.") from None


def check_nesting(text: str) -> None:
    """Refuse what is nested without end before anything is built of it: the compiled loader would crash on it."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ValueError(f"nested more than {MAX_DEPTH} deep")


def _unrepeated(pairs: list[tuple[Any, Any]]) -> dict[Any, Any]:
    built: dict[Any, Any] = {}
    for key, value in pairs:
        if key in built:
            raise ValueError(f"{shown(key)} stands there twice")
        built[key] = value
    return built


def _loader() -> Any:
    """A safe YAML loader that refuses a key given twice."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            merge = "tag:yaml.org,2002:merge"  # `<<`, which takes over the keys of another mapping
            keys = [self.construct_object(key, deep=True) for key, _ in node.value if key.tag != merge]
            _unrepeated([(key, None) for key in keys if isinstance(key, Hashable)])
            return super().construct_mapping(node, deep=deep)

    return Loader
