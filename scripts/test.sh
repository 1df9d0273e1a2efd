#!/usr/bin/env bash
# Sets up, builds with sanitizers and all warnings as errors, and runs every test. Arguments go to ctest
# (scripts/test.sh -L unit). The last lines are ctest's own summary.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --tests

mkdir -p build/dev
cmake --preset dev -G Ninja >build/dev/configure.log 2>&1 || { cat build/dev/configure.log >&2; exit 1; }

# Tests of Docker and Podman, here and as on another machine, need engines, which root alone can start, and these an image.
# It is made while the compiler is busy.
engines=() required=oci,fuzz
if ((EUID == 0)); then
  required=oci,fuzz,docker,podman,docker-tls,docker-ssh,guest
  wanted="$(ctest --test-dir build/dev -N "$@" | sed -nE 's/^.*#[0-9]+: [a-z]+\.(docker|podman|docker-tls|docker-ssh)\..*/\1/p' |
    sed 's/.*-.*/remote/' | sort -u | paste -sd,)"
  if [[ -n "$wanted" ]]; then
    engines=(scripts/engines.sh with "$wanted" --)
    scripts/image.sh --packages tests/integration/packages >/dev/null &
  fi
fi
# The disk of the guest with cgroup v2, likewise.
if ((EUID == 0)) && ctest --test-dir build/dev -N "$@" | grep ' guest\.' >/dev/null; then scripts/guest.sh make >/dev/null & fi
cmake --build --preset dev -- -j"$(nproc)" --quiet
wait

export BASHCELL_REQUIRE="${BASHCELL_REQUIRE:-$required}"  # what must not be skipped
export BASHCELL_TEST_SLOWNESS="${BASHCELL_TEST_SLOWNESS:-3}"  # sanitizers cost time and memory
export ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
exec "${engines[@]}" ctest --test-dir build/dev --output-on-failure -j2 "$@"
