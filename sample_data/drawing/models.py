"""The three sample models: which mistakes each of them makes, how often, and in which order.

All models start from the regions that were drawn, and not from the ground truth with its planted errors. Each step has
its own random generator, seeded with the name of the model and the step, so that a change of one step does not change
the random numbers of the others.
"""

import random
from collections.abc import Callable

from .documents import DOCUMENTS, SCAN
from .mistakes import Guess, double, flatten, has, invent, loosen, merge, miss, mix_up, shatter, split
from .page import Page

SCANNED = [page for document in DOCUMENTS if document.quality == SCAN for page in document.page_names]
COLUMNS = [page for document in DOCUMENTS if document.columns > 1 for page in document.page_names]
PAPERS_AND_REPORTS = [page for one in DOCUMENTS if one.category in ("paper", "report") for page in one.page_names]
SPOILED_PAGE = "report-1_p3"  # model A gets most of it wrong
INVENTED = ("letter-2_p1", (150.0, 800.0, 560.0, 980.0))  # a picture of model A on blank paper
EMPTY_PAGE = "invoice-1_p3"  # model B finds nothing on it
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
    """Every region as it was drawn."""
    return [Guess(page.name, region.label, region.box, region.role) for page in pages for region in page.regions]


def slack_of(model: str, usual: float) -> Callable[[str], float]:
    """How far a model moves box edges, by page: some documents are harder than others, and scans are harder still."""
    factors = {}
    for document in DOCUMENTS:
        factor = document.rng(f"{model} slack").uniform(0.5, 1.6) * (1.5 if document.quality == SCAN else 1)
        factors |= dict.fromkeys(document.page_names, factor)
    return lambda page: usual * factors[page]


def rng(step: str) -> random.Random:
    return random.Random(step)


def model_a(pages: list[Page]) -> list[Guess]:
    """A decent model that confuses labels that look alike."""
    guesses = spoil_page(perfect_guesses(pages), SPOILED_PAGE)
    guesses = mix_up_a(guesses)
    furniture = has("Page-header", "Page-footer", "Section-header")
    guesses = miss(guesses, rng("a miss"), 0.05, furniture)
    guesses = miss(guesses, rng("a miss text"), 0.025, has("Text"))
    guesses = miss(guesses, rng("a miss scans"), 0.06, has("Text", "List-item", "Caption", pages=SCANNED))
    guesses = miss(guesses, rng("a miss formula"), 0.1, has("Formula"))
    guesses = split(guesses, rng("a split"), 0.1, "Text")
    guesses = merge(guesses, rng("a merge text"), 0.16, "Text")
    guesses = merge(guesses, rng("a merge list"), 0.2, "List-item")
    guesses = double(guesses, rng("a double table"), 0.09, "Table", "Picture")
    guesses = double(guesses, rng("a double text"), 0.02, "Text", "List-item")
    guesses = double(guesses, rng("a double head"), 0.06, "Section-header", "Text")
    guesses = invent(guesses, INVENTED[0], "Picture", INVENTED[1])
    return loosen(guesses, rng("a loosen"), 0.85, slack_of("a", 4))


def mix_up_a(guesses: list[Guess]) -> list[Guess]:
    """The labels that model A confuses."""
    guesses = mix_up(guesses, rng("a caption"), 0.22, has("Caption"), "Text")
    guesses = mix_up(guesses, rng("a head"), 0.12, has("Section-header"), "Title")
    guesses = mix_up(guesses, rng("a list"), 0.2, has("List-item"), "Text")
    guesses = mix_up(guesses, rng("a footnote"), 0.35, has("Footnote"), "Page-footer")
    guesses = mix_up(guesses, rng("a table"), 0.2, has("Table", pages=PAPERS_AND_REPORTS), "Text")
    guesses = mix_up(guesses, rng("a chart"), 0.05, has("Picture", role="chart"), "Table")
    return mix_up(guesses, rng("a formula"), 0.2, has("Formula"), "Text")


def spoil_page(guesses: list[Guess], page: str) -> list[Guess]:
    """Make one page wrong: read its table as Text and Picture, its chart as Picture and Table; miss its captions."""
    guesses = shatter(guesses, page, "Picture", 0.42, ("Picture", "Table"))
    guesses = shatter(guesses, page, "Table", 0.39, ("Text", "Picture"))
    return miss(guesses, rng("a spoil"), 1, has("Caption", pages=(page,)))


def random_score(guess: Guess, generator: random.Random) -> float:
    """The confidence of a guess, on average lower for wrong ones."""
    low, high, beta = (0.6, 0.99, 3.0) if guess.right else (0.3, 0.8, 1.0)
    return round(high - (high - low) * generator.betavariate(1, beta), 4)


def model_b(pages: list[Page]) -> list[Guess]:
    """A weaker model without overlapping regions."""
    guesses = flatten([guess for guess in perfect_guesses(pages) if guess.page != EMPTY_PAGE])
    guesses = mix_up_b(guesses)
    guesses = miss(guesses, rng("b miss"), 0.05, has("Text", "List-item", "Section-header"))
    guesses = miss(guesses, rng("b miss scans"), 0.1, has("Text", "List-item", "Section-header", pages=SCANNED))
    guesses = miss(guesses, rng("b miss edges"), 0.3, has("Page-header", "Page-footer"))
    guesses = miss(guesses, rng("b miss footnote"), 0.25, has("Footnote"))
    guesses = miss(guesses, rng("b miss formula"), 0.5, has("Formula"))
    guesses = miss(guesses, rng("b miss table"), 0.12, has("Table"))
    guesses = split(guesses, rng("b split"), 0.12, "Text")
    guesses = merge(guesses, rng("b merge text"), 0.4, "Text")
    guesses = merge(guesses, rng("b merge list"), 0.4, "List-item")
    return loosen(guesses, rng("b loosen"), 0.95, slack_of("b", 8))


def mix_up_b(guesses: list[Guess]) -> list[Guess]:
    """The labels that model B confuses."""
    guesses = mix_up(guesses, rng("b head"), 0.2, has("Section-header"), "Text")
    guesses = mix_up(guesses, rng("b caption"), 0.25, has("Caption"), "Text")
    guesses = mix_up(guesses, rng("b footnote"), 0.35, has("Footnote"), "Text")
    guesses = mix_up(guesses, rng("b chart"), 0.4, has("Picture", role="chart"), "Table")
    guesses = mix_up(guesses, rng("b edges"), 0.12, has("Page-header", "Page-footer"), "Text")
    return mix_up(guesses, rng("b title"), 0.25, has("Title"), "Section-header")


def label_of_model_b(guess: Guess) -> str:
    """The label in the taxonomy of model B, which has separate labels for table captions and for references."""
    if guess.label == "Caption":
        return "table_title" if guess.role == "table" else "figure_title"
    if guess.label == "List-item" and guess.role == "reference":
        return "reference"
    return MODEL_B_LABELS[guess.label]


def model_c(pages: list[Page]) -> list[Guess]:
    """A model that is better than A at tables and on scans, and worse at captions and on pages of several columns."""
    guesses = perfect_guesses(pages)
    guesses = mix_up(guesses, rng("c caption"), 0.45, has("Caption"), "Text")
    guesses = mix_up(guesses, rng("c head"), 0.1, has("Section-header"), "Title")
    guesses = mix_up(guesses, rng("c list"), 0.15, has("List-item"), "Text")
    guesses = mix_up(guesses, rng("c text"), 0.025, has("Text"), "List-item")
    guesses = mix_up(guesses, rng("c footnote"), 0.3, has("Footnote"), "Text")
    guesses = mix_up(guesses, rng("c formula"), 0.25, has("Formula"), "Text")
    guesses = miss(guesses, rng("c miss columns"), 0.07, has("Text", pages=COLUMNS))
    guesses = miss(guesses, rng("c miss"), 0.08, has("Caption", "Footnote", "Page-header", "Page-footer"))
    guesses = split(guesses, rng("c split"), 0.08, "Text")
    guesses = merge(guesses, rng("c merge text"), 0.12, "Text")
    guesses = double(guesses, rng("c double head"), 0.04, "Section-header", "Title")
    return loosen(guesses, rng("c loosen"), 0.85, slack_of("c", 4))
