"""Writers of the formats of vision-language models: dots.ocr, Qwen-VL, GLM-OCR, DeepSeek-OCR, Mistral OCR, Chandra,
Dolphin.
"""

import json

from written import per_page


def qwen_vl(page, box_of):
    """In a Markdown fence, as the models write it."""
    rows = [json.dumps({"bbox_2d": box_of(box), "label": label}) for label, box, _ in page.regions]
    return "```json\n[\n{}\n]\n```\n".replace("{}", ",\n".join(f"\t{row}" for row in rows))


@per_page("qwen-vl-1000", blank=False)
def qwen_vl_1000(page):
    return qwen_vl(page, lambda box: page.whole_parts(box, 1000))


@per_page("qwen-vl-pixels", blank=False)
def qwen_vl_pixels(page):
    return qwen_vl(page, list)


@per_page("deepseek-ocr", "{}.md", blank=False)
def deepseek_ocr(page):
    """Text before the first reference belongs to no region."""
    return "words without a place\n\n" + "\n\n".join(
        f"<|ref|>{label.lower()}<|/ref|><|det|>[{page.parts(box, 999)}]<|/det|>\nwords"
        for label, box, _ in page.regions
    )


@per_page("mistral-ocr")
def mistral_ocr(page):
    corners = ("top_left_x", "top_left_y", "bottom_right_x", "bottom_right_y")
    blocks = [
        dict(zip(corners, box)) | {"content": "words", "confidence_scores": None, "type": label.lower()}
        for label, box, _ in page.regions
    ]
    size = {"dpi": 200, "height": page.height, "width": page.width}
    markdown = "words" if blocks else ""
    written = {"index": 0, "markdown": markdown, "images": [], "dimensions": size, "blocks": blocks}
    return {"pages": [written], "model": "mistral-ocr-4", "usage_info": {}}


@per_page("chandra", "{}.html", blank=False)
def chandra(page):
    return "\n".join(
        f'<div data-bbox="{" ".join(map(str, page.whole_parts(box, 1000)))}" data-label="{label}"><p>words</p></div>'
        for label, box, _ in page.regions
    )


@per_page("dolphin")
def dolphin(page):
    """Half of the files are lists of one image, the others are documents with one page."""
    elements = [
        {"label": label.lower(), "bbox": list(box), "text": "words", "reading_order": i, "tags": []}
        for i, (label, box, _) in enumerate(page.regions)
    ]
    if page.name.endswith("1") and elements:
        return elements
    entry = {"page_number": 1, "elements": elements}
    return {"source_file": f"in/{page.name}.pdf", "total_pages": 1, "pages": [entry]}
