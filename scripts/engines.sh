#!/usr/bin/env bash
# Container engines for tests: a Docker and a Podman of their own, in a folder that goes away with them. The engines of
# this machine, their images and their containers are not touched. Only root can do this.
#   scripts/engines.sh with docker,podman,remote -- COMMAND...
#       starts them, gives them our image with the programs that tests need, runs COMMAND with BASHCELL_TEST_DOCKER_HOST,
#       BASHCELL_TEST_PODMAN_HOST, BASHCELL_TEST_REMOTE_HOST, BASHCELL_TEST_IMAGE and BASHCELL_TEST_ENGINES (the folder), ends
#       them whatever happens, and exits as COMMAND did
#   scripts/engines.sh start docker|podman|remote FOLDER [DAEMON-OPTION...]
#       starts one and prints its host; again after stop or kill, with what it has kept in FOLDER. remote is a Docker that
#       is reached by TLS and by ssh, too (engines-remote.sh)
#   scripts/engines.sh stop|kill docker|podman|remote FOLDER
#       ends the daemon alone, as an administrator or as SIGKILL does; cells may live on
#   scripts/engines.sh end FOLDER
#       ends all that was started for FOLDER or a folder in it, cells included, and removes it
set -euo pipefail
scripts="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
. "$scripts/engines-remote.sh"
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

say() { echo "engines: $*" >&2; }
fail() { say "$*"; exit 1; }
usage() { sed -n '2,/^set/{/^# /s///p}' "${BASH_SOURCE[0]}" >&2; exit 2; }

# --- processes: known by pid and start time, so that no later process with the same pid is ever meant ----------------------

identity() { local stat; stat="$(cat "/proc/$1/stat" 2>/dev/null)" && set -- "$1" ${stat##*) } && echo "$1 ${21}"; }

# running FILE: the pid kept in FILE, if that process lives.
running() {
  local pid start
  read -r pid start 2>/dev/null <"$1" && [[ "$(identity "$pid")" == "$pid $start" ]] && echo "$pid"
}

# launch NAME COMMAND...: in its own session, with its log and its identity in files called NAME in the engine's folder.
launch() {
  local name="$1" pid
  shift
  setsid "$@" >>"$name.log" 2>&1 </dev/null &
  pid=$!
  identity "$pid" >"$name.id" || { tail -n 5 "$name.log" >&2; fail "${1##*/} ended at once: see $PWD/$name.log"; }
}

# wait_until SECONDS COMMAND...: polls a fact that sends no event.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.02
  done
}

gone() { ! running "$1" >/dev/null; }

# await NAME SECONDS COMMAND...: until the process called so is ready, which COMMAND says.
await() {
  local name="$1"
  wait_until "$2" ready_or_gone "${@:3}" && "${@:3}" && return
  tail -n 5 "$name.log" >&2
  fail "$PWD: $name does not start"
}
ready_or_gone() { "$@" || gone "$name.id"; }

# quit FILE SIGNAL SECONDS: ends the process of FILE, at last by SIGKILL.
quit() {
  local pid
  pid="$(running "$1")" || return 0
  kill "-$2" "$pid" 2>/dev/null || true
  wait_until "$3" gone "$1" || { kill -KILL "$pid" 2>/dev/null || true; wait_until 5 gone "$1"; }
}

# helpers FOLDER: pids of what the engines have started for their containers, and of the containers' own processes.
helpers() {
  local name pid
  for pid in $(for name in containerd-shim conmon crun runc podman; do pgrep "$name" || true; done); do
    tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF "$1/" && { pgrep -P "$pid" || true; echo "$pid"; }
  done
  return 0
}

# thaw PID: lets a paused cell run, which is how it can die.
thaw() {
  local path
  path="$(sed -n 's/^[0-9]*:freezer:\(.*[a-z].*\)/\1/p' "/proc/$1/cgroup" 2>/dev/null)" || return 0
  [[ -z "$path" ]] || echo THAWED 2>/dev/null >"/sys/fs/cgroup/freezer$path/freezer.state" || true
  path="$(sed -n 's/^0::\(.*[a-z].*\)/\1/p' "/proc/$1/cgroup" 2>/dev/null)" || return 0
  [[ -z "$path" ]] || echo 0 2>/dev/null >"/sys/fs/cgroup$path/cgroup.freeze" || true
}

# --- the two engines ------------------------------------------------------------------------------------------------------

answers() { [[ "$(curl -s --max-time 5 --unix-socket "$PWD/engine.sock" http://engine/_ping 2>/dev/null)" == OK ]]; }

# Overlay mounts need a file system that takes them: this one, else memory, else none (then each cell is a copy).
choose_storage() {
  [[ ! -s storage ]] || return 0
  mkdir -p trial/{lower,upper,work,merged}
  local driver=vfs
  mount -t overlay overlay -o lowerdir=trial/lower,upperdir=trial/upper,workdir=trial/work trial/merged 2>/dev/null \
    && umount trial/merged && driver=overlay
  rm -rf trial
  echo "$driver" >storage
}

docker_group() { echo "/bashcell-engines-$(sha256sum <<<"$1" | cut -c1-12)"; }

start_docker() {
  mkdir -p data exec state/containerd
  echo '{}' >daemon.json
  printf 'version = 2\nroot = "%s"\nstate = "%s"\ndisabled_plugins = ["io.containerd.grpc.v1.cri"]\n[grpc]\naddress = "%s"\n' \
    "$PWD/data/containerd" "$PWD/state/containerd" "$PWD/containerd.sock" >containerd.toml
  # A containerd of its own, started apart as most systems do it: it outlives a dockerd that is killed.
  if gone containerd.id; then
    launch containerd containerd --config "$PWD/containerd.toml"
    await containerd 20 test -S containerd.sock
  fi
  launch daemon dockerd --config-file "$PWD/daemon.json" --data-root "$PWD/data" --exec-root "$PWD/exec" -p "$PWD/dockerd.pid" \
    -H "unix://$PWD/engine.sock" --containerd "$PWD/containerd.sock" --storage-driver "$(cat storage)" \
    --cgroup-parent "$(docker_group "$PWD")" --exec-opt native.cgroupdriver=cgroupfs --bridge=none --iptables=false --ip6tables=false "$@"
}

start_podman() {
  mkdir -p root run libpod tmp
  # RLIMIT_NOFILE cannot be raised everywhere, so no default raises it.
  printf '[containers]\ndefault_ulimits = []\n[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "none"\n' >containers.conf
  printf '[network]\nnetwork_config_dir = "%s"\n' "$PWD/networks" >>containers.conf  # none of this machine's
  printf '[storage]\ndriver = "%s"\ngraphroot = "%s"\nrunroot = "%s"\n' "$(cat storage)" "$PWD/root" "$PWD/run" >storage.conf
  touch registries.conf  # a test may have written its own
  # A folder in which new mounts of this machine's appear in Podman's view, too.
  mkdir -p shared
  mountpoint -q shared || { mount --bind shared shared && mount --make-shared shared; }
  # Podman and crun refuse a hybrid hierarchy of cgroups: they get a view without its second half. One that lasts, since
  # Podman finds its mounts again after a restart.
  if gone view.id; then
    launch view unshare -m --propagation slave sh -c \
      'umount /sys/fs/cgroup/unified 2>/dev/null; touch "$0"; exec sleep infinity' "$PWD/view.ready"
    await view 10 test -e view.ready
  fi
  launch daemon nsenter -t "$(running view.id)" -m -w"$PWD" -- env CONTAINERS_CONF="$PWD/containers.conf" \
    CONTAINERS_STORAGE_CONF="$PWD/storage.conf" CONTAINERS_REGISTRIES_CONF="$PWD/registries.conf" TMPDIR="$PWD/tmp" HOME="$PWD" \
    podman --root "$PWD/root" --runroot "$PWD/run" --tmpdir "$PWD/libpod" --storage-driver "$(cat storage)" \
    --cgroup-manager cgroupfs "$@" system service --time=0 "unix://$PWD/engine.sock"
}

start() {
  local engine="$1" folder="$2" program
  shift 2
  ((EUID == 0)) || fail "only root can start engines of their own"
  for program in curl setsid nsenter $([[ "$engine" == podman ]] && echo podman conmon || echo dockerd containerd); do
    command -v "$program" >/dev/null || fail "there is no $program: scripts/setup.sh --tests"
  done
  mkdir -p "$folder/$engine"
  chmod 755 "$folder"
  cd "$(cd "$folder" && pwd -P)/$engine"
  gone daemon.id || fail "$PWD: runs already"
  choose_storage
  rm -f engine.sock dockerd.pid
  "start_$engine" "$@"
  await daemon 40 answers
  echo "unix://$PWD/engine.sock"
}

remove_containers() {
  local id
  for id in $(curl -s --max-time 10 --unix-socket engine.sock 'http://engine/v1.40/containers/json?all=1' 2>/dev/null |
    jq -r '.[]?.Id' 2>/dev/null); do
    curl -s --max-time 20 --unix-socket engine.sock -X DELETE "http://engine/v1.40/containers/$id?force=1&v=1" >/dev/null || true
  done
}

# drop_groups PATTERN: removes these control groups in every hierarchy; false while the kernel still holds one.
drop_groups() {
  rmdir /sys/fs/cgroup{,/*}$1 2>/dev/null || true
  ! compgen -G "/sys/fs/cgroup/*$1" >/dev/null && ! compgen -G "/sys/fs/cgroup$1" >/dev/null
}

end() {
  local folder engine pid sockets groups group
  [[ -d "$1" ]] || return 0
  folder="$(cd "$1" && pwd -P)"
  for engine in $(find "$folder" -maxdepth 4 -name daemon.id -printf '%h\n'); do
    cd "$engine"
    [[ ! -S engine.sock ]] || remove_containers
    quit daemon.id TERM 15
    # What a killed daemon could not tidy up: shims and their sockets, cells and their groups.
    mapfile -t sockets < <(find state exec -path '*/v2.task/*/address' -exec sed -s 's|^unix://||' {} + 2>/dev/null)
    groups=()
    for pid in $(helpers "$engine"); do
      mapfile -t -O "${#groups[@]}" groups < <(sed -n 's/^[0-9]*:[^:]*:\(.*libpod-.*\)/\1/p' "/proc/$pid/cgroup" 2>/dev/null)
      thaw "$pid"
      kill -KILL "$pid" 2>/dev/null || true
    done
    [[ ! -e containerd.id ]] || quit containerd.id TERM 10
    [[ ! -e sshd.id ]] || quit sshd.id TERM 5
    [[ ! -e view.id ]] || quit view.id KILL 5
    ((${#sockets[@]} == 0)) || rm -f "${sockets[@]}"
    group="$(docker_group "$engine")"
    groups+=("$group"/* "$group")
    for group in "${groups[@]}"; do wait_until 2 drop_groups "$group" || true; done
  done
  cd /
  awk -v folder="$folder/" 'index($5, folder) == 1 {print $5}' /proc/self/mountinfo | sort -r | while read -r mounted; do
    umount -l "$mounted" 2>/dev/null || true
  done
  rm -rf "$folder" || say "cannot remove $folder"
}

# --- with -----------------------------------------------------------------------------------------------------------------

image() { "$scripts/image.sh" --packages "$scripts/../tests/integration/packages" "$@"; }

# start_with_image ENGINE: writes its host into the folder.
start_with_image() {
  local host
  host="$(start "$1" "$folder")"
  image --host "$host" --name "$BASHCELL_TEST_IMAGE" 2>"$folder/$1/image.log" || { cat "$folder/$1/image.log" >&2; return 1; }
  echo "$host" >"$folder/$1/host"
}

with() {
  local engines="${1//,/ }" engine code=0 started=()
  shift
  [[ "$1" == -- ]] || usage
  shift
  image >/dev/null
  folder="$(mktemp -d /tmp/cells-XXXXXX)"  # short, since Podman takes no long paths
  trap 'end "$folder"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  export BASHCELL_TEST_ENGINES="$folder" BASHCELL_TEST_IMAGE=bashcell-test:latest
  for engine in $engines; do
    start_with_image "$engine" &
    started+=($!)
  done
  # What does not start is said, and not there for COMMAND: the tests that need it name it again.
  for engine in "${started[@]}"; do wait "$engine" || true; done
  for engine in $engines; do
    [[ ! -s "$folder/$engine/host" ]] || export "BASHCELL_TEST_${engine^^}_HOST=$(cat "$folder/$engine/host")"
  done
  "$@" || code=$?
  exit "$code"
}

case "${1:-}" in
  with) (($# > 3)) || usage; shift; with "$@" ;;
  start) (($# > 2)) || usage; shift; start "$@" ;;
  stop | kill)
    (($# == 3)) || usage
    cd "$3/$2"
    if [[ "$1" == stop ]]; then quit daemon.id TERM 20; else quit daemon.id KILL 5; fi ;;
  end) (($# == 2)) || usage; end "$2" ;;
  *) usage ;;
esac
