"""The page Measures, families: headline figures, bars and table of labels, the matrix of a family, the whole matrix."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.label_order import order_labels
from layoutcm.drawing.margin_matrices import PART_NAMES, family_as_confusion, family_selection
from layoutcm.drawing.paper import charts
from layoutcm.drawing.row_charts import family_bars
from layoutcm.drawing.screen.charts import CONFIG, draw
from layoutcm.layouts.model import GT, SIDES
from layoutcm.lazy import pd, yaml
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import BY_SIDE, PARTS, FamilyConfusion, names_in_order
from layoutcm.metrics.family_trees import ALL_CONTENT, OUT_OF_FAMILY, FamilyTree, preferred_name
from layoutcm.tables.matrix_views import select, view_buttons
from layoutcm.tables.tables import Table
from layoutcm.ui.screen_text import ScreenWords, as_typed, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, matrix_panel, page_shell, sidebar
from layoutcm.ui.shared.downloads import Offer, in_state
from layoutcm.ui.shared.page_shell import columns, control_row, guard
from layoutcm.ui.state import choices, family_choice
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import Scope, level_scope
from layoutcm.wording import as_heading, percent

UNITS = {"pixel": "px", "page": "pages"}
COUNT_HELP = (
    "How much a pair of different labels of one family counts. pairs: 1 for each pair, which is not a share of pixels. "
    "gold: each ground truth label counts 1, divided among the remaining prediction labels. pred: each prediction "
    "label counts 1, divided among the remaining ground truth labels. by side: pairs in the matrices, gold for shares "
    "of the ground truth, pred for shares of the prediction."
)


def show_families(chosen: Chosen) -> None:
    """How serious confusions are, inside a family of labels or out of it."""
    scope, words = level_scope(chosen), words_for(chosen.compared)
    tree, depth = choose_families(chosen, words)
    if not tree.paths:
        st.info("No families yet: every label is alone. Choose built-in ones, write your own above, or upload a file.")
    choice = (family_choice.as_text(tree), chosen.now.family_sample, chosen.now.family_count, depth)
    counted = _counted_families(scope, choice, tree)
    if tree.paths:
        page_shell.show_findings(counted.findings)
    side = SIDES.index(chosen.now.family_given)
    st.markdown(family_sentence(counted, side, scope.text, words))
    data_tables.show_headlines(family_headlines(counted, side, words))
    show_labels(chosen, counted, side, words)
    page_shell.show_recipe(counted.recipe)
    st.subheader("Inside a family", anchor=False)
    show_one_family(chosen, counted, side, words)
    st.subheader("The whole matrix in families", anchor=False)
    grouped = show_whole_matrix(chosen, scope, tree)
    st.caption("Counted again from pixels: a pixel with two labels of one family has that family once.")
    page_shell.show_recipe(grouped.recipe)


@kept("Looking at families …")
def _counted_families(scope: Scope, choice: tuple[str, str, str, int], _tree: FamilyTree) -> FamilyConfusion:
    _, sample, count, depth = choice
    return scope.whole.families(_tree, sample, count or None, depth=depth, **scope.level)


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


def family_headlines(families: FamilyConfusion, side: int, words: ScreenWords) -> list[data_tables.Headline]:
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
        data_tables.score_headline(
            title, shares[part], text[0].upper() + text[1:], reasons.get(part, none), in_words=percent
        )
        for part, (title, text) in names.items()
    ]


def show_labels(chosen: Chosen, families: FamilyConfusion, side: int, words: ScreenWords) -> None:
    """All labels of one side: bars, then a table with the preferred confusion of each label."""
    bars = family_bars(families, side)
    st.plotly_chart(draw(bars, chosen.theme), key=f"family_bars_{side}", config=CONFIG, theme=None)
    table = label_table(families, side)
    data_tables.show_table(table, label_columns(families), key=f"family_table_{side}")
    make = lambda: Table("families", f"Families, labels of {words.named[side]}", table, recipe=families.recipe)
    file, title = in_state(chosen, "families", words.named[side]), "Labels in and out of families"
    downloads.offer("families", Offer(file, title, partial(charts.draw, bars), make))


def label_table(families: FamilyConfusion, side: int) -> pd.DataFrame:
    rows = families.given_gt() if side == GT else families.given_pred()
    own = [matrix.gt_labels if side == GT else matrix.pred_labels for matrix in families.all_matrices]
    rows["family"] = [matrix.family for matrix, members in zip(families.all_matrices, own) for _ in members]
    rows["preferred"] = rows["preferred"].map(preferred_name)
    return rows.loc[rows["total"] > 0, ["label", *PARTS, "preferred", "total", "family"]]


def label_columns(families: FamilyConfusion) -> dict[str, Any]:
    widths = dict(zip(PARTS, (60, 70, 88)))
    parts = {part: data_tables.share_number(PART_NAMES[part], width=widths[part]) for part in PARTS}
    return parts | {
        "label": st.column_config.TextColumn("label", width=103),
        "preferred": st.column_config.TextColumn("confused with", width=103),
        "total": st.column_config.NumberColumn(UNITS[families.sample], format="localized"),
    }


def show_one_family(chosen: Chosen, families: FamilyConfusion, side: int, words: ScreenWords) -> None:
    """The matrix of one family: shares of gt by row or of pred by column, with "out of family" last."""
    own = [matrix.values[:-1] if side == GT else matrix.values[:, :-1] for matrix in families.all_matrices]
    shown = [matrix for matrix, values in zip(families.all_matrices, own) if values.any()]
    if not shown:
        st.info("All families are empty here.")
        return
    confused = lambda matrix: sum(row["in_family"] for row in matrix.given(GT))
    names = [matrix.family for matrix in sorted(shown, key=confused, reverse=True)]
    help_text = "The family with the most confusion inside comes first."
    family = sidebar.show_choice("family", "Family", names, help=help_text, width=280)
    one = next(matrix for matrix in shown if matrix.family == family)
    view, direction = ("recall", "row") if side == GT else ("precision", "column")
    confusion, used = family_as_confusion(one)
    confusion = replace(confusion, recipe=families.recipe)
    visible, last = family_selection(used, view), len(confusion.labels) - 1
    matrix_panel.show_plain_matrix(
        chosen, confusion, view, visible, f"family_matrix_{view}", unit=UNITS[families.sample], margins=(last,)
    )
    st.caption(
        f"Shares of {words.named[side]}, by {direction}. {as_heading(OUT_OF_FAMILY)}: no label of the "
        f"family was left in {words.named[1 - side]} to pair with."
    )
    downloads.offer("family", matrix_panel.matrix_offer(chosen, confusion, view, visible, f"Family {family}"))


def show_whole_matrix(chosen: Chosen, scope: Scope, tree: FamilyTree) -> Confusion:
    """The whole matrix with labels grouped into families at a chosen depth; single families can be expanded."""
    names = {0: ALL_CONTENT, **{k: str(k) for k in range(1, tree.depth + 1)}, tree.depth + 1: "Labels"}
    depth, view = chosen.now.matrix_depth, chosen.now.family_view
    if depth not in names:
        depth = 1
        choices.put(matrix_depth=depth)
    with control_row():
        sidebar.show_segments("matrix_depth", "Depth of the tree", names)
        expanded = _choose_expanded(chosen.now.expanded, tree, is_off=depth == 0)
        sidebar.show_segments("family_view", "View", view_buttons(scope.whole.vocabulary))
    confusion = _grouped_confusion(scope, family_choice.as_text(tree), depth, expanded, tree)
    order = names_in_order(family_choice.labels_of(scope.whole), tree, depth, expanded)
    shown = order_labels(confusion, select(confusion), "by family", order)
    matrix_panel.show_plain_matrix(chosen, confusion, view, shown, "coarse_matrix")
    downloads.offer("grouped", matrix_panel.matrix_offer(chosen, confusion, view, shown, "Matrix in families"))
    return confusion


def _choose_expanded(text: str, tree: FamilyTree, is_off: bool) -> list[str]:
    """The families to expand, kept as JSON so that a link can hold any name."""
    try:
        kept = [name for name in json.loads(text) if name in tree.families]
    except (ValueError, TypeError, RecursionError):
        kept = []
    st.session_state["open_families"] = kept

    def remember() -> None:
        choices.put(expanded=json.dumps(st.session_state["open_families"], ensure_ascii=False))

    return st.multiselect("Open single families", tree.families, key="open_families", on_change=remember,
                          disabled=is_off, width=320)  # fmt: skip


@kept("Adding up …")
def _grouped_confusion(scope: Scope, families: str, depth: int, expanded: list[str], _tree: FamilyTree) -> Confusion:
    return scope.whole.confusion(
        **scope.level, method=scope.method, families=_tree, depth=depth, expanded=tuple(expanded)
    )


def choose_families(chosen: Chosen, words: ScreenWords) -> tuple[FamilyTree, int]:
    """Controls for the families and how they are counted; returns the chosen tree and depth."""
    compared = chosen.compared
    with control_row():
        title = lambda name: family_choice.TITLES.get(name, family_choice.OWN)
        options = family_choice.family_options(compared, chosen.now.families)
        name = sidebar.show_choice("families", "Families", options, format_func=title, width=210)
        tree = family_choice.chosen_tree(compared, name)
        st.segmented_control("Sample", choices.CHOICES["family_sample"], required=True, **choices.bind("family_sample"))
        show = lambda count: count or BY_SIDE
        counts = choices.CHOICES["family_count"]
        sidebar.show_choice("family_count", "Count", counts, help=COUNT_HELP, format_func=show, width=130)
        depth = sidebar.show_choice(
            "family_depth", "Families at depth", range(1, max(tree.depth, 1) + 1), disabled=tree.depth < 2, width=150,
            help="1 means the outermost families of the tree.",
        )  # fmt: skip
        titles = dict(zip(SIDES, words.titles))
        sidebar.show_segments("family_given", "Given", titles, help="The side whose labels are shown one by one")
    with st.expander("Edit the families, or upload a file", expanded=not tree.paths):
        guard(lambda: _show_editor(compared, tree))
    return tree, depth


def _show_editor(compared: Comparison, tree: FamilyTree) -> None:
    left, right = columns(3, 2, key="_family_editor")
    with left:
        st.caption("Write a family next to each label; nested families as Text / Headings. Blank: a family of its own.")
        rows = family_choice.rows_of(tree, family_choice.labels_of(compared))
        height = 38 + 35 * min(max(len(rows), 1), data_tables.TABLE_ROWS)
        edited = st.data_editor(
            rows, hide_index=True, disabled=["label"], key=f"families_{family_choice.as_text(tree)}", height=height
        )
        wanted = family_choice.as_text(family_choice.tree_of(edited))
        if st.button("Use these families", type="primary", disabled=wanted == family_choice.as_text(tree)):
            choices.put(families=wanted, family="", expanded="[]")
            st.rerun()
    with right:
        st.caption("A file with families (YAML or JSON) can be dropped on the page Data.")
        st.download_button("Download as YAML", as_yaml(tree), "families.yaml", "application/yaml")


def as_yaml(tree: FamilyTree) -> str:
    return yaml.safe_dump(tree.as_written(), allow_unicode=True, sort_keys=False, default_flow_style=None)
