"""The kinds of mistakes a layout model makes, one function each.

Every kind takes guesses and gives back guesses. How many regions it touches is a share of those it could
touch, drawn without replacement, so that a rare label gets its mistakes as surely as a frequent one.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .page import SIZE, union

Bounds = tuple[float, float, float, float]
SEAM = 3  # half of the gap between the two parts of a split region


@dataclass(frozen=True)
class Guess:
    """One region as a model sees it; `right` is false once a mistake worse than a loose border was made."""

    page: str
    label: str
    box: Bounds
    role: str = ""
    right: bool = True

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


def pick(guesses: list[Guess], rng: random.Random, share: float, fits: Callable[[Guess], bool]) -> set[int]:
    """The places of a share of the guesses that fit, at least one if there is any."""
    places = [place for place, guess in enumerate(guesses) if guess.right and fits(guess)]
    return set(rng.sample(places, min(len(places), max(1, round(share * len(places))))))


def has(*labels: str, pages: Iterable[str] = ()) -> Callable[[Guess], bool]:
    """Whether a guess has one of the labels and, if pages are given, is on one of them."""
    wanted = set(pages)
    return lambda guess: guess.label in labels and (not wanted or guess.page in wanted)


def loosen(guesses: list[Guess], rng: random.Random, share: float, slack: float) -> list[Guess]:
    """Move each border, mostly outwards; the last kind to be applied, as it touches right and wrong ones alike."""
    loose = []
    for guess in guesses:
        moves = [rng.uniform(-0.45, 1.0) * slack for _ in range(4)]
        if rng.random() < share:
            x0, y0, x1, y1 = guess.box
            box = (x0 - moves[0], y0 - moves[1], x1 + moves[2], y1 + moves[3])
            guess = replace(guess, box=clip(box))
        loose.append(guess)
    return loose


def clip(box: Bounds) -> Bounds:
    """The part of a box that is on the page."""
    return (max(box[0], 0), max(box[1], 0), min(box[2], SIZE[0]), min(box[3], SIZE[1]))


def miss(guesses: list[Guess], rng: random.Random, share: float, fits: Callable[[Guess], bool]) -> list[Guess]:
    """Leave regions out."""
    gone = pick(guesses, rng, share, fits)
    return [guess for place, guess in enumerate(guesses) if place not in gone]


def mix_up(
    guesses: list[Guess], rng: random.Random, share: float, fits: Callable[[Guess], bool], label: str
) -> list[Guess]:
    """Give regions another label."""
    taken = pick(guesses, rng, share, fits)
    return [replace(g, label=label, right=False) if place in taken else g for place, g in enumerate(guesses)]


def split(guesses: list[Guess], rng: random.Random, share: float, label: str) -> list[Guess]:
    """Cut regions of several lines into an upper and a lower part."""
    taken = pick(guesses, rng, share, lambda guess: guess.label == label and guess.height > 64)
    result = []
    for place, guess in enumerate(guesses):
        if place not in taken:
            result.append(guess)
            continue
        x0, y0, x1, y1 = guess.box
        cut = round(y0 + guess.height * rng.uniform(0.35, 0.65))
        parts = (x0, y0, x1, cut - SEAM), (x0, cut + SEAM, x1, y1)
        result += [replace(guess, box=box, right=False) for box in parts]
    return result


def are_neighbours(upper: Guess, lower: Guess, gap: float = 14) -> bool:
    """Whether one region stands right below another of its label in the same column."""
    same = (upper.page, upper.label) == (lower.page, lower.label)
    return same and abs(upper.box[0] - lower.box[0]) < 30 and 0 <= lower.box[1] - upper.box[3] < gap


def merge(guesses: list[Guess], rng: random.Random, share: float, label: str) -> list[Guess]:
    """Join regions with the one below them."""
    rows = list(guesses)
    for upper in sorted(pick(rows, rng, share, lambda guess: guess.label == label), reverse=True):
        below = [place for place, guess in enumerate(rows) if guess.right and are_neighbours(rows[upper], guess)]
        if below and rows[upper].right:
            lower = below[0]
            rows[upper] = replace(rows[upper], box=union(rows[upper].box, rows[lower].box), right=False)
            # An emptied place rather than a deleted one: the places picked above must stay what they were.
            rows[lower] = replace(rows[lower], label="", right=False)
    return [guess for guess in rows if guess.label]


def double(guesses: list[Guess], rng: random.Random, share: float, label: str, other: str) -> list[Guess]:
    """Report regions twice, the second time with another label."""
    taken = sorted(pick(guesses, rng, share, has(label)))
    return guesses + [replace(guesses[place], label=other, right=False) for place in taken]


def invent(guesses: list[Guess], page: str, label: str, box: Bounds) -> list[Guess]:
    """See a region where there is none."""
    return [*guesses, Guess(page, label, box, right=False)]


def shatter(guesses: list[Guess], page: str, label: str, cut: float, parts: tuple[str, str]) -> list[Guess]:
    """Read a region of a page as two others: what is left of the cut (a fraction of its width), and the rest."""
    result = []
    for guess in guesses:
        if not guess.right or (guess.page, guess.label) != (page, label):
            result.append(guess)
            continue
        x0, y0, x1, y1 = guess.box
        middle = round(x0 + (x1 - x0) * cut)
        boxes = (x0, y0, middle, y1), (middle, y0, x1, y1)
        result += [replace(guess, label=name, box=box, right=False) for name, box in zip(parts, boxes, strict=True)]
    return result


def inside(inner: Bounds, outer: Bounds) -> float:
    """Which part of a box lies inside another."""
    width = min(inner[2], outer[2]) - max(inner[0], outer[0])
    height = min(inner[3], outer[3]) - max(inner[1], outer[1])
    return max(width, 0) * max(height, 0) / ((inner[2] - inner[0]) * (inner[3] - inner[1]))


def flatten(guesses: list[Guess]) -> list[Guess]:
    """Leave out whatever lies on a picture: the model gives each place to a single region."""
    pictures = [guess for guess in guesses if guess.label == "Picture"]
    return [
        guess
        for guess in guesses
        if not any(p is not guess and p.page == guess.page and inside(guess.box, p.box) > 0.5 for p in pictures)
    ]
