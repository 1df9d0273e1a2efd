#include "heal/healer.h"

#include <catch2/catch.hpp>
#include <optional>

using namespace bashcell;
using heal::Healer;
using heal::Installed;
using heal::Need;
using heal::Policy;

namespace {

// Installs when it is told to.
struct Installer {
  struct Asked {
    Need need;
    std::function<void(base::Result<Installed>)> on_done;
  };
  std::vector<Asked> asked;

  heal::Install install() {
    return [this](const Need& need, std::function<void(base::Result<Installed>)> on_done) {
      asked.push_back({need, std::move(on_done)});
    };
  }
  void done(size_t i) { asked.at(i).on_done(Installed{"ripgrep", "13.0.0", base::Duration(1234)}); }
  void failed(size_t i) { asked.at(i).on_done(base::Error{"there is no network"}); }
};

struct Answer {
  bool good = false;
  std::string text;
};

// Empty while it is open.
std::shared_ptr<std::optional<Answer>> ask(Healer& healer, uint64_t call, std::vector<std::string> arguments,
                                           std::string verb = "heal") {
  auto answer = std::make_shared<std::optional<Answer>>();
  healer.answer({.call = call, .verb = std::move(verb), .arguments = std::move(arguments)},
                [answer](bool good, std::string text) {
                  *answer = Answer{good, std::move(text)};
                });
  return answer;
}

sandbox::CallReport ended(int64_t code, std::string output) {
  wire::Done done;
  done.code = code;
  done.output = std::move(output);
  return {.result = std::move(done), .not_enforced = {}, .network = {}};
}

std::optional<std::vector<std::string>> finish(Healer& healer, uint64_t call, const sandbox::CallReport& report) {
  std::optional<std::vector<std::string>> told;
  healer.finish(call, {report, "rg x", engine::CellSpec{}},
                [&](std::vector<std::string> clauses) { told = std::move(clauses); });
  return told;
}

using Clauses = std::vector<std::string>;

}  // namespace

TEST_CASE("a command that is missing is installed, and told once with the call it was for") {
  base::EventLoop loop;
  Installer installer;
  const heal::PackageTable table;
  Healer healer(loop, table, {}, installer.install());
  healer.begin(1);
  const auto first = ask(healer, 1, {"rg"});
  const auto second = ask(healer, 1, {"rg"});
  REQUIRE_FALSE(*first);
  CHECK(installer.asked.at(0).need == Need{Need::Kind::kCommand, "rg"});
  installer.done(0);
  installer.done(1);
  CHECK((*first)->good);
  CHECK((*second)->good);
  CHECK(healer.installed(1) == Clauses{"ripgrep"});
  CHECK(finish(healer, 1, ended(0, "x")) == Clauses{"installed ripgrep 13.0.0 (1.2 s)"});
  healer.begin(2);
  CHECK(finish(healer, 2, ended(0, "x")) == Clauses{});
}

TEST_CASE("why something was not installed is told, and not tried again at once") {
  base::EventLoop loop;
  Installer installer;
  const heal::PackageTable table;
  Healer healer(loop, table, {}, installer.install());
  healer.begin(1);
  const auto answer = ask(healer, 1, {"rg"});
  installer.failed(0);
  CHECK_FALSE((*answer)->good);
  CHECK_FALSE((*ask(healer, 1, {"rg"}))->good);
  CHECK(installer.asked.size() == 1);
  CHECK(finish(healer, 1, ended(127, "script: line 1: rg: command not found")) ==
        Clauses{"rg was not installed: there is no network"});
}

TEST_CASE("what is no question, no name, or not allowed is refused at once, and installs nothing") {
  base::EventLoop loop;
  Installer installer;
  const heal::PackageTable table;
  Healer healer(loop, table, Policy{.install = true, .allow = {"rg", "jq"}, .deny = {"jq"}}, installer.install());
  healer.begin(1);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"rg", "jq"}, {""}, {"../rg"}, {"-y"}, {"$(id)"}, {"jq"}, {"tree"}}) {
    const auto answer = ask(healer, 1, arguments);
    REQUIRE(*answer);
    CHECK_FALSE((*answer)->good);
  }
  CHECK_FALSE((*ask(healer, 1, {"rg"}, "save"))->good);
  CHECK(installer.asked.empty());
  ask(healer, 1, {"rg"});
  CHECK(installer.asked.size() == 1);
}

TEST_CASE("with installing off, nothing is installed and no reason is given for it") {
  base::EventLoop loop;
  Installer installer;
  const heal::PackageTable table;
  Healer healer(loop, table, Policy{.install = false, .allow = {}, .deny = {}}, installer.install());
  healer.begin(1);
  CHECK_FALSE((*ask(healer, 1, {"rg"}))->good);
  const auto told = finish(healer, 1, ended(127, "script: line 1: rg: command not found"));
  REQUIRE(told);
  REQUIRE(told->size() == 1);
  CHECK(told->front().find("grep") != std::string::npos);
  healer.begin(2);
  healer.begin(3);
  CHECK(finish(healer, 2, ended(0, "")) == Clauses{});
  CHECK(installer.asked.empty());
}

TEST_CASE("what bash did not see is installed after the call, and never run again") {
  base::EventLoop loop;
  Installer installer;
  const heal::PackageTable table;
  Healer healer(loop, table, {}, installer.install());
  healer.begin(1);
  std::optional<Clauses> told;
  const sandbox::CallReport report =
      ended(1,
            "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n"
            "ModuleNotFoundError: No module named 'yaml'");
  healer.finish(1, {report, "python3 -c 'import yaml'", engine::CellSpec{}},
                [&](Clauses clauses) { told = std::move(clauses); });
  REQUIRE_FALSE(told);
  REQUIRE(installer.asked.size() == 1);
  CHECK(installer.asked[0].need == Need{Need::Kind::kPythonModule, "yaml"});
  installer.asked[0].on_done(Installed{"PyYAML", "6.0", base::Duration(900)});
  CHECK(told == Clauses{"installed PyYAML 6.0 (0.9 s), after it was missed: run it again"});
}

TEST_CASE("an install outlives the patience of clients, and then answers nobody") {
  base::EventLoop loop;
  Installer installer;
  {
    const heal::PackageTable table;
    Healer healer(loop, table, {}, installer.install());
    healer.begin(1);
    ask(healer, 1, {"rg"});
    healer.forget(1);
  }
  installer.done(0);  // nothing happens
}

TEST_CASE("what a call waits for is known, by its package, while it waits") {
  base::EventLoop loop;
  Installer installer;
  const heal::PackageTable table;
  Healer healer(loop, table, {}, installer.install());
  CHECK_FALSE(healer.installing(1));
  healer.begin(1);
  CHECK_FALSE(healer.installing(1));
  const base::Instant begun = base::now();
  ask(healer, 1, {"rg"});
  ask(healer, 1, {"jq"});
  REQUIRE(healer.installing(1));
  CHECK(healer.installing(1)->package == "ripgrep");
  CHECK(healer.installing(1)->since >= begun);
  CHECK_FALSE(healer.installing(2));
  installer.done(0);
  CHECK(healer.installing(1)->package == "jq");
  installer.failed(1);
  CHECK_FALSE(healer.installing(1));
  std::optional<Clauses> told;
  const auto report = ended(1, "ModuleNotFoundError: No module named 'cv2'");
  healer.finish(1, {report, "python3 -c 'import cv2'", engine::CellSpec{}}, [&](Clauses clauses) { told = clauses; });
  if (!told) CHECK(healer.installing(1)->package == "opencv-python-headless");
}
