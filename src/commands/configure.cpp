#include "commands/configure.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "base/utf8.h"
#include "commands/client_file.h"
#include "commands/clients.h"
#include "commands/standard_streams.h"
#include "config_options.h"
#include "config_paths.h"

namespace bashcell::commands {
namespace {

// What leads to engines, to crun's cgroups and to our folders, and so must not get lost on the way.
constexpr std::array kVariables = {"DOCKER_HOST",      "DOCKER_CONTEXT", "DOCKER_CONFIG",           "DOCKER_TLS_VERIFY",
                                   "DOCKER_CERT_PATH", "CONTAINER_HOST", "XDG_RUNTIME_DIR",         "XDG_CONFIG_HOME",
                                   "XDG_DATA_HOME",    "XDG_CACHE_HOME", "DBUS_SESSION_BUS_ADDRESS"};
constexpr const char* kAgent = "SSH_AUTH_SOCK";  // another one in each session: by its name only

void say(const std::string& line) { static_cast<void>(base::write_all(STDERR_FILENO, line + "\n")); }

std::string variable(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

int64_t longest_answer_s(const Config& config, int64_t max_timeout_s) {
  // An install may come before, and the end of what the script started after.
  const auto most = std::chrono::ceil<std::chrono::seconds>(config.max_timeout + config.install_timeout).count();
  return max_timeout_s == 0 ? most + 30 : max_timeout_s + 10;
}

// What the client is to start, as if it ran here.
ServerStart server_start(const Invocation& invocation, const Client& client, const Environment& environment,
                         const std::string& program) {
  ServerStart start{.program = program, .arguments = invocation.server_arguments, .names = {}, .environment = {}};
  const bool is_set = std::any_of(start.arguments.begin(), start.arguments.end(),
                                  [](const std::string& one) { return one.starts_with("--max-timeout"); });
  const int64_t most = timeout_for(client);
  const bool is_too_long = invocation.config.max_timeout > std::chrono::seconds(most);
  if (most != 0 && !is_set && is_too_long) {
    start.arguments.insert(start.arguments.end(), {"--max-timeout", std::to_string(most)});
    if (invocation.config.timeout > std::chrono::seconds(most)) {
      start.arguments.insert(start.arguments.end(), {"--timeout", std::to_string(most)});
    }
  }
  start.longest_answer_s = longest_answer_s(invocation.config, most);
  for (const char* name : kVariables) {
    start.names.emplace_back(name);
    const std::string value = variable(environment, name);
    if (!value.empty()) start.environment.emplace_back(name, value);
  }
  start.names.emplace_back(kAgent);
  start.key = invocation.config.repair_key_env;
  if (!start.key.empty()) start.names.push_back(start.key);
  return start;
}

std::string client_names() {
  std::string names;
  for (const Client& client : all_clients()) names += (names.empty() ? "" : ", ") + std::string(client.name);
  return names;
}

int list_clients(const base::UniqueFd& output) {
  std::string text = "Clients that `bashcell config CLIENT` knows, and their files:\n";
  for (const Client& client : all_clients()) {
    text += fmt::format("  {:<15} {:<15} ~/{}\n", client.name, client.title, client.file);
  }
  return base::write_all(output.get(), text) ? 0 : 1;
}

int unknown_client(const std::string& name) {
  std::vector<std::string> known;
  for (const Client& client : all_clients()) known.emplace_back(client.name);
  return fail(fmt::format("there is no client '{}'{}; there are {}", base::printable(name), did_you_mean(name, known),
                          client_names()),
              2);
}

// Folders that a variable may move; else below the home.
base::Result<std::string> file_of(const Client& client, const Environment& environment) {
  const std::string file(client.file);
  const auto moved = [&](const char* name, const std::string& prefix) -> std::string {
    const std::string folder = variable(environment, name);
    const bool is_moved = folder.starts_with('/') && file.starts_with(prefix);
    return is_moved ? folder + "/" + file.substr(prefix.size()) : "";
  };
  for (const std::string& path : {moved("XDG_CONFIG_HOME", ".config/"), moved("CODEX_HOME", ".codex/")}) {
    if (!path.empty()) return path;
  }
  const auto home = home_folder(environment);
  if (!home) return base::Error{"there is no home folder to look for the file in: set HOME"};
  return *home + "/" + file;
}

base::Result<std::string> edited(const Client& client, const ServerStart& start, const std::string& text) {
  if (client.format == ClientFormat::kToml) return with_toml_section(text, client_snippet(client, start));
  return with_json_entry(text, client.members, client_entry(client, start));
}

int write(const Client& client, const ServerStart& start, const std::string& path) {
  const std::string by_hand = fmt::format("paste what `bashcell config {}` prints", client.name);
  if (client.format == ClientFormat::kYaml) {
    return fail(fmt::format("{} is YAML, which is not edited here: {} into it", path, by_hand));
  }
  const base::Result<FileContent> content = read_client_file(path);
  if (!content) return fail(content.error().message);
  const base::Result<std::string> text = edited(client, start, content->text.value_or(""));
  if (!text) {
    return fail(fmt::format("{} {}: nothing was written; mend it, or {} into it by hand", content->file,
                            text.error().message, by_hand));
  }
  const base::Result<FileChange> change = replace_client_file(*content, *text);
  if (!change) return fail(change.error().message);
  if (!change->changed) {
    say(fmt::format("{} says so already.", change->file));
    return 0;
  }
  say(fmt::format("Wrote {}{}.", change->file,
                  change->backup.empty() ? "" : "; what it was before is in " + change->backup));
  say(fmt::format("Start {} again to use it.", client.title));
  return 0;
}

// A key is never written into a file.
void say_about_the_key(const Client& client, const std::string& name) {
  if (name.empty() || client.forwarding != Forwarding::kValues) return;
  say(fmt::format("{} may not hand on {}: give the server that variable by another way.", client.title, name));
}

}  // namespace

int configure(const Invocation& invocation, base::UniqueFd output) {
  if (invocation.operand.empty()) return list_clients(output);
  const std::optional<Client> client = find_client(invocation.operand);
  if (!client) return unknown_client(invocation.operand);
  const Environment environment = environment_map(process_environment());
  std::error_code failure;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  if (failure) return fail("cannot find this program: /proc/self/exe: " + failure.message());

  ServerStart start = server_start(invocation, *client, environment, program);
  const std::string distribution = variable(environment, "WSL_DISTRO_NAME");
  if (invocation.on_windows) {
    if (client->windows.empty()) return fail(fmt::format("{} does not run on Windows", client->title));
    if (invocation.write) return fail("--write cannot reach files of Windows: paste what is printed without it");
    start = through_wsl(start, distribution);
  }
  const base::Result<std::string> path = file_of(*client, environment);
  if (!path) return fail(path.error().message);
  if (invocation.write) {
    say_about_the_key(*client, invocation.config.repair_key_env);
    return write(*client, start, *path);
  }
  if (!base::write_all(output.get(), client_snippet(*client, start))) return 1;
  say(fmt::format("This belongs into {}, the file of {}.", invocation.on_windows ? client->windows : *path,
                  client->title));
  say_about_the_key(*client, invocation.config.repair_key_env);
  if (!distribution.empty() && !invocation.on_windows && !client->windows.empty()) {
    say("If it runs on Windows: add --windows. bashcell itself runs in WSL.");
  }
  return 0;
}

}  // namespace bashcell::commands
