# Everything needs only Python 3.11 or newer, git, and a network for the first installation.
#
#   make run [WORKSPACE=path]   install into .venv, then tour the workspace (this repository by default)
#   make test                   all tests of the core
#   make check                  format, lint, types, direction of imports
#   make bench [BENCH_ARGS=--json]  the benchmarks, as tables or JSON; GRANUM_BENCH_WORKSPACE names the workspace
#   make test-editors           tests in real editors
#   make test-heavy             long tests on a real package from the registry

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VENV ?= .venv
WORKSPACE ?= .
PYTEST_ARGS ?=
BENCHMARKS ?= extraction indexing latency growth scaling propositions references storms
# these run on a second workspace too, one of documentation above all
BENCHMARKS_ON_PROSE ?= extraction indexing latency
PROSE ?= Sphinx==9.0.4
BENCH_ARGS ?=
BIN = $(VENV)/bin
SUITABLE = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$name" -c "$(SUITABLE)" >/dev/null 2>&1 && { command -v "$$name"; break; }; done)

.PHONY: help run test test-editors test-heavy bench check clean

help:
	@sed -n 's/^#   //p' Makefile

run: $(VENV)/.installed
	@"$(BIN)/python" -m granum tour "$(WORKSPACE)"

test: $(VENV)/.installed-dev
	@"$(BIN)/python" -m pytest -n auto --maxprocesses 4 $(PYTEST_ARGS)

check: $(VENV)/.installed-dev
	@"$(BIN)/ruff" format --check .
	@"$(BIN)/ruff" check .
	@"$(BIN)/python" -m mypy
	@"$(BIN)/lint-imports" --no-cache


# The programs that say how they are run; the other files are their helpers. Exit code 2 means that a program lacks
# its data or its peer, and has said so: the others go on.
# status 2: what the benchmark measures by (labels, a workspace, a peer) is not at hand; it has said so
bench: $(VENV)/.installed-dev
	@for name in $(BENCHMARKS); do \
		echo "== $$name"; "$(BIN)/python" -m "tests.bench.$$name" $(BENCH_ARGS) || [ $$? -eq 2 ] || exit 1; done
	@for name in $(BENCHMARKS_ON_PROSE); do \
		echo "== $$name, $(PROSE)"; "$(BIN)/python" -m "tests.bench.$$name" "$(PROSE)" $(BENCH_ARGS) || [ $$? -eq 2 ] || exit 1; done

test-editors: $(VENV)/.installed-editors
	@"$(BIN)/python" -m pytest $(PYTEST_ARGS) tests/editors

test-heavy: $(VENV)/.installed-dev
	@"$(BIN)/python" -m pytest $(PYTEST_ARGS) tests/heavy

clean:
	@rm -rf "$(VENV)" .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@[ -n "$(PYTHON)" ] || { echo "Granum needs Python 3.11 or newer with its venv module, and found none." >&2; \
		echo "On Debian or Ubuntu: apt-get install python3 python3-venv. Or name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@echo "Creating $(VENV) with $(PYTHON)"
	@"$(PYTHON)" -m venv "$(VENV)"

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Granum into $(VENV)"
	@"$(BIN)/python" -m pip install --quiet --quiet --disable-pip-version-check --editable .
	@touch "$@"

$(VENV)/.installed-dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Granum and its tests' needs into $(VENV)"
	@"$(BIN)/python" -m pip install --quiet --quiet --disable-pip-version-check --editable '.[dev]'
	@touch "$(VENV)/.installed" "$@"

$(VENV)/.installed-editors: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Granum, its tests' needs and the editors into $(VENV)"
	@"$(BIN)/python" -m pip install --quiet --quiet --disable-pip-version-check --editable '.[dev,editors]'
	@touch "$(VENV)/.installed" "$(VENV)/.installed-dev" "$@"
