"""The choice of families on Measures: built-in trees, an editor, a file; how labels of a family are counted."""

from __future__ import annotations

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.layouts.model import SIDES
from layoutcm.metrics.family_confusion import BY_SIDE
from layoutcm.metrics.family_trees import FamilyTree
from layoutcm.ui import choices, sidebar
from layoutcm.ui.family_choice import OWN, TITLES, as_text, chosen_tree, family_options, labels_of, rows_of, tree_of
from layoutcm.ui.page_shell import columns, guard
from layoutcm.ui.parts.data_tables import TABLE_ROWS
from layoutcm.ui.parts.objects import control_row
from layoutcm.ui.side_words import words_for

COUNT_HELP = (
    "How much a pair of different labels of one family counts. pairs: 1 for each pair, which is no share of pixels. "
    "gold: each ground truth label counts 1, divided among the remaining prediction labels. pred: each prediction "
    "label counts 1, divided among the remaining ground truth labels. by side: pairs in the matrices, gold for shares "
    "of the ground truth, pred for shares of the prediction."
)


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
        st.segmented_control("Given", SIDES, required=True, help="The side whose labels are shown one by one",
                             format_func=words_for(compared).titles.__getitem__,
                             **choices.bind("family_given"))  # fmt: skip
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
