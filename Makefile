# The two commands of the README: `make demo` and `make test`. Both start from nothing but Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test check browser docs bench lines clean suite

demo: $(READY)
	$(BIN)/clew demo

# What looks at the code alone runs beside the tests: one of two cores would be idle meanwhile.
test: $(READY) browser
	$(MAKE) --jobs=2 check suite

suite: $(READY)
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/count_lines.py

docs: $(READY)
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build-out/site
	@echo "The site is in build-out/site: open build-out/site/index.html"

bench: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[bench]"
	$(BIN)/python -m bench

lines: $(READY)
	$(BIN)/python tools/count_lines.py

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@

browser:
	@sh tools/browser.sh

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/out build-out clew-report.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
