"""Options with one value for all files or one for each, --min-score, and checks of output paths.

`--format coco` is for all files, `--format model-a=yolo` for one. The files of --format and --fix are the predictions,
or what `inspect` and `convert` read; --sizes is for every file.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from layoutcm.errors import InputError, short_repr
from layoutcm.formats.recognition import named_format
from layoutcm.layouts.page_names import IMAGE_SUFFIXES
from layoutcm.outputs.files import behind_links, file_target

OUTPUTS = {"output": "-o", "json": "--json", "markdown": "--markdown", "write_page_map": "--write-page-map"}
FILE_OPTIONS = ("format", "sizes", "fix")
OPTIONS_OF_GT = {"format": "--gt-format", "fix": "--fix-gt"}
# The options that name files which a command reads. Layouts are read from all files of a folder.
LAYOUT_OPTIONS = ("gt", "pred", "files", "file", "like")
OTHER_OPTIONS = ("mapping", "pages", "families", "images", "sizes", "attributes", "result", "baseline")
OPTION = "--min-score"
LabelScore = tuple[str | None, float]  # None: all labels that are not named


class FileOption(NamedTuple):
    """The value of an option, and the name of the file that it is for; "" if it is for all files."""

    file: str
    value: str


def refuse_empty_outputs(options: argparse.Namespace) -> None:
    """An empty name, as of a variable of a shell that is not set, would write nothing without a word."""
    for name, option in OUTPUTS.items():
        if getattr(options, name, None) == "":
            raise InputError("", option, "the output has no name", "Name one, or leave the option out.")


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
    file, gt = text[:end], getattr(options, "gt", None)
    named = _files_named(file, files)
    if file and not named and gt and option in OPTIONS_OF_GT and _files_named(file, [gt]):
        problem = f"{short_repr(file)} is the ground truth"
        raise InputError("", f"--{option}", problem, f"For the ground truth use {OPTIONS_OF_GT[option]}.")
    if file and len(named) != 1:
        raise _no_single_file(file, files, f"--{option}", "Write FILE=VALUE, where FILE is one of")
    return FileOption(file, text[end + 1 :])


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


def check_file_output(path: str, options: argparse.Namespace) -> None:
    """Raise an InputError if a file cannot be written there, or if it is an input or among the files of one."""
    if path == "-":
        raise InputError(path, "", "this is not the name of a file", "Name a file, or /dev/stdout.")
    target = file_target(path)
    if not target.parent.is_dir():
        raise InputError(path, "", "cannot be written: there is no such folder", "Make it, or choose another place.")
    for source in _inputs(options, LAYOUT_OPTIONS + OTHER_OPTIONS):
        if _is_same(target, source):
            raise InputError(path, "", "the output would replace this input", "Choose another name.")
    _refuse_inside(path, target, options)
    pictures = (folder for folder in _inputs(options, OTHER_OPTIONS) if folder.is_dir())
    is_picture = target.exists() and target.suffix.lower() in (*IMAGE_SUFFIXES, ".pdf")
    if is_picture and any(target.is_relative_to(folder) for folder in pictures):
        raise InputError(path, "", "the output would replace this page image", "Choose another name.")


def check_folder_output(path: str, options: argparse.Namespace) -> None:
    """Raise an InputError if the folder is an input, contains one, or is among the files of one."""
    target = behind_links(path)
    for source in _inputs(options, LAYOUT_OPTIONS + OTHER_OPTIONS):
        if source.is_relative_to(target) or _is_same(target, source):
            problem = f"the folder is or contains the input {source.name}, which it would replace"
            raise InputError(path, "", problem, "Choose another folder.")
    _refuse_inside(path, target, options)


def _refuse_inside(path: str, target: Path, options: argparse.Namespace) -> None:
    for source in _inputs(options, LAYOUT_OPTIONS):
        if source.is_dir() and target.is_relative_to(source):
            problem = f"this is inside the input {source.name}, whose files are all read"
            raise InputError(path, "", problem, "Choose a place outside of it.")


def _inputs(options: argparse.Namespace, names: Sequence[str]) -> Iterator[Path]:
    """The existing files and folders that these options name, behind links."""
    for name in names:
        given = getattr(options, name, None) or []
        for one in [given] if isinstance(given, str) else given:
            file = one.value if isinstance(one, FileOption) else one
            if "\0" not in file and os.path.exists(file):
                yield Path(os.path.realpath(file))


def _is_same(target: Path, source: Path) -> bool:
    """Whether both are one file, also if it has two names (a hard link)."""
    return target == source or (target.exists() and os.path.samefile(target, source))


def separate_min_scores(arguments: Sequence[str]) -> list[str]:
    """The arguments with the option before each of its values.

    A file may follow the values, so argparse cannot know how many there are. An existing file is not a value.
    """
    separated: list[str] = []
    after_value = False
    for k, text in enumerate(arguments):
        if after_value and not os.path.exists(text) and _is_value(text):
            separated.append(OPTION)
        else:
            after_value = text.startswith(f"{OPTION}=") or (k > 0 and arguments[k - 1] == OPTION)
        separated.append(text)
    return separated


def _is_value(text: str) -> bool:
    try:
        label_score(text)
    except argparse.ArgumentTypeError:
        return False
    return True


def label_score(text: str) -> LabelScore:
    """One value of the option: a number, or LABEL=NUMBER."""
    label, separator, number = text.rpartition("=")
    try:
        score = float(number)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor LABEL=NUMBER") from None
    return (label if separator else None), score


def resolve_min_score(options: argparse.Namespace) -> None:
    """Replace the values of the option by a minimum score as `compare` takes it."""
    if values := getattr(options, "min_score", None):
        given = dict(values)
        if len(given) < len(values):
            repeated = next(label for k, (label, _) in enumerate(values) if label in dict(values[:k]))
            what = "all labels" if repeated is None else f"the label {short_repr(repeated)}"
            raise InputError("", OPTION, f"there are two minimum scores for {what}", "Give one of them.")
        options.min_score = given
