#include "engine/oci/cgroup.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine::oci;

namespace {

// Recorded on a Debian 12 with systemd, in a user's session.
constexpr const char* kV2Mounts =
    "22 28 0:21 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw\n"
    "30 22 0:27 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 "
    "rw,nsdelegate,memory_recursiveprot\n";
constexpr const char* kV2Self = "0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-u3.scope\n";

// Recorded on a machine with v1 controllers and an empty v2 hierarchy beside them.
constexpr const char* kHybridMounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:4 master:2 - cgroup cgroup rw,memory\n"
    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
    "40 31 0:37 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,name=systemd\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* kV1Self = "9:name=systemd:/\n8:pids:/\n4:memory:/process_api/9c7a\n2:cpu,cpuacct:/\n0::/\n";

void put(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("cgroup v2 is recognised, with the own place in it") {
  const CgroupLayout layout = parse_cgroup_layout(kV2Mounts, kV2Self);
  CHECK(layout.kind == CgroupKind::kV2);
  CHECK(layout.v2_mount == "/sys/fs/cgroup");
  CHECK(layout.v2_path == "/user.slice/user-1000.slice/user@1000.service/app.slice/run-u3.scope");
  CHECK(cgroup_folders(layout, "/bashcell") == std::vector<std::string>{"/sys/fs/cgroup/bashcell"});
}

TEST_CASE("v1 with a v2 mount beside it is hybrid, without it v1") {
  const CgroupLayout hybrid = parse_cgroup_layout(kHybridMounts, kV1Self);
  CHECK(hybrid.kind == CgroupKind::kHybrid);
  CHECK(hybrid.v2_mount == "/sys/fs/cgroup/unified");
  CHECK(hybrid.v1_mounts.at("cpu") == "/sys/fs/cgroup/cpu,cpuacct");
  CHECK(hybrid.v1_mounts.at("memory") == "/sys/fs/cgroup/memory");

  std::string mounts = kHybridMounts;
  mounts.resize(mounts.find("41 31"));
  const CgroupLayout v1 = parse_cgroup_layout(mounts, kV1Self);
  CHECK(v1.kind == CgroupKind::kV1);
  const std::vector<std::string> folders = cgroup_folders(v1, "/bashcell");
  CHECK(folders == std::vector<std::string>{"/sys/fs/cgroup/cpu,cpuacct/bashcell", "/sys/fs/cgroup/memory/bashcell",
                                            "/sys/fs/cgroup/pids/bashcell", "/sys/fs/cgroup/systemd/bashcell"});
}

TEST_CASE("a machine without control groups is recognised, and unreadable texts do no harm") {
  CHECK(parse_cgroup_layout("", "").kind == CgroupKind::kNone);
  CHECK(parse_cgroup_layout("22 28 0:21 / /sys rw - sysfs sysfs rw\n", "").kind == CgroupKind::kNone);
  CHECK(parse_cgroup_layout("rubbish\n - \n1 2 3 - cgroup\n - cgroup cgroup rw,memory\n", "0:\n::").kind ==
        CgroupKind::kNone);
}

TEST_CASE("root on v2 gets every limit from the controllers at the top") {
  const TemporaryFolder top;
  put(top.path() / "cgroup.controllers", "cpuset cpu io memory pids\n");
  CgroupLayout layout;
  layout.kind = CgroupKind::kV2;
  layout.v2_mount = top.path();
  const CgroupPlan plan = plan_cgroup(layout, /*rootless=*/false, "/bashcell");
  CHECK(plan.complete());
  CHECK(plan.swap);
  CHECK(plan.manager == CgroupManager::kCgroupfs);
  CHECK(plan.path == "/bashcell/%s");
  CHECK(plan.parent() == "/bashcell");
  CHECK(plan.reason.empty());

  // A kernel without swap accounting shows groups without memory.swap.max.
  put(top.path() / "init.scope" / "memory.max", "max\n");
  CHECK_FALSE(plan_cgroup(layout, false, "/bashcell").swap);
}

TEST_CASE("root in a container, whose top group holds processes, is told how to make room") {
  const TemporaryFolder top;
  put(top.path() / "cgroup.controllers", "cpu memory pids\n");
  put(top.path() / "cgroup.type", "domain\n");  // which the true top does not have
  put(top.path() / "cgroup.subtree_control", "\n");
  put(top.path() / "cgroup.procs", "0\n1\n");
  CgroupLayout layout;
  layout.kind = CgroupKind::kV2;
  layout.v2_mount = top.path();
  const CgroupPlan plan = plan_cgroup(layout, /*rootless=*/false, "/bashcell");
  CHECK(plan.manager == CgroupManager::kDisabled);
  CHECK(plan.path.empty());
  CHECK(plan.missing() == "memory, cpu and pids");
  CHECK(plan.reason.find("holds processes") != std::string::npos);
  const std::string folder = top.path().string();
  CHECK(plan.fix.find("xargs -n1 <" + folder + "/cgroup.procs >" + folder + "/own/cgroup.procs") != std::string::npos);

  put(top.path() / "cgroup.procs", "");
  CHECK(plan_cgroup(layout, false, "/bashcell").complete());
  put(top.path() / "cgroup.procs", "1\n");
  put(top.path() / "cgroup.subtree_control", "cpu memory pids\n");
  CHECK(plan_cgroup(layout, false, "/bashcell").complete());
}

TEST_CASE("a controller that is not there is named, with a cure") {
  const TemporaryFolder top;
  put(top.path() / "cgroup.controllers", "cpuset io memory\n");
  CgroupLayout layout;
  layout.kind = CgroupKind::kV2;
  layout.v2_mount = top.path();
  const CgroupPlan plan = plan_cgroup(layout, false, "/bashcell");
  CHECK(plan.memory);
  CHECK_FALSE(plan.complete());
  CHECK(plan.missing() == "cpu and pids");
  CHECK(plan.reason.find("cpu and pids") != std::string::npos);
  CHECK_FALSE(plan.fix.empty());
}

TEST_CASE("an ordinary user on v1 gets no limits, and is told why") {
  const CgroupPlan plan = plan_cgroup(parse_cgroup_layout(kHybridMounts, kV1Self), /*rootless=*/true, "/bashcell");
  CHECK(plan.manager == CgroupManager::kDisabled);
  CHECK(plan.path.empty());
  CHECK(plan.parent().empty());
  CHECK(plan.missing() == "memory, cpu and pids");
  CHECK(plan.reason.find("ordinary user") != std::string::npos);
}

TEST_CASE("an ordinary user on v2 uses the delegated group above the own one") {
  const TemporaryFolder top;
  const std::string own = "/user.slice/app.slice/x.scope";
  for (const char* name : {"cgroup.procs", "cgroup.subtree_control"})
    put(top.path() / "user.slice/app.slice" / name, "");
  put(top.path() / "user.slice/app.slice/cgroup.controllers", "cpu memory pids\n");
  CgroupLayout layout;
  layout.kind = CgroupKind::kV2;
  layout.v2_mount = top.path();
  layout.v2_path = own;
  ::unsetenv("XDG_RUNTIME_DIR");
  const CgroupPlan plan = plan_cgroup(layout, /*rootless=*/true, "/bashcell");
  CHECK(plan.complete());
  CHECK(plan.manager == CgroupManager::kCgroupfs);
  CHECK(plan.path == "/user.slice/app.slice/%s");
  CHECK(plan.parent() == "/user.slice/app.slice");

  std::filesystem::remove(top.path() / "user.slice/app.slice/cgroup.procs");
  const CgroupPlan none = plan_cgroup(layout, true, "/bashcell");
  CHECK(none.manager == CgroupManager::kDisabled);
  CHECK(none.reason.find("delegated") != std::string::npos);
}

TEST_CASE("an ordinary user in the delegated group itself is told how to make room in it") {
  const TemporaryFolder top;
  put(top.path() / "mine/cgroup.controllers", "cpu memory pids\n");
  put(top.path() / "mine/cgroup.type", "domain\n");
  put(top.path() / "mine/cgroup.subtree_control", "");
  put(top.path() / "mine/cgroup.procs", "4711\n");
  CgroupLayout layout;
  layout.kind = CgroupKind::kV2;
  layout.v2_mount = top.path();
  layout.v2_path = "/mine";
  ::unsetenv("XDG_RUNTIME_DIR");
  const CgroupPlan inside = plan_cgroup(layout, /*rootless=*/true, "/bashcell");
  CHECK(inside.manager == CgroupManager::kDisabled);
  CHECK(inside.reason.find("/mine is delegated to uid") != std::string::npos);
  CHECK(inside.fix.find("mkdir " + top.path().string() + "/mine/own;") != std::string::npos);

  // In a group below it that helps only when nobody else is left in it.
  layout.v2_path = "/mine/own";
  CHECK(plan_cgroup(layout, true, "/bashcell").manager == CgroupManager::kDisabled);
  put(top.path() / "mine/cgroup.procs", "");
  CHECK(plan_cgroup(layout, true, "/bashcell").path == "/mine/%s");
}
