"""A second annotator of six documents: slightly different borders, and a few different opinions."""

from .documents import DOCUMENTS
from .mistakes import Guess, has, loosen, merge, miss, mix_up, split
from .models import perfect_guesses, rng
from .page import Page

ANNOTATED = ("paper-2", "paper-5", "report-4", "invoice-5", "magazine-3", "letter-2")
SLACK = 2.5  # pixels


def annotated_pages(pages: list[Page]) -> list[Page]:
    """The pages of the documents that the second annotator has seen."""
    names = {name for document in DOCUMENTS if document.name in ANNOTATED for name in document.page_names}
    return [page for page in pages if page.name in names]


def second_opinion(pages: list[Page]) -> list[Guess]:
    """The regions of the second annotator, who started from the pages and not from the ground truth."""
    guesses = perfect_guesses(annotated_pages(pages))
    guesses = mix_up(guesses, rng("annotator caption"), 0.1, has("Caption"), "Text")
    guesses = mix_up(guesses, rng("annotator title"), 0.15, has("Title"), "Section-header")
    guesses = mix_up(guesses, rng("annotator footnote"), 0.3, has("Footnote"), "Text")
    guesses = miss(guesses, rng("annotator picture"), 0.1, has("Picture"))
    guesses = split(guesses, rng("annotator split"), 0.03, "Text")
    guesses = merge(guesses, rng("annotator merge"), 0.1, "List-item")
    return loosen(guesses, rng("annotator borders"), 0.9, lambda page: SLACK)
