#!/usr/bin/env bash
# Real agents from npm, each driven without a person, with the file that `bashcell config AGENT --write` writes, against
# a model on loopback (fake_model.mjs) that asks for one call of the tool. A table tells what each did: docs/clients.md.
#   tests/clients/agents.sh [--write] [--latest] [claude-code|codex|gemini|opencode]...     all by default
#       --write     the table goes into docs/clients.md, too
#       --latest    the newest versions of today, instead of those that the table is about
# Not part of ctest: it downloads some hundred megabytes, to build/agents. BASHCELL names another program than
# build/release/bin/bashcell. Only root can do this: the agents run where there is no network but loopback.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

declare -A packages=([claude-code]=@anthropic-ai/claude-code@2.1.332 [codex]=@openai/codex@0.171.0
  [gemini]=@google/gemini-cli@0.61.0 [opencode]=opencode-ai@1.18.33)
agents=() options=() latest=no
for word in "$@"; do
  case "$word" in
    --write) options+=(--doc "$PWD/docs/clients.md") ;;
    --latest) latest=yes ;;
    *)
      [[ -v packages[$word] ]] || { echo "agents: no agent or option '$word': see the head of $0" >&2; exit 2; }
      agents+=("$word")
      ;;
  esac
done
((${#agents[@]} > 0)) || agents=(claude-code codex gemini opencode)
((EUID == 0)) || { echo "agents: only root can do this: it takes a network namespace" >&2; exit 1; }
if [[ -z "${BASHCELL:-}" ]]; then
  scripts/build.sh
  BASHCELL="$PWD/build/release/bin/bashcell"
fi

folder="$PWD/build/agents"
for agent in "${agents[@]}"; do
  package="${packages[$agent]}"
  [[ "$latest" == no ]] || package="${package%@*}@latest"
  mkdir -p "$folder/packages/$agent"
  # Install scripts run below, where they reach nothing.
  timeout 900 npm install --prefix "$folder/packages/$agent" --cache "$folder/cache" --no-audit --no-fund \
    --ignore-scripts --loglevel error "$package"
done

# Nothing of this environment, keys least of all, reaches an agent.
exec unshare -n env -i PATH="$PATH" HOME="$folder" bash -euc '
  folder="$1" && shift
  ip link set lo up
  for agent in claude-code opencode; do
    # Puts the program of this platform, which is a package of its own, into its place.
    package="$folder/packages/$agent"
    [[ ! -d "$package" ]] || npm rebuild --prefix "$package" --cache "$folder/cache" --loglevel error >/dev/null
  done
  exec node tests/clients/agents.mjs --folder "$folder" "$@"
' agents "$folder" --program "$(realpath -- "$BASHCELL")" "${options[@]}" "${agents[@]}"
