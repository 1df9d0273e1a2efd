#pragma once
// One call at a time on one workspace, between all servers of this user on this machine (--workspace-lock).
//
// A lock file outside the workspace's reach (base/file_lock.h), held by the server's own descriptor for as long as a
// call: no cell and no child has it, and the kernel releases it when the server dies. Whoever waits first takes a
// second file, so that a server with call after call cannot keep the others off.
//
// On the event loop's thread; nothing here blocks for longer than a few file operations.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <variant>

#include "base/clock.h"
#include "base/event_loop.h"
#include "base/file_lock.h"
#include "base/result.h"

namespace bashcell::sandbox {

class WorkspaceLock {
 public:
  struct Place {
    std::string file;       // of the lock; beside it FILE.next is made
    std::string workspace;  // for people
    std::string cure = {};  // for people: what to do where its file system knows no locks
  };
  // Called for each call anew: the workspace may have been replaced. An error is why there can be no lock.
  using FindPlace = std::function<base::Result<Place>()>;
  using Ticket = uint64_t;  // 0 is never one
  // An error: it is not held, and nothing may run; says why, and who holds it.
  using OnTaken = std::function<void(base::Result<void>)>;

  WorkspaceLock(base::EventLoop& loop, FindPlace find_place, base::Duration patience = base::kLockPatience)
      : loop_(loop), find_place_(std::move(find_place)), patience_(patience) {}
  WorkspaceLock(const WorkspaceLock&) = delete;
  WorkspaceLock& operator=(const WorkspaceLock&) = delete;
  ~WorkspaceLock();

  // Calls of this server take their turn in the order of take(); the patience begins with the turn. `on_taken` is
  // called once, never from inside take() or release(), unless release() comes first.
  Ticket take(OnTaken on_taken);
  // Ends holding it, or waiting for it. Other tickets are ignored.
  void release(Ticket ticket);

 private:
  struct Waiting {
    Ticket ticket = 0;
    OnTaken on_taken;
  };

  void next_turn();
  void begin_turn();
  void try_now();
  void end_turn(base::Result<void> result);
  base::Error busy() const;

  base::EventLoop& loop_;
  FindPlace find_place_;
  base::Duration patience_;
  std::deque<Waiting> queue_;  // the first has its turn
  Ticket last_ticket_ = 0;
  Ticket holder_ = 0;  // 0: nobody of us
  Place place_;
  std::optional<base::FileLock> turn_;  // of FILE.next
  std::optional<base::FileLock> lock_;
  base::Instant begun_;
  base::Duration pause_{0};
  base::EventLoop::TimerId timer_ = 0;
};

}  // namespace bashcell::sandbox
