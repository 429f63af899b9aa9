"""Contrast of two colours, as WCAG 2 defines it; written apart from the library's own."""


def luminance(colour):
    """The relative luminance of '#rrggbb', 0 to 1."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return sum(weight * v for weight, v in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
