"""How the pages and labels of both sides were matched: page matches, the taxonomy, and the mapping editor."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from layoutcm.alignment.taxonomy import PREDS, mapping_for
from layoutcm.comparison import Comparison
from layoutcm.diagnosis.label_mapping import SuggestedMapping, suggest_mapping
from layoutcm.errors import InputError
from layoutcm.layouts.model import BACKGROUND, GT, PRED, SIDES, Layout
from layoutcm.lazy import pd
from layoutcm.messages import HOW_MATCHED
from layoutcm.tables.tables import Table
from layoutcm.tables.written_forms import csv_text
from layoutcm.ui.files.comparisons import layouts_of, parsed_page_map
from layoutcm.ui.files.file_roles import PAGE_MAP
from layoutcm.ui.files.input_file import InputFile
from layoutcm.ui.files.repairs_and_mapping import mapping_to_text
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables
from layoutcm.ui.shared.page_shell import guard
from layoutcm.ui.state import card_state, choices, session
from layoutcm.ui.state.chosen import Chosen
from layoutcm.wording import agree, thin_spaced

KEEP = "(keep)"
LABELS_SHOWN = 8  # of a suggestion; with more, the table scrolls
WORDS = {
    "same": "Both sides use the same labels.",
    "different": "The two sides use different labels: matrices have no diagonal, class values need a mapping.",
    "mapped": "Labels are mapped to each other.",
}
Names = Mapping[str, str]
PAGES_SHOWN = 1000


def foreign_labels(chosen: Chosen, position: int, compared: Comparison) -> list[str]:
    """The labels in use in a prediction that gt does not have, unless its labels are mapped."""
    if chosen.mapping_of(position).get("pred") or str(position) in chosen.mapping.get(PREDS, {}):
        return []  # also a mapping that keeps every label was accepted
    known, pred = set(compared.alignment.layouts[GT].labels), compared.alignment.layouts[PRED]
    return [label for label in pred.labels if label in pred.labels_in_use and label not in known]


def show_suggestion(chosen: Chosen, position: int, foreign: list[str]) -> None:
    """The mapping that pixels and names suggest for labels that gt lacks, and a button that accepts it."""
    request = chosen.request(position)
    gt, pred = layouts_of(request)
    with st.spinner("Looking for a mapping …"):
        suggested = _suggestion(request.key, chosen.now.min_score, request.page_map, gt, pred)
    table = suggested.table[suggested.table["pred_label"].isin(foreign)].reset_index(drop=True)
    with st.container(border=True, key="suggested_mapping"):
        head = st.container(horizontal=True, vertical_alignment="center")
        gt_name, pred_name = chosen.words.named
        named = f"{pred_name} {as_typed(request.pred.name)}" if chosen.others else pred_name
        lacks = (
            f"{plural_spaced(len(foreign), 'label')} of {named} {agree(len(foreign), 'is', 'are')} not in {gt_name}."
        )
        head.markdown(f"**{lacks}** The pixels that they share suggest the mapping below. Nothing changes before you "
                      "accept it.")  # fmt: skip
        button = head.empty()  # filled when the table is known, and above it, so it is seen at once
        edited = _show_editable(table, gt.labels, request.pred.digest)
        _name_others(chosen, table, suggested)
        if button.button("Accept this mapping", type="primary", key="accept_mapping", icon=":material/check:"):
            _accept(chosen, position, {label: new for label, new in edited.items() if new != KEEP}, pred)


@kept()
def _suggestion(
    content: str, min_score: float, _page_map: InputFile | None, _gt: Layout, _pred: Layout
) -> SuggestedMapping:
    pages = parsed_page_map(_page_map) if _page_map else None
    return suggest_mapping(_gt, _pred, min_score=min_score or None, pages=pages)


def _show_editable(table: pd.DataFrame, gt_labels: list[str], key: str) -> dict[str, str]:
    """The suggestion as a table whose second column can be changed; returns {label: what it becomes}."""
    rows = table.assign(
        becomes=table["gt_label"].where(table["mapped"], KEEP),
        share=100 * table["share"],
        runner_up_share=100 * table["runner_up_share"],
    )
    percent: dict[str, Any] = {"format": "%.1f %%", "width": "small"}
    edited = st.data_editor(
        rows[["pred_label", "becomes", "share", "runner_up", "runner_up_share", "note"]],
        hide_index=True,
        disabled=["pred_label", "share", "runner_up", "runner_up_share", "note"],
        key=f"suggestion_{key}",
        height=round(38 + 35 * min(len(rows), LABELS_SHOWN + 0.5)),  # half a row shows that there are more
        column_config={
            "pred_label": "prediction",
            "becomes": st.column_config.SelectboxColumn(options=[KEEP, *gt_labels, BACKGROUND], required=True),
            "share": st.column_config.NumberColumn("of its pixels", **percent),
            "runner_up": "runner-up",
            "runner_up_share": st.column_config.NumberColumn("of its pixels ", **percent),
        },
    )
    return dict(zip(edited["pred_label"], edited["becomes"]))


def _name_others(chosen: Chosen, table: pd.DataFrame, suggested: SuggestedMapping) -> None:
    """The labels of both sides that get no partner."""
    lonely = list(table["pred_label"][~table["mapped"]])
    unused = list(suggested.unmatched["gt_label"])
    if lonely:
        st.caption(f"Without a good partner, kept as they are: {', '.join(map(as_typed, lonely))}.")
    if unused:
        st.caption(f"Labels of {chosen.words.named[0]} that nothing becomes: {', '.join(map(as_typed, unused))}.")


def _accept(chosen: Chosen, position: int, names: Names, pred: Layout) -> None:
    """Use the mapping for the prediction at a position, and for all others that have the same labels."""
    alike = {str(position)}
    for i in range(len(chosen.names)):
        with suppress(InputError):  # one that cannot be read
            other = layouts_of(chosen.request(i))[PRED]
            alike |= {str(i)} if set(other.labels) == set(pred.labels) else set()
    _use_for(chosen, sorted(alike), names)


def _use_for(chosen: Chosen, positions: list[str], names: Names) -> None:
    """Replace the mapping of these predictions; that of gt and of other predictions stays."""
    mapping = chosen.mapping
    own = {**mapping.get(PREDS, {}), **{position: dict(names) for position in positions}}
    use_mapping({**mapping, PREDS: own})


def use_mapping(mapping: Mapping[str, Mapping[str, Any]]) -> None:
    """Replace the whole mapping."""
    choices.put(mapping=mapping_to_text(mapping))
    st.rerun()


def show_taxonomy(chosen: Chosen, compared: Comparison) -> None:
    """The taxonomy in words, a switch that matches equal names, and an editor for other mappings."""
    st.markdown(f"**Taxonomy: {compared.taxonomy}.** {WORDS[compared.taxonomy]}")
    st.session_state["match_names"] = chosen.now.taxonomy == "match-names"
    store = lambda: choices.put(taxonomy="match-names" if st.session_state["match_names"] else "auto")
    st.toggle("Match equal names (ignoring case, blanks and hyphens)", key="match_names", on_change=store)
    editor = st.expander(
        "Map labels of {1} to labels of {0}".format(*chosen.words.named),
        bool(chosen.mapping_of()),
        key="mapping_open",
        on_change="rerun",
    )
    if editor.open:
        with editor:
            guard(lambda: _show_editor(chosen))


def _show_editor(chosen: Chosen) -> None:
    gt, pred = layouts_of(chosen.request())
    in_use = chosen.mapping_of().get("pred", {})
    targets = [KEEP, *gt.labels, *(label for label in pred.labels if label not in gt.labels), BACKGROUND]
    targets += [label for label in dict.fromkeys(in_use.values()) if label not in targets]
    rows = [{"prediction": label, "becomes": in_use.get(label, KEEP)} for label in pred.labels]
    edited = st.data_editor(
        rows, hide_index=True, disabled=["prediction"], key=f"mapping_{chosen.pred.digest}",
        column_config={"becomes": st.column_config.SelectboxColumn("becomes", options=targets, required=True)},
    )  # fmt: skip
    wanted = {row["prediction"]: row["becomes"] for row in edited if row["becomes"] != KEEP}
    st.caption("Or drop a mapping file (YAML or JSON) above.")
    row = st.container(horizontal=True)
    if row.button("Use this mapping", disabled=wanted == in_use):
        _use_for(chosen, [str(chosen.position)], wanted)
    if row.button("Remove it", disabled=not chosen.mapping_of()):
        use_mapping(_without_chosen(chosen))


def _without_chosen(chosen: Chosen) -> dict[str, dict[str, Any]]:
    """The mapping without gt and without the chosen prediction; what is for all predictions stays with the others."""
    own = {i: (mapping_for(chosen.mapping, i) or {}).get("pred", {}) for i in map(str, chosen.others)}
    return {PREDS: {i: dict(names) for i, names in own.items() if names}}


def show_page_pairs(chosen: Chosen, compared: Comparison) -> None:
    """How pages were matched, and the unmatched pages."""
    matched, unmatched = _matches(chosen.key(), compared)
    names = chosen.words.named
    sides = {name: int((unmatched[f"{side}_page"] != "").sum()) for side, name in zip(SIDES, names)}
    ways = [f"{thin_spaced(count)} {HOW_MATCHED[how]}" for how, count in matched.items()]
    only = [f"{thin_spaced(count)} only in {name}" for name, count in sides.items() if count]
    parts = [f"matched {', '.join(ways)}" if ways else "none matched", *only]
    st.markdown(f"**Pages:** {'; '.join(parts)}.")
    _show_image_counts(chosen, compared)
    if len(unmatched):
        _show_unmatched(chosen, unmatched)
    _show_page_map(chosen)


def are_unmatched(chosen: Chosen, compared: Comparison) -> bool:
    """Whether pages have no partner, which often is a mistake in names."""
    return len(_matches(chosen.key(), compared)[1]) > 0


@st.cache_data(max_entries=12, show_spinner="Looking at the pages …", scope="session")
def _matches(content: str, _compared: Comparison) -> tuple[dict[str, int], pd.DataFrame]:
    """{way of matching: number of pages}, and the rows of the unmatched pages."""
    table = _compared.page_matches()
    counts = table["how"].value_counts()
    matched = {how: int(counts[how]) for how in HOW_MATCHED if how in counts}
    return matched, table[table["how"] == ""].reset_index(drop=True)


def _show_unmatched(chosen: Chosen, unmatched: pd.DataFrame) -> None:
    names = dict(zip(("gt_page", "pred_page"), (f"only in {name}" for name in chosen.words.named)))
    data_tables.show_table(unmatched[list(names)].head(PAGES_SHOWN), names, "pages_alone")
    if len(unmatched) > PAGES_SHOWN:
        st.caption(f"The first {PAGES_SHOWN:,} of {len(unmatched):,}; the file below has all.")
    # A page map in which the partners are missing.
    rows = unmatched[["gt_page", "pred_page"]].set_axis(["gt", "pred"], axis=1)
    st.download_button(
        "Download these as a page map to fill in",
        lambda: csv_text(Table("pages", "Page map", rows)),
        "pages.csv",
        "text/csv",
        on_click="ignore",
        icon=":material/download:",
    )


def _show_page_map(chosen: Chosen) -> None:
    """Where a page map comes from, and a button that removes one that has no card of its own."""
    has_card = any(one.role == PAGE_MAP for one in card_state.cards())
    if chosen.request().page_map is not None and not has_card and st.button("Remove the page map"):
        session.change_files(page_maps=())
        st.rerun()
    st.caption("Pages that belong together under other names: drop a page map above (CSV with the columns gt and pred, "
               "YAML or JSON). Other pages are matched as before.")  # fmt: skip


def _show_image_counts(chosen: Chosen, compared: Comparison) -> None:
    """How many pages have an image, and which images have no page."""
    images = chosen.page_images
    if not images.pictures:
        return
    with st.spinner("Matching page images …"):
        by_page, unused = images.by_page(compared), images.unmatched_files(compared)
    st.markdown(f"**Page images:** {plural_spaced(len(by_page), 'page')} of {len(compared.pages):,} have one.")
    if unused:
        belongs = "image belongs" if len(unused) == 1 else "images belong"
        message = f"{len(unused):,} page {belongs} to no page (first: {unused[0]}). "
        st.info(as_typed(message + "Images are matched by name, or by document and page number."))
