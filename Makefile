# Everything runs in .venv, made from the hash-pinned lock: no other Python package of the machine is used.
PYTHON ?= python3
CORES ?= $(shell nproc)
LOCKFLAGS ?=

BIN := .venv/bin
SMK := Snakefile workflow/rules

# Jobs call `python`: it must be this one.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# What would let packages from outside into .venv.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
# Every process would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help venv demo study test bench check format lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile
	@echo 'Settable: PYTHON=$(PYTHON) CORES=$(CORES) LOCKFLAGS=$(LOCKFLAGS)'

demo: venv ## run the demonstration campaign: every product, in minutes
	$(BIN)/snakemake --cores $(CORES) --configfile config/demo.yaml
	@$(BIN)/unbounded products config/demo.yaml

study: venv ## run the paper's study at D = 64, for hours on two cores; again: goes on where it was stopped
	$(BIN)/snakemake --cores $(CORES) --configfile config/study.yaml
	@$(BIN)/unbounded products config/study.yaml

test: check .venv/tools ## check, then run the tests
	$(BIN)/pytest -n $(CORES) --cov=unbounded --cov-report=term

bench: .venv/peers ## measure every claim of speed against its peer: about ten minutes on an idle machine
	$(BIN)/python benchmarks

check: venv ## lint, format, types and generated files, without changing any
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy --strict envs/make_conda.py
	$(BIN)/snakefmt --check $(SMK)
	$(BIN)/snakemake --lint
	$(BIN)/python envs/make_conda.py --check
	$(BIN)/unbounded config check

format: venv ## mend what check complains of, and regenerate the generated files
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	$(BIN)/snakefmt $(SMK)
	$(BIN)/unbounded config docs
	$(BIN)/python envs/make_conda.py

lock: venv ## pin envs/requirements.in anew; LOCKFLAGS=--upgrade takes the newest versions
	$(BIN)/python -m pip install -qq uv
	$(BIN)/uv pip compile --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header -q \
		$(LOCKFLAGS) -o envs/requirements.txt envs/requirements.in
	$(BIN)/uv pip compile --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header -q \
		$(LOCKFLAGS) -o envs/commercial.txt envs/commercial.in
	$(BIN)/uv pip compile --python-version 3.11 --universal --generate-hashes --no-emit-index-url --no-header -q \
		$(LOCKFLAGS) -o envs/peers.txt envs/peers.in
	$(BIN)/python envs/make_conda.py

clean: ## remove .venv and the caches; results stay
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
	find */ -name __pycache__ -prune -exec rm -rf {} +

venv: .venv/installed ## make .venv, if it is missing or older than the lock

# Locks are complete, so pip resolves nothing (--no-deps): for an extra of a locked package it would else look at releases
# that are newer than the lock, and refuse them for want of a hash.
# The stamps come last: a .venv without them was interrupted, and is made anew.
.venv/installed: .venv/locked pyproject.toml
	@$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

# What only the tests and the benchmarks need: Slurm, Chromium, GNU parallel, and the optional solvers.
.venv/tools: .venv/installed envs/commercial.txt envs/debian-packages
	@envs/debian-packages
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r envs/commercial.txt
	@touch $@

# What only the benchmarks need: libraries that they compare with.
.venv/peers: .venv/tools envs/peers.txt
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r envs/peers.txt
	@touch $@

# The old .venv goes first: if it is the active one, PYTHON would else be inside what is being replaced.
.venv/locked: envs/requirements.txt
	@rm -rf .venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Python 3.11 or newer is needed; name one, as in: make PYTHON=python3.11' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || { \
		if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
			echo 'Python cannot make virtual environments here; run: sudo apt-get install python3-venv' >&2; exit 1; fi; \
		echo 'Installing python3-venv'; \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
			apt-get install -qq -y --no-install-recommends python3-venv >/dev/null; }
	@echo 'Making .venv from $<'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@
