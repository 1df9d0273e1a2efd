#!/bin/sh
# Runs oci_engine_test in one setting: oci_engine.sh PROGRAM STAND_IN SETTING, with SETTING one of
#   runc      as root with runc
#   crun      as root with crun; a hybrid hierarchy, which crun refuses, is hidden in a mount namespace of our own
#   rootless  as an ordinary user with crun, likewise
# Exit 77 with a reason when this machine does not allow the setting.
set -u
program=$1 stand_in=$2 setting=$3
shift 3

skip() { echo "skipped: $1"; exit 77; }
if [ "$setting" = runc ]; then needed=runc; else needed=crun; fi
PATH=$PATH:/usr/sbin:/sbin
command -v $needed >/dev/null || skip "$needed is not installed"
BASHCELL_TEST_RUNTIME=$needed
BASHCELL_TEST_STAND_IN=$stand_in
export BASHCELL_TEST_RUNTIME BASHCELL_TEST_STAND_IN

if [ "$(id -u)" != 0 ]; then
  [ "$setting" = rootless ] || skip "only root can do this"
  [ ! -e /sys/fs/cgroup/unified ] || skip "crun refuses the hybrid cgroup hierarchy of this machine"
  exec "$program" "$@"
fi
if [ "$setting" = rootless ]; then
  # The programs must be readable for a user who may not enter the build folder.
  open=$(mktemp -d) && chmod 755 "$open" && cp "$program" "$open/test" && cp "$stand_in" "$open/init" && chmod 755 "$open"/* || exit 1
  trap 'rm -rf "$open"' EXIT
  set -- setpriv --reuid 54321 --regid 54321 --clear-groups "$open/test" "$@"
  HOME=/ && export HOME
  BASHCELL_TEST_STAND_IN=$open/init
  unset XDG_RUNTIME_DIR
else
  set -- "$program" "$@"
fi
if [ "$setting" != runc ] && [ -e /sys/fs/cgroup/unified ]; then
  set -- unshare -m sh -c 'umount /sys/fs/cgroup/unified && exec "$@"' sh "$@"
fi
"$@"
