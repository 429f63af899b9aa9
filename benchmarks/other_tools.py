"""What one tool says about the sample; `sample_figures.py` makes a table of several.

    PYTHON benchmarks/other_tools.py TOOL FOLDER

PYTHON is that of an environment in which TOOL is installed, a name of TOOLS below; files for it are written to FOLDER.
The last line that it prints is JSON: its version, its figures by the names of the table, and its matrix if it has one.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "sample_data"
GT, PRED = SAMPLE / "gt.json", SAMPLE / "model-a.json"
WITHOUT_SCORES = SAMPLE / "model-c.json"
LABELS = {one["id"]: one["name"] for one in json.loads(GT.read_text())["categories"]}
PRECISIONS = ("AP", "AP50", "AP75")
WITHOUT = "AP of model C, which has no scores"
GAINS = {
    "Cls": "class",
    "Loc": "localisation",
    "Both": "both",
    "Dupe": "duplicate",
    "Bkg": "background",
    "Miss": "missed",
}


def write_outlines(folder):
    """gt with outlines, which TIDE needs."""
    gt = json.loads(GT.read_text())
    for one in gt["annotations"]:
        x, y, w, h = one["bbox"]
        one["segmentation"] = [[x, y, x + w, y, x + w, y + h, x, y + h]]
    (folder / "gt-outlines.json").write_text(json.dumps(gt))


def layoutcm(folder):
    import layoutcm as lcm
    from layoutcm.filling.result_of import MEASURED, Asked, result_of

    gt = lcm.read(GT)
    found, without = (lcm.compare(gt, lcm.read(file, like=gt)) for file in (PRED, WITHOUT_SCORES))
    figures, causes = result_of(found, asked=Asked(parts=MEASURED)).figures, found.causes()
    return {
        **{name: figures[f"objects.{name.lower()}"] for name in PRECISIONS},
        WITHOUT: result_of(without, asked=Asked(parts=MEASURED)).figures["objects.ap"],
        "share of the wrong pixels: duplicate": causes.totals["duplicate"] / sum(causes.totals.values()),
        "1 - recall of content": 1 - figures["content.recall"],
        "matrix": found.confusion().values.tolist(),
    }


def hotcoco(folder):
    from hotcoco import COCO, COCOeval

    gt = COCO(str(GT))
    found, without = (COCOeval(gt, gt.load_res(str(file)), "bbox") for file in (PRED, WITHOUT_SCORES))
    found.run()
    without.run()
    return {
        **dict(zip(PRECISIONS, map(float, found.stats))),
        WITHOUT: float(without.stats[0]),
        **gains(found.tide_errors()["delta_ap"]),
    }


def gains(found):
    """The gains of AP50 by TIDE, named as in the table."""
    return {f"gain of AP50 without errors: {name}": found[key] for key, name in GAINS.items()}


def faster_coco_eval(folder):
    from faster_coco_eval import COCO, COCOeval_faster

    def precisions(file):
        evaluation = COCOeval_faster(gt, gt.loadRes(str(file)), "bbox")
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
        return [float(value) for value in evaluation.stats[:3]]

    gt = COCO(str(GT))
    try:
        without = precisions(WITHOUT_SCORES)[0]
    except KeyError as error:
        without = f"KeyError: {error}"
    return dict(zip(PRECISIONS, precisions(PRED))) | {WITHOUT: without}


def tide(folder):
    from tidecv import TIDE, datasets

    write_outlines(folder)
    found = TIDE()
    gt, pred = datasets.COCO(str(folder / "gt-outlines.json")), datasets.COCOResult(str(PRED))
    run = found.evaluate(gt, pred, mode=TIDE.BOX)
    (errors,) = found.get_main_errors().values()
    return {"AP50": run.ap / 100} | gains({name: value / 100 for name, value in errors.items()})


def page_boxes():
    """(image, boxes of gt with their labels, boxes of pred with their labels), boxes as x, y, width, height."""
    gt, pred = json.loads(GT.read_text()), json.loads(PRED.read_text())
    for image in gt["images"]:
        sides = ([one for one in side if one["image_id"] == image["id"]] for side in (gt["annotations"], pred))
        yield image, *([(one["bbox"], one["category_id"]) for one in side] for side in sides)


def mote_error(folder):
    import numpy as np
    from mote_error import GTBoxes, mote

    rows = []
    for image, gt, pred in page_boxes():
        boxes = np.array([box for box, _ in gt], float)
        truth = GTBoxes(boxes, np.arange(1, len(boxes) + 1), image["width"], image["height"])
        rows.append(mote(truth, np.array([box for box, _ in pred], float).reshape(-1, 4)))
    means = dict(zip(rows[0]._fields, np.mean(rows, axis=0).tolist()))
    return {f"mean over pages: {'MOTe' if name == 'mote' else name}": value for name, value in means.items()}


def docling_metrics(folder):
    import numpy as np
    from docling_metrics_layout.layout_types import BboxResolution
    from docling_metrics_layout.tore.multi_label_confusion_matrix import MultiLabelConfusionMatrix
    from docling_metrics_layout.tore.tore_layout_evaluator import evaluate_page

    names = {0: "Background"} | LABELS
    total = 0
    for image, *sides in page_boxes():
        given = [
            [BboxResolution(category_id=k, bbox=[x, y, x + w, y + h]) for (x, y, w, h), k in side] for side in sides
        ]
        page = image["file_name"], image["width"], image["height"], names
        _, _, found = evaluate_page(MultiLabelConfusionMatrix(), *page, *given)
        total = total + found.detailed.confusion_matrix
    return {"matrix": np.asarray(total).tolist()}


def docling_eval(folder):
    """One document a page, without scores: a DoclingDocument has none."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from docling_core.types.doc import BoundingBox, DoclingDocument, ProvenanceItem, Size, TableData
    from docling_core.types.doc.labels import DocItemLabel
    from docling_eval.datamodels.dataset_record import DatasetRecordWithPrediction
    from docling_eval.evaluators.layout_evaluator import LayoutEvaluator

    def document(image, side):
        made = DoclingDocument(name=image["file_name"])
        made.add_page(page_no=1, size=Size(width=image["width"], height=image["height"]))
        for (x, y, w, h), k in side:
            place = ProvenanceItem(page_no=1, bbox=BoundingBox(l=x, t=y, r=x + w, b=y + h), charspan=(0, 0))
            label = DocItemLabel(LABELS[k].lower().replace("-", "_"))
            if label == DocItemLabel.PICTURE:
                made.add_picture(prov=place)
            elif label == DocItemLabel.TABLE:
                made.add_table(TableData(), prov=place)
            else:
                made.add_text(label=label, text="", prov=place)
        return made

    records = []
    for image, gt, pred in page_boxes():
        record = DatasetRecordWithPrediction(
            document_id=image["file_name"],
            GroundTruthDocument=document(image, gt),
            PredictedDocument=document(image, pred),
            status="success",
        )
        records.append(record.as_record_dict())
    (folder / "test").mkdir(exist_ok=True)
    table = pa.Table.from_pylist(records, DatasetRecordWithPrediction.pyarrow_schema())
    pq.write_table(table, folder / "test" / "sample.parquet")
    layout = LayoutEvaluator()(folder)
    return {name: value for name, value in layout.model_dump().items() if isinstance(value, float)}


TOOLS = {
    "layoutcm": (layoutcm, "layoutcm"),
    "docling-metrics-layout": (docling_metrics, "docling-metrics-layout"),
    "hotcoco": (hotcoco, "hotcoco"),
    "faster-coco-eval": (faster_coco_eval, "faster-coco-eval"),
    "TIDE": (tide, "tidecv"),
    "mote_error": (mote_error, "mote-error"),
    "docling-eval": (docling_eval, "docling-eval"),
}


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    run, package = TOOLS[name]
    print(json.dumps({"version": version(package), "figures": run(folder)}))


if __name__ == "__main__":
    main()
