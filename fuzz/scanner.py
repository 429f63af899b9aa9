"""The scanner of large COCO files against msgspec, on random texts: equal values, or the same error.

    python fuzz/scanner.py [minutes [first seed]]

Texts are usual and unusual ones, valid and damaged, and are scanned in ranges of a few bytes, so that borders of ranges
fall everywhere. What differs is saved.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from saved import clear, save_failure

from support.scanner_check import CocoTexts, difference, wrongly_scanned

KIND = "scanner"


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    clear(KIND)
    end, texts, failures = time.monotonic() + 60 * minutes, 0, 0
    while time.monotonic() < end:
        random_texts = CocoTexts(seed)
        for section, text in (("annotations", random_texts.ground_truth()), ("", random_texts.results())):
            range_bytes = random_texts.random.choice([1, 7, 100, 1000, 1 << 20])
            texts += 1
            wrong = wrongly_scanned(text, section, range_bytes) or difference(text, range_bytes)
            if wrong:
                failures += 1
                save_failure(KIND, f"{seed}-{section or 'results'}", {"a.json": text}, wrong)
        seed += 1
    print(f"{texts:,} texts, up to seed {seed:,}: {failures} differences between the scanner and msgspec")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
