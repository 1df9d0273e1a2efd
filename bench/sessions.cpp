#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "baseline.h"
#include "parts.h"
#include "process_facts.h"
#include "server.h"

namespace bashcell::bench {

namespace {

constexpr int kIdleSessions = 50;
constexpr int kBusySessions = 10, kCallsEach = 100;
constexpr int kLocks = 100;

void expect_hi(const std::string& output) {
  if (output.rfind("hi", 0) != 0) throw std::runtime_error("`echo hi` gave: " + output);
}

// Runs `job(0)` to `job(count - 1)` at the same time; throws what the first of them threw.
template <typename Job>
void side_by_side(int count, Job job) {
  std::mutex mutex;
  std::exception_ptr failure;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      try {
        job(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

using Servers = std::vector<std::unique_ptr<Server>>;

// All started at once, each with a cell; milliseconds until the last first reply.
double start(Servers& servers, const Subject& subject, const std::vector<std::string>& folders, int count) {
  return milliseconds_of([&] {
    for (int i = 0; i < count; ++i) {
      servers.push_back(std::make_unique<Server>(subject.program, folders[static_cast<size_t>(i) % folders.size()]));
    }
    side_by_side(count, [&](int i) {
      Server& server = *servers[static_cast<size_t>(i)];
      server.initialize();
      expect_hi(server.call("echo hi"));
    });
  });
}

// What a server leaves to others is the removal of its cell. As a subreaper we get to know when that is over, so that
// none is measured with another's removal beside it.
void end(Servers& servers) {
  side_by_side(static_cast<int>(servers.size()), [&](int i) { servers[static_cast<size_t>(i)]->close(); });
  while (waitpid(-1, nullptr, 0) > 0) {
  }
}

double memory_of_each(const Servers& servers) {
  double sum = 0;
  for (const auto& server : servers) {
    for (const pid_t pid : processes_of_session(server->pid())) sum += proportional_mb(pid);
  }
  return sum / static_cast<double>(servers.size());
}

void measure_idle(const Subject& subject, const std::vector<std::string>& folders, Row& started, Row& memory) {
  Servers servers;
  started.add_round(start(servers, subject, folders, kIdleSessions));
  memory.add_round(memory_of_each(servers));
  // Nobody has taken another's cell, and none was lost.
  side_by_side(kIdleSessions, [&](int i) { expect_hi(servers[static_cast<size_t>(i)]->call("echo hi")); });
  end(servers);
}

// Calls a second of ten sessions at once, and of as many threads with a bare bash.
void measure_throughput(const Subject& subject, const std::vector<std::string>& folders, Row& row) {
  Servers servers;
  start(servers, subject, folders, kBusySessions);
  const double ours = milliseconds_of([&] {
    side_by_side(kBusySessions, [&](int i) {
      for (int call = 0; call < kCallsEach; ++call) expect_hi(servers[static_cast<size_t>(i)]->call("echo hi"));
    });
  });
  const double bare = milliseconds_of([&] {
    side_by_side(kBusySessions, [&](int) {
      for (int call = 0; call < kCallsEach; ++call) expect_hi(bare_bash("echo hi"));
    });
  });
  constexpr double kCalls = 1000.0 * kBusySessions * kCallsEach;
  row.add_round(kCalls / ours, kCalls / bare);
  end(servers);
}

// What a command costs in a cell, with and without a lock of its own; the cell may use two processors, so that its
// share of time is not what is measured.
double cost_of_lock(Server& server) {
  const auto milliseconds_each = [&](const std::string& command) {
    return std::stod(server.call(
        fmt::format("s=${{EPOCHREALTIME/./}}; for ((i = 0; i < {0}; ++i)); do {1}; done; e=${{EPOCHREALTIME/./}}; "
                    "awk \"BEGIN {{ print ($e - $s) / 1000 / {0} }}\"",
                    kLocks, command)));
  };
  const double bare = milliseconds_each("/bin/true");
  return milliseconds_each("cell lock free -- /bin/true") - bare;
}

}  // namespace

std::vector<Row> measure_sessions(const Subject& subject) {
  Row one_folder{"50 sessions on one workspace, to the last first reply", "ms", {}, {}, {}, {}};
  Row own_folders{"50 sessions, a workspace each, to the last first reply", "ms", {}, {}, {}, {}};
  Row memory{"an idle session of 50, all its processes (PSS)", "MB", {}, {}, {}, 10.0};
  Row throughput{"1,000 calls in 10 sessions, vs a bare bash in 10 threads", "calls/s", {}, {}, {}, {}, 0.6};
  Row lock{"cell lock FILE -- true, more than true", "ms", {}, {}, {}, 1.0};
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (int round = 0; round < subject.rounds; ++round) {
    std::vector<std::unique_ptr<Workspace>> workspaces;
    std::vector<std::string> folders;
    for (int i = 0; i < kIdleSessions; ++i) {
      workspaces.push_back(std::make_unique<Workspace>());
      folders.push_back(workspaces.back()->path());
    }
    measure_idle(subject, {folders.front()}, one_folder, memory);
    measure_idle(subject, folders, own_folders, memory);
    measure_throughput(subject, folders, throughput);
    Server server(subject.program, folders.front(), {"--cpus", "2"});
    server.initialize();
    lock.add_round(cost_of_lock(server));
    server.close();
  }
  return {one_folder, own_folders, memory, throughput, lock};
}

}  // namespace bashcell::bench
