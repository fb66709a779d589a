# One list of commands, for people, hooks and CI. Every target works alone in a fresh clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp
RUN_STAMP := $(VENV)/.run-stamp
JOBS ?= 2
PIP := $(BIN)/pip --disable-pip-version-check -q

.PHONY: help setup demo test check fmt lint types imports bench bench-hostile bench-faults bench-bundles bench-service bench-logs peers docs lock clean
.DEFAULT_GOAL := help

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Rootproof needs Python 3.11 or newer; set PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): requirements/run.lock pyproject.toml | $(BIN)/python
	@echo "installing what Rootproof runs on (once) ..."
	$(PIP) install --require-hashes -r requirements/run.lock
	$(PIP) install --no-deps -e .
	@touch $@

$(STAMP): requirements/dev.lock pyproject.toml | $(BIN)/python
	@echo "installing what Rootproof is built and tested with (once) ..."
	$(PIP) install --require-hashes -r requirements/dev.lock
	$(PIP) install --no-deps -e .
	@touch $@ $(RUN_STAMP)

setup: $(STAMP) ## make .venv with everything

demo: $(RUN_STAMP) ## diagnose the two scenarios that ship: no key, no service, no network
	@$(BIN)/rootproof demo

test: $(STAMP) ## run the tests
	$(BIN)/python -m pytest -n $(JOBS)

check: $(STAMP) fmt-check lint types imports coverage ## everything CI checks

fmt: $(STAMP) ## format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only -q .

.PHONY: fmt-check coverage
fmt-check: $(STAMP)
	$(BIN)/ruff format --check .

lint: $(STAMP) ## ruff
	$(BIN)/ruff check .

types: $(STAMP) ## mypy, strict
	$(BIN)/mypy

imports: $(STAMP) ## the layers of the architecture
	$(BIN)/lint-imports

coverage: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term:skip-covered

bench: $(STAMP) ## every benchmark that needs no incident data
	$(BIN)/python -m benchmarks.loop
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.verifier
	@$(MAKE) --no-print-directory bench-hostile bench-faults

bench-hostile: $(STAMP) ## what attacks in logs, alerts and labels achieve
	$(BIN)/python -m benchmarks.hostile_data --quiet

bench-faults: $(STAMP) ## play every fault of a model provider against `rootproof diagnose`
	$(BIN)/python -m benchmarks.provider_faults

bench-bundles: $(STAMP) ## diagnose every bundle of $$ROOTPROOF_DATA/bundles and our own scenarios, and score the reports
	$(BIN)/python -m benchmarks.bundles

bench-service: $(STAMP) ## the service: killed workers, streams, alert intake, reads at size, migration; embedded
	$(BIN)/python -m benchmarks.chaos --runs 40
	$(BIN)/python -m benchmarks.streams
	$(BIN)/python -m benchmarks.intake
	$(BIN)/python -m benchmarks.read_api --kinds sqlite --invocations 100000
	$(BIN)/python -m benchmarks.migration

bench-logs: peers ## logs and redaction beside their peers: patterns, needles, redaction, ten minutes of fuzzing
	$(BIN)/python -m benchmarks.patterns
	$(BIN)/python -m benchmarks.needles
	$(BIN)/python -m benchmarks.redaction
	$(BIN)/python -m benchmarks.fuzz --minutes 10

peers: $(STAMP) ## install what benchmarks/patterns compares with, without its old pins
	$(PIP) install --no-deps --require-hashes -r requirements/peers.lock

docs: $(STAMP) ## check that commands, settings and links in the docs are real
	$(BIN)/python -m pytest tests/docs -p no:randomly

lock: | $(BIN)/python ## make the lock files anew from pyproject.toml
	$(PIP) install uv
	$(BIN)/uv pip compile -q --generate-hashes --no-header --no-annotate --no-emit-index-url --universal --python-version 3.11 -o requirements/run.lock pyproject.toml
	$(BIN)/uv pip compile -q --generate-hashes --no-header --no-annotate --no-emit-index-url --universal --python-version 3.11 --all-extras -o requirements/dev.lock pyproject.toml

clean: ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage htmlcov
