#!/bin/bash
# Sets up, builds and measures what users run, and holds it against the promises. Exits non-zero on a missed goal and
# names it.
#   scripts/bench.sh [--rounds N] [calls|start|memory|sessions|output|drain|docker]...     3 rounds; by default all parts but sessions, output and drain
#   scripts/bench.sh all [--rounds N] [--heal]     all of it but output, into bench/results/latest.md and its picture: 10 minutes; --heal: 20 more
#   scripts/bench.sh tokens [--show NAME]... [--misses FILE] [definitions|suite|jobs|recall]...     what replies cost and keep: 3 to 4 minutes
#   scripts/bench.sh heal [--only NAME]... [--show NAME]... [plain|healed|second|cost]...     scripts that lack tools; takes root
# The part `docker` is measured with an engine of its own (scripts/engines.sh), which takes root and Debian's docker.io.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Everything in one run, each part as it is run by itself: what they miss is told, and the page is made all the same.
if [[ "${1:-}" == all ]]; then
  shift
  heal=no rounds=(--rounds 3)
  while (($# > 0)); do
    case "$1" in
      --heal) heal=yes ;;
      --rounds) rounds=(--rounds "${2:?--rounds needs a value}"); shift ;;
      *) echo "bench: all takes --rounds N and --heal, not $1" >&2; exit 2 ;;
    esac
    shift
  done
  rm -rf build/bench
  mkdir -p build/bench
  missed=0
  parts=(calls start memory sessions drain)
  ((EUID != 0)) || ! command -v dockerd >/dev/null || parts+=(docker)
  scripts/bench.sh "${rounds[@]}" --json build/bench/times.json "${parts[@]}" || missed=$?
  scripts/bench.sh tokens --json "$PWD/build/bench/tokens.json" | tee build/bench/tokens.txt || missed=$?
  if [[ "$heal" == yes ]]; then scripts/bench.sh heal | tee build/bench/heal.txt || missed=$?; fi
  python3 -B bench/report.py build/bench bench/results
  exit "$missed"
fi

if [[ "${1:-}" == tokens ]]; then
  scripts/setup.sh --tests
  scripts/build.sh
  # Installs what counts tokens, and works on a copy beside it: the source tree stays clean.
  cmake -DSOURCE="$PWD/tests/clients" -DBUILD="$PWD/build/tokens" -P tests/clients/install.cmake
  rm -rf build/tokens/bench
  cp -R bench/tokens build/tokens/bench
  exec node build/tokens/bench/main.mjs --program "$PWD/build/release/bin/bashcell" --repository "$PWD" "${@:2}"
fi

if [[ "${1:-}" == heal ]]; then
  scripts/setup.sh --tests
  scripts/build.sh
  exec python3 -B bench/heal/run.py --program "$PWD/build/release/bin/bashcell" "${@:2}"
fi

scripts/setup.sh
scripts/build.sh
cmake -S . -B build/release -DBASHCELL_BENCH=ON >/dev/null
cmake --build build/release --target bashcell_bench

parts=() options=()
while (($# > 0)); do
  case "$1" in
    --*) options+=("$1" "${2:?$1 needs a value}"); shift ;;
    *) parts+=("$1") ;;
  esac
  shift
done
if ((${#parts[@]} == 0)); then
  parts=(calls start memory)
  if ((EUID == 0)) && command -v dockerd >/dev/null; then
    parts+=(docker)
  else
    echo "bench: no part docker: it takes root, and Debian's docker.io" >&2
  fi
fi
engines=()
[[ " ${parts[*]} " != *" docker "* ]] || engines=(scripts/engines.sh with docker --)
exec "${engines[@]}" build/release/bin/bashcell_bench --program "$PWD/build/release/bin/bashcell" "${options[@]}" "${parts[@]}"
