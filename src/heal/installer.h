#pragma once
// Gets what a script lacks into the toolbox: by our own script (packages/install.sh) in an installer cell, a
// short-lived cell of the same engine and root with a network and an empty folder for a workspace, but nothing of the
// user's.
//
// On the event loop's thread; nothing blocks but file operations. One install at a time; another server's is waited
// for. Whole or not at all: what fails leaves only a staging folder, and the next install removes that.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/log.h"
#include "base/result.h"
#include "engine/engine.h"
#include "heal/install_plan.h"
#include "heal/need.h"
#include "heal/package_table.h"
#include "heal/toolbox.h"
#include "sandbox/sandbox.h"

namespace bashcell::heal {

struct InstallerOptions {
  Toolbox toolbox;
  // What a session cell is; the installer's cell is the same but for workspace, network and toolbox.
  sandbox::SpecMaker make_spec;
  base::Duration limit{60'000};  // of one install, a wait for another server's and the start of the cell included
  std::string pip_index = {};    // URL of an index of Python packages; empty: pip's own
  base::Log log = base::Log{};
};

class Installer {
 public:
  using OnDone = std::function<void(base::Result<Installed>)>;

  // `engine` and `table` must outlive this; the engine is used by nobody else.
  Installer(base::EventLoop& loop, engine::Engine& engine, const PackageTable& table, InstallerOptions options);
  Installer(const Installer&) = delete;
  Installer& operator=(const Installer&) = delete;
  // Ends a cell at work; its install leaves nothing. Waits for a start under way. Nobody is told any more.
  ~Installer();

  // Calls back once, maybe at once: with what is in the toolbox now (took: zero when it was there before), or a
  // sentence that begins in lower case. Who asks for the same is told the same, of one install.
  void install(const Need& need, OnDone on_done);

  // As Sandbox::wait_for_start: at the end, when the loop runs no more.
  bool wait_for_start(base::Duration limit);

 private:
  struct Work {
    Need need;
    InstallPlan plan;
    std::vector<OnDone> waiters;
  };

  void begin();
  void look_for_lock();
  void run_cell();
  void on_report(sandbox::CallReport report);
  void on_late();
  base::Result<Installed> take(const sandbox::CallReport& report) const;
  void finish(base::Result<Installed> result);
  void retire();

  bool is_there(const InstallPlan& plan) const;
  base::Result<engine::CellSpec> spec_in(const std::string& staging) const;

  base::EventLoop& loop_;
  engine::Engine& engine_;
  const PackageTable& table_;
  InstallerOptions options_;
  std::vector<Work> queue_;  // the first one is at work, while `busy_`
  bool busy_ = false;
  base::Instant begun_{};
  std::optional<base::FileLock> lock_;
  std::string staging_;
  std::unique_ptr<sandbox::Sandbox> sandbox_;
  uint64_t run_ = 0;              // which report counts
  bool sandbox_retires_ = false;  // its start is under way still, and nobody needs it
  base::EventLoop::TimerId step_ = 0;
  base::EventLoop::TimerId deadline_ = 0;
};

}  // namespace bashcell::heal
