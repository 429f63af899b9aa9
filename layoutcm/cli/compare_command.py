"""`layoutcm compare`: predictions against a ground truth, as terminal text, JSON and a report folder."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from layoutcm.cli import reading
from layoutcm.cli.file_options import check_file_output, check_folder_output
from layoutcm.cli.streams import write_output
from layoutcm.comparison import Comparison
from layoutcm.errors import InputError, short_repr
from layoutcm.filling.level_records import write_documents
from layoutcm.filling.result_of import MOST_PAGES, PARTS, Asked, result_of, with_documents_in
from layoutcm.filling.result_parts import no_causes, slices_of_comparison
from layoutcm.formats import garbage_collection_paused
from layoutcm.layouts.model import PRED, Layout
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.bootstrap import check_resampling
from layoutcm.metrics.family_trees import BUILT_IN, FamiliesLike, family_tree
from layoutcm.metrics.intervals import Intervals
from layoutcm.models.differences import difference, on_common_pages
from layoutcm.outputs.files import open_whole
from layoutcm.outputs.folders import replace_folder
from layoutcm.results.encoding import json_text
from layoutcm.results.result import Result
from layoutcm.results.vocabulary import WITHOUT_TRUTH, check_asked
from layoutcm.tables.interval_texts import difference_summary
from layoutcm.tables.slice_tables import slice_summary, slice_table
from layoutcm.tables.terminal import family_summary, object_summary, result_summary
from layoutcm.tables.why import why_summary
from layoutcm.wording import agree, plural, without_control_characters

if TYPE_CHECKING:
    from layoutcm.drawing.page_images import PageImages

COMMON_PAGES = "The difference from {} is on {}, which both predictions have."


def run_compare(options: argparse.Namespace) -> None:
    # Checked before the long work: a mistake is reported at once.
    _check_outputs(options)
    families = options.families
    if families is not None and families not in BUILT_IN:
        families = family_tree(families, ())
    if options.intervals is not None:
        check_resampling(options.intervals)
    names, baseline = reading.report_names(options.pred), reading.baseline_place(options)
    reading.check_mapped_models(options, names)
    results = []
    # Results hold very many small objects, and a collection would look at all of them.
    with garbage_collection_paused(), _report_folder(options) as folder:
        gt = reading.read_gt(options)
        comparisons = {name: reading.compare_file(gt, file, options, name) for file, name in zip(options.pred, names)}
        first = (names[baseline], comparisons[names[baseline]])
        standings = reading.compare_models(comparisons, first[0], folder, options)
        texts = [*standings.texts]
        earlier: dict[object, str] = {}
        # Every report shows the other predictions, too. Without reports, the memory of each is free afterwards.
        models = dict(comparisons) if folder else {}
        for name in names:
            comparison = comparisons.pop(name)
            asked, notes = _asked(comparison, families, options), list[str]()
            asked = replace(asked, standing=standings.places.get(name))
            if options.intervals and comparison is not first[1]:
                given = (standings, options.intervals, options.method)
                found, more = _difference(name, comparison, first, *given)
                asked, notes = replace(asked, difference=found), notes + more
            notes += _repeated_note(name, comparison.alignment.layouts[PRED], earlier)
            result = result_of(comparison, options.method, asked)
            if folder:
                notes += _write_report(result, comparison, folder / name, models, options)
                notes += _write_differences(first, comparison, folder / name, result)
            if options.json:
                result = _result_beside(result, comparison, name, options)
                results.append(result)
            if options.json != "-":
                texts += [*_sections(result, comparison, first[0], options), *notes]
    # Printed after the report and the JSON are written: a closed pipe (`| head`) must not lose them.
    if options.json:
        write_output(json_text(results[0] if len(results) == 1 else results), options.json)
    if options.json == "-":
        return
    for text in texts:
        print(without_control_characters(text), end="\n\n")
    if options.output:
        print(f"report written to {options.output}")


def _check_outputs(options: argparse.Namespace) -> None:
    if options.per_page and not (options.json or options.output):
        problem = "matrices of pages are for JSON and reports"
        raise InputError("", "--per-page", problem, "Name a file with --json, or a folder with -o.")
    if options.no_truth:
        _check_no_truth(options)
    elif options.like:
        raise InputError("", "--like", "the ground truth has page sizes and labels", "It is for --no-truth.")
    if options.output:
        check_folder_output(options.output, options)
    if options.json and options.json != "-":
        check_file_output(options.json, options)


def _check_no_truth(options: argparse.Namespace) -> None:
    """Raise an InputError for what needs a truth."""
    if len(options.pred) > 1:
        problem = f"{len(options.pred) + 1} files are given, two are compared"
        raise InputError("", "--no-truth", problem, "In Python, layoutcm.agreement takes more.")
    names = ("intervals", "families", "objects", "why", "slices", "attributes")
    given = [name for name in names if getattr(options, name) not in (None, False)]
    check_asked(WITHOUT_TRUTH, given, "--no-truth", "--")


def _asked(comparison: Comparison, families: FamiliesLike | None, options: argparse.Namespace) -> Asked:
    """What the result contains."""
    if options.why:
        no_causes(comparison)  # here, because the summary sentence, which is printed first, uses the causes
    in_families = {name: getattr(options, f"family_{name}") for name in ("sample", "count", "depth")}
    return Asked(
        why=options.why,
        per_page=options.per_page,
        families=None if families is None else comparison.families(families, **in_families),
        slices=None if options.slices is None else options.slices or True,
        intervals=options.intervals,
        documents_file=DOCUMENTS_FILE if options.output else "",
        parts=_parts(comparison, options),
    )


def _difference(
    name: str, comparison: Comparison, first: tuple[str, Comparison], standings: reading.Standings, n: int, method: str
) -> tuple[Intervals | None, list[str]]:
    """The difference from the first, taken from the leaderboard if there is one, and notes on it."""
    baseline, other = first
    try:
        found = standings.differences.get(name) or difference(other, comparison, n, method=method)
        pages = standings.pages or len(on_common_pages({"c_a": other, "c_b": comparison})[0].pages)
    except InputError as error:
        return None, [f"no difference from {baseline}: {error}"]
    has_all = len(comparison.pages) == len(other.pages) == pages
    return found, [] if has_all else [COMMON_PAGES.format(baseline, plural(pages, "page"))]


def _parts(comparison: Comparison, options: argparse.Namespace) -> tuple[str, ...]:
    """All parts for a file; for the terminal only what it shows, without objects of very many pages."""
    if options.json or options.output:
        return PARTS
    objects = ("objects", "centroids") if options.objects or len(comparison.pages) <= MOST_PAGES else ()
    return ("findings", "means", "agreement", "slack", *objects)


def result_sections(result: Result) -> list[str]:
    """The texts that are printed for every result; causes only if it has them."""
    causes = [why_summary(result)] if result.forgiveness is not None else []
    return [result_summary(result), *causes]


def _sections(result: Result, comparison: Comparison, first: str, options: argparse.Namespace) -> list[str]:
    """The texts that are printed for one prediction."""
    texts = result_sections(result)
    if result.vocabulary.measured == "agreement":
        return texts
    texts.append(object_summary(result))
    difference = result.difference_from_first
    texts += [difference_summary(difference, first, result.labels[0])] if difference else []
    # Attributes are given to see their slices, but these are part of files only if they are asked for.
    slices = result.slices or (slices_of_comparison(comparison, None, options.method) if options.attributes else None)
    texts += [slice_summary(slice_table(slices))] if slices else []
    return [*texts, family_summary(result.families)] if result.families else texts


def _report_folder(options: argparse.Namespace) -> AbstractContextManager[Path | None]:
    """The temporary folder that replaces the output folder at the end; invalid options are reported before any work."""
    if options.output is None:
        if options.images:
            raise InputError("", "--images", "page images are for a report", "Name its folder with -o.")
        return nullcontext()
    from layoutcm.report.report_files import REPORT_FILES

    return replace_folder(options.output, REPORT_FILES)


def _repeated_note(name: str, pred: Layout, earlier: dict[object, str]) -> list[str]:
    """A note if the same file was given before, and read and repaired in the same way."""
    key = (pred.sha256, pred.format, pred.annotator, pred.repairs)
    first = earlier.setdefault(key, name)
    return [f"{name} is the same prediction as {first}."] if pred.sha256 and first != name else []


def _result_beside(result: Result, comparison: Comparison, name: str, options: argparse.Namespace) -> Result:
    """The result for `--json`; the documents of a very large set are written into a file beside it."""
    if result.by_document is not None:
        return result
    file = Path(DOCUMENTS_FILE)
    beside = Path(options.json).with_name(f"{file.stem}-{name}{file.suffix}" if name else file.name)
    if options.json == "-":
        return with_documents_in(result, comparison, "")
    check_file_output(str(beside), options)
    with open_whole(beside) as opened:
        write_documents(comparison, options.method, opened)
    return with_documents_in(result, comparison, beside.name)


def _write_report(
    result: Result, comparison: Comparison, folder: Path, models: Mapping[str, Comparison], options: argparse.Namespace
) -> list[str]:
    """Write all files of one report; returns a note if images were given and some pages have none."""
    from layoutcm.drawing.page_images import images_from_path
    from layoutcm.report.report_files import write_files

    images = images_from_path(options.images) if options.images else None
    with reading.progress_bar("writing the report", "%") as progress:
        show_share = (lambda step, share: progress(round(100 * share), 100)) if progress else None
        write_files(result, folder, comparison, images, models=models, progress=show_share)
    return _missing_picture_notes(comparison, images, options.images) if images else []


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
    first: tuple[str, Comparison], comparison: Comparison, folder: Path, result: Result
) -> list[str]:
    """Write figures of this prediction minus the first; returns a note with the reason if there are none."""
    from layoutcm.report.report_files import write_differences

    name, other = first
    if comparison is other:
        return []
    why = write_differences(other, comparison, (name, folder.name), folder, result)
    return [f"{folder.name} minus {name}: no figure, because {why}"] if why else []
