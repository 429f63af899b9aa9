"""Make a report in another process (`guarded_reading`): it takes long, and draws page images that visitors gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PageImages, Picture
from layoutcm.metrics.family_confusion import FamilyConfusion
from layoutcm.models.leaderboard import leaderboard
from layoutcm.report.leaderboard_files import board_zip
from layoutcm.report.report_files import report_zip
from layoutcm.tables.extras import Extras
from layoutcm.tables.why import Why
from layoutcm.ui.reading_worker import note_progress


@dataclass(frozen=True)
class ReportChoices:
    """What a visitor chose for a report; `families` are arguments of `Comparison.families`, None without families."""

    method: str
    why: bool
    families: dict[str, Any] | None = None

    def families_of(self, compared: Comparison) -> FamilyConfusion | None:
        return compared.families(**self.families) if self.families else None


def make_report(compared: Comparison, pictures: tuple[Picture, ...], chosen: ReportChoices, extras: Extras) -> bytes:
    """The report of one prediction as a zip."""
    more = replace(extras, families=chosen.families_of(compared), why=Why(compared) if chosen.why else None)
    return report_zip(compared, PageImages(pictures), method=chosen.method, extras=more, progress=note_progress)


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
