#include "heal/installer.h"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "support/scripted_engine.h"
#include "support/temporary_folder.h"
#include "wire/version.h"

using namespace bashcell;
using namespace bashcell::heal;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

wire::CellHello good_hello() {
  wire::CellHello hello;
  hello.version = wire::kVersion;
  wire::CellFacts& facts = hello.facts;
  facts.uid = facts.gid = 1000;
  facts.pid = 1;
  facts.memory_bytes = int64_t{512} << 20;
  facts.swap_bytes = 0;
  facts.cpu_quota_us = 10'000;
  facts.cpu_period_us = 20'000;
  facts.pids = 50;
  facts.tmp_bytes = int64_t{256} << 20;
  facts.root_read_only = facts.no_new_privs = facts.workspace_writable = true;
  facts.seccomp_mode = 2;
  facts.capabilities = "0";
  facts.network_interfaces = {"lo", "eth0"};
  facts.shell = "/bin/bash";
  return hello;
}

void put(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
  fs::permissions(path, fs::perms(0755));
}

// What a good installer leaves.
void leave_tool(const fs::path& workspace, const std::string& package, const std::string& command) {
  put(workspace / "out/tree/usr/bin" / command, "#!/bin/sh\n");
  fs::create_directories(workspace / "out/bin");
  fs::create_symlink("../packages/" + package + "/usr/bin/" + command, workspace / "out/bin" / command);
  put(workspace / "out/facts", "version=1.5-1\ndone=yes\n");
}

using Outcome = base::Result<Installed>;

struct Fixture {
  // What the installer's cell does in its workspace when it is sent the script; false: it ends without a word.
  std::function<bool(const fs::path& workspace, const std::string& script)> work;
  TemporaryFolder folder;
  std::string path = folder.path() / "bashcell/toolbox/key";
  base::EventLoop loop;
  testing::ScriptedEngine engine;
  PackageTable table;
  std::vector<std::thread> threads;
  std::optional<Installer> installer;

  Fixture() {
    std::signal(SIGPIPE, SIG_IGN);
    engine.on_cell = [this](base::UniqueFd fd) {
      threads.emplace_back(
          [this, fd = std::move(fd), workspace = engine.started.back().workspace] { play(fd.get(), workspace); });
    };
    make();
  }
  ~Fixture() {
    installer.reset();
    for (std::thread& thread : threads) thread.join();
  }
  void make(base::Duration limit = 20s) {
    installer.emplace(loop, engine, table,
                      InstallerOptions{.toolbox = *Toolbox::open(path, {}),
                                       .make_spec =
                                           [] {
                                             engine::CellSpec spec;
                                             spec.workspace = "/home/user/project";
                                             spec.toolbox = "/tools";
                                             spec.shelf = "/shelf";
                                             spec.network = "lan";
                                             return spec;
                                           },
                                       .limit = limit,
                                       .log = base::Log(base::LogLevel::kQuiet)});
  }
  void play(int fd, const std::string& workspace) const {
    const auto say = [fd](wire::CellMessage message) {
      static_cast<void>(base::write_all(fd, wire::encode(wire::to_frame(std::move(message)))));
    };
    say(good_hello());
    wire::FrameDecoder decoder;
    std::array<char, 4096> buffer{};
    for (ssize_t n; (n = ::read(fd, buffer.data(), buffer.size())) > 0;) {
      decoder.add({buffer.data(), static_cast<size_t>(n)});
      for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) {
        auto message = wire::host_message(std::move(**frame));
        if (!message || !std::holds_alternative<wire::Run>(*message)) continue;
        const auto& run = std::get<wire::Run>(*message);
        if (!work(workspace, run.script)) return;
        wire::Done done;
        done.id = run.id;
        say(done);
      }
    }
  }
  std::vector<Outcome> install(const std::vector<std::string>& commands) {
    std::vector<Outcome> outcomes;
    for (const std::string& command : commands) {
      installer->install({Need::Kind::kCommand, command}, [&](const Outcome& outcome) {
        outcomes.push_back(outcome);
        if (outcomes.size() == commands.size()) loop.stop();
      });
    }
    if (outcomes.size() < commands.size()) loop.run();
    return outcomes;
  }
  size_t stagings() const {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path)) {
      count += entry.path().filename().string().starts_with("staging-") ? 1 : 0;
    }
    return count;
  }
};

}  // namespace

TEST_CASE("one cell installs for all who ask for the same, and nobody has to again") {
  Fixture fixture;
  fixture.work = [](const fs::path& workspace, const std::string& script) {
    if (script.starts_with("KIND='deb' NAME='jq'")) leave_tool(workspace, "jq", "jq");
    if (script.starts_with("KIND='deb' NAME='tree'")) leave_tool(workspace, "tree", "tree");
    return true;
  };
  const auto outcomes = fixture.install({"jq", "tree", "jq"});
  REQUIRE(outcomes.size() == 3);
  for (const Outcome& outcome : outcomes) REQUIRE(outcome);
  CHECK(outcomes[0]->package == "jq");
  CHECK(outcomes[1]->package == "jq");
  CHECK(outcomes[2]->package == "tree");
  CHECK(outcomes[2]->version == "1.5");
  REQUIRE(fixture.engine.started.size() == 2);
  CHECK(fixture.install({"jq"})[0]->took == base::Duration::zero());
  CHECK(fixture.engine.started.size() == 2);
  CHECK(fixture.stagings() == 0);

  // An installer's cell has nothing of the user's.
  const engine::CellSpec& spec = fixture.engine.started[0];
  CHECK(spec.installer);
  CHECK(spec.workspace.starts_with(fixture.path + "/staging-"));
  CHECK(spec.toolbox.empty());
  CHECK(spec.shelf.empty());
  CHECK(spec.network.empty());
}

TEST_CASE("whatever goes wrong is one sentence, leaves nothing, and the next install works") {
  struct Row {
    const char* what;
    std::function<bool(const fs::path&, const std::string&)> work;
  };
  const std::vector<Row> rows = {
      {"the installer's cell has ended", [](const fs::path&, const std::string&) { return false; }},
      {"left no word", [](const fs::path&, const std::string&) { return true; }},
      {"did not come to its end",
       [](const fs::path& workspace, const std::string&) {
         leave_tool(workspace, "jq", "jq");
         put(workspace / "out/facts", "version=1\n");
         return true;
       }},
      {"the disk is full",
       [](const fs::path& workspace, const std::string&) {
         leave_tool(workspace, "jq", "jq");
         put(workspace / "out/facts", "error=the disk is full\ndone=yes\n");
         return true;
       }},
      {"has no command jq",
       [](const fs::path& workspace, const std::string&) {
         leave_tool(workspace, "jq", "other");
         return true;
       }},
      {"left no word",
       [](const fs::path& workspace, const std::string&) {
         leave_tool(workspace, "jq", "jq");
         fs::remove(workspace / "out/facts");
         fs::create_symlink("/etc/passwd", workspace / "out/facts");
         return true;
       }},
  };
  Fixture fixture;
  for (const Row& row : rows) {
    INFO(row.what);
    fixture.work = row.work;
    const auto outcomes = fixture.install({"jq"});
    REQUIRE_FALSE(outcomes[0]);
    CHECK(outcomes[0].error().message.find(row.what) != std::string::npos);
    CHECK(fixture.stagings() == 0);
    CHECK_FALSE(fs::exists(fixture.path + "/tools/bin/jq"));
  }
  fixture.engine.failures = {"there is no runtime"};
  CHECK(fixture.install({"jq"})[0].error().message == "the installer's cell did not start: there is no runtime");
  fixture.work = [](const fs::path& workspace, const std::string&) {
    leave_tool(workspace, "jq", "jq");
    return true;
  };
  CHECK(fixture.install({"jq"})[0]);
}

TEST_CASE("what no table knows starts no cell") {
  Fixture fixture;
  for (const char* name : {"no-such-tool-of-ours", "../jq", "$(id)"}) {
    CHECK(fixture.install({name})[0].error().message == "no known package has that command");
  }
  CHECK(fixture.engine.started.empty());
}

TEST_CASE("another server's install is waited for, and its result is as good") {
  Fixture fixture;
  const Toolbox other = *Toolbox::open(fixture.path, {});
  std::optional<base::LockAttempt> lock = other.try_lock();
  REQUIRE(std::holds_alternative<base::FileLock>(*lock));
  fixture.loop.after(base::Duration(120), [&] {
    const std::string staging = *other.make_staging();
    leave_tool(staging, "jq", "jq");
    REQUIRE(other.accept(staging, {.place = "jq", .command = "jq"}, fixture.table));
    lock.reset();
  });
  const auto outcomes = fixture.install({"jq"});
  REQUIRE(outcomes[0]);
  CHECK(outcomes[0]->took == base::Duration::zero());
  CHECK(fixture.engine.started.empty());

  // A wait has an end.
  const base::LockAttempt held = other.try_lock();
  REQUIRE(std::holds_alternative<base::FileLock>(held));
  fixture.make(base::Duration(100));
  CHECK(fixture.install({"tree"})[0].error().message == "it was not installed within 0.1 s");
  CHECK(fixture.engine.started.empty());
}

TEST_CASE("an install that takes too long is given up, and its cell with it") {
  Fixture fixture;
  fixture.make(base::Duration(200));
  std::promise<void> given_up;
  fixture.work = [&](const fs::path&, const std::string&) {
    given_up.get_future().wait();
    return true;
  };
  CHECK(fixture.install({"jq"})[0].error().message == "it was not installed within 0.2 s");
  CHECK(fixture.stagings() == 0);
  given_up.set_value();
}

TEST_CASE("an installer that goes leaves no staging folder") {
  Fixture fixture;
  fixture.work = [&](const fs::path&, const std::string&) {
    fixture.loop.stop();
    return false;
  };
  bool told = false;
  fixture.installer->install({Need::Kind::kCommand, "jq"}, [&](const Outcome&) { told = true; });
  fixture.loop.run();
  CHECK(fixture.stagings() == 1);
  fixture.installer.reset();
  CHECK(fixture.stagings() == 0);
  CHECK_FALSE(told);
}
