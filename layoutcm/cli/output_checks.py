"""Refuse an output that would destroy an input, before any work."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from layoutcm.cli.file_options import FileOption
from layoutcm.errors import InputError
from layoutcm.layouts.page_names import IMAGE_SUFFIXES
from layoutcm.outputs.files import behind_links, file_target

# The options that name files which a command reads. Layouts are read from all files of a folder.
LAYOUT_OPTIONS = ("gt", "pred", "files", "file", "like")
OTHER_OPTIONS = ("mapping", "pages", "families", "images", "sizes", "attributes", "result", "baseline")


def check_file_output(path: str, options: argparse.Namespace) -> None:
    """Raise an InputError if a file cannot be written there, or if it is an input or among the files of one."""
    if path == "-":
        raise InputError(path, "", "this is no name of a file", "Name a file, or /dev/stdout.")
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
