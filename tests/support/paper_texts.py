"""The texts of a paper figure, as they are drawn."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from layoutcm.drawing.paper.printing import paper_style


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
