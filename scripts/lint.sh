#!/usr/bin/env bash
# clang-tidy (.clang-tidy) over the sources in a configured build: all of them, which takes half an hour of processor time,
# or those that the newest commits have touched.
#   scripts/lint.sh [--build DIR] [--last COMMITS]      build/dev by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build/dev last=
while (($# > 0)); do
  case "$1" in
    --build) build="${2:?--build needs a folder}" ;;
    --last) last="${2:?--last needs a number of commits}" ;;
    *) echo "lint: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
tidy="$(command -v run-clang-tidy || command -v run-clang-tidy-14)" || { echo "lint: no run-clang-tidy: run scripts/setup.sh --tests" >&2; exit 2; }

# config_check.cpp is all valijson. It takes minutes, and no finding would be ours.
mapfile -t files < <(find src -name '*.cpp' ! -name config_check.cpp | sort)
if [[ -n "$last" ]] && git rev-parse --verify --quiet HEAD >/dev/null; then
  # The files themselves, and those with a header of the same name; in a shorter history, all that there is.
  touched="$(git log -n "$last" --name-only --format= -- src | sed -n 's/\.\(cpp\|h\)$/.cpp/p' | sort -u)"
  mapfile -t files < <(printf '%s\n' "${files[@]}" | grep -Fx -f <(printf '%s\n' "$touched") || true)
fi
if ((${#files[@]} == 0)) || [[ -z "${files[0]}" ]]; then
  echo "lint: nothing was touched"
  exit 0
fi
echo "lint: ${#files[@]} files"
# As if nothing were precompiled: that is g++'s alone, and hides includes that are missing.
mkdir -p "$build/lint"
sed -E 's/ -Winvalid-pch//; s/ -include [^ ]*cmake_pch\.hxx//' "$build/compile_commands.json" >"$build/lint/compile_commands.json"
exec "$tidy" -quiet -j"${LINT_JOBS:-1}" -p "$build/lint" $(printf '^%s$ ' "${files[@]/#/$PWD/}")
