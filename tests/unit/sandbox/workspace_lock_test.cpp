#include "sandbox/workspace_lock.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../../support/no_flock.h"
#include "../../support/temporary_folder.h"

using namespace bashcell;
using namespace std::chrono_literals;
using sandbox::WorkspaceLock;

namespace {

// Some servers on one workspace, all on one loop.
struct Servers {
  TemporaryFolder folder;
  base::EventLoop loop;
  std::string file = (folder.path() / "lock").string();
  std::vector<std::string> told;

  std::unique_ptr<WorkspaceLock> server(base::Duration patience = base::kLockPatience) {
    return std::make_unique<WorkspaceLock>(
        loop,
        [this] {
          return WorkspaceLock::Place{file, "/w", "take another place"};
        },
        patience);
  }
  WorkspaceLock::OnTaken tell(const std::string& who) {
    return [this, who](const base::Result<void>& taken) {
      told.push_back(who + (taken ? "" : ": " + taken.error().message));
      loop.stop();
    };
  }
  // Until the next one was told.
  void next() { loop.run(); }
  // What is ready by now.
  void turn(base::Duration time = 20ms) {
    loop.after(time, [this] { loop.stop(); });
    loop.run();
  }
};

using Told = std::vector<std::string>;

}  // namespace

TEST_CASE("One call at a time, of one server in their order") {
  Servers s;
  const auto lock = s.server();
  const auto first = lock->take(s.tell("first"));
  const auto second = lock->take(s.tell("second"));
  CHECK(s.told.empty());  // not from inside
  s.next();
  s.turn();
  CHECK(s.told == Told{"first"});
  lock->release(second + 7);
  lock->release(first);
  s.next();
  CHECK(s.told == Told{"first", "second"});
}

TEST_CASE("A server with call after call gives way to the one that waits") {
  Servers s;
  const auto busy = s.server();
  const auto other = s.server();
  auto held = busy->take(s.tell("busy"));
  s.next();
  other->take(s.tell("other"));
  s.turn();
  const auto again = busy->take(s.tell("busy again"));
  busy->release(held);
  s.next();
  CHECK(s.told == Told{"busy", "other"});
  busy->release(again);
}

TEST_CASE("After its patience a call is told who holds the workspace, and the next one gets it") {
  Servers s;
  const auto holder = s.server();
  const auto other = s.server(30ms);
  const auto held = holder->take(s.tell("holder"));
  s.next();
  other->take(s.tell("other"));
  s.next();
  REQUIRE(s.told.size() == 2);
  CHECK(s.told[1] == "other: workspace busy: /w is locked by the server with pid " + std::to_string(::getpid()) +
                         ", for 0 s by now; nothing was run: call again");
  holder->release(held);
  other->take(s.tell("other"));
  s.next();
  CHECK(s.told.back() == "other");
}

TEST_CASE("Who gives up waiting is not told, and holds nobody off") {
  Servers s;
  const auto holder = s.server();
  const auto other = s.server();
  const auto held = holder->take(s.tell("holder"));
  s.next();
  const auto given_up = other->take(s.tell("given up"));
  other->take(s.tell("behind"));
  s.turn();
  other->release(given_up);
  holder->release(held);
  s.next();
  CHECK(s.told == Told{"holder", "behind"});
}

TEST_CASE("A server that ends holds nothing, whatever waits there") {
  Servers s;
  auto first = s.server();
  const auto other = s.server();
  first->take(s.tell("first"));
  // As a call does: it releases when it goes.
  struct Call {
    WorkspaceLock& lock;
    WorkspaceLock::Ticket ticket = 0;
    explicit Call(WorkspaceLock& of) : lock(of) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() { lock.release(ticket); }
  };
  auto call = std::make_shared<Call>(*first);
  call->ticket = first->take([call](const base::Result<void>&) {});
  call.reset();
  s.next();
  first.reset();
  other->take(s.tell("other"));
  s.next();
  CHECK(s.told == Told{"first", "other"});
}

TEST_CASE("Without a lock nothing runs") {
  Servers s;
  const auto lock = s.server();
  std::filesystem::create_directory(s.file);
  lock->take(s.tell("call"));
  s.next();
  REQUIRE(s.told.size() == 1);
  CHECK_THAT(s.told[0],
             Catch::Contains(s.file) && Catch::Contains("is a directory") && Catch::Contains("nothing was run"));
  std::filesystem::remove(s.file);
  lock->take(s.tell("next"));
  s.next();
  CHECK(s.told.back() == "next");
}

TEST_CASE(
    "Where its file system knows no locks nothing is run, each call is told why, and with locks the next one runs") {
  Servers s;
  for (const int problem : kNoFlock) {
    const std::string said = without_flock(problem, [&] {
      Servers there;  // with a loop of its own
      there.file = s.file;
      const auto lock = there.server();
      lock->take(there.tell("first"));
      lock->take(there.tell("second"));
      while (there.told.size() < 2) there.next();
      return there.told[0] + "\n" + there.told[1];
    });
    const std::string why = ": cannot lock " + s.file +
                            ".next: its file system knows no locks (flock: " + std::strerror(problem) +
                            "); take another place; nothing was run";
    CHECK(said == "first" + why + "\nsecond" + why);
  }
  const auto lock = s.server();
  const auto ticket = lock->take(s.tell("third"));
  s.next();
  CHECK(s.told == Told{"third"});
  lock->release(ticket);
}
