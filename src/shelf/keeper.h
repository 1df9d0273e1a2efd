#pragma once
// Answers what scripts ask of the shelf (`cell save NAME`, `cell rm NAME`), and remembers for it the last finished
// script of the conversation.
//
// On the event loop's thread; while another server writes, it asks for the lock again and again, for as long as
// base::kLockPatience. It trusts nothing in a question: a script in a cell can ask anything.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "sandbox/sandbox.h"
#include "shelf/place.h"
#include "shelf/store.h"

namespace bashcell::shelf {

struct KeeperOptions {
  base::Result<Place> place = base::Error{"the shelf is off (--shelf off)"};  // or why there is none
  std::function<bool(const std::string&)> is_command = {};  // a saved script must not be called so, whatever a cell has
};

class Keeper {
 public:
  using CallId = sandbox::Sandbox::CallId;

  // `sandbox`: whose questions these are. Both must outlive this.
  Keeper(base::EventLoop& loop, const sandbox::Sandbox& sandbox, KeeperOptions options);
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper();

  // A call has begun, and has ended. What it may save is what had ended before it began; a script that itself asks for
  // the shelf is not worth saving, and does not count.
  void begin(CallId call);
  void ended(CallId call, const std::string& script, const sandbox::CallReport& report);

  static bool is_for_it(std::string_view verb) { return verb == "save" || verb == "rm" || verb == "shelf"; }
  // Later, when another server writes. The cell itself reads the shelf.
  void answer(sandbox::Question question, sandbox::Respond respond);

 private:
  struct Finished {
    std::string script;   // that went well and can be saved
    std::string problem;  // else: why it cannot
    int64_t wall_ms = 0;
  };
  struct Call {
    std::shared_ptr<const Finished> before;
    bool asked = false;
  };
  struct Change {
    std::optional<wire::ShelfEntry> entry;  // to be written; nothing: to be removed
    std::string name;
    sandbox::Respond respond;
    base::Instant latest = base::now() + base::kLockPatience;
  };

  void save(sandbox::Question question, sandbox::Respond respond);
  base::Result<wire::ShelfEntry> from_file(sandbox::Question question) const;
  base::Result<wire::ShelfEntry> from_last(CallId call) const;
  void make(std::shared_ptr<Change> change);
  void again(std::shared_ptr<Change> change);

  base::EventLoop& loop_;
  const sandbox::Sandbox& sandbox_;
  KeeperOptions options_;
  std::shared_ptr<const Finished> last_;
  std::map<CallId, Call> calls_;
  std::set<base::EventLoop::TimerId> timers_;
};

}  // namespace bashcell::shelf
