#!/usr/bin/env bash
# Hours of use in minutes: three servers of each engine on one workspace, a random mix of calls, cancels, timeouts, and kills of servers,
# cells, runtimes and Docker's daemon. Exits non-zero when a reply is wrong, or anything is left at the end: cells, processes,
# control groups, mounts, locks, files, descriptors, memory.
#   scripts/soak.sh [--seed N] [--engines oci,docker] [MINUTES]     10 minutes by default, of oci, and of Docker where there is dockerd
# BASHCELL names another program than build/release/bin/bashcell. Only root can do this: it takes mounts and an engine of its own.
set -euo pipefail
cd "$(dirname "$0")/.."

engines=oci minutes=10 options=()
! command -v dockerd >/dev/null || engines=oci,docker
while (($# > 0)); do
  case "$1" in
    --seed) options+=(--seed "${2:?--seed needs a number}"); shift ;;
    --engines) engines="${2:?--engines needs names}"; shift ;;
    -* | *[!0-9.]*) sed -n '5p' "$0" >&2; exit 2 ;;
    *) minutes="$1" ;;
  esac
  shift
done
((EUID == 0)) || { echo "soak: only root can do this" >&2; exit 1; }
if [[ -z "${BASHCELL:-}" ]]; then
  scripts/build.sh
  BASHCELL="$PWD/build/release/bin/bashcell"
fi

own=()
containers="$(tr ',' '\n' <<<"$engines" | grep -v '^oci$' | sed 's/.*-.*/remote/' | sort -u | paste -sd,)" || true
[[ -z "$containers" ]] || own=(scripts/engines.sh with "$containers" --)
# Private folders of its own, which nothing else on this machine uses, seen by nothing else.
mkdir -p /run/bashcell /var/lib/bashcell /var/cache/bashcell
export BASHCELL_TEST_SLOWNESS="${BASHCELL_TEST_SLOWNESS:-3}"
exec unshare -m bash -c '
  for folder in /run/bashcell /var/lib/bashcell /var/cache/bashcell; do mount -t tmpfs -o mode=755 soak "$folder"; done
  exec "$@"' soak "${own[@]}" python3 -B tests/integration/soak.py --bashcell "$BASHCELL" --engines "$engines" \
  --minutes "$minutes" "${options[@]}"
