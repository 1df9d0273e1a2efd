#!/usr/bin/env bash
# Builds what users run, bashcell and bashcell-init, into build/release/bin/. Says nothing when nothing is to be done.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in cmake ninja g++; do
  command -v "$program" >/dev/null || { echo "build: there is no $program: run scripts/setup.sh first" >&2; exit 1; }
done

mkdir -p build/release
if [[ ! -f build/release/build.ninja ]]; then
  echo "build: configuring build/release"
  cmake --preset release -G Ninja >build/release/configure.log 2>&1 || { cat build/release/configure.log >&2; exit 1; }
fi
# Without work ninja says one line, which is not worth reading.
if ! ninja -C build/release -n | grep -q 'no work to do'; then
  echo "build: compiling into build/release/bin"
  quiet=(--quiet)
  [[ ! -t 1 ]] || quiet=()  # on a terminal, ninja shows its progress on one line
  ninja -C build/release -j"$(nproc)" "${quiet[@]}"
fi
