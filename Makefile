# The commands of this project. `make help` lists them.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 300
FUZZ_RUNS ?= 0
SHORT_FUZZ_SECONDS ?= 3
FUZZ_PROGRAMS ?= 10000
FUZZ_SEED ?= 2

# The thread sanitizer does not follow a fork: it takes the parent's threads for leaks of the child, and
# would end a child that starts a thread.
export TSAN_OPTIONS ?= die_after_fork=0:report_thread_leaks=0

CTEST = ctest --output-on-failure --no-tests=error -j $(JOBS)

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: deps-build build/release/build.ninja ## build, then check, explain and run a kernel
	@cmake --build build/release --target vyre -j $(JOBS)
	@scripts/demo build/release/bin/vyre

.PHONY: test
test: test-release test-asan test-fuzz ## all tests: release, address sanitizer, a short fuzz run
	@echo "make test: everything passed"

.PHONY: test-release
test-release: deps-test build/release/build.ninja ## the tests of the release build alone
	@cmake --build build/release -j $(JOBS)
	@$(CTEST) --test-dir build/release

.PHONY: test-asan
test-asan: deps-test build/asan/build.ninja ## the tests under the address and undefined-behaviour sanitizers
	@cmake -B build/asan -DVYRE_LONG=OFF --log-level=NOTICE >/dev/null
	@cmake --build build/asan -j $(JOBS)
	@$(CTEST) --test-dir build/asan

.PHONY: test-long
test-long: deps-test build/asan/build.ninja build/tsan/build.ninja build/release/build.ninja ## every suite under every sanitizer in full, FUZZ_PROGRAMS random programs
	@for build in asan tsan; do \
	  cmake -B build/$$build -DVYRE_LONG=ON --log-level=NOTICE >/dev/null; \
	  cmake --build build/$$build -j $(JOBS); \
	  $(CTEST) --test-dir build/$$build; \
	done
	@cmake --build build/release --target differential_test -j $(JOBS)
	@cmake --build build/release --target frontier_test -j $(JOBS)
	@VYRE_LONG=1 build/release/bin/frontier_test --gtest_brief=1 --gtest_filter='All/Topologies.*'
	@build/release/bin/differential_test --programs $(FUZZ_PROGRAMS) --seed $(FUZZ_SEED) --jobs $(JOBS)

.PHONY: test-fuzz
test-fuzz: deps-test build/asan/build.ninja ## SHORT_FUZZ_SECONDS of every fuzz target
	@cmake --build build/asan -j $(JOBS)
	@scripts/fuzz --fresh --seconds $(SHORT_FUZZ_SECONDS) --jobs $(JOBS)

.PHONY: fuzz
fuzz: deps-test build/asan/build.ninja build/release/build.ninja ## FUZZ_SECONDS and FUZZ_RUNS (0: no limit) of every fuzz target, FUZZ_PROGRAMS random programs
	@cmake --build build/asan -j $(JOBS)
	@scripts/fuzz --seconds $(FUZZ_SECONDS) --runs $(FUZZ_RUNS) --jobs $(JOBS)
	@cmake --build build/release --target differential_test -j $(JOBS)
	@build/release/bin/differential_test --programs $(FUZZ_PROGRAMS) --seed $(FUZZ_SEED) --variants 1 --jobs $(JOBS)

.PHONY: tsan
tsan: deps-test build/tsan/build.ninja ## the tests under the thread sanitizer
	@cmake -B build/tsan -DVYRE_LONG=OFF --log-level=NOTICE >/dev/null
	@cmake --build build/tsan -j $(JOBS)
	@$(CTEST) --test-dir build/tsan

.PHONY: bench
bench: deps-bench build/release/build.ninja ## build and run the benchmarks
	@cmake --build build/release --target benches -j $(JOBS)
	@scripts/bench build/release/bin

.PHONY: format
format: deps-lint ## rewrite our sources with clang-format
	@scripts/sources | xargs clang-format-19 -i

.PHONY: lint
lint: deps-lint build/lint/build.ninja ## clang-format (as a check) and clang-tidy
	@scripts/lint build/lint $(JOBS)

.PHONY: install-deps
install-deps: ## install the Debian packages that are missing
	@scripts/install-deps build test lint

.PHONY: clean
clean: ## remove everything that was built
	@rm -rf build

.PHONY: deps-build deps-test deps-lint deps-bench
deps-build:
	@scripts/install-deps build
deps-test:
	@scripts/install-deps build test
deps-lint:
	@scripts/install-deps build test lint
deps-bench:
	@scripts/install-deps build bench

# The build files keep themselves up to date, except with the presets. The packages come first.
build/%/build.ninja: CMakePresets.json | deps-build
	@cmake --preset $* --log-level=NOTICE
	@touch $@
build/asan/build.ninja build/lint/build.ninja build/tsan/build.ninja: | deps-test
