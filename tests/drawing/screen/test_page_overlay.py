"""The regions of both sides over the picture of a page."""

from layoutcm.drawing.palette import LIGHT
from layoutcm.drawing.screen import page_overlay


def test_one_overlay_trace_for_each_side_and_label():
    def box(side, label, number, *edges):
        values = dict(zip(("x0", "y0", "x1", "y1"), edges))
        return {"side": side, "label": label, "colour": "#009e73", "score": None, "number": number, **values}

    boxes = [box("pred", "a", 0, 0, 0, 10, 4), box("gt", "a", 0, 1, 2, 11, 6), box("gt", "a", 1, 0, 8, 20, 9)]
    figure = page_overlay.page_overlay(20, 30, boxes, LIGHT, image="data:image/png;base64,x", zoom=(1, 2, 3, 4))
    gt, pred = figure.data
    assert (gt.name, pred.name) == ("gt: a", "pred: a")
    assert gt.x == (1, 11, 11, 1, 1, None, 5.5, None, 0, 20, 20, 0, 0, None, 9, None)
    assert gt.y == (2, 2, 6, 6, 2, None, 4, None, 8, 8, 9, 9, 8, None, 8.5, None)
    assert gt.line.dash is None and pred.line.dash
    assert gt.customdata[6] == ["gt", 0] and gt.customdata[14] == ["gt", 1]
    assert figure.layout.xaxis.range == (1, 3) and figure.layout.yaxis.range == (4, 2)
    (image,) = figure.layout.images
    assert (image.x, image.y, image.sizex, image.sizey) == (0, 0, 20, 30)
