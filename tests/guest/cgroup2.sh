#!/bin/bash
# What has to hold on a machine with cgroup v2 alone, in each way to have a cell there: cgroup2.sh [SETTING...], as root
# in the guest of scripts/guest.sh, with bashcell, bashcell-init and the folder integration beside it. Settings are
#   package      root, by the Debian package (package.sh and bashcell.deb beside it), which is gone in the end
#   runc, crun   root, who owns the whole hierarchy
#   delegated    an ordinary user with crun, to whom root has handed a group over as cgroups(7) says, without systemd
#   alone        an ordinary user with crun and without such a group: no cell, but with best effort. Only
#                on demand, since the case does the same elsewhere
#   nested       root with crun in a container that may do everything: the hierarchy begins at the container's group
# The table at the end says what passed; exit 1 when something did not.
set -uo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
bashcell="$here/bashcell" group=/sys/fs/cgroup/tester box=/sys/fs/cgroup/box uid=1234
failed=0 table=() before=0

# Seconds that the processor was busy so far: about what they cost the machine outside, where idle times are free.
busy() { awk '{print $1 - $2}' /proc/uptime; }

note() {  # SETTING WHAT CODE
  local word=passed now
  (($3 == 0)) || { word="FAILED ($3)"; failed=1; }
  now="$(busy)"
  table+=("$(awk -v a="$before" -v b="$now" -v what="$1 $2" -v how="$word" \
    'BEGIN {printf "%-42s %-10s %6.1f s of the processor", what, how, b - a}')")
  before="$now"
}

# Both run COMMAND... in the group $leaf.
as_user() {
  (echo "$BASHPID" >"$leaf/cgroup.procs" && cd /tmp &&
    exec setpriv --reuid="$uid" --regid="$uid" --clear-groups env HOME=/home/tester "$@")
}
in_container() { (echo "$BASHPID" >"$leaf/cgroup.procs" && exec nsenter --target "$container" --cgroup --mount "$@"); }

# The user gets the group and the files in it that are about what is below it, and no limit of the group itself. Which
# controllers are on below it is the user's business, hence the runtime's.
delegate() {
  useradd --uid "$uid" --create-home tester
  mkdir "$group"
  chown "$uid:$uid" "$group" "$group"/cgroup.{procs,subtree_control,threads}
}

start_container() {
  mkdir "$box"
  (echo "$BASHPID" >"$box/cgroup.procs" && exec unshare --cgroup --mount sh -c '
    umount /sys/fs/cgroup && mount -t cgroup2 cgroup /sys/fs/cgroup && touch /run/container && exec sleep infinity') &
  container=$!
  until [[ -e /run/container ]] || ! kill -0 "$container" 2>/dev/null; do sleep 0.1; done
}

# make_room SETTING COMMAND...: in a group that holds processes itself, doctor names the cause and a cure that cures.
make_room() {
  local setting="$1" code=0 said cure
  shift
  said="$("$@" "$bashcell" doctor --runtime crun --engine oci)" && code=1
  grep -A1 'FAIL  limits' <<<"$said"
  cure="$(sed -n 's/^  *to fix it: give --limits best-effort, or move them into a group of their own: //p' <<<"$said")"
  [[ -n "$cure" ]] && "$@" sh -c "$cure" || code=1
  note "$setting" "doctor says how to make room" "$code"
}

# examine SETTING COMMAND...: doctor finds nothing wrong. COMMAND is what precedes it.
examine() {
  local setting="$1" runtime=crun code=0 said
  shift
  [[ "$setting" != runc ]] || runtime=runc
  said="$("$@" "$bashcell" doctor --runtime "$runtime" --engine oci)" || code=$?
  printf '%s\n' "$said"
  if ! grep -q 'limits  *cgroup v2; limits set by cgroupfs$' <<<"$said" || grep -q FAIL <<<"$said"; then code=1; fi
  note "$setting" doctor "$code"
}

# run_cases SETTING RUNTIME CASES... -- COMMAND...
run_cases() {
  local setting="$1" runtime="$2" ids=() one said code
  shift 2
  while [[ "$1" != -- ]]; do ids+=("$1"); shift; done
  shift
  for one in "${ids[@]}"; do
    said="$("$@" python3 -B "$here/integration/run_cases.py" --bashcell "$bashcell" --engine oci --runtime "$runtime" \
      --variants-of KILL "$one")"
    code=$?
    sed '/^$/,$d' <<<"$said"
    grep -q "^passed *$one " <<<"$said" || ((code)) || code=1  # nothing run is nothing passed
    note "$setting" "$one" "$code"
  done
}

# Limits by effect cost most: once for root, once for a user. A fork bomb and its end; what a killed server leaves.
(($#)) || set -- package delegated runc crun nested  # which takes two to three minutes on an idle machine
before="$(busy)"
for setting; do
  echo "== $setting, $(cut -d' ' -f1 /proc/uptime) s after the start"
  case "$setting" in
    package)
      code=0
      "$here/package.sh" "$here/bashcell.deb" || code=$?
      note package "installed, used and removed" "$code" ;;
    runc)
      examine runc env
      run_cases runc runc limits.chosen -- env ;;
    crun)
      examine crun env
      run_cases crun crun C64 -- env ;;
    delegated)
      delegate
      leaf="$group"
      make_room delegated as_user
      leaf="$group/own"
      examine delegated as_user
      run_cases delegated crun limits.chosen C92 -- as_user ;;
    nested)
      start_container
      leaf="$box"
      make_room nested in_container
      leaf="$box/own"
      examine nested in_container ;;
    alone) run_cases alone crun limits.rootless -- env ;;
    *) note "$setting" "no such setting" 2 ;;
  esac
done
echo "== over, $(cut -d' ' -f1 /proc/uptime) s after the start, $(busy) s of the processor"
printf '%s\n' "${table[@]}"
exit "$failed"
