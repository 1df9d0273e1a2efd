#include "engine/auto_engine.h"

#include <catch2/catch.hpp>

#include "support/scripted_engine.h"

using namespace bashcell;
using namespace bashcell::engine;
using testing::ScriptedEngine;

namespace {

// Two engines that do as told, and are made when they are needed.
struct Machine {
  ScriptedEngine* first = nullptr;
  ScriptedEngine* second = nullptr;
  std::deque<std::string> first_failures;
  std::deque<std::string> second_failures;
  AutoEngine engine{{{.name = "first",
                      .make =
                          [this] {
                            auto made = std::make_unique<ScriptedEngine>();
                            first = made.get();
                            return prepared(std::move(made), first_failures);
                          },
                      .limits = LimitsPolicy::kStrict},
                     {.name = "second", .make = [this] {
                        auto made = std::make_unique<ScriptedEngine>();
                        second = made.get();
                        return prepared(std::move(made), second_failures);
                      }}}};

  static std::unique_ptr<Engine> prepared(std::unique_ptr<ScriptedEngine> made, std::deque<std::string> failures) {
    made->failures = std::move(failures);
    made->on_cell = [](const base::UniqueFd&) {};
    return made;
  }
  std::string start() {
    const auto cell = engine.start(CellSpec{});
    return cell ? "a cell" : cell.error().message;
  }
};

}  // namespace

TEST_CASE("auto uses the first engine that works, and makes no other") {
  Machine machine;
  CHECK(machine.engine.name() == "auto");
  CHECK(machine.start() == "a cell");
  CHECK(machine.start() == "a cell");
  CHECK(machine.engine.name() == "scripted");
  CHECK(machine.first->started.size() == 2);
  CHECK(machine.second == nullptr);
}

TEST_CASE("auto goes on to the next engine when one cannot start a cell, and stays with it") {
  Machine machine;
  machine.first_failures = {"no runtime"};
  CHECK(machine.start() == "a cell");
  CHECK(machine.start() == "a cell");
  CHECK(machine.first->started.size() == 1);
  CHECK(machine.second->started.size() == 2);
}

TEST_CASE("auto goes on when a started cell is of no use") {
  Machine machine;
  CHECK(machine.start() == "a cell");
  CHECK(machine.engine.refused("it is not limited"));
  CHECK(machine.start() == "a cell");
  CHECK(machine.second->started.size() == 1);
  CHECK(machine.start() == "a cell");
  CHECK(machine.first->started.size() == 1);
}

TEST_CASE("auto keeps an engine whose cell was used, also when a later one fails") {
  Machine machine;
  CHECK(machine.start() == "a cell");
  CHECK(machine.start() == "a cell");
  CHECK_FALSE(machine.engine.refused("it did not speak"));
  machine.first->failures = {"the runtime is gone"};
  CHECK(machine.start() == "the runtime is gone");
  CHECK(machine.start() == "a cell");
  CHECK(machine.second == nullptr);
}

TEST_CASE("auto names what was tried and one command, and tries all again") {
  Machine machine;
  machine.first_failures = {"no runtime; install crun"};
  machine.second_failures = {"no socket at /run/docker.sock"};
  CHECK(machine.start() ==
        "no engine works here (first: no runtime; install crun; second: no socket at "
        "/run/docker.sock)");
  machine.first->failures = {"no runtime; install crun"};
  machine.second->failures = {"no socket"};
  machine.first->findings = {{.ok = true, .what = "kernel", .detail = "", .fix = "nothing"},
                             {.ok = false, .what = "runtime", .detail = "", .fix = "install crun"}};
  machine.second->findings = {{.ok = false, .what = "engine", .detail = "", .fix = "install docker"}};
  CHECK(machine.start() == "no engine works here (first: no runtime; second: no socket); to fix it: install crun");
  CHECK(machine.start() == "a cell");
  CHECK(machine.first->started.size() == 3);
  CHECK(machine.second->started.size() == 2);
}

TEST_CASE("auto names what was tried when the last cell is of no use, too") {
  Machine machine;
  machine.first_failures = {"no runtime"};
  CHECK(machine.start() == "a cell");
  CHECK(machine.engine.refused("it is not limited"));
  CHECK(machine.start() == "no engine works here (first: no runtime; second: it is not limited)");
  CHECK(machine.engine.name() == "auto");
  CHECK(machine.start() == "a cell");
  CHECK(machine.first->started.size() == 2);
}

TEST_CASE("auto waits for an engine that is preparing") {
  Machine machine;
  machine.first_failures = {"no runtime"};
  machine.second_failures = {"the image is being pulled: 1 of 2 MB", "the image is being pulled: 2 of 2 MB"};
  CHECK(machine.engine.examine(CellSpec{}).empty());  // makes both
  machine.second->is_preparing = true;
  CHECK(machine.start() == "the image is being pulled: 1 of 2 MB");
  CHECK(machine.engine.preparing());
  CHECK(machine.start() == "the image is being pulled: 2 of 2 MB");
  machine.second->is_preparing = false;
  CHECK(machine.start() == "a cell");
  CHECK(machine.first->started.size() == 1);
}

TEST_CASE("auto may ask more of an engine than the user does") {
  Machine machine;
  machine.first_failures = {"no limits"};
  CellSpec spec;
  spec.limits = LimitsPolicy::kBestEffort;
  CHECK(machine.engine.start(spec));
  CHECK(machine.first->started[0].limits == LimitsPolicy::kStrict);
  CHECK(machine.second->started[0].limits == LimitsPolicy::kBestEffort);
}
