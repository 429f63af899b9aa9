"""Align two layouts: match their pages, and give both the same page list, frames and label list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from layoutcm.alignment import taxonomy
from layoutcm.alignment.min_scores import MinScore, are_below
from layoutcm.alignment.no_common_pages import NoCommonPages
from layoutcm.alignment.page_matching import WAYS, PageMatches, match_pages
from layoutcm.alignment.taxonomy import LabelMapping, LabelSpace
from layoutcm.errors import InputError, check_choice, short_repr
from layoutcm.layouts.model import (
    GT,
    PRED,
    SIDES,
    Finding,
    Floats,
    Indices,
    Layout,
    Pages,
    Positions,
    Regions,
    check_is_layout,
    concatenate_pages,
)
from layoutcm.layouts.page_documents import name_documents
from layoutcm.layouts.page_maps import PageMap, resolve_page_map
from layoutcm.layouts.page_names import path_without_suffix
from layoutcm.layouts.validation import check_sizes_are_known
from layoutcm.lazy import pd

MISSING_PAGES = ("penalise", "ignore", "penalise-both")
NAMES_SHOWN = 4
SidePositions = tuple[NDArray[np.int64], NDArray[np.int64]]
PairedPages = tuple[SidePositions, PageMatches, list[Finding]]  # what `pair_pages` returns


class AlignmentOptions(NamedTuple):
    """How the pages and the labels of two layouts are matched."""

    missing_pages: str = "penalise"
    taxonomy: str = "auto"
    mapping: LabelMapping | None = None
    documents: str | Mapping[str, str] | None = None
    page_map: PageMap | None = None
    frame: tuple[float, float] | None = None  # of pages that only pred has; else gt's median page


DEFAULT_OPTIONS = AlignmentOptions()


class MappedLabels(NamedTuple):
    """How many labels a mapping has renamed and ignored, and which regions it has kept."""

    renamed: int  # number of labels
    ignored: int  # number of labels
    rows: SidePositions  # of each region in the given layout, from which a mapping may drop regions


class Alignment(Protocol):
    """Two layouts with one list of pages and labels; `AlignedLayouts` has their regions, too."""

    @property
    def layouts(self) -> tuple[Layout, Layout]: ...
    @property
    def pages(self) -> Pages: ...
    @property
    def gt_pages(self) -> Pages: ...
    @property
    def sources(self) -> SidePositions:
        """int64[pages] of each side: the page of that side, -1 if it has none."""

    @property
    def space(self) -> LabelSpace: ...
    @property
    def taxonomy(self) -> str: ...
    @property
    def findings(self) -> tuple[Finding, ...]: ...
    @property
    def matches(self) -> PageMatches: ...
    @property
    def mapped(self) -> MappedLabels: ...

    def pages_of_sides(self, stems: Collection[str]) -> list[tuple[Pages, NDArray[np.int64]]]:
        """Pages under the names of a side, each with the positions of the aligned pages.

        Only those whose names have one of these stems are needed; there may be others.
        """

    def page_match_table(self) -> pd.DataFrame:
        """The columns gt_page, pred_page and how."""


@dataclass(frozen=True, eq=False)
class AlignedLayouts:
    """The `Alignment` of two layouts in memory."""

    layouts: tuple[Layout, Layout]
    pages: Pages
    sources: SidePositions
    space: LabelSpace
    taxonomy: str
    findings: tuple[Finding, ...]
    matches: PageMatches
    mapped: MappedLabels

    @property
    def gt_pages(self) -> Pages:
        return self.layouts[GT].page_columns

    def pages_of_sides(self, stems: Collection[str]) -> list[tuple[Pages, NDArray[np.int64]]]:
        """All pages under their names in gt, then in pred."""
        gt, pred = (layout.page_columns for layout in self.layouts)
        in_pred = np.flatnonzero(self.sources[PRED] >= 0)
        joined = join_pages(gt, pred, self.sources, (1.0, 1.0))
        joined = replace(joined, widths=self.pages.widths, heights=self.pages.heights)
        every = joined, np.arange(len(self.pages))
        return [every, (pred.take(self.sources[PRED][in_pred]), in_pred)]

    def page_match_table(self) -> pd.DataFrame:
        """One row per page of gt, then one per unmatched page of pred: gt_page, pred_page, how."""
        matches, (gt, pred) = self.matches, (side.page_columns.names for side in self.layouts)
        only_pred = [pred[j] for j in matches.unmatched(len(pred))[PRED].tolist()]
        columns = {
            "gt_page": [*gt, *("" for _ in only_pred)],
            "pred_page": [*(pred[j] if j >= 0 else "" for j in matches.partner.tolist()), *only_pred],
            "how": [*(WAYS[way] for way in matches.how.tolist()), *("" for _ in only_pred)],
        }
        return pd.DataFrame(columns, dtype=object)


def cell_of(alignment: Alignment, gt_label: str, pred_label: str) -> tuple[int, int]:
    """Row and column of a cell in the matrix."""
    return _position(alignment, GT, gt_label), _position(alignment, PRED, pred_label)


def _position(alignment: Alignment, side: int, label: str) -> int:
    # A label that only the other side has still has a row and a column; its counts are always 0.
    own, space = side_label(alignment, side, label), alignment.space
    place = (space.gt_positions, space.pred_positions)[side]
    return int(place[own]) if own >= 0 else space.labels.index(label)


def side_label(alignment: Alignment, side: int, label: str) -> int:
    """0 for Background, i for the i-th label of the side (from 1), -1 for a label that only the other side has."""
    known = alignment.space.labels
    names = (known[0], *alignment.layouts[side].labels)
    if label not in names and label not in known:
        hint = f"Labels: {', '.join(map(short_repr, names[:12]))}."
        raise InputError("", "label", f"there is no label {short_repr(label)}", hint)
    return names.index(label) if label in names else -1


def align(
    gt: Layout, pred: Layout, options: AlignmentOptions = DEFAULT_OPTIONS, paired: PairedPages | None = None
) -> AlignedLayouts:
    """Two layouts on one list of pages and labels; `paired` are pages that were matched before, in a larger set."""
    check_is_layout(gt, "gt")
    check_is_layout(pred, "pred")
    mapping = taxonomy.check_mapping(taxonomy.mapping_for(options.mapping, taxonomy.model_name(pred)) or {}, "")
    findings: list[Finding] = []
    mappings = [mapping.get(side, {}) for side in SIDES]
    mapped = sum(map(taxonomy.count_renamed_labels, (gt, pred), mappings))
    ignored = sum(len(taxonomy.labels_to_ignore(*side)) for side in zip((gt, pred), mappings))
    findings += taxonomy.unknown_target_findings((gt, pred), mappings)
    gt_side = taxonomy.relabel(gt, mappings[GT], SIDES[GT], findings)
    sides = [gt_side, taxonomy.relabel(pred, mappings[PRED], SIDES[PRED], findings, gt_side.labels)]
    matched = taxonomy.match_similar_names(sides[GT], sides[PRED]) if options.taxonomy == "match-names" else {}
    sides[PRED] = taxonomy.rename_labels(sides[PRED], matched)
    sources, matches, page_findings = paired or _pair_pages_of(gt, pred, options)
    used = [_labels_on_pages(side, own) for side, own in zip(sides, sources)]
    space, kind = taxonomy.join_labels(sides[GT], sides[PRED], options.taxonomy, bool(mapped or matched), used)
    _check_sizes(sides, sources)
    pages = join_pages(sides[GT].page_columns, sides[PRED].page_columns, sources, options.frame)
    pages, document_findings = name_documents(pages, options.documents)
    findings += page_findings + document_findings + _scaled_page_findings(sides, pages, sources)
    findings += _pages_without_pred(sides, sources) + taxonomy.label_findings(sides, kind, options.taxonomy)
    rows = taxonomy.kept_rows(gt, mappings[GT]), taxonomy.kept_rows(pred, mappings[PRED])
    labels, layouts = MappedLabels(mapped, ignored, rows), (sides[GT], sides[PRED])
    return AlignedLayouts(layouts, pages, sources, space, kind, tuple(findings), matches, labels)


def _pair_pages_of(gt: Layout, pred: Layout, options: AlignmentOptions) -> PairedPages:
    counts = [np.bincount(side.region_columns.page, minlength=len(side.page_columns)) for side in (gt, pred)]
    return pair_pages(
        gt.page_columns, pred.page_columns, (counts[GT], counts[PRED]), options.missing_pages, options.page_map
    )


def _labels_on_pages(layout: Layout, source: NDArray[np.int64]) -> set[str]:
    """The labels of regions on the pages that are compared."""
    left_out = np.ones(len(layout.page_columns), bool)
    left_out[source[source >= 0]] = False
    return layout.labels_on(~left_out[layout.region_columns.page]) if left_out.any() else layout.labels_in_use


def _check_sizes(sides: list[Layout], sources: SidePositions) -> None:
    """Refuse pages that are compared and whose size is not known; a page that only pred has needs none."""
    check_sizes_are_known(sides[GT], sources[GT])
    check_sizes_are_known(sides[PRED], sources[PRED][sources[GT] >= 0])


def _scaled_page_findings(sides: list[Layout], pages: Pages, sources: SidePositions) -> list[Finding]:
    both = np.flatnonzero((sources[GT] >= 0) & (sources[PRED] >= 0))
    pred, at = sides[PRED].page_columns, sources[PRED][both]
    differs = (pred.widths[at] != pages.widths[both]) | (pred.heights[at] != pages.heights[both])
    if not differs.any():
        return []
    k = int(np.argmax(differs))
    page, source = both[k], at[k]
    sizes = {"pred_size": pred.size(source), "gt_size": pages.size(page)}
    return [Finding("scaled-page", int(differs.sum()), {"page": pages.names[page], **sizes})]


def _pages_without_pred(sides: list[Layout], sources: SidePositions) -> list[Finding]:
    """Pages with regions in gt and none in pred: a results list does not say whether the model ran on them."""
    used = [np.bincount(side.region_columns.page, minlength=len(side.page_columns)) > 0 for side in sides]
    both = (sources[GT] >= 0) & (sources[PRED] >= 0)
    silent = np.flatnonzero(both)[used[GT][sources[GT][both]] & ~used[PRED][sources[PRED][both]]]
    if not silent.size:
        return []
    first = sides[GT].page_columns.names[sources[GT][silent[0]]]
    return [Finding("page-without-pred", int(silent.size), {"pages": len(both), "first": first})]


def common_frames(alignment: Alignment) -> Floats:
    """float64[pages, width height]: the frames of the aligned pages."""
    return np.stack([alignment.pages.widths, alignment.pages.heights], axis=1)


def own_frames(alignment: Alignment, side: int) -> Floats:
    """float64[pages, width height]: the frames of the side's own pages; the aligned frame if it lacks the page."""
    source, own = alignment.sources[side], alignment.layouts[side].page_columns
    frames = common_frames(alignment)
    has = source >= 0
    frames[has, 0], frames[has, 1] = own.widths[source[has]], own.heights[source[has]]
    return frames


def scale_to_frame(sizes: Floats, own: Floats, frame: Floats) -> Floats:
    """float64[regions, x y ...] from a page's own frame in the common one, both float64[regions, width height].

    Values stay the same to the last bit where the frames are equal.
    """
    same = own == frame
    if same.all():
        return sizes
    times = sizes.shape[1] // 2
    same, own, frame = (np.tile(one, times) for one in (same, own, frame))
    return np.where(same, sizes, sizes * frame / own)


def page_of_region(
    alignment: Alignment, side: int, min_score: MinScore = None, regions: Regions | None = None
) -> Indices:
    """int32[regions]: the aligned page of each region of the side, or of the given ones; -1 if the region is left out.

    A region is left out if its page is, or if its score is below `min_score`; a region without a score is kept.
    """
    layout, source = alignment.layouts[side], alignment.sources[side]
    target = np.full(len(layout.page_columns), -1, np.int32)
    target[source[source >= 0]] = np.flatnonzero(source >= 0)
    regions = layout.region_columns if regions is None else regions
    page = target[regions.page] if len(regions) else regions.page
    if min_score is None:
        return page
    return np.where(are_below(min_score, layout.labels, regions), np.int32(-1), page)


def gt_without_low_scores(gt: Layout, alignment: Alignment, min_score: MinScore) -> Layout:
    """gt without regions whose score is below `min_score`, which names labels as they are called in the alignment."""
    mapped = alignment.layouts[GT]
    low = alignment.mapped.rows[GT][are_below(min_score, mapped.labels, mapped.region_columns)]
    kept = np.ones(len(gt.region_columns), bool)
    kept[low] = False
    return replace(gt, region_columns=gt.region_columns.take(kept))


def pair_pages(
    gt: Pages, pred: Pages, regions: SidePositions, missing_pages: str, page_map: PageMap | None = None
) -> PairedPages:
    """int64[pages] for both sides: the pages to compare, all of gt in order first; -1 if a side has no such page.

    `regions` are the numbers of regions of each page. Pred has no page in common with gt: an InputError.
    """
    check_choice("missing_pages", missing_pages, MISSING_PAGES)
    matches, findings = match_pages(gt, pred, resolve_page_map(page_map, gt, pred) if page_map else {})
    if len(pred) and not (matches.partner >= 0).any():
        unclear = (one.message for one in findings if one.code == "page-numbers-ambiguous")
        raise NoCommonPages(gt.names, pred.names, next(unclear, ""))
    unmatched = matches.unmatched(len(pred))
    for side, pages, names, counts in zip(SIDES, unmatched, (gt.names, pred.names), regions):
        first = [names[i] for i in pages[:NAMES_SHOWN].tolist()]
        findings += unmatched_findings(side, first, (pages, len(names)), counts, missing_pages)
    return compared_pages(matches.partner, unmatched[PRED], missing_pages), matches, findings


def compared_pages(partner: Positions, only_pred: Positions, missing_pages: str) -> SidePositions:
    """int64[pages] of both sides: which pages are compared; `partner` is the pred page of each gt page, -1 if none."""
    gt = np.arange(len(partner))
    if missing_pages == "ignore":
        gt = np.flatnonzero(partner >= 0)
    if missing_pages != "penalise-both":
        return gt, partner[gt]
    return np.concatenate([gt, np.full(only_pred.size, -1)]), np.concatenate([partner, only_pred])


def unmatched_findings(
    side: str, first: list[str], pages: tuple[Positions, int], regions: Positions, missing_pages: str
) -> list[Finding]:
    """A finding if pages are only on this side; `pages` are these, and the number of all; `regions` of each of all."""
    rows, every = pages
    if not rows.size:
        return []
    is_left_out = missing_pages == "ignore" if side == SIDES[GT] else missing_pages != "penalise-both"
    values = {"pages": every, "regions": int(regions[rows].sum()), "ignored": is_left_out, "names": first[:NAMES_SHOWN]}
    return [Finding(f"page-only-in-{side}", int(rows.size), values)]


def join_pages(gt: Pages, pred: Pages, sources: SidePositions, frame: tuple[float, float] | None = None) -> Pages:
    """The aligned pages with the frames and documents of gt; a page that gt lacks has this frame, or gt's median."""
    pred_adds = not set(pred.attributes) <= set(gt.attributes)
    if np.array_equal(sources[GT], np.arange(len(gt))) and not pred_adds:
        return gt  # the usual case; avoids a loop over many pages
    both = concatenate_pages([gt, pred])
    only_pred = sources[GT] < 0
    joined = both.take(np.where(only_pred, len(gt) + sources[PRED], sources[GT]))
    names = [unique_page_name(name, gt, pred) if new else name for name, new in zip(joined.names, only_pred.tolist())]
    if only_pred.any():
        joined.widths[only_pred], joined.heights[only_pred] = frame or gt.median_size()
    attributes = {
        name: _first_given(gt.attributes.get(name, ()), pred.attributes.get(name, ()), sources)
        for name in both.attributes
    }
    known = documents_by_stem(gt.documents)
    documents = tuple(
        without_suffix(name, known) if new else name for name, new in zip(joined.documents, only_pred.tolist())
    )
    return replace(joined, names=tuple(names), documents=documents, attributes=attributes, unsized=None)


def documents_by_stem(documents: Iterable[str]) -> dict[str, str]:
    """{document without a suffix such as .pdf: document}: a page that only pred has joins the document of gt."""
    return {path_without_suffix(name): name for name in dict.fromkeys(documents) if name}


def without_suffix(document: str, known: Mapping[str, str]) -> str:
    """The document of gt with this name, whatever its suffix; else the name without a suffix."""
    name = path_without_suffix(document)
    return known.get(name, name)


def _first_given(gt: Sequence[str], pred: Sequence[str], sources: SidePositions) -> tuple[str, ...]:
    """The text of gt for each page, or that of pred if gt has none; "" if neither has one."""
    return tuple((gt[i] if gt and i >= 0 else "") or (pred[j] if pred and j >= 0 else "") for i, j in zip(*sources))


def unique_page_name(name: str, gt: Pages, pred: Pages) -> str:
    """A new name for an unmatched page of pred, if gt has a different page with its name (due to a page map)."""
    if name in gt.index:
        name += " (pred)"
        while name in gt.index or name in pred.index:
            name += "*"
    return name
