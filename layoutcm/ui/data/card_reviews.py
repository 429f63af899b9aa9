"""What is known about the files of each card: facts, errors, findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from layoutcm.errors import InputError
from layoutcm.formats.registry import BY_NAME
from layoutcm.layouts.model import PRED as PRED_SIDE
from layoutcm.layouts.model import Finding, Layout
from layoutcm.ui.files.comparisons import further_facts_of, gt_layout_of, layout_of, layouts_of
from layoutcm.ui.files.file_facts import COMPANION, SKIPPED
from layoutcm.ui.files.file_roles import GT, IMAGES, PRED, SESSION, Card
from layoutcm.ui.files.input_file import InputFile
from layoutcm.ui.screen_text import as_typed, error_text, plural_spaced
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.state import card_state, session, side_files
from layoutcm.ui.state.chosen import Chosen

TITLES = {"coco": "COCO annotations"}  # also of predictions, which the registry's title does not allow
EQUAL_NAMES = "equal-label-names"  # a finding whose repair is a choice: match equal names
NEEDS_GT = "It has no page sizes or label names of its own: it is read when {0} is here."
NAMES = "A list of names, for formats whose labels are numbers, such as YOLO. Drop it together with the label files."
NO_LAYOUT = "A file with this suffix holds no layout, and no page image."
REPLACED = "Another file of this kind was dropped later, and is in use."


@dataclass(frozen=True)
class Review:
    """A card, and what is known about it; texts are Markdown."""

    card: Card
    facts: str = ""
    further: tuple[str, ...] = ()
    error: str = ""
    note: str = ""
    findings: tuple[Finding, ...] = ()
    side: str = ""  # of a layout that is compared: "gt", or the position of the prediction
    has_scores: bool = False

    @property
    def needs_decision(self) -> bool:
        return bool(self.error) or any(has_repair(one) for one in self.findings)


def has_repair(finding: Finding) -> bool:
    return finding.severity != "info" and (bool(finding.repair) or finding.code == EQUAL_NAMES)


def review_cards(chosen: Chosen, cards: Sequence[Card]) -> list[Review]:
    positions = {one.number: i for i, one in enumerate(one for one in cards if one.role == PRED)}
    return [_review(chosen, one, cards, positions.get(one.number, -1)) for one in cards]


def _review(chosen: Chosen, card: Card, cards: Sequence[Card], position: int) -> Review:
    if card.role in (GT, PRED):
        return _review_layout(chosen, card, position)
    given = card.group.input
    if card.role in side_files.ROLES:
        return _review_further(chosen, card, side_files.card_in_use(cards, card.role) is card)
    if card.role == IMAGES:
        problem = side_files.image_problem_of(card)
        return Review(card, plural_spaced(side_files.count_images(card), "page image"), error=problem)
    if card.role == SESSION:
        # A session that can be read is opened at once, so this one cannot.
        return Review(card, error=_session_problem(given.digest, card.name, given))
    if card.number in card_state.current().roles or card.group.facts.kind in (COMPANION, SKIPPED):
        note = {COMPANION: NAMES, SKIPPED: NO_LAYOUT}.get(card.group.facts.kind, "")
        return Review(card, note=note)
    try:  # it is not recognised: reading says why
        layout_of(given)
    except InputError as error:
        return Review(card, error=error_text(error))
    return Review(card)


@kept()
def _session_problem(digest: str, name: str, _given: InputFile) -> str:
    try:
        session.read_session_file(_given)
    except InputError as error:
        return error_text(error)
    return ""


def _review_further(chosen: Chosen, card: Card, in_use: bool) -> Review:
    given = card.group.input
    problem = side_files.problem_of(card.role, given) if in_use else ""
    try:
        facts = side_files.describe(card.role, given)
    except InputError as error:
        return Review(card, error=error_text(error))
    if problem or not in_use:
        return Review(card, facts, error=problem, note="" if in_use else REPLACED)
    used = "applied" if chosen.loaded else "applied when a ground truth and a prediction are here"
    return Review(card, f"{facts}: {used}")


def _review_layout(chosen: Chosen, card: Card, position: int) -> Review:
    side = "gt" if card.role == GT else str(position)
    is_compared = chosen.loaded is not None
    try:
        if is_compared:
            layout = _layout_of_side(chosen, side)
        else:
            layout = layout_of(card.group.input, sizes=card_state.current().sizes)
    except InputError as error:
        if card.role == PRED and _waits_for_gt(card, is_compared):
            return Review(card, _title(card.group.facts.format), note=NEEDS_GT.format(chosen.words.named[0]))
        return Review(card, error=error_text(error), side=side if is_compared else "")
    facts = describe_layout(layout)
    if not is_compared:
        return Review(card, facts, further_facts_of(layout), findings=layout.findings, has_scores=layout.has_scores)
    found, problem = _findings(chosen, side, layout)
    return Review(card, facts, further_facts_of(layout), problem, "", found, side, layout.has_scores)


def _layout_of_side(chosen: Chosen, side: str) -> Layout:
    if side == "gt":
        return gt_layout_of(chosen.request())
    request = chosen.request(int(side))
    if side_files.can_read_gt():
        return layouts_of(request)[PRED_SIDE]
    return layout_of(request.pred, sizes=request.sizes)  # the card of the ground truth says what is wrong with that


def _waits_for_gt(card: Card, is_compared: bool) -> bool:
    """Whether the file cannot be read only because there is no ground truth, or none that can be read."""
    facts = card.group.facts
    needs = facts.format in ("coco-results", "omnidocbench-pred") or not facts.has_sizes
    return needs and not (is_compared and side_files.can_read_gt())


def _findings(chosen: Chosen, side: str, layout: Layout) -> tuple[tuple[Finding, ...], str]:
    """The findings about one side, and why it cannot be compared, if so."""
    compared = chosen.compare_or_error(chosen.position if side == "gt" else int(side))
    if isinstance(compared, InputError):
        is_own = side != "gt" and side_files.can_read_gt()
        return layout.findings, error_text(compared) if is_own else ""
    found = compared.findings_by_side
    return (found["gt"], "") if side == "gt" else ((*found["pred"], *found["both"]), "")


def _title(format: str) -> str:
    return as_typed(TITLES.get(format) or (BY_NAME[format].title if format in BY_NAME else format))


def describe_layout(layout: Layout) -> str:
    """Format, pages, regions, labels, scores."""
    return ", ".join((
        _title(layout.format),
        plural_spaced(len(layout.page_columns), "page"),
        plural_spaced(len(layout.region_columns), "region"),
        f"{plural_spaced(len(layout.labels_in_use), 'label')} in use",
        "with scores" if layout.has_scores else "without scores",
    ))  # fmt: skip
