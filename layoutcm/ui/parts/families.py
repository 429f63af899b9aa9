"""The Families page's parts: choosing and editing families, figures on top, tables, matrices."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.screen.family_charts import PART_NAMES, family_bars, family_figure
from layoutcm.drawing.screen.matrix import CONFIG, matrix_figure
from layoutcm.layouts.model import GT, SIDES
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.family_confusion import PARTS, FamilyConfusion, FamilyMatrix, names_in_order
from layoutcm.metrics.family_trees import EVERYTHING, FamilyTree, parse_tree, preferred_name
from layoutcm.ui import choices, session, sidebar
from layoutcm.ui.family_choice import OWN, TITLES, as_text, chosen_tree, family_options, labels_of, rows_of, tree_of
from layoutcm.ui.page_frame import columns, guard
from layoutcm.ui.parts.data_tables import TABLE_ROWS, show_table
from layoutcm.ui.parts.matrix_panel import VIEW_NAMES
from layoutcm.ui.screen_text import as_typed
from layoutcm.wording import percent

if TYPE_CHECKING:
    import pandas as pd

COUNT_HELP = (
    "What a pair that remains inside a family counts. pairs: 1 each. gold: each gt label spends 1 over what pred has "
    "left. pred: each pred label spends 1 over what gt has left."
)
UNITS = {"pixel": "px", "page": "pages"}


def _row() -> Any:
    """Controls beside each other; what finds no room goes to the next line."""
    return st.container(horizontal=True, vertical_alignment="bottom", gap="medium")


def choose_families(compared: Comparison) -> FamilyTree:
    """Where the families come from and how they are counted."""
    with _row():
        sidebar.choice_box(
            "families", "Families", family_options(compared), format_func=lambda name: TITLES.get(name, OWN), width=280
        )
        tree = chosen_tree(compared)
        st.segmented_control("Sample", UNITS, required=True, **choices.bind("family_sample"))
        sidebar.choice_box("family_count", "Count", choices.CHOICES["family_count"], help=COUNT_HELP, width=160)
        sidebar.choice_box(
            "family_depth", "Families at depth", range(1, max(tree.depth, 1) + 1), disabled=tree.depth < 2, width=160,
            help="1 is the outermost families of the tree.",
        )  # fmt: skip
        st.segmented_control("Given", SIDES, required=True, help="Whose labels are looked at, one by one",
                             **choices.bind("family_given"))  # fmt: skip
    with st.expander("Edit the families, or bring a file", expanded=not tree.paths):
        guard(lambda: _editor(compared, tree))
    return tree


def _editor(compared: Comparison, tree: FamilyTree) -> None:
    left, right = columns(3, 2, key="_family_editor")
    with left:
        st.caption("Write a family beside each label; nested families as Text / Headings. Blank: a family of its own.")
        rows = rows_of(tree, labels_of(compared))
        height = 38 + 35 * min(max(len(rows), 1), TABLE_ROWS)
        edited = st.data_editor(
            rows, hide_index=True, disabled=["label"], key=f"families_{as_text(tree)}", height=height
        )
        wanted = as_text(tree_of(edited))
        if st.button("Use these families", type="primary", disabled=wanted == as_text(tree)):
            _use(wanted)
    with right:
        uploaded = st.file_uploader("Families file (YAML or JSON)", type=["yaml", "yml", "json"], key="families_file")
        if uploaded and uploaded.file_id != st.session_state.get("families_taken"):
            st.session_state["families_taken"] = uploaded.file_id
            _use(as_text(parse_tree(uploaded.name, uploaded.getvalue())))
        st.download_button("Download as YAML", as_yaml(tree), "families.yaml", "application/yaml")


def as_yaml(tree: FamilyTree) -> str:
    import yaml

    return yaml.safe_dump(tree.as_written(), allow_unicode=True, sort_keys=False, default_flow_style=None)


def _use(text: str) -> None:
    choices.put(families=text, family="", expanded="[]")
    st.rerun()


def counted_families(compared: Comparison, tree: FamilyTree) -> FamilyConfusion:
    """The families of the chosen level; a depth that the tree has not is its deepest."""
    depth = min(choices.get("family_depth"), max(tree.depth, 1))
    choice = (as_text(tree), choices.get("family_sample"), choices.get("family_count"), depth)
    return _counted_families(session.content_key(), choice, session.chosen_level(compared), compared, tree)


@st.cache_resource(max_entries=24, show_spinner="Looking at families …")
def _counted_families(
    content: str, choice: tuple[str, str, str, int], of: dict[str, str], _compared: Comparison, _tree: FamilyTree
) -> FamilyConfusion:
    _, sample, count, depth = choice
    return _compared.families(_tree, sample, count, depth=depth, page=of.get("page"), document=of.get("document"))


def family_headline(compared: Comparison) -> tuple[str, str, str] | None:
    """(name, value, help) for the figures on top of a page; None where no families are chosen and none fit."""
    tree = chosen_tree(compared)
    if not tree.paths:
        return None
    shares = counted_families(compared, tree).shares(GT)
    stays = shares["identity"] + shares["in_family"]
    help_text = "Labelled pixels of gt that are right or taken for a label of the same family. See Families."
    return "Right or in family", percent(stays), help_text


def family_sentence(families: FamilyConfusion, side: int, scope: str) -> str:
    """What a manager can read."""
    shares = families.shares(side)
    what = {"pixel": "labelled pixels", "page": "labels on pages"}[families.sample]
    of = f"of {SIDES[side]}'s {what} in {as_typed(scope)}"
    if math.isnan(shares["identity"]):
        return f"There are no {what} in {as_typed(scope)}."
    if not families.common_labels:
        return f"{percent(shares['in_family'])} {of} meet a label of their own family; the two sides share no label."
    wrong = shares["in_family"] + shares["oof"]
    kept = f"; of the mistakes, {percent(shares['in_family'] / wrong)} stay in their family" if wrong else ""
    return f"{percent(shares['identity'])} {of} are right{kept}.".replace(" %", "\u00a0%")


def show_figures(families: FamilyConfusion, side: int) -> None:
    shares = families.shares(side)
    if not families.common_labels:
        shares["identity"] = math.nan  # nothing can be right, which is not the same as nothing being right
    names = {"identity": "Right", "in_family": "In the family", "oof": "Out of the family"}
    helps = {
        "identity": "Read as what it is",
        "in_family": "Taken for another label of its family",
        "oof": "Nobody of its family left to pair with",
    }
    with st.container(horizontal=True, gap="small"):
        for part in PARTS:
            text = f"{helps[part]}. Of all labels of {SIDES[side]} but Background."
            st.metric(names[part], percent(shares[part]), help=text, width=150)


def show_labels(families: FamilyConfusion, side: int) -> None:
    """Every label of a side: bars, and the table with its preferred confusion."""
    left, right = columns(6, 7, key="_family_labels")
    with left:
        figure = family_bars(families, side, session.theme())
        st.plotly_chart(figure, key=f"family_bars_{side}", config=CONFIG, theme=None)
    with right:
        show_table(label_table(families, side), label_columns(families), key=f"family_table_{side}")


def label_table(families: FamilyConfusion, side: int) -> pd.DataFrame:
    rows = families.given_gt() if side == GT else families.given_pred()
    own = [matrix.gt_labels if side == GT else matrix.pred_labels for matrix in families.all_matrices]
    rows["family"] = [matrix.family for matrix, members in zip(families.all_matrices, own) for _ in members]
    rows["preferred"] = rows["preferred"].map(preferred_name)
    rows[[*PARTS]] *= 100
    return rows.loc[rows["total"] > 0, ["label", *PARTS, "preferred", "total", "family"]]


def label_columns(families: FamilyConfusion) -> dict[str, Any]:
    widths = dict(zip(PARTS, (68, 76, 94)))
    parts = {part: st.column_config.NumberColumn(PART_NAMES[part], format="%.1f %%", width=widths[part])
             for part in PARTS}  # fmt: skip
    return parts | {
        "label": st.column_config.TextColumn("label", width=105),
        "preferred": st.column_config.TextColumn("confused with", width=110),
        "total": st.column_config.NumberColumn(UNITS[families.sample], format="localized"),
    }


def show_one_family(families: FamilyConfusion, side: int) -> None:
    """The matrix of one family: shares of gt or of pred, as the page shows, OOF of the other side last."""
    own = [matrix.values[:-1] if side == GT else matrix.values[:, :-1] for matrix in families.all_matrices]
    shown = [matrix for matrix, values in zip(families.all_matrices, own) if values.any()]
    if not shown:
        st.info("There is nothing in any family here.")
        return
    names = [matrix.family for matrix in sorted(shown, key=_trouble, reverse=True)]
    sidebar.choice_box(
        "family", "Family", names, help="The family with the most confusion inside comes first.", width=280
    )
    chosen = next(matrix for matrix in shown if matrix.family == choices.get("family"))
    view, of, other = ("recall", "gt, by row", "pred") if side == GT else ("precision", "pred, by column", "gt")
    figure = family_figure(chosen, view, session.theme(), UNITS[families.sample])
    st.plotly_chart(figure, key=f"family_matrix_{view}", config=CONFIG, theme=None)
    st.caption(f"Shares of {of}. OOF is out of the family: nobody of it was left in {other} to pair with.")


def _trouble(matrix: FamilyMatrix) -> float:
    """What is confused inside the family."""
    return sum(row["in_family"] for row in matrix.given(GT))


def show_whole_matrix(compared: Comparison, tree: FamilyTree) -> Confusion:
    """The whole matrix with labels shown as their families, as deep as one likes; single families can be opened."""
    names = {0: EVERYTHING, **{k: str(k) for k in range(1, tree.depth + 1)}, tree.depth + 1: "Labels"}
    views = {name: title for name, title in VIEW_NAMES.items() if name != "collapsed"}
    if choices.get("matrix_depth") not in names:
        choices.put(matrix_depth=1)
    with _row():
        st.segmented_control("Depth of the tree", list(names), required=True, format_func=names.__getitem__,
                             **choices.bind("matrix_depth"))  # fmt: skip
        expanded = _opened(tree)
        st.segmented_control("View", list(views), required=True, format_func=views.__getitem__,
                             **choices.bind("family_view"))  # fmt: skip
    confusion = _coarse(compared, tree, expanded)
    order = {name: k for k, name in enumerate(names_in_order(labels_of(compared), tree, _depth(), expanded))}
    rows, columns = (
        side[:1] + sorted(side[1:], key=lambda i: order.get(confusion.labels[i], len(order)))
        for side in confusion.visible
    )
    figure = matrix_figure(confusion, choices.get("family_view"), rows=rows, columns=columns, theme=session.theme())
    st.plotly_chart(figure, key="coarse_matrix", config=CONFIG, theme=None)
    return confusion


def _depth() -> int:
    return int(choices.get("matrix_depth"))


def _opened(tree: FamilyTree) -> list[str]:
    """The families to open, kept as JSON so that a link can carry any name."""
    try:
        kept = [name for name in json.loads(choices.get("expanded")) if name in tree.families]
    except (ValueError, TypeError):
        kept = []
    st.session_state["open_families"] = kept

    def remember() -> None:
        choices.put(expanded=json.dumps(st.session_state["open_families"], ensure_ascii=False))

    return st.multiselect(
        "Open single families",
        tree.families,
        key="open_families",
        on_change=remember,
        disabled=_depth() == 0,
        width=320,
    )


def _coarse(compared: Comparison, tree: FamilyTree, expanded: list[str]) -> Confusion:
    choice = (as_text(tree), choices.get("method"), _depth(), tuple(expanded))
    return _coarse_matrix(session.content_key(), choice, session.chosen_level(compared), compared, tree)


@st.cache_resource(max_entries=24, show_spinner="Adding up …")
def _coarse_matrix(
    content: str, choice: tuple[str, str, int, tuple[str, ...]], of: dict[str, str], _compared: Comparison,
    _tree: FamilyTree,
) -> Confusion:  # fmt: skip
    _, method, depth, expanded = choice
    page, document = of.get("page"), of.get("document")
    return _compared.confusion(page, document, method, families=_tree, depth=depth, expanded=expanded)
