"""The list of formats, one line per format.

To add a format, write in a module of `readers/` what recognises a `FileContent`, is_NAME (a `Needs`, or a function
with NAME_NEEDS beside it), and a function that reads it, read_NAME; and add a line to `FORMATS`. A reader adds
pages and regions to a `LayoutBuilder` (`_by_rows`), or returns the whole layout of one file (`reader_by_file`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType

from layoutcm.formats.builder import reader_by_rows
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.huggingface_pages import parquet_of_kind
from layoutcm.formats.joined_files import reader_by_file
from layoutcm.formats.needs import Needs, OneOf
from layoutcm.formats.readers import (
    cloud_ocr,
    coco,
    cvat,
    darwin,
    data_sets,
    docling,
    hocr,
    huggingface,
    image_annotations,
    labelstudio,
    mineru,
    ocr_xml,
    parsing_services,
    pdf_tools,
    supervisely,
    table,
    tagged_answers,
    team_annotations,
    toolkits,
    via,
    vlm,
    yolo,
)
from layoutcm.layouts.model import Layout

# What one file of a format usually holds. A data set is a whole layout, or a shard of it; several files with a page or
# document each make one layout. An answer is what a vision-language model wrote about a page; without regions, it is of
# no known format.
DOCUMENT, ANSWER, DATA_SET = "document", "answer", "data set"


@dataclass(frozen=True)
class Format:
    """One file format: its name for `format=`, its title, how to recognise it and how to read it."""

    name: str
    title: str
    recognises: Callable[[FileContent], bool]
    read: Callable[[str, Sequence[FileContent], Options], Layout]
    function_needs: Needs | OneOf | None = None  # what files have that a function recognises, for the texts of errors
    holds: str = DOCUMENT

    @property
    def needs(self) -> Needs | OneOf | None:
        """What a file of this format has; None if it has no keys and elements."""
        return self.recognises if isinstance(self.recognises, Needs | OneOf) else self.function_needs


def never(content: FileContent) -> bool:
    """Recognise no file: the format is used only if it is named with `format=`."""
    return False


def _by_rows(holds: str, module: ModuleType, name: str, title: str) -> Format:
    key = name.replace("-", "_")
    read, needs = reader_by_rows(name, getattr(module, f"read_{key}")), getattr(module, f"{key.upper()}_NEEDS", None)
    return Format(name, title, getattr(module, f"is_{key}"), read, needs, holds)


_document, _answer, _data_set = (partial(_by_rows, holds) for holds in (DOCUMENT, ANSWER, DATA_SET))
_whole_set = partial(Format, holds=DATA_SET)
FORMATS = (
    _whole_set("coco", "COCO ground truth", coco.is_ground_truth, reader_by_file(coco.read_ground_truth)),
    _whole_set("coco-results", "COCO results list", coco.is_results, reader_by_file(coco.read_results), coco.RESULTS),
    _whole_set("parquet", "table in Parquet", parquet_of_kind("parquet"), reader_by_file(table.read_parquet)),
    _whole_set(
        "hf-doclaynet", "DocLayNet of Hugging Face", parquet_of_kind("hf-doclaynet"), huggingface.read_doclaynet
    ),
    _whole_set("hf-objects", "Hugging Face object detection", parquet_of_kind("hf-objects"), huggingface.read_objects),
    _whole_set("hf-imagefolder", "Hugging Face metadata.jsonl", data_sets.is_image_folder, data_sets.read_image_folder),
    _whole_set("csv", "table in CSV", table.is_csv, reader_by_file(table.read_csv)),
    _document(image_annotations, "voc", "Pascal VOC"),
    Format("yolo", "YOLO labels", yolo.is_yolo, yolo.read_yolo),
    _document(image_annotations, "labelme-xml", "LabelMe of MIT, XML"),
    _document(image_annotations, "labelme", "LabelMe"),
    _data_set(labelstudio, "label-studio", "Label Studio"),
    _data_set(via, "via", "VGG Image Annotator"),
    _data_set(via, "via3", "VIA 3 project"),
    _document(darwin, "darwin", "V7 Darwin"),
    Format("supervisely", "Supervisely", supervisely.is_supervisely, supervisely.read_supervisely),
    _data_set(team_annotations, "labelbox", "Labelbox export v2"),
    _data_set(team_annotations, "labelbox-v1", "Labelbox export v1"),
    _data_set(team_annotations, "labelbox-import", "Labelbox import"),
    _data_set(team_annotations, "prodigy", "Prodigy"),
    _data_set(image_annotations, "createml", "Create ML"),
    _data_set(data_sets, "fiftyone", "FiftyOne labels.json"),
    _data_set(data_sets, "fiftyone-samples", "FiftyOne samples.json"),
    _document(image_annotations, "ctdar", "ICDAR 2019 cTDaR"),
    _document(data_sets, "docbank", "DocBank"),
    _document(docling, "docling", "DoclingDocument"),
    _document(docling, "docling-serve", "answer of docling-serve"),
    _whole_set("docling-eval", "docling-eval", parquet_of_kind("docling-eval"), docling.read_evaluation),
    Format("docling-eval-pred", "docling-eval, predictions", never, docling.read_predictions),
    _document(docling, "docling-metrics", "docling-metrics sample, side a"),
    Format("docling-metrics-b", "docling-metrics sample, side b", never, docling.read_side_b),
    _document(docling, "docling-layout", "docling layout predictions"),
    _data_set(data_sets, "omnidocbench", "OmniDocBench"),
    _data_set(data_sets, "omnidocbench-pred", "OmniDocBench predictions"),
    _document(toolkits, "paddlex", "PaddleX, PP-StructureV3"),
    _document(mineru, "mineru", "MinerU middle.json"),
    _document(mineru, "mineru-model", "MinerU model.json"),
    _document(mineru, "mineru-content", "MinerU content_list.json"),
    _document(mineru, "mineru-content-v2", "MinerU content_list_v2.json"),
    _document(mineru, "mineru-vlm", "MinerU model.json of its VLM"),
    # Two formats recognise the same files, because the files do not state their unit: the user has to name one of them.
    _answer(vlm, "qwen-vl-1000", "boxes in thousandths: Qwen2-VL, Qwen3-VL"),
    _answer(vlm, "qwen-vl-pixels", "boxes in pixels: Qwen2.5-VL"),
    _answer(vlm, "glm-ocr", "GLM-OCR"),
    _answer(tagged_answers, "deepseek-ocr", "DeepSeek-OCR, Unlimited-OCR"),
    _document(parsing_services, "mistral-ocr", "Mistral OCR"),
    _answer(tagged_answers, "chandra", "Chandra"),
    _answer(vlm, "dots-ocr", "dots.ocr, dots.mocr"),
    _answer(vlm, "dolphin", "Dolphin"),
    _document(parsing_services, "upstage", "Upstage Document Parse, DP-Bench"),
    _document(parsing_services, "adobe-extract", "Adobe PDF Extract"),
    _document(pdf_tools, "opendataloader", "OpenDataLoader"),
    _document(parsing_services, "llamaparse", "LlamaParse"),
    _document(pdf_tools, "pdffigures2", "pdffigures2"),
    _data_set(pdf_tools, "pdffigures2-gt", "ground truth of pdffigures2"),
    _document(pdf_tools, "grobid", "GROBID TEI"),
    _document(ocr_xml, "abbyy", "ABBYY FineReader XML"),
    _document(pdf_tools, "unstructured", "Unstructured"),
    _data_set(toolkits, "surya", "Surya"),
    _document(pdf_tools, "huridocs", "HURIDOCS"),
    _document(toolkits, "layoutparser", "LayoutParser"),
    _document(toolkits, "layoutparser-csv", "LayoutParser CSV"),
    _document(toolkits, "marker", "Marker"),
    _document(cloud_ocr, "azure", "Azure Document Intelligence"),
    _document(cloud_ocr, "textract", "AWS Textract"),
    _document(cloud_ocr, "docai", "Google Document AI"),
    _document(ocr_xml, "page-xml", "PAGE-XML"),
    _document(ocr_xml, "alto", "ALTO"),
    _document(hocr, "hocr", "hOCR"),
    _data_set(cvat, "cvat", "CVAT for images 1.1"),
    Format("doctags", "DocTags", tagged_answers.is_doctags, tagged_answers.read_doctags, tagged_answers.DOCTAGS_NEEDS),
)
BY_NAME = {format.name: format for format in FORMATS}
