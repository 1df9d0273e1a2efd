#!/bin/bash
# The Debian package's life on a machine that has what it depends on, and no compiler: package.sh FILE, as root in the
# guest of scripts/guest.sh. It is installed, finds nothing wrong, runs a call whose limit the kernel has, and is removed
# with nothing left but what a purge takes away.
# Exit 1 when something did not hold; each step says so.
set -uo pipefail
package="$1" failed=0 bytes=$((200 << 20)) work="$(mktemp -d)"
# The guest's dpkg leaves documents out. Here all of the package is wanted.
with_documents=(--path-include='/usr/share/doc/*' --path-include='/usr/share/man/*')
# What may differ at the end: dpkg's own books, and what crun makes for itself.
others=(/var/lib/dpkg /var/log/dpkg.log /run/crun "$work")

step() {  # WHAT COMMAND...
  local what="$1" said
  shift
  if said="$("$@" 2>&1)"; then echo "  ok    $what"; else
    printf '  FAIL  %s\n%s\n' "$what" "$said"
    failed=1
  fi
}

all_files() {
  local skip=() one
  for one in "${others[@]}"; do skip+=(-path "$one" -prune -o); done
  # No sizes of folders: they grow.
  find / /run /tmp -xdev "${skip[@]}" \( -type d -printf '%M %u:%g %p\n' -o -printf '%M %u:%g %s %l %p\n' \) | LC_ALL=C sort
}

without_tools() {
  local one
  for one in cc gcc g++ clang ld make cmake ninja; do ! command -v "$one" || return 1; done
}
depends() { dpkg-deb -f "$package" Depends | grep -E '(^|, )crun \| runc(,|$)' | grep -E '(^|, )libc6 ' | grep -E '(^|, )libfmt9 '; }
install() { dpkg "${with_documents[@]}" -i "$package"; }
is_whole() {
  local one
  for one in /usr/bin/bashcell /usr/libexec/bashcell/bashcell-init /usr/share/man/man1/bashcell.1.gz /usr/share/doc/bashcell/README.md \
    /usr/share/bash-completion/completions/bashcell; do
    dpkg -L bashcell | grep -x "$one" && [[ -s "$one" ]] || { echo "$one is missing"; return 1; }
  done
}
finds_nothing_wrong() {
  local said
  said="$(cd "$work" && bashcell doctor --workspace "$work/workspace")" || { echo "$said"; return 1; }
  printf '%s\n' "$said"
  ! grep FAIL <<<"$said" && grep 'bashcell-init  */usr/.*libexec/bashcell/bashcell-init$' <<<"$said" &&
    grep 'limits  *cgroup v2; limits set by cgroupfs$' <<<"$said"
}
has_the_limit() {
  local said
  said="$(bashcell run --workspace "$work/saving" --memory 200 'cat /sys/fs/cgroup/memory.max; id -u; echo "#!/bin/sh" > script
    cell save kept script >&2')"
  [[ "$said" == "$bytes"$'\n'1000$'\n''cell: saved kept'* ]] || { echo "it said: $said"; return 1; }
}
has_two_shelves() {
  bashcell shelf --workspace "$work/saving" | grep '^kept ' && bashcell shelf --workspace "$work/workspace" &&
    [[ "$(ls -d /var/lib/bashcell/shelf/*-saving /var/lib/bashcell/shelf/*-workspace | wc -l)" == 2 ]]
}
removes() {
  dpkg "$1" bashcell && ! type -P bashcell && [[ "$(dpkg-query -W -f '${Status}' bashcell 2>/dev/null)" != *installed ]]
}
left_the_script_only() {
  all_files >"$work/after"
  diff "$work/before" "$work/after" | sed -n 's/^[<>] //p' >"$work/different"
  if grep -v -E ' /var/lib/bashcell(/shelf(/[0-9a-f]*-saving(/.*)?)?)?$' "$work/different"; then return 1; fi
  grep -E '/entries/bin/kept$' "$work/different" || { echo "the script is not left"; return 1; }
  ! grep bashcell /proc/self/mountinfo && ! pgrep -a 'bashcell|crun|runc' &&
    ! find /sys/fs/cgroup -mindepth 2 -type d -name 'bashcell-*' | grep .
}

mkdir "$work/workspace" "$work/saving"
chown 1000:1000 "$work/workspace" "$work/saving"
chmod 755 "$work"
step "there is no compiler" without_tools
all_files >"$work/before"
step "it depends on a runtime and on what it is linked with" depends
step "dpkg installs it" install
step "all of it is there" is_whole
step "doctor finds nothing wrong" finds_nothing_wrong
step "a call has the limit, of $bytes bytes" has_the_limit
step "the script that it saved is on its shelf, and another one is empty" has_two_shelves
step "dpkg removes it" removes -r
step "nothing of it is left but the saved script" left_the_script_only
step "dpkg purges it" removes -P
step "that is gone, too" test ! -e /var/lib/bashcell
rm -rf "$work"
exit "$failed"
