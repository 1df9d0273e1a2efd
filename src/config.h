#pragma once
// What a user may set, checked and typed; and what the command line asks for.
//
// Every option has one name, in schemas/config.json. A value comes from the flag, else from the environment, else from
// the configuration file, else from the schema. Nothing is ever read from the working directory or the workspace.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/cell_spec.h"

namespace bashcell {

enum class EngineChoice { kAuto, kOci, kDocker, kPodman };
enum class ShelfScope { kWorkspace, kUser, kOff };

// A filter of the user's, as tools::Filter.
struct ExtraFilter {
  std::string name;
  std::vector<std::string> commands;
  std::string text;
};

inline constexpr const char* kDefaultImage = "python:3.11-slim";

// All paths are absolute, or empty when not set.
struct Config {
  EngineChoice engine = EngineChoice::kAuto;
  std::string runtime;      // a name or an absolute path; empty: crun, else runc
  std::string rootfs;       // empty: the host's programs behind a skeleton
  std::string image;        // empty: kDefaultImage, see cell_image()
  std::string docker_host;  // empty: found
  std::string network;      // empty: none
  std::string workspace;
  std::string workspace_volume;      // then `workspace` is empty
  bool workspace_is_default = true;  // then it is made when missing (prepare_workspace)
  std::optional<engine::User> user;  // nothing: cell_user() decides
  engine::ProtectPolicy protect = engine::ProtectPolicy::kOn;
  ShelfScope shelf = ShelfScope::kWorkspace;
  int64_t memory_mb = 512;
  double cpus = 0.5;
  int64_t pids = 50;
  engine::LimitsPolicy limits = engine::LimitsPolicy::kStrict;
  base::Duration timeout = std::chrono::seconds(30);  // at most max_timeout
  base::Duration max_timeout = std::chrono::seconds(300);
  base::Duration install_timeout = std::chrono::seconds(60);
  base::Duration session_limit = std::chrono::seconds(300);  // 0: none
  base::Duration idle_limit = std::chrono::minutes(30);      // 0: none
  base::Budget budget;
  bool filters = true;
  std::vector<ExtraFilter> extra_filters;
  bool install = true;
  std::vector<std::string> install_allow;  // empty: all
  std::vector<std::string> install_deny;
  std::string pip_index;       // empty: pip's own
  std::string repair = "off";  // "client", or the URL of an endpoint
  std::string repair_model;
  std::string repair_key_env;
  int parallel = 4;
  bool workspace_lock = false;
  bool warm = false;
  bool instructions = false;
  std::string record;
  std::string audit;  // empty: none
  bool audit_scripts = false;
  int64_t audit_max_bytes = int64_t{16} << 20;
  std::string init;  // empty: find_supervisor() looks for it
  base::LogLevel log = base::LogLevel::kError;
};

enum class Command { kServe, kRun, kDoctor, kConfig, kReplay, kShelf, kOptions, kCompletion, kManual, kHelp, kVersion };

// One start of the program.
struct Invocation {
  Command command = Command::kServe;
  std::string operand;             // the script of `run`, the file of `replay`, the verb of `shelf`, ...
  std::string subject;             // of that verb: a name, or the path of a folder
  std::vector<std::string> flags;  // the options given as flags, as "--name=value": for a server started by us
  Config config;
  // Of `config` alone: what a client is to start the server with (paths absolute), whether to write it into the
  // client's file, and whether that client runs on Windows.
  std::vector<std::string> server_arguments;
  bool write = false;
  bool on_windows = false;
};

// `arguments` without the program's name; `environment` as "NAME=value". Reads the configuration file. An error is one
// line that names the option, where it was set, and what is allowed.
base::Result<Invocation> parse_invocation(const std::vector<std::string>& arguments,
                                          const std::vector<std::string>& environment);

// The environment of this process, as parse_invocation takes it.
std::vector<std::string> process_environment();

// What --help prints: a screen of 24 lines and 80 columns.
std::string help_text();

// What `bashcell options` prints: every option.
std::string options_text();

}  // namespace bashcell
