"""Hints of errors that differ between the dashboard and Python or the command line."""

from __future__ import annotations

from collections.abc import Mapping

from layoutcm.errors import Hint

_SIZES = (
    "a folder of page images (sizes=FOLDER, --sizes FOLDER), or one size for all pages (sizes=(1025, 1025), "
    "--sizes 1025x1025)."
)
_SIZES_ON_SCREEN = (
    "Write the page size on the page Data, or drop page images with the names of the pages together with the files."
)
CUT_OFF = "The file seems cut off: copy or export it again."
MISSING_SIZE = Hint(
    "Give a ground truth that has the page sizes (like=; in `compare` it goes first, in `inspect`, `convert` and "
    f"`compare --no-truth` after --like), {_SIZES}",
    _SIZES_ON_SCREEN,
)
OTHER_PAGE = Hint(
    "Read it with the ground truth and the page map that it is compared with (like= and pages= of `read`), or give "
    f"{_SIZES}",
    _SIZES_ON_SCREEN,
)
NO_FOLDER_OF_IMAGES = Hint(
    "Give a folder of page images, or one size for all pages: width x height, such as 1025x1025 (in Python: a pair).",
    "Give a folder of page images.",
)
RESULTS_WITHOUT_PAGES = Hint(
    f"If it is the prediction, the ground truth goes before it. {MISSING_SIZE.text}",
    f"If it is the prediction, the ground truth goes before it. {MISSING_SIZE.on_screen}",
)
_OF_ONE_FILE = "for one of several inputs: --format FILE=NAME; for the ground truth: --gt-format NAME"
_NAME_FORMAT = f"Say which with format= or --format ({_OF_ONE_FILE})."
WRONG_FORMAT = Hint(f"Leave out the format, or name it for the right file ({_OF_ONE_FILE}).", "Leave out the format.")
SEVERAL_FORMATS = Hint(_NAME_FORMAT, "Drop files of one kind.")
AMBIGUOUS_FORMAT = Hint(_NAME_FORMAT, "Convert it with `layoutcm convert --format`, and drop the result.")


def other_format(names: str) -> Hint:
    """The hint for a file that is not of the chosen format, but looks like another one."""
    found = f"This looks like {names}: leave out the format"
    return Hint(f"{found}, or give --format {names} ({_OF_ONE_FILE}).", f"{found}.")


def unknown_format(likeliest: Mapping[str, str]) -> Hint:
    """The hint for a file of no known format; `likeliest` is {format: what the file lacks for it}."""
    lacking = "; ".join(f"for {name} it lacks {missing}" for name, missing in likeliest.items())
    closest = f"{lacking[:1].upper()}{lacking[1:]}. " if lacking else ""
    return Hint(
        f"{closest}Name the format with format= or --format if it has one; `layoutcm formats` lists all.",
        f"{closest}The page Data lists all formats.",
    )
