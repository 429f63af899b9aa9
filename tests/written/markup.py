"""PAGE-XML, ALTO, hOCR, CVAT, DocTags."""

WRITERS = {}
