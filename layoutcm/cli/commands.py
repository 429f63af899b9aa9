"""The commands that concern one layout or none: each reads files and writes terminal text or a converted layout."""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path

from layoutcm.cli.file_options import value_for
from layoutcm.cli.output_checks import check_file_output, check_folder_output
from layoutcm.cli.reading import read_layout, repair_file
from layoutcm.cli.streams import say, write_json
from layoutcm.errors import InputError
from layoutcm.formats.registry import BY_NAME
from layoutcm.layouts.model import Layout
from layoutcm.layouts.writers import FOLDERS, write
from layoutcm.layouts.writing.places import is_zip
from layoutcm.wording import plural, without_control_characters


def run_formats(options: argparse.Namespace) -> None:
    """Print the name of each format, for --format, and what it is."""
    width = max(map(len, BY_NAME))
    for format in sorted(BY_NAME.values(), key=lambda format: format.name):
        print(f"{format.name:{width}}  {format.title}")


def run_inspect(options: argparse.Namespace) -> None:
    from layoutcm.tables.result_json import layout_result
    from layoutcm.tables.terminal import layout_summary

    if options.json and options.json != "-":
        check_file_output(options.json, options)
    like = read_layout(options.like, options, format=None) if options.like else None
    layouts: list[Layout] = []
    for file in options.files:
        # Without --like, the first file is the reference layout of the others.
        given = {"format": value_for(file, options, "format"), "annotator": options.annotator}
        layouts.append(read_layout(file, options, like=like or next(iter(layouts), None), **given))
        if options.json != "-":
            print(without_control_characters(layout_summary(layouts[-1])), end="\n\n")
    if options.json:
        write_json([layout_result(layout) for layout in layouts], options.json)


def run_convert(options: argparse.Namespace) -> None:
    from layoutcm.tables.result_json import layout_result
    from layoutcm.tables.terminal import finding_lines, further_facts

    is_folder = options.to in FOLDERS and not is_zip(options.output)
    (check_folder_output if is_folder else check_file_output)(options.output, options)
    like = read_layout(options.like, options) if options.like else None
    format = value_for(options.file, options, "format")
    layout = read_layout(options.file, options, like=like, format=format, annotator=options.annotator)
    layout = repair_file(layout, options.file, options)
    predictions = options.written_as and options.written_as == "predictions"
    lost = write(layout, options.to, options.output, predictions=predictions)
    pages, regions = len(layout.page_columns), len(layout.region_columns)
    print(f"{options.output}: {options.to}, {plural(pages, 'page')}, {plural(regions, 'region')}")
    for line in (*further_facts(layout_result(layout)), *finding_lines((*layout.findings, *lost))):
        say(line)


def run_app(options: argparse.Namespace) -> None:
    """Run the server of the dashboard until it ends."""
    from layoutcm.scale.places import is_remote

    for file in options.files:
        if not is_remote(file) and not os.path.exists(file):  # unlike Path.exists, accepts any name
            raise InputError(file, "", "there is no such file", "Check the name and the folder.")
    for folder in (options.data, options.images):
        is_parquet = folder == options.images and bool(folder) and Path(folder).suffix.lower() == ".parquet"
        if folder and not (Path(folder).is_dir() or (is_parquet and Path(folder).is_file())):
            raise InputError(folder, "", "there is no such folder", "Check the name.")
    from layoutcm.ui import server

    server.check_files(options.files)
    _check_port(server.address_of(options), options.port)
    server.serve(options)


def _check_port(address: str, port: int) -> None:
    """Raise an InputError if the port cannot be used; otherwise the browser could open the page of another server."""
    import socket

    if not 0 < port < 65536:
        raise InputError("", "--port", f"{port} is not a port", "Use one from 1 to 65535, such as 8501.")
    try:
        with socket.create_server((address, port)):
            pass
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            hint = "Use 127.0.0.1, 0.0.0.0, or one of its own."
            raise InputError("", "--address", f"{address} is not an address of this machine", hint) from None
        problem = f"{address}:{port} cannot be listened on: {error.strerror or error}"
        hint = f"Stop the other server, or choose another port: --port {port % 65535 + 1}."
        raise InputError("", "--port", problem, hint) from None
