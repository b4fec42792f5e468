# Thin fronts of scripts/, CMake presets and CTest. `make help` lists them.
VENV := $(or $(NORIA_VENV),$(CURDIR)/.venv)
PYTHON := $(VENV)/bin/python
JOBS ?= $(shell nproc)
export PYTHONPATH := $(CURDIR)/python
# Under a sanitizer: the C tests, and what the tool does in the text tests.
SANITIZED := unit|text|fuzz
CTEST := ctest --output-on-failure -j$(JOBS) --test-dir

help:
	@echo "make run      install, build, and find the speech in a recording with Silero VAD"
	@echo "make test     everything, including the sanitizer builds of the C tests"
	@echo "make check    units, texts and stored fuzz inputs (about a minute); make test has the rest"
	@echo "make build    build/release/noria, and a .venv in which 'import noria' works"
	@echo "make bench    timings against other tools, in the same run; BENCH=--write: into bench/RESULTS.md"
	@echo "make models   real models beside ONNX Runtime: wheels, exports of torch and scikit-learn (MODELS='--help' has options)"
	@echo "make lint     the rules of the source tree"
	@echo "make docs     docs/dialects from the op rows, docs/passes.md from the passes"
	@echo "make format   break lines that are too long (needs clang-format)"
	@echo "make asan | ubsan | tsan    the C tests under a sanitizer"
	@echo "make threads  the tests of the runtime, dispatches and the C API under ThreadSanitizer"
	@echo "make fuzz     search for inputs that break a parser, models that break the compiler, programs that are compiled wrong and"
	@echo "              shapes that are not checked (FUZZ_SECONDS=60 each)"
	@echo "make clean    remove build/"

configure-%: setup
	@scripts/configure.sh $*

setup:
	@scripts/install.sh
	@scripts/venv.sh

build: configure-release
	@ninja -C build/release -j$(JOBS)

run: build
	$(PYTHON) examples/silero/run.py

check: build
	$(CTEST) build/release -L check

# Each stage runs even when one before it failed; the summary at the end says which.
test: build
	@scripts/test.sh

asan ubsan tsan: %: configure-%
	@ninja -C build/$@ -j$(JOBS)
	$(CTEST) build/$@ -L '$(SANITIZED)'

# Only what runs in threads, and only what that needs is built. On kernels whose random addresses GCC's runtime does not
# know, its programs end at once ("unexpected memory mapping"): they run at fixed addresses there.
threads: configure-tsan
	@ninja -C build/tsan -j$(JOBS) thread_tests
	@fixed=; build/tsan/tests/unit_runtime_values >/dev/null 2>&1 || fixed="setarch -R"; \
	$$fixed $(CTEST) build/tsan -L threads

# BENCH: options of run.py. `make bench BENCH=--write` makes bench/RESULTS.md anew.
bench: build
	$(PYTHON) bench/run.py $(BENCH)

# MODELS: names or options of run.py. Downloads the models' packages, torch among them, into build/zoo.
models: build
	$(PYTHON) bench/zoo/run.py $(MODELS)

# Inputs that fail are left in build/fuzz/; minimise one and keep it in tests/fuzz/corpus/. Programs are reduced already.
FUZZ_SECONDS ?= 60
fuzz: build configure-fuzz configure-asan
	@mkdir -p build/fuzz
	@build/release/tests/programs --seconds=$(FUZZ_SECONDS) --jobs=$(JOBS) --found=build/fuzz/found
	@$(PYTHON) tests/fuzz/shapes --seconds $(FUZZ_SECONDS) --runs 100000 --jobs $(JOBS)
	@ninja -C build/asan -j$(JOBS) --quiet tests/models
	@$(PYTHON) tests/fuzz/make_model_seeds.py build/fuzz/model_seeds --tests --nets build/zoo/models
	@build/asan/tests/models --seconds=$(FUZZ_SECONDS) --jobs=$(JOBS) --found=build/fuzz/found_models build/fuzz/model_seeds
	@scripts/fuzz.sh $(FUZZ_SECONDS) $(FUZZ_TARGETS)

lint:
	@python3 scripts/lint.py

docs: build
	@scripts/docs.py

format:
	@scripts/format.sh

clean:
	rm -rf build

.PHONY: help setup build run check test asan ubsan tsan threads bench models fuzz lint docs format clean
.SECONDARY:
