"""The families of Measures: headline figures, bars and table of labels, the matrix of a family, the whole matrix."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import order_labels
from layoutcm.drawing.margin_matrices import PART_NAMES, family_as_confusion, family_selection
from layoutcm.drawing.paper import stacked_bars
from layoutcm.drawing.screen.charts import CONFIG
from layoutcm.drawing.screen.stacked_bars import family_bars
from layoutcm.layouts.model import GT, SIDES
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import BY_SIDE, PARTS, FamilyConfusion, FamilyMatrix, names_in_order
from layoutcm.metrics.family_trees import ALL_CONTENT, OUT_OF_FAMILY, FamilyTree, preferred_name
from layoutcm.tables.matrix_views import select, view_buttons
from layoutcm.tables.tables import Table
from layoutcm.ui.screen_text import ScreenWords, as_typed, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import downloads, matrix_panel, page_shell, sidebar
from layoutcm.ui.shared.data_tables import (
    TABLE_ROWS,
    Headline,
    share_headline,
    share_number,
    show_headlines,
    show_table,
)
from layoutcm.ui.shared.downloads import Offer, in_state
from layoutcm.ui.shared.object_numbers import control_row
from layoutcm.ui.shared.page_shell import columns, guard
from layoutcm.ui.state import choices, selection, session
from layoutcm.ui.state.family_choice import (
    OWN,
    TITLES,
    as_text,
    chosen_tree,
    family_options,
    labels_of,
    rows_of,
    tree_of,
)
from layoutcm.wording import as_heading, percent

if TYPE_CHECKING:
    import pandas as pd

UNITS = {"pixel": "px", "page": "pages"}
COUNT_HELP = (
    "How much a pair of different labels of one family counts. pairs: 1 for each pair, which is no share of pixels. "
    "gold: each ground truth label counts 1, divided among the remaining prediction labels. pred: each prediction "
    "label counts 1, divided among the remaining ground truth labels. by side: pairs in the matrices, gold for shares "
    "of the ground truth, pred for shares of the prediction."
)


def show_families(compared: Comparison) -> None:
    """How serious confusions are, inside a family of labels or out of it."""
    tree = choose_families(compared)
    if not tree.paths:
        st.info("No families yet: every label is alone. Choose built-in ones, write your own above, or upload a file.")
    counted = chosen_family_confusion(compared, tree)
    if tree.paths:
        page_shell.show_findings(counted.findings)
    side, words = SIDES.index(choices.current().family_given), words_for(compared)
    st.markdown(family_sentence(counted, side, selection.scope_text(compared), words))
    show_headlines(family_headlines(counted, side, words))
    show_labels(counted, side, words)
    page_shell.show_recipe(counted.recipe)
    st.subheader("Inside a family", anchor=False)
    show_one_family(counted, side, words)
    st.subheader("The whole matrix in families", anchor=False)
    grouped = show_whole_matrix(compared, tree)
    st.caption("Counted again from pixels: a pixel with two labels of one family has that family once.")
    page_shell.show_recipe(grouped.recipe)


def chosen_family_confusion(compared: Comparison, tree: FamilyTree) -> FamilyConfusion:
    """The family counts of the chosen level; the depth is at most that of the tree."""
    depth = min(choices.current().family_depth, max(tree.depth, 1))
    choice = (as_text(tree), choices.current().family_sample, choices.current().family_count, depth)
    return _counted_families(session.comparison_key(), choice, session.chosen_level(compared), compared, tree)


@kept("Looking at families …")
def _counted_families(
    content: str, choice: tuple[str, str, str, int], level: dict[str, str], _compared: Comparison, _tree: FamilyTree
) -> FamilyConfusion:
    _, sample, count, depth = choice
    at = {"page": level.get("page"), "document": level.get("document")}
    return _compared.families(_tree, sample, count or None, depth=depth, **at)


def family_sentence(families: FamilyConfusion, side: int, scope: str, words: ScreenWords) -> str:
    """The result in one sentence, for readers who do not know the metrics."""
    shares = families.shares(side)
    what = {"pixel": "labelled pixels", "page": "labels on pages"}[families.sample]
    of = f"of {words.named[side]}'s {what} in {as_typed(scope)}"
    if math.isnan(shares["identity"]):
        return f"There are no {what} in {as_typed(scope)}."
    if not families.common_labels:
        met = f"{percent(shares['in_family'])} {of} meet a label of their own family"
        return f"{met}; the two sides have different labels."
    wrong = shares["in_family"] + shares["oof"]
    rest = f"of the {words.mistakes}, {percent(shares['in_family'] / wrong if wrong else 0)}"
    kept = f"; {rest} stay in their family" if wrong else ""
    return f"{percent(shares['identity'])} {of} {words.are_right}{kept}.".replace(" %", "\u00a0%")


def family_headlines(families: FamilyConfusion, side: int, words: ScreenWords) -> list[Headline]:
    """The shares of right, in the family, out of the family."""
    shares, other, all_labels = families.shares(side), words.named[1 - side], f"all labels of {words.named[side]}"
    if not families.common_labels:
        shares["identity"] = math.nan  # undefined: without common labels nothing can be right
    different = "The two sides have different labels, so no label can be the same."
    none = f"There are no labels in {words.named[side]}."
    names = {"identity": (words.right, f"{other} has the label, too; of {all_labels} except Background."),
             "in_family": ("In the family", f"{other} has another label of the same family there."),
             "oof": ("Out of the family", f"No label of the family is left in {other} to pair with.")}  # fmt: skip
    reasons = {"identity": different if not families.common_labels else none}
    return [
        share_headline(title, shares[part], text[0].upper() + text[1:], reasons.get(part, none))
        for part, (title, text) in names.items()
    ]


def show_labels(families: FamilyConfusion, side: int, words: ScreenWords) -> None:
    """All labels of one side: bars, then a table with the preferred confusion of each label."""
    figure = family_bars(families, side, session.theme())
    st.plotly_chart(figure, key=f"family_bars_{side}", config=CONFIG, theme=None)
    table = label_table(families, side)
    show_table(table, label_columns(families), key=f"family_table_{side}")
    draw = partial(stacked_bars.family_bars, families, side)
    make = lambda: Table("families", f"Families, labels of {words.named[side]}", table, recipe=families.recipe)
    downloads.offer(
        "families", Offer(in_state("families", words.named[side]), "Labels in and out of families", draw, make)
    )


def label_table(families: FamilyConfusion, side: int) -> pd.DataFrame:
    rows = families.given_gt() if side == GT else families.given_pred()
    own = [matrix.gt_labels if side == GT else matrix.pred_labels for matrix in families.all_matrices]
    rows["family"] = [matrix.family for matrix, members in zip(families.all_matrices, own) for _ in members]
    rows["preferred"] = rows["preferred"].map(preferred_name)
    return rows.loc[rows["total"] > 0, ["label", *PARTS, "preferred", "total", "family"]]


def label_columns(families: FamilyConfusion) -> dict[str, Any]:
    widths = dict(zip(PARTS, (60, 70, 88)))
    parts = {part: share_number(PART_NAMES[part], width=widths[part]) for part in PARTS}
    return parts | {
        "label": st.column_config.TextColumn("label", width=103),
        "preferred": st.column_config.TextColumn("confused with", width=103),
        "total": st.column_config.NumberColumn(UNITS[families.sample], format="localized"),
    }


def show_one_family(families: FamilyConfusion, side: int, words: ScreenWords) -> None:
    """The matrix of one family: shares of gt by row or of pred by column, with "out of family" last."""
    own = [matrix.values[:-1] if side == GT else matrix.values[:, :-1] for matrix in families.all_matrices]
    shown = [matrix for matrix, values in zip(families.all_matrices, own) if values.any()]
    if not shown:
        st.info("All families are empty here.")
        return
    names = [matrix.family for matrix in sorted(shown, key=_confused_mass, reverse=True)]
    sidebar.show_choice(
        "family", "Family", names, help="The family with the most confusion inside comes first.", width=280
    )
    chosen = next(matrix for matrix in shown if matrix.family == choices.current().family)
    view, direction = ("recall", "row") if side == GT else ("precision", "column")
    confusion, used = family_as_confusion(chosen)
    confusion = replace(confusion, recipe=families.recipe)
    visible, last = family_selection(used, view), len(confusion.labels) - 1
    matrix_panel.show_plain_matrix(
        confusion, view, visible, f"family_matrix_{view}", unit=UNITS[families.sample], margins=(last,)
    )
    st.caption(
        f"Shares of {words.named[side]}, by {direction}. {as_heading(OUT_OF_FAMILY)}: no label of the "
        f"family was left in {words.named[1 - side]} to pair with."
    )
    downloads.offer("family", matrix_panel.matrix_offer(confusion, view, visible, f"Family {chosen.family}"))


def _confused_mass(matrix: FamilyMatrix) -> float:
    """The mass of gt labels that are taken for another label of the family."""
    return sum(row["in_family"] for row in matrix.given(GT))


def show_whole_matrix(compared: Comparison, tree: FamilyTree) -> Confusion:
    """The whole matrix with labels grouped into families at a chosen depth; single families can be expanded."""
    names = {0: ALL_CONTENT, **{k: str(k) for k in range(1, tree.depth + 1)}, tree.depth + 1: "Labels"}
    views = view_buttons(compared.vocabulary)
    if choices.current().matrix_depth not in names:
        choices.put(matrix_depth=1)
    with control_row():
        sidebar.show_segments("matrix_depth", "Depth of the tree", names)
        expanded = _choose_expanded(tree)
        sidebar.show_segments("family_view", "View", views)
    confusion = _grouped_confusion(compared, tree, expanded)
    order = names_in_order(labels_of(compared), tree, _matrix_depth(), expanded)
    shown = order_labels(confusion, select(confusion), "by family", order)
    view = choices.current().family_view
    matrix_panel.show_plain_matrix(confusion, view, shown, "coarse_matrix")
    downloads.offer("grouped", matrix_panel.matrix_offer(confusion, view, shown, "Matrix in families"))
    return confusion


def _matrix_depth() -> int:
    return int(choices.current().matrix_depth)


def _choose_expanded(tree: FamilyTree) -> list[str]:
    """The families to expand, kept as JSON so that a link can hold any name."""
    try:
        kept = [name for name in json.loads(choices.current().expanded) if name in tree.families]
    except (ValueError, TypeError, RecursionError):
        kept = []
    st.session_state["open_families"] = kept

    def remember() -> None:
        choices.put(expanded=json.dumps(st.session_state["open_families"], ensure_ascii=False))

    is_off = _matrix_depth() == 0
    return st.multiselect("Open single families", tree.families, key="open_families", on_change=remember,
                          disabled=is_off, width=320)  # fmt: skip


def _grouped_confusion(compared: Comparison, tree: FamilyTree, expanded: list[str]) -> Confusion:
    choice = (as_text(tree), choices.current().method, _matrix_depth(), tuple(expanded))
    return _cached_grouped_confusion(session.comparison_key(), choice, session.chosen_level(compared), compared, tree)


@kept("Adding up …")
def _cached_grouped_confusion(
    content: str, choice: tuple[str, str, int, tuple[str, ...]], level: dict[str, str], _compared: Comparison,
    _tree: FamilyTree,
) -> Confusion:  # fmt: skip
    _, method, depth, expanded = choice
    page, document = level.get("page"), level.get("document")
    return _compared.confusion(page, document, method, families=_tree, depth=depth, expanded=expanded)


def choose_families(compared: Comparison) -> FamilyTree:
    """Controls for the families and how they are counted; returns the chosen tree."""
    with control_row():
        sidebar.show_choice(
            "families", "Families", family_options(compared), format_func=lambda name: TITLES.get(name, OWN), width=210
        )
        tree = chosen_tree(compared)
        st.segmented_control("Sample", choices.CHOICES["family_sample"], required=True, **choices.bind("family_sample"))
        show = lambda count: count or BY_SIDE
        counts = choices.CHOICES["family_count"]
        sidebar.show_choice("family_count", "Count", counts, help=COUNT_HELP, format_func=show, width=130)
        sidebar.show_choice(
            "family_depth", "Families at depth", range(1, max(tree.depth, 1) + 1), disabled=tree.depth < 2, width=150,
            help="1 means the outermost families of the tree.",
        )  # fmt: skip
        titles = dict(zip(SIDES, words_for(compared).titles))
        sidebar.show_segments("family_given", "Given", titles, help="The side whose labels are shown one by one")
    with st.expander("Edit the families, or upload a file", expanded=not tree.paths):
        guard(lambda: _show_editor(compared, tree))
    return tree


def _show_editor(compared: Comparison, tree: FamilyTree) -> None:
    left, right = columns(3, 2, key="_family_editor")
    with left:
        st.caption("Write a family next to each label; nested families as Text / Headings. Blank: a family of its own.")
        rows = rows_of(tree, labels_of(compared))
        height = 38 + 35 * min(max(len(rows), 1), TABLE_ROWS)
        edited = st.data_editor(
            rows, hide_index=True, disabled=["label"], key=f"families_{as_text(tree)}", height=height
        )
        wanted = as_text(tree_of(edited))
        if st.button("Use these families", type="primary", disabled=wanted == as_text(tree)):
            _use_families(wanted)
    with right:
        st.caption("A file with families (YAML or JSON) can be dropped on the page Data.")
        st.download_button("Download as YAML", as_yaml(tree), "families.yaml", "application/yaml")


def as_yaml(tree: FamilyTree) -> str:
    import yaml

    return yaml.safe_dump(tree.as_written(), allow_unicode=True, sort_keys=False, default_flow_style=None)


def _use_families(text: str) -> None:
    choices.put(families=text, family="", expanded="[]")
    st.rerun()
