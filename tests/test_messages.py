"""The text of every finding, and the hints that differ between the dashboard and Python or the command line."""

import re

import pytest

from layoutcm import hints, messages
from layoutcm.errors import Hint, InputError
from layoutcm.layouts.model import Finding
from support.paths import ROOT

# (code, count, values, message): one of each code, and both forms where the number of a word changes.
MESSAGES = [
    ("scaled-page", 1, {"page": "p", "pred_size": (5.0, 7.5), "gt_size": (10.0, 15.0)},
     "1 page has another size in pred and is scaled to gt's (first: 'p', 5 x 7.5 to 10 x 15)."),
    ("scaled-page", 1200, {"page": "p", "pred_size": (5.0, 7.5), "gt_size": (10.0, 15.0)},
     "1,200 pages have another size in pred and are scaled to gt's (first: 'p', 5 x 7.5 to 10 x 15)."),
    ("label-added", 1, {"file": "set", "names": ["a"]},
     "set: parts have 1 label that the manifest does not know ('a'); they were added."),
    ("truth-with-scores", 1, {"file": "a.json"},
     "a.json: every region of the ground truth has a score, as in a prediction."),
    ("page-without-pred", 2, {"pages": 3, "first": "p"},
     "2 of 3 pages have regions in gt and none in pred (first: 'p'); they count as missed."),
    ("page-without-pred", 1, {"pages": 3, "first": "p"},
     "1 of 3 pages has regions in gt and none in pred (first: 'p'); they count as missed."),
    ("page-only-in-gt", 1, {"pages": 3, "ignored": False, "names": ["a"]},
     "1 of 3 pages of gt is not in the other side and is compared with an empty page: 'a'."),
    ("page-only-in-pred", 5, {"pages": 9, "ignored": True, "names": ["a", "b"]},
     "5 of 9 pages of pred are not in the other side and are left out: 'a', 'b' …."),
    ("page-matched-by-map", 1, {"how": "map", "gt": "a", "pred": "b"},
     "1 page was matched by the page map (first: 'a' and 'b')."),
    ("page-matched-by-base-name", 2, {"how": "base name", "gt": "a", "pred": "b"},
     "2 pages were matched by name without folders (first: 'a' and 'b')."),
    ("page-matched-by-stem", 2, {"how": "stem", "gt": "a", "pred": "b"},
     "2 pages were matched by name without folders and suffix (first: 'a' and 'b')."),
    ("page-matched-by-spelling", 2, {"how": "spelling", "gt": "a", "pred": "b"},
     "2 pages were matched by name without folders and suffix, ignoring case, blanks and percent codes "
     "(first: 'a' and 'b')."),
    ("page-matched-by-path", 2, {"how": "path", "gt": "a", "pred": "b"},
     "2 pages were matched by folders and name without suffix (first: 'a' and 'b')."),
    ("page-matched-by-number", 2, {"how": "number", "gt": "a", "pred": "b"},
     "2 pages were matched by document and page number (first: 'a' and 'b')."),
    ("page-matched-by-number-alone", 2, {"how": "number alone", "gt": "a", "pred": "b"},
     "2 pages were matched by page number alone, because each side is one document (first: 'a' and 'b')."),
    ("page-numbers-shifted", 2, {"from_zero": "gt", "gt": "a", "pred": "b"},
     "2 pages were matched by document and page number, shifted by one, because gt counts pages from 0 and pred from 1 "
     "(first: 'a' and 'b')."),
    ("page-numbers-suspect", 1, {"from_zero": "pred", "first": "a"},
     "It seems that pred counts pages from 0 and gt from 1, yet 1 page has the same name and number on both sides "
     "(first: 'a'); they are compared by name."),
    ("page-numbers-ambiguous", 1, {"first": "a"},
     "One side has a page 0 and the other has none, and the numbers do not show whether they are shifted by one: "
     "1 page of gt could not be matched by page number (first: 'a')."),
    ("page-off-by-one", 1, {"unit": "page", "shift": 1, "found": 0.9, "before": 0.05},
     "Pages of pred seem to be off by one: with pred's regions moved to the next page, 90.0 % of gt's regions have a "
     "counterpart, against 5.00 % now."),
    ("page-off-by-one", 1, {"unit": "image", "shift": -1, "found": 0.9, "before": 0.05},
     "Images of pred seem to be off by one: with pred's regions moved to the previous image, 90.0 % of gt's regions "
     "have a counterpart, against 5.00 % now."),
    ("documents-from-names", 2, {"first": "d", "pages": 7},
     "2 documents were taken from page names that are equal except for their number (first: 'd', 7 pages)."),
    ("documents-pattern", 2, {"pages": 7, "first": "p"},
     "The pattern for documents does not match 2 of 7 pages (first: 'p')."),
    ("same-file", 1, {"gt": "a.json", "pred": "a.json"},
     "Ground truth and prediction are the same file, 'a.json', so that the scores say nothing about a model."),
    ("same-file", 1, {"gt": "a.json", "pred": "b.json"},
     "Ground truth and prediction are the same file under two names, 'a.json' and 'b.json', so that the scores say "
     "nothing about a model."),
    ("shared-page-name", 1, {"file": "f", "first": "p", "now": "a/p"},
     "f: 1 page shares its name with another and is named after its file, subset or task (first: 'p' becomes 'a/p')."),
    ("shared-page-name", 2, {"file": "f", "first": "p", "now": "a/p"},
     "f: 2 pages share a name and are named after their files, subsets or tasks (first: 'p' becomes 'a/p')."),
    ("coarse-page", 1, {"file": "f", "pages": 2, "limit": 50, "first": "p", "size": (8.5, 11.0)},
     "f: 1 of 2 pages is less than 50 units wide and high (first: 'p', 8.5 x 11), so rounding to whole units is "
     "coarse."),
    ("empty-page", 2, {"file": "f", "pages": 7, "first": "p"}, "f: 2 of 7 pages have no region (first: 'p')."),
    ("mapping-misspelt", 1, {"side": "gt", "file": "f", "first": "Txt", "meant": "Text"},
     "The mapping of gt names 1 label that f has in another spelling (first: 'Txt')."),
    ("mapping-unused", 2, {"side": "pred", "file": "f", "first": "x"},
     "The mapping of pred names 2 labels that f does not have (first: 'x')."),
    ("label-only-in-gt", 1, {"names": ["a"]}, "1 label is used by gt only: 'a'."),
    ("label-only-in-pred", 9, {"names": ["a", "b"]}, "9 labels are used by pred only: 'a', 'b' …."),
    ("equal-label-names", 1, {"labels": 9, "gt": "A", "pred": "a", "only_gt": (1, ["b"]), "only_pred": (8, ["c", "d"])},
     "1 of 9 labels of pred has the same or a similar name as one of gt (first: 'a' and 'A'). Neither side's "
     "labels include the other's (only gt has 'b'; only pred has 'c', 'd' …). So they count as different."),
    ("equal-label-names", 2, {"labels": 2, "gt": "A", "pred": "a", "only_gt": (0, []), "only_pred": (0, [])},
     "2 of 2 labels of pred have the same or a similar name as one of gt (first: 'a' and 'A'). Neither side's "
     "labels include the other's. So they count as different."),
    ("ids-off-by-one", 1, {"by": -1, "after": 1.0, "before": 0.0},
     "Category ids of pred seem to be off by one: with every id one lower, 100 % of the regions in the same place have "
     "the same label, against 0 % now."),
    ("undeclared-category", 3, {"file": "f", "ids": 1, "first": 9, "regions": 3, "label": "category 9"},
     "f: 1 category id is used but not declared (first: 9, on 3 regions); shown as label 'category 9'."),
    ("unnamed-classes", 1, {"file": "f", "by_reference": True},
     "f: there is no list of class names beside the labels, so class numbers are read as the ids of the ground truth."),
    ("unnamed-classes", 1, {"file": "f", "by_reference": False},
     "f: there is no list of class names beside the labels, so class numbers are shown as they are."),
    ("depth-beyond-tree", 1, {"depth": 9, "used": 2},
     "The tree has no families at depth 9, so the families at depth 2 are used."),
    ("family-label-unknown", 2, {"first": "a"},
     "2 labels are named by the families and used by neither side (first: 'a')."),
    ("label-without-family", 1, {"first": "a"}, "1 label is in no family; each counts as its own family (first: 'a')."),
    ("label-like-family", 1, {"first": "a"},
     "1 label is in no family but named like a family, and counted there (first: 'a')."),
    ("empty-side", 1, {"file": "f"}, "f has no region at all, so every score with it is 0 or n/a."),
    ("empty-box", 1, {"file": "f", "inverted": 0, "place": "row 2", "box": [1.0, 2.5, 1.0, 4.0]},
     "f: 1 box has no area: no pixel is covered, but it counts as an object; "
     "first at row 2: x0, y0, x1, y1 = 1, 2.5, 1, 4."),
    ("empty-box", 2, {"file": "f", "inverted": 0, "place": "row 2", "box": [1.0, 2.5, 1.0, 4.0]},
     "f: 2 boxes have no area: no pixel is covered, but they count as objects; "
     "first at row 2: x0, y0, x1, y1 = 1, 2.5, 1, 4."),
    ("empty-box", 1, {"file": "f", "inverted": 1, "place": "row 2", "box": [1.0, 2.5, 0.0, 4.0]},
     "f: 1 box has inverted corners and is dropped; first at row 2: x0, y0, x1, y1 = 1, 2.5, 0, 4."),
    ("empty-box", 2, {"file": "f", "inverted": 2, "place": "row 2", "box": [1.0, 2.5, 0.0, 4.0]},
     "f: 2 boxes have inverted corners and are dropped; first at row 2: x0, y0, x1, y1 = 1, 2.5, 0, 4."),
    ("empty-box", 2, {"file": "f", "inverted": 1, "place": "row 2", "box": [1.0, 2.5, 1.0, 4.0]},
     "f: 2 boxes have no area or inverted corners: 1 with inverted corners is dropped, 1 without area covers no pixel "
     "but counts as an object; first at row 2: x0, y0, x1, y1 = 1, 2.5, 1, 4."),
    ("empty-box", 5000, {"file": "f", "inverted": 2000, "place": "row 2", "box": [1.0, 2.5, 1.0, 4.0]},
     "f: 5,000 boxes have no area or inverted corners: 2,000 with inverted corners are dropped, 3,000 without area "
     "cover no pixel but count as objects; first at row 2: x0, y0, x1, y1 = 1, 2.5, 1, 4."),
    ("clipped-box", 1, {"file": "f", "excess": 2.3456, "place": "row 2", "page": "p"},
     "f: 1 box reaches beyond the page, by up to 2.35, and is clipped; first at row 2 on page 'p'."),
    ("background-region", 2, {"file": "f", "label": "Background"},
     "f: 2 regions are labelled Background and are dropped; Background is what no region covers."),
    ("ignored-pixels", 1200, {"pixels": 5000},
     "1,200 of 5,000 pixels are not judged and count in nothing, because gt has ignore regions or crowds there."),
    ("ignored-pixels", 1, {"pixels": 5000},
     "1 of 5,000 pixels is not judged and counts in nothing, because gt has ignore regions or crowds there."),
    ("ignored-pred", 2, {"file": "f"}, "f: 2 regions are mapped to Ignore and are left out."),
    ("duplicate-box", 1, {"file": "f", "label": "a", "page": "p"},
     "f: 1 region is a duplicate with the same page, box and label as another (first: 'a' on page 'p')."),
    *((code, 1, {"reading": "The y axis of pred seems to point up", "found": 0.875, "before": 0.1, "regions": 1234},
       "The y axis of pred seems to point up: with this reading, 87.5 % of gt's regions have a counterpart in pred, "
       "against 10.0 % now (measured on 1,234 regions).")
      for code in ("y-flipped", "xywh-as-xyxy", "xyxy-as-xywh", "corner-as-centre", "centre-as-corner", "other-scale")),
    ("other-scale", 1, {"file": "f", "reach": 0.98765, "unit": "fractions of the page", "side": "layout"},
     "f: no coordinate is above 0.9877; they look like fractions of the page."),
    ("wrong-page-size", 1, {"reading": "It may be wrong", "found": 0.875, "before": 0.1, "regions": 1234},
     "It may be wrong: with this reading, 87.5 % of gt's regions have a counterpart in pred, against 10.0 % now "
     "(measured on 1,234 regions)."),
    ("wrong-page-size", 1, {"reading": "It may be wrong", "alike": 1200, "regions": 1234},
     "It may be wrong: 1,200 of 1,234 regions of gt have a counterpart that is equal in this scale."),
    ("mapping-target-misspelt", 2, {"side": "pred", "other": "gt", "first": "Txt", "meant": "Text"},
     "The mapping of pred leads to 2 labels that gt has in another spelling (first: 'Txt')."),
    ("fixed", 3, {"file": "f", "repair": "flip-y", "lost": 0}, "f: read with the repair flip-y."),
    ("fixed", 3, {"file": "f", "repair": "pages:1", "lost": 1},
     "f: read with the repair pages:1; 1 region is left out because there is no such page."),
    ("unlabelled-row", 2, {"file": "f", "place": "row 2"},
     "f: 2 rows have a box but no label and are dropped; first at row 2."),
    ("unlisted-image", 2, {"file": "f", "images": 1, "place": "annotations[3]", "image_id": "x"},
     "f: 2 regions on 1 image that `images` does not list, dropped; first at annotations[3]: image_id 'x'."),
    ("image-ids-are-names", 9, {"file": "f", "images": 2, "first": "a", "page": "a.png"},
     "f: image ids are not ids but file names; 2 pages were found by name (first: 'a' is page 'a.png')."),
    ("image-ids-respelt", 9, {"file": "f", "images": 1, "first": "7", "page": "a.png"},
     "f: 1 image id is a number in one place and text in another, and taken for the same (first: '7' is page "
     "'a.png')."),
    ("image-ids-like-names", 9, {"file": "f", "first": 1, "page": "2.png", "other": "1.png"},
     "f: image ids are read as ids of the ground truth, but each is also the file name of a page (first: 1 "
     "is read as page '2.png', and is the name of '1.png')."),
    ("class-numbers", 3, {"file": "f", "start": 0, "first": 0, "label": "Text"},
     "f: category ids are read as positions in the labels of the ground truth, counted from 0 (first: 0 is 'Text')."),
    ("class-numbers", 3, {"file": "f", "start": -1, "first": 1, "label": "Text"},
     "f: category ids are read as ids of the ground truth (first: 1 is 'Text')."),
    ("unknown-page", 1, {"file": "f", "images": 1, "place": "[3]", "image_id": 7},
     "f: 1 region on 1 image that the ground truth does not have, dropped; first at [3]: image_id 7."),
    ("ignore-without-crowd", 1, {"file": "f"},
     "f: 1 annotation is marked `ignore` but not `iscrowd`; COCO's rules look at `iscrowd` alone, so it is an "
     "object like all others. Its pixels are not judged."),
    ("outlines-as-boxes", 1, {"file": "f"}, "f: 1 outline is read as a box."),
    ("outlines-as-boxes", 2, {"file": "f"}, "f: 2 outlines are read as boxes."),
    ("other-annotators", 1, {"file": "f", "chosen": "0", "names": ["1"]},
     "f: the regions of annotator '0' are read; there is also '1'."),
    ("other-annotators", 3, {"file": "f", "chosen": "a", "names": ["b", "c"]},
     "f: the regions of annotator 'a' are read; there are also 'b', 'c' …."),
    ("other-annotators", 2, {"file": "f", "chosen": "", "names": ["a", "b"]},
     "f: one annotation of each page is read, whoever made it; named annotators: 'a', 'b'."),
    ("attributes-without-page", 2, {"file": "f", "table": "t.csv", "by": "page", "rows": 5, "first": "x"},
     "t.csv: 2 of 5 rows belong to no page of f, or to several that are alike (first: 'x')."),
    ("attributes-without-page", 1, {"file": "f", "table": "t.csv", "by": "document", "rows": 5, "first": "x"},
     "t.csv: 1 of 5 rows belongs to no document of f, or to several that are alike (first: 'x')."),
    ("page-without-attributes", 1, {"file": "f", "table": "t.csv", "pages": 7, "first": "p"},
     "f: 1 of 7 pages has no row in t.csv (first: 'p')."),
    ("page-without-attributes", 2, {"file": "f", "table": "t.csv", "pages": 7, "first": "p"},
     "f: 2 of 7 pages have no row in t.csv (first: 'p')."),
    ("attribute-replaced", 1, {"file": "f", "table": "t.csv", "page": "p", "name": "kind", "old": "a", "new": "b"},
     "f: 1 attribute has another value in t.csv, which is used (first: 'kind' of page 'p', 'a' becomes 'b')."),
    ("attribute-replaced", 2, {"file": "f", "table": "t.csv", "page": "p", "name": "kind", "old": "a", "new": "b"},
     "f: 2 attributes have another value in t.csv, which is used (first: 'kind' of page 'p', 'a' becomes 'b')."),
    ("attributes-left-out", 1, {"file": "f", "limit": 100},
     "f: pages have more than 100 attributes; one is left out."),
    ("attributes-left-out", 1200, {"file": "f", "limit": 100},
     "f: pages have more than 100 attributes; 1,200 are left out."),
    ("score-range", 2, {"file": "f", "place": "row 2", "score": 87.5},
     "f: 2 scores lie outside 0..1; first at row 2: 87.5. Soft scores need probabilities and are n/a."),
    ("score-missing", 1, {"file": "f", "regions": 1000}, "f: 1 of 1,000 regions has no score."),
    ("score-constant", 1, {"file": "f", "score": 0.5}, "f: all scores are 0.5, so they do not rank the regions."),
    ("min-score-without-scores", 1, {"min_score": 0.5},
     "No region of pred has a score, so the minimum score of 0.5 leaves none out."),
    ("below-min-score", 1, {"regions": 8, "min_score": 0.5},
     "1 of 8 regions of pred has a score below 0.5 and is left out."),
    ("below-min-score", 8, {"regions": 8, "min_score": 2.0},
     "8 of 8 regions of pred have a score below 2.0 and are left out, so that no region of pred is left."),
    ("not-written", 1, {"format": "yolo", "what": "documents", "names": []},
     "yolo has no place for documents: 1 is left out."),
    ("not-written", 1200, {"format": "yolo", "what": "attributes", "names": ["a", "b"]},
     "yolo has no place for attributes: 1,200 are left out ('a', 'b' …)."),
    ("renamed-pages", 2, {"format": "yolo", "first": "a.png", "now": "a"},
     "yolo: 2 pages will have another name when read (first: 'a.png' becomes 'a')."),
    ("renamed-labels", 1, {"format": "cvat", "first": "a\0", "now": "a\ufffd"},
     "cvat cannot hold the names of 1 label (first: 'a\\x00' becomes 'a\ufffd')."),
    ("shape-as-box", 1, {"format": "yolo"}, "yolo: 1 mask or outline is written as its bounding box."),
    ("shape-as-box", 2, {"format": "yolo"}, "yolo: 2 masks and outlines are written as their bounding boxes."),
    ("split-outlines", 1, {"format": "cvat"},
     "cvat: 1 region has several polygons and becomes one region for each polygon: the same pixels, but more objects."),
    ("split-outlines", 2, {"format": "cvat"},
     "cvat: 2 regions have several polygons and become one region for each polygon: the same pixels, but more "
     "objects."),
    ("rounded-coordinates", 1, {"format": "page-xml", "most": 0.5},
     "page-xml: coordinates of 1 region or page size are rounded, by up to 0.5."),
    ("clipped-regions", 2, {"format": "yolo"}, "yolo: 2 regions reach beyond the page and are clipped."),
    ("page-order", 2, {"format": "yolo"},
     "yolo: pages are read in the order of their file names; 2 change their position."),
    ("documents-left-out", 20001, {"limit": 20000, "file": ""},
     "There are 20,001 documents, more than the 20,000 that a result lists, so by_document is null."),
    ("documents-left-out", 20001, {"limit": 20000, "file": "documents.parquet"},
     "There are 20,001 documents, more than the 20,000 that a result lists, so by_document is null; "
     "'documents.parquet' beside this file has one row per document."),
    ("failed-answer", 1, {"file": "f", "names": ["a.json"]},
     "f: 1 answer of the model has no regions that can be read ('a.json'), so that its page is missing."),
    ("failed-answer", 12, {"file": "f", "names": ["a", "b"]},
     "f: 12 answers of the model have no regions that can be read ('a', 'b' …), so that their pages are missing."),
    ("skipped-file", 2, {"file": "f", "first": "notes.md"},
     "f: 2 files of another kind are left out (first: 'notes.md')."),
    ("findings-left-out", 1, {"file": "f"}, "f: 1 finding was not kept when the file was written or read."),
    ("findings-left-out", 1200, {"file": "f"}, "f: 1,200 findings were not kept when the file was written or read."),
    ("two-documents", 1, {"file": "f", "side": "prediction"},
     "f: the file holds the ground truth and the prediction of each document; this is the prediction."),
    ("only-ground-truth", 1, {"file": "f"},
     "f: the file has no predictions (column PredictedDocument); the ground truth in it was read."),
    ("document-without-side", 1, {"file": "f", "side": "prediction", "first": "d", "status": "failure"},
     "f: 1 document has no prediction with pages (first: 'd', status failure), so that the pages of this document are "
     "missing on this side."),
    ("document-without-side", 2, {"file": "f", "side": "ground truth", "first": "d", "status": ""},
     "f: 2 documents have no ground truth with pages (first: 'd'), so that the pages of these documents are missing on "
     "this side."),
    ("slides-from-top", 2, {"file": "f", "place": "texts[0].prov[0]"},
     "f: boxes of slides claim to count from the bottom of the page, but docling wrote them from the top, so they are "
     "read from the top (2 times, first at texts[0].prov[0])."),
    ("two-sides", 1, {"file": "f", "side": "a"}, "f: the file holds two resolutions of each page, a and b; this is a."),
    ("no-coordinates", 1, {"file": "f", "place": "line 3", "what": "blocks without coordinates"},
     "f: blocks without coordinates are left out (1 time, at line 3)."),
    ("lines-without-block", 1, {"file": "f", "place": "line 3", "lines": "1,200"},
     "f: pages have lines (1,200 on the first) and no block; lines are not read, so that there is no region (1 time, "
     "at line 3)."),
    ("other-attributes", 2, {"file": "f", "used": "class", "names": ["text", "id"]},
     "f: the label of a region is its attribute 'class'; regions also have 'text', 'id'."),
    ("page-left-out", 2, {"file": "f", "place": "[1]", "what": "answers are not 'accept'"},
     "f: answers are not 'accept' and are left out with their pages (2 times, first at [1])."),
    ("no-place", 1200, {"file": "f", "place": "", "what": "entries have no bbox"},
     "f: entries have no bbox and are left out (1,200 times, first at f)."),
    ("shape-left-out", 2, {"file": "f", "place": "shapes[1]", "what": "lines and points have no area"},
     "f: lines and points have no area and are left out (2 times, first at shapes[1])."),
]  # fmt: skip
ALIKE = {  # findings of readers that have no values but file and place
    "box-from-content": "blocks have no box of their own and are given the box around their content",
    "cut-off": "files end before they are closed, so that pages may be missing",
    "second-answer": "answers of a model have several blocks of JSON, of which the first is read",
    "cut-off-answer": "answers of a model end too early and are read up to their last whole region",
    "images-only": "pages have places of images and of nothing else",
    "deleted-object": "objects are marked as deleted and are left out",
    "ignored-region": "regions are marked as not to be judged: "
    "they are objects, but in gt their pixels count in nothing",
    "ignored-shape": "shapes are marked to be ignored: they are no regions, and in gt their pixels count in nothing",
    "inline-detection": "formulas and text lines are not blocks and are left out",
    "interval": "intervals have no box and are left out",
    "mask-left-out": "masks of this kind are not read and are left out",
    "no-label": "regions have no label and are called 'region'",
    "no-location": "tags without a whole location are left out",
    "no-paragraphs": "analysis without paragraphs: only tables and figures are read",
    "not-an-area": "lines, points and the like cover no area and are left out",
    "page-offset": "pages do not start at 0, 0; their frame is taken from 0, 0 to the far corner of their box",
    "likely-noise": "entries that the tool itself takes for noise are left out",
    "rotated-page": "pages are marked as rotated; their boxes are taken to be in the frame of the page as it is shown",
    "size-in-points": "boxes are in points and their pages have no size; "
    "the size from elsewhere must be in points, too",
    "size-of-document": "pages without figures have no size and are given that of the other pages",
    "size-of-other-image": "boxes are in pixels of the image that the model was given, whose size the file does not "
    "state, and pages are given the size of the ground truth",
    "several-annotators": "tasks have several annotations",
    "several-locations": "tags have several locations, all taken to be on one page",
    "skipped-task": "tasks that were skipped, with cancelled annotations only, are left out",
    "skipped-frames": "frames that a track skips are not filled in",
    "token-regions": "files have a region for each token, because they have no larger unit",
    "unknown-tag": "blocks refer to tags that the file does not have",
}


@pytest.mark.parametrize(("code", "count", "values", "message"), MESSAGES)
def test_messages(code, count, values, message):
    finding = Finding(code, count, values)
    assert finding.message == message
    assert finding.as_dict()["message"] == message and finding.as_dict()["count"] == count


@pytest.mark.parametrize(("code", "what"), ALIKE.items())
def test_messages_of_readers(code, what):
    assert Finding(code, 3, {"file": "f", "place": "x"}).message == f"f: {what} (3 times, first at x)."


def test_every_text_is_tested_and_every_finding_has_a_text():
    assert {code for code, *_ in MESSAGES} | set(ALIKE) == set(messages.TEXTS)
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "layoutcm").rglob("*.py"))
    made = set(re.findall(r'(?:Finding|note_unusual)\(\s*"([a-z-]+)"', sources))
    assert len(made) > 40 and made <= set(messages.TEXTS)


MAP = "Drop a page map on the page Data"
PAGES = {"pages": 3, "names": ["a"]}


@pytest.mark.parametrize(
    ("finding", "hint", "on_screen"),
    [
        (Finding("page-only-in-gt", 1, {**PAGES, "ignored": False}),
         "Check the page names of both files, say which belong together (pages=, --pages), or leave such pages out "
         '(missing_pages="ignore", --missing-pages ignore).',
         f"Check the page names of both files. {MAP}, or set Missing pages to ignore in Settings."),
        (Finding("page-only-in-gt", 1, {**PAGES, "ignored": True}),
         "Check the page names of both files, or say which belong together (pages=, --pages).",
         f"Check the page names of both files. {MAP}."),
        (Finding("page-numbers-shifted"),
         "Give a page map (pages=, --pages) if this is wrong.", f"{MAP} if this is wrong."),
        (Finding("page-numbers-suspect"),
         "If pages are off by one, give a page map (pages=, --pages).", f"{MAP} if pages are off by one."),
        (Finding("page-numbers-ambiguous"), "Give a page map (pages=, --pages).", f"{MAP}."),
        (Finding("documents-from-names"), "Give a pattern (documents=, --documents) if this is wrong.", ""),
        (Finding("equal-label-names"),
         'Use one list of all names (taxonomy="same", --taxonomy same), join similar names, too '
         '(taxonomy="match-names", --taxonomy match-names), or map these labels (mapping=, --mapping; '
         'layoutcm suggest-mapping (suggest_mapping in Python) suggests one).',
         "Match equal names, or map labels below."),
        (Finding("coarse-page"),
         'Count exact areas (rounding="exact", --rounding exact), or make the side with pixels the ground truth.',
         "Use the rounding exact, or make the side with pixels the ground truth."),
        (Finding("label-only-in-gt"),
         "Map labels (mapping=, --mapping) if they mean the same; "
         "layoutcm suggest-mapping (suggest_mapping in Python) suggests one.",
         "Map labels to each other if they mean the same."),
        (Finding("documents-left-out", values={"limit": 3, "file": "documents.parquet"}), "", ""),
        (Finding("documents-left-out", values={"limit": 3, "file": ""}),
         *["Write the result to a file: the documents are then written beside it."] * 2),
        (Finding("two-documents", values={"file": "f", "side": "prediction"}), "", ""),
        (Finding("two-documents", values={"file": "f", "side": "ground truth"}),
         'To read the prediction: format="docling-eval-pred", --format docling-eval-pred.',
         "Drop the file as the prediction too: there the prediction is read."),
        (Finding("document-without-side", values={"file": "f", "side": "x", "first": "d", "status": ""}),
         "Missing pages are compared with an empty page, or left out "
         '(missing_pages="ignore", --missing-pages ignore).',
         "Missing pages are compared with an empty page, or left out: see Missing pages in Settings."),
        (Finding("failed-answer", values={"file": "f", "names": ["a"]}),
         "Run the model on these pages again. Missing pages are compared with an empty page, or left out "
         '(missing_pages="ignore", --missing-pages ignore).',
         "Run the model on these pages again. Missing pages are compared with an empty page, or left out: see Missing "
         "pages in Settings."),
        (Finding("two-sides", values={"file": "f", "side": "b"}), "", ""),
        (Finding("two-sides", values={"file": "f", "side": "a"}),
         'To read b: format="docling-metrics-b", --format docling-metrics-b.',
         "Drop the file as the prediction too: there it is read as b."),
        (Finding("unnamed-classes"),
         "Put data.yaml, classes.txt or obj.names beside the label files.",
         "Drop data.yaml, classes.txt or obj.names together with the label files."),
        (Finding("y-flipped", repair="flip-y"),
         "Repair it: fix(pred, 'flip-y') or --fix flip-y (of several predictions: --fix FILE=flip-y).", ""),
        (Finding("y-flipped", values={"earlier": ["scale:2"]}, repair="flip-y"),
         "Repair it: fix(pred, 'flip-y') or --fix scale:2,flip-y (of several predictions: --fix FILE=scale:2,flip-y).",
         ""),
        (Finding("page-off-by-one", values={"mapped": True}, repair="images:-1"),
         "Check the page map first: it may name the wrong pages. Repair it: fix(pred, 'images:-1') or --fix images:-1 "
         "(of several predictions: --fix FILE=images:-1).",
         "Check the page map first: it may name the wrong pages."),
        (Finding("label-only-in-gt", values={"names": ["a"], "declared": True}), "", ""),
        (Finding("label-only-in-gt", values={"names": ["a"]}),
         "Map labels (mapping=, --mapping) if they mean the same; "
         "layoutcm suggest-mapping (suggest_mapping in Python) suggests one.",
         "Map labels to each other if they mean the same."),
        (Finding("wrong-page-size", repair="scale:2"),
         "If you gave the size, give the right one (sizes=, --sizes), or none if gt's is right. "
         "Otherwise repair it, approximately: fix(pred, 'scale:2') or --fix scale:2 "
         "(of several predictions: --fix FILE=scale:2).",
         "If you gave the size, give the right one, or none if gt's is right."),
        (Finding("other-scale", values={"side": "layout"}, repair="unit:1"),
         "Repair it: fix(layout, 'unit:1') or --fix unit:1 (--fix-gt for the ground truth).", ""),
        (Finding("mapping-target-misspelt", 1, {"side": "pred", "other": "gt", "first": "Txt", "meant": "Text"}),
         "Write 'Text' for 'Txt' if that is meant.", "Write 'Text' for 'Txt' if that is meant."),
        (Finding("mapping-misspelt", 1, {"side": "gt", "file": "f", "first": "Txt", "meant": "Text"}),
         "Write 'Text' for 'Txt' if that is meant.", "Write 'Text' for 'Txt' if that is meant."),
        (Finding("empty-side"), "Check that this is the right file.", "Check that this is the right file."),
        (Finding("below-min-score", 8, {"regions": 8, "min_score": 2.0}), *["Use a lower minimum score."] * 2),
        (Finding("below-min-score", 7, {"regions": 8, "min_score": 0.5}), "", ""),
        (Finding("score-missing"), "Objects need all scores or none.", "Objects need all scores or none."),
    ],
)  # fmt: skip
def test_hints_for_the_command_line_and_for_the_screen(finding, hint, on_screen):
    assert (finding.hint, finding.advice.on_screen) == (hint, on_screen)


def test_no_hint_on_the_screen_names_an_option():
    for text in messages.TEXTS.values():
        values = {**PAGES, "ignored": False, "regions": 1, "first": "a", "meant": "b", "side": "a"}
        shown = messages.hint_of(text.hint, n=1, repair="flip-y", **values).on_screen
        assert not re.search(r"--\w|\w=", shown), shown


def test_severities():
    assert Finding("empty-side").severity == "warning" and Finding("scaled-page").severity == "info"
    assert Finding("clipped-box", severity="info").severity == "info"


def test_an_error_has_a_text_for_the_screen():
    error = InputError("f", "row 1", "the size is not known", Hint("Use --sizes.", "Write the size."))
    assert str(error) == "f, row 1: the size is not known. Use --sizes." and error.hint == "Use --sizes."
    assert error.on_screen == "f, row 1: the size is not known. Write the size."
    assert InputError("", "", "no file", "Give one.").on_screen == "no file. Give one."
    for hint in (hints.MISSING_SIZE, hints.RESULTS_WITHOUT_PAGES, hints.SEVERAL_FORMATS, hints.AMBIGUOUS_FORMAT,
                 hints.missing_size_with(["a", "b"]), hints.missing_size_with([]),
                 hints.unknown_format({"coco": "it"})):  # fmt: skip
        assert re.search(r"\w=", hint.text) and "=" not in hint.on_screen and hint.on_screen


def test_hints_of_errors_in_full():
    sizes = (
        "a folder of page images (sizes=FOLDER, --sizes FOLDER), or one size for all pages (sizes=(1025, 1025), "
        "--sizes 1025x1025)."
    )
    on_screen = (
        "Write the page size on the page Data, or drop page images with the names of the pages together with the files."
    )
    named = "Its pages are named like 'a' and 'b'. "
    assert hints.missing_size_with(["a", "b", "c"]) == Hint(
        f"{named}Say which page is which (pages=, --pages), or give {sizes}", f"{named}{on_screen}"
    )
    assert hints.missing_size_with([]) == Hint(
        f"It has no pages. Say which page is which (pages=, --pages), or give {sizes}", f"It has no pages. {on_screen}"
    )
    lacking = "For coco it lacks the key 'images'; for yolo it lacks lines. "
    assert hints.unknown_format({"coco": "the key 'images'", "yolo": "lines"}) == Hint(
        f"{lacking}Name the format with format= or --format if it has one; `layoutcm formats` lists all.",
        f"{lacking}The page Data lists all formats.",
    )
    assert (
        Hint(
            "Give a ground truth that has the page sizes (like=; in `compare` it goes first, in `inspect`, `convert` "
            f"and `compare --no-truth` after --like), {sizes}",
            on_screen,
        )
        == hints.MISSING_SIZE
    )
