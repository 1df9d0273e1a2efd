"""Processes as the host sees them: snapshots of /proc, and the processes of one cell.

A cell is found by what it has mounted at /workspace, not by anything the server says, so that a cell the server has
forgotten is found as well, in every engine that mounts folders of the host.
"""

import os
from dataclasses import dataclass

SUPERVISOR = "bashcell-init"


@dataclass(frozen=True)
class Process:
    pid: int
    start: int  # clock ticks since boot: tells a process from a later one with its pid
    ppid: int
    state: str
    name: str
    command: str
    inner_pid: int  # as the process itself sees it
    space: str      # its pid namespace

    @property
    def key(self):
        return (self.pid, self.start)


def read_text(path):
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def link(path):
    try:
        return os.readlink(path)
    except OSError:
        return ""


def read_process(pid):
    """None if it is gone."""
    stat = read_text(f"/proc/{pid}/stat")
    name, _, rest = stat.partition("(")[2].rpartition(")")
    fields = rest.split()
    if len(fields) < 20:
        return None
    inner = pid
    for line in read_text(f"/proc/{pid}/status").splitlines():
        if line.startswith("NSpid:"):
            inner = int(line.split()[-1])
    return Process(pid=pid, start=int(fields[19]), ppid=int(fields[1]), state=fields[0], name=name,
                   command=read_text(f"/proc/{pid}/cmdline").replace("\0", " ").strip(), inner_pid=inner,
                   space=link(f"/proc/{pid}/ns/pid"))


def all_processes():
    found = (read_process(int(entry)) for entry in os.listdir("/proc") if entry.isdigit())
    return [process for process in found if process]


def mounts_workspace(pid, workspace):
    """True if the process has this very folder of the host mounted at /workspace."""
    for line in read_text(f"/proc/{pid}/mountinfo").splitlines():
        fields = line.split()
        # Field 3 is the folder inside its file system, so the end of its path on the host.
        if len(fields) > 4 and fields[4] == "/workspace" and fields[3] != "/" and workspace.endswith(fields[3]):
            return True
    return False


def cell_processes(workspace, marks=None):
    """{pid namespace: [Process]} of every cell with this workspace (where others share it: whose cgroup has one of these marks in its
    path). Zombies are listed with their namespace."""
    ours = link("/proc/self/ns/pid")
    spaces = {}
    for process in all_processes():
        if process.space and process.space != ours:
            spaces.setdefault(process.space, []).append(process)
    return {space: members for space, members in spaces.items()
            if any(mounts_workspace(member.pid, workspace) for member in members)
            and (marks is None or any(mark in read_text(f"/proc/{member.pid}/cgroup") for mark in marks for member in members))}


def split_resting(members):
    """Divides a cell's processes into (init, idle, others).

    `idle` is what a supervisor may keep ready: one fork server, which has no child, and one waiting shell with its runner:
    a runner whose only descendant is one bash that sleeps and has started nothing. Seconds count among the others."""
    children = {}
    for member in members:
        children.setdefault(member.ppid, []).append(member)
    init = [member for member in members if member.inner_pid == 1]
    idle = []
    for runner in members:
        if runner.inner_pid == 1 or runner.name != SUPERVISOR or idle:
            continue
        shells = children.get(runner.pid, [])
        if len(shells) == 1 and shells[0].name in ("bash", SUPERVISOR) and shells[0].state == "S" \
                and shells[0].pid not in children:
            idle = [runner, shells[0]]
    servers = [member for member in members if member.command == SUPERVISOR and member.pid not in children
               and any(member.ppid == process.pid for process in init)]
    idle += servers[:1]
    others = [member for member in members if member not in init and member not in idle]
    return init, idle, others


def descriptors(pid):
    """{number: target} of the open descriptors of a process."""
    folder = f"/proc/{pid}/fd"
    try:
        return {int(entry): link(f"{folder}/{entry}") for entry in os.listdir(folder)}
    except OSError:
        return {}


def resident_kib(pid):
    for line in read_text(f"/proc/{pid}/status").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def cpu_seconds(pid):
    fields = read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if len(fields) > 12 else 0.0


def cgroup_file(pid, controller, name):
    """Text of a control file of the process's cgroup, v1 or v2; empty if there is none."""
    for line in read_text(f"/proc/{pid}/cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        elif controller in controllers.split(","):
            folders = [f"/sys/fs/cgroup/{controllers}", f"/sys/fs/cgroup/{controller}"]
        else:
            continue
        for folder in folders:
            text = read_text(f"{folder}{path}/{name}")
            if text:
                return text
    return ""
