// What a real cell of the oci engine can and cannot do, with a stand-in for the supervisor. Which runtime and which
// user: see oci_engine.sh, which runs this program in each of the settings that the machine allows.

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "integration/oci_place.h"

using namespace bashcell;
using namespace bashcell::engine;
namespace fs = std::filesystem;

TEST_CASE("a cell runs bash as its user, with the planned environment only") {
  const Place place;
  ::setenv("BASHCELL_TEST_SECRET", "canary", 1);
  oci::OciEngine engine(place.options);
  const auto cell = start(engine, place.spec);
  ::unsetenv("BASHCELL_TEST_SECRET");
  CHECK(run(*cell, "echo $((40+2)); exit 3").output == "42\n");
  CHECK(run(*cell, "exit 3").code == 3);
  CHECK(run(*cell, "id -u; id -g; id -un; hostname | cut -c1-5").output == "1000\n1000\nuser\ncell-\n");
  CHECK(run(*cell, "env | grep -c canary; tr '\\0' '\\n' </proc/1/environ | grep -c canary").output == "0\n0\n");
  CHECK(run(*cell, "cd /proc/1/ns && readlink pid").output != fs::read_symlink("/proc/self/ns/pid").string() + "\n");
  CHECK(run(*cell, "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | xargs").output == "lo\n");
  CHECK(run(*cell, "(exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -q refused").code == 0);
  CHECK(cell->diagnostics().find("stand-in says hello") != std::string::npos);
}

TEST_CASE("only workspace, /tmp and /dev/shm can be written, with files of the workspace's owner") {
  const Place place;
  oci::OciEngine engine(place.options);
  const auto cell = start(engine, place.spec);
  CHECK(run(*cell, "echo a >/workspace/made && echo b >/tmp/b && echo c >/dev/shm/c").code == 0);
  struct stat info {};
  REQUIRE(::stat((place.workspace() + "/made").c_str(), &info) == 0);
  CHECK(info.st_uid == (rootless() ? ::geteuid() : 1000));
  CHECK(run(*cell, "printf '#!/bin/sh\\necho ran\\n' >/tmp/s && chmod +x /tmp/s && /tmp/s").output == "ran\n");
  CHECK(run(*cell,
            "for d in / /etc /usr /usr/bin /run /run/cell /run/cell/bin /sys /sys/fs/cgroup /var /proc/sys/kernel; do "
            "  touch $d/x 2>/dev/null && echo writable: $d; done; true")
            .output.empty());
  CHECK(
      run(*cell, "ls -d /home /root /opt /srv /mnt /etc/shadow /etc/ssh /run/docker.sock 2>/dev/null").output.empty());
  CHECK(run(*cell, "ls /dev | xargs").output.find("kvm") == std::string::npos);
  const int64_t size_kb = place.spec.tmp_bytes >> 10;
  CHECK(run(*cell, "df -k --output=size /tmp | tail -1 | tr -d ' '").output == std::to_string(size_kb) + "\n");
}

TEST_CASE("a cell has no rights and a filter on system calls") {
  const Place place;
  oci::OciEngine engine(place.options);
  const auto cell = start(engine, place.spec);
  CHECK(run(*cell, "grep -E '^Cap' /proc/1/status | grep -vc 0000000000000000").output == "0\n");
  CHECK(run(*cell, "grep -E '^(NoNewPrivs|Seccomp):' /proc/1/status | tr -d '\\t' | xargs").output ==
        "NoNewPrivs:1 Seccomp:2\n");
  for (const char* attempt :
       {"unshare -U true", "unshare -r true", "mount -t tmpfs x /tmp", "mknod /tmp/d c 1 1", "chroot / true", "dmesg",
        "nsenter -t 1 -m true", "swapon /tmp/s", "date -s 2000-01-01", "hostname x", "echo 1 >/proc/sysrq-trigger",
        "echo x >/proc/sys/kernel/core_pattern", "cat /proc/1/root/etc/shadow", "kill -9 -1",
        "python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'",
        "python3 -c 'import socket; socket.socket(40, socket.SOCK_STREAM)'", "setarch -R true"}) {
    INFO(attempt);
    CHECK(run(*cell, std::string("(") + attempt + ") >/dev/null 2>&1").code != 0);
  }
  // Depending on the kernel there is none, or an empty file lies over it.
  CHECK(run(*cell, "head -c1 /proc/kcore 2>/dev/null | wc -c").output == "0\n");
  CHECK(run(*cell, "echo alive").output == "alive\n");
}

#ifdef __x86_64__
TEST_CASE("system calls that must fail do, with EPERM or as if they did not exist") {
  const Place place;
  oci::OciEngine engine(place.options);
  const auto cell = start(engine, place.spec);
  // ptrace mount umount2 unshare setns io_uring_setup userfaultfd bpf keyctl add_key request_key pidfd_getfd
  // process_vm_readv/writev name_to_handle_at open_by_handle_at perf_event_open quotactl kexec_load init_module
  // finit_module swapon reboot settimeofday clock_settime acct pivot_root chroot fsopen syslog iopl memfd_secret
  const std::string script =
      "import ctypes,errno; l=ctypes.CDLL(None,use_errno=True)\n"
      "def call(*a): ctypes.set_errno(0); return l.syscall(*a), ctypes.get_errno()\n"
      "for n in (101,165,166,272,308,425,323,321,250,248,249,438,310,311,303,304,298,179,246,175,313,167,169,164,227,"
      "163,155,161,430,103,172,447):\n"
      "  if call(n,0,0,0,0,0,0) != (-1, errno.EPERM): print('not refused:', n)\n"
      "for flag in (0x20000,0x2000000,0x4000000,0x8000000,0x10000000,0x20000000,0x40000000):\n"
      "  if call(56,flag|17,0,0,0,0)[0] != -1: print('clone', hex(flag))\n"
      "if call(435,0,0) != (-1, errno.ENOSYS): print('clone3')\n"
      "if call(999) != (-1, errno.ENOSYS): print('unknown')\n";
  std::ofstream(place.workspace() + "/calls.py") << script;
  const Reply reply = run(*cell, "python3 /workspace/calls.py");
  CHECK(reply.output.empty());
  CHECK(reply.code == 0);
}
#endif

TEST_CASE("the usual tools work") {
  const Place place;
  oci::OciEngine engine(place.options);
  const auto cell = start(engine, place.spec);
  const std::string prepare = "export HOME=/tmp/home; mkdir -p $HOME; cd $(mktemp -d); ";
  const std::pair<const char*, const char*> tools[] = {
      {"git",
       "git init -q r && cd r && git -c user.name=n -c user.email=e commit -q --allow-empty -m m && git gc -q && git "
       "log --oneline | grep -q m"},
      {"python3",
       "python3 -c 'import multiprocessing as m, ssl, sqlite3, asyncio; p=m.Pool(2); assert p.map(abs,[-1])==[1]; "
       "asyncio.run(asyncio.sleep(0)); sqlite3.connect(\"x.db\").execute(\"create table t(a)\")'"},
      {"gcc", "echo 'int main(){return 7;}' >a.c && gcc a.c -o a && { ./a; test $? = 7; }"},
      {"node",
       "test $(node -e 'const{Worker}=require(\"worker_threads\");new Worker(\"1\",{eval:true});"
       "console.log(require(\"child_process\").execSync(\"echo hi\").toString())') = hi"},
      {"npm", "npm --version"},
      {"tar", "mkdir d && echo a >d/a && tar czf d.tgz d && rm -r d && tar xzf d.tgz && grep -q a d/a"},
      {"find", "touch 'a b' && find . -name 'a*' -print0 | xargs -0 rm && test ! -e 'a b'"},
      {"sort", "test $(seq 200000 | sort -R | sort --parallel=2 -n -S 20M | tail -1) = 200000"},
      {"awk", "test $(awk 'BEGIN{\"echo 5\"|getline d; print d+1}') = 6"},
      {"jq", "test $(echo '{\"a\":[1,2]}' | jq '.a[1]') = 2"},
      {"perl", "perl -MPOSIX -e 'system(\"true\")==0 or die'"},
      {"java", "java -Xmx64m -version"},
  };
  for (const auto& [tool, script] : tools) {
    INFO(tool);
    if (run(*cell, std::string("command -v ") + tool).code != 0) {
      WARN(tool << " is not on this machine");
      continue;
    }
    const Reply reply = run(*cell, prepare + script);
    INFO(reply.output);
    CHECK(reply.code == 0);
  }
}

TEST_CASE("limits are in force, or the cell is refused with what is missing") {
  Place place;
  place.spec.limits = LimitsPolicy::kStrict;
  oci::OciEngine engine(place.options);
  const oci::CgroupPlan plan = oci::plan_cgroup(oci::read_cgroup_layout(), rootless(), "/bashcell");
  if (!plan.complete()) {
    const auto refused = engine.start(place.spec);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message.find(plan.missing()) != std::string::npos);
    CHECK(refused.error().message.find("--limits best-effort") != std::string::npos);
    return;
  }
  const auto cell = start(engine, place.spec);
  CHECK(run(*cell, "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null").output ==
        "536870912\n");
  CHECK(run(*cell, "cat /sys/fs/cgroup/pids.max /sys/fs/cgroup/pids/pids.max 2>/dev/null").output == "50\n");
  CHECK(run(*cell, "cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/cpu/cpu.cfs_{quota,period}_us 2>/dev/null | xargs")
            .output == "10000 20000\n");
  // A fork beyond the limit is refused, and the rest goes on.
  std::ofstream(place.workspace() + "/forks.py")
      << "import os, signal\n"
         "children = []\n"
         "try:\n"
         "  for i in range(60):\n"
         "    pid = os.fork()\n"
         "    if pid == 0: signal.pause()\n"
         "    children.append(pid)\n"
         "except BlockingIOError: print('refused', 40 < len(children) < 50)\n"
         "for pid in children: os.kill(pid, 9)\n";
  CHECK(run(*cell, "python3 /workspace/forks.py").output == "refused True\n");
  CHECK(run(*cell, "echo alive").output == "alive\n");
}

TEST_CASE("a given root is used as it is, and nothing is written into it") {
  Place place;
  const fs::path root = place.folder.path() / "root";
  fs::create_directories(root / "etc");
  fs::create_directories(root / "usr");
  std::ofstream(root / "etc/passwd") << "me:x:1000:1000::/:/bin/bash\n";
  place.spec.rootfs = root;
  const std::string copy_bash =
      "set -e; cd '" + root.string() +
      "'; for f in /bin/bash $(ldd /bin/bash | grep -o '/[^ ]*'); do "
      "mkdir -p .$(dirname $f); cp -L $f .$f; done; touch etc/stamp; find . | sort >../before";
  REQUIRE(std::system(copy_bash.c_str()) == 0);
  oci::OciEngine engine(place.options);
  auto cell = start(engine, place.spec);
  const Reply reply = run(*cell, "read -r line </etc/passwd; echo $line; echo >/etc/new; echo x >/tmp/x && echo ok");
  CHECK(reply.output.find("me:x:1000:1000::/:/bin/bash\n") == 0);
  CHECK(reply.output.find("Read-only") != std::string::npos);
  CHECK(reply.output.find("ok\n") != std::string::npos);
  cell.reset();
  CHECK(std::system(("cd '" + root.string() + "' && find . | sort | cmp -s - ../before").c_str()) == 0);

  // Without bash the supervisor starts all the same and can say so.
  fs::remove(root / "bin/bash");
  CHECK(run(*start(engine, place.spec), "true").code == 251);
}

TEST_CASE("the examination names runtime, limits, seccomp and root") {
  const Place place;
  oci::OciEngine engine(place.options);
  std::set<std::string> named;
  for (const Finding& finding : engine.examine(place.spec)) {
    named.insert(finding.what);
    CHECK_FALSE(finding.detail.empty());
    if (finding.what != "limits" || !rootless()) CHECK(finding.ok);
  }
  for (const char* what : {"runtime", "privileges", "limits", "private folder", "seccomp", "root"}) {
    INFO(what);
    CHECK(named.count(what) == 1);
  }
}
