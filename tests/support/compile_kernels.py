"""Compile the largest kernels, which several processes of the tests would otherwise compile at the same time."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

    from layoutcm.compiled import compile_from_now_on
    from layoutcm.drawing.web.page_data import cause_data
    from support.comparisons import compare_sample

    compile_from_now_on()
    compared = compare_sample()
    page = compared.pages_behind("Caption", "Text")["page"].iloc[0]
    compared.page_tiles(page)
    compared.objects().object_confusion_at(0.5)
    compared.objects().ap_at(0.5)
    compared.centroids()
    compared.soft()
    cause_data(compared, page)
