# The two commands of the README: `make demo` and `make test`. Both start from nothing but Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check bench lines clean

demo: $(READY)
	$(BIN)/clew demo

test: $(READY) check
	$(BIN)/python -m pytest -n 2 --dist loadfile

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/count_lines.py

bench: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[bench]"
	$(BIN)/python -m bench

lines: $(READY)
	$(BIN)/python tools/count_lines.py

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
