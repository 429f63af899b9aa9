"""Writers of the formats of vision-language models: dots.ocr, Qwen-VL, GLM-OCR, DeepSeek-OCR, Mistral OCR, Chandra,
Dolphin.
"""

import json

from written.models import write_file_per_page


def parts_of_page(page, box, parts):
    return [value * parts / side for value, side in zip(box, (page.width, page.height) * 2)]


def whole_parts_of_page(page, box, parts):
    return [round(value) for value in parts_of_page(page, box, parts)]


def with_regions(pages):
    """Files without regions could be of any model, so they are not written."""
    return [page for page in pages if page.regions]


def dots_ocr(pages):
    def write_page(page):
        return [{"bbox": list(box), "category": label, "text": "words"} for label, box, _ in page.regions]

    return write_file_per_page(with_regions(pages), write_page)


def qwen_vl(pages, boxes_of):
    """In a Markdown fence, as the models write it."""
    return {
        f"{page.name}.json": "```json\n[\n{}\n]\n```\n".replace(
            "{}",
            ",\n".join(
                "\t" + json.dumps({"bbox_2d": boxes_of(page, box), "label": label}) for label, box, _ in page.regions
            ),
        ).encode()
        for page in with_regions(pages)
    }


def qwen_vl_1000(pages):
    return qwen_vl(pages, lambda page, box: whole_parts_of_page(page, box, 1000))


def qwen_vl_pixels(pages):
    return qwen_vl(pages, lambda page, box: list(box))


def glm_ocr(pages):
    def write_page(page):
        return [
            [
                {
                    "index": i,
                    "label": "text",
                    "bbox_2d": whole_parts_of_page(page, box, 1000),
                    "content": "words",
                    "native_label": label.lower(),
                }
                for i, (label, box, _) in enumerate(page.regions)
            ]
        ]

    return write_file_per_page(with_regions(pages), write_page)


def deepseek_ocr(pages):
    """Text before the first reference belongs to no region."""

    def write_page(page):
        return "words without a place\n\n" + "\n\n".join(
            f"<|ref|>{label.lower()}<|/ref|><|det|>[{parts_of_page(page, box, 999)}]<|/det|>\nwords"
            for label, box, _ in page.regions
        )

    return {f"{page.name}.md": write_page(page).encode() for page in with_regions(pages)}


def mistral_ocr(pages):
    corners = ("top_left_x", "top_left_y", "bottom_right_x", "bottom_right_y")

    def write_page(page):
        blocks = [
            dict(zip(corners, box)) | {"content": "words", "confidence_scores": None, "type": label.lower()}
            for label, box, _ in page.regions
        ]
        size = {"dpi": 200, "height": page.height, "width": page.width}
        written = {
            "index": 0,
            "markdown": "words" if blocks else "",
            "images": [],
            "dimensions": size,
            "blocks": blocks,
        }
        return {"pages": [written], "model": "mistral-ocr-4", "usage_info": {}}

    return write_file_per_page(pages, write_page)


def chandra(pages):
    def write_page(page):
        return "\n".join(
            f'<div data-bbox="{" ".join(map(str, whole_parts_of_page(page, box, 1000)))}" data-label="{label}">'
            "<p>words</p></div>"
            for label, box, _ in page.regions
        )

    return {f"{page.name}.html": write_page(page).encode() for page in with_regions(pages)}


def dolphin(pages):
    """Half of the files are lists of one image, the others are documents with one page."""

    def write_page(page):
        elements = [
            {"label": label.lower(), "bbox": list(box), "text": "words", "reading_order": i, "tags": []}
            for i, (label, box, _) in enumerate(page.regions)
        ]
        if page.name.endswith("1") and elements:
            return elements
        entry = {"page_number": 1, "elements": elements}
        return {"source_file": f"in/{page.name}.pdf", "total_pages": 1, "pages": [entry]}

    return write_file_per_page(pages, write_page)


WRITERS = {
    "dots-ocr": dots_ocr,
    "qwen-vl-1000": qwen_vl_1000,
    "qwen-vl-pixels": qwen_vl_pixels,
    "glm-ocr": glm_ocr,
    "deepseek-ocr": deepseek_ocr,
    "mistral-ocr": mistral_ocr,
    "chandra": chandra,
    "dolphin": dolphin,
}
