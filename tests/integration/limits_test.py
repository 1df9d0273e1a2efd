"""Limits as read inside and as they act; and what is said where they cannot be enforced."""

import os
import re
import subprocess

from checks import check, has, lacks, same
from processes import cgroup_file
from registry import OCI, case

# A hybrid hierarchy is none that crun takes: it runs where only the v1 part is mounted. On other machines this does nothing.
V1_ONLY = ("unshare", "-m", "sh", "-c", "umount /sys/fs/cgroup/unified 2>/dev/null; exec \"$@\"", "sh")
BURN = ("python3 -c \"\nimport os, time\nend = time.monotonic() + 3\nfor n in range(2):\n    if os.fork() == 0:\n"
        "        while time.monotonic() < end: pass\n        os._exit(0)\nfor n in range(2): os.wait()\n"
        "t = os.times(); print((t.children_user + t.children_system) / 3)\"")
FORK = ("python3 -c \"\nimport os, time\nn = 0\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(3); os._exit(0)\n"
        "        n += 1\nexcept OSError as e: print(e.errno, n)\"")


def by_effect(server, *, memory=512, pids=50, cpus=0.5):
    """Each limit is reached, and not passed."""
    fits, too_much = memory * 6 // 10, memory * 13 // 10
    server.call(f"python3 -c \"x = bytearray({fits} << 20); print('f' + 'its')\"").ok("fits")
    server.call(f"python3 -c \"x = bytearray({too_much} << 20); print('f' + 'its')\"").ok(exit=137, has_=("memory limit",))
    error, count = server.call(FORK, timeout=15).ok().lines[-1].split()
    check(error == "11" and pids - 15 < int(count) < pids, f"{count} children under a limit of {pids}, errno {error}")
    share = float(server.call(BURN, timeout=30).ok().lines[-1])
    check(share < cpus * 1.15, f"two loops used {share:.2f} cpus, limit {cpus}")
    init = server.init().pid
    same(int(cgroup_file(init, "pids", "pids.max")), pids, "pids.max")
    limit = cgroup_file(init, "memory", "memory.limit_in_bytes") or cgroup_file(init, "memory", "memory.max")
    same(int(limit), memory << 20, "memory limit")


def without_cgroups(server):
    """What holds whether or not the numbers of cgroups can be set."""
    server.call("awk 'NR > 2 {print $1}' /proc/net/dev").ok("lo:")
    server.call("python3 -c \"import socket; s = socket.socket(); s.settimeout(2); print(s.connect_ex(('192.0.2.1', 80)))\"").ok("101")
    server.call("python3 -c \"\nimport socket\nl = socket.create_server(('127.0.0.1', 0))\n"
                "socket.create_connection(l.getsockname()); print('loopback')\"").ok("loopback")
    server.call("touch /x /etc/x /usr/x 2>&1 | grep -c 'Read-only file system'").ok("3")
    reply = server.call("df -k --output=size /tmp | tail -1; stat -f -c %T /tmp; df -k --output=size /dev/shm | tail -1").ok()
    check(int(reply.lines[0]) <= 256 * 1024 and reply.lines[1] == "tmpfs", f"/tmp: {reply.text}")
    check(int(reply.lines[2]) <= 64 * 1024, f"/dev/shm: {reply.text}")
    server.call("head -c 300M /dev/zero > /tmp/big; rm /tmp/big").ok(has_=("No space left",))
    server.call("grep -E '^(CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\n\\t'").ok(
        "CapBnd:0000000000000000NoNewPrivs:1Seccomp:2")


@case("limits.default")
def the_defaults(t):
    without_cgroups(t.server)
    by_effect(t.server)


@case("limits.chosen", "--memory", "128", "--cpus", "0.25", "--pids", "20")
def numbers_of_ones_own(t):
    by_effect(t.server, memory=128, pids=20, cpus=0.25)


@case("limits.runc", only=OCI)
def runc_as_root(t):
    server = t.start("--runtime", "runc", runtime=False)
    without_cgroups(server)
    by_effect(server)


@case("limits.crun", only=OCI)
def crun_as_root(t):
    server = t.start("--runtime", "crun", runtime=False, prefix=V1_ONLY)
    without_cgroups(server)
    by_effect(server)


class OrdinaryUser:
    """A user made for the test, without a session, so that nothing of the cgroups is delegated to it."""

    def __init__(self, t):
        self.name = f"bashcell-t{os.getpid()}"
        self.home = os.path.join(t.folder, "home")

    def __enter__(self):
        subprocess.run(["useradd", "--no-log-init", "-m", "-d", self.home, self.name], check=True, capture_output=True)
        self.uid = int(subprocess.run(["id", "-u", self.name], check=True, capture_output=True, text=True).stdout)
        return self

    def __exit__(self, *_):
        subprocess.run(["userdel", self.name], capture_output=True)
        subprocess.run(["rm", "-rf", f"/tmp/bashcell-{self.uid}"], capture_output=True)

    def start(self, t, *options, **keywords):
        prefix = (*V1_ONLY, "setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups")
        workspace = t.make_workspace(f"workspace-of-{len(t.servers)}", owner=self.uid)
        return t.start(*options, runtime=False, prefix=prefix, workspace=workspace, environment={"HOME": self.home}, **keywords)


@case("limits.rootless", only=OCI)
def crun_as_an_ordinary_user(t):
    with OrdinaryUser(t) as user:
        strict = user.start(t, "--runtime", "crun")
        strict.checks_alive = False
        refused = strict.call("touch ran; echo x").refused("memory", "cpu", "pids", "best-effort")
        same(os.listdir(strict.workspace), [], "files of a refused call")
        check(len(refused.raw) < 600 and "\n" not in refused.raw, f"no clear sentence: {refused.raw!r}")
        server = user.start(t, "--runtime", "crun", "--limits", "best-effort")
        first = server.call("echo one").ok("one")
        has(first.status, "not enforced", "memory", "cpu", "process")
        same(server.call("echo two").ok("two").status, "", "said twice")
        without_cgroups(server)
        server.call("touch a; [ $(id -u) = $(stat -c %u a) ] && echo owned").ok("owned")
        same(os.stat(f"{server.workspace}/a").st_uid, user.uid, "host owner")
        server.call("sleep 60 & sleep 61", timeout=1).timeout(1, within=6)
        t.finish()  # while the user still exists


@case("limits.enforced")
def best_effort_says_nothing_where_all_is_enforced(t):
    server = t.start("--limits", "best-effort")
    reply = server.call("echo one").ok("one")
    lacks(reply.raw, "not enforced")
    check(re.fullmatch(r"\d+", cgroup_file(server.init().pid, "pids", "pids.max").strip()), "no process limit")
