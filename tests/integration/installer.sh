#!/bin/sh
# Runs installer_test: installer.sh PROGRAM BASHCELL_INIT PYTHON, as root with runc; the wheels without a program for
# networks, since this machine's loopback, where their index is, can be reached from the machine's own network only.
# Exit 77 with a reason when this machine does not allow it.
set -u
program=$1 init=$2 python=$3
PATH=$PATH:/usr/sbin:/sbin
skip() { echo "skipped: $1"; exit 77; }
[ "$(id -u)" = 0 ] || skip "only root can do this"
command -v runc >/dev/null || skip "runc is not installed"
command -v apt-get >/dev/null || skip "there is no apt-get"
/usr/bin/python3 -m pip --version >/dev/null 2>&1 || skip "python3 has no pip"
BASHCELL_TEST_RUNTIME=runc BASHCELL_TEST_STAND_IN=$init
export BASHCELL_TEST_RUNTIME BASHCELL_TEST_STAND_IN
"$program" '[deb]' || exit 1
# shellcheck disable=SC2016
exec unshare -m sh -c '
  for network in pasta slirp4netns; do
    path=$(command -v $network) && mount --bind /dev/null "$path"
  done
  exec "$@"' sh "$python" -B "$(dirname "$0")/wheel_index.py" "$program" '[wheel]'
