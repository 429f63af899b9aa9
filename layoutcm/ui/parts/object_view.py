"""The objects of Measures: headline numbers, where AP's cap acts, what depends on one IoU, curves."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.paper import charts
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.object_charts import curves_figure, points_figure
from layoutcm.metrics.objects.average_precision import IOUS
from layoutcm.metrics.objects.cap import CAP, over_cap
from layoutcm.metrics.objects.matched_objects import Objects
from layoutcm.tables.tables import HEADINGS, object_tables
from layoutcm.ui import choices, offers, page_shell, screen_text, selection, session
from layoutcm.ui.offers import Offer, in_state
from layoutcm.ui.parts import object_matrix, objects
from layoutcm.ui.parts import object_tables as class_tables
from layoutcm.ui.parts.headline_row import Headline, score_headline, show_headlines
from layoutcm.ui.screen_text import as_typed, plural_spaced
from layoutcm.ui.side_words import TRUTH, SideWords, words_for
from layoutcm.wording import percent, score_text, thin_spaced

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
    matched, reason = objects.objects_of_level(compared), objects.why_no_ap(compared)
    if matched.note:
        st.warning(as_typed(matched.note))
    qualities = {name: float(value) for name, value in objects.panoptic_means(compared).items()}
    meaning = PQ_MEANING.format(score_text(qualities["rq"]), score_text(qualities["sq"]))
    panoptic = score_headline("PQ", qualities["pq"], meaning, NO_PQ)
    if reason:
        show_headlines([panoptic, Headline("AP", "n/a", reason)])
        return
    values, _ = objects.coco_numbers(compared)
    no_gt = f"There are no objects in {words_for(compared).gt}."
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
    matched, words = objects.objects_of_level(compared), words_for(compared)
    any_label = not matched.space.shared
    scores = objects.object_result(compared, "scores_at", objects.chosen_iou(), not any_label)
    st.subheader("At one IoU", anchor=False)
    st.slider("IoU", float(IOUS[0]), float(IOUS[-1]), step=0.05, width=280, **choices.bind("iou"),
              help="The smallest overlap (intersection over union) at which an object counts as found")  # fmt: skip
    st.markdown(object_sentence(matched, scores, selection.scope_text(compared), words))
    _show_scores(scores, words, any_label)
    counts = objects.object_result(compared, "counts_at", objects.chosen_iou(), not any_label)
    if compared.has_truth:
        st.caption(screen_text.join_unbroken([f"{HEADINGS[name]} {thin_spaced(n)}" for name, n in counts.items()]))
    confusion = objects.object_confusion(compared)
    left, right = page_shell.columns(3, 2, key="_objects", labels=len(confusion.labels) + 1)
    with left:
        object_matrix.show_object_matrix(compared, confusion)
    with right:
        if not any_label:
            _show_curves(compared, matched, words)
        object_matrix.show_pages_behind(compared, confusion)
    st.subheader("Labels", anchor=False)
    class_tables.show_classes(compared, confusion)
    scores_table = partial(lambda one, iou: object_tables(one, iou)[0], matched, objects.chosen_iou())
    if compared.has_truth:
        offers.offer("object_scores", Offer(in_state("object_scores"), "Objects, all numbers", table=scores_table))


def _show_scores(scores: dict[str, float], words: SideWords, any_label: bool) -> None:
    label = "whatever its label" if any_label else "with the same label"
    meanings = {
        "precision": (f"The share of objects in {words.pred} that meet one of {words.gt}, {label}.", words.pred),
        "recall": (f"The share of objects in {words.gt} that meet one of {words.pred}, {label}.", words.gt),
        "f1": ("Both together: their harmonic mean.", "either side"),
    }
    show_headlines(
        [
            score_headline(
                words.scores[name][0].upper() + words.scores[name][1:], scores[name], text, f"There is none in {side}."
            )
            for name, (text, side) in meanings.items()
        ]
    )


def object_sentence(matched: Objects, scores: dict[str, float], scope: str, words: SideWords) -> str:
    """The result in one sentence, for readers who do not know the metrics."""
    gt, pred = int(matched.gt_counts.sum()), int(matched.pred_counts.sum())
    if not gt and not pred:
        return f"There are no objects in {as_typed(scope)}."
    any_label = not matched.space.shared
    condition = "whatever their labels" if any_label else "with their label"
    verb, met = ("are found", "are right") if words is TRUTH else ("are also in B", "are also in A")
    found = f"{percent(scores['recall'])} of {plural_spaced(gt, 'object')} in {words.gt} {verb}, {condition}"
    right = f"{percent(scores['precision'])} of {plural_spaced(pred, 'object')} in {words.pred} "
    right += f"meet one of {words.gt}" if any_label else met
    what = {"box": "boxes", "mask": "masks"}[matched.shapes]
    return (
        f"In {as_typed(scope)}, at an IoU of {objects.chosen_iou():.2f} or more between {what}, "
        f"{found if gt else f'{words.gt} has no objects'}; {right if pred else f'{words.pred} has no objects'}."
    ).replace(" %", "\u00a0%")


def _show_curves(compared: Comparison, matched: Objects, words: SideWords) -> None:
    """Precision over recall for some labels; one point per label if predictions cannot be ranked."""
    reason, at = objects.why_no_ap(compared), f"IoU {objects.chosen_iou():.2f}"
    st.subheader(f"{words.precision[0].upper()}{words.precision[1:]} and {words.recall}", anchor=False)
    chosen = _choose_labels(matched, bool(reason))
    if reason:
        table = objects.object_result(compared, "class_scores_at", objects.chosen_iou())
        figure = points_figure(table[table["label"].isin(chosen)], matched.labels, session.theme())
        figure.update_layout(xaxis_title=words.recall, yaxis_title=words.precision)
        st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
        st.caption(f"Without a ranking a label has no curve, but one point at {at}.")
        return
    curves, rule = objects.curves_of_labels(compared), choices.current().ap_rule
    figure = curves_figure([curves[label] for label in chosen], matched.labels, session.theme())
    st.plotly_chart(figure, key="object_curves", config=CONFIG, theme=None)
    st.caption(f"At {at}; the number beside a label is its AP there, by the rule {rule}.")
    recipe = objects.objects_recipe(compared)
    draw = partial(charts.object_curves_figure, matched, objects.chosen_iou(), chosen, rule, recipe=recipe)
    offers.offer("curves", Offer(in_state(f"curves-iou-{objects.chosen_iou():.2f}"), "Precision over recall", draw))


def _choose_labels(matched: Objects, no_ap: bool) -> list[str]:
    """The controls of the curves; returns the labels that have one."""
    known = [matched.labels[i] for i in np.argsort(-matched.gt_counts, kind="stable") if matched.gt_counts[i]]
    choices.put(curves=tuple(label for label in choices.current().curves if label in known))
    with objects.control_row():
        if not no_ap:
            st.segmented_control(
                "AP rule", choices.CHOICES["ap_rule"], required=True, help=RULE_HELP, **choices.bind("ap_rule")
            )
        text = "Labels with a point" if no_ap else "Labels with a curve"
        st.multiselect(text, known, placeholder="the most frequent", **choices.bind("curves"))
    in_filter = [label for label in known if label in choices.current().labels]
    return list(choices.current().curves) or in_filter or known[:CURVES_SHOWN]
