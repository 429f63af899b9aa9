"""Objects and centroids on Measures: headline numbers, what depends on one IoU or one tolerance, curves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from layoutcm.drawing.line_charts import label_points, object_curves, recall_curves
from layoutcm.drawing.paper import charts
from layoutcm.drawing.screen.charts import CONFIG, MOST_SHIFTS, draw, shifts_figure
from layoutcm.filling.result_parts import objects_part
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.objects.average_precision import IOUS
from layoutcm.metrics.objects.centroids import Centroids, Tolerance
from layoutcm.metrics.objects.matched_objects import CAP, Objects, over_cap
from layoutcm.metrics.objects.ranked_pairs import mean_qualities
from layoutcm.tables.tables import HEADINGS, Table
from layoutcm.tables.tables import object_tables as tables_of
from layoutcm.ui import screen_text
from layoutcm.ui.measures import object_tables
from layoutcm.ui.screen_text import ScreenWords, as_typed, plural_spaced, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, page_shell
from layoutcm.ui.shared.data_tables import Headline, score_headline, show_headlines
from layoutcm.ui.shared.downloads import Offer, in_state
from layoutcm.ui.shared.page_shell import control_row
from layoutcm.ui.state import choices
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import Scope, level_scope
from layoutcm.wording import as_heading, iou_text, percent, score_text, thin_spaced

CURVES_SHOWN = 6  # if no labels are chosen
PLACES_SHOWN = 5  # of the pages where the cap acts
RULE_HELP = (
    "How the area under a curve is taken. coco: precision at 101 recalls. voc: all points of the envelope. "
    "sum: the plain steps, no envelope."
)
AP_MEANINGS = {
    "AP": "How well objects are found and ranked by score: mean over labels and over IoU 0.50, 0.55 to 0.95.",
    "AP50": "The same if an IoU of 0.50 is enough: found, even if borders are rough.",
    "AP75": "The same at IoU 0.75: found with good borders.",
    "AR100": f"The share of objects that are found at all, with the best {CAP} predictions; mean as for AP.",
}
PQ_MEANING = (
    "Panoptic quality: how many objects have a partner (RQ {}) times how well these fit (SQ {}). Needs no scores."
)
NO_PQ = "The two sides have different labels, so no object has its label found."


def show_headlines_of_objects(scope: Scope) -> None:
    """Show AP and AR by COCO's rules, or why there is none; panoptic quality; and where the cap of AP acts."""
    matched, reason = object_tables.objects_of_level(scope), object_tables.why_no_ap(scope)
    if matched.note:
        st.warning(as_typed(matched.note))
    qualities = mean_qualities(object_tables.object_result(scope, "panoptic"))
    meaning = PQ_MEANING.format(score_text(qualities["rq"]), score_text(qualities["sq"]))
    panoptic = score_headline("PQ", float(qualities["pq"]), meaning, NO_PQ)
    if reason:
        show_headlines([panoptic, Headline("AP", "n/a", reason)])
        return
    values, _ = object_tables.coco_numbers(scope)
    no_gt = f"There are no objects in {words_for(scope.whole).named[GT]}."
    show_headlines([*(score_headline(name, values[name], text, no_gt) for name, text in AP_MEANINGS.items()), panoptic])
    st.caption(as_typed(cap_text(matched)))
    others = [f"{name} {score_text(value)}" for name, value in values.items() if name not in AP_MEANINGS]
    st.caption(
        f"{screen_text.join_unbroken(others)}  \n"
        "Sizes by area: small below 32², medium up to 96², large above, in pixels."
    )


def cap_text(matched: Objects) -> str:
    """Where the cap of AP and AR acts."""
    found = over_cap(matched)
    rule = f"AP and AR count at most {CAP} predictions of a label on a page, those with the highest scores."
    if found.empty:
        return f"{rule} No page has more, so all predictions count."
    rows = list(zip(found["page"], found["label"], found["pred"]))
    places = "; ".join(f"{page}: {thin_spaced(pred)} of {label}" for page, label, pred in rows[:PLACES_SHOWN])
    rest = f"; and {thin_spaced(len(rows) - PLACES_SHOWN)} more" if len(rows) > PLACES_SHOWN else ""
    left_out = plural_spaced(int(found["not_counted"].sum()), "prediction")
    return f"{rule} Here this leaves out {left_out} ({places}{rest})."


def show_one_iou(chosen: Chosen) -> None:
    """Everything that depends on the smallest IoU at which an object counts as found."""
    scope = level_scope(chosen)
    matched, words, iou = object_tables.objects_of_level(scope), words_for(scope.whole), chosen.iou
    any_label = not matched.space.shared
    scores = object_tables.object_result(scope, "scores_at", iou, not any_label)
    st.subheader("At one IoU", anchor=False)
    st.slider("IoU", float(IOUS[0]), float(IOUS[-1]), step=0.05, width=280, **choices.bind("iou"),
              help="The smallest overlap (intersection over union) at which an object counts as found")  # fmt: skip
    st.markdown(object_sentence(matched, scores, iou, scope.text, words))
    _show_scores(scores, words, any_label)
    counts = object_tables.object_result(scope, "counts_at", iou, not any_label)
    if "outcomes" in words.parts:
        st.caption(screen_text.join_unbroken([f"{HEADINGS[name]} {thin_spaced(n)}" for name, n in counts.items()]))
    confusion = object_tables.object_result(scope, "object_confusion_at", iou)
    left, right = page_shell.columns(3, 2, key="_objects", labels=len(confusion.labels) + 1)
    with left:
        object_tables.show_object_matrix(chosen, scope, confusion)
    with right:
        if not any_label:
            _show_curves(chosen, scope, words)
        object_tables.show_pages_behind(chosen, scope, confusion)
    st.subheader("Labels", anchor=False)
    object_tables.show_classes(chosen, scope, confusion)
    if "outcomes" in words.parts:
        table = lambda: tables_of(objects_part(matched, iou))[0]
        downloads.offer("object_scores", Offer(in_state(chosen, "object_scores"), "Objects, all numbers", table=table))
    page_shell.show_recipe(object_tables.objects_recipe(chosen, scope))
    st.subheader("Ranked pairs", anchor=False)
    object_tables.show_ranked_pairs(chosen, scope)


def _show_scores(scores: dict[str, float], words: ScreenWords, any_label: bool) -> None:
    gt, pred = words.named
    label = "whatever its label" if any_label else "with the same label"
    meanings = {
        "precision": (f"The share of objects in {pred} that meet one of {gt}, {label}.", pred),
        "recall": (f"The share of objects in {gt} that meet one of {pred}, {label}.", gt),
        "f1": ("Both together: their harmonic mean.", "either side"),
    }
    show_headlines(
        [
            score_headline(as_heading(words.scores[name]), scores[name], text, f"There is none in {side}.")
            for name, (text, side) in meanings.items()
        ]
    )


def object_sentence(matched: Objects, scores: dict[str, float], iou: float, scope: str, words: ScreenWords) -> str:
    """The result in one sentence, for readers who do not know the metrics."""
    gt_count, pred_count = int(matched.gt_counts.sum()), int(matched.pred_counts.sum())
    if not gt_count and not pred_count:
        return f"There are no objects in {as_typed(scope)}."
    any_label = not matched.space.shared
    condition = "whatever their labels" if any_label else "with their label"
    (gt, pred), (found, right) = words.named, words.matched
    of_gt = f"{percent(scores['recall'])} of {plural_spaced(gt_count, 'object')} in {gt} {found}, {condition}"
    of_pred = f"{percent(scores['precision'])} of {plural_spaced(pred_count, 'object')} in {pred} "
    of_pred += f"meet one of {gt}" if any_label else right
    what = {"box": "boxes", "mask": "masks"}[matched.shapes]
    return (
        f"In {as_typed(scope)}, at an IoU of {iou_text(iou)} or more between {what}, "
        f"{of_gt if gt_count else f'{gt} has no objects'}; {of_pred if pred_count else f'{pred} has no objects'}."
    ).replace(" %", "\u00a0%")


def _show_curves(chosen: Chosen, scope: Scope, words: ScreenWords) -> None:
    """Precision over recall for some labels; one point per label if predictions cannot be ranked."""
    matched, reason, at = object_tables.objects_of_level(scope), object_tables.why_no_ap(scope), iou_text(chosen.iou)
    st.subheader(f"{as_heading(words.scores['precision'])} and {words.scores['recall']}", anchor=False)
    labels = _choose_labels(chosen, matched, bool(reason))
    if reason:
        table = object_tables.object_result(scope, "class_scores_at", chosen.iou)
        figure = draw(label_points(table[table["label"].isin(labels)], matched.labels), chosen.theme)
        figure.update_layout(xaxis_title=words.scores["recall"], yaxis_title=words.scores["precision"])
        st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
        st.caption(f"Without a ranking a label has no curve, but one point at IoU {at}.")
        return
    rule = chosen.now.ap_rule
    curves = object_tables.curves_of_labels(scope, chosen.iou, rule)
    figure = draw(recall_curves([curves[label] for label in labels], matched.labels), chosen.theme)
    st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
    st.caption(f"At IoU {at}; the number beside a label is its AP there, by the rule {rule}.")
    describe = partial(object_curves, matched, chosen.iou, labels, rule, object_tables.objects_recipe(chosen, scope))
    draw_curves = lambda **look: charts.draw(describe(), **look)
    downloads.offer("curves", Offer(in_state(chosen, f"curves-iou-{at}"), "Precision over recall", draw_curves))


def _choose_labels(chosen: Chosen, matched: Objects, no_ap: bool) -> list[str]:
    """The controls of the curves; returns the labels that have one."""
    known = [matched.labels[i] for i in np.argsort(-matched.gt_counts, kind="stable") if matched.gt_counts[i]]
    own = tuple(label for label in chosen.now.curves if label in known)
    choices.put(curves=own)
    with control_row():
        if not no_ap:
            st.segmented_control(
                "AP rule", choices.CHOICES["ap_rule"], required=True, help=RULE_HELP, **choices.bind("ap_rule")
            )
        text = "Labels with a point" if no_ap else "Labels with a curve"
        st.multiselect(text, known, placeholder="the most frequent", **choices.bind("curves"))
    return list(own) or [label for label in known if label in chosen.now.labels] or known[:CURVES_SHOWN]


def show_centroids(chosen: Chosen) -> None:
    """Controls for the tolerance and the rules, the numbers, the shifts as a chart and as a table."""
    scope = level_scope(chosen)
    _show_controls(scope.compared.space.shared)
    tolerance = chosen.now.tolerance_x, chosen.now.tolerance_y
    rules = chosen.now.one_to_one, scope.compared.space.shared and chosen.now.class_aware
    found, words = _matched_centroids(scope, tolerance, *rules), words_for(scope.whole)
    recipe = scope.compared.recipe_for(
        None, centroids="{:g}x{:g}".format(*tolerance), one_to_one=rules[0], class_aware=rules[1]
    )
    show_headlines(centroid_headlines(found, words))
    st.markdown(shift_text(found, words))
    if found.note:
        st.warning(as_typed(found.note))
    if len(found.pairs):
        _show_shifts(chosen, found, words, recipe)
    page_shell.show_recipe(recipe)


def _show_shifts(chosen: Chosen, found: Centroids, words: ScreenWords, recipe: str) -> None:
    st.plotly_chart(shifts_figure(found, chosen.theme), key="shifts", config=CONFIG, theme=None)
    rest = f" {MOST_SHIFTS:,} of {len(found.pairs):,} are drawn." if len(found.pairs) > MOST_SHIFTS else ""
    st.caption(f"One point per match; the frame is the tolerance. A cloud off the middle is a constant offset.{rest}")
    only, table = chosen.now.labels, found.matches
    shown = table[table["gt_label"].isin(only) | table["pred_label"].isin(only)] if only else table
    most = data_tables.STYLED_ROWS
    data_tables.show_page_picker(shown, key="centroid_matches", columns=_columns(words), most=most)
    title = "Regions matched by their centres"
    make = lambda: Table("centroids", title, shown, recipe=recipe)
    downloads.offer("centroids", Offer(in_state(chosen, "centroids"), title, table=make))


def _columns(words: ScreenWords) -> dict[str, Any]:
    sides = dict(zip(SIDES, words.sides))
    regions = {side: st.column_config.NumberColumn(f"{name} region") for side, name in sides.items()}
    labels = {f"{side}_label": st.column_config.TextColumn(f"{name} label") for side, name in sides.items()}
    shifts = {name: st.column_config.NumberColumn(f"{name}, px", format="%.2f") for name in ("dx", "dy")}
    return regions | labels | shifts


def _show_controls(shared: bool) -> None:
    with control_row():
        for axis in "xy":
            low, high = choices.LIMITS[f"tolerance_{axis}"]
            st.number_input(
                f"Tolerance {axis}, px", low, high, step=1.0, format="%g", width=150,
                **choices.bind(f"tolerance_{axis}"), help="A match is strictly nearer than this.",
            )  # fmt: skip
        help_text = (
            "On: each region matches at most once, and as many as possible match. Off: many may match one region."
        )
        st.toggle("One to one", **choices.bind("one_to_one"), help=help_text)
        different = "The two sides have different labels, so regions match whatever their labels."
        help_text = "Only regions with the same label match." if shared else different
        # If labels differ, the toggle is off, and the choice is kept for other files.
        bound = choices.bind("class_aware") if shared else {"value": False, "key": "labels_differ"}
        st.toggle("Same label", disabled=not shared, help=help_text, **bound)


def centroid_headlines(found: Centroids, words: ScreenWords) -> list[Headline]:
    """The number of matches, and the share of each side that has one."""
    near = f"whose centre is within {found.tolerance[0]:g} x {found.tolerance[1]:g} px of that of a region of"
    titles = {name: as_heading(title) for name, title in words.scores.items()}
    gt, pred = words.named
    return [
        Headline("Matches", thin_spaced(len(found.pairs)), "Pairs of regions whose centres are near each other."),
        score_headline(titles["recall"], found.recall, f"Regions of {gt} {near} {pred}.",
                       f"There are no regions in {gt}."),
        score_headline(titles["precision"], found.precision, f"Regions of {pred} {near} {gt}.",
                       f"There are no regions in {pred}."),
        score_headline(titles["f1"], found.f1, "Both together: their harmonic mean.", "Neither side has regions."),
    ]  # fmt: skip


@kept("Matching centroids …")
def _matched_centroids(scope: Scope, tolerance: Tolerance, one_to_one: bool, class_aware: bool) -> Centroids:
    """The matches of the chosen level; labels are ignored if the two sides have different ones."""
    return scope.compared.centroids(tolerance, one_to_one, class_aware, **scope.level)


def shift_text(found: Centroids, words: ScreenWords) -> str:
    """The median shift of matched centroids: it shows a constant offset of the prediction."""
    if not len(found.pairs):
        return "No two centroids are within the tolerance."
    # Adding 0.0 turns -0.0 into 0.0.
    dx, dy = (round(float(value), 1) + 0.0 for value in np.median(found.distances, axis=0))
    text = f"Median shift of the centroids of {words.named[PRED]}: {dx:+.1f} px in x, {dy:+.1f} px in y."
    return text.replace("-", "\u2212")
