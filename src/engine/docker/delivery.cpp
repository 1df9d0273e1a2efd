#include "engine/docker/delivery.h"

#include <fmt/format.h>

#include <string_view>

#include "base/file.h"
#include "base/fingerprint.h"
#include "engine/docker/container_config.h"
#include "engine/docker/json_member.h"
#include "engine/docker/tar.h"
#include "engine/run_folder.h"

namespace bashcell::engine::docker {

namespace {

using nlohmann::json;

constexpr base::Duration kRemoveLimit{5'000};
constexpr size_t kMaxSupervisor = size_t{16} << 20;

json bind_mount(const std::string& source, const std::string& target, bool read_only) {
  return {{"Type", "bind"},
          {"Source", source},
          {"Target", target},
          {"ReadOnly", read_only},
          {"BindOptions", {{"Propagation", "rprivate"}}}};
}

json volume(const std::string& name, const char* target, bool read_only) {
  return {{"Type", "volume"},
          {"Source", name},
          {"Target", target},
          {"ReadOnly", read_only},
          {"VolumeOptions", {{"NoCopy", true}}}};
}

std::string supervisor_tar(std::string_view program) {
  TarWriter tar;
  tar.add_file("bashcell-init", 0755, program);
  tar.add_folder("bin", 0755, 0, 0);
  for (const RunLink& link : kRunLinks) tar.add_link(link.path, link.target);
  return std::move(tar).finish();
}

// What is in the volume is compared byte by byte: a server that was ended while it filled it leaves an empty one.
base::Result<void> fill_supervisor(EngineApi& api, const std::string& container, const std::string& program) {
  const base::Result<std::optional<std::string>> there = api.get_archive(container, kCellSupervisor);
  if (!there) return there.error();
  if (*there && first_file_of(**there) == program) return {};
  return api.put_archive(container, kCellRunFolder, supervisor_tar(program));
}

// A new volume belongs to root. Its top folder is given to the user as an entry of an archive, unpacked one folder
// above: an entry for the very folder where an archive is unpacked changes nothing.
base::Result<void> give_workspace(EngineApi& api, const std::string& container, const User& user) {
  TarWriter tar;
  tar.add_folder("workspace/", 0755, user.uid, user.gid);
  return api.put_archive(container, "/", std::move(tar).finish());
}

struct Work {
  json mounts = json::array();  // of the container in between: writable
  json cell = json::array();    // of the cell
  std::string program;          // what fills the supervisor's volume
  bool new_workspace = false;
};

base::Result<void> plan_supervisor(EngineApi& api, const CellSpec& spec, Work& work) {
  base::Result<std::string> program = base::read_file(spec.supervisor, kMaxSupervisor);
  if (!program) return program.error();
  work.program = std::move(*program);
  const std::string name = fmt::format("bashcell-init-{:016x}", base::fingerprint(work.program));
  work.mounts.push_back(volume(name, kCellRunFolder, false));
  work.cell.push_back(volume(name, kCellRunFolder, true));
  return api.ensure_volume(name, kVolumeLabel);
}

base::Result<void> plan_workspace(EngineApi& api, const CellSpec& spec, Work& work) {
  const base::Result<Answer> existing = api.request("GET", "/volumes/" + url_encoded(spec.workspace_volume));
  if (!existing) return existing.error();
  work.new_workspace = !existing->good();
  work.mounts.push_back(volume(spec.workspace_volume, kCellWorkspace, false));
  work.cell.push_back(volume(spec.workspace_volume, kCellWorkspace, false));
  return work.new_workspace ? api.ensure_volume(spec.workspace_volume, kVolumeLabel) : base::Result<void>();
}

base::Result<void> carry_out(EngineApi& api, const Work& work, const CellSpec& spec, const std::string& container) {
  if (!work.program.empty()) {
    if (base::Result<void> filled = fill_supervisor(api, container, work.program); !filled) return filled;
  }
  return work.new_workspace ? give_workspace(api, container, spec.user) : base::Result<void>();
}

}  // namespace

json bind_supervisor(const CellSpec& spec, const std::string& run_folder) {
  return {bind_mount(run_folder, kCellRunFolder, true), bind_mount(spec.supervisor, kCellSupervisor, true)};
}

json bind_workspace(const CellSpec& spec) {
  json mounts = json::array();
  for (const HostMount& mount : workspace_mounts(spec)) {
    mounts.push_back(bind_mount(mount.source, mount.target, mount.read_only));
  }
  return mounts;
}

json bind_host_folders(const CellSpec& spec) {
  json mounts = json::array();
  if (!spec.toolbox.empty()) mounts.push_back(bind_mount(spec.toolbox, kCellTools, true));
  if (!spec.shelf.empty()) mounts.push_back(bind_mount(spec.shelf, kCellShelf, true));
  return mounts;
}

json bind_control_socket(const std::string& path) { return {bind_mount(path, kCellControl, true)}; }

base::Result<json> fill_volumes(EngineApi& api, const CellSpec& spec, const VolumeOptions& options) {
  Work work;
  if (options.supervisor) {
    if (const base::Result<void> planned = plan_supervisor(api, spec, work); !planned) return planned.error();
  }
  if (!spec.workspace_volume.empty()) {
    if (const base::Result<void> planned = plan_workspace(api, spec, work); !planned) return planned.error();
  }
  if (work.program.empty() && !work.new_workspace) return work.cell;

  const base::Result<Answer> created =
      api.create_container(options.name, {{"Image", spec.image},
                                          {"Entrypoint", {kCellSupervisor}},
                                          {"Labels", {{kCellLabel, options.name}, {kHostLabel, options.host}}},
                                          {"NetworkDisabled", true},
                                          {"HostConfig", {{"Mounts", work.mounts}, {"NetworkMode", "none"}}}});
  if (!created) return created.error();
  const std::string container = text_member(created->body, "Id");
  if (!created->good() || container.empty()) {
    return base::Error{fmt::format("{} cannot make a container to fill volumes: {}", api.name(), created->message)};
  }
  const base::Result<void> done = carry_out(api, work, spec, container);
  const base::Result<void> removed = api.remove_container(container, kRemoveLimit);
  if (!done) return done.error();
  if (!removed) return removed.error();
  return work.cell;
}

std::string architecture_of_program(const std::string& path) {
  constexpr size_t kMachine = 18;  // e_machine, after e_ident and e_type
  const base::Result<std::string> head = base::read_file(path, kMachine + 2);
  if (!head || head->size() < kMachine + 2 ||
      head->substr(0, 4) !=
          "\x7f"
          "ELF")
    return {};
  const auto low = static_cast<unsigned char>((*head)[kMachine]);
  const auto high = static_cast<unsigned char>((*head)[kMachine + 1]);
  switch (low | high << 8) {
    case 62:
      return "amd64";
    case 183:
      return "arm64";
    case 243:
      return "riscv64";
    default:
      return {};
  }
}

bool is_missing_source(const Answer& answer) {
  if (answer.status != 400 && answer.status != 500) return false;
  for (const std::string_view sign : {"bind source path does not exist", "mounts denied", "no such file or directory",
                                      "is not shared", "not a shared mount"}) {
    if (answer.message.find(sign) != std::string::npos) return true;
  }
  return false;
}

}  // namespace bashcell::engine::docker
