#pragma once
// The results of all methods, as pure functions: what is said to a client, in which era's form.
//
// Members that only the modern era knows are never sent to a legacy client: some show every member to the model.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "mcp/era.h"
#include "mcp/tool.h"

namespace bashcell::mcp {

// What is said of this server. `instructions` is left out when empty.
struct ServerInfo {
  std::string name = "bashcell";
  std::string version;
  std::string instructions;
};

nlohmann::json initialize_result(const ServerInfo& info, const std::string& version);
nlohmann::json discover_result(const ServerInfo& info);
nlohmann::json tools_result(const ServerInfo& info, Era era, const std::vector<Tool*>& tools);
nlohmann::json call_result(const ServerInfo& info, Era era, const ToolResult& result);

// There is one prompt: how to work with the bash tool.
inline constexpr const char* kPromptName = "system";
nlohmann::json prompts_result(const ServerInfo& info, Era era);
nlohmann::json prompt_result(const ServerInfo& info, Era era);

}  // namespace bashcell::mcp
