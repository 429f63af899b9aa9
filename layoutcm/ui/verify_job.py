"""Recount pages in another process (`guarded_reading`): drawing them on pixels takes long."""

from __future__ import annotations

from layoutcm.comparison import Comparison
from layoutcm.ui.reading_worker import note_progress
from layoutcm.verification.recount import Verification, verify


def recount_pages(compared: Comparison, pages: int, seed: int, method: str) -> Verification:
    def note(done: int, pages: int) -> None:
        note_progress(f"{done} of {pages} pages recounted", done / pages)

    return verify(compared, pages, seed, method=method, progress=note)
