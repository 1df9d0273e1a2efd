#include "commands/healing.h"

#include <cstdlib>
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

}  // namespace

base::Result<heal::Toolbox> open_toolbox(const Config& config) {
  heal::ToolboxRoot root{.uid = cell_user(config).uid};
  if (root_of_cells(config) == CellRoot::kImage) {
    root.image = cell_image(config);
  } else {
    root.rootfs = config.rootfs;
  }
  const base::Result<std::string> folder = heal::toolbox_folder(heal::toolbox_key(root));
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
      healer_(loop, policy_of(config),
              [this](const heal::Need& need, heal::Installer::OnDone on_done) { install(need, std::move(on_done)); }) {}

void Healing::install(const heal::Need& need, heal::Installer::OnDone on_done) {
  if (!installer_) {
    base::Result<heal::Toolbox> toolbox = open_toolbox(config_);
    if (!toolbox) return on_done(toolbox.error());
    engine_ = make_engine(config_, {.pull = false});
    installer_ =
        std::make_unique<heal::Installer>(loop_, *engine_,
                                          heal::InstallerOptions{.toolbox = std::move(*toolbox),
                                                                 .make_spec = [this] { return cell_spec(config_); },
                                                                 .pip_index = config_.pip_index,
                                                                 .log = base::Log(config_.log)});
  }
  installer_->install(need, std::move(on_done));
}

}  // namespace bashcell::commands
