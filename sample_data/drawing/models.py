"""The two sample models: which mistakes each of them makes, how often, and in which order.

Each step has its own random generator, seeded with the name of the model and the step, so that a change of one step
does not change the random numbers of the others.
"""

import random

from .mistakes import Guess, double, flatten, has, invent, loosen, merge, miss, mix_up, shatter, split
from .page import Page

# Pages with charts: a chart with grid lines can be taken for a table, a photograph cannot.
CHARTS = ("paper_p2", "paper_p4", "report_p3", "report_p4")
MODEL_B_LABELS = {
    "Title": "doc_title",
    "Section-header": "paragraph_title",
    "Text": "text",
    "List-item": "text",
    "Picture": "figure",
    "Table": "table",
    "Formula": "formula",
    "Footnote": "footnote",
    "Page-header": "header",
    "Page-footer": "footer",
}


def perfect_guesses(pages: list[Page]) -> list[Guess]:
    """Every region as it is in the ground truth."""
    return [Guess(page.name, region.label, region.box, region.role) for page in pages for region in page.regions]


def model_a(pages: list[Page]) -> list[Guess]:
    """A decent model that confuses labels that look alike."""
    guesses = spoil_page(perfect_guesses(pages), "report_p3")
    guesses = mix_up_a(guesses)
    guesses = miss(guesses, random.Random("a miss"), 0.035, has("Text", "Page-header", "Page-footer", "Section-header"))
    guesses = miss(guesses, random.Random("a miss formula"), 0.4, has("Formula"))
    guesses = split(guesses, random.Random("a split"), 0.1, "Text")
    guesses = merge(guesses, random.Random("a merge text"), 0.16, "Text")
    guesses = merge(guesses, random.Random("a merge list"), 0.2, "List-item")
    guesses = double(guesses, random.Random("a double table"), 0.25, "Table", "Picture")
    guesses = double(guesses, random.Random("a double text"), 0.02, "Text", "List-item")
    guesses = double(guesses, random.Random("a double head"), 0.06, "Section-header", "Text")
    guesses = invent(guesses, "report_p2", "Picture", (96, 806, 520, 986))
    return loosen(guesses, random.Random("a loosen"), 0.85, 4)


def mix_up_a(guesses: list[Guess]) -> list[Guess]:
    """The labels that model A confuses."""
    guesses = mix_up(guesses, random.Random("a caption"), 0.4, has("Caption"), "Text")
    guesses = mix_up(guesses, random.Random("a head"), 0.12, has("Section-header"), "Title")
    lists = has("List-item", pages=("report_p2", "report_p5", "invoice_p2"))
    guesses = mix_up(guesses, random.Random("a list"), 0.7, lists, "Text")
    guesses = mix_up(guesses, random.Random("a footnote"), 0.35, has("Footnote"), "Page-footer")
    return mix_up(guesses, random.Random("a formula"), 0.3, has("Formula"), "Text")


def spoil_page(guesses: list[Guess], page: str) -> list[Guess]:
    """Make one page wrong: read its table as Text and Picture, its chart as Picture and Table; miss its captions."""
    guesses = shatter(guesses, page, "Picture", 0.42, ("Picture", "Table"))
    guesses = shatter(guesses, page, "Table", 0.39, ("Text", "Picture"))
    return miss(guesses, random.Random("a spoil"), 1, has("Caption", pages=(page,)))


def random_score(guess: Guess, rng: random.Random) -> float:
    """The confidence of a guess, on average lower for wrong ones."""
    low, high, beta = (0.6, 0.99, 3.0) if guess.right else (0.3, 0.8, 1.0)
    return round(high - (high - low) * rng.betavariate(1, beta), 4)


def model_b(pages: list[Page], empty: str) -> list[Guess]:
    """A weaker model without overlapping regions; it finds nothing on the page `empty`."""
    guesses = flatten([guess for guess in perfect_guesses(pages) if guess.page != empty])
    guesses = mix_up_b(guesses)
    guesses = miss(guesses, random.Random("b miss"), 0.05, has("Text", "List-item", "Section-header"))
    guesses = miss(guesses, random.Random("b miss edges"), 0.3, has("Page-header", "Page-footer"))
    guesses = miss(guesses, random.Random("b miss footnote"), 0.25, has("Footnote"))
    guesses = miss(guesses, random.Random("b miss formula"), 0.5, has("Formula"))
    guesses = miss(guesses, random.Random("b miss table"), 0.12, has("Table"))
    guesses = split(guesses, random.Random("b split"), 0.12, "Text")
    guesses = merge(guesses, random.Random("b merge text"), 0.4, "Text")
    guesses = merge(guesses, random.Random("b merge list"), 0.4, "List-item")
    return loosen(guesses, random.Random("b loosen"), 0.95, 8)


def mix_up_b(guesses: list[Guess]) -> list[Guess]:
    """The labels that model B confuses."""
    guesses = mix_up(guesses, random.Random("b head"), 0.2, has("Section-header"), "Text")
    guesses = mix_up(guesses, random.Random("b caption"), 0.25, has("Caption"), "Text")
    guesses = mix_up(guesses, random.Random("b footnote"), 0.35, has("Footnote"), "Text")
    guesses = mix_up(guesses, random.Random("b chart"), 0.5, has("Picture", pages=CHARTS), "Table")
    guesses = mix_up(guesses, random.Random("b edges"), 0.12, has("Page-header", "Page-footer"), "Text")
    return mix_up(guesses, random.Random("b title"), 0.25, has("Title"), "Section-header")


def label_of_model_b(guess: Guess) -> str:
    """The label in the taxonomy of model B, which has separate labels for table captions and for references."""
    if guess.label == "Caption":
        return "table_title" if guess.role == "table" else "figure_title"
    if guess.label == "List-item" and guess.role == "reference":
        return "reference"
    return MODEL_B_LABELS[guess.label]
