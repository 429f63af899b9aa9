"""Reports and recounts, which take long and are made in another process (`guarded_reading`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PageImages, Picture
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.stored_facts import DOCUMENTS_FILE
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.metrics.intervals import Intervals
from layoutcm.models.leaderboard import leaderboard
from layoutcm.report.leaderboard_files import board_zip
from layoutcm.report.report_files import report_zip
from layoutcm.ui.server.reading_worker import note_progress
from layoutcm.verification.recount import Verification, verify


@dataclass(frozen=True)
class ReportChoices:
    """What a visitor chose for a report; `families` are arguments of `Comparison.families`, None without families."""

    method: str
    why: bool
    families: dict[str, Any] | None = None

    def families_of(self, compared: Comparison) -> FamilyConfusion | None:
        return compared.families(**self.families) if self.families else None


def make_report(
    compared: Comparison, pictures: tuple[Picture, ...], chosen: ReportChoices, intervals: Intervals | None
) -> bytes:
    """The report of one prediction as a zip."""
    asked = Asked(
        why=chosen.why, families=chosen.families_of(compared), intervals=intervals, documents_file=DOCUMENTS_FILE
    )
    result = result_of(compared, chosen.method, asked)
    return report_zip(compared, result, PageImages(pictures), progress=note_progress)


def make_board_report(
    compared: Mapping[str, Comparison], baseline: str, pictures: tuple[Picture, ...], chosen: ReportChoices
) -> bytes:
    """The report of several predictions, {name of its folder: comparison}, as a zip."""
    note_progress("comparison of the predictions", 0.0)
    board = leaderboard(compared, baseline, method=chosen.method)
    counted = {name: chosen.families_of(one) for name, one in compared.items()}
    families = {name: one for name, one in counted.items() if one is not None}
    images = PageImages(pictures)
    return board_zip(board, images, why=chosen.why, families=families, progress=note_progress)


def recount_pages(compared: Comparison, pages: int, seed: int, method: str) -> Verification:
    def note(done: int, pages: int) -> None:
        note_progress(f"{done} of {pages} pages recounted", done / pages)

    return verify(compared, pages, seed, method=method, progress=note)
