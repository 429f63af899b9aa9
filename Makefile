# The two commands of the README are `make run` and `make test`. Both set up .venv if needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Two steps of .venv: what a user needs, and then all that developers need.
INSTALLED := $(VENV)/.installed
READY := $(VENV)/.ready
PIP_INSTALL := pip install --quiet --disable-pip-version-check
# Always use the code of this folder, even if PYTHONPATH names another copy of layoutcm.
unexport PYTHONPATH
# Many tests start a process; without compiled files each compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test docs check-wheel test-torch test-examples lint browser fuzz mutants coverage-study bench bench-formats bench-views bench-peer bench-all bench-app bench-scale bench-parts-app coverage soak screenshots kills fuzz-corpus audit clean

# Starts the dashboard on http://localhost:8501.
run: $(INSTALLED)
	$(BIN)/layoutcm app

# What several tests would compile at the same time is compiled once, beside the linters, which use one core.
test: $(READY) browser
	$(MAKE) --no-print-directory --jobs 3 lint kernels-boxes kernels-outlines
	$(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder

# The documentation site, in site/: static, without requests to other machines, searchable without a server. It needs only its
# own small environment: docstrings are read, not imported. The variable leaves out a notice that MkDocs Material prints before
# every build about the end of its development.
DOCS := .venv-docs
docs: $(DOCS)/.ready
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet
	@echo "open site/index.html"

$(DOCS)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/$(PIP_INSTALL) --constraint constraints.txt \
	  $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')
	touch $@

# Builds sdist and wheel, installs them into empty environments of PYTHONS, and uses them there, in another folder.
WHEEL := .venv-wheel
PYTHONS ?= $(PYTHON)
check-wheel: $(WHEEL)/.ready
	$(WHEEL)/bin/python tools/check_wheel.py --pythons $(PYTHONS)

$(WHEEL)/.ready: Makefile
	$(PYTHON) -m venv $(WHEEL)
	$(WHEEL)/bin/$(PIP_INSTALL) build==1.6.1
	touch $@

# All tests, also those that take long, with branch coverage, which must be 95 %. It takes half as long again.
coverage: $(READY) browser
	$(BIN)/pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder -m "long or not long" --cov --cov-report term

# The tests of the dashboard need a Chromium: the one on the system, else the Debian package, else the one of Playwright.
browser: $(READY)
	@command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable \
	  || (apt-get update -qq && apt-get install -y -qq chromium) || $(BIN)/playwright install --with-deps chromium

kernels-%: $(READY)
	$(BIN)/python tests/support/compile_kernels.py $*

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Time per page, the whole job on a DocLayNet-size pair, time per page as the number of pages grows.
bench: $(READY)
	$(BIN)/python benchmarks/bench.py

# On a DocLayNet-size pair: objects compared with faster-coco-eval, families and soft scores with counting the pixels.
bench-views: $(READY)
	$(BIN)/python benchmarks/bench_objects.py
	$(BIN)/python benchmarks/bench_families.py
	$(BIN)/python benchmarks/bench_soft.py

# Regions per second of every format, and the ratio to the time of only parsing the same bytes. 80,000 pages of Parquet with
# images, and the ratio to reading the same columns with Arrow.
bench-formats: $(READY)
	$(BIN)/python benchmarks/bench_formats.py
	$(BIN)/python benchmarks/bench_huggingface.py

# Tests of soft scores and the Evaluator on torch tensors, which `make test` skips. The folder has only torch and what torch
# needs; the rest is taken from .venv.
TORCH := .venv-torch
test-torch: $(READY) $(TORCH)/.ready
	PYTHONPATH=$(CURDIR)/$(TORCH) $(BIN)/pytest tests/metrics/test_soft.py tests/examples/test_torch_tensors.py

$(TORCH)/.ready: Makefile | $(INSTALLED)
	rm -rf $(TORCH)
	$(BIN)/$(PIP_INSTALL) --constraint constraints.txt --target $(TORCH) torch==2.13.0
	touch $@

# The examples with the packages that they are for, instead of the stand-ins of `make test`. These packages are large, so they have
# their own environment.
EXAMPLES := .venv-examples
test-examples: $(EXAMPLES)/.ready
	$(EXAMPLES)/bin/pytest tests/examples/test_with_real_packages.py

$(EXAMPLES)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(EXAMPLES)
	$(EXAMPLES)/bin/$(PIP_INSTALL) torch==2.13.0
	$(EXAMPLES)/bin/$(PIP_INSTALL) --constraint constraints.txt --editable . hypothesis pytest
	$(EXAMPLES)/bin/$(PIP_INSTALL) lightning==2.6.6 mlflow-skinny==3.17.2 supervision==0.31.2
	touch $@

# Hostile files, damaged files of every format, growth of the time of every reader, the scanner of large files against
# msgspec for MINUTES, and a coverage-guided fuzzer for MINUTES.
# What does harm is saved in fuzz/failed. Each part runs even if another has failed. atheris has its own environment.
FUZZ := .venv-fuzz
MINUTES ?= 10
CASES ?= 10000
fuzz: $(READY) $(FUZZ)/.ready browser
	@failed=""; \
	$(BIN)/python fuzz/mutations.py $(CASES) || failed="$$failed mutations"; \
	$(BIN)/python fuzz/growth.py || failed="$$failed growth"; \
	$(BIN)/python fuzz/scanner.py $(MINUTES) || failed="$$failed scanner"; \
	$(FUZZ)/bin/python fuzz/coverage_guided.py $(MINUTES) || failed="$$failed coverage"; \
	LAYOUTCM_HOSTILE=all $(BIN)/pytest -q -s tests/cli/test_hostile_files.py || failed="$$failed command-line"; \
	LAYOUTCM_HOSTILE=all $(BIN)/pytest -q -s tests/ui/test_hostile_uploads.py || failed="$$failed uploads"; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

# Keeps the smallest inputs that reach all code that the fuzzer reached in fuzz/corpus.zip, which `make test` reads.
fuzz-corpus: $(READY)
	$(BIN)/python fuzz/kept_corpus.py

$(FUZZ)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/$(PIP_INSTALL) --constraint constraints.txt --editable .
	$(FUZZ)/bin/$(PIP_INSTALL) atheris==3.0.0
	touch $@

# Licences and known vulnerabilities of what is installed. Without a network the latter are not checked: exit code 2.
AUDIT := .venv-audit
audit: $(READY) $(AUDIT)/.ready
	$(BIN)/python tools/audit.py $(AUDIT)/bin/pip-audit

$(AUDIT)/.ready: Makefile
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/$(PIP_INSTALL) pip-audit==2.10.1
	touch $@

# Kills commands at random moments, fills the disk (as root), lets two write at once: outputs are old or new, complete.
kills: $(READY)
	$(BIN)/python benchmarks/kills.py

# Changes metrics, tables, wording and messages in thousands of small ways, and prints which share of the changes a test notices.
# It has its own environment, because mutmut 3.8 does not work with the newest pytest.
MUTANTS := .venv-mutants
mutants: $(MUTANTS)/.ready
	$(MUTANTS)/bin/python benchmarks/mutants.py

$(MUTANTS)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(MUTANTS)
	$(MUTANTS)/bin/$(PIP_INSTALL) --constraint constraints.txt --editable '.[dev]'
	$(MUTANTS)/bin/$(PIP_INSTALL) mutmut==3.8.0 'pytest<9.1'
	touch $@

# How often intervals contain the true value and chance is called a difference; writes docs/coverage.md, takes an hour.
coverage-study: $(READY)
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/coverage_study.py

# A million pages from Parquet parts with threads and with Dask, kills of runs, workers and a scheduler, 10,000 parts merged.
bench-scale: $(READY)
	$(BIN)/python benchmarks/bench_scale.py

# The dashboard on a result of a million pages: time of each step in a browser, memory of the server.
bench-parts-app: $(READY)
	$(BIN)/python benchmarks/bench_parts_app.py

# Response times of the dashboard in a real browser.
bench-app: $(READY) browser
	$(BIN)/python benchmarks/bench_app.py

# Fifteen visitors for two minutes, each with own files, among three hostile ones: errors, data of others, times, memory after they have left.
soak: $(READY)
	$(BIN)/python benchmarks/soak.py

# The screenshots of the README.
screenshots: $(READY) browser
	$(BIN)/python docs/take_screenshots.py

# Compares the speed with docling-metrics-layout on the same pages in the same run; it has its own environment.
# Its other dependencies are left out on purpose: they would install a GPU build of torch.
PEER := .venv-peer
PEER_READY := $(PEER)/.ready
bench-peer: $(READY) $(PEER_READY)
	$(BIN)/python benchmarks/peer.py $(PEER)/bin/python

# All comparisons with other tools in one run, written to docs/benchmarks.md and docs/other-tools.md. It takes about an hour: pycocotools and the peer are slow.
bench-all: $(READY) $(PEER_READY)
	$(BIN)/python benchmarks/bench_all.py $(PEER)/bin/python

$(PEER_READY): Makefile
	rm -rf $(PEER)
	$(PYTHON) -m venv $(PEER)
	$(PEER)/bin/$(PIP_INSTALL) torch==2.13.0
	$(PEER)/bin/$(PIP_INSTALL) torchmetrics faster-coco-eval pydantic pandas matplotlib openpyxl tqdm hotcoco==1.3.0 \
	  appdirs opencv-python-headless pillow pycocotools seaborn
	$(PEER)/bin/$(PIP_INSTALL) --no-deps docling-metrics-core docling-metrics-layout==0.17.0 tidecv==1.0.1 mote-error==0.1.1
	touch $@

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(PIP_INSTALL) --constraint constraints.txt --editable .
	touch $@

$(READY): $(INSTALLED)
	$(BIN)/$(PIP_INSTALL) --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) $(DOCS) site $(WHEEL) $(TORCH) $(EXAMPLES) $(PEER) $(MUTANTS) $(FUZZ) $(AUDIT) mutants fuzz/work fuzz/failed .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis .grimp_cache .import_linter_cache
