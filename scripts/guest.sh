#!/usr/bin/env bash
# A machine with cgroup v2 alone, whatever this one has, for tests: QEMU without any help of the hardware, Debian's
# cloud kernel, and a small Debian without systemd, in which a command runs as root.
#   scripts/guest.sh make
#       makes its disk and prints where; once for each list of packages (tests/guest/packages), in build/guest/
#   scripts/guest.sh run [--with FILE-OR-FOLDER]... [--package BUILD] [--seconds N] -- COMMAND...
#       boots it, runs COMMAND in /guest, where what is given by --with is found under its last name, and exits as
#       COMMAND did; 125 when the machine failed, or was not over after N seconds (800). Nothing in it is kept.
#       --package brings bashcell.deb, the Debian package of what is built in the folder BUILD.
# 77 says that something it needs is not there (1 if BASHCELL_REQUIRE names `guest`).
# Its clock counts the processor's instructions and leaps over idle times. So it does not matter to what runs in there
# how busy this machine is, and a `sleep 60` takes no time. Only root can make the disk, since its files belong to root.
set -euo pipefail
top="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

say() { echo "guest: $*" >&2; }
fail() { say "$*"; exit 125; }
# What is not there is a failure only where BASHCELL_REQUIRE names the guest.
missing() {
  if [[ ",${BASHCELL_REQUIRE:-}," == *,guest,* ]]; then say "FAILED: $*"; exit 1; fi
  say "SKIPPED: $*"
  exit 77
}
usage() { sed -n '2,/^set/{/^# /s///p}' "${BASH_SOURCE[0]}" >&2; exit 2; }
need() {  # PROGRAM:PACKAGE...
  local one
  for one; do command -v "${one%%:*}" >/dev/null || missing "there is no ${one%%:*}: apt-get install ${one##*:}"; done
}

# --- the disk ---------------------------------------------------------------------------------------------------------

suite=bookworm
words="$(sed 's/#.*//' "$top/tests/guest/packages" | tr -s '[:space:]' '\n' | sed '/^$/d' | sort -u)"
place="$top/build/guest"
own_sources=/etc/apt/sources.list.d/debian.sources

# The kernel's package would make an initial RAM disk, which needs more packages than all the rest: only the kernel is
# taken. Disks by NVMe and ext4 are built into it.
kernel_hook='cd "$1/boot" && export APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" &&
  name="$(apt-cache depends linux-image-cloud-amd64 | sed -n "s/.*Depends: \(linux-image-\)/\1/p" | head -n 1)" &&
  apt-get -q download "$name" &&
  dpkg-deb --fsys-tarfile linux-image-*.deb | tar -xO --wildcards "./boot/vmlinuz-*" >vmlinuz && rm linux-image-*.deb'
disk="$place/$(sha256sum <<<"$suite $words $kernel_hook" | cut -c1-16)"  # a folder

# install_from SOURCES: makes $part/root. SOURCES is a file that apt reads, or empty for Debian's own servers.
install_from() {
  rm -rf "$part/root"
  timeout --kill-after=10 900 mmdebstrap --quiet --variant=minbase --include="${words//$'\n'/,}" \
    --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --customize-hook="$kernel_hook" --format=directory \
    "$suite" "$part/root" ${1:+"$1"} >>"$log" 2>&1
}

install_from_own_sources() {
  [[ -s "$own_sources" ]] && grep -q "VERSION_CODENAME=$suite" /etc/os-release && install_from "$own_sources"
}

make() {
  mkdir -p "$place"
  exec {lock}>"$place/lock"
  flock -w 2000 "$lock" || fail "another disk is being made and does not end: see $place"
  if [[ ! -s "$disk/root.ext4" ]]; then
    ((EUID == 0)) || missing "only root can make the guest's disk"
    need mmdebstrap:mmdebstrap mkfs.ext4:e2fsprogs dpkg-deb:dpkg
    part="$place/part" log="$place/mmdebstrap.log"
    say "installing $(wc -l <<<"$words") Debian packages and what they need into $disk"
    rm -rf "$part"
    mkdir -p "$part"
    : >"$log"
    # From Debian's own servers, else from where this machine gets its packages.
    install_from '' || install_from_own_sources ||
      { tail -n 20 "$log" >&2; rm -rf "$part"; fail "mmdebstrap could not make it; all it said is in $log"; }
    mv "$part/root/boot/vmlinuz" "$part/vmlinuz"
    rm -rf "$part"/root/var/cache/apt/* "$part"/root/var/lib/apt/lists/*
    mkdir "$part/root/guest"
    truncate -s 1G "$part/root.ext4"
    mkfs.ext4 -q -O ^has_journal -d "$part/root" "$part/root.ext4"
    rm -rf "$part/root" "${disk:?}"
    mv "$part" "$disk"
  fi
  flock -u "$lock"
}

# --- a run ------------------------------------------------------------------------------------------------------------

# pack BUILD FOLDER: makes FOLDER/bashcell.deb.
pack() {
  need cpack:cmake dpkg-shlibdeps:dpkg-dev
  (cd "$1" && cpack -G DEB -B "$work/package" -D CPACK_DEBIAN_FILE_NAME=bashcell.deb) >"$work/cpack" 2>&1 &&
    mv "$work/package/bashcell.deb" "$2/" || { cat "$work/cpack" >&2; fail "there is no Debian package of $1"; }
}

# load FOLDER: makes the second disk, of what is in FOLDER.
load() {
  truncate -s "$(($(du -sm --apparent-size "$1" | cut -f1) * 11 / 10 + 16))M" "$work/load.ext4"
  mkfs.ext4 -q -O ^has_journal -d "$1" "$work/load.ext4"
}

# The second disk comes with the first program, so that a change of that does not mean another first disk.
first='mount -t devtmpfs dev /dev && mount -o ro /dev/nvme1n1 /guest && exec /guest/init'

# The timer check compares the clock with loops of the processor, which is meaningless here.
append="root=/dev/nvme0n1 rw console=ttyS0 no_timer_check mitigations=off panic=-1 init=/bin/sh -- -c \"$first\""

boot() {
  timeout --kill-after=5 "$seconds" qemu-system-x86_64 -machine q35 -cpu max,la57=off -smp 1 -m 1536 \
    -accel tcg,thread=single -icount shift=2,sleep=off -net none -display none -no-reboot \
    -kernel "$disk/vmlinuz" -append "$append" \
    -drive "file=$disk/root.ext4,format=raw,if=none,id=root,snapshot=on" -device nvme,drive=root,serial=root \
    -drive "file=$work/load.ext4,format=raw,if=none,id=load,snapshot=on" -device nvme,drive=load,serial=load \
    -serial "file:$work/console" -serial stdio </dev/null
}

run() {
  local given=() build='' code=0 said
  seconds=800
  while (($#)); do
    case "$1" in
      --with) (($# > 1)) || usage; given+=("$2"); shift 2 ;;
      --package) (($# > 1)) || usage; build="$2"; shift 2 ;;
      --seconds) [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || usage; seconds="$2"; shift 2 ;;
      --) shift; break ;;
      *) usage ;;
    esac
  done
  (($#)) || usage
  need qemu-system-x86_64:qemu-system-x86 mkfs.ext4:e2fsprogs
  make
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
  mkdir "$work/load"
  ((${#given[@]} == 0)) || cp -rL -- "${given[@]}" "$work/load/" || fail "cannot take along what --with names"
  [[ -z "$build" ]] || pack "$build" "$work/load"
  cp "$top/tests/guest/init" "$work/load/init"
  {
    local name
    for name in BASHCELL_TEST_SLOWNESS ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS; do
      [[ ! -v "$name" ]] || printf 'export %s=%q\n' "$name" "${!name}"
    done
    printf '%q ' "$@"
    echo
  } >"$work/load/command"
  load "$work/load"
  : >"$work/console"
  boot 2>"$work/qemu" | tee "$work/output" || code=$?
  said="$(sed -n 's/^guest: the command ended with \([0-9]*\).*/\1/p' "$work/console" | tail -n 1)"
  [[ -z "$said" ]] || exit "$said"
  if [[ -s "$work/output" ]]; then said="the last it said is: $(tail -n 1 "$work/output")"
  else said="it did not come to the command; its console ends with:"$'\n'"$(tail -n 15 "$work/console")"; fi
  ((code == 124)) && fail "not over after $seconds s; $said"
  cat "$work/qemu" >&2
  fail "the machine ended with $code; $said"
}

case "${1:-}" in
  make) (($# == 1)) || usage; make; echo "$disk" ;;
  run) shift; run "$@" ;;
  *) usage ;;
esac
