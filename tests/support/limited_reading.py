"""Read files in child processes with limits on time and memory, and report what each took."""

import json
import subprocess
import sys
from pathlib import Path

# Every file is read in a fork of one process, so that the libraries are loaded only once.
PROGRAM = """
import json, os, resource, sys, traceback
import layoutcm, numba, pandas, pyarrow.csv, pyarrow.parquet, PIL.Image, yaml
from layoutcm.drawing.page_images import ImageFile, images_from_files, load_shrunk
{setup}
def read(path):
    {body}
for path in sys.argv[1:]:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        sys.stdout = sys.stderr
        try:
            read(path)
        except layoutcm.InputError as error:
            print(str(error)[:300])
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status, used = os.wait4(child, 0)
    taken = [path, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]
    print(json.dumps(taken), flush=True)
"""
READ = "layoutcm.read(path, sizes=(10, 10), shapes='polygon')"
SHOW = """
    images = images_from_files([ImageFile(os.path.basename(path), path, open(path, "rb").read())])
    load_shrunk(images.pictures[-1], 100)
"""


def read_with_limits(paths: list[Path], body: str = READ) -> dict[str, tuple[int, float, float]]:
    """{name of the file: exit code, seconds of CPU, most MB in memory}; the code is 0 for a layout or an InputError."""
    program = PROGRAM.format(setup="", body=body.strip())
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, paths)], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    print(done.stderr)
    taken = [json.loads(line) for line in done.stdout.splitlines()]
    return {Path(path).name: (code, seconds, megabytes) for path, code, seconds, megabytes in taken}
