"""The JSON of a comparison as plain values, for tests that look at its keys."""

from layoutcm.filling.result_of import Asked, result_of


def full_result(comparison, method="matrix", per_page=False, **asked):
    """What `compare --json` writes for one prediction, as a dict; `asked` as in `Asked`."""
    return result_of(comparison, method, Asked(per_page=per_page, **asked)).as_dict()
