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


class FileOption(NamedTuple):
    """The value of an option, and the name of the file that it is for; "" if it is for all files."""

    file: str
    value: str


def file_option(text: str) -> FileOption:
    """FILE=VALUE or VALUE; the name of an existing folder is a value, whatever characters it has."""
    file, equals, value = text.rpartition("=")
    return FileOption(file, value) if equals and not os.path.exists(text) else FileOption("", text)


def format_option(text: str) -> FileOption:
    option = file_option(text)
    return option._replace(value=format_name(option.value, "--format"))


def format_name(name: str, option: str = "--gt-format") -> str:
    return named_format("", name, option).name


def check_file_options(options: argparse.Namespace) -> None:
    """Refuse an option for a file that is not among those of the command, or that could be several of them."""
    for option in FILE_OPTIONS:
        files = _files_of(options, option)
        for given in getattr(options, option, None) or ():
            if given.file and len(_files_named(given.file, files)) != 1:
                how_many = "several files are" if _files_named(given.file, files) else "no file is"
                names = ", ".join(short_repr(file) for file in files)
                problem = f"{how_many} named {short_repr(given.file)}"
                raise InputError("", f"--{option}", problem, f"Write FILE=VALUE, where FILE is one of {names}.")


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
    if name in paths:
        return {name}
    named = {file for file, path in paths.items() if path.name == name}
    return named or {file for file, path in paths.items() if path.stem == name}
