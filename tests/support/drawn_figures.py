"""What a figure shows: its texts, its traces, and the contrast of its colours."""

import xml.etree.ElementTree as ET

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from layoutcm.drawing.paper.figure_style import figure_bytes, paper_style


def text_boxes(figure):
    """[(text, its box in points)] of all texts of a figure: labels, ticks, legends and captions."""
    figure.set_dpi(72)
    with paper_style():
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
        return [(text, text.get_window_extent(canvas.get_renderer())) for text in shown]


def drawn_texts(figure):
    return [text.get_text() for text, _ in text_boxes(figure)]


def svg_texts(figure):
    """The texts of a figure in its SVG file, in their order."""
    found = ET.fromstring(figure_bytes(figure, "svg")).iter("{http://www.w3.org/2000/svg}text")
    return [element.text for element in found]


def trace(figure, name):
    return next(one for one in figure.data if one.name == name)


def luminance(colour):
    """The relative luminance of '#rrggbb', 0 to 1."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(weight * v for weight, v in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
