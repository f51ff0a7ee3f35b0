# The two commands of the README: `make demo` and `make test`. Both start from nothing but Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := $(VENV)/.demo
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal
QUICK = $(shell grep -rl --include='test_*.py' 'mark\.quick' tests)

# Where the environment forbids it, every process of a test would parse all of clew again.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test quick quick-tests check coverage browser docs bench lines release clean suite

demo: $(DEMO)
	$(BIN)/clew demo

# Checks of the code run in parallel with the tests, which leave one of two cores idle at times.
test: $(READY) browser
	$(MAKE) --jobs=2 check suite

suite: $(READY)
	$(PYTEST)

# The loop while editing: all checks, and the tests marked `quick`. Only their files are collected, which saves 20 s.
quick: $(READY)
	$(MAKE) --jobs=2 check quick-tests

quick-tests: $(READY)
	$(PYTEST) -q -m quick $(QUICK)

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/budget.py

# The share of Python lines that the quick tests run. Kernels do not count: coverage does not see compiled code.
coverage: $(READY)
	$(PYTEST) -q -m quick --cov=clew $(QUICK)

docs: $(READY)
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build-out/site
	@echo "The site is in build-out/site: open build-out/site/index.html"

bench: $(READY)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable ".[bench]"
	$(BIN)/python -m bench

lines: $(READY)
	$(BIN)/python tools/budget.py --folders

# Builds dist/, checks it and tags the commit; uploads nothing.
release: test
	$(BIN)/python tools/release.py

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $@ $(DEMO)

# The demo needs no developers' tools. pip shows what it installs. Python compiles what the demo imports, pip would
# compile everything: 12 s more of CPU time and 118 MB.
$(DEMO): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --no-compile --disable-pip-version-check --constraint constraints.txt --editable ".[networkx,plots]"
	touch $@

browser:
	@sh tools/browser.sh

clean:
	rm -rf $(VENV) .coverage* .pytest_cache .mypy_cache .ruff_cache .hypothesis bench/out build-out dist clew-report.html
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
