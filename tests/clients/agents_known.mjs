// The agents that agents.mjs drives: how each is started without a person, pointed at a model on loopback and allowed
// to call the tool. What `bashcell config` is tried for is not here: it writes that.
//
//   command(modules)   the program and its first words; last(prompt) its last ones
//   files(url)         below the home, before bashcell adds itself to one of them
//   key                the variable with the key that is none
//   settle(home)       does to the files what `permission` and `noShell` tell a person: the tool is called unasked, and
//                      the shell of the agent's own, one of `shells`, is no longer offered

import fs from 'node:fs';
import path from 'node:path';

const key = 'no-key';
const json = (value) => `${JSON.stringify(value, undefined, 2)}\n`;

function versionOf(name) {
  return (modules) => JSON.parse(fs.readFileSync(path.join(modules, name, 'package.json'), 'utf8')).version;
}

function edit(file, change) {
  const settings = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  change(settings);
  fs.mkdirSync(path.dirname(file), {recursive: true});
  fs.writeFileSync(file, json(settings));
}

export const agents = {
  'claude-code': {
    title: 'Claude Code',
    file: '.claude.json',
    version: versionOf('@anthropic-ai/claude-code'),
    command: (modules) => [path.join(modules, '.bin/claude'), '--print'],
    last: (prompt) => ['--', prompt],
    files: () => ({'.claude.json': json({hasCompletedOnboarding: true})}),
    key: 'ANTHROPIC_API_KEY',
    environment: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    settle: (home) => edit(path.join(home, '.claude/settings.json'), (settings) => {
      settings.permissions = {allow: ['mcp__bashcell__bash'], deny: ['Bash']};
    }),
    permission: '`"permissions": {"allow": ["mcp__bashcell__bash"]}` in `~/.claude/settings.json`',
    shells: ['Bash'],
    noShell: '`"permissions": {"deny": ["Bash"]}` there',
  },
  codex: {
    title: 'Codex CLI',
    file: '.codex/config.toml',
    version: versionOf('@openai/codex'),
    command: (modules) => [path.join(modules, '.bin/codex'), 'exec', '--skip-git-repo-check'],
    last: (prompt) => ['--', prompt],
    files: (url) => ({'.codex/config.toml': `model = "no-model"
model_provider = "loopback"

[model_providers.loopback]
name = "loopback"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`}),
    key: 'OPENAI_API_KEY',
    environment: () => ({OPENAI_API_KEY: key}),
    // bashcell's section is the last one.
    settle: (home) => fs.appendFileSync(path.join(home, '.codex/config.toml'),
      'default_tools_approval_mode = "approve"\n\n[features]\nshell_tool = false\n'),
    permission: '`default_tools_approval_mode = "approve"` in `[mcp_servers.bashcell]`',
    shells: ['shell', 'local_shell', 'shell_command', 'exec_command'],
    noShell: '`shell_tool = false` in `[features]`',
  },
  gemini: {
    title: 'Gemini CLI',
    file: '.gemini/settings.json',
    version: versionOf('@google/gemini-cli'),
    command: (modules) => [path.join(modules, '.bin/gemini'), '--model', 'gemini-2.5-flash', '--skip-trust'],
    last: (prompt) => ['--prompt', prompt],
    files: () => ({'.gemini/settings.json': json({security: {auth: {selectedType: 'gemini-api-key'}}})}),
    key: 'GEMINI_API_KEY',
    environment: (url) => ({GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key}),
    settle: (home) => edit(path.join(home, '.gemini/settings.json'), (settings) => {
      settings.mcpServers.bashcell.trust = true;
      settings.tools = {exclude: ['run_shell_command']};
    }),
    permission: '`"trust": true` in the entry',
    shells: ['run_shell_command'],
    noShell: '`"tools": {"exclude": ["run_shell_command"]}`',
  },
  opencode: {
    title: 'opencode',
    file: '.config/opencode/opencode.json',
    version: versionOf('opencode-ai'),
    command: (modules) => [path.join(modules, '.bin/opencode'), 'run', '--model', 'loopback/no-model'],
    last: (prompt) => ['--', prompt],
    files: (url) => ({'.config/opencode/opencode.json': json({
      provider: {loopback: {
        npm: '@ai-sdk/openai-compatible',
        name: 'loopback',
        options: {baseURL: `${url}/v1`, apiKey: '{env:LOOPBACK_API_KEY}'},
        models: {'no-model': {name: 'no-model', limit: {context: 100_000, output: 4_000}}},
      }},
    })}),
    key: 'LOOPBACK_API_KEY',
    environment: () => ({LOOPBACK_API_KEY: key, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'}),
    settle: (home) => edit(path.join(home, '.config/opencode/opencode.json'), (settings) => {
      settings.tools = {bash: false};
    }),
    permission: 'none needed',
    shells: ['bash'],
    noShell: '`"tools": {"bash": false}`',
  },
};
