"""The texts of a paper figure, as they are drawn."""

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
