"""Whether the time of a regular expression grows faster than its text, found from the parse tree of the pattern.

The tree becomes an automaton: a state for each character of the pattern, and steps between states. Python tries all
ways through it. If one state can be reached again in two ways by the same text, the number of ways is exponential. If
two states that repeat accept the same text, and one follows the other, it is polynomial (Weber and Seidl, On the
degree of ambiguity of finite automata, 1991). Where a pattern is searched, every place of the text may be its start.
"""

import re
from dataclasses import dataclass, field
from re import _constants as sre
from re import _parser as sre_parser

# Characters that stand for all: those of one byte, a digit, a blank and letters of other scripts, and the end.
ALPHABET = [*map(chr, range(256)), "\u0663", "\u2003", "\u4e2d", "\ud800"]
END = 1 << len(ALPHABET)
ANY = END - 1
MANY = 100  # a repeat of at most this many is short
START = 0


def mask(test) -> int:
    return sum(1 << i for i, character in enumerate(ALPHABET) if test(character))


CATEGORIES = {
    sre.CATEGORY_DIGIT: mask(str.isdecimal),
    sre.CATEGORY_SPACE: mask(str.isspace),
    sre.CATEGORY_WORD: mask(lambda c: c.isalnum() or c == "_"),
}
CATEGORIES |= {
    sre.CATEGORY_NOT_DIGIT: ANY & ~CATEGORIES[sre.CATEGORY_DIGIT],
    sre.CATEGORY_NOT_SPACE: ANY & ~CATEGORIES[sre.CATEGORY_SPACE],
    sre.CATEGORY_NOT_WORD: ANY & ~CATEGORIES[sre.CATEGORY_WORD],
}


@dataclass
class Fragment:
    """A part of a pattern: states that begin and end it, each with characters that must not follow.

    `empty` are the characters that must not follow if the part matches nothing; None if it always matches something.
    """

    first: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)
    empty: int | None = 0


class Automaton:
    """`steps[state]` has {next state: [characters, ways]}; `characters[state]` are those that the state stands for."""

    def __init__(self, pattern: str | bytes, flags: int = 0, searched: bool = True) -> None:
        tree = sre_parser.parse(pattern, flags)
        self.flags = tree.state.flags
        self.characters = [ANY]
        self.has_equal_branches = False  # two that match nothing: the parser makes them of a|a
        self.steps: list[dict[int, list[int]]] = [{}]
        begins = bool(len(tree)) and tree[0][0] is sre.AT and tree[0][1] in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING)
        whole = self.sequence(tree)
        self.connect({START: 0}, whole.first)
        if searched and not begins:
            self.connect({START: 0}, {START: 0})
        self.accepting = {*whole.last, *([START] if whole.empty is not None else [])}

    def connect(self, before: dict[int, int], after: dict[int, int]) -> None:
        for one, forbidden in before.items():
            for other, also_forbidden in after.items():
                characters = self.characters[other] & ~forbidden & ~also_forbidden
                if characters:
                    step = self.steps[one].setdefault(other, [0, 0])
                    step[0] |= characters
                    step[1] += 1

    def state(self, characters: int) -> Fragment:
        self.characters.append(characters)
        self.steps.append({})
        new = len(self.steps) - 1
        return Fragment({new: 0}, {new: 0}, None)

    def sequence(self, items) -> Fragment:
        whole = Fragment()
        for item in items:
            whole = self.joined(whole, self.node(*item))
        return whole

    def joined(self, one: Fragment, two: Fragment) -> Fragment:
        self.connect(one.last, two.first)
        first = dict(one.first)
        if one.empty is not None:
            first |= {state: forbidden | one.empty for state, forbidden in two.first.items()}
        last = dict(two.last)
        if two.empty is not None:
            last |= {state: forbidden | two.empty for state, forbidden in one.last.items()}
        empty = None if one.empty is None or two.empty is None else one.empty | two.empty
        return Fragment(first, last, empty)

    def node(self, kind, value) -> Fragment:
        if kind in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            return self.state(self.characters_of(kind, value))
        if kind is sre.AT:
            return self.state(END) if value in (sre.AT_END, sre.AT_END_STRING) else Fragment()
        if kind in (sre.ASSERT, sre.ASSERT_NOT):
            return Fragment()
        if kind is sre.SUBPATTERN:
            return self.sequence(value[3])
        if kind is sre.ATOMIC_GROUP:
            return self.sequence(value)
        if kind is sre.BRANCH:
            parts = [self.sequence(part) for part in value[1]]
            first = {state: forbidden for part in parts for state, forbidden in part.first.items()}
            last = {state: forbidden for part in parts for state, forbidden in part.last.items()}
            self.has_equal_branches |= sum(not len(part) for part in value[1]) > 1
            return Fragment(first, last, 0 if any(part.empty is not None for part in parts) else None)
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self.repeat(kind, *value)
        raise ValueError(f"{kind} is not known to be linear")

    def repeat(self, kind, least: int, most: int, items) -> Fragment:
        body = self.sequence(items)
        if most > MANY:
            self.connect(body.last, body.first)
        elif most > 1:  # two stand for all
            second = self.sequence(items)
            second.empty = 0 if least < 2 else second.empty
            body = self.joined(body, second)
        body.empty = 0 if least == 0 else body.empty
        if kind is sre.POSSESSIVE_REPEAT and len(items) == 1 and len(body.first) == 1 and most > MANY:
            (state,) = body.first  # a single kind of character: none of it can follow
            body.last = {state: self.characters[state]}
            body.empty = None if body.empty is None else self.characters[state]
        return body

    def characters_of(self, kind, value) -> int:
        if kind is sre.ANY:
            return ANY if self.flags & re.DOTALL else ANY & ~(1 << 10)
        if kind is sre.LITERAL:
            return self.one(value)
        if kind is sre.NOT_LITERAL:
            return ANY & ~self.one(value) if value < 256 else ANY
        found, negated = 0, False
        for item, inside in value:
            if item is sre.NEGATE:
                negated = True
            elif item is sre.CATEGORY:
                found |= CATEGORIES[inside]
            elif item is sre.RANGE:
                found |= self.with_case(mask(lambda c, ends=inside: ends[0] <= ord(c) <= ends[1]))
            elif inside < 256 or not negated:
                found |= self.one(inside)
        return ANY & ~found if negated else found

    def one(self, code: int) -> int:
        # A character outside the alphabet counts as a letter of another script.
        return self.with_case(mask(lambda c: ord(c) == code) or mask(lambda c: c == "\u4e2d"))

    def with_case(self, found: int) -> int:
        if not self.flags & re.IGNORECASE:
            return found
        own = {character.lower() for i, character in enumerate(ALPHABET) if found >> i & 1}
        return mask(lambda c: c.lower() in own)


def growth(pattern: str | bytes, flags: int = 0, searched: bool = True) -> str:
    """ "" if the time is linear, else what makes it grow faster."""
    automaton = Automaton(pattern, flags, searched)
    if automaton.has_equal_branches:
        return "two alternatives can match the same text"
    steps = automaton.steps
    repeating = [state for state in range(len(steps)) if _reaches(steps, (state,), (state,))]
    for state in repeating:
        if _two_ways_back(steps, state):
            return "a part can match the same text again in two ways"
    for one in repeating:
        for two in repeating:
            # Where a match is complete, nothing else is tried.
            is_harmless = searched and two in automaton.accepting
            if one != two and not is_harmless and _reaches(steps, (one, one, two), (one, two, two)):
                return "two repeats that follow each other can match the same text"
    return ""


def _after(steps, states):
    """All tuples of states that follow a tuple by one common character, that character, and the number of ways."""
    found = [((), ANY | END, 1)]
    for state in states:
        found = [
            ((*so_far, after), common & characters, ways * number)
            for so_far, common, ways in found
            for after, (characters, number) in steps[state].items()
            if common & characters
        ]
    return found


def _reaches(steps, start, goal) -> bool:
    todo, seen = [start], set()
    while todo:
        for after, _, _ in _after(steps, todo.pop()):
            if after == goal:
                return True
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return False


def _two_ways_back(steps, state) -> bool:
    """Whether a text leads from the state to itself in two ways: through different states, or by a step of two ways."""
    todo, seen = [(state, state, False)], set()
    while todo:
        one, two, parted = todo.pop()
        for (a, b), _, ways in _after(steps, (one, two)):
            after = (a, b, parted or a != b or (one == two and a == b and ways > 1))
            if after == (state, state, True):
                return True
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return False
