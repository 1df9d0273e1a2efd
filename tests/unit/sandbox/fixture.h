#pragma once
// A sandbox whose cells are played by the test.

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "sandbox/sandbox.h"
#include "scripted_engine.h"
#include "wire/version.h"

namespace bashcell::sandbox {

inline wire::CellHello good_hello() {
  wire::CellHello hello;
  hello.version = wire::kVersion;
  hello.facts.shell = "/bin/bash";
  hello.facts.workspace_writable = true;
  return hello;
}

// The far end of a cell's stream, played by the test on a thread of its own: a supervisor of a few lines.
class FarEnd {
 public:
  explicit FarEnd(base::UniqueFd fd) : fd_(std::move(fd)) {}
  void say(wire::CellMessage message) { bytes(wire::encode(wire::to_frame(std::move(message)))); }
  void bytes(std::string_view text) { static_cast<void>(base::write_all(fd_.get(), text)); }
  std::optional<wire::Run> next_run() { return next<wire::Run>(); }
  // The next message of that kind; nothing when the host has closed.
  template <typename Message>
  std::optional<Message> next() {
    for (;;) {
      auto frame = decoder_.next();
      if (frame && *frame) {
        auto message = wire::host_message(std::move(**frame));
        if (message && std::holds_alternative<Message>(*message)) return std::get<Message>(std::move(*message));
        continue;
      }
      std::array<char, 4096> buffer{};
      const ssize_t n = ::read(fd_.get(), buffer.data(), buffer.size());
      if (n <= 0) return std::nullopt;
      decoder_.add({buffer.data(), static_cast<size_t>(n)});
    }
  }
  void close() { fd_.reset(); }

 private:
  base::UniqueFd fd_;
  wire::FrameDecoder decoder_;
};

struct Fixture {
  base::EventLoop loop;
  testing::ScriptedEngine engine;
  std::vector<std::function<void(FarEnd)>> cells;  // what each cell in turn does
  std::vector<std::thread> threads;
  sandbox::SandboxOptions options{.parallel = 2,
                                  .judge = [](const auto&, const auto&) { return sandbox::LimitCheck{}; },
                                  .hello_timeout = base::Duration(5'000),
                                  .log = base::Log(base::LogLevel::kQuiet)};
  std::unique_ptr<sandbox::Sandbox> box;

  Fixture() {
    std::signal(SIGPIPE, SIG_IGN);  // as the programs do: a far end may outlive ours
    engine.on_cell = [this](base::UniqueFd fd) {
      REQUIRE_FALSE(cells.empty());
      auto play = cells.front();
      cells.erase(cells.begin());
      threads.emplace_back([play, far = std::make_shared<FarEnd>(std::move(fd))] { play(std::move(*far)); });
    };
  }
  ~Fixture() {
    box.reset();
    for (std::thread& thread : threads) thread.join();
  }
  void make() {
    box = std::make_unique<sandbox::Sandbox>(
        loop, engine, [] { return engine::CellSpec{}; }, options);
  }
  // Runs scripts at once, and gives their reports in the order they were asked for.
  std::vector<CallReport> run(const std::vector<std::string>& scripts) {
    if (!box) make();
    std::vector<CallReport> reports(scripts.size());
    size_t open = scripts.size();
    for (size_t i = 0; i < scripts.size(); ++i) {
      box->run({.script = scripts[i]}, [&, i](CallReport report) {
        reports[i] = std::move(report);
        if (--open == 0) loop.stop();
      });
    }
    base::EventLoop::TimerId patience = loop.after(base::Duration(20'000), [] { FAIL("no report came"); });
    loop.run();
    loop.cancel(patience);
    return reports;
  }
};

// A supervisor that answers every script with its own text.
inline void echo_forever(FarEnd far) {
  far.say(good_hello());
  while (const auto run = far.next_run()) {
    wire::Done done;
    done.id = run->id;
    done.output = run->script;
    far.say(done);
  }
}

inline std::string output_of(const CallReport& report) { return std::get<wire::Done>(report.result).output; }
inline std::string refusal_of(const CallReport& report) { return std::get<sandbox::NotRun>(report.result).why; }

}  // namespace bashcell::sandbox
