"""The server of the dashboard: request checks, limits, visitors, guarded reading, background work, pictures.

Nothing here knows what a layout is, what is chosen or how a page looks.
"""
