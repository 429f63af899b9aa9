"""Scenes in place of photographs, made of gradients, hills of seeded noise and reflections in water."""

import random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from .charts import Canvas

Rgb = tuple[int, int, int]
OVERSAMPLING = 2  # scenes are drawn this much larger and then reduced, which smooths their edges


def sky(width: int, height: int, stops: list[tuple[float, Rgb]]) -> np.ndarray:
    """A vertical gradient through (height, colour) stops, with height 0 at the top and 1 at the bottom."""
    rows = np.linspace(0, 1, height)
    where, colours = zip(*stops, strict=True)
    bands = np.stack([np.interp(rows, where, [c[i] for c in colours]) for i in range(3)], axis=1)
    return np.repeat(bands[:, None, :], width, axis=1)


def ridge(width: int, rng: random.Random, steps: int, rough: float = 0.5) -> np.ndarray:
    """float64[width]: a line of hills between -1 and 1, the sum of finer and finer noise, each weaker by `rough`."""
    line, weight, total = np.zeros(width), 1.0, 0.0
    while steps < width / 3:
        knots = [rng.uniform(-1, 1) for _ in range(steps + 1)]
        at = np.linspace(0, steps, width, endpoint=False)
        left = at.astype(int)
        ease = (1 - np.cos((at - left) * np.pi)) / 2
        values = np.array(knots)
        line += weight * (values[left] * (1 - ease) + values[left + 1] * ease)
        total, weight, steps = total + weight, weight * rough, steps * 2
    return line / total


def add_hills(scene: np.ndarray, rng: random.Random, layers: list[tuple[float, float, Rgb]]) -> None:
    """Hills from far to near, each given as (height of its line, variation of the height, colour)."""
    height, width = scene.shape[:2]
    rows = np.arange(height)[:, None]
    for number, (level, swing, colour) in enumerate(layers):
        line = (level + swing * ridge(width, rng, 3 + number)) * height
        covered = rows >= line[None, :]
        scene[covered] = colour


def add_sun(scene: np.ndarray, x: float, y: float, radius: float, colour: Rgb, glow: float = 5) -> None:
    """A disc and the light around it."""
    height, width = scene.shape[:2]
    rows, columns = np.mgrid[0:height, 0:width]
    distance = np.hypot(columns - x * width, rows - y * height) / (radius * height)
    light = np.where(distance < 1, 1.0, 0.55 * np.exp(-(distance - 1) / glow))[:, :, None]
    scene[:] = scene * (1 - light) + np.array(colour) * light


def mirror(scene: np.ndarray, shore: float, tint: Rgb, strength: float = 0.35, calm: float = 1.0) -> None:
    """Fill the part below the shore with a rippled reflection of the part above it."""
    height = scene.shape[0]
    edge = int(shore * height)
    depth = np.arange(height - edge)
    ripple = np.sin(depth**0.72 * 2.2) * depth * 0.045 / calm
    source = np.clip(edge - 1 - depth - ripple, 0, edge - 1).astype(int)
    fade = (strength + 0.3 * depth / max(len(depth), 1))[:, None, None]
    scene[edge:] = scene[source] * (1 - fade) + np.array(tint) * fade


def finish(scene: np.ndarray) -> Image.Image:
    return Image.fromarray(scene.clip(0, 255).astype("uint8")).filter(ImageFilter.GaussianBlur(0.6))


def ferry(draw: ImageDraw.ImageDraw, x: float, y: float, unit: float, hull: Rgb, house: Rgb) -> None:
    """A small ferry seen from the side, its waterline at y."""

    def shape(points: list[tuple[float, float]], colour: Rgb) -> None:
        draw.polygon([(x + px * unit, y + py * unit) for px, py in points], colour)

    shape([(-10, -3), (10, -3), (8.6, 0), (-8.4, 0)], hull)
    shape([(-9, -3.6), (-2, -3.6), (-2, -3), (-9, -3)], house)
    shape([(-2, -6.2), (6, -6.2), (7, -3), (-2, -3)], house)
    shape([(1, -8.2), (4.4, -8.2), (5, -6.2), (0.6, -6.2)], house)
    shape([(-1.4, -9), (-0.2, -9), (-0.2, -6.2), (-1.4, -6.2)], (176, 60, 44))
    for window in range(4):
        shape(
            [
                (-1.2 + window * 1.8, -5.4),
                (0 + window * 1.8, -5.4),
                (0 + window * 1.8, -4.4),
                (-1.2 + window * 1.8, -4.4),
            ],
            hull,
        )
    draw.line([(x + 2.8 * unit, y - 8.2 * unit), (x + 2.8 * unit, y - 11.5 * unit)], hull, max(1, round(unit * 0.25)))


def sound(width: int, height: int) -> Image.Image:
    """Misty hills behind a wide water with a ferry on it."""
    rng, w, h = random.Random("sound"), width * OVERSAMPLING, height * OVERSAMPLING
    scene = sky(w, h, [(0, (52, 84, 120)), (0.3, (126, 160, 184)), (0.56, (243, 214, 178)), (1, (243, 214, 178))])
    add_sun(scene, 0.7, 0.46, 0.022, (255, 240, 205))
    far, mid, near = (168, 172, 180), (116, 134, 152), (70, 96, 118)
    add_hills(scene, rng, [(0.47, 0.07, far), (0.52, 0.06, mid), (0.56, 0.05, near)])
    mirror(scene, 0.585, (52, 80, 104))
    image = finish(scene)
    ferry(ImageDraw.Draw(image), w * 0.34, h * 0.655, h / 110, (30, 40, 52), (235, 235, 228))
    return image.reduce(OVERSAMPLING)


def harbour(width: int, height: int) -> Image.Image:
    """A harbour with a lighthouse on its breakwater and boats at their moorings."""
    rng, w, h = random.Random("harbour"), width * OVERSAMPLING, height * OVERSAMPLING
    scene = sky(w, h, [(0, (64, 140, 190)), (0.62, (206, 228, 236)), (1, (206, 228, 236))])
    add_hills(scene, rng, [(0.5, 0.09, (138, 166, 170)), (0.56, 0.06, (96, 134, 120))])
    mirror(scene, 0.63, (24, 92, 120), 0.45)
    image = finish(scene)
    draw = ImageDraw.Draw(image)
    wall = h * 0.63
    draw.polygon(
        [(w * 0.52, wall), (w, wall - h * 0.03), (w, wall + h * 0.07), (w * 0.52, wall + h * 0.035)], (92, 88, 84)
    )
    unit = h / 100
    lighthouse(draw, w * 0.6, wall, unit)
    for number in range(6):
        boat(draw, w * (0.07 + 0.072 * number), h * (0.74 + 0.05 * (number % 3)), unit * rng.uniform(0.9, 1.3), rng)
    return image.reduce(OVERSAMPLING)


def lighthouse(draw: ImageDraw.ImageDraw, x: float, wall: float, unit: float) -> None:
    """A white tower with two red bands on the breakwater."""
    draw.polygon(
        [
            (x - 3 * unit, wall),
            (x - 2 * unit, wall - 30 * unit),
            (x + 2 * unit, wall - 30 * unit),
            (x + 3 * unit, wall),
        ],
        (244, 242, 236),
    )
    for band in (8, 20):
        draw.rectangle((x - 2.5 * unit, wall - (band + 5) * unit, x + 2.5 * unit, wall - band * unit), (190, 56, 44))
    draw.rectangle((x - 1.6 * unit, wall - 35 * unit, x + 1.6 * unit, wall - 30 * unit), (250, 226, 140))
    draw.polygon(
        [(x - 2.4 * unit, wall - 35 * unit), (x + 2.4 * unit, wall - 35 * unit), (x, wall - 39 * unit)], (60, 56, 56)
    )


def boat(draw: ImageDraw.ImageDraw, x: float, y: float, unit: float, rng: random.Random) -> None:
    """A moored sailing boat with its sails down."""
    hull = rng.choice([(240, 240, 236), (32, 60, 96), (150, 44, 40), (236, 226, 196)])
    draw.polygon(
        [(x - 7 * unit, y - 3 * unit), (x + 8 * unit, y - 3 * unit), (x + 5.5 * unit, y), (x - 6 * unit, y)], hull
    )
    draw.rectangle((x - 3 * unit, y - 4.6 * unit, x + 2 * unit, y - 3 * unit), (222, 218, 208))
    draw.line([(x, y - 4 * unit), (x, y - 24 * unit)], (238, 234, 226), max(2, round(unit * 0.5)))
    draw.line([(x, y - 6 * unit), (x - 6.5 * unit, y - 5.5 * unit)], (90, 70, 60), max(2, round(unit * 0.9)))


def pier(width: int, height: int) -> Image.Image:
    """A wooden pier running out into flat water at dusk."""
    rng, w, h = random.Random("pier"), width * OVERSAMPLING, height * OVERSAMPLING
    scene = sky(w, h, [(0, (58, 52, 92)), (0.3, (168, 104, 120)), (0.52, (248, 190, 132)), (1, (248, 190, 132))])
    add_hills(scene, rng, [(0.47, 0.05, (122, 84, 108)), (0.51, 0.03, (84, 62, 90))])
    mirror(scene, 0.535, (46, 38, 66), 0.3, calm=2)
    image = finish(scene)
    draw = ImageDraw.Draw(image)
    deck, end = (38, 30, 40), h * 0.56
    draw.polygon([(w * 0.1, h), (w * 0.62, h), (w * 0.525, end), (w * 0.5, end)], (66, 52, 62))
    for number in range(26):
        t = (number / 26) ** 2
        y = end + (h - end) * t
        left, right = w * (0.5 - 0.4 * t), w * (0.525 + 0.095 * t)
        draw.line([(left, y), (right, y)], deck, max(1, round(h * 0.009 * t)))
        if number % 4 == 2:
            for x in (left, right):
                draw.rectangle((x - w * 0.014 * t, y - h * 0.22 * t - 6, x + w * 0.014 * t, y), deck)
    return image.reduce(OVERSAMPLING)


def bridge(width: int, height: int, night: bool) -> Image.Image:
    """A stone bridge over a river, as a roadside camera sees it."""
    rng, w, h = random.Random("bridge"), width * OVERSAMPLING, height * OVERSAMPLING
    light, dark = ((70, 76, 92), (26, 30, 40)) if night else ((206, 214, 218), (150, 164, 170))
    scene = sky(w, h, [(0, dark), (0.6, light), (1, light)])
    add_hills(scene, rng, [(0.4, 0.08, (34, 40, 46) if night else (120, 140, 116))])
    image = finish(scene)
    stone = (58, 56, 58) if night else (150, 142, 132)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, h * 0.38, w, h * 0.64), stone)
    for x in (0.02, 0.36, 0.7):
        draw.pieslice((w * x, h * 0.44, w * (x + 0.3), h * 0.86), 180, 360, (18, 20, 26) if night else (88, 100, 104))
    scene = np.asarray(image).astype(float)
    if night:
        add_sun(scene, 0.82, 0.24, 0.025, (255, 226, 160), 2.5)
    mirror(scene, 0.64, (30, 36, 42) if night else (104, 116, 108), 0.4)
    return finish(scene).reduce(OVERSAMPLING)


def letter_box(width: int, height: int) -> Image.Image:
    """A red letter box on a kitchen table, in the light of a window."""
    canvas = Canvas(width, height, (188, 178, 160))
    w, h = width, height
    for row in range(24):
        shade = 196 - row * 3
        canvas.box(0, h * row / 36, w, h * (row + 1) / 36 + 1, (shade, shade - 8, shade - 26))
    canvas.box(w * 0.06, h * 0.06, w * 0.36, h * 0.48, (236, 240, 236), (120, 104, 84))
    canvas.line([(w * 0.21, h * 0.06), (w * 0.21, h * 0.48)], (120, 104, 84), 5)
    canvas.line([(w * 0.06, h * 0.27), (w * 0.36, h * 0.27)], (120, 104, 84), 5)
    for row in range(12):
        y = h * (0.66 + 0.34 * row / 12)
        canvas.box(0, y, w, y + h * 0.03, (132 - row * 4, 88 - row * 3, 56 - row * 2))
    canvas.shape([(w * 0.44, h * 0.84), (w * 0.96, h * 0.84), (w * 0.88, h * 0.8), (w * 0.4, h * 0.8)], (70, 44, 30))
    canvas.box(w * 0.42, h * 0.3, w * 0.82, h * 0.82, (176, 34, 32), (120, 20, 20), 10)
    canvas.box(w * 0.42, h * 0.3, w * 0.48, h * 0.82, (204, 62, 54), None, 10)
    canvas.box(w * 0.5, h * 0.4, w * 0.76, h * 0.45, (84, 12, 14), (60, 8, 8), 2)
    canvas.box(w * 0.54, h * 0.55, w * 0.72, h * 0.68, (236, 226, 204), None, 2)
    canvas.text(w * 0.63, h * 0.615, "POST", 14, (120, 20, 20))
    canvas.line([(w * 0.62, h * 0.3), (w * 0.63, h * 0.5), (w * 0.61, h * 0.3)], (226, 210, 170), 2)
    return canvas.to_image().filter(ImageFilter.GaussianBlur(0.5))
