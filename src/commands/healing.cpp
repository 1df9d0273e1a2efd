#include "commands/healing.h"

#include <cstdlib>
#include <ctime>
#include <optional>
#include <utility>

#include "commands/engines.h"
#include "commands/parts.h"
#include "config_paths.h"
#include "heal/model_http.h"

namespace bashcell::commands {

namespace {

heal::Policy policy_of(const Config& config) {
  return {.install = config.install,
          .allow = {config.install_allow.begin(), config.install_allow.end()},
          .deny = {config.install_deny.begin(), config.install_deny.end()}};
}

base::Result<std::string> toolbox_place(const Config& config, CellRoot kind) {
  heal::ToolboxRoot root{.uid = cell_user(config).uid};
  if (kind == CellRoot::kImage) {
    root.image = cell_image(config);
  } else {
    root.rootfs = config.rootfs;
  }
  return heal::toolbox_folder(heal::toolbox_key(root));
}

}  // namespace

base::Result<heal::Toolbox> open_toolbox(const Config& config, CellRoot root) {
  const base::Result<std::string> folder = toolbox_place(config, root);
  if (!folder) return folder.error();
  return heal::Toolbox::open(*folder, cell_user(config));
}

base::Result<std::unique_ptr<heal::Model>> repair_model(const Config& config, base::EventLoop& loop) {
  if (config.repair == "off" || config.repair == "client") return std::unique_ptr<heal::Model>();
  auto options = heal::http_model_options(config.repair, config.repair_model, config.repair_key_env,
                                          [](const std::string& name) -> std::optional<std::string> {
                                            const char* value = std::getenv(name.c_str());
                                            return value == nullptr ? std::nullopt : std::optional<std::string>(value);
                                          });
  if (!options) return options.error();
  return std::unique_ptr<heal::Model>(std::make_unique<heal::HttpModel>(loop, std::move(*options)));
}

Healing::Healing(const Config& config, base::EventLoop& loop)
    : config_(config),
      loop_(loop),
      healer_(loop, table_, policy_of(config),
              [this](const heal::Need& need, heal::Installer::OnDone on_done) { install(need, std::move(on_done)); }) {
  if (!config.install) return;
  const base::Result<std::string> place = toolbox_place(config, root_of_cells(config));
  if (!place) return;  // said when a cell starts, which is without tools then
  if (auto use = heal::ToolboxUse::begin(*place, cell_user(config), config.rootfs)) {
    use_ = std::move(*use);
  } else {
    base::Log(config.log).info("the toolbox is used without a hold on it: " + use.error().message);
  }
}

void Healing::install(const heal::Need& need, heal::Installer::OnDone on_done) {
  if (!installer_) {
    base::Result<heal::Toolbox> toolbox = open_toolbox(config_, root_of_cells(config_));
    if (!toolbox) return on_done(toolbox.error());
    heal::sweep_toolboxes(toolbox->folder(), std::time(nullptr));
    engine_ = make_engine(config_, {.pull = false});
    installer_ =
        std::make_unique<heal::Installer>(loop_, *engine_, table_,
                                          heal::InstallerOptions{.toolbox = std::move(*toolbox),
                                                                 .make_spec = [this] { return cell_spec(config_); },
                                                                 .limit = config_.install_timeout,
                                                                 .pip_index = config_.pip_index,
                                                                 .log = base::Log(config_.log)});
  }
  installer_->install(need, std::move(on_done));
}

}  // namespace bashcell::commands
