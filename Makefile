# What a person types and what the continuous integration runs: the same targets.
# Everything needed is installed into .venv on first use.

PYTHON ?= python3
VENV ?= .venv
WORKERS ?= 2
# What `make fuzz` draws from: something new every time, and shown.
SEED := $(or $(SEED),$(shell date +%s))
# A file of versions to install instead of the newest ones.
CONSTRAINTS ?=
# Which tests of the sdist `make release-check` runs.
TESTS ?= tests

# Pythons that tests start compile the sources once, whatever is set outside.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	$(if $(CONSTRAINTS),--constraint $(CONSTRAINTS))

.PHONY: demo test test-models fuzz lint types bench docs release-check clean

demo: $(VENV)/.demo
	$(BIN)/labelsieve demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

test-models: $(VENV)/.test
	$(INSTALL) --editable ".[test-models]"
	$(BIN)/python -m pytest -n $(WORKERS) tests/selectors/test_boosters.py

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --mutations 20000 --seed $(SEED)
	$(BIN)/python -m tests.fuzz.calls --cases 5000 --seed $(SEED)
	$(BIN)/python -m pytest -n $(WORKERS) -m hypothesis --hypothesis-profile explore

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.lint
	$(BIN)/mypy

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/.docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going -q -b html docs site
	$(BIN)/python docs/check_site.py site

release-check: $(VENV)/.release
	$(BIN)/python packaging/check_release.py "$(TESTS)" $(WORKERS)

clean:
	rm -rf $(VENV) build dist demo site .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	touch $@

# A stamp file says which extras are installed, and is older than pyproject.toml
# when they must be installed again.
$(VENV)/.demo: $(VENV)/.made pyproject.toml
	$(INSTALL) --editable ".[report]"
	touch $@

$(VENV)/.test: $(VENV)/.made pyproject.toml
	$(INSTALL) --editable ".[$(if $(CONSTRAINTS),test,test,test-data)]"
	touch $@

# What others offer is measured beside ours where it installs.
$(VENV)/.bench: $(VENV)/.made pyproject.toml
	$(INSTALL) --editable ".[bench]"
	-$(INSTALL) fastcan
	-$(INSTALL) scikit-multilearn-ng
	-$(INSTALL) skrebate
	touch $@

# Pages for those who come from other packages run them where they install.
$(VENV)/.docs: $(VENV)/.made pyproject.toml
	$(INSTALL) --editable ".[docs]"
	-$(INSTALL) boruta
	-$(INSTALL) mrmr-selection
	-$(INSTALL) scikit-multilearn-ng
	-$(INSTALL) shap
	touch $@

$(VENV)/.%: $(VENV)/.made pyproject.toml
	$(INSTALL) --editable ".[$*]"
	touch $@
