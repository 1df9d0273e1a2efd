"""What a soak has left on the machine when all of its servers have ended.

It runs in a mount namespace of its own with private folders of its own (scripts/soak.sh), so that each mount, each file in those folders,
and each process with these mounts is the soak's.
"""

import collections
import glob
import hashlib
import os
import statistics

from processes import all_processes, link, read_text

PRIVATE = ("/run/bashcell", "/var/lib/bashcell", "/var/cache/bashcell")
# They are started anew, and keep helpers of cells that were there when they were killed; scripts/engines.sh ends all of them.
DAEMONS = ("dockerd", "containerd", "containerd-shim", "podman", "conmon", "catatonit")
# Files and folders that are made once for a machine, a root or a workspace, and stay: at most so many. Of all else none.
LASTING = {"run/bashcell/locks": 2, "run/bashcell/roots": 2, "var/lib/bashcell/shelf": 1, "var/cache/bashcell/toolbox": 2}
FIXED = ("run/bashcell/seccomp.json", "run/bashcell/run-cell", "run/bashcell/run-folder", "run/bashcell/bundles", "run/bashcell/control",
         "run/bashcell/state-crun", "run/bashcell/state-runc", *LASTING)
GROWTH_KIB = 4096    # a server that has done thousands of calls holds at most so much more than in the second tenth of its life
DESCRIPTORS = 4      # and at rest at most so many descriptors more than one that has done one call


def group_of(host):
    """The cgroup in which scripts/engines.sh keeps a Docker's cells."""
    folder = os.path.dirname(host.removeprefix("unix://"))
    return "bashcell-engines-" + hashlib.sha256(f"{folder}\n".encode()).hexdigest()[:12]


def cgroups(owners, hosts):
    """Of cells of these servers, and those in the groups of these engines that still hold processes: a daemon leaves empty ones
    behind when its shim was killed."""
    parents = [group_of(host) for host in hosts]
    found = []
    for path, folders, _ in os.walk("/sys/fs/cgroup"):
        for name in folders:
            inside = os.path.basename(path) in parents and read_text(f"{path}/{name}/cgroup.procs")
            if inside or (name.startswith("bashcell-") and "-".join(name.split("-")[1:3]) in owners):
                found.append(os.path.join(path, name))
        if path.count("/") > 8:
            folders.clear()
    return found


def mounts():
    return collections.Counter(line.split()[4] for line in read_text("/proc/self/mountinfo").splitlines())


def processes():
    """{key: process} of all with our mounts but for engines' daemons, and of our children that nobody has waited for."""
    space = link("/proc/self/ns/mnt")
    return {process.key: process for process in all_processes()
            if process.name not in DAEMONS and (link(f"/proc/{process.pid}/ns/mnt") == space or process.ppid == os.getpid())}


def private_entries():
    """The entries of the private folders, and those of each of these."""
    found = []
    for top in PRIVATE:
        for path in sorted(glob.glob(f"{top}/*")):
            found.append(path[1:])
            found += [entry[1:] for entry in sorted(glob.glob(f"{path}/*"))]
    return found


def locks_held():
    """Descriptors of lock files, of any process."""
    held = []
    for process in all_processes():
        for entry in glob.glob(f"/proc/{process.pid}/fd/*"):
            target = link(entry)
            if target.startswith(PRIVATE) and "/locks/" in target:
                held.append(f"{process} holds {target}")
    return held


class Before:
    """Made before the first server starts."""

    def __init__(self):
        self.mounts, self.processes = mounts(), processes()


class Leaks:
    """Rows of what was found and what is allowed; `bad` names the rows in which that is more."""

    def __init__(self):
        self.rows, self.bad = [], []

    def add(self, what, count, allowed, examples=()):
        self.rows.append((what, count, allowed))
        if count > allowed:
            self.bad.append(f"{what}: {count}, at most {allowed}: {'; '.join(str(example) for example in list(examples)[:8])}")

    def look(self, before, owners, engines, workspace_files):
        """`engines`: benches. Everything has ended."""
        api = [engine for engine in engines if engine.host]
        names = [name for engine in api for name in engine.probe.api.containers() if name.startswith("bashcell-")]
        self.add("containers in the engine", len(names), 0, names)
        left = [process for key, process in processes().items() if key not in before.processes]
        self.add("processes", len(left), 0, left)
        groups = cgroups(owners, [engine.host for engine in api])
        self.add("control groups", len(groups), 0, groups)
        more = list((mounts() - before.mounts).elements())
        self.add("mounts", len(more), 0, more)
        held = locks_held()
        self.add("locks held", len(held), 0, held)
        entries = private_entries()
        for folder, allowed in LASTING.items():
            inside = [entry for entry in entries if os.path.dirname(entry) == folder]
            self.add(f"entries of /{folder}", len(inside), allowed, inside)
        others = [entry for entry in entries if entry not in FIXED and os.path.dirname(entry) not in (*LASTING, "run/bashcell/run-cell",
                                                                                                      "run/bashcell/run-folder")]
        self.add("other private files", len(others), 0, others)
        self.add("files left in the workspace", len(workspace_files), 0, workspace_files)

    def look_at_life(self, agent, resting):
        """Of a server that lived as long as the soak."""
        samples = agent.samples
        if len(samples) < 20:
            return self.add(f"{agent.name}: samples missing", 20 - len(samples), 0)
        tenth = len(samples) // 10
        begin = statistics.median(kib for _, kib, _ in samples[tenth:2 * tenth])
        end = statistics.median(kib for _, kib, _ in samples[-tenth:])
        self.add(f"{agent.name}: growth from {begin / 1024:.1f} MB (KiB)", int(end - begin), GROWTH_KIB)
        most = statistics.median_low(count for _, _, count in samples[-tenth:])
        return self.add(f"{agent.name}: descriptors at rest", most, resting + DESCRIPTORS)
