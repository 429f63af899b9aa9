"""Write docs/schema from the types of a result: the comment behind a field is its description.

python docs/make_schema.py
"""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import msgspec

from layoutcm.results import common_parts, types, view_types, vocabulary
from layoutcm.results.result import LeaderboardResult, Result

FOLDER = Path(__file__).parent / "schema"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
OF_RESULT = "What `layoutcm compare --json` and result.json of a report contain: one result, or a list of results."
OF_BOARD = "What leaderboard.json of a report of several predictions contains."
# The fields of these are those of the class that they extend.
EXTENDED = {"Result": "ResultFields", "LeaderboardResult": "BoardFields"}


def comments() -> dict[str, dict[str, str]]:
    """{class: {key of the JSON: comment}} of the modules that define the types."""
    found: dict[str, dict[str, str]] = {}
    for module in (common_parts, view_types, types, vocabulary):
        source = inspect.getsource(module)
        lines = source.splitlines()
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.ClassDef) or not hasattr(getattr(module, node.name), "__struct_fields__"):
                continue
            keys = dict(
                zip(
                    *(
                        getattr(getattr(module, node.name), name)
                        for name in ("__struct_fields__", "__struct_encode_fields__")
                    )
                )
            )
            fields = (
                part for part in node.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            )
            found[node.name] = {
                keys[part.target.id]: lines[(part.end_lineno or 0) - 1].rpartition("  # ")[2] for part in fields
            }
    return found


def schema_of(type: Any, title: str, description: str, name: str) -> dict[str, Any]:
    """The schema of one type, with the description of every key."""
    (top,), parts = msgspec.json.schema_components([type], ref_template="#/$defs/{name}")
    described = comments()
    for part, schema in parts.items():
        schema["description"] = schema["description"].partition("\n")[0]
        for key, own in schema.get("properties", {}).items():
            words = described[EXTENDED.get(part, part)][key]
            schema["properties"][key] = {**own, "description": words}
    one = {"anyOf": [top, {"type": "array", "items": top}]} if name == "result" else top
    identity = {"$schema": DRAFT, "$id": f"urn:layoutcm:{name}:{types.SCHEMA}"}
    return {**identity, "title": title, "description": description, **one, "$defs": parts}


def schemas() -> dict[str, str]:
    """{name of the file: its text}"""
    given = {
        "result": (Result, "Result of layoutcm compare", OF_RESULT),
        "leaderboard": (LeaderboardResult, "Leaderboard of layoutcm compare", OF_BOARD),
    }
    made = {name: schema_of(*one, name) for name, one in given.items()}
    return {
        f"{name}-{types.SCHEMA}.schema.json": json.dumps(one, indent=2, ensure_ascii=False) + "\n"
        for name, one in made.items()
    }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, text in schemas().items():
        (FOLDER / name).write_text(text, "utf-8")
        print(FOLDER.name, name)


if __name__ == "__main__":
    main()
