"""What several pages draw: the frame of a page, matrix, thumbnails, tables, downloads, the bar on top."""
