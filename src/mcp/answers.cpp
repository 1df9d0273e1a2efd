#include "mcp/answers.h"

#include "base/file.h"
#include "embedded/mcp_prompts.h"

namespace bashcell::mcp {

namespace {

using nlohmann::json;

constexpr const char* kPromptDescription = "How to work well with the bash tool";
// Nothing in the lists depends on who asks or changes while the server runs.
constexpr int kTimeToLiveMs = 3'600'000;

json identity(const ServerInfo& info) { return {{"name", info.name}, {"version", info.version}}; }

json capabilities() { return {{"tools", json::object()}, {"prompts", json::object()}}; }

json in_form_of(Era era, const ServerInfo& info, json result) {
  if (era == Era::kLegacy) return result;
  result["resultType"] = "complete";
  result["_meta"] = {{"io.modelcontextprotocol/serverInfo", identity(info)}};
  return result;
}

json cacheable_in_form_of(Era era, const ServerInfo& info, json result) {
  if (era == Era::kModern) {
    result["ttlMs"] = kTimeToLiveMs;
    result["cacheScope"] = "public";
  }
  return in_form_of(era, info, std::move(result));
}

json listed(const ToolDefinition& definition) {
  json tool = {
      {"name", definition.name}, {"description", definition.description}, {"inputSchema", definition.input_schema}};
  if (!definition.annotations.empty()) tool["annotations"] = definition.annotations;
  if (!definition.meta.empty()) tool["_meta"] = definition.meta;
  return tool;
}

json text_block(std::string_view text) { return {{"type", "text"}, {"text", text}}; }

}  // namespace

json initialize_result(const ServerInfo& info, const std::string& version) {
  json result = {{"protocolVersion", version}, {"capabilities", capabilities()}, {"serverInfo", identity(info)}};
  if (!info.instructions.empty()) result["instructions"] = info.instructions;
  return result;
}

json discover_result(const ServerInfo& info) {
  json result = {{"supportedVersions", json::array({kModernVersion})}, {"capabilities", capabilities()}};
  if (!info.instructions.empty()) result["instructions"] = info.instructions;
  return cacheable_in_form_of(Era::kModern, info, std::move(result));
}

json tools_result(const ServerInfo& info, Era era, const std::vector<Tool*>& tools) {
  json list = json::array();
  for (const Tool* tool : tools) list.push_back(listed(tool->definition()));
  return cacheable_in_form_of(era, info, {{"tools", std::move(list)}});
}

json call_result(const ServerInfo& info, Era era, const ToolResult& result) {
  json answer = {{"content", json::array({text_block(result.text)})}};
  if (result.is_error) answer["isError"] = true;  // absent means false
  return in_form_of(era, info, std::move(answer));
}

json prompts_result(const ServerInfo& info, Era era) {
  const json prompt = {{"name", kPromptName}, {"description", kPromptDescription}};
  return cacheable_in_form_of(era, info, {{"prompts", json::array({prompt})}});
}

json prompt_result(const ServerInfo& info, Era era) {
  const json message = {{"role", "user"}, {"content", text_block(base::trimmed(embedded::system_prompt))}};
  return in_form_of(era, info, {{"description", kPromptDescription}, {"messages", json::array({message})}});
}

}  // namespace bashcell::mcp
