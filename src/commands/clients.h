#pragma once
// What each MCP client is to be told of a server: its file, the shape of an entry in it, how long the client waits for
// an answer and which variables it hands on. Pure: reads and writes nothing.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace bashcell::commands {

enum class ClientFormat { kJson, kToml, kYaml };

// How a client's servers get variables of its environment that they do not inherit.
enum class Forwarding {
  kInherited,  // nothing to do
  kNames,      // by their names (Codex: env_vars)
  kDollar,     // as "$NAME" (Gemini; of those that it holds back)
  kValues      // only as values, written down
};

struct Client {
  std::string_view name;     // as `bashcell config NAME` takes it
  std::string_view title;    // as people call it
  std::string_view file;     // below the home folder
  std::string_view windows;  // the same on Windows, where a client exists there; else empty
  ClientFormat format = ClientFormat::kJson;
  std::vector<std::string_view> members;  // under which its servers are
  nlohmann::ordered_json fixed;           // members of an entry that are always the same
  bool command_is_list = false;           // program and arguments in one array
  std::string_view environment = "env";
  std::string_view timeout;      // the member for the longest wait; empty: it has none
  int64_t timeout_unit_ms = 1;   // of that member
  int64_t gives_up_after_s = 0;  // where it cannot be told to wait longer; 0: never, or it can
  Forwarding forwarding = Forwarding::kInherited;
};

std::vector<Client> all_clients();

// Nothing when there is no client of that name.
std::optional<Client> find_client(std::string_view name);

// What is to be started.
struct ServerStart {
  std::string program;  // absolute
  std::vector<std::string> arguments;
  std::vector<std::string> names;                                // of variables that the server may need
  std::vector<std::pair<std::string, std::string>> environment;  // those of them that are set now and are no secrets
  std::string key;                                               // the name of the one that holds a secret; empty: none
  int64_t longest_answer_s = 0;                                  // the longest time that an answer may take
};

// The most that a call may ask for (--max-timeout) so that the answer comes before this client gives up; 0: as
// configured.
int64_t timeout_for(const Client& client);

// The server started through wsl.exe, from Windows: variables by env, since wsl.exe hands none on.
ServerStart through_wsl(const ServerStart& start, const std::string& distribution);

// The entry of a JSON client, to be put under `members` with the name "bashcell".
nlohmann::ordered_json client_entry(const Client& client, const ServerStart& start);

// What to paste, whole: for JSON an object with `members`, for TOML a section, for YAML a list. Ends with a newline.
std::string client_snippet(const Client& client, const ServerStart& start);

}  // namespace bashcell::commands
