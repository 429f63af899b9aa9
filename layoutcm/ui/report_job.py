"""Make a report in another process (`guarded_reading`): it takes long, and draws page images that visitors gave."""

from __future__ import annotations

from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PageImages, Picture
from layoutcm.report.report_files import report_zip
from layoutcm.tables.extras import Extras
from layoutcm.ui.reading_worker import note_progress


def make_report(compared: Comparison, pictures: tuple[Picture, ...], method: str, extras: Extras) -> bytes:
    """The report as a zip."""
    images = PageImages(pictures)
    return report_zip(compared, images, method=method, extras=extras, progress=note_progress)
