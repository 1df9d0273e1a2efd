#!/usr/bin/env bash
# Sets up, builds with sanitizers and all warnings as errors, and runs every test. Arguments go to ctest
# (scripts/test.sh -L unit). The last lines are ctest's own summary.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --tests

mkdir -p build/dev
cmake --preset dev -G Ninja >build/dev/configure.log 2>&1 || { cat build/dev/configure.log >&2; exit 1; }
cmake --build --preset dev -- -j"$(nproc)" --quiet

export BASHCELL_REQUIRE="${BASHCELL_REQUIRE:-oci}"  # what must not be skipped
export BASHCELL_TEST_SLOWNESS="${BASHCELL_TEST_SLOWNESS:-3}"  # sanitizers cost time and memory
export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
exec ctest --test-dir build/dev --output-on-failure -j2 "$@"
