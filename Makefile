# Everything on a machine with nothing but Python 3.11+ and make.
PYTHON ?= python3
BIN = .venv/bin
# Two processes of one thread each: two of two would fight for two cores.
PYTEST = OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2

.PHONY: demo test quick lint types layers check peers clean

demo: .venv/demo  ## install, simulate a crowd, aggregate it, compare with the truth, write a report
	$(BIN)/manyhands demo --out demo

test: .venv/dev  ## install with the development tools, run every test
	$(PYTEST)

quick: .venv/dev  ## the tests that take under a minute
	$(PYTEST) -m "not slow"

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports --no-cache

check: lint types layers quick  ## what to run before a commit

peers: .venv-peers/done  ## the packages that benchmarks compare with, in an environment of their own

# `.venv/demo` and `.venv/dev` are stamps: the environment is remade when pyproject.toml changes.
.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/demo: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[report]'
	touch $@

.venv/dev: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@ .venv/demo

.venv-peers/done: benchmarks/requirements-peers.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --requirement benchmarks/requirements-peers.txt
	touch $@

clean:
	rm -rf .venv .venv-peers demo build dist
