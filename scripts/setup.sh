#!/usr/bin/env bash
# Installs the Debian packages that bashcell needs and that are missing; silent when all are there.
#   scripts/setup.sh            to build and run
#   scripts/setup.sh --tests    to run the tests, too
set -euo pipefail

# crun or runc would do; which of them works depends on the machine's cgroups.
packages=(g++ cmake ninja-build nlohmann-json3-dev libfmt-dev libcli11-dev libvalijson-dev libcurl4-openssl-dev crun runc python3)
case "${1:-}" in
  '') ;;
  --tests)
    # binutils has readelf; what follows is called by the scripts of the tests.
    packages+=(catch2 clang-format clang-tidy binutils git procps psmisc gawk jq bc less man-db perl make iproute2
      openssh-client xz-utils)
    packages+=(clang libclang-rt-dev)  # with libFuzzer
    # Engines for the tests to start themselves, an image for them, and what is between a server and a far engine.
    packages+=(docker.io podman mmdebstrap curl docker-registry openssh-server openssl passt slirp4netns)
    packages+=(qemu-system-x86 e2fsprogs)  # a guest with cgroup v2
    packages+=(dpkg-dev)  # the Debian package's dependencies
    # Node.js may come from elsewhere, then with its own npm.
    command -v node >/dev/null || packages+=(nodejs)
    command -v npm >/dev/null || packages+=(npm)
    ;;
  *)
    echo "usage: scripts/setup.sh [--tests]" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  # Not Debian: what is missing shows when CMake looks for it; say what to look for.
  echo "setup: this is no Debian; install what these Debian packages hold: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)" == installed ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: missing: ${missing[*]}" >&2
    echo "setup: run this as root: apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
log="$(mktemp)"
policy=/usr/sbin/policy-rc.d
leave() {
  rm -f "$log"
  [[ -z "$policy" ]] || "${as_root[@]}" rm -f "$policy"
}
trap leave EXIT
# Some packages would start a service at once. Nothing here needs it: the tests start what they test.
if [[ -e "$policy" ]]; then policy=''; else
  printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
  "${as_root[@]}" chmod 755 "$policy"
fi
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >"$log" 2>&1
}
if ! install; then
  # The lists may be old, or there may be none yet.
  "${as_root[@]}" apt-get update -qq >>"$log" 2>&1 || true
  if ! install; then
    tail -n 30 "$log" >&2
    echo "setup: apt-get could not install: ${missing[*]}" >&2
    exit 1
  fi
fi
