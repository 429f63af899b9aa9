"""The JSON of a comparison as plain values, its published schema, and findings in short."""

import json

from jsonschema import Draft202012Validator

from layoutcm.filling.result_of import Asked, result_of
from support.paths import ROOT


def full_result(comparison, method="matrix", per_page=False, **asked):
    """What `compare --json` writes for one prediction, as a dict; `asked` as in `Asked`."""
    return result_of(comparison, method, Asked(per_page=per_page, **asked)).as_dict()


def codes(findings):
    """{code: count}"""
    return {finding.code: finding.count for finding in findings}


SCHEMA, BOARD = (
    json.loads((ROOT / "docs" / "schema" / f"{name}-2.0.schema.json").read_text("utf-8"))
    for name in ("result", "leaderboard")
)
DEFS = {"$defs": BOARD["$defs"] | SCHEMA["$defs"]}
VALIDATOR = Draft202012Validator(SCHEMA)


def assert_valid(result):
    """The result follows the schema, after it was written and read, and has no key that the schema does not name."""
    from layoutcm.results.encoding import json_text

    written = json.loads(json_text(result))
    assert VALIDATOR.is_valid(written), [reason(one) for one in (written if isinstance(written, list) else [written])]
    assert not undescribed_keys(written)


def reason(result):
    """The first values of one result that do not follow the schema."""
    errors = Draft202012Validator({"$ref": "#/$defs/Result", **DEFS}).iter_errors(result)
    return [f"{error.json_path}: {error.message[:200]}" for error in errors][:5]


def undescribed_keys(value, schema=SCHEMA, place="$"):
    """The places of keys in `value` that no fitting part of the schema describes."""
    branches = _branches(schema)
    if len(branches) > 1:
        branches = [branch for branch in branches if Draft202012Validator({**branch, **DEFS}).is_valid(value)]
    if isinstance(value, list):
        items = next((branch["items"] for branch in branches if "items" in branch), None)
        return [] if items is None else [key for item in value for key in undescribed_keys(item, items, f"{place}[]")]
    if not isinstance(value, dict):
        return []
    found = []
    for key, item in value.items():
        parts = [part for branch in branches for part in _parts_for(key, branch)]
        if not parts:
            found.append(f"{place}.{key}")
        else:
            found += undescribed_keys(item, parts[0], f"{place}.{key}")
    return found


def _branches(schema):
    """The schema without references and alternatives."""
    if isinstance(schema, bool):
        return []
    if "$ref" in schema:
        return _branches(DEFS["$defs"][schema["$ref"].rpartition("/")[2]])
    if "anyOf" in schema:
        return [branch for one in schema["anyOf"] for branch in _branches(one)]
    return [schema]


def _parts_for(key, branch):
    """The schema of a key: its own, or the one of all keys of a table such as {label: value}; True describes none."""
    if key in branch.get("properties", {}):
        return [branch["properties"][key]]
    others = branch.get("additionalProperties", "properties" not in branch)
    return [others] if isinstance(others, dict) else [{}] if others and "properties" not in branch else []
