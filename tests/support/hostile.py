"""Labels with a special meaning in Excel, HTML, LaTeX, Markdown or Matplotlib, and a comparison with many of them."""

import layoutcm as lcm
from support.layouts import build

LABELS = [
    '=HYPERLINK("x")',
    "<script>alert(1)</script>",
    r"\input{x}",
    "100 %",
    "a_b^c~d",
    "R&D #1",
    "$x^2$ {y}",
    "[z] *bold* `code` a|b",
    "عنوان",
    "页眉 标题",
    "-- dash",
    "</script><!--",
]
# On the screen: markup, Markdown and formulas, directives and templates; from right to left, and beyond 16 bits.
SCREEN = ["<img src=x onerror=alert(1)>", "</script>", "$x^2$ *a* _b_", "=1+1", "مرحبا 😀", "%{x} :red[a] {{y}}"]
PAGE = '+1 & "first" <page>'


def compared():
    """A page with one strip per label; in pred, strips have 3/4 of the width, and the first has the second label."""
    n = len(LABELS)
    size = {PAGE: (40, 10 * n)}
    strips = [(PAGE, label, 0, 10 * i, 40, 10 * i + 10) for i, label in enumerate(LABELS)]
    cut = [(PAGE, label, 0, y0, 30, y1) for _, label, _, y0, _, y1 in strips]
    cut[0] = (PAGE, LABELS[1], 0, 0, 30, 10)
    gt = build(size, strips, LABELS, name="gt")
    return lcm.compare(gt, build(size, cut, LABELS, name="pred"))
