#!/usr/bin/env bash
# Builds the fuzz targets of tests/fuzz/ with clang++ and runs them side by side: what is in their corpora first, then new
# inputs.
#   scripts/fuzz.sh [--build DIR] [--seed N] [SECONDS] [TARGET...]     60 s of all targets by default; 0: only build
# What a run finds that reaches new code stays in DIR/found/TARGET, and is where the next one begins; an input that breaks
# a target in DIR/broken. Exits with 77 where there is no clang++ with libFuzzer (1 if BASHCELL_REQUIRE names `fuzz`).
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/fuzz seed=0 seconds=60
while [[ "${1:-}" == --* ]]; do
  case "$1" in
    --build) build="${2:?--build needs a folder}" ;;
    --seed) seed="${2:?--seed needs a number}" ;;
    *) sed -n '4p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done
if [[ "${1:-}" =~ ^[0-9]+$ ]]; then seconds="$1"; shift; fi
targets=("$@")
((${#targets[@]})) || mapfile -t targets < <(ls tests/fuzz/corpus)
for target in "${targets[@]}"; do
  [[ -d "tests/fuzz/corpus/$target" ]] || { echo "fuzz: there is no target $target" >&2; exit 2; }
done

mkdir -p "$build/broken"
log="$build/build.log"
if ! clang++ -fsanitize=fuzzer,address -x c++ -o "$build/probe" - >"$log" 2>&1 \
  <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'; then
  tail -n 3 "$log" >&2
  echo "fuzz: there is no clang++ with libFuzzer (Debian: clang, libclang-rt-dev). Run scripts/setup.sh --tests" >&2
  if [[ ",${BASHCELL_REQUIRE:-}," == *,fuzz,* ]]; then echo "fuzz: FAILED: the targets cannot be built" >&2; exit 1; fi
  echo "fuzz: SKIPPED: the targets cannot be built" >&2
  exit 77
fi
(
  flock 9
  cmake -S tests/fuzz -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ >"$log" 2>&1 && ninja -C "$build" -j2 >>"$log" 2>&1
) 9>"$build/lock" || { cat "$log" >&2; exit 1; }
((seconds)) || exit 0

export ASAN_OPTIONS="detect_stack_use_after_return=0" UBSAN_OPTIONS="print_stacktrace=1"
run() {
  local target="$1" found="$build/found/$1" log="$build/$1.log"
  mkdir -p "$found"
  if ! "$build/$target" -max_total_time="$seconds" -seed="$seed" -max_len=4096 -timeout=20 -artifact_prefix="$build/broken/$target-" \
    "$found" "tests/fuzz/corpus/$target" >"$log" 2>&1; then
    grep -a -v -E '^#[0-9]+\s+(NEW|REDUCE|pulse)' "$log" | tail -n 60 >&2
    echo "fuzz: $target is broken by the input that is named above; $build/$target FILE runs it again" >&2
    return 1
  fi
  echo "$target: $(sed -nE 's/^Done ([0-9]+) runs in ([0-9]+) second.*/\1 runs in \2 s, all as promised/p' "$log")"
}
started=() code=0
for target in "${targets[@]}"; do
  run "$target" &
  started+=($!)
done
for pid in "${started[@]}"; do wait "$pid" || code=1; done
exit "$code"
