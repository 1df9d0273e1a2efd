#!/usr/bin/env bash
# Makes the image of image/Dockerfile from Debian packages, without a registry, and gives it to an engine.
#   scripts/image.sh                                  makes it and prints where: a tar file in build/image/
#   scripts/image.sh --into docker|podman             gives it to the engine of this machine as bashcell:latest
#   scripts/image.sh --host unix:///path/to.sock      gives it to the engine behind that socket
# More options:
#   --name NAME:TAG    another name
#   --tar FILE         copies the root file system to FILE; an engine takes it by `docker import`
#   --packages FILE    installs these, too (as often as wanted)
#   --fresh            makes it anew, with the newest packages, although it has been made
# The file is made once for each list of packages. Needs mmdebstrap, curl and jq (Debian packages of these names).
set -euo pipefail
top="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

say() { echo "image: $*" >&2; }
fail() { say "$*"; exit 1; }
usage() { sed -n '2,/^set/{/^# /s///p}' "${BASH_SOURCE[0]}" >&2; exit 2; }

hosts=() lists=("$top/image/packages") name=bashcell:latest copy='' fresh=''
while (($#)); do
  case "$1" in
    --fresh) fresh=yes; shift; continue ;;
    --into | --host | --name | --tar | --packages) (($# > 1)) || usage ;;
    *) usage ;;
  esac
  case "$1=$2" in
    --into=docker) hosts+=("${DOCKER_HOST:-unix:///var/run/docker.sock}") ;;
    --into=podman)
      if ((EUID == 0)); then hosts+=(unix:///run/podman/podman.sock)
      else hosts+=("unix://${XDG_RUNTIME_DIR:-/run/user/$EUID}/podman/podman.sock"); fi ;;
    --into=*) usage ;;
    --host=*) hosts+=("$2") ;;
    --name=*) name="$2" ;;
    --tar=*) copy="$2" ;;
    --packages=*) lists+=("$2") ;;
  esac
  shift 2
done
[[ "$name" == *:* ]] || name+=:latest
[[ "$name" =~ ^[a-z0-9./_-]+(:[0-9]+/[a-z0-9./_-]+)?:[A-Za-z0-9._-]+$ ]] || fail "'$name' is no name of an image"
for host in "${hosts[@]}"; do
  [[ "$host" == unix:///* ]] || fail "can give it only to an engine behind a Unix socket, not to '$host': use --tar"
done
for program in mmdebstrap curl jq; do
  command -v "$program" >/dev/null || fail "there is no $program: apt-get install $program"
done

# --- the root file system -------------------------------------------------------------------------------------------------

suite=bookworm
words="$(sed 's/#.*//' "${lists[@]}" | tr -s '[:space:]' '\n' | sed '/^$/d' | sort -u)"
key="$(sha256sum "$top/image/finish" "${BASH_SOURCE[0]}" - <<<"$suite $words" | cut -d' ' -f1 | sha256sum | cut -c1-16)"
folder="$top/build/image" tar="$top/build/image/$key.tar"
own_sources=/etc/apt/sources.list.d/debian.sources

# install_from SOURCES: makes $tar.part. SOURCES is a file that apt reads, or empty for Debian's own servers.
install_from() {
  # A fixed time makes equal packages an equal file. What dpkg would write safely is thrown away on a crash anyway.
  SOURCE_DATE_EPOCH=1700000000 timeout --kill-after=10 900 mmdebstrap --quiet --variant=minbase --include="${words//$'\n'/,}" \
    --dpkgopt=force-unsafe-io --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --customize-hook='chroot "$1" sh <"'"$top"'/image/finish"' --format=tar "$suite" "$tar.part" ${1:+"$1"} >>"$log" 2>&1
}

mkdir -p "$folder"
exec {lock}>"$folder/lock"
flock -w 2000 "$lock" || fail "another image is being made and does not end: see $folder"
if [[ -n "$fresh" || ! -s "$tar" ]]; then
  say "installing $(wc -l <<<"$words") Debian packages and what they need into $tar"
  log="$folder/mmdebstrap.log"
  : >"$log"
  # From Debian's own servers, else from where this machine gets its packages.
  install_from '' || { [[ -s "$own_sources" ]] && grep -q "VERSION_CODENAME=$suite" /etc/os-release && install_from "$own_sources"; } ||
    { tail -n 20 "$log" >&2; rm -f "$tar.part"; fail "mmdebstrap could not make it; all it said is in $log"; }
  mv "$tar.part" "$tar"
fi
flock -u "$lock"
if [[ -n "$copy" ]]; then
  cp -- "$tar" "$copy"
elif ((${#hosts[@]} == 0)); then
  echo "$tar"
fi

# --- into engines ---------------------------------------------------------------------------------------------------------

# ask HOST SECONDS METHOD PATH [curl option]...: prints the body; fails with what the engine said.
ask() {
  local host="$1" seconds="$2" method="$3" path="$4" body status
  shift 4
  body="$(mktemp)"
  status="$(curl --silent --show-error --max-time "$seconds" --unix-socket "${host#unix://}" -X "$method" -o "$body" \
    -w '%{http_code}' "$@" "http://engine$path" 2>"$body.said")" || {
    say "no answer from $host: $(cat "$body.said")"; rm -f "$body" "$body.said"; return 1; }
  if [[ "$status" == 2* ]] && ! grep -q '"errorDetail"' "$body"; then cat "$body"
  else say "$host says $status: $(head -c 500 "$body")"; status=failed; fi
  rm -f "$body" "$body.said"
  [[ "$status" != failed ]]
}

for host in "${hosts[@]}"; do
  ask "$host" 10 GET /_ping >/dev/null || exit 1
  query='fromSrc=-'
  while read -r setting; do
    query+="&changes=$(jq -rn --arg setting "$setting" '$setting | @uri')"
  done < <(grep -E '^(ENV|USER|WORKDIR|CMD) ' "$top/image/Dockerfile")
  answer="$(ask "$host" 300 POST "/v1.40/images/create?$query" -H 'Content-Type: application/x-tar' -T "$tar")" || exit 1
  id="$(jq -rs 'last(.[].status // empty)' <<<"$answer")"
  [[ "$id" == sha256:* ]] || fail "$host took the image and named none: $answer"
  ask "$host" 30 POST "/v1.40/images/${id#sha256:}/tag?repo=${name%:*}&tag=${name##*:}" >/dev/null || exit 1
  say "$name is in $host"
done
