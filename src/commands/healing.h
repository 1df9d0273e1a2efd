#pragma once
// The parts that get what scripts lack, built from the configuration: for serve and run.

#include <memory>
#include <optional>

#include "base/event_loop.h"
#include "commands/engines.h"
#include "config.h"
#include "engine/engine.h"
#include "heal/healer.h"
#include "heal/installer.h"
#include "heal/repair_model.h"
#include "heal/toolbox_sweep.h"
#include "sandbox/sandbox.h"

namespace bashcell::commands {

// What installs is made when something is to be installed for the first time: its engine and its toolbox. While this
// lives, no other server sweeps the toolbox away.
class Healing {
 public:
  // `config` must outlive this.
  Healing(const Config& config, base::EventLoop& loop);

  heal::Healer& healer() { return healer_; }
  const heal::PackageTable& table() const { return table_; }
  // As Sandbox::wait_for_start.
  bool wait_for_start(base::Duration limit) { return !installer_ || installer_->wait_for_start(limit); }

 private:
  void install(const heal::Need& need, heal::Installer::OnDone on_done);

  const Config& config_;
  base::EventLoop& loop_;
  const heal::PackageTable table_;
  std::optional<heal::ToolboxUse> use_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<heal::Installer> installer_;
  heal::Healer healer_;
};

// What --repair URL leads to; nothing for off and client. An error is one line that names the option.
base::Result<std::unique_ptr<heal::Model>> repair_model(const Config& config, base::EventLoop& loop);

// The toolbox for cells of this configuration, whose root is of that kind; made when it is missing. Blocks for a few
// file operations.
base::Result<heal::Toolbox> open_toolbox(const Config& config, CellRoot root);

}  // namespace bashcell::commands
