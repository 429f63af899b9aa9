"""What stands below the matrix of Errors: headline figures, largest confusions, classes, pages and documents."""

from __future__ import annotations

from functools import partial

import streamlit as st

from layoutcm.comparison import Comparison
from layoutcm.drawing.paper import charts
from layoutcm.drawing.screen.charts import distribution_figure, read_as_figure
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.drawing.screen.precision_recall import precision_recall_plane
from layoutcm.metrics.confusion import Confusion
from layoutcm.tables.tables import Table, average_table, class_table
from layoutcm.ui import choices, offers, page_shell, screen_text, selection, session, sidebar
from layoutcm.ui.offers import Offer, file_name, in_state
from layoutcm.ui.parts import data_tables, findings, headlines, sentences


def show_figures(compared: Comparison, confusion: Confusion) -> None:
    """A sentence, the headline figures of all views, and the bars of classes; what takes longest comes last."""
    add_slack = sentences.show_sentence(compared, confusion)
    warnings = st.container()
    figures = st.container(horizontal=True, gap="small")
    own = sentences.headline_figures(compared, confusion, choices.current().level)
    pending = headlines.PENDING if headlines.intervals_are_shown(compared) else None
    places = headlines.draw_headlines(figures, own, pending)
    if confusion.diagonal:
        intervals = headlines.show_class_bars(compared, confusion, key="class_bars")
    else:
        intervals = headlines.intervals_or_button(compared)
        headlines.show_source(intervals)
    headlines.add_intervals(places, own, intervals)
    headlines.draw_headlines(figures, headlines.headlines_of_other_views(compared))
    with warnings:
        findings.show_reminder(compared.findings)
    add_slack()


def show_largest(confusion: Confusion) -> None:
    """The largest confusions as buttons that open the pages behind them."""
    st.subheader("Largest confusions" if confusion.diagonal else "Largest cells", anchor=False)
    for text, gt_label, pred_label in sentences.confusion_sentences(confusion, selection.chosen_labels(confusion)):
        key = f"confusion_{gt_label}_{pred_label}"
        st.button(text, key=key, width="stretch", on_click=selection.open_cell, args=(gt_label, pred_label))


def show_classes(compared: Comparison, confusion: Confusion) -> None:
    """The numbers of every class, averages, precision over recall."""
    st.subheader("Classes", anchor=False)
    shown = selection.chosen_labels(confusion)
    if not confusion.diagonal:
        text = "The two sides use different labels, so no class has a recall or a precision."
        st.info(f"{text} A mapping makes them comparable.")
        return
    data_tables.show_table(confusion.classes().iloc[shown.rows], data_tables.CLASS_COLUMNS, key="class_table")
    offers.offer(
        "classes",
        Offer(in_state("classes"), "Classes", partial(charts.class_bars, confusion, selection=shown),
              partial(class_table, confusion, shown)),
        Offer(in_state("averages"), "Averages", table=partial(average_table, compared, confusion)),
    )  # fmt: skip
    averages = sentences.averages_on_screen(compared, confusion, choices.current().method)
    columns = data_tables.CLASS_COLUMNS | {"f1": data_tables.plain_number("F1")}
    st.subheader("Averages", anchor=False)
    data_tables.show_table(averages, columns, key="average_table")
    st.subheader("Precision and recall", anchor=False)
    figure = precision_recall_plane(confusion, session.theme(), selection=shown)
    st.plotly_chart(figure, key="plane", config=CONFIG, theme=None)


def show_taken_for(confusion: Confusion) -> None:
    """What a chosen class is taken for, and the pages behind its largest cells."""
    shown = selection.chosen_labels(confusion)
    names = [confusion.labels[i] for i in (*shown.rows[1:], *shown.rows[:1])]
    name = lambda label: label or "choose a label"
    sidebar.show_choice("class_name", "What is it taken for?", ["", *names], format_func=name)
    chosen = choices.current().class_name
    if not chosen:
        return
    figure = read_as_figure(confusion, confusion.labels.index(chosen), session.theme(), shown)
    st.plotly_chart(figure, key="taken_for", config=CONFIG, theme=None)
    largest = sentences.confusion_sentences(confusion, shown, most=5, gt=chosen)
    st.caption("Go to the pages behind a cell of this class:" if largest else "It is taken for nothing else.")
    for text, gt_label, pred_label in largest:
        st.button(text, key=f"class_{gt_label}_{pred_label}", on_click=selection.open_cell, args=(gt_label, pred_label))


def show_pages_and_documents(compared: Comparison) -> None:
    """Tables with the worst pages and documents first; a row opens its page or chooses its document."""
    document = choices.current().document if choices.current().level == "document" else ""
    pages = sentences.cached_page_table(compared, choices.current().method, document)
    st.subheader("Pages, worst first", anchor=False)
    chosen = f"of document {screen_text.as_typed(document)}" if document else "of all documents"
    st.caption(f"{screen_text.plural_spaced(len(pages), 'page')} {chosen}. Choose a row to open the page.")
    data_tables.show_page_picker(pages, key="pages")
    score, title = sentences.score_column(compared)
    figure = distribution_figure(pages[score], f"{title} of pages", session.theme())
    st.plotly_chart(figure, key="distribution", config=CONFIG, theme=None)
    st.subheader("Documents, worst first", anchor=False)
    st.caption("Choose a row to see its pages and its numbers on all other pages of the app.")
    table = sentences.cached_document_table(compared, choices.current().method)
    data_tables.show_page_picker(table, key="documents", column="document")
    offers.offer(
        "pages",
        Offer(in_state("pages"), "Pages", table=lambda: Table("pages", "Pages, worst first", pages)),
        Offer(
            file_name("documents", session.chosen_pred().name),
            "Documents",
            table=lambda: Table("documents", "Documents, worst first", table),
        ),
    )
    page_shell.show_recipe(compared.recipe_for(choices.current().method))
