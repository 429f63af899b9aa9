"""The commands: each reads files and writes terminal text, JSON, a report folder or a converted layout."""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from layoutcm.cli.file_options import value_for
from layoutcm.cli.output_checks import check_file_output, check_folder_output
from layoutcm.cli.reading import compare_file, progress_bar, read_gt, read_layout, repair_file
from layoutcm.cli.streams import say
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, short_repr
from layoutcm.formats import garbage_collection_paused
from layoutcm.formats.registry import BY_NAME
from layoutcm.layouts.model import PRED, Layout
from layoutcm.layouts.writers import FOLDERS, write
from layoutcm.layouts.writing.places import is_zip
from layoutcm.metrics.bootstrap import check_resampling
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.family_trees import BUILT_IN, FamiliesLike, family_tree
from layoutcm.models.differences import difference, on_common_pages
from layoutcm.outputs.files import write_whole
from layoutcm.tables.extras import Extras
from layoutcm.wording import agree, plural, without_control_characters

if TYPE_CHECKING:
    from layoutcm.drawing.page_images import PageImages

COMMON_PAGES = "The difference from {} is on {}, so that both predictions have the same pages."


def run_compare(options: argparse.Namespace) -> None:
    # Checked before the long work, so that a mistake is reported at once.
    _check_outputs(options)
    families = options.families
    if families is not None and families not in BUILT_IN:
        families = family_tree(families, ())
    if options.intervals is not None:
        check_resampling(options.intervals)
    results, texts = [], []
    # Results hold very many small objects, and a collection would look at all of them.
    with garbage_collection_paused(), _report_folder(options) as folder:
        gt = read_gt(options)
        first: tuple[str, Comparison] | None = None
        earlier: dict[object, str] = {}
        for file, name in zip(options.pred, _report_names(options.pred)):
            comparison = compare_file(gt, file, options, name)
            first = first or (name, comparison)
            extras, notes = _extras(comparison, first, families, options)
            notes += _repeated_note(name, comparison.alignment.layouts[PRED], earlier)
            result: dict[str, Any] | None = None
            if folder:
                result, missing = _write_report(comparison, folder / name, options, extras)
                notes += [*missing, *_write_differences(first, comparison, folder / name, options)]
            if options.json:
                result = _result_beside(comparison, name, options, extras, result)
            results.append(result)
            if options.json != "-":
                texts += [*_sections(comparison, first[0], extras, options), *notes]
    # Printed after the report and the JSON are written: a closed pipe (`| head`) must not lose them.
    if options.json:
        _write_json(results[0] if len(results) == 1 else results, options.json)
    for text in texts:
        print(without_control_characters(text), end="\n\n")
    if options.output and options.json != "-":
        print(f"report written to {options.output}")


def _check_outputs(options: argparse.Namespace) -> None:
    if options.per_page and not (options.json or options.output):
        problem = "matrices of pages are for JSON and reports"
        raise InputError("", "--per-page", problem, "Name a file with --json, or a folder with -o.")
    if options.output:
        check_folder_output(options.output, options)
    if options.json and options.json != "-":
        check_file_output(options.json, options)


def _extras(
    comparison: Comparison, first: tuple[str, Comparison], families: FamiliesLike | None, options: argparse.Namespace
) -> tuple[Extras, list[str]]:
    """The requested extras of a comparison, and a note if the difference cannot be computed."""
    counted = None if families is None else _families(comparison, families, options)
    if not options.intervals:
        return Extras(counted), []
    intervals = comparison.bootstrap(options.intervals, method=options.method)
    name, other = first
    if comparison is other:
        return Extras(counted, intervals), []
    try:
        found = difference(other, comparison, options.intervals, method=options.method)
        pages = len(on_common_pages(other, comparison)[0].pages)
    except InputError as error:
        return Extras(counted, intervals), [f"no difference from {name}: {error}"]
    own = len(comparison.pages) == len(other.pages) == pages
    return Extras(counted, intervals, found), [] if own else [COMMON_PAGES.format(name, plural(pages, "page"))]


def _sections(comparison: Comparison, first: str, extras: Extras, options: argparse.Namespace) -> list[str]:
    """The texts that are printed for one prediction."""
    from layoutcm.tables.interval_texts import difference_summary
    from layoutcm.tables.object_texts import object_summary
    from layoutcm.tables.terminal import comparison_summary, family_summary

    with ThreadPoolExecutor(2) as pool:
        # On two processors; the results are kept for the summary.
        pool.submit(lambda: comparison.findings)
        for over in ("pages", "documents"):
            pool.submit(comparison.average, over=over, method=options.method)
    texts = [comparison_summary(comparison, options.method, extras.intervals)]
    texts.append(object_summary(comparison, options.objects))
    texts += [difference_summary(extras.difference, first)] if extras.difference else []
    return [*texts, family_summary(extras.families)] if extras.families else texts


def _report_folder(options: argparse.Namespace) -> AbstractContextManager[Path | None]:
    """The temporary folder that replaces the output folder at the end; invalid options are reported before any work."""
    if options.output is None:
        if options.images:
            raise InputError("", "--images", "page images are for a report", "Name its folder with -o.")
        return nullcontext()
    if not options.output:
        raise InputError("", "-o", "the folder of the report has no name", "Name one.")
    from layoutcm.outputs.folders import replace_folder
    from layoutcm.report.report_files import REPORT_FILES

    return replace_folder(options.output, REPORT_FILES)


def _report_names(files: Sequence[str]) -> list[str]:
    """The name of the folder of each prediction, taken from its file; a single prediction has no folder of its own."""
    if len(files) == 1:
        return [""]
    names: list[str] = []
    paths = [Path(file).resolve() for file in files]
    for path in paths:
        stem = _distinct_stem(path, paths)
        numbered = (f"{stem}-{k}" for k in range(2, len(files) + 2))
        names.append(next(name for name in (stem, *numbered) if name not in names))
    return names


def _distinct_stem(path: Path, paths: Sequence[Path]) -> str:
    """The name without suffix, after as many of its folders as tell it from the other paths."""
    tails = [(*one.parent.parts[1:], one.stem or "prediction") for one in paths if one != path]
    own = (*path.parent.parts[1:], path.stem or "prediction")
    for k in range(1, len(own) + 1):
        if all(tail[-k:] != own[-k:] for tail in tails):
            return "-".join(own[-k:])
    return own[-1]


def _repeated_note(name: str, pred: Layout, earlier: dict[object, str]) -> list[str]:
    """A note if the same file was given before, and read and repaired in the same way."""
    key = (pred.sha256, pred.format, pred.annotator, pred.repairs)
    first = earlier.setdefault(key, name)
    return [f"{name} is the same prediction as {first}."] if pred.sha256 and first != name else []


def _documents_path(target: str, name: str) -> Path | None:
    """The file beside the JSON for the documents of a very large set; `name` is empty if there is one prediction."""
    if target == "-":
        return None
    from layoutcm.tables.result_levels import DOCUMENTS_FILE

    file = Path(DOCUMENTS_FILE)
    return Path(target).with_name(f"{file.stem}-{name}{file.suffix}" if name else file.name)


def _result_beside(
    comparison: Comparison, name: str, options: argparse.Namespace, extras: Extras, of_report: dict[str, Any] | None
) -> dict[str, Any]:
    """The result for `--json`; the documents of a very large set are written into a file beside it.

    It is the result of the report, if there is one that names no other file.
    """
    from layoutcm.tables.result_json import full_result
    from layoutcm.tables.result_levels import too_many_documents

    if of_report is not None and not too_many_documents(comparison):
        return of_report
    beside = _documents_path(options.json, name)
    if beside and too_many_documents(comparison):  # only then it is written
        check_file_output(str(beside), options)
    return full_result(comparison, options.method, options.per_page, extras, beside)


def _write_report(
    comparison: Comparison, folder: Path, options: argparse.Namespace, extras: Extras
) -> tuple[dict[str, Any], list[str]]:
    """Write all files of one report; returns its result, and a note if images were given and some pages have none."""
    from layoutcm.drawing.page_images import images_from_path
    from layoutcm.report.report_files import write_files

    images = images_from_path(options.images) if options.images else None
    with progress_bar("writing the report", "%") as progress:
        show_share = (lambda step, share: progress(round(100 * share), 100)) if progress else None
        chosen: dict[str, Any] = {"method": options.method, "per_page": options.per_page}
        result = write_files(comparison, folder, images, **chosen, extras=extras, progress=show_share)
    return result, _missing_picture_notes(comparison, images, options.images) if images else []


def _missing_picture_notes(comparison: Comparison, images: PageImages, place: str) -> list[str]:
    found, pages = len(images.by_page(comparison)), len(comparison.pages)
    if found == pages:
        return []
    note = f"{found:,} of {pages:,} pages {agree(found, 'has', 'have')} a picture in {place}"
    if not images.pictures:
        return [f"{note}: it contains no image that can be read"]
    unmatched = images.unmatched_files(comparison)
    page = next(name for k, name in enumerate(comparison.pages) if k not in images.by_page(comparison))
    note = f"{note}; the first page without a picture is {short_repr(page)}"
    if unmatched:
        files = plural(len(unmatched), "file belongs", "files belong")
        note = f"{note}, and {files} to no page (first: {short_repr(unmatched[0])})"
    return [note]


def _write_differences(
    first: tuple[str, Comparison], comparison: Comparison, folder: Path, options: argparse.Namespace
) -> list[str]:
    """Write figures of this prediction minus the first; returns a note with the reason if there are none."""
    from layoutcm.report.report_files import write_differences

    name, other = first
    if comparison is other:
        return []
    why = write_differences(other, comparison, (name, folder.name), folder, options.method)
    return [f"{folder.name} minus {name}: no figure, because {why}"] if why else []


def _families(comparison: Comparison, families: FamiliesLike, options: argparse.Namespace) -> FamilyConfusion:
    return comparison.families(
        families, sample=options.family_sample, count=options.family_count, depth=options.family_depth
    )


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
        _write_json([layout_result(layout) for layout in layouts], options.json)


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
    for file in options.files:
        if not os.path.exists(file):  # unlike Path.exists, accepts any name
            raise InputError(file, "", "there is no such file", "Check the name and the folder.")
    if len(options.files) == 1:
        raise InputError(
            options.files[0], "", "one file alone cannot be compared", "Name a ground truth and a prediction."
        )
    for folder in (options.data, options.images):
        is_parquet = folder == options.images and bool(folder) and Path(folder).suffix.lower() == ".parquet"
        if folder and not (Path(folder).is_dir() or (is_parquet and Path(folder).is_file())):
            raise InputError(folder, "", "there is no such folder", "Check the name.")
    from layoutcm.ui import server

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


def _write_json(value: Any, target: str) -> None:
    from layoutcm.tables.result_json import json_text

    text = json_text(value)
    if target == "-":
        print(text.decode("utf-8"), end="")
        return
    write_whole(target, text)
