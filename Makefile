# The two commands of the README: `make run` and `make test`. Both set up .venv by themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# What is run and measured is this tree, whatever other layoutcm the shell knows of.
unexport PYTHONPATH

.PHONY: run test test-torch lint browser fuzz bench bench-formats bench-views bench-peer bench-app screenshots clean

# The dashboard on http://localhost:8501, with the sample one click away.
run: $(READY)
	$(BIN)/layoutcm app

test: $(READY) lint browser
	$(BIN)/pytest --numprocesses 2 --dist loadfile --cov --cov-report term

# The dashboard's tests drive a real Chromium: the system's, Debian's package, or the one that Playwright brings.
browser: $(READY)
	@command -v chromium || command -v chromium-browser || command -v google-chrome || command -v google-chrome-stable \
	  || (apt-get update -qq && apt-get install -y -qq chromium) || $(BIN)/playwright install --with-deps chromium

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Pages a second, the whole job on a DocLayNet-size pair, growth with the number of pages.
bench: $(READY)
	$(BIN)/python benchmarks/bench.py

# Objects beside faster-coco-eval, families and soft scores beside the counting of pixels, on a DocLayNet-size pair.
bench-views: $(READY)
	$(BIN)/python benchmarks/bench_objects.py
	$(BIN)/python benchmarks/bench_families.py
	$(BIN)/python benchmarks/bench_soft.py

# Regions a second of every format, beside what merely parsing the same bytes takes.
bench-formats: $(READY)
	$(BIN)/python benchmarks/bench_formats.py

# Soft scores on torch tensors and their gradients, which `make test` skips; torch is large, so it has its own place.
TORCH := .venv-torch
test-torch: $(TORCH)/.ready
	$(TORCH)/bin/pytest tests/metrics/test_soft.py

$(TORCH)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(TORCH)
	$(TORCH)/bin/pip install --quiet torch==2.13.0
	$(TORCH)/bin/pip install --quiet --constraint constraints.txt --editable '.[dev,torch]'
	touch $@

# Ten thousand spoilt files of every format.
fuzz: $(READY)
	LAYOUTCM_FUZZ=10000 $(BIN)/python -m pytest tests/formats/test_fuzz_formats.py tests/formats/test_bad_input.py -q

# How long a person waits in the dashboard, in a real browser.
bench-app: $(READY) browser
	$(BIN)/python benchmarks/bench_app.py

# The pictures of the README.
screenshots: $(READY) browser
	$(BIN)/python docs/take_screenshots.py

# The same pages through docling-metrics-layout, in an environment of its own and the same run.
# Its other dependencies are left out on purpose: they would pull a GPU build of torch.
PEER := .venv-peer
PEER_READY := $(PEER)/.ready
bench-peer: $(READY) $(PEER_READY)
	$(BIN)/python benchmarks/peer.py $(PEER)/bin/python

$(PEER_READY):
	$(PYTHON) -m venv $(PEER)
	$(PEER)/bin/pip install --quiet torch==2.13.0
	$(PEER)/bin/pip install --quiet torchmetrics faster-coco-eval pydantic pandas matplotlib openpyxl tqdm
	$(PEER)/bin/pip install --quiet --no-deps docling-metrics-core docling-metrics-layout==0.17.0
	touch $@

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) $(TORCH) $(PEER) .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
