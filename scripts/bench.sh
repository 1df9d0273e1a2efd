#!/bin/bash
# Sets up, builds and measures what users run, and holds it against the promises. Exits non-zero on a missed goal and
# names it.
#   scripts/bench.sh [--rounds N] [calls|start|memory]...     all parts by default, 3 rounds
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh
cmake -S . -B build/release -DBASHCELL_BENCH=ON >/dev/null
cmake --build build/release --target bashcell_bench

exec build/release/bin/bashcell_bench --program "$PWD/build/release/bin/bashcell" "$@"
