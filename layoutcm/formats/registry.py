"""The list of formats, one line per format.

To add a format, write a module in `readers/` with what recognises a `FileContent` (a `Needs`, or a function
with a `Needs` beside it) and a function that reads it, and add a line to `FORMATS`. A reader adds pages and regions to
a `LayoutBuilder` (`_row_format`), or returns the whole layout of one file (`reader_by_file`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from layoutcm.formats.builder import LayoutBuilder, reader_by_rows
from layoutcm.formats.content import FileContent, Options
from layoutcm.formats.joined_files import reader_by_file
from layoutcm.formats.needs import Needs, OneOf
from layoutcm.formats.parquet_kinds import parquet_of_kind
from layoutcm.formats.readers import (
    abbyy,
    adobe_extract,
    alto,
    azure,
    chandra,
    coco,
    createml,
    ctdar,
    cvat,
    darwin,
    deepseek_ocr,
    docai,
    docbank,
    docling,
    docling_eval,
    doctags,
    dolphin,
    dots_ocr,
    fiftyone,
    glm_ocr,
    grobid,
    hocr,
    huggingface,
    huridocs,
    image_folder,
    labelbox,
    labelme,
    labelme_xml,
    labelstudio,
    layoutparser,
    llamaparse,
    marker,
    mineru,
    mistral_ocr,
    omnidocbench,
    opendataloader,
    paddlex,
    page_xml,
    pdffigures2,
    prodigy,
    qwen_vl,
    supervisely,
    surya,
    table,
    textract,
    unstructured,
    upstage,
    via,
    voc,
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


def _row_format(
    name: str,
    title: str,
    recognises: Callable[[FileContent], bool],
    read_one: Callable[[FileContent, Options, LayoutBuilder], None],
    needs: Needs | OneOf | None = None,
    holds: str = DOCUMENT,
) -> Format:
    return Format(name, title, recognises, reader_by_rows(name, read_one), needs, holds)


FORMATS = (
    Format("coco", "COCO ground truth", coco.is_ground_truth, reader_by_file(coco.read_ground_truth), holds=DATA_SET),
    Format(
        "coco-results",
        "COCO results list",
        coco.is_results,
        reader_by_file(coco.read_results),
        coco.RESULTS,
        holds=DATA_SET,
    ),
    Format(
        "parquet", "table in Parquet", parquet_of_kind("parquet"), reader_by_file(table.read_parquet), holds=DATA_SET
    ),
    Format(
        "hf-doclaynet",
        "DocLayNet of Hugging Face",
        parquet_of_kind("hf-doclaynet"),
        huggingface.read_doclaynet,
        holds=DATA_SET,
    ),
    Format(
        "hf-objects",
        "Hugging Face object detection",
        parquet_of_kind("hf-objects"),
        huggingface.read_objects,
        holds=DATA_SET,
    ),
    Format(
        "hf-imagefolder",
        "Hugging Face metadata.jsonl",
        image_folder.is_image_folder,
        image_folder.read_image_folder,
        holds=DATA_SET,
    ),
    Format("csv", "table in CSV", table.is_csv, reader_by_file(table.read_csv), holds=DATA_SET),
    _row_format("voc", "Pascal VOC", voc.is_voc, voc.read_page, voc.NEEDS),
    Format("yolo", "YOLO labels", yolo.is_yolo, yolo.read_yolo),
    _row_format(
        "labelme-xml", "LabelMe of MIT, XML", labelme_xml.is_labelme_xml, labelme_xml.read_page, labelme_xml.NEEDS
    ),
    _row_format("labelme", "LabelMe", labelme.is_labelme, labelme.read_page),
    _row_format(
        "label-studio",
        "Label Studio",
        labelstudio.is_labelstudio,
        labelstudio.read_tasks,
        labelstudio.NEEDS,
        holds=DATA_SET,
    ),
    _row_format("via", "VGG Image Annotator", via.is_via, via.read_file, via.NEEDS, holds=DATA_SET),
    _row_format("via3", "VIA 3 project", via.is_via3, via.read_via3, holds=DATA_SET),
    _row_format("darwin", "V7 Darwin", darwin.is_darwin, darwin.read_item, darwin.NEEDS),
    Format("supervisely", "Supervisely", supervisely.is_supervisely, supervisely.read_supervisely),
    _row_format("labelbox", "Labelbox export v2", labelbox.is_export, labelbox.read_export, holds=DATA_SET),
    _row_format("labelbox-v1", "Labelbox export v1", labelbox.is_old_export, labelbox.read_old_export, holds=DATA_SET),
    _row_format("labelbox-import", "Labelbox import", labelbox.is_import, labelbox.read_import, holds=DATA_SET),
    _row_format("prodigy", "Prodigy", prodigy.is_prodigy, prodigy.read_answers, holds=DATA_SET),
    _row_format("createml", "Create ML", createml.is_createml, createml.read_images, createml.NEEDS, holds=DATA_SET),
    _row_format(
        "fiftyone", "FiftyOne labels.json", fiftyone.is_labels, fiftyone.read_labels, fiftyone.LABELS, holds=DATA_SET
    ),
    _row_format(
        "fiftyone-samples", "FiftyOne samples.json", fiftyone.is_samples, fiftyone.read_samples, holds=DATA_SET
    ),
    _row_format("ctdar", "ICDAR 2019 cTDaR", ctdar.is_ctdar, ctdar.read_page, ctdar.NEEDS),
    _row_format("docbank", "DocBank", docbank.is_docbank, docbank.read_page),
    _row_format("docling", "DoclingDocument", docling.is_document, docling.read_document),
    _row_format("docling-serve", "answer of docling-serve", docling.is_served, docling.read_served),
    Format(
        "docling-eval", "docling-eval", parquet_of_kind("docling-eval"), docling_eval.read_evaluation, holds=DATA_SET
    ),
    Format("docling-eval-pred", "docling-eval, predictions", never, docling_eval.read_predictions),
    _row_format("docling-metrics", "docling-metrics sample, side a", docling.is_metrics, docling.read_metrics),
    _row_format("docling-metrics-b", "docling-metrics sample, side b", never, docling.read_metrics_b),
    _row_format("docling-layout", "docling layout predictions", docling.is_dump, docling.read_dump),
    _row_format(
        "omnidocbench", "OmniDocBench", omnidocbench.is_ground_truth, omnidocbench.read_ground_truth, holds=DATA_SET
    ),
    _row_format(
        "omnidocbench-pred",
        "OmniDocBench predictions",
        omnidocbench.is_prediction,
        omnidocbench.read_prediction,
        holds=DATA_SET,
    ),
    _row_format("paddlex", "PaddleX, PP-StructureV3", paddlex.is_paddlex, paddlex.read_pages, paddlex.NEEDS),
    _row_format("mineru", "MinerU middle.json", mineru.is_middle, mineru.read_middle),
    _row_format("mineru-model", "MinerU model.json", mineru.is_model, mineru.read_model, mineru.MODEL),
    _row_format("mineru-content", "MinerU content_list.json", mineru.is_content_list, mineru.read_content_list),
    _row_format(
        "mineru-content-v2",
        "MinerU content_list_v2.json",
        mineru.is_content_list_v2,
        mineru.read_content_list_v2,
        mineru.CONTENT_LIST_V2,
    ),
    _row_format(
        "mineru-vlm", "MinerU model.json of its VLM", mineru.is_vlm_model, mineru.read_vlm_model, mineru.VLM_MODEL
    ),
    # Two formats recognise the same files, because these do not tell their unit: the user has to name one of them.
    _row_format(
        "qwen-vl-1000",
        "boxes in thousandths: Qwen2-VL, Qwen3-VL",
        qwen_vl.is_qwen_vl,
        qwen_vl.read_thousandths,
        holds=ANSWER,
    ),
    _row_format("qwen-vl-pixels", "boxes in pixels: Qwen2.5-VL", qwen_vl.is_qwen_vl, qwen_vl.read_pixels, holds=ANSWER),
    _row_format("glm-ocr", "GLM-OCR", glm_ocr.is_glm_ocr, glm_ocr.read_pages, glm_ocr.NEEDS, holds=ANSWER),
    _row_format(
        "deepseek-ocr",
        "DeepSeek-OCR, Unlimited-OCR",
        deepseek_ocr.is_deepseek_ocr,
        deepseek_ocr.read_file,
        holds=ANSWER,
    ),
    _row_format("mistral-ocr", "Mistral OCR", mistral_ocr.is_mistral_ocr, mistral_ocr.read_response),
    _row_format("chandra", "Chandra", chandra.is_chandra, chandra.read_page, chandra.NEEDS, holds=ANSWER),
    _row_format(
        "dots-ocr", "dots.ocr, dots.mocr", dots_ocr.is_dots_ocr, dots_ocr.read_page, dots_ocr.NEEDS, holds=ANSWER
    ),
    _row_format("dolphin", "Dolphin", dolphin.is_dolphin, dolphin.read_elements, holds=ANSWER),
    _row_format("upstage", "Upstage Document Parse, DP-Bench", upstage.is_upstage, upstage.read_file, upstage.NEEDS),
    _row_format("adobe-extract", "Adobe PDF Extract", adobe_extract.is_adobe_extract, adobe_extract.read_document),
    _row_format("opendataloader", "OpenDataLoader", opendataloader.is_opendataloader, opendataloader.read_document),
    _row_format("llamaparse", "LlamaParse", llamaparse.is_llamaparse, llamaparse.read_result),
    _row_format("pdffigures2", "pdffigures2", pdffigures2.is_output, pdffigures2.read_output),
    _row_format(
        "pdffigures2-gt",
        "ground truth of pdffigures2",
        pdffigures2.is_annotations,
        pdffigures2.read_annotations,
        pdffigures2.ANNOTATIONS,
        holds=DATA_SET,
    ),
    _row_format("grobid", "GROBID TEI", grobid.is_grobid, grobid.read_file),
    _row_format("abbyy", "ABBYY FineReader XML", abbyy.is_abbyy, abbyy.read_file),
    _row_format("unstructured", "Unstructured", unstructured.is_unstructured, unstructured.read_elements),
    _row_format("surya", "Surya", surya.is_surya, surya.read_results, holds=DATA_SET),
    _row_format("huridocs", "HURIDOCS", huridocs.is_huridocs, huridocs.read_segments),
    _row_format("layoutparser", "LayoutParser", layoutparser.is_json, layoutparser.read_json),
    _row_format("layoutparser-csv", "LayoutParser CSV", layoutparser.is_csv, layoutparser.read_csv),
    _row_format("marker", "Marker", marker.is_marker, marker.read_file),
    _row_format("azure", "Azure Document Intelligence", azure.is_azure, azure.read_analysis),
    _row_format("textract", "AWS Textract", textract.is_textract, textract.read_response),
    _row_format("docai", "Google Document AI", docai.is_docai, docai.read_document, docai.NEEDS),
    _row_format("page-xml", "PAGE-XML", page_xml.is_page_xml, page_xml.read_file),
    _row_format("alto", "ALTO", alto.is_alto, alto.read_file),
    _row_format("hocr", "hOCR", hocr.is_hocr, hocr.read_file, hocr.NEEDS),
    _row_format("cvat", "CVAT for images 1.1", cvat.is_cvat, cvat.read_file, cvat.NEEDS, holds=DATA_SET),
    Format("doctags", "DocTags", doctags.is_doctags, doctags.read_doctags, doctags.NEEDS),
)
BY_NAME = {format.name: format for format in FORMATS}
