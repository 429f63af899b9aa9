"""Objects and centroids on Measures: headline numbers, what depends on one IoU or one tolerance, curves."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.paper import charts
from layoutcm.drawing.screen.charts import CONFIG
from layoutcm.drawing.screen.object_charts import MOST_SHIFTS, curves_figure, points_figure, shifts_figure
from layoutcm.filling.result_parts import objects_part
from layoutcm.layouts.model import GT, PRED, SIDES
from layoutcm.metrics.objects.average_precision import IOUS
from layoutcm.metrics.objects.centroids import Centroids, Tolerance
from layoutcm.metrics.objects.matched_objects import CAP, Objects, over_cap
from layoutcm.tables.tables import HEADINGS, Table
from layoutcm.tables.tables import object_tables as tables_of
from layoutcm.ui import screen_text
from layoutcm.ui.measures import object_tables
from layoutcm.ui.screen_text import ScreenWords, as_typed, plural_spaced, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared import data_tables, downloads, object_numbers, page_shell
from layoutcm.ui.shared.data_tables import Headline, score_headline, show_headlines
from layoutcm.ui.shared.downloads import Offer, in_state
from layoutcm.ui.shared.object_numbers import control_row
from layoutcm.ui.state import choices, selection, session
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


def show_headlines_of_objects(compared: Comparison) -> None:
    """AP and AR by COCO's rules, or why there is none; panoptic quality; where the cap of AP acts."""
    matched, reason = object_numbers.objects_of_level(compared), object_numbers.why_no_ap(compared)
    if matched.note:
        st.warning(as_typed(matched.note))
    qualities = {name: float(value) for name, value in object_numbers.panoptic_means(compared).items()}
    meaning = PQ_MEANING.format(score_text(qualities["rq"]), score_text(qualities["sq"]))
    panoptic = score_headline("PQ", qualities["pq"], meaning, NO_PQ)
    if reason:
        show_headlines([panoptic, Headline("AP", "n/a", reason)])
        return
    values, _ = object_numbers.coco_numbers(compared)
    no_gt = f"There are no objects in {words_for(compared).named[GT]}."
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


def show_one_iou(compared: Comparison) -> None:
    """Everything that depends on the smallest IoU at which an object counts as found."""
    matched, words = object_numbers.objects_of_level(compared), words_for(compared)
    any_label = not matched.space.shared
    scores = object_numbers.object_result(compared, "scores_at", object_numbers.chosen_iou(), not any_label)
    st.subheader("At one IoU", anchor=False)
    st.slider("IoU", float(IOUS[0]), float(IOUS[-1]), step=0.05, width=280, **choices.bind("iou"),
              help="The smallest overlap (intersection over union) at which an object counts as found")  # fmt: skip
    st.markdown(object_sentence(matched, scores, selection.scope_text(compared), words))
    _show_scores(scores, words, any_label)
    counts = object_numbers.object_result(compared, "counts_at", object_numbers.chosen_iou(), not any_label)
    if "outcomes" in words.parts:
        st.caption(screen_text.join_unbroken([f"{HEADINGS[name]} {thin_spaced(n)}" for name, n in counts.items()]))
    confusion = object_numbers.object_confusion(compared)
    left, right = page_shell.columns(3, 2, key="_objects", labels=len(confusion.labels) + 1)
    with left:
        object_tables.show_object_matrix(compared, confusion)
    with right:
        if not any_label:
            _show_curves(compared, matched, words)
        object_tables.show_pages_behind(compared, confusion)
    st.subheader("Labels", anchor=False)
    object_tables.show_classes(compared, confusion)
    scores_table = partial(lambda one, iou: tables_of(objects_part(one, iou))[0], matched, object_numbers.chosen_iou())
    if "outcomes" in words.parts:
        downloads.offer("object_scores", Offer(in_state("object_scores"), "Objects, all numbers", table=scores_table))


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


def object_sentence(matched: Objects, scores: dict[str, float], scope: str, words: ScreenWords) -> str:
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
        f"In {as_typed(scope)}, at an IoU of {iou_text(object_numbers.chosen_iou())} or more between {what}, "
        f"{of_gt if gt_count else f'{gt} has no objects'}; {of_pred if pred_count else f'{pred} has no objects'}."
    ).replace(" %", "\u00a0%")


def _show_curves(compared: Comparison, matched: Objects, words: ScreenWords) -> None:
    """Precision over recall for some labels; one point per label if predictions cannot be ranked."""
    reason, at = object_numbers.why_no_ap(compared), f"IoU {iou_text(object_numbers.chosen_iou())}"
    st.subheader(f"{as_heading(words.scores['precision'])} and {words.scores['recall']}", anchor=False)
    chosen = _choose_labels(matched, bool(reason))
    if reason:
        table = object_numbers.object_result(compared, "class_scores_at", object_numbers.chosen_iou())
        figure = points_figure(table[table["label"].isin(chosen)], matched.labels, session.theme())
        figure.update_layout(xaxis_title=words.scores["recall"], yaxis_title=words.scores["precision"])
        st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
        st.caption(f"Without a ranking a label has no curve, but one point at {at}.")
        return
    curves, rule = object_numbers.curves_of_labels(compared), choices.current().ap_rule
    figure = curves_figure([curves[label] for label in chosen], matched.labels, session.theme())
    st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
    st.caption(f"At {at}; the number beside a label is its AP there, by the rule {rule}.")
    recipe, at = object_numbers.objects_recipe(compared), iou_text(object_numbers.chosen_iou())
    draw = partial(charts.object_curves_figure, matched, object_numbers.chosen_iou(), chosen, rule, recipe=recipe)
    downloads.offer("curves", Offer(in_state(f"curves-iou-{at}"), "Precision over recall", draw))


def _choose_labels(matched: Objects, no_ap: bool) -> list[str]:
    """The controls of the curves; returns the labels that have one."""
    known = [matched.labels[i] for i in np.argsort(-matched.gt_counts, kind="stable") if matched.gt_counts[i]]
    choices.put(curves=tuple(label for label in choices.current().curves if label in known))
    with object_numbers.control_row():
        if not no_ap:
            st.segmented_control(
                "AP rule", choices.CHOICES["ap_rule"], required=True, help=RULE_HELP, **choices.bind("ap_rule")
            )
        text = "Labels with a point" if no_ap else "Labels with a curve"
        st.multiselect(text, known, placeholder="the most frequent", **choices.bind("curves"))
    in_filter = [label for label in known if label in choices.current().labels]
    return list(choices.current().curves) or in_filter or known[:CURVES_SHOWN]


def show_centroids(compared: Comparison) -> None:
    """Controls for the tolerance and the rules, the numbers, the shifts as a chart and as a table."""
    _show_controls(compared)
    found, words = matched_centroids(compared), words_for(compared)
    show_headlines(centroid_headlines(found, words))
    st.markdown(shift_text(found, words))
    if found.note:
        st.warning(as_typed(found.note))
    if not len(found.pairs):
        return
    st.plotly_chart(shifts_figure(found, session.theme()), key="shifts", config=CONFIG, theme=None)
    rest = f" {MOST_SHIFTS:,} of {len(found.pairs):,} are drawn." if len(found.pairs) > MOST_SHIFTS else ""
    st.caption(f"One point per match; the frame is the tolerance. A cloud off the middle is a constant offset.{rest}")
    only = choices.current().labels
    table = found.matches
    shown = table[table["gt_label"].isin(only) | table["pred_label"].isin(only)] if only else table
    data_tables.show_page_picker(shown.head(data_tables.STYLED_ROWS), key="centroid_matches", columns=_columns(words))
    if len(shown) > data_tables.STYLED_ROWS:
        st.caption(f"The first {data_tables.STYLED_ROWS:,} of {len(shown):,} rows; the file has all of them.")
    recipe, title = centroids_recipe(compared), "Regions matched by their centres"
    make = lambda: Table("centroids", title, shown, recipe=recipe)
    downloads.offer("centroids", Offer(in_state("centroids"), title, table=make))


def _columns(words: ScreenWords) -> dict[str, Any]:
    sides = dict(zip(SIDES, words.sides))
    regions = {side: st.column_config.NumberColumn(f"{name} region") for side, name in sides.items()}
    labels = {f"{side}_label": st.column_config.TextColumn(f"{name} label") for side, name in sides.items()}
    shifts = {name: st.column_config.NumberColumn(f"{name}, px", format="%.2f") for name in ("dx", "dy")}
    return regions | labels | shifts


def _show_controls(compared: Comparison) -> None:
    shared = compared.space.shared
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
        st.toggle("Same label", disabled=not shared, help=help_text, **_bind_label_toggle(shared))


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


def _bind_label_toggle(shared: bool) -> dict[str, Any]:
    """Bound to the choice if labels are shared; else the toggle is off, and the choice is kept for other files."""
    return choices.bind("class_aware") if shared else {"value": False, "key": "labels_differ"}


def matched_centroids(compared: Comparison) -> Centroids:
    """The matches of the chosen level by the chosen rules; labels are ignored if the two sides have different ones."""
    tolerance = choices.current().tolerance_x, choices.current().tolerance_y
    rules = (choices.current().one_to_one, class_aware(compared))
    return _matched(session.comparison_key(), session.chosen_level(compared), tolerance, rules, compared)


def class_aware(compared: Comparison) -> bool:
    return compared.space.shared and choices.current().class_aware


@kept("Matching centroids …")
def _matched(
    content: str, level: dict[str, str], tolerance: Tolerance, rules: tuple[bool, bool], _compared: Comparison
) -> Centroids:
    return _compared.centroids(tolerance, *rules, level.get("page"), level.get("document"))


def shift_text(found: Centroids, words: ScreenWords) -> str:
    """The median shift of matched centroids: it shows a constant offset of the prediction."""
    if not len(found.pairs):
        return "No two centroids are within the tolerance."
    # Adding 0.0 turns -0.0 into 0.0.
    dx, dy = (round(float(value), 1) + 0.0 for value in np.median(found.distances, axis=0))
    text = f"Median shift of the centroids of {words.named[PRED]}: {dx:+.1f} px in x, {dy:+.1f} px in y."
    return text.replace("-", "\u2212")


def centroids_recipe(compared: Comparison) -> str:
    tolerance = f"{choices.current().tolerance_x:g}x{choices.current().tolerance_y:g}"
    rules = {"one_to_one": choices.current().one_to_one, "class_aware": class_aware(compared)}
    return compared.recipe_for(None, centroids=tolerance, **rules)
