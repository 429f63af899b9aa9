"""Annotation tools and cloud services: YOLO, LabelMe, Label Studio, Azure, Textract, Document AI."""

WRITERS = {}
