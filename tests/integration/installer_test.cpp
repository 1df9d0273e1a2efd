// Installs for real, through an installer cell of the oci engine, and uses what is there in a second cell. The packages
// come from the distribution's own servers, the wheel from an index of the test's own (installer.sh).

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "heal/installer.h"
#include "integration/oci_place.h"

using namespace bashcell;
using namespace bashcell::heal;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

using Outcome = base::Result<Installed>;

// A server's parts, as far as installing needs them.
struct Server {
  explicit Server(base::Duration limit = 60s) {
    place.spec.limits = engine::LimitsPolicy::kBestEffort;
    Toolbox opened = *Toolbox::open(place.folder.path() / "bashcell/toolbox/key", place.spec.user);
    place.spec.toolbox = opened.tools();
    const char* index = std::getenv("BASHCELL_TEST_PIP_INDEX");
    installer.emplace(loop, engine, table,
                      InstallerOptions{.toolbox = std::move(opened),
                                       .make_spec = [this] { return place.spec; },
                                       .limit = limit,
                                       .pip_index = index == nullptr ? "" : index});
  }

  std::vector<Outcome> install(const std::vector<Need>& needs) {
    std::vector<Outcome> outcomes;
    for (const Need& need : needs) {
      installer->install(need, [&](const Outcome& outcome) {
        outcomes.push_back(outcome);
        if (outcomes.size() == needs.size()) loop.stop();
      });
    }
    if (outcomes.size() < needs.size()) loop.run();
    return outcomes;
  }

  // What a script prints in a session cell, and its exit code.
  std::string run(const std::string& script) {
    sandbox::Sandbox session(loop, session_engine, [this] { return place.spec; }, {});
    std::string said;
    session.run({.script = script}, [&](const sandbox::CallReport& report) {
      if (const auto* done = std::get_if<wire::Done>(&report.result)) {
        said = done->output + "=" + std::to_string(done->code);
      } else if (const auto* not_run = std::get_if<sandbox::NotRun>(&report.result)) {
        said = not_run->why;
      }
      loop.stop();
    });
    loop.run();
    return said;
  }

  Place place;
  base::EventLoop loop;
  engine::oci::OciEngine engine{place.options};
  engine::oci::OciEngine session_engine{place.options};
  PackageTable table;
  std::optional<Installer> installer;
};

Need command(const std::string& name) { return {Need::Kind::kCommand, name}; }
Need module(const std::string& name) { return {Need::Kind::kPythonModule, name}; }

}  // namespace

TEST_CASE("a command is installed by one cell and there in another, once for all who ask", "[deb]") {
  Server server;
  // One that few machines have, with a library of its own.
  const char* const chosen = std::getenv("BASHCELL_TEST_COMMAND");
  const std::string name = chosen == nullptr ? "tree" : chosen;
  const auto outcomes = server.install({command(name), command(name)});
  REQUIRE(outcomes.size() == 2);
  if (!outcomes[0]) {
    const std::string& why = outcomes[0].error().message;
    if (why.find("no network") != std::string::npos || why.find("cannot be reached") != std::string::npos) {
      WARN(why);
      return;
    }
    FAIL(why);
  }
  CHECK_FALSE(outcomes[0]->version.empty());
  CHECK(outcomes[1]->took == outcomes[0]->took);
  INFO(server.run("ls -laR /run/cell/tools/bin; cat /run/cell/tools/bin/" + name));
  const std::string used = server.run("/run/cell/tools/bin/" + name + " --version");
  CHECK(used.ends_with("=0"));
  CHECK(used.size() > 5);
  CHECK(server.run("touch /run/cell/tools/x 2>/dev/null || tail -n +3 /proc/net/dev | cut -d: -f1 | xargs") == "lo=0");
  const auto again = server.install({command(name)});
  REQUIRE(again[0]);
  CHECK(again[0]->took == base::Duration::zero());
  // Nothing is left but the toolbox, the lists and the lock.
  for (const auto& entry : fs::directory_iterator(server.place.folder.path() / "bashcell/toolbox/key")) {
    CHECK_FALSE(entry.path().filename().string().starts_with("staging"));
  }
}

TEST_CASE("a module is installed from a wheel, and Python finds it behind all that is its own", "[wheel]") {
  REQUIRE(std::getenv("BASHCELL_TEST_PIP_INDEX") != nullptr);
  Server server;
  const auto outcomes = server.install({module("cv2"), module("yaml")});
  REQUIRE(outcomes.size() == 2);
  if (!outcomes[0]) FAIL(outcomes[0].error().message);
  CHECK(outcomes[0]->package == "opencv-python-headless");
  CHECK(outcomes[0]->version == "9.9");
  CHECK(server.run("python3 -c 'import cv2, sys; print(cv2.answer, sys.path[-1])'; ask-cv2") ==
        "42 /run/cell/tools/packages/py-opencv-python-headless\nfrom a script=0");
  // The index has it only with a source, and sources are never built.
  REQUIRE_FALSE(outcomes[1]);
  CHECK(outcomes[1].error().message.find("no wheel of PyYAML") != std::string::npos);
}
