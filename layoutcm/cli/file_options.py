"""Options whose value is for all files or for one: `--format coco`, `--format model-a=yolo`.

The files of --format and --fix are the predictions, or what `inspect` and `convert` read; --sizes is for every file.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import NamedTuple

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.recognition import named_format

FILE_OPTIONS = ("format", "sizes", "fix")
OPTIONS_OF_GT = {"format": "--gt-format", "fix": "--fix-gt"}


class FileOption(NamedTuple):
    """The value of an option, and the name of the file that it is for; "" if it is for all files."""

    file: str
    value: str


def resolve_file_options(options: argparse.Namespace) -> None:
    """Replace the texts of these options by `FileOption`s, and refuse files and formats that are not known."""
    for option in FILE_OPTIONS:
        if texts := getattr(options, option, None):
            setattr(options, option, [_file_option(text, option, options) for text in texts])
    for given in getattr(options, "format", None) or ():
        named_format("", given.value, "--format")
    if gt_format := getattr(options, "gt_format", None):
        named_format("", gt_format, "--gt-format")


def _file_option(text: str, option: str, options: argparse.Namespace) -> FileOption:
    """FILE=VALUE or VALUE. Both sides may contain "=": the longest text before one that names a file is the file.

    The name of an existing folder is a value, whatever characters it has.
    """
    if "=" not in text or os.path.exists(text):
        return FileOption("", text)
    files = _files_of(options, option)
    ends = [i for i, character in enumerate(text) if character == "="][::-1]
    end = next((i for i in ends if _files_named(text[:i], files)), ends[0])
    file = text[:end]
    if file and len(_files_named(file, files)) != 1:
        raise _unclear_file(file, option, options)
    return FileOption(file, text[end + 1 :])


def _unclear_file(name: str, option: str, options: argparse.Namespace) -> InputError:
    """The error for a name that is not that of exactly one file of the command."""
    files, gt = _files_of(options, option), getattr(options, "gt", None)
    if not _files_named(name, files) and gt and option in OPTIONS_OF_GT and _files_named(name, [gt]):
        problem = f"{short_repr(name)} is the ground truth"
        return InputError("", f"--{option}", problem, f"For the ground truth use {OPTIONS_OF_GT[option]}.")
    return _no_single_file(name, files, f"--{option}", "Write FILE=VALUE, where FILE is one of")


def _no_single_file(name: str, files: Sequence[str], place: str, advice: str) -> InputError:
    names = ", ".join(short_repr(file) for file in files)
    problem = f"{'several files are' if _files_named(name, files) else 'no file is'} named {short_repr(name)}"
    return InputError("", place, problem, f"{advice} {names}.")


def file_named(name: str, files: Sequence[str], place: str) -> str:
    """The only one of the files with this path, or this name with or without suffix."""
    named = _files_named(name, files)
    if len(named) != 1:
        raise _no_single_file(name, files, place, "Name one of")
    return next(iter(named))


def value_for(file: str, options: argparse.Namespace, option: str) -> str | None:
    """The last value that names the file, else the last one for all files, else None."""
    given = _options_for(file, options, option)
    named = [one for one in given if one.file] or given
    return named[-1].value if named else None


def values_for(file: str, options: argparse.Namespace, option: str) -> list[str]:
    """All values for the file, in the order of the command line."""
    return [one.value for one in _options_for(file, options, option)]


def _options_for(file: str, options: argparse.Namespace, option: str) -> list[FileOption]:
    files = _files_of(options, option)
    given: Sequence[FileOption] = getattr(options, option, None) or ()
    return [one for one in given if not one.file or file in _files_named(one.file, files)]


def _files_of(options: argparse.Namespace, option: str) -> list[str]:
    """The files that the option may name."""
    names = ("pred", "files", "file", *(("gt", "like") if option == "sizes" else ()))
    given = [getattr(options, name, None) or [] for name in names]
    return [file for one in given for file in ([one] if isinstance(one, str) else one)]


def _files_named(name: str, files: Sequence[str]) -> set[str]:
    """The files with this path, else those with this name without folders, else without suffix."""
    paths = {file: PurePath(os.path.abspath(file)) for file in files}
    wanted = PurePath(os.path.abspath(name))
    by_path = {file for file, path in paths.items() if path == wanted}
    by_name = {file for file, path in paths.items() if path.name == name}
    return by_path or by_name or {file for file, path in paths.items() if path.stem == name}
