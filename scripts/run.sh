#!/usr/bin/env bash
# The main job, from nothing: sets up, builds, then lets the bash tool analyse a real file in its cell, over MCP.
#   scripts/run.sh          this machine's package database
#   scripts/run.sh FILE     a file of yours
set -euo pipefail
if (($# > 1)); then
  echo "usage: scripts/run.sh [FILE]" >&2
  exit 2
fi
file="$(realpath -- "${1:-/var/lib/dpkg/status}")"
if [[ ! -f "$file" || ! -r "$file" ]]; then
  echo "run: $file is no file that can be read; name one: scripts/run.sh FILE" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
scripts/setup.sh
scripts/build.sh
exec python3 scripts/main_job.py "$PWD/build/release/bin/bashcell" "$file"
