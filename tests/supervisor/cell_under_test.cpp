#include "cell_under_test.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <thread>

#include "base/file.h"
#include "wire/version.h"

namespace bashcell::testing {

namespace fs = std::filesystem;

namespace {

constexpr base::Duration kPatience{30'000};

}  // namespace

CellUnderTest::CellUnderTest(int64_t lease_ms) {
  folder_ = (fs::temp_directory_path() / "bashcell-init-test-XXXXXX").string();
  REQUIRE(::mkdtemp(folder_.data()) != nullptr);
  for (const char* name : {"/run", "/workspace", "/tmp"}) fs::create_directories(folder_ + name);
  fs::create_symlink("/proc/self/fd/250", folder_ + "/run/script");
  fs::create_directories(folder_ + "/run/bin");
  fs::create_symlink(BASHCELL_INIT, folder_ + "/run/bin/cell");
  auto pair = base::make_socket_pair();
  REQUIRE(pair);
  control_ = std::move(pair->first);
  base::SpawnOptions options;
  options.argv = {BASHCELL_INIT,          "--control-fd",   "3",
                  "--run-folder",         folder_ + "/run", "--workspace",
                  folder_ + "/workspace", "--spill-parent", folder_ + "/tmp"};
  options.environment = {"PATH=/usr/bin:/bin", "HOME=" + folder_ + "/home", "LANG=C.UTF-8"};
  options.descriptors = {{3, pair->second.get()}, {2, 2}};
  options.new_session = true;
  auto child = base::spawn(options);
  REQUIRE(child);
  child_ = std::move(*child);
  pair->second.reset();
  wire::CellMessage hello = next_message();
  REQUIRE(std::holds_alternative<wire::CellHello>(hello));
  hello_ = std::get<wire::CellHello>(hello);
  send(wire::HostHello{std::string(wire::kVersion), lease_ms});
}

CellUnderTest::~CellUnderTest() {
  control_.reset();
  const bool ended = ends();
  child_.kill(SIGKILL);
  CHECK(ended);
  CHECK(eventually([this] { return !process_with(folder_); }));
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void CellUnderTest::send(wire::HostMessage message) { send_bytes(wire::encode(wire::to_frame(std::move(message)))); }

void CellUnderTest::send_bytes(std::string_view bytes) { static_cast<void>(base::write_all(control_.get(), bytes)); }

uint64_t CellUnderTest::start(const std::string& script, base::Duration timeout) {
  wire::Run run;
  run.id = ++last_id_;
  run.timeout_ms = timeout.count();
  run.max_chars = max_chars;
  if (!filter.empty()) run.filter_name = "test";
  run.filter = filter;
  run.progress_ms = progress_ms;
  run.script = script;
  send(std::move(run));
  return last_id_;
}

wire::CellMessage CellUnderTest::next_message() {
  const base::Instant deadline = base::now() + kPatience;
  std::array<char, 65536> buffer{};
  for (;;) {
    auto frame = decoder_.next();
    REQUIRE(frame);
    if (*frame) {
      auto message = wire::cell_message(std::move(**frame));
      REQUIRE(message);
      return std::move(*message);
    }
    pollfd entry{control_.get(), POLLIN, 0};
    REQUIRE(::poll(&entry, 1, static_cast<int>(base::until(deadline).count())) == 1);
    const ssize_t n = ::read(control_.get(), buffer.data(), buffer.size());
    REQUIRE(n > 0);
    decoder_.add({buffer.data(), static_cast<size_t>(n)});
  }
}

wire::Ask CellUnderTest::next_ask() {
  wire::CellMessage message = next_message();
  REQUIRE(std::holds_alternative<wire::Ask>(message));
  return std::get<wire::Ask>(std::move(message));
}

wire::Done CellUnderTest::next_done() {
  wire::CellMessage message = next_message();
  REQUIRE(std::holds_alternative<wire::Done>(message));
  return std::get<wire::Done>(std::move(message));
}

wire::Done CellUnderTest::run(const std::string& script, base::Duration timeout) {
  const uint64_t id = start(script, timeout);
  wire::Done done = next_done();
  REQUIRE(done.id == id);
  return done;
}

bool CellUnderTest::ends() { return !child_.running() || child_.wait(kPatience).has_value(); }

bool eventually(const std::function<bool()>& condition) {
  const base::Instant deadline = base::now() + base::Duration(10'000);
  while (!condition()) {
    if (base::now() > deadline) return false;
    std::this_thread::sleep_for(base::Duration(2));
  }
  return true;
}

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool process_with(const std::string& text) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.empty() || name[0] < '0' || name[0] > '9') continue;
    const auto command = base::read_file(entry.path().string() + "/cmdline");
    const auto stat = base::read_file(entry.path().string() + "/stat");
    if (command && stat && command->find(text) != std::string::npos && stat->find(") Z ") == std::string::npos)
      return true;
  }
  return false;
}

}  // namespace bashcell::testing
