"""Krippendorff's alpha by its coincidence matrix, and label sets of pixels as codes: plain, to compare with."""

from collections import Counter, defaultdict
from itertools import combinations, permutations


def jaccard(one, other):
    return 1 - len(one & other) / len(one | other)


def alpha(units, distance=jaccard):
    """Units are lists of values, one of each coder; nan if no two values differ."""
    coincidences = defaultdict(float)
    for values in units:
        for pair in permutations(values, 2):
            coincidences[pair] += 1 / (len(values) - 1)
    totals = Counter()
    for (one, _), count in coincidences.items():
        totals[one] += count
    n = sum(totals.values())
    observed = sum(count * distance(*pair) for pair, count in coincidences.items()) / n
    pairs = sum(totals[a] * totals[b] * distance(a, b) for a in totals for b in totals)
    return 1 - observed / (pairs / (n * (n - 1))) if pairs else float("nan")


def mean_over_pairs(coders, score):
    """The mean of a score of two lists of values, over all pairs of lists."""
    found = [score(*pair) for pair in combinations(coders, 2)]
    return sum(found) / len(found)


def as_codes(*lists):
    """The label sets of the lists as numbers, the same set as the same number."""
    known = {}
    return [[known.setdefault(value, len(known)) for value in values] for values in lists]
