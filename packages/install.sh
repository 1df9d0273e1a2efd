# Gets one package or Python distribution into /workspace/out. Run by bash, after relocate.sh, in an installer cell: as an
# ordinary user without rights, with a network, in a root that cannot be written.
#
# In: KIND (deb or pip), NAME (the package's), COMMAND (the name on PATH that is wanted, or the module's), FILE (the
# program in the package, when it is not called as the command is), LIMIT_MB, PIP_INDEX_URL. All of them are checked.
# Out: out/tree (goes to packages/PACKAGE), out/bin/NAME (what goes to PATH), out/facts (NAME=VALUE lines; `error=` with
# a sentence when there is nothing). Kept from one install to the next: apt/, with the lists.
#
# No maintainer script is run, and nothing of a package but, for graphviz, the list of its plugins.
set -u
umask 022
W=/workspace
TREE=$W/out/tree
TOOLS=/run/cell/tools
mkdir -p "$TREE" "$W/out/bin" "$W/tmp"
export TMPDIR=$W/tmp LC_ALL=C.UTF-8
: >"$W/out/facts"
: >"$W/log"

fact() { printf '%s=%s\n' "$1" "$2" >>"$W/out/facts"; }
fail() {
  printf 'error=%s\n' "$1" >"$W/out/facts"
  exit 1
}
too_large() { fail "it is larger than $LIMIT_MB MB"; }
check_size() {
  local kb
  kb=$(du -sk "$1" | cut -f1)
  [ "${kb:-0}" -le $((LIMIT_MB * 1024)) ] || too_large
}
# What went wrong, in words, from what a program said; else its last line.
reason() {
  if grep -qiE 'No space left|Disk quota|enough free space' "$W/log"; then
    echo 'the disk is full'
  elif grep -qiE 'Temporary failure resolving|Could not resolve|Name or service not known|name resolution|Network is unreachable' "$W/log"; then
    echo "there is no network: the package index cannot be found"
  elif grep -qiE 'Could not connect|Connection refused|Connection timed out|NewConnectionError|Connection failed|timed out' "$W/log"; then
    echo "the package index cannot be reached"
  elif grep -qiE 'Hash Sum mismatch|NO_PUBKEY|not signed|BADSIG|hashes' "$W/log"; then
    echo "the package index is not signed by a key that this machine knows, or was changed on the way"
  else
    echo "$1: $(grep -E '^(E|ERROR): ' "$W/log" | tail -n 1 | cut -c1-200)"
  fi
}

# ---- Debian and Ubuntu ----

prepare_apt() {
  APT=$W/apt
  mkdir -p "$APT/lists/partial" "$APT/cache/archives/partial" "$APT/none"
  rm -rf "$APT"/cache/archives/*.deb
  LISTS=$APT/lists
  # The machine's own lists serve, when they are not old.
  if [ -z "$(find "$APT/lists" -name '*Packages*' -print -quit)" ] &&
    [ -n "$(find /var/lib/apt/lists -name '*Packages*' -mtime -7 -print -quit 2>/dev/null)" ]; then
    LISTS=/var/lib/apt/lists
  fi
  # Of the machine's configuration only how to get packages: the rest has hooks.
  apt-config dump 2>/dev/null | grep -E '^(Acquire::|APT::Architecture |APT::Default-Release)' >"$W/apt.conf"
  cat >>"$W/apt.conf" <<END
Dir::Etc::Parts "$APT/none";
Dir::Etc::main "/dev/null";
Dir::Etc::netrc "/dev/null";
Dir::Etc::netrcparts "$APT/none";
Dir::State "$APT/";
Dir::State::lists "$LISTS/";
Dir::State::extended_states "$APT/extended_states";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "$APT/cache/";
Dir::Log "$W/tmp/";
Debug::NoLocking "true";
APT::Sandbox::User "root";
APT::Architectures { "$(dpkg --print-architecture)"; };
APT::Install-Recommends "false";
APT::Get::AllowUnauthenticated "false";
Acquire::AllowInsecureRepositories "false";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "15";
Acquire::https::Timeout "15";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
Acquire::IndexTargets::deb-src::Sources::DefaultEnabled "false";
END
  export APT_CONFIG=$W/apt.conf
}

update_lists() {
  sed -i "s|^Dir::State::lists .*|Dir::State::lists \"$APT/lists/\";|" "$W/apt.conf"
  LISTS=$APT/lists
  : >"$W/log"
  apt-get -q update >>"$W/log" 2>&1
  grep -qE '^(E|W): (Failed|The repository|GPG error|Some index)' "$W/log" || return 0
  [ -n "$(find "$LISTS" -name '*Packages*' -print -quit)" ] && return 0
  fail "$(reason 'apt-get update failed')"
}

# The .deb files of the package and of what it needs that this machine lacks.
fetch_debs() {
  local again=
  [ "$(dpkg-query -W -f='${Status}' "$NAME" 2>/dev/null)" = 'install ok installed' ] && again=--reinstall
  apt-get -q -y $again --download-only install "$NAME" >>"$W/log" 2>&1 || return 1
  find "$APT/cache/archives" -name '*.deb' -print -quit | grep -q .
}

unpack_debs() {
  local deb
  : >"$W/own"
  for deb in "$APT"/cache/archives/*.deb; do
    [ -e "$deb" ] || return 1
    case ${deb##*/} in
      # The C library must be the one of the program that loads it, which is the base's.
      libc6_* | libc-bin_* | libgcc-s1_* | base-files_* | debconf_* | init-system-helpers_*) rm -f "$deb"; continue ;;
    esac
    dpkg-deb -x "$deb" "$TREE" >>"$W/log" 2>&1 || return 1
    case ${deb##*/} in
      "$NAME"_*) VERSION=$(basename "$deb" | cut -d_ -f2 | sed 's/%3a/:/; s/%2b/+/g') ;;&
      "$NAME"_* | "$NAME"-*) dpkg-deb --fsys-tarfile "$deb" | tar -t >>"$W/own" ;;
    esac
    rm -f "$deb"
    check_size "$TREE"
  done
}

# What nobody reads in a cell, links that would lead out of the tree, and rights that nothing there is to have.
tidy_tree() {
  local link target
  rm -rf "$TREE"/usr/share/{doc,man,info,lintian,locale,bash-completion,doc-base,bug}
  find "$TREE" ! -type f ! -type d ! -type l -delete
  find "$TREE" ! -type l -exec chmod u-s,g-s,o-t,u+rwX,go+rX,go-w {} +
  find "$TREE" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
    target=$(readlink "$link")
    if [ -e "$TREE$target" ] || [ -L "$TREE$target" ]; then ln -srfn "$TREE$target" "$link"; fi
  done
  # Linker scripts (libc.so, libm.so) name files by their paths; the linker looks for plain names in its folders.
  for link in "$TREE"/usr/lib/*-linux-gnu*/lib{c,m}.so; do
    [ ! -f "$link" ] || [ -L "$link" ] || sed -i -E 's| /[^ ]*/([^/ ]+)| \1|g' "$link"
  done
}

# One entry of PATH: a link, or a script where the program needs surroundings, or has to be called by its own path since
# it looks for its things beside itself.
add_command() {
  local name=$1 file=$2 beside=
  [[ $name =~ ^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$ ]] || return 0
  [ ! -e "$W/out/bin/$name" ] && [ ! -L "$W/out/bin/$name" ] || return 0
  case $file in usr/lib/*) beside=yes ;; esac
  if [ -z "$SURROUNDINGS$beside" ]; then
    ln -s "../packages/$PLACE/$file" "$W/out/bin/$name"
  else
    printf '#!/bin/sh\nt=%s/packages/%s\n%s\nexec "$t/%s" "$@"\n' "$TOOLS" "$PLACE" "$SURROUNDINGS" "$file" \
      >"$W/out/bin/$name"
    chmod 755 "$W/out/bin/$name"
  fi
  fact command "$name"
}

# The program for COMMAND in the tree, or nothing. Where update-alternatives would make a link, a name close to it.
find_program() {
  local file
  for file in ${FILE:+"$FILE"} {usr/bin,bin,usr/sbin,sbin,usr/games}/"$COMMAND"; do
    [ ! -f "$TREE/$file" ] || { echo "$file"; return; }
  done
  find "$TREE"/usr/bin "$TREE"/bin -maxdepth 1 -type f -perm -1 -name "$COMMAND?*" -printf '%P\n' 2>/dev/null | sort |
    while IFS= read -r file; do
      [[ ${file#"$COMMAND"} =~ ^(-?[0-9][0-9.]*|[.-](basic|nox|tiny|openbsd|traditional|qt|x11|im[67]\.q16))$ ]] || continue
      if [ -f "$TREE/usr/bin/$file" ]; then echo "usr/bin/$file"; else echo "bin/$file"; fi
      break
    done
}

# By the lists that are there; with new ones, when those are older than what the servers have.
get_debs() {
  prepare_apt
  if [ -n "$(find "$LISTS" -name '*Packages*' -print -quit)" ]; then
    fetch_debs && return
  fi
  update_lists
  : >"$W/log"
  fetch_debs && return
  grep -qE 'Unable to locate package|has no installation candidate|is a virtual package' "$W/log" &&
    fail "the package index has no package $NAME"
  fail "$(reason "$NAME cannot be fetched")"
}

install_deb() {
  local program base
  VERSION=
  command -v apt-get >/dev/null || fail "there is no apt-get in this root"
  command -v dpkg-deb >/dev/null || fail "there is no dpkg-deb in this root"
  # The base may have the program under another name.
  if [ -n "$FILE" ] && [ -x "/$FILE" ]; then
    ln -s "/$FILE" "$W/out/bin/$COMMAND"
    fact version "$(dpkg-query -W -f='${Version}' "$NAME" 2>/dev/null)"
    fact command "$COMMAND"
    return
  fi
  get_debs
  unpack_debs || fail "$(reason "$NAME cannot be unpacked")"
  program=$(find_program)
  [ -n "$program" ] || fail "the package $NAME has no command $COMMAND"
  [ ! -u "$TREE/$program" ] || fail "$COMMAND needs rights that no cell has"
  tidy_tree
  for base in "$TREE"/usr/lib/*/graphviz; do
    [ ! -x "$TREE/usr/bin/dot" ] ||
      GVBINDIR=$base LD_LIBRARY_PATH=${base%/*} "$TREE/usr/bin/dot" -c >>"$W/log" 2>&1
  done
  HERE=$TOOLS/packages/$PLACE
  change_files
  SURROUNDINGS=$(surroundings)
  add_command "$COMMAND" "$program"
  # The package's other commands, too; not those of what it needs.
  while IFS= read -r program; do
    program=${program#./}
    case $program in usr/bin/?* | bin/?* | usr/sbin/?* | sbin/?* | usr/games/?*) ;; *) continue ;; esac
    [ -f "$TREE/$program" ] && [ -x "$TREE/$program" ] || continue
    command -v "${program##*/}" >/dev/null || add_command "${program##*/}" "$program"
  done <"$W/own"
  fact version "$VERSION"
  [ "$APT/names" -nt "$LISTS" ] ||
    apt-cache pkgnames 2>/dev/null | grep -xE '[a-z0-9][a-z0-9.+-]{0,63}' >"$APT/names"
  cp "$APT/names" "$W/out/names"
}

# ---- Alpine: not tested on any machine of ours ----

install_apk() {
  local program base
  mkdir -p "$W/apk"
  apk --no-cache fetch --recursive --output "$W/apk" "$NAME" >>"$W/log" 2>&1 || fail "$(reason "$NAME cannot be fetched")"
  for base in "$W"/apk/*.apk; do
    case ${base##*/} in musl-[0-9]* | busybox-[0-9]*) continue ;; esac
    tar -xzf "$base" -C "$TREE" --exclude='.*' 2>>"$W/log"
    check_size "$TREE"
  done
  tidy_tree
  program=$(find_program)
  [ -n "$program" ] || fail "the package $NAME has no command $COMMAND"
  SURROUNDINGS=$(surroundings)
  add_command "$COMMAND" "$program"
}

# ---- Python ----

# Debian's python3 comes without pip. From its package, for this install only.
borrow_pip() (
  command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "python3 has no pip in this root"
  NAME=python3-pip TREE=$W/pip
  mkdir -p "$TREE"
  get_debs
  unpack_debs || fail "$(reason 'pip cannot be unpacked')"
)

install_pip() {
  local script version
  command -v python3 >/dev/null || fail "there is no python3 in this root"
  python3 -m pip --version >/dev/null 2>&1 || {
    borrow_pip || exit 1
    PYTHONPATH=$(echo "$W"/pip/usr/lib/python3/dist-packages "$W"/pip/usr/lib/python3.* | tr ' ' :)
    export PYTHONPATH
  }
  python3 -m pip install --only-binary :all: --no-input --no-cache-dir --disable-pip-version-check --no-warn-script-location \
    --timeout 15 --retries 1 --target "$TREE" ${PIP_INDEX_URL:+--index-url "$PIP_INDEX_URL"} "$NAME" >"$W/log" 2>&1 || {
    grep -q 'No matching distribution' "$W/log" && ! grep -qiE 'NewConnectionError|resolution|timed out' "$W/log" &&
      fail "the Python index has no wheel of $NAME for this Python"
    fail "$(reason "pip cannot install $NAME")"
  }
  check_size "$TREE"
  tidy_tree
  unset PYTHONPATH
  PYTHONPATH=$TREE python3 -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' \
    "$COMMAND" || fail "the distribution $NAME has no module $COMMAND"
  version=$(PYTHONPATH=$TREE python3 -c 'import importlib.metadata, sys; print(importlib.metadata.version(sys.argv[1]))' "$NAME" 2>/dev/null)
  fact python "$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
  fact version "$version"
  SURROUNDINGS=
  for script in "$TREE"/bin/*; do
    [ -f "$script" ] && [ -x "$script" ] || continue
    command -v "${script##*/}" >/dev/null || add_command "${script##*/}" "bin/${script##*/}"
  done
}

case $KIND in
  deb)
    PLACE=$NAME
    if command -v apt-get >/dev/null; then install_deb; elif command -v apk >/dev/null; then install_apk; else install_deb; fi
    ;;
  pip)
    PLACE=py-$NAME
    install_pip
    ;;
  *) fail "nothing is known of packages of the kind $KIND" ;;
esac
fact done yes
