# Two commands, and they do all the set-up: `make demo` runs the main job, `make test` the tests. `make check` is for the time
# between two edits; `make test-full` adds the long tests.
# They need python3 with venv, cargo and a C linker, and nothing installed before.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DELETE_ON_ERROR:
.PHONY: demo build quick check site wasm npm wheels wasm-where-possible test test-full rust-half python-half test-rust test-python check-rust check-python lowest audit crates instructions accept-instructions generate format lock clean

PYTHON ?= python3
PROFILE := light
BIN := .venv/bin
SCRIPTS := python tests/python docs benches validation .ci
UNIT := $(addprefix tests/python/,analysis metrics api/test_arguments.py api/test_toml.py files/test_memory.py repository/test_house.py repository/test_words.py run/test_statistics.py)
WASM := python/narrows/_internal/browser/narrows.wasm
RUST := $(shell find crates $(wildcard algorithms) -name '*.rs' -o -name '*.csv' -o -name Cargo.toml)

COMPILE := .venv-lock/bin/uv pip compile pyproject.toml --extra study --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --no-annotate --quiet

# A line for each package of a lock file while pip installs it.
define install
$(BIN)/python -m pip install --no-compile --progress-bar off --require-hashes -r $(1) | \
	awk -v all="$$(grep -c '^[^ #].*==' $(1))" '/^(Collecting|Requirement already satisfied:) / { \
		sub(/^Requirement already satisfied:/, "present"); printf "  %d of %d packages: %s\n", ++n, all, $$2; fflush() }'
endef

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# One interpreter for every build, so that a change of tool does not compile PyO3 again.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
# Tests start many processes, which would compile every module again each.
unexport PYTHONDONTWRITEBYTECODE
# The cases of property tests are the same in every run (here, and in pytest's profile `ci`), so that a failure is one of the
# change under test. `cargo test` and `pytest` alone draw others each time.
export PROPTEST_RNG_SEED ?= 1

# Packages are installed while the simulator compiles.
demo:
	@$(MAKE) --no-print-directory --jobs 2 build
	@echo "3 of 3: comparing three algorithms"
	@$(BIN)/narrows compare newreno cubic aiad --scenario scenarios/two-flows.toml

build: .venv/.packages .venv/.core

# For editing Rust: only what changed is compiled. Records are the same bits, and runs are slower.
quick: PROFILE := quick
quick: build

# The page of `narrows playground` has the simulator inside.
wasm: $(WASM)

$(WASM): Cargo.toml Cargo.lock crates/playground/build.sh $(RUST)
	.ci/stage 'the simulator for pages' crates/playground/build.sh $@

# The package of npm, in target/npm: the simulator for node and pages, and the playground as an element.
npm: build $(WASM)
	$(BIN)/narrows playground --out target/playground.html
	crates/playground/package.sh $(WASM) target/npm target/playground.html

wasm-where-possible:
	@if crates/playground/build.sh --missing; then $(MAKE) --no-print-directory wasm; fi

# With the long tests of Python, which have the mark `full`.
test-full: export FULL := --full
test-full: test

# Rust and Python side by side, since many tests of Python wait for commands of one thread.
test: build .venv/.tools
	@status=0; $(MAKE) --no-print-directory --jobs 2 rust-half python-half || status=$$?; .ci/stage --print; exit $$status

rust-half:
	@$(MAKE) --no-print-directory check-rust
	@$(MAKE) --no-print-directory test-rust
	@$(MAKE) --no-print-directory instructions

python-half:
	@$(MAKE) --no-print-directory check-python
	@$(MAKE) --no-print-directory wasm-where-possible
	@$(MAKE) --no-print-directory test-python

# Format, lint, types, the unit tests of the crates, and the tests of Python that start no command.
check: build .venv/.tools
	cargo fmt --all --check
	$(BIN)/ruff format --check --quiet $(SCRIPTS)
	$(BIN)/ruff check --quiet $(SCRIPTS)
	$(BIN)/mypy
	cargo clippy --locked --workspace --quiet -- -D warnings
	cargo test --locked --workspace --exclude narrows-python --exclude narrows-lab --lib --quiet
	$(BIN)/python -m pytest -n 2 $(UNIT)

check-rust: .venv/.tools
	cargo fmt --all --check
	.ci/stage clippy cargo clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' .ci/stage rustdoc cargo doc --locked --workspace --no-deps --quiet

check-python: build .venv/.tools
	$(BIN)/ruff format --check $(SCRIPTS)
	$(BIN)/ruff check $(SCRIPTS)
	.ci/stage mypy $(BIN)/mypy
	MYPYPATH=python .ci/stage stubtest $(BIN)/python -m mypy.stubtest narrows._core

# The extension's crate only converts: its tests are those of Python.
test-rust:
	.ci/stage 'tests of Rust, compilation' cargo test --locked --workspace --exclude narrows-python --quiet --no-run
	.ci/stage 'tests of Rust' cargo test --locked --workspace --exclude narrows-python --quiet

# Rust and Python of the lowest versions that are supported.
lowest: build .venv/.tools
	.ci/lowest $(LOWEST) $(UNIT)

# Licences, sources and known vulnerabilities of the crates that are used, by deny.toml; known vulnerabilities of Python's packages.
audit:
	@cargo deny --version >/dev/null 2>&1 || { echo "cargo-deny is needed: cargo install --locked cargo-deny" >&2; exit 1; }
	cargo deny --locked check bans licenses sources
	@cargo deny --locked fetch db || \
		{ echo "not checked for known vulnerabilities: their database cannot be fetched; is there a network?" >&2; exit 1; }
	cargo deny --locked check advisories
	@pip-audit --version >/dev/null 2>&1 || { echo "pip-audit is needed: pip install pip-audit" >&2; exit 1; }
	@# Strict: a package that the database does not know, or that cannot be asked for, would pass otherwise.
	pip-audit --strict --disable-pip --require-hashes --requirement requirements.lock

# The crates for other programs: packaged, built without the standard library, compared with the last release.
crates:
	.ci/crates

# Side by side, since most tests wait for commands of one thread. A process needs up to 3 GB, so there are at most four. A make that a test
# starts is not a part of this one, whose jobserver it would look for.
test-python: build .venv/.tools
	.ci/stage 'tests of Python' env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal --hypothesis-profile ci $(FULL) $(PYTEST)

# Instructions do not depend on what else the machine does, so they are a test and times are not.
instructions: .venv/.tools
	.ci/stage instructions $(BIN)/python benches/instructions.py

accept-instructions: .venv/.tools
	$(BIN)/python benches/instructions.py --accept

# Everything that is generated: the tables of stages, comparisons and costs, then the pages and figures made from them and the catalogue.
# It accepts no changed result; that is a decision (CONTRIBUTING.md, "Tests").
generate: build .venv/.tools
	NARROWS_STAGES=write cargo test --locked --quiet -p narrows-cc --test contract table
	$(BIN)/python validation/comparisons.py --write
	$(BIN)/python benches/catalogue.py --write
	$(BIN)/python docs/generate.py

format: .venv/.tools
	cargo fmt --all
	$(BIN)/ruff format $(SCRIPTS)
	$(BIN)/ruff check --fix $(SCRIPTS)

# Newer versions of what Python needs. The lock holds versions and hashes, never an address.
lock:
	rm -rf .venv-lock && $(PYTHON) -m venv .venv-lock && .venv-lock/bin/python -m pip install -q uv
	$(COMPILE) --group dev --upgrade --output-file requirements.lock
	$(COMPILE) --group build --constraints requirements.lock --output-file requirements-run.lock
	$(subst pyproject.toml --extra study,,$(COMPILE)) --group wheels --constraints requirements.lock --output-file requirements-wheels.lock
	rm -rf .venv-lock

# The documentation as a site, in target/site: docs/index.html is where it begins.
site: build .venv/.tools wasm-where-possible
	$(BIN)/python -m sphinx -b html -q -W --keep-going -c docs . target/site
	@echo target/site/docs/index.html

# The wheels of a release for Linux, in dist, with their test. It takes a quarter of an hour for each of the four.
wheels: wasm-where-possible .venv/.tools .venv-wheels/.packages
	crates/python/wheels.sh dist
	$(BIN)/python -m pytest -n 2 tests/python/repository/test_release_wheels.py

clean:
	rm -rf .venv .venv-wheels dist target python/narrows/THIRD-PARTY.txt python/narrows/_core*.so $(WASM)

# What the build of the extension needs.
.venv/.maturin: requirements-run.lock
	@echo "1 of 3: installing Python packages into .venv (half a minute with a warm cache)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@awk '/^[^ ]/ { wanted = /^maturin==/ } wanted' requirements-run.lock > .venv/maturin.lock
	@$(call install,.venv/maturin.lock)
	@touch $@

# What running needs, and nothing more. Of its modules pip would compile all; what the commands import is enough.
.venv/.packages: requirements-run.lock .venv/.maturin
	@$(call install,requirements-run.lock)
	@$(BIN)/python -m compileall -q -j 0 .venv/lib/python3*/site-packages/{numpy,pyarrow,scipy}
	@touch $@

# What `make wheels` needs.
.venv-wheels/.packages: requirements-wheels.lock
	@test -x .venv-wheels/bin/python || $(PYTHON) -m venv .venv-wheels
	@.venv-wheels/bin/python -m pip install --quiet --require-hashes -r requirements-wheels.lock
	@touch $@

# What developing needs.
.venv/.tools: requirements.lock .venv/.packages
	@echo "installing the tools of development into .venv"
	@$(call install,requirements.lock)
	@touch $@

# No isolated build: it would compile PyO3 again each time. The build needs maturin, which the lock has, on the path.
.venv/.core: .venv/.maturin pyproject.toml Cargo.toml Cargo.lock $(RUST)
	@echo "2 of 3: compiling the simulator (one to two minutes, once)"
	@VIRTUAL_ENV="$(CURDIR)/.venv" .ci/stage 'the extension' $(BIN)/maturin develop --profile $(PROFILE) --locked --skip-install
	@PATH="$(CURDIR)/$(BIN):$$PATH" MATURIN_PEP517_ARGS="--profile $(PROFILE)" $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q python/narrows
	@touch $@
