"""The figures on top of the Overview: pixels first, then one of each other view.

Pixel figures are sums that are there anyway. Objects, centres and soft scores look at all regions again, which takes
seconds on a very large set; there they wait until somebody opens their own page.
"""

from __future__ import annotations

from layoutcm.comparison import Comparison
from layoutcm.confusion import Confusion
from layoutcm.tables import number
from layoutcm.ui import centroids, families, objects, soft, state, words
from layoutcm.ui.panels import counted

SMALL = 5000  # pages; about a second of work
LATER = "…"
Headline = tuple[str, str, str]


def headlines(compared: Comparison, confusion: Confusion) -> list[Headline]:
    """(name, value, help) of the figures on top."""
    return [*words.headlines(compared, confusion, state.get("level")), *of_other_views(compared)]


def of_other_views(compared: Comparison) -> list[Headline]:
    """Families, objects, soft scores, centres, where they have a meaning."""
    family = families.headline(compared)
    figures = [family] if family else []
    if len(compared.pages) > SMALL and not objects.is_drawn(compared):
        size = counted(len(compared.pages), "page")
        help_text = f"On {size} this takes some seconds, so it waits until you open Objects; then it stands here too."
        return [*figures, ("Objects", LATER, help_text)]
    figures.append(_of_objects(compared))
    if not soft.why_none(compared):
        value = float(soft.averages(compared)["f_beta"]["macro"])
        figures.append(_figure("Soft F1", value, "Pixels weighted by their regions' scores, mean of the labels"))
    return [*figures, _of_centres(compared)]


def _figure(name: str, value: float, text: str) -> Headline:
    return name, number(value), f"{text}. See Objects. ({number(value, 6)})"


def _of_objects(compared: Comparison) -> Headline:
    """mAP where predictions can be ranked, else the F1 of objects, which needs no scores."""
    if not objects.of_level(compared).why_no_ap:
        return _figure("mAP", objects.coco(compared)[0]["AP"], "Objects by COCO's rules, IoU 0.50 to 0.95")
    shared = compared.space.shared
    scores = objects.asked(compared, "scores_at", objects.iou(), shared)
    whose = "with their label" if shared else "whatever their labels"
    text = f"Objects found at IoU {objects.iou():.2f}, {whose}. There is no AP"
    return _figure("Object F1", scores["f1"], text)


def _of_centres(compared: Comparison) -> Headline:
    found = centroids.matched(compared)
    dx, dy = found.tolerance
    whose = "a region with their label" if centroids.class_aware(compared) else "any region"
    return _figure("Centroid recall", found.recall, f"gt regions with a centre within {dx:g} x {dy:g} px of {whose}")
