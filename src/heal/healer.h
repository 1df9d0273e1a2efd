#pragma once
// What is done about the things that scripts lack, call by call: at the moment of a miss (`cell heal`), and after the
// call for what bash does not see. Nothing is run again: the script finds the command, or the model is told.
//
// On the event loop's thread; nothing blocks. Everything that comes from a cell is untrusted: a name that is no name,
// or that no table knows, goes nowhere.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "heal/need.h"
#include "heal/package_table.h"
#include "sandbox/sandbox.h"

namespace bashcell::heal {

// How long a call may keep its client waiting: clients give it up 60 s after they sent it.
inline constexpr base::Duration kClientsWait{50'000};

struct Policy {
  bool install = true;
  std::set<std::string> allow;  // commands and modules; empty: all that the tables know
  std::set<std::string> deny;   // wins
};

// Gets it into the toolbox; calls back once, maybe at once. Errors are sentences that begin in lower case.
using Install = std::function<void(const Need&, std::function<void(base::Result<Installed>)>)>;

class Healer {
 public:
  using CallId = sandbox::Sandbox::CallId;

  // `table` must outlive this.
  Healer(base::EventLoop& loop, const PackageTable& table, Policy policy, Install install);
  Healer(const Healer&) = delete;
  Healer& operator=(const Healer&) = delete;
  ~Healer();

  // A call was accepted: its client waits from now on.
  void begin(CallId call);
  // For Sandbox::on_question. Answered within the time for which clients wait; an install goes on after that.
  void answer(sandbox::Question question, sandbox::Respond respond);
  struct Ended {
    const sandbox::CallReport& report;
    std::string_view script;
    const engine::CellSpec& spec;
  };
  // The call has ended. Installs what it lacked and bash did not see, and tells, as clauses of the status line, what
  // was done for it, why something was not, or what it may use instead. Once for each begin(), maybe at once.
  void finish(CallId call, const Ended& ended, std::function<void(std::vector<std::string> clauses)> on_told);
  // The client does not wait any more: begin() is forgotten.
  void forget(CallId call) { calls_.erase(call); }
  struct Installing {
    std::string package;
    base::Instant since;
  };
  // What the call waits for now, the oldest first; nothing when it does not wait for an install.
  std::optional<Installing> installing(CallId call) const;
  // The packages that were installed for it. Known until finish() has told.
  std::vector<std::string> installed(CallId call) const;

 private:
  struct Call {
    base::Instant begun;
    std::vector<std::string> installed;  // clauses
    std::vector<std::string> problems;
    std::vector<Installing> waits_for;
    std::vector<std::string> packages;
  };
  struct Waiter;

  std::string package_for(const Need& need) const;
  void get_for(CallId call, const Need& need, std::function<void(base::Result<Installed>)> on_done);
  void get(const Need& need, base::Instant until, std::function<void(base::Result<Installed>)> on_done);
  std::string refusal(const Need& need) const;
  base::Instant patience(CallId call) const;
  void install_rest(CallId call, std::vector<Need> needs, std::string hint,
                    std::function<void(std::vector<std::string>)> on_told);
  void tell(CallId call, std::string hint, const std::function<void(std::vector<std::string>)>& on_told);

  base::EventLoop& loop_;
  const PackageTable& table_;
  Policy policy_;
  Install install_;
  std::map<CallId, Call> calls_;
  std::map<Need, std::pair<base::Instant, std::string>> failed_;  // lately, and why
  std::set<base::EventLoop::TimerId> timers_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace bashcell::heal
