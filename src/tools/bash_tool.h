#pragma once
// The tool `bash`: the one hinge between the protocol and the sandbox. Checks arguments, runs, renders.

#include <memory>
#include <vector>

#include "base/clock.h"
#include "heal/healer.h"
#include "heal/repair_model.h"
#include "mcp/tool.h"
#include "sandbox/sandbox.h"
#include "sandbox/workspace_lock.h"
#include "shelf/keeper.h"
#include "tools/audit.h"
#include "tools/filters.h"

namespace bashcell::tools {

struct BashToolOptions {
  base::Duration timeout{30'000};       // when a call names none
  base::Duration max_timeout{300'000};  // what a call may ask for
  base::Budget budget;                  // of a reply
  bool filters = true;                  // output over the budget goes through the one that fits the command
  std::vector<Filter> extra_filters;
  Audit* audit = nullptr;          // gets each call, when there is one; it outlives the tool
  bool repair_by_client = false;   // a script that did nothing may be repaired by the client's model, where it has one
  heal::Model* model = nullptr;    // or by this one, which outlives the tool
  shelf::Keeper* shelf = nullptr;  // where scripts are saved; outlives the tool
  sandbox::WorkspaceLock* workspace_lock = nullptr;  // held around each call, free at its reply; it outlives the tool
};

class BashTool final : public mcp::Tool {
 public:
  // All must outlive this. `healer`: none, and nothing is healed.
  BashTool(base::EventLoop& loop, sandbox::Sandbox& sandbox, heal::Healer* healer, BashToolOptions options);

  const mcp::ToolDefinition& definition() const override { return definition_; }
  void call(const nlohmann::json& arguments, std::unique_ptr<mcp::ToolCall> call) override;

 private:
  struct Open;

  void start(const std::shared_ptr<Open>& open, sandbox::CallRequest request);
  std::string progress_text(const Open& open, base::Duration elapsed) const;
  void on_report(const std::shared_ptr<Open>& open, sandbox::CallReport report);
  bool start_repair(const std::shared_ptr<Open>& open, sandbox::CallReport& report);
  sandbox::Sandbox::CallId run_repaired(Open& open, sandbox::CallRequest request, sandbox::Sandbox::OnFinished done);
  void heal(const std::shared_ptr<Open>& open, sandbox::CallReport report, std::string clause);
  void record(const Open& open, const sandbox::CallReport& report, size_t reply_bytes);
  void finish(Open& open, const sandbox::CallReport& report, std::vector<std::string> healing);

  base::EventLoop& loop_;
  sandbox::Sandbox& sandbox_;
  heal::Healer* healer_;
  BashToolOptions options_;
  mcp::ToolDefinition definition_;
};

// The arguments as a request, or a sentence that names the argument and what is allowed.
base::Result<sandbox::CallRequest> bash_request(const nlohmann::json& arguments, const BashToolOptions& options);

}  // namespace bashcell::tools
