"""Bringing two layouts together: which pages belong to each other, in which frame, under which labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from layoutcm.errors import InputError, shown
from layoutcm.model import (
    BACKGROUND,
    GT,
    PRED,
    SIDES,
    Finding,
    Floats,
    Indices,
    LabelSpace,
    Layout,
    Pages,
    drop_background,
)

TAXONOMIES = ("auto", "same", "different", "match-names")
MISSING_PAGES = ("penalise", "ignore")
Mapped = Mapping[str, Mapping[str, str]]
# Suffixes are short and start with a letter, so that "report.12" keeps its number.
_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_PAGE_NUMBER = re.compile(r"[\s_.\-]*(?:(?<![^\W_])(?:page|pg|p))?[\s_.\-]*\d+$", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Alignment:
    """Two layouts on one list of pages; `sources[side]` is int64[pages], -1 where the side has no such page."""

    layouts: tuple[Layout, Layout]
    pages: Pages
    sources: tuple[NDArray[np.int64], NDArray[np.int64]]
    space: LabelSpace
    taxonomy: str
    findings: tuple[Finding, ...]


def align(
    gt: Layout,
    pred: Layout,
    *,
    missing_pages: str = "penalise",
    taxonomy: str = "auto",
    mapping: Mapped | None = None,
    documents: str | Mapping[str, str] | None = None,
) -> Alignment:
    mapping = mapping or {}
    unknown = [key for key in mapping if key not in SIDES]
    if unknown:
        raise InputError("", "mapping", f"{shown(unknown[0])} is not a side", "Use the keys 'gt' and 'pred'.")
    findings: list[Finding] = []
    sides = [relabel(side, mapping.get(name, {}), name, findings) for side, name in zip((gt, pred), SIDES)]
    if taxonomy == "match-names":
        sides[PRED] = relabel(sides[PRED], equal_names(sides[GT], sides[PRED]), "pred", findings)
    space, kind = join_labels(sides[GT], sides[PRED], taxonomy, bool(mapping))
    sources, page_findings = pair_pages(sides[GT].page_columns, sides[PRED].page_columns, missing_pages)
    pages = _joined_pages(sides[GT].page_columns, sides[PRED].page_columns, sources)
    pages, document_findings = name_documents(pages, documents)
    findings += page_findings + document_findings
    findings += _scaled(sides, pages, sources) + _one_sided_labels(sides, kind)
    return Alignment((sides[GT], sides[PRED]), pages, sources, space, kind, tuple(findings))


def relabel(layout: Layout, mapping: Mapping[str, str], side: str, findings: list[Finding]) -> Layout:
    """The layout under new label names; several labels may become one, an unmapped one keeps its name."""
    unknown = [label for label in mapping if label not in layout.labels]
    if unknown:
        findings.append(
            Finding(
                "mapping-unused",
                f"The mapping of {side} names {len(unknown)} labels that {layout.name} does not have "
                f"(first: {shown(unknown[0])}).",
                severity="info",
                count=len(unknown),
            )
        )
    if not mapping:
        return layout
    renamed = [str(mapping.get(label, label)) for label in layout.labels]
    labels = tuple(dict.fromkeys(renamed))
    recode = np.array([labels.index(name) for name in renamed], np.int32)
    regions = layout.region_columns
    regions = replace(regions, label=recode[regions.label] if len(regions) else regions.label)
    before = len(layout.findings)
    layout = drop_background(replace(layout, labels=labels, region_columns=regions))
    findings += layout.findings[before:]
    return replace(layout, findings=layout.findings[:before])


def equal_names(gt: Layout, pred: Layout) -> dict[str, str]:
    """{pred label: gt label} for names that are equal up to case, blanks, hyphens and underscores."""
    spelled = {_plain(label): label for label in reversed(gt.labels)}
    return {label: spelled[_plain(label)] for label in pred.labels if _plain(label) in spelled}


def _plain(label: str) -> str:
    return re.sub(r"[\s_\-]+", "", label).casefold()


def join_labels(gt: Layout, pred: Layout, taxonomy: str, mapped: bool) -> tuple[LabelSpace, str]:
    """The matrix's label list, and whether it is same, different or mapped."""
    if taxonomy not in TAXONOMIES:
        raise InputError("", "taxonomy", f"{shown(taxonomy)} is not known", f"Use one of {', '.join(TAXONOMIES)}.")
    shared = taxonomy in ("same", "match-names") or (
        taxonomy == "auto"
        and (
            _one_holds_other(set(gt.labels), set(pred.labels)) or _one_holds_other(gt.labels_in_use, pred.labels_in_use)
        )
    )
    if shared:
        labels = (BACKGROUND, *dict.fromkeys((*gt.labels, *pred.labels)))
        position = {label: i for i, label in enumerate(labels)}
        gt_place, pred_place = (np.array([0, *map(position.__getitem__, side.labels)]) for side in (gt, pred))
        kind = "mapped" if mapped or taxonomy == "match-names" else "same"
        return LabelSpace(labels, gt_place, pred_place), kind
    labels = (BACKGROUND, *gt.labels, *pred.labels)
    gt_place = np.arange(len(gt.labels) + 1)
    pred_place = np.array([0, *range(len(gt.labels) + 1, len(labels))])
    return LabelSpace(labels, gt_place, pred_place, shared=False), "different"


def _one_holds_other(gt: set[str], pred: set[str]) -> bool:
    return gt <= pred or pred <= gt


def pair_pages(
    gt: Pages, pred: Pages, missing_pages: str
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], list[Finding]]:
    """int64[pages] of both sides: gt's pages in their order, then pred's own; -1 where a side lacks the page."""
    if missing_pages not in MISSING_PAGES:
        raise InputError(
            "", "missing_pages", f"{shown(missing_pages)} is not known", f"Use {' or '.join(MISSING_PAGES)}."
        )
    partner = np.fromiter((pred.index.get(name, -1) for name in gt.names), np.int64, len(gt))
    own = np.ones(len(pred), bool)
    own[partner[partner >= 0]] = False
    only_pred = np.flatnonzero(own)
    findings = [
        Finding(
            f"page-only-in-{side}",
            f"{len(pages):,} of {len(names):,} pages of {side} {'is' if len(pages) == 1 else 'are'} not in the other "
            f"side (first: {shown(names[pages[0]])}) and {_fate(len(pages), missing_pages)}.",
            count=len(pages),
            fix="Check the page names of both files, or use missing_pages='ignore'.",
        )
        for side, pages, names in (("gt", np.flatnonzero(partner < 0), gt.names), ("pred", only_pred, pred.names))
        if len(pages)
    ]
    if missing_pages == "ignore":
        kept = np.flatnonzero(partner >= 0)
        return (kept, partner[kept]), findings
    gt_pages = np.concatenate([np.arange(len(gt)), np.full(only_pred.size, -1)])
    return (gt_pages, np.concatenate([partner, only_pred])), findings


def _fate(count: int, missing_pages: str) -> str:
    verb = "is" if count == 1 else "are"
    return f"{verb} left out" if missing_pages == "ignore" else f"{verb} compared with an empty page"


def _joined_pages(gt: Pages, pred: Pages, sources: tuple[NDArray[np.int64], NDArray[np.int64]]) -> Pages:
    """The pages in gt's frame; in pred's own where gt has no such page."""
    if np.array_equal(sources[GT], np.arange(len(gt))):
        return gt  # the usual case, and there may be very many pages
    rows = [(gt, i) if i >= 0 else (pred, j) for i, j in zip(*sources)]
    return Pages(
        tuple(side.names[i] for side, i in rows),
        np.array([side.widths[i] for side, i in rows], float),
        np.array([side.heights[i] for side, i in rows], float),
        tuple(side.documents[i] for side, i in rows),
        np.array([side.numbers[i] for side, i in rows], np.int32),
    )


def name_documents(pages: Pages, documents: str | Mapping[str, str] | None) -> tuple[Pages, list[Finding]]:
    """Every page gets a document: asked for, the format's own, shared by its name, or itself."""
    if isinstance(documents, str):
        named = tuple(_match(documents, name) for name in pages.names)
        return replace(pages, documents=named), []
    if documents is not None:
        own = tuple(str(documents.get(name, document or name)) for name, document in zip(pages.names, pages.documents))
        return replace(pages, documents=own), []
    if all(pages.documents):
        return pages, []
    bases = [_base(name) for name in pages.names]
    shared = Counter(base for base, document in zip(bases, pages.documents) if not document)
    found = {base for base, count in shared.items() if base and count > 1}
    named = tuple(
        document or (base if base in found else name)
        for name, document, base in zip(pages.names, pages.documents, bases)
    )
    pages = replace(pages, documents=named)
    if not found:
        return pages, []
    example = sorted(found)[0]
    finding = Finding(
        "documents-from-names",
        f"{len(found):,} documents were read off page names that share all but their number "
        f"(first: {shown(example)}, {shared[example]} pages).",
        severity="info",
        count=len(found),
        fix="Give documents= a pattern or a table if this is wrong.",
    )
    return pages, [finding]


def _match(pattern: str, page: str) -> str:
    try:
        found = re.search(pattern, page)
    except re.error as error:
        raise InputError(
            "", "documents", f"the pattern {shown(pattern)} is not a regular expression: {error}", "Repair it."
        ) from None
    if not found:
        return page
    return found.group(1) if found.re.groups and found.group(1) is not None else found.group(0)


def _base(page: str) -> str:
    """The page's name without suffix and trailing page number; "" when nothing else is left."""
    name = page.rpartition(".")[0] if _SUFFIX.search(page) else page
    if not name[-1:].isdigit():
        return ""
    base = _PAGE_NUMBER.sub("", name)
    return base if base[-1:] not in ("", "/", "\\") else ""


def _scaled(sides: list[Layout], pages: Pages, sources: tuple[NDArray[np.int64], NDArray[np.int64]]) -> list[Finding]:
    both = np.flatnonzero((sources[GT] >= 0) & (sources[PRED] >= 0))
    pred, at = sides[PRED].page_columns, sources[PRED][both]
    differs = (pred.widths[at] != pages.widths[both]) | (pred.heights[at] != pages.heights[both])
    if not differs.any():
        return []
    k = int(np.argmax(differs))
    page, source = both[k], at[k]
    return [
        Finding(
            "scaled-page",
            f"{int(differs.sum()):,} pages have another size in pred and are scaled to gt's (first: "
            f"{shown(pages.names[page])}, {pred.widths[source]:g} x {pred.heights[source]:g} to "
            f"{pages.widths[page]:g} x {pages.heights[page]:g}).",
            severity="info",
            count=int(differs.sum()),
        )
    ]


def _one_sided_labels(sides: list[Layout], kind: str) -> list[Finding]:
    if kind == "different":
        return []
    used = [side.labels_in_use for side in sides]
    findings = []
    for side, other in ((GT, PRED), (PRED, GT)):
        alone = [label for label in sides[side].labels if label in used[side] - used[other]]
        if alone and used[other]:
            findings.append(
                Finding(
                    f"label-only-in-{SIDES[side]}",
                    f"{len(alone)} label{'s are' if len(alone) > 1 else ' is'} used by {SIDES[side]} only: "
                    f"{', '.join(map(shown, alone[:6]))}{' …' if len(alone) > 6 else ''}.",
                    severity="info",
                    count=len(alone),
                    fix="Map labels to each other if they mean the same.",
                )
            )
    return findings


def frame_scale(alignment: Alignment, side: int) -> Floats:
    """float64[pages, xy]: the factor from the side's own frame to the common one."""
    source = alignment.sources[side]
    own = alignment.layouts[side].page_columns
    scale = np.ones((len(source), 2))
    has = source >= 0
    scale[has, 0] = alignment.pages.widths[has] / own.widths[source[has]]
    scale[has, 1] = alignment.pages.heights[has] / own.heights[source[has]]
    return scale


def aligned_pages(alignment: Alignment, side: int, min_score: float | None = None) -> Indices:
    """int32[regions]: the aligned page of each of the side's regions, -1 for what is left out.

    A region is left out with its page, or for its score; one without a score stays.
    """
    layout, source = alignment.layouts[side], alignment.sources[side]
    target = np.full(len(layout.page_columns), -1, np.int32)
    target[source[source >= 0]] = np.flatnonzero(source >= 0)
    regions = layout.region_columns
    page = target[regions.page] if len(regions) else regions.page
    return page if min_score is None else np.where(regions.scores < min_score, np.int32(-1), page)
