#include "commands/clients.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace bashcell::commands {
namespace {

using nlohmann::ordered_json;

// JSON's strings are strings in YAML, and in TOML but for DEL.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char byte : ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace)) {
    if (byte == '\x7f') {
      out += "\\u007F";
    } else {
      out += byte;
    }
  }
  return out;
}

std::string quoted_list(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + quoted(item);
  return "[" + out + "]";
}

// Gemini CLI holds back variables whose names speak of secrets.
bool sounds_secret(std::string_view name) {
  static constexpr std::array kWords = {"TOKEN", "SECRET", "PASSWORD", "KEY", "AUTH", "CREDENTIAL", "PRIVATE", "CERT"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return name.find(word) != std::string_view::npos; });
}

ordered_json environment_of(const Client& client, const ServerStart& start) {
  ordered_json environment = ordered_json::object();
  if (client.forwarding == Forwarding::kValues) {
    for (const auto& [name, value] : start.environment) environment[name] = value;
  }
  if (client.forwarding == Forwarding::kDollar) {
    // Of what is set now: else the server would get the text "$NAME".
    for (const auto& [name, value] : start.environment) {
      if (sounds_secret(name)) environment[name] = "$" + name;
    }
    if (!start.key.empty()) environment[start.key] = "$" + start.key;
  }
  return environment;
}

int64_t patience(const Client& client, const ServerStart& start) {
  return start.longest_answer_s * 1000 / client.timeout_unit_ms;
}

std::string codex_section(const Client& client, const ServerStart& start) {
  std::string text = "[mcp_servers.bashcell]\n";
  text += fmt::format("command = {}\nargs = {}\n", quoted(start.program), quoted_list(start.arguments));
  text += fmt::format("env_vars = {}\n", quoted_list(start.names));
  return text + fmt::format("startup_timeout_sec = 30\n{} = {}\n", client.timeout, patience(client, start));
}

std::string goose_text(const Client& client, const ServerStart& start) {
  std::string text = "extensions:\n  bashcell:\n    name: bashcell\n    type: stdio\n    enabled: true\n";
  text += fmt::format("    cmd: {}\n    args: {}\n", quoted(start.program), quoted_list(start.arguments));
  return text + fmt::format("    envs: {}\n    {}: {}\n", environment_of(client, start).dump(), client.timeout,
                            patience(client, start));
}

std::string continue_text(const Client& client, const ServerStart& start) {
  return fmt::format("mcpServers:\n  - name: bashcell\n    command: {}\n    args: {}\n    env: {}\n",
                     quoted(start.program), quoted_list(start.arguments), environment_of(client, start).dump());
}

}  // namespace

// Where a limit or a habit comes from: measured with the client, or its own documentation. Nothing is assumed of the
// rest.
std::vector<Client> all_clients() {
  const ordered_json stdio = {{"type", "stdio"}};
  return {
      // No setting for it: "No result received ... after waiting 4 minutes". Starts servers with few variables.
      {.name = "claude-desktop",
       .title = "Claude Desktop",
       .file = ".config/Claude/claude_desktop_config.json",
       .windows = "%APPDATA%\\Claude\\claude_desktop_config.json",
       .members = {"mcpServers"},
       .gives_up_after_s = 240,
       .forwarding = Forwarding::kValues},
      {.name = "claude-code",
       .title = "Claude Code",
       .file = ".claude.json",
       .windows = "%USERPROFILE%\\.claude.json",
       .members = {"mcpServers"},
       .fixed = stdio,
       .timeout = "timeout"},
      {.name = "vscode",
       .title = "VS Code",
       .file = ".config/Code/User/mcp.json",
       .windows = "%APPDATA%\\Code\\User\\mcp.json",
       .members = {"servers"},
       .fixed = stdio},
      {.name = "cursor",
       .title = "Cursor",
       .file = ".cursor/mcp.json",
       .windows = "%USERPROFILE%\\.cursor\\mcp.json",
       .members = {"mcpServers"},
       .fixed = stdio},
      // Hands on HOME, PATH and few others.
      {.name = "codex",
       .title = "Codex CLI",
       .file = ".codex/config.toml",
       .windows = "%USERPROFILE%\\.codex\\config.toml",
       .format = ClientFormat::kToml,
       .timeout = "tool_timeout_sec",
       .timeout_unit_ms = 1000,
       .forwarding = Forwarding::kNames},
      {.name = "gemini",
       .title = "Gemini CLI",
       .file = ".gemini/settings.json",
       .windows = "%USERPROFILE%\\.gemini\\settings.json",
       .members = {"mcpServers"},
       .timeout = "timeout",
       .forwarding = Forwarding::kDollar},
      {.name = "opencode",
       .title = "opencode",
       .file = ".config/opencode/opencode.json",
       .windows = "%USERPROFILE%\\.config\\opencode\\opencode.json",
       .members = {"mcp"},
       .fixed = {{"type", "local"}, {"enabled", true}},
       .command_is_list = true,
       .environment = "environment",
       .timeout = "timeout"},
      // Seconds; 60 unless told. Older builds hand on PATH alone.
      {.name = "cline",
       .title = "Cline",
       .file = ".cline/data/settings/cline_mcp_settings.json",
       .windows = "%USERPROFILE%\\.cline\\data\\settings\\cline_mcp_settings.json",
       .members = {"mcpServers"},
       .fixed = {{"disabled", false}},
       .timeout = "timeout",
       .timeout_unit_ms = 1000,
       .forwarding = Forwarding::kValues},
      {.name = "zed",
       .title = "Zed",
       .file = ".config/zed/settings.json",
       .windows = "%APPDATA%\\Zed\\settings.json",
       .members = {"context_servers"},
       .gives_up_after_s = 60},
      {.name = "goose",
       .title = "Goose",
       .file = ".config/goose/config.yaml",
       .windows = "%APPDATA%\\Block\\goose\\config\\config.yaml",
       .format = ClientFormat::kYaml,
       .timeout = "timeout",
       .timeout_unit_ms = 1000},
      {.name = "continue",
       .title = "Continue",
       .file = ".continue/config.yaml",
       .windows = "%USERPROFILE%\\.continue\\config.yaml",
       .format = ClientFormat::kYaml,
       .gives_up_after_s = 60,
       .forwarding = Forwarding::kValues},
  };
}

std::optional<Client> find_client(std::string_view name) {
  const std::vector<Client> clients = all_clients();
  const auto found = std::find_if(clients.begin(), clients.end(), [&](const Client& one) { return one.name == name; });
  return found == clients.end() ? std::nullopt : std::optional(*found);
}

int64_t timeout_for(const Client& client) { return client.gives_up_after_s == 0 ? 0 : client.gives_up_after_s - 10; }

ServerStart through_wsl(const ServerStart& start, const std::string& distribution) {
  ServerStart wsl = start;
  wsl.program = "wsl.exe";
  wsl.environment.clear();
  wsl.names.clear();
  wsl.arguments.clear();
  if (!distribution.empty()) wsl.arguments = {"-d", distribution};
  wsl.arguments.emplace_back("--");
  if (!start.environment.empty()) wsl.arguments.emplace_back("/usr/bin/env");
  for (const auto& [name, value] : start.environment) wsl.arguments.push_back(name + "=" + value);
  wsl.arguments.insert(wsl.arguments.end(), {start.program, "serve"});
  wsl.arguments.insert(wsl.arguments.end(), start.arguments.begin(), start.arguments.end());
  return wsl;
}

ordered_json client_entry(const Client& client, const ServerStart& start) {
  ordered_json entry = client.fixed.is_object() ? client.fixed : ordered_json::object();
  if (client.command_is_list) {
    std::vector<std::string> command = {start.program};
    command.insert(command.end(), start.arguments.begin(), start.arguments.end());
    entry["command"] = command;
  } else {
    entry["command"] = start.program;
    entry["args"] = start.arguments;
  }
  const ordered_json environment = environment_of(client, start);
  if (!environment.empty()) entry[std::string(client.environment)] = environment;
  if (!client.timeout.empty()) entry[std::string(client.timeout)] = patience(client, start);
  return entry;
}

std::string client_snippet(const Client& client, const ServerStart& start) {
  if (client.format == ClientFormat::kToml) return codex_section(client, start);
  if (client.name == "goose") return goose_text(client, start);
  if (client.format == ClientFormat::kYaml) return continue_text(client, start);
  ordered_json document = {{"bashcell", client_entry(client, start)}};
  for (auto member = client.members.rbegin(); member != client.members.rend(); ++member) {
    document = ordered_json{{std::string(*member), document}};
  }
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace bashcell::commands
