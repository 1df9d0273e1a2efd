#include "config.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "config_command_line.h"
#include "config_commands.h"
#include "config_filters.h"
#include "config_options.h"
#include "config_paths.h"

namespace bashcell {
namespace {

using base::Error;
using base::Result;
using nlohmann::json;

// The values that were set, and where each was set ("--memory", "BASHCELL_MEMORY in the environment", ...).
struct Settings {
  json values = json::object();
  std::map<std::string, std::string> sources;
  std::map<std::string, bool> from_flag;

  void set(const std::string& name, json value, const std::string& source, bool is_flag = false) {
    values[name] = std::move(value);
    sources[name] = source;
    from_flag[name] = is_flag;
  }
  bool has(const std::string& name) const { return values.contains(name); }
};

Error not_allowed(const Settings& settings, const std::string& name, const std::string& allowed) {
  std::string shown = settings.values.at(name).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  if (shown.size() > 80) shown = shown.substr(0, 77) + "...";
  return Error{fmt::format("{} is {}; it must be {}", settings.sources.at(name), shown, allowed)};
}

// The whole line of the byte at `offset`, counted from 1.
// The file to read, and whether the user named it (then it must exist).
struct ConfigFile {
  std::string path;
  std::string source;
  bool named = false;
};

Result<ConfigFile> config_file(const CommandLine& line, const Environment& environment) {
  if (!line.config_file.empty()) return ConfigFile{absolute_path(line.config_file, environment), "--config", true};
  const auto variable = environment.find("BASHCELL_CONFIG");
  if (variable != environment.end() && !variable->second.empty()) {
    if (variable->second[0] != '/' && !variable->second.starts_with("~/")) {
      return Error{
          fmt::format("BASHCELL_CONFIG in the environment is \"{}\"; it must be an absolute path", variable->second)};
    }
    return ConfigFile{absolute_path(variable->second, environment), "BASHCELL_CONFIG in the environment", true};
  }
  const auto folder = user_folder(environment, "XDG_CONFIG_HOME", ".config");
  return ConfigFile{folder ? *folder + "/config.json" : std::string(), "", false};
}

Result<void> add_file(Settings& settings, const std::vector<Option>& options, const ConfigFile& file) {
  if (file.path.empty()) return {};
  if (!file.named && ::access(file.path.c_str(), F_OK) != 0) return {};
  const Result<std::string> text = base::read_file(file.path);
  if (!text) return Error{(file.named ? file.source + ": " : "configuration: ") + text.error().message};

  json document;
  try {
    document = json::parse(*text);
  } catch (const json::parse_error& error) {
    return Error{fmt::format("{} is not valid JSON: see line {}", file.path, base::line_of(*text, error.byte))};
  } catch (const json::out_of_range&) {  // 1e400
    return Error{file.path + " has a number that is too large for any option"};
  }
  if (!document.is_object()) return Error{fmt::format("{} must hold one JSON object of options", file.path)};

  std::vector<std::string> known;
  for (const Option& option : options) known.push_back(option.name);
  for (const auto& [name, value] : document.items()) {
    if (name == "$schema") continue;  // editors put it there
    if (find_option(options, name) == nullptr) {
      return Error{fmt::format("there is no option \"{}\" ({}){}", name, file.path, did_you_mean(name, known))};
    }
    settings.set(name, value, fmt::format("\"{}\" in {}", name, file.path));
  }
  return {};
}

Result<void> add_environment(Settings& settings, const std::vector<Option>& options, const Environment& environment) {
  // Not options: the configuration file's name, and the tests' own switches.
  const std::vector<std::string> others = {"BASHCELL_CONFIG", "BASHCELL_ACCEPT", "BASHCELL_REQUIRE",
                                           "BASHCELL_UNDER_TEST", "BASHCELL_EVENT_FD"};
  std::vector<std::string> known = {"BASHCELL_CONFIG"};
  std::map<std::string, const Option*> by_variable;
  for (const Option& option : options) {
    if (option.only_in_file) continue;
    known.push_back(option.variable());
    by_variable[option.variable()] = &option;
  }
  for (const auto& [variable, text] : environment) {
    if (!variable.starts_with("BASHCELL_") || variable.starts_with("BASHCELL_TEST_")) continue;
    if (std::find(others.begin(), others.end(), variable) != others.end()) continue;
    const auto found = by_variable.find(variable);
    if (found == by_variable.end()) {
      return Error{
          fmt::format("there is no option for {} in the environment{}", variable, did_you_mean(variable, known))};
    }
    if (text.empty()) continue;  // clients pass on variables that are not set as empty ones
    settings.set(found->second->name, value_from_text(*found->second, text), variable + " in the environment");
  }
  return {};
}

constexpr std::string_view kVolumePrefix = "volume:";

bool is_volume(std::string_view workspace) { return workspace.starts_with(kVolumePrefix); }

// As Docker names volumes.
bool is_volume_name(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return name.size() >= 2 && name.size() <= 128 && kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(std::string(kLetters) + "_.-") == std::string_view::npos;
}

// A relative path means something only where the user typed it: on the command line.
Result<void> settle_paths(Settings& settings, const std::vector<Option>& options, const Environment& environment) {
  for (const Option& option : options) {
    if (!settings.has(option.name) || !settings.values[option.name].is_string()) continue;
    const std::string path = settings.values[option.name];
    const bool is_path = option.is_path || (option.name == "runtime" && path.find('/') != std::string::npos);
    if (!is_path || path.empty()) continue;
    if (option.name == "workspace" && is_volume(path)) {
      if (!is_volume_name(std::string_view(path).substr(kVolumePrefix.size()))) {
        return not_allowed(settings, option.name, "volume:NAME, with letters, digits, and _ . - after the first");
      }
      continue;
    }
    if (path.find('\0') != std::string::npos) return not_allowed(settings, option.name, option.allowed);
    if (path[0] != '/' && !path.starts_with("~/") && !settings.from_flag[option.name]) {
      return not_allowed(settings, option.name, "an absolute path (clients start servers in any folder)");
    }
    settings.values[option.name] = absolute_path(path, environment);
  }
  return {};
}

base::Duration duration_of(const json& seconds) { return base::Duration(std::llround(seconds.get<double>() * 1000)); }

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  for (const std::string_view name : base::split(list, ',')) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

template <typename Value>
Value pick(const json& name, const std::map<std::string, Value>& values) {
  return values.at(name.get<std::string>());
}

// `values` is complete and satisfies the schema.
Config config_from(const json& values) {
  Config config;
  config.engine = pick<EngineChoice>(values["engine"], {{"auto", EngineChoice::kAuto},
                                                        {"oci", EngineChoice::kOci},
                                                        {"docker", EngineChoice::kDocker},
                                                        {"podman", EngineChoice::kPodman}});
  config.image = values.value("image", "");
  config.docker_host = values.value("docker_host", "");
  config.network = values.value("network", "");
  config.runtime = values.value("runtime", "");
  config.rootfs = values.value("rootfs", "");
  config.workspace = values.value("workspace", "");
  config.workspace_is_default = config.workspace.empty();
  if (is_volume(config.workspace)) {
    config.workspace_volume = config.workspace.substr(kVolumePrefix.size());
    config.workspace.clear();
  }
  if (values.contains("user")) {
    const std::string user = values["user"];
    const size_t colon = user.find(':');
    config.user = engine::User{static_cast<uint32_t>(std::stoul(user.substr(0, colon))),
                               static_cast<uint32_t>(std::stoul(user.substr(colon + 1)))};
  }
  config.shelf = pick<ShelfScope>(
      values["shelf"], {{"workspace", ShelfScope::kWorkspace}, {"user", ShelfScope::kUser}, {"off", ShelfScope::kOff}});
  config.protect = pick<engine::ProtectPolicy>(values["protect"], {{"on", engine::ProtectPolicy::kOn},
                                                                   {"strict", engine::ProtectPolicy::kStrict},
                                                                   {"off", engine::ProtectPolicy::kOff}});
  config.memory_mb = values["memory"];
  config.cpus = values["cpus"];
  config.pids = values["pids"];
  config.limits = pick<engine::LimitsPolicy>(values["limits"], {{"strict", engine::LimitsPolicy::kStrict},
                                                                {"best-effort", engine::LimitsPolicy::kBestEffort}});
  config.timeout = duration_of(values["timeout"]);
  config.max_timeout = duration_of(values["max_timeout"]);
  config.install_timeout = duration_of(values["install_timeout"]);
  config.session_limit = duration_of(values["session_limit"]);
  config.idle_limit = 60 * duration_of(values["idle_limit"]);
  config.budget = {.chars = values["max_chars"], .tokens = values["max_output"]};
  config.filters = values["filters"] == "on";
  config.install = values["install"] == "auto";
  config.install_allow = names_of(values.value("install_allow", ""));
  config.install_deny = names_of(values.value("install_deny", ""));
  config.pip_index = values.value("pip_index", "");
  config.repair = values["repair"];
  config.repair_model = values.value("repair_model", "");
  config.repair_key_env = values.value("repair_key_env", "");
  config.parallel = values["parallel"];
  config.warm = values["warm"];
  config.instructions = values["instructions"];
  config.record = values.value("record", "");
  config.audit = values.value("audit", "");
  config.audit_scripts = values["audit_scripts"];
  config.audit_max_bytes = std::llround(values["audit_max_mb"].get<double>() * (1 << 20));
  config.init = values.value("init", "");
  config.workspace_lock = values["workspace_lock"];
  config.log = pick<base::LogLevel>(values["log"], {{"quiet", base::LogLevel::kQuiet},
                                                    {"error", base::LogLevel::kError},
                                                    {"info", base::LogLevel::kInfo},
                                                    {"debug", base::LogLevel::kDebug}});
  return config;
}

// What no schema of single values can say.
Result<void> check_together(Config& config, const Settings& settings, const Environment& environment) {
  if (config.timeout > config.max_timeout) {
    if (settings.has("timeout")) {
      return not_allowed(settings, "timeout",
                         fmt::format("at most max-timeout, {}", base::seconds_text(config.max_timeout)));
    }
    config.timeout = config.max_timeout;
  }
  if (!config.workspace_volume.empty() && config.engine == EngineChoice::kOci) {
    return not_allowed(settings, "workspace", "the path of a folder (the oci engine has no volumes)");
  }
  if (!config.workspace_volume.empty() && config.protect == engine::ProtectPolicy::kStrict) {
    return not_allowed(settings, "protect", "on or off (what is in an engine's volume cannot be protected)");
  }
  if (config.workspace_is_default) {
    const auto folder = user_folder(environment, "XDG_DATA_HOME", ".local/share");
    if (!folder) return Error{"there is no home folder for the default workspace: name one with --workspace DIR"};
    config.workspace = *folder + "/workspace";
  } else if (config.workspace_volume.empty() && is_system_folder(config.workspace)) {
    return not_allowed(settings, "workspace", "a folder of your own: scripts may write and delete there");
  }
  return {};
}

Result<Config> load_config(const CommandLine& line, const std::vector<Option>& options,
                           const Environment& environment) {
  const Result<ConfigFile> file = config_file(line, environment);
  if (!file) return file.error();
  Settings settings;
  if (auto added = add_file(settings, options, *file); !added) return added.error();
  if (auto added = add_environment(settings, options, environment); !added) return added.error();
  for (const auto& [name, text] : line.values) {
    const Option& option = *find_option(options, name);
    settings.set(name, value_from_text(option, text), option.flag(), /*is_flag=*/true);
  }
  if (const auto refused = first_refused_member(settings.values)) {
    const Option* option = find_option(options, *refused);
    if (option == nullptr) return Error{"the options do not fit schemas/config.json"};
    return not_allowed(settings, option->name, option->allowed);
  }
  if (auto settled = settle_paths(settings, options, environment); !settled) return settled.error();

  json complete = settings.values;
  for (const Option& option : options) {
    if (!complete.contains(option.name) && !option.fallback.is_null()) complete[option.name] = option.fallback;
  }
  Config config = config_from(complete);
  if (settings.has("extra_filters")) {
    auto filters = extra_filters(settings.values["extra_filters"]);
    if (!filters) return Error{fmt::format("{} {}", settings.sources["extra_filters"], filters.error().message)};
    config.extra_filters = std::move(*filters);
  }
  if (auto checked = check_together(config, settings, environment); !checked) return checked.error();
  return config;
}

// These say the same whatever is configured, and must do so when the configuration is broken.
bool prints_a_text(Command command) {
  return command == Command::kHelp || command == Command::kVersion || command == Command::kOptions ||
         command == Command::kCompletion || command == Command::kManual;
}

}  // namespace

Result<Invocation> parse_invocation(const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& environment) {
  const std::vector<Option> options = all_options();
  Invocation invocation;
  const Result<CommandLine> line = parse_command_line(options, take_config_switches(invocation, arguments));
  if (!line) return line.error();
  if (auto chosen = choose_command(invocation, *line); !chosen) return chosen.error();
  if (prints_a_text(invocation.command)) return invocation;

  Result<Config> config = load_config(*line, options, environment_map(environment));
  if (!config) return config.error();
  invocation.config = std::move(*config);
  for (const auto& [name, text] : line->values) {
    invocation.flags.push_back(find_option(options, name)->flag() + "=" + text);
  }
  if (!line->config_file.empty()) invocation.flags.push_back("--config=" + line->config_file);
  if (invocation.command == Command::kConfig) {
    invocation.server_arguments = server_arguments(*line, options, environment_map(environment));
  }
  return invocation;
}

std::vector<std::string> process_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

}  // namespace bashcell
