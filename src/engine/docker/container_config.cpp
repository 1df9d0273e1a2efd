#include "engine/docker/container_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/cell_name.h"

namespace bashcell::engine::docker {

namespace {

using nlohmann::json;

constexpr const char* kHelpers = "/run/cell/bin";

// The image knows best where its programs are; ours are behind them.
std::string path_with_helpers(const std::string& of_image, const CellSpec& spec) {
  return of_image + ":" + kHelpers + programs_of_ours(spec);
}

json environment(const CellSpec& spec, const ImageFacts& image) {
  std::map<std::string, std::string> values;
  for (const std::string& entry : image.environment) {
    const size_t equals = entry.find('=');
    if (equals != std::string::npos && equals > 0) values[entry.substr(0, equals)] = entry.substr(equals + 1);
  }
  const auto path = values.find("PATH");
  const std::string of_image = path == values.end() ? "" : path->second;
  for (const auto& [name, value] : cell_environment(spec)) values[name] = value;
  if (!of_image.empty()) values["PATH"] = path_with_helpers(of_image, spec);
  // git refuses to work in a folder of another uid. A workspace may well be one, and nothing in it can harm more than
  // the scripts that run there anyway. An image has no place for a file that says so.
  values["GIT_CONFIG_COUNT"] = "1";
  values["GIT_CONFIG_KEY_0"] = "safe.directory";
  values["GIT_CONFIG_VALUE_0"] = "*";
  json list = json::array();
  for (const auto& [name, value] : values) list.push_back(name + "=" + value);
  return list;
}

// Podman (4.3) knows no nr_inodes: there a folder full of empty files ends at the memory limit. Without notmpcopyup, it
// would copy what the image has there.
std::string tmpfs(const char* exec, int64_t bytes, const EngineFacts& engine) {
  const std::string more = engine.podman ? ",notmpcopyup" : fmt::format(",nr_inodes={}", tmpfs_files(bytes));
  return fmt::format("rw,nosuid,nodev,{},mode=1777,size={}{}", exec, bytes, more);
}

json all_tmpfs(const CellSpec& spec, const EngineFacts& engine) {
  json all = {{"/tmp", tmpfs("exec", spec.tmp_bytes, engine)}, {"/dev/shm", tmpfs("noexec", spec.shm_bytes, engine)}};
  if (engine.podman) {
    // Podman makes these writable for everybody in a container whose root is not, unless somebody else mounts them.
    for (const char* path : {"/run", "/var/tmp"}) all[path] = "rw,nosuid,nodev,noexec,mode=755,size=64k,notmpcopyup";
  }
  return all;
}

json ulimits(const ContainerPlan& plan, const EngineFacts& engine) {
  json list = {{{"Name", "core"}, {"Soft", 0}, {"Hard", 0}},
               {{"Name", "nofile"}, {"Soft", std::min(kOpenFilesSoft, plan.open_files)}, {"Hard", plan.open_files}}};
  // What is not named, Podman raises, and fails where it may not. PidsLimit is what limits processes.
  if (engine.podman) {
    list.push_back({{"Name", "nproc"}, {"Soft", plan.processes}, {"Hard", plan.processes}});
  }
  return list;
}

// "default" is the engine's own: Docker's bridge, and for Podman without root a forwarding program.
std::string network_mode(const CellSpec& spec) {
  if (!spec.network.empty()) return spec.network;
  return spec.installer ? "default" : "none";
}

json host_config(const CellSpec& spec, const ContainerPlan& plan, const EngineFacts& engine) {
  const CpuTime cpu = cpu_time(spec);
  json config = {
      {"AutoRemove", true},
      {"CapDrop", {"ALL"}},
      {"CpuPeriod", cpu.period_us},
      {"CpuQuota", cpu.quota_us},
      {"Init", false},
      {"IpcMode", "private"},
      {"LogConfig", {{"Type", "none"}, {"Config", json::object()}}},
      {"Memory", spec.memory_bytes},
      {"MemorySwap", spec.memory_bytes},  // memory and swap together: equal means no swap
      {"Mounts", plan.mounts},
      {"NetworkMode", network_mode(spec)},
      {"OomScoreAdj", kOomScoreAdj},
      {"PidsLimit", spec.pids},
      {"Privileged", false},
      {"ReadonlyRootfs", true},
      {"RestartPolicy", {{"Name", "no"}}},
      {"SecurityOpt", {"no-new-privileges", "seccomp=" + plan.seccomp}},
      {"ShmSize", spec.shm_bytes},
      {"Tmpfs", all_tmpfs(spec, engine)},
      {"Ulimits", ulimits(plan, engine)},
  };
  // Engines name a container in its /etc/hosts by the address that it has; without a network it has none.
  if (network_mode(spec) == "none") config["ExtraHosts"] = {host_name(plan.name) + ":127.0.0.1"};
  // Where the engine's user is not root, files in the workspace are to keep that one owner.
  if (engine.podman && engine.rootless) config["UsernsMode"] = "keep-id";
  return config;
}

}  // namespace

json make_container(const CellSpec& spec, const ContainerPlan& plan, const ImageFacts& image,
                    const EngineFacts& engine) {
  return {
      {"Hostname", host_name(plan.name)},
      {"Image", spec.image},
      {"Entrypoint", {kCellSupervisor}},
      {"Cmd", plan.control_socket ? json{"--control-socket", kCellControl} : json::array()},
      {"User", fmt::format("{}:{}", spec.user.uid, spec.user.gid)},
      {"Env", environment(spec, image)},
      // Not /workspace: where its owner shuts this user out, the supervisor can still start and say so.
      {"WorkingDir", "/"},
      {"Tty", false},
      {"OpenStdin", true},
      {"StdinOnce", true},  // closing the attached connection ends the supervisor, and with it the cell
      {"AttachStdin", true},
      {"AttachStdout", true},
      {"AttachStderr", true},
      {"StopSignal", "SIGKILL"},  // PID 1 has nothing to save, and the engine would wait 10 s for it
      {"Healthcheck", {{"Test", {"NONE"}}}},
      {"Labels", {{kCellLabel, plan.name}, {kHostLabel, plan.host}}},
      {"HostConfig", host_config(spec, plan, engine)},
  };
}

}  // namespace bashcell::engine::docker
