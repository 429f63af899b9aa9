"""The dashboard's own room: what Streamlit needs between the pages and the rest of the package."""
