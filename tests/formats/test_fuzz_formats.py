"""Randomly damaged files of every format raise nothing but InputError.

`make fuzz` runs many more of them; LAYOUTCM_FUZZ sets the number per format.
"""

import os
import random

import pytest

import layoutcm as lcm
from support.mutations import mutated
from written import writers, written

TRIES = int(os.environ.get("LAYOUTCM_FUZZ", "400"))


@pytest.mark.parametrize("format", sorted(writers()))
def test_damaged_files_raise_nothing_but_input_errors(format):
    rng = random.Random(f"layoutcm {format} {TRIES}")
    like = lcm.read(list(written("coco").items()))
    files = written(format)
    refused = 0
    for i in range(TRIES):
        damaged = dict(files)
        name = rng.choice(list(files))
        damaged[name] = mutated(files[name], rng)
        options = {"shapes": rng.choice(["box", "polygon"]), "nested": rng.random() < 0.5}
        options |= {"format": format} if rng.random() < 0.5 else {}
        try:
            layout = lcm.read(list(damaged.items()), like=like, **options)
            if i % 10 == 0:
                _ = lcm.compare(like, layout).findings
        except lcm.InputError as error:
            assert str(error).strip()
            refused += 1
        except Exception as error:
            pytest.fail(f"mutation {i} of {name} under {options}: {error!r}\n{damaged[name][:2000]!r}")
    assert 0 < refused < TRIES  # some are refused, some can still be read
