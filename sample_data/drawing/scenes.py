"""Scenes in place of photographs, made of gradients, hills of seeded noise and reflections in water."""

import random

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

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


THINGS = ("ferry", "harbour", "pier", "nothing")
LOW_THINGS = ("ferry", "pier")  # they leave the sky free for a title


def scene(width: int, height: int, rng: random.Random, things: tuple[str, ...] = THINGS) -> Image.Image:
    """Hills behind water, in the light of some time of day, with one of some things on the water."""
    light = rng.choice(sorted(LIGHTS))
    stops, hills, water = LIGHTS[light]
    w, h = width * OVERSAMPLING, height * OVERSAMPLING
    shore = rng.uniform(0.54, 0.64)
    drawn = sky(w, h, [(0, stops[0]), (shore / 2, stops[1]), (shore - 0.05, stops[2]), (1, stops[2])])
    if light != "day":
        add_sun(drawn, rng.uniform(0.55, 0.85), rng.uniform(0.3, 0.42), 0.022, stops[2])
    levels = [shore - 0.13, shore - 0.07, shore - 0.025][-len(hills) :]
    add_hills(
        drawn, rng, [(level, rng.uniform(0.03, 0.08), colour) for level, colour in zip(levels, hills, strict=True)]
    )
    mirror(drawn, shore, water, rng.uniform(0.3, 0.45), rng.choice((1.0, 2.0)))
    image = finish(drawn)
    add_thing(ImageDraw.Draw(image), rng.choice(things), (w, h), shore, rng)
    return image.reduce(OVERSAMPLING)


# For each time of day: three colours of the sky from top to bottom, the hills from far to near, and the water.
LIGHTS: dict[str, tuple[tuple[Rgb, Rgb, Rgb], tuple[Rgb, ...], Rgb]] = {
    "dawn": (
        ((52, 84, 120), (126, 160, 184), (243, 214, 178)),
        ((168, 172, 180), (116, 134, 152), (70, 96, 118)),
        (52, 80, 104),
    ),
    "day": (((64, 140, 190), (140, 190, 216), (206, 228, 236)), ((138, 166, 170), (96, 134, 120)), (24, 92, 120)),
    "dusk": (((58, 52, 92), (168, 104, 120), (248, 190, 132)), ((122, 84, 108), (84, 62, 90)), (46, 38, 66)),
    "mist": (
        ((150, 160, 166), (186, 194, 196), (222, 224, 220)),
        ((186, 192, 192), (160, 170, 170), (126, 140, 140)),
        (120, 134, 138),
    ),
}


def add_thing(draw: ImageDraw.ImageDraw, kind: str, size: tuple[int, int], shore: float, rng: random.Random) -> None:
    """What stands or floats on the water of a scene."""
    w, h = size
    unit = h / 100
    if kind == "ferry":
        ferry(draw, w * rng.uniform(0.25, 0.6), h * (shore + 0.08), unit * 0.95, (30, 40, 52), (235, 235, 228))
    if kind == "harbour":
        wall = h * shore
        corners = [(w * 0.52, wall), (w, wall - 3 * unit), (w, wall + 7 * unit), (w * 0.52, wall + 3.5 * unit)]
        draw.polygon(corners, (92, 88, 84))
        lighthouse(draw, w * 0.6, wall, unit)
        for number in range(rng.randint(3, 6)):
            y = h * (shore + 0.11 + 0.05 * (number % 3))
            boat(draw, w * (0.07 + 0.072 * number), y, unit * rng.uniform(0.9, 1.3), rng)
    if kind == "pier":
        pier(draw, w, h, shore + 0.025)


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


def pier(draw: ImageDraw.ImageDraw, w: int, h: int, end: float) -> None:
    """A wooden pier that begins at the lower edge; `end` is the height of its far end."""
    deck, top = (38, 30, 40), h * end
    draw.polygon([(w * 0.1, h), (w * 0.62, h), (w * 0.525, top), (w * 0.5, top)], (66, 52, 62))
    for number in range(26):
        t = (number / 26) ** 2
        y = top + (h - top) * t
        left, right = w * (0.5 - 0.4 * t), w * (0.525 + 0.095 * t)
        draw.line([(left, y), (right, y)], deck, max(1, round(h * 0.009 * t)))
        if number % 4 == 2:
            for x in (left, right):
                draw.rectangle((x - w * 0.014 * t, y - h * 0.22 * t - 6, x + w * 0.014 * t, y), deck)
