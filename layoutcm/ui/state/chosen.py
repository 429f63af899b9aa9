"""What a run shows: the files, the choices and the comparison, in one frozen value that everything drawn receives.

`read_chosen` makes it at the start of a run, and again when only a part of a page runs. Widgets that change a choice
while they are drawn return the new value. Callbacks run before, and change choices with `choices.put`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import streamlit as st

from layoutcm.alignment.min_scores import MinScore
from layoutcm.alignment.taxonomy import mapping_for
from layoutcm.comparison import Comparison
from layoutcm.drawing.page_images import PageImages
from layoutcm.drawing.palette import DARK, LIGHT, Theme
from layoutcm.errors import InputError
from layoutcm.metrics.confusion import Confusion
from layoutcm.results.vocabulary import vocabulary_of
from layoutcm.tables.matrix_views import Selection, select
from layoutcm.ui.files import page_pictures
from layoutcm.ui.files.comparisons import ComparisonRequest, comparison_of, options_text
from layoutcm.ui.files.input_file import InputFile, LoadedFiles
from layoutcm.ui.files.repairs_and_mapping import ChosenMapping
from layoutcm.ui.screen_text import ScreenWords, words_of
from layoutcm.ui.state import choices, session
from layoutcm.ui.state.choices import Choices, scores_by_label
from layoutcm.wording import make_unique


@dataclass(frozen=True, eq=False)
class Chosen:
    """The choices of a run, the loaded files, and what follows from both. Without files, only `words` can be used."""

    now: Choices
    loaded: LoadedFiles | None
    theme: Theme

    @property
    def files(self) -> LoadedFiles:
        assert self.loaded is not None
        return self.loaded

    @property
    def shows_result(self) -> bool:
        """Whether the files are finished comparisons of parts."""
        return self.loaded is not None and self.loaded.is_result

    @cached_property
    def names(self) -> list[str]:
        """The names of the predictions, made unique if two files have the same name."""
        return make_unique([pred.name for pred in self.loaded.preds]) if self.loaded else []

    @property
    def position(self) -> int:
        """The position of the prediction that is shown."""
        return min(self.now.pred, len(self.files.preds) - 1)

    @property
    def others(self) -> list[int]:
        """The positions of the other predictions."""
        return [k for k in range(len(self.names)) if k != self.position]

    @property
    def pred(self) -> InputFile:
        return self.files.preds[self.position]

    @property
    def words(self) -> ScreenWords:
        """The words for the two sides, as the visitor chose whether one is the truth."""
        return words_of(vocabulary_of(self.now.truth))

    @property
    def mapping(self) -> ChosenMapping:
        """The mapping of all predictions: the visitor's own, else the one that the files come with."""
        return session.mapping_in_use(self.loaded, self.now)

    def mapping_of(self, position: int | None = None) -> dict[str, dict[str, str]]:
        """{side: {old: new}} for the chosen prediction, or for the prediction at `position`."""
        names = mapping_for(self.mapping, str(self._at(position))) or {}
        return {side: dict(own) for side, own in names.items() if own}

    @property
    def min_scores(self) -> MinScore:
        """The minimum score as `compare` takes it: one for all labels, or also some for single labels."""
        common, by_label = self.now.min_score or None, scores_by_label(self.now.label_scores)
        if not by_label:
            return common
        scores: dict[str | None, float] = {} if common is None else {None: common}
        scores.update(by_label.items())
        return scores

    def options(self, position: int | None = None) -> dict[str, Any]:
        """The options of `compare`, for the chosen prediction or for the one at `position`."""
        return {
            "rounding": self.now.rounding,
            "min_score": self.min_scores,
            "missing_pages": self.now.missing_pages,
            "taxonomy": self.now.taxonomy,
            "mapping": self.mapping_of(position) or None,
            "truth": self.now.truth,
        }

    def request(self, position: int | None = None) -> ComparisonRequest:
        """What is compared, for the chosen prediction or for the one at `position`."""
        files, position = self.files, self._at(position)
        pred, repairs = files.preds[position], session.repairs_of
        return ComparisonRequest(
            files.gt,
            pred,
            files.sizes,
            repairs(self.now, "gt"),
            repairs(self.now, str(position)),
            dict(files.page_maps).get(pred.digest),
            files.attributes,
        )

    def _at(self, position: int | None) -> int:
        return self.position if position is None else position

    def key(self, position: int | None = None) -> str:
        """A cache key for the files and options of a comparison."""
        return self.request(position).key + options_text(self.options(position))

    def compare(self, position: int | None = None) -> Comparison:
        """The comparison of the chosen prediction or of the one at `position`; raises InputError."""
        return comparison_of(self.request(position), self.options(position))

    def compare_all(self) -> Iterator[tuple[int, Comparison | InputError]]:
        """(position, comparison or why there is none) for every prediction."""
        for position in range(len(self.names)):
            yield position, self.compare_or_error(position)

    def compare_or_error(self, position: int | None = None) -> Comparison | InputError:
        try:
            return self.compare(position)
        except InputError as error:
            return error

    @cached_property
    def comparison(self) -> Comparison | InputError | None:
        """The comparison that the page shows, or why there is none; None without files."""
        return self.compare_or_error() if self.loaded else None

    @property
    def compared(self) -> Comparison:
        """The comparison that the page shows, after `page_shell.start_with_comparison`."""
        assert isinstance(self.comparison, Comparison)
        return self.comparison

    def level(self, compared: Comparison) -> dict[str, str]:
        """{"document" or "page": its name}; empty for the whole set."""
        level = self.now.level
        known = {"document": compared.documents, "page": compared.alignment.pages.index}.get(level, ())
        return {level: self.level_name} if level != "set" and self.level_name in known else {}

    @property
    def level_name(self) -> str:
        """The chosen document or page, which the files may not have."""
        return "" if self.now.level == "set" else getattr(self.now, self.now.level)

    @property
    def iou(self) -> float:
        """The smallest overlap at which an object counts as found."""
        return round(self.now.iou, 2)  # the slider sums its steps, with rounding errors

    def cell(self, labels: Sequence[str]) -> tuple[str, str] | None:
        """The labels of the chosen cell; None if no cell is chosen, or if one of them is not among `labels`."""
        gt, pred = self.now.gt_label, self.now.pred_label
        return (gt, pred) if gt in labels and pred in labels else None

    def label(self, labels: Sequence[str]) -> str:
        """The chosen label; "" if a cell or no label is chosen, or if it is not among `labels`."""
        return self.now.class_name if self.now.class_name in labels and not self.cell(labels) else ""

    def labels_of(self, confusion: Confusion) -> Selection:
        """The rows and columns of a matrix that are shown: the labels in use or, if some are chosen, only those."""
        return select(confusion, self.now.labels)

    @cached_property
    def page_images(self) -> PageImages:
        """Uploaded page images if there are any, else those of the folder that belongs to the files."""
        uploaded = session.page_images()
        return (
            page_pictures.images_of_folder(self.loaded.images if self.loaded else "") if uploaded is None else uploaded
        )

    @property
    def pages_shown(self) -> tuple[Any, ...]:
        """The choices that decide about the whole page: which predictions and which pages are shown."""
        now = self.now
        page = now.page if now.level == "page" else ""
        return now.pred, now.other, now.versus, now.level, now.document, page, now.attribute, now.has_label, now.cause


def read_chosen() -> Chosen:
    return Chosen(choices.current(), session.loaded_files(), DARK if st.context.theme.type == "dark" else LIGHT)
