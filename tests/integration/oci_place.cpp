#include "integration/oci_place.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

namespace bashcell {

using namespace engine;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

bool rootless() { return ::geteuid() != 0; }

Place::Place() {
  fs::create_directory(workspace());
  if (!rootless()) REQUIRE(::chown(workspace().c_str(), 1000, 1000) == 0);
  spec.workspace = workspace();
  const char* stand_in = std::getenv("BASHCELL_TEST_STAND_IN");
  REQUIRE(stand_in != nullptr);
  spec.supervisor = stand_in;
  // As an ordinary user on cgroup v1 there are none; that strict refuses then is a test of its own.
  if (rootless()) spec.limits = LimitsPolicy::kBestEffort;
  options.private_folder = folder.path() / "private";
  if (const char* runtime = std::getenv("BASHCELL_TEST_RUNTIME")) options.runtime = runtime;
}

std::string receive(Stream& stream, const std::function<bool(const std::string&)>& enough) {
  std::string text;
  const base::Instant deadline = base::now() + 60s;
  while (!enough(text)) {
    pollfd entry{stream.poll_fd(), POLLIN, 0};
    if (::poll(&entry, 1, static_cast<int>(base::until(deadline).count())) <= 0) return text + "<nothing more came>";
    char buffer[4096];
    const ssize_t got = stream.receive(buffer, sizeof buffer);
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

std::unique_ptr<Cell> start(oci::OciEngine& engine, const CellSpec& spec) {
  base::Result<std::unique_ptr<Cell>> cell = engine.start(spec);
  if (!cell) FAIL(cell.error().message);
  const std::string greeting = receive((*cell)->stream(), [](const std::string& text) { return text.size() >= 6; });
  INFO((*cell)->diagnostics());
  REQUIRE(greeting == "hello\n");
  return std::move(*cell);
}

Reply run(Cell& cell, const std::string& line) {
  REQUIRE(cell.stream().send(line + "\n") == static_cast<ssize_t>(line.size() + 1));
  const std::string all = receive(cell.stream(), [](const std::string& text) {
    const size_t mark = text.rfind("\n=");
    return mark != std::string::npos && text.back() == '\n' && text.find('\n', mark + 1) == text.size() - 1;
  });
  const size_t mark = all.rfind("\n=");
  if (mark == std::string::npos) return {all, -1};
  return {all.substr(0, mark), std::atoi(all.c_str() + mark + 2)};
}

}  // namespace bashcell
