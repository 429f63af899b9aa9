"""Pages and documents: tables with the worst ones first."""

import streamlit as st

from layoutcm.drawing.screen.charts import distribution_figure
from layoutcm.drawing.screen.figure_basics import CONFIG
from layoutcm.ui import choices, page_shell, router, screen_text, session
from layoutcm.ui.parts import data_tables, sentences

router.ensure_routed()
compared = page_shell.need_comparison()
st.title("Pages and documents", anchor=False)
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
data_tables.show_page_picker(
    sentences.cached_document_table(compared, choices.current().method), key="documents", column="document"
)
page_shell.show_recipe(compared.recipe_for(choices.current().method))
