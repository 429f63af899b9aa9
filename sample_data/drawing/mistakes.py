"""The kinds of mistakes that a layout model makes, one function for each.

Each function takes guesses and returns guesses. Most of them change a share of the regions that fit, sampled without
replacement, so that a rare label gets mistakes as reliably as a frequent one.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from .page import SIZE, union

Bounds = tuple[float, float, float, float]
INWARDS = 0.2  # an edge moves inwards by at most this share of the box
SEAM = 3  # half of the gap between the two parts of a split region


@dataclass(frozen=True)
class Guess:
    """One predicted region; `right` is false after any mistake that is worse than an inexact box edge."""

    page: str
    label: str
    box: Bounds
    role: str = ""
    right: bool = True

    @property
    def height(self) -> float:
        return self.box[3] - self.box[1]


def pick(guesses: list[Guess], rng: random.Random, share: float, fits: Callable[[Guess], bool]) -> set[int]:
    """The indices of a share of the right guesses that fit, at least one if there is any."""
    fitting = [i for i, guess in enumerate(guesses) if guess.right and fits(guess)]
    return set(rng.sample(fitting, min(len(fitting), max(1, round(share * len(fitting))))))


def has(*labels: str, pages: Iterable[str] = (), role: str = "") -> Callable[[Guess], bool]:
    """A test whether a guess has one of the labels and, if they are given, the role and one of the pages."""
    wanted = set(pages)
    return lambda guess: guess.label in labels and (not wanted or guess.page in wanted) and role in ("", guess.role)


def loosen(guesses: list[Guess], rng: random.Random, share: float, slack: Callable[[str], float]) -> list[Guess]:
    """Move the edges of boxes, mostly outwards; `slack` is the largest move on a page.

    Applied last, because it changes right and wrong guesses alike.
    """
    loose = []
    for guess in guesses:
        moves = [rng.uniform(-0.45, 1.0) * slack(guess.page) for _ in range(4)]
        if rng.random() < share:
            x0, y0, x1, y1 = guess.box
            least = [-INWARDS * (x1 - x0), -INWARDS * (y1 - y0)] * 2
            left, up, right, down = map(max, moves, least)
            guess = replace(guess, box=clip((x0 - left, y0 - up, x1 + right, y1 + down)))
        loose.append(guess)
    return loose


def clip(box: Bounds) -> Bounds:
    """The part of a box that is on the page."""
    return (max(box[0], 0), max(box[1], 0), min(box[2], SIZE[0]), min(box[3], SIZE[1]))


def miss(guesses: list[Guess], rng: random.Random, share: float, fits: Callable[[Guess], bool]) -> list[Guess]:
    """Leave regions out."""
    missed = pick(guesses, rng, share, fits)
    return [guess for i, guess in enumerate(guesses) if i not in missed]


def mix_up(
    guesses: list[Guess], rng: random.Random, share: float, fits: Callable[[Guess], bool], label: str
) -> list[Guess]:
    """Give regions another label."""
    picked = pick(guesses, rng, share, fits)
    return [replace(guess, label=label, right=False) if i in picked else guess for i, guess in enumerate(guesses)]


def split(guesses: list[Guess], rng: random.Random, share: float, label: str) -> list[Guess]:
    """Cut regions of several lines into an upper and a lower part."""
    picked = pick(guesses, rng, share, lambda guess: guess.label == label and guess.height > 64)
    result = []
    for i, guess in enumerate(guesses):
        if i not in picked:
            result.append(guess)
            continue
        x0, y0, x1, y1 = guess.box
        cut = round(y0 + guess.height * rng.uniform(0.35, 0.65))
        parts = (x0, y0, x1, cut - SEAM), (x0, cut + SEAM, x1, y1)
        result += [replace(guess, box=box, right=False) for box in parts]
    return result


def are_neighbours(upper: Guess, lower: Guess, gap: float = 14) -> bool:
    """Whether `lower` is directly below `upper`, in the same column and with the same label."""
    same = (upper.page, upper.label) == (lower.page, lower.label)
    return same and abs(upper.box[0] - lower.box[0]) < 30 and 0 <= lower.box[1] - upper.box[3] < gap


def merge(guesses: list[Guess], rng: random.Random, share: float, label: str) -> list[Guess]:
    """Join a region with the one below it."""
    rows = list(guesses)
    for upper in sorted(pick(rows, rng, share, lambda guess: guess.label == label), reverse=True):
        below = [i for i, guess in enumerate(rows) if guess.right and are_neighbours(rows[upper], guess)]
        if below and rows[upper].right:
            lower = below[0]
            rows[upper] = replace(rows[upper], box=union(rows[upper].box, rows[lower].box), right=False)
            # Marked as empty, not deleted, so that the indices picked above stay valid.
            rows[lower] = replace(rows[lower], label="", right=False)
    return [guess for guess in rows if guess.label]


def double(guesses: list[Guess], rng: random.Random, share: float, label: str, other: str) -> list[Guess]:
    """Report regions twice, the second time with another label."""
    picked = sorted(pick(guesses, rng, share, has(label)))
    return guesses + [replace(guesses[i], label=other, right=False) for i in picked]


def invent(guesses: list[Guess], page: str, label: str, box: Bounds) -> list[Guess]:
    """Add a region where there is none."""
    return [*guesses, Guess(page, label, box, right=False)]


def shatter(guesses: list[Guess], page: str, label: str, cut: float, parts: tuple[str, str]) -> list[Guess]:
    """Replace a region by two with other labels, left and right of the cut (a fraction of its width)."""
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


def share_inside(inner: Bounds, outer: Bounds) -> float:
    """The share of the area of `inner` that lies in `outer`."""
    width = min(inner[2], outer[2]) - max(inner[0], outer[0])
    height = min(inner[3], outer[3]) - max(inner[1], outer[1])
    return max(width, 0) * max(height, 0) / ((inner[2] - inner[0]) * (inner[3] - inner[1]))


def flatten(guesses: list[Guess]) -> list[Guess]:
    """Drop the regions that lie on a picture, as a model does that predicts no overlapping regions."""
    pictures = [guess for guess in guesses if guess.label == "Picture"]
    return [
        guess
        for guess in guesses
        if not any(p is not guess and p.page == guess.page and share_inside(guess.box, p.box) > 0.5 for p in pictures)
    ]
