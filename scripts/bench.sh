#!/bin/bash
# Sets up, builds and measures what users run, and holds it against the promises. Exits non-zero on a missed goal and
# names it.
#   scripts/bench.sh [--rounds N] [calls|start|memory]...     all parts by default, 3 rounds
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh
# Its own build folder, so that the release build stays what scripts/build.sh made.
cmake -S . -B build/bench -DCMAKE_BUILD_TYPE=Release -DBASHCELL_TESTS=OFF -DBASHCELL_BENCH=ON >/dev/null
cmake --build build/bench --target bashcell_bench --parallel "$(nproc)"

exec build/bench/bin/bashcell_bench --program "$PWD/build/release/bin/bashcell" "$@"
