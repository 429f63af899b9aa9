"""Results on the screen: tables with their columns and formats, rows that open a page, headline numbers, sentences."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.filling.result_of import Asked, result_of
from layoutcm.layouts.model import GT
from layoutcm.lazy import pd
from layoutcm.metrics.confusion import Confusion
from layoutcm.metrics.intervals import Intervals
from layoutcm.results.result import Result
from layoutcm.tables.matrix_views import Selection, cell_name, largest_confusions, result_sentence, summary_sentence
from layoutcm.tables.report_tables import LABEL_TITLES
from layoutcm.tables.tables import heading_of
from layoutcm.ui.screen_text import as_typed, words_for
from layoutcm.ui.server.visitors import kept
from layoutcm.ui.shared.page_shell import choose_cell, go_to, open_page
from layoutcm.ui.state import choices
from layoutcm.ui.state.chosen import Chosen
from layoutcm.ui.state.selection import Panes
from layoutcm.wording import MISSING, difference_text, percent, score_text, thin_spaced

TABLE_ROWS, CHOOSER_ROWS = 20, 14  # visible without scrolling; beside a table to choose from, something is shown
STYLED_ROWS = 300
MOST_DIGITS = 16  # of a score; more are not in it
# In a short table the text is that of `layoutcm.wording`.
SCORE_FORMAT, SHARE_FORMAT, DIFFERENCE_FORMAT = "%.3f", "percent", "%+.3f"
TEXTS = {SCORE_FORMAT: score_text, SHARE_FORMAT: percent, DIFFERENCE_FORMAT: difference_text}
PIXEL_TITLES = {
    "pixels": "pixels", "gt_pixels": "pixels in the ground truth", "pred_pixels": "pixels in the prediction",
    "background": "as Background", "content": "as Content",
    "a_pixels": "A pixels", "b_pixels": "B pixels", "both_pixels": "pixels of both",
}  # fmt: skip
WIDTH = 184  # px of a number with its sentence; five are beside each other on a wide screen


def _score(label: str) -> Any:
    return st.column_config.ProgressColumn(label, min_value=0, max_value=1, format=SCORE_FORMAT, width=110)


def plain_number(label: str) -> Any:
    return st.column_config.NumberColumn(label, format=SCORE_FORMAT)


def difference_number(label: str) -> Any:
    return st.column_config.NumberColumn(label, format=DIFFERENCE_FORMAT)


def share_number(label: str, **options: Any) -> Any:
    return st.column_config.NumberColumn(label, format=SHARE_FORMAT, **options)


COLUMNS = {
    **{name: st.column_config.NumberColumn(title) for name, title in PIXEL_TITLES.items()},
    "share": share_number("share of the cell"),
    "f1": _score("macro F1"),
    "micro_f1": _score("micro F1"),
    "content_f1": _score("content F1"),
    **{name: plain_number(name.replace("_", " "))
       for name in ("precision", "recall", "score", "content_precision", "content_recall")},
    "iou": plain_number("IoU"),
}  # fmt: skip
CLASS_COLUMNS = (
    COLUMNS | {"f1": _score("F1")} | {name: plain_number(heading_of(name)) for name in ("f1_low", "f1_high")}
)
AGREEMENT_COLUMNS = COLUMNS | {name: plain_number(title) for name, title in LABEL_TITLES.items()}
COLLAPSED_COLUMNS = CLASS_COLUMNS | {"f1": plain_number("F1")}


def show_table(rows: Any, columns: dict[str, Any], key: str) -> None:
    """A table to read, as high as its rows, up to a limit."""
    height = 38 + 35 * min(len(rows), TABLE_ROWS)
    st.dataframe(**_grid(rows, columns), height=height, key=key)


def show_page_picker(
    table: Any, key: str, column: str = "page", columns: dict[str, Any] | None = None, most: int | None = None
) -> None:
    """A table of pages or documents; choosing a row opens the page, or the document on Errors.

    With `most`, only the first rows are shown, and a line says so.
    """

    def choose() -> None:
        rows = st.session_state[key]["selection"]["rows"]
        if rows and column == "page":
            open_page(str(table["page"].iloc[rows[0]]))
        elif rows:
            choices.put(level="document", document=str(table["document"].iloc[rows[0]]))
            go_to("errors")

    named = COLUMNS | (columns or {})
    shown = table if most is None else table.head(most)
    st.dataframe(**_grid(shown, named), key=key, on_select=choose, selection_mode="single-row")
    if len(shown) < len(table):
        st.caption(f"The first {len(shown):,} of {len(table):,} rows; the file has all of them.")


def show_row_chooser(table: pd.DataFrame, columns: dict[str, Any], key: str, choose: Callable[[], None]) -> None:
    """A table in which one row is chosen, by a click anywhere in it; `choose` reads the selection of this key."""
    height = 38 + 35 * min(len(table), CHOOSER_ROWS)
    st.dataframe(
        **_grid(table, columns), height=height, key=key, on_select=choose,
        selection_mode=("single-row-required", "single-cell"),
    )  # fmt: skip


def _grid(table: pd.DataFrame, columns: dict[str, Any]) -> dict[str, Any]:
    """Arguments that all tables share: n/a is a dash, pixel counts have thin spaces between thousands.

    Styling is slow, so in long tables the browser separates the thousands and rounds scores in its own way,
    with more decimals where it would show 0 or 1 for what is not. The data are never rounded.
    """
    given = {name: columns[name] for name in map(str, table) if isinstance(columns.get(name), dict)}
    kinds = {name: column["type_config"].get("format") for name, column in given.items()}
    scores = [name for name, kind in kinds.items() if kind == SCORE_FORMAT]
    data: Any = table
    if 0 < len(table) <= STYLED_ROWS:
        # The number beside a bar is rounded by the browser; where this would be wrong, there is text instead of bars.
        bars = [
            name
            for name in scores
            if given[name]["type_config"]["type"] == "progress" and _digits_off_the_ends(table[name], 3) == 3
        ]
        texts = {name: TEXTS[kind] for name, kind in kinds.items() if kind in TEXTS and name not in bars}
        # Without a format of their own, which would win over the text of the cells.
        looks = {name: {key: columns[name][key] for key in ("label", "width", "help")} for name in texts}
        columns = columns | {name: st.column_config.NumberColumn(**look) for name, look in looks.items()}
        formats: dict[Any, Any] = {**texts} | {name: thin_spaced for name in table if name in PIXEL_TITLES}
        data = table.style.format(formats, na_rep=MISSING)
    else:
        pixels = {
            name: st.column_config.NumberColumn(title, format="localized") for name, title in PIXEL_TITLES.items()
        }
        columns = columns | pixels
        shares = [name for name, kind in kinds.items() if kind == SHARE_FORMAT]
        for name, least in (*((name, 3) for name in scores), *((name, 4) for name in shares)):
            if (digits := _digits_off_the_ends(table[name], least)) > least:
                config = given[name]["type_config"]
                columns = columns | {name: {**given[name], "type_config": {**config, "format": f"%.{digits}f"}}}
    return {"data": data, "column_config": columns, "hide_index": True, "placeholder": MISSING}


def _digits_off_the_ends(column: pd.Series, least: int) -> int:
    """The decimals, at least `least`, with which the browser rounds no share to 0 or 1 that is neither."""
    values = column.to_numpy(float)
    inner = values[(values > 0) & (values < 1)]
    gap = min(inner.min(), 1 - inner.max()) if inner.size else 1.0
    return next((digits for digits in range(least, MOST_DIGITS) if gap > 0.5 * 10.0**-digits), MOST_DIGITS)


class Headline(NamedTuple):
    """A number: its title, its text, what it means. Without a number, the meaning is the reason."""

    title: str
    text: str
    meaning: str


def score_headline(
    title: str, value: float, meaning: str, reason: str = "", in_words: Callable[[float], str] = score_text
) -> Headline:
    """A score from 0 to 1; n/a and the reason if it is undefined."""
    if math.isnan(value):
        return Headline(title, "n/a", reason or "It is not defined here.")
    return Headline(title, in_words(value), meaning)


def show_headlines(headlines: Sequence[Headline]) -> None:
    """The numbers in one row, which wraps if it is too long."""
    with st.container(horizontal=True, gap="small"):
        for one in headlines:
            with st.container(width=WIDTH, gap="xsmall"):
                st.metric(one.title, one.text, width="stretch")
                st.caption(as_typed(one.meaning))


def sentence_on_screen(confusion: Confusion, pred: str, scope: str, slack: float | None = None) -> str:
    """The summary sentence in Markdown; `slack` is the share of wrong pixels that are only border slack."""
    return summary_sentence(confusion, f"**{as_typed(pred)}**", as_typed(scope), slack, as_typed)


@kept("Computing scores …")
def brief_result(content: str, method: str, _compared: Comparison) -> Result:
    """The result without objects, documents and pages; `content` is a key of the comparison."""
    return result_of(_compared, method, Asked(parts=("agreement",)))


@kept("Computing intervals …")
def intervals_of(content: str, method: str, _compared: Comparison) -> Intervals:
    """The intervals of a comparison; `content` is its key."""
    return _compared.bootstrap(method=method)


def agreed_sentence(content: str, method: str, compared: Comparison) -> str:
    """A sentence that says on how many pixels A and B agree."""
    result = brief_result(content, method, compared)
    return result_sentence(result, result.confusion())


def show_sentence(chosen: Chosen, shown: Panes) -> None:
    """The summary sentence of the chosen pages; the share of border slack takes a moment."""
    scope = shown.own
    place, confusion = st.empty(), scope.confusion()
    names = chosen.names[scope.position], scope.text
    place.markdown(sentence_on_screen(confusion, *names))
    place.markdown(sentence_on_screen(confusion, *names, _border_slack(scope.key, scope.compared)))


@st.cache_data(max_entries=24, show_spinner=False, scope="session")
def _border_slack(content: str, _compared: Comparison) -> float | None:
    return _compared.border_slack()


def show_confusion_buttons(key: str, sentences: Sequence[tuple[str, str, str]]) -> None:
    """Show the sentences of `confusion_sentences` as a list of buttons, each a line of text that chooses its cell."""
    low = f".st-key-{key} button{{min-height:1.6rem;padding:0 .2rem;text-align:start}}"
    st.html(f"<style>{low}</style>")
    with st.container(key=key, gap=None):
        for text, *cell in sentences:
            st.button(text, key="_".join((key, *cell)), type="tertiary", on_click=choose_cell, args=tuple(cell))


def confusion_sentences(
    confusion: Confusion, selection: Selection, most: int = 10, touching: Collection[str] = ()
) -> list[tuple[str, str, str]]:
    """(text, gt label, pred label) of the largest confusions; only those with a label of `touching`, if given."""
    words, found = confusion.vocabulary, []
    for a, b, pixels, part in largest_confusions(confusion, most, selection, touching):
        what = cell_name(words, a, b, confusion.diagonal, as_typed)
        owner = words.shares[GT].format(label=as_typed(a))
        found.append((f"{what}: {thin_spaced(pixels)} px, {percent(part)} of {owner}", a, b))
    return found


def show_collapsed(compared: Comparison, confusion: Confusion, key: str) -> None:
    """The 2x2 of a matrix as a table; without a truth it has no precision, recall and F1."""
    words = words_for(compared)
    table = collapsed_on_screen(confusion.collapse()).drop(columns=list(words.not_in_2x2))
    show_table(table.rename(columns=words.columns), COLLAPSED_COLUMNS, key=key)


def collapsed_on_screen(small: Confusion) -> pd.DataFrame:
    """The 2x2 with its own recall, precision and F1."""
    values = small.class_values()
    return pd.DataFrame(
        {
            "gt": list(small.labels),
            "background": small.values[:, 0],
            "content": small.values[:, 1],
            **{name: values[name] for name in ("precision", "recall", "f1")},
        }
    )
