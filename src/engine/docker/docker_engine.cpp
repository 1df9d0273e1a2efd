#include "engine/docker/docker_engine.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <utility>

#include "base/file.h"
#include "engine/cell_name.h"
#include "engine/docker/delivery.h"
#include "engine/docker/docker_cell.h"
#include "engine/docker/examine.h"
#include "engine/docker/host_key.h"
#include "engine/docker/json_member.h"
#include "engine/docker/network.h"
#include "engine/private_folder.h"
#include "engine/run_folder.h"
#include "engine/seccomp.h"

namespace bashcell::engine::docker {

namespace {

using nlohmann::json;

constexpr base::Duration kConnectLimit{3'000};   // from the start; PID 1 connects first of all, or goes on without
constexpr uint64_t kOpenFilesElsewhere = 4'096;  // any engine may give that many
constexpr uint64_t kProcesses = 16'384;          // below what Podman allows itself

bool is_local(const Address& address) { return !address.target.unix_socket.empty(); }

// The engine may not be able to give more than what this process could; of one on another machine nothing is known.
uint64_t hard_limit(const Address& address, __rlimit_resource_t what, uint64_t elsewhere) {
  rlimit limit{};
  return is_local(address) && ::getrlimit(what, &limit) == 0 ? limit.rlim_max : elsewhere;
}

base::Result<void> check_spec(const CellSpec& spec, const EngineApi& api) {
  if (!is_image_reference(spec.image)) {
    return base::Error{
        fmt::format("the image name {} is not one ([HOST/]NAME[:TAG][@sha256:DIGEST]); choose another with --image",
                    json(spec.image).dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 200))};
  }
  if (!spec.rootfs.empty()) return base::Error{"--rootfs is for the oci engine; with this one choose an --image"};
  if (spec.workspace_volume.empty() && !is_local(api.address())) {
    return base::Error{
        fmt::format("{} does not see this machine's files, so it cannot share the workspace {}: keep it in a volume "
                    "there with --workspace volume:NAME",
                    api.name(), spec.workspace)};
  }
  return {};
}

base::Result<void> check_image(const CellSpec& spec, const ImageFacts& image) {
  const std::string ours = architecture_of_program(spec.supervisor);
  if (image.os != "linux" && !image.os.empty()) {
    return base::Error{fmt::format("the image {} is for {}; a cell needs one for linux", spec.image, image.os)};
  }
  if (ours.empty() || image.architecture.empty() || image.architecture == ours) return {};
  return base::Error{
      fmt::format("the image {} is for {}, and {} is for {}: pull the image for linux/{}, or name another "
                  "bashcell-init with --init",
                  spec.image, image.architecture, spec.supervisor, ours, ours)};
}

}  // namespace

DockerEngine::DockerEngine(DockerOptions options)
    : options_(std::move(options)),
      janitor_(std::make_shared<Janitor>(options_.make_client, options_.log)),
      images_(options_.make_client, options_.image),
      host_(host_key()) {}

base::Result<std::unique_ptr<EngineApi>> DockerEngine::connect() {
  const base::Result<std::vector<Address>> addresses =
      options_.address ? base::Result<std::vector<Address>>({*options_.address})
                       : find_addresses(options_.host, options_.flavor, options_.environment);
  if (!addresses) return addresses.error();
  std::string tried;
  for (const Address& address : *addresses) {
    base::Result<std::unique_ptr<EngineApi>> api = EngineApi::connect(options_.make_client, address);
    if (api) return api;
    tried += (tried.empty() ? "" : "; ") + api.error().message;
  }
  if (!tried.empty()) return base::Error{tried};
  std::string places;
  for (const std::string& place : known_sockets(options_.flavor, options_.environment)) {
    places += (places.empty() ? "" : ", ") + place;
  }
  return base::Error{
      fmt::format("there is no {} engine here (no socket at {}); start it, or say where it is with --docker-host",
                  options_.flavor == Flavor::kPodman ? "Podman" : "Docker or Podman", places)};
}

base::Result<std::string> DockerEngine::seccomp_for(const EngineApi& api, const std::string& folder) const {
  std::string profile = seccomp_profile().dump();
  if (!api.facts().podman) return profile;
  if (!is_local(api.address())) {
    return base::Error{
        fmt::format("{} takes its list of system calls only as a file on its own machine, so a cell there "
                    "cannot be hardened: use a Docker engine, or run bashcell on that machine",
                    api.name())};
  }
  const std::string path = folder + "/seccomp.json";
  if (const auto written = base::write_file(path, profile, 0644); !written) return written.error();
  return path;
}

base::Result<json> DockerEngine::mounts_for(EngineApi& api, const CellSpec& spec, const ControlSocket* control,
                                            const std::string& folder) {
  json mounts = json::array();
  const auto add = [&](json more) {
    for (json& mount : more) mounts.push_back(std::move(mount));
  };
  if (control != nullptr) {
    const std::string run_folder = folder + "/run-folder";
    if (const auto made = ensure_run_folder(run_folder); !made) return made.error();
    add(bind_supervisor(spec, run_folder));
    add(bind_control_socket(control->path()));
    add(bind_host_folders(spec));
  }
  if (spec.workspace_volume.empty()) add(bind_workspace(spec));
  if (control == nullptr || !spec.workspace_volume.empty()) {
    const std::string name = make_cell_name(base::ProcessIdentity::self());
    base::Result<json> volumes =
        fill_volumes(api, spec, {.supervisor = control == nullptr, .name = name, .host = host_});
    if (!volumes) return volumes.error();
    add(std::move(*volumes));
  }
  return mounts;
}

base::Result<DockerEngine::Created> DockerEngine::create(EngineApi& api, const CellSpec& spec, const ImageFacts& image,
                                                         const std::string& name) {
  const base::Result<PrivateFolder> folder = open_private_folder(options_.private_folder);
  if (!folder) return folder.error();
  const base::Result<std::string> seccomp = seccomp_for(api, folder->path);
  if (!seccomp) return seccomp.error();
  Created created;
  if (binds_ && is_local(api.address())) {
    const std::string sockets = folder->path + "/control";
    ControlSocket::sweep(sockets);
    base::Result<ControlSocket> control = ControlSocket::listen(sockets, name);
    if (!control) return control.error();
    created.control.emplace(std::move(*control));
  }
  CellSpec seen = spec;
  for (;;) {
    if (!created.control) {  // the engine does not see our files
      seen.toolbox.clear();
      seen.shelf.clear();
    }
    base::Result<json> mounts = mounts_for(api, seen, created.control ? &*created.control : nullptr, folder->path);
    if (!mounts) return mounts.error();
    const ContainerPlan plan{
        .name = name,
        .host = host_,
        .control_socket = created.control.has_value(),
        .mounts = std::move(*mounts),
        .seccomp = *seccomp,
        .open_files = std::min(kOpenFilesHard, hard_limit(api.address(), RLIMIT_NOFILE, kOpenFilesElsewhere)),
        .processes = std::min(kProcesses, hard_limit(api.address(), RLIMIT_NPROC, kProcesses))};
    const base::Result<Answer> answer = api.create_container(name, make_container(seen, plan, image, api.facts()));
    if (!answer) {
      swept_ = false;  // it may have been made all the same, or will be
      unanswered_.insert(name);
      return answer.error();
    }
    created.container = text_member(answer->body, "Id");
    if (answer->good() && !created.container.empty()) {
      binds_ = binds_ && (created.control || !is_local(api.address()));
      return created;
    }
    if (!is_missing_source(*answer)) {
      return base::Error{fmt::format("{} cannot make the cell: {}", api.name(), answer->message)};
    }
    if (!created.control) {
      return base::Error{
          fmt::format("{} does not see the workspace {} ({}): choose a folder that it shares, or keep the "
                      "workspace in a volume there with --workspace volume:NAME",
                      api.name(), spec.workspace, answer->message)};
    }
    created.control.reset();
  }
}

void DockerEngine::sweep(EngineApi& api) {
  if (std::exchange(swept_, true)) return;
  const base::Result<std::vector<ContainerFacts>> ours = api.containers_with(std::string(kHostLabel) + "=" + host_);
  if (!ours) return options_.log.info(ours.error().message);
  const std::string boot = base::ProcessIdentity::self().boot;
  size_t found = 0;
  for (const ContainerFacts& container : *ours) {
    const std::optional<base::ProcessIdentity> owner = owner_of(container.name);
    // Of those of this server, which may have other engines, only what a creation without an answer has made.
    if (!owner || (owner->alive() && !unanswered_.contains(container.name))) continue;
    // Copies of one virtual machine have one machine-id, and may share an engine elsewhere.
    if (!is_local(api.address()) && owner->boot != boot) continue;
    janitor_->remove(api.address(), container.id);
    ++found;
  }
  if (found > 0) options_.log.info(fmt::format("removing {} cells that no server uses", found));
}

base::Result<std::unique_ptr<Cell>> DockerEngine::start(const CellSpec& spec) {
  const base::Instant begun = base::now();
  base::Result<std::unique_ptr<EngineApi>> connected = connect();
  if (!connected) return connected.error();
  EngineApi& api = **connected;
  sweep(api);
  if (const base::Result<void> checked = check_spec(spec, api); !checked) return checked.error();
  if (!api.facts().seccomp) {
    return base::Error{fmt::format("{} cannot filter system calls (its /info lists no seccomp)", api.name())};
  }
  if (const base::Result<void> checked = check_network(api, spec.network); !checked) return checked.error();
  const base::Result<ImageFacts> image = images_.obtain(api, spec.image, begun);
  if (!image) return image.error();
  if (const base::Result<void> checked = check_image(spec, *image); !checked) return checked.error();

  CellParts parts;
  parts.name = make_cell_name(base::ProcessIdentity::self());
  parts.address = api.address();
  parts.image = spec.image;
  parts.janitor = janitor_;
  base::Result<Created> created = create(api, spec, *image, parts.name);
  if (!created) return created.error();
  parts.container = std::move(created->container);
  // Before the start, so that nothing it says is lost.
  base::Result<std::unique_ptr<http::Connection>> connection = api.attach(parts.container);
  const base::Result<void> started = connection ? api.start_container(parts.container) : connection.error();
  if (!started) {
    janitor_->remove(api.address(), parts.container);
    return started.error();
  }
  parts.connection = std::move(*connection);
  if (created->control) parts.direct = std::move(*created->control).accept(parts.connection->poll_fd(), kConnectLimit);
  options_.log.debug(fmt::format("cell {} starts in {}", parts.name, api.name()));
  return std::unique_ptr<Cell>(std::make_unique<DockerCell>(std::move(parts)));
}

std::vector<Finding> DockerEngine::examine(const CellSpec& spec) {
  const base::Result<std::unique_ptr<EngineApi>> api = connect();
  if (!api) return {{false, "engine", api.error().message, {}}};
  return examine_engine(**api, spec);
}

}  // namespace bashcell::engine::docker
