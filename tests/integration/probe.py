"""What a container engine itself knows of a server's cells. One class per kind of engine; the cases use only these methods.

A server is named by its owner's part of a cell's name, `<pid>-<start ticks>`: a pid alone comes again within hours."""

import glob
import os
import subprocess

from checks import check
from engine_api import EngineApi
from processes import all_processes, read_text


def outside_processes(word):
    """Processes with this word in their command line that are in no container."""
    ours = os.readlink("/proc/self/ns/pid")
    return [p for p in all_processes() if word in p.command.split() and p.space == ours and p.inner_pid == p.pid]


class OciProbe:
    """crun or runc. A cell's name begins with `bashcell-<owner>-`; the private folder of its engine holds `bundles/`
    and `state-<runtime>/`, each with an entry of that name."""

    places = ("/run/bashcell*", "/tmp/bashcell-[0-9]*")

    def __init__(self, runtime):
        self.runtime = runtime

    def state(self, owner):
        """Paths of files that belong to this server's cells: empty when the engine has forgotten them all."""
        return [path for place in self.places for path in glob.glob(f"{place}/*/bashcell-{owner}-*")]

    def cgroups(self, owner):
        return [path for depth in range(1, 7) for path in glob.glob(f"/sys/fs/cgroup/{'*/' * depth}bashcell-{owner}-*")]

    def marks(self, owner):
        """Words of which one is in the path of the cgroup of each of this server's cells."""
        return [f"bashcell-{owner}-"]

    def containers(self, owner):
        """Names of this server's cells."""
        return sorted({os.path.basename(path) for path in self.state(owner) + self.cgroups(owner)})

    def container(self, owner):
        """The name of the one cell in use."""
        names = self.containers(owner)
        check(len(names) == 1, f"expected one cell of server {owner}, the engine knows {names}")
        return names[0]

    def state_folder(self, container):
        """Where the runtime keeps what it knows of this cell."""
        found = [path for place in self.places for path in glob.glob(f"{place}/state-*/{container}")]
        check(len(found) == 1, f"expected one state folder of {container}, found {found}")
        return found[0]

    def runtime_processes(self, container):
        """The runtime's own processes for this cell, outside of it."""
        return outside_processes(container)

    def runtime_command(self, container, *arguments):
        """crun or runc with the folder that knows the container."""
        root = os.path.dirname(self.state_folder(container))
        program = self.runtime or os.path.basename(root).partition("-")[2]
        return [program, "--root", root, *arguments]

    def remove(self, container):
        """As `docker rm -f`: through the runtime, behind the server's back."""
        subprocess.run(self.runtime_command(container, "delete", "-f", container), check=True, capture_output=True, timeout=20)


class ApiProbe:
    """Docker or Podman, behind a socket. A cell's name begins with `bashcell-<owner>-` here, too."""

    def __init__(self, host):
        self.api = EngineApi(host)
        self.seen = {}  # owner -> {name: id}, of cells that may be gone by now

    def state(self, owner):
        """Names of this server's cells, also of those that do not run."""
        found = {name: identifier for name, identifier in self.api.containers().items() if name.startswith(f"bashcell-{owner}-")}
        self.seen.setdefault(owner, {}).update(found)
        return sorted(found)

    def cgroups(self, owner):
        """Groups with processes in them, of cells that the engine has once named here. Docker calls them by the id, Podman
        libpod-<id>. Empty ones are the engine's to remove; Podman does not when its helper was killed."""
        found = [path for identifier in self.seen.get(owner, {}).values() for depth in range(1, 4)
                 for path in glob.glob(f"/sys/fs/cgroup/{'*/' * depth}*{identifier}")]
        return [path for path in found if read_text(os.path.join(path, "cgroup.procs"))]

    def marks(self, owner):
        """As of the other probe."""
        self.state(owner)
        return list(self.seen[owner].values())

    def containers(self, owner):
        """Names of this server's cells, and of those of which something still runs."""
        names = self.state(owner)
        return sorted({*names, *(name for name, identifier in self.seen[owner].items()
                                 if any(identifier in path for path in self.cgroups(owner)))})

    def container(self, owner):
        """The name of the one cell in use."""
        names = self.state(owner)
        check(len(names) == 1, f"expected one cell of server {owner}, the engine knows {names}")
        return names[0]

    def identifier(self, container):
        return self.api.containers()[container]

    def runtime_processes(self, container):
        """The engine's own process for this cell: containerd's shim, or conmon."""
        return outside_processes(self.identifier(container))

    def remove(self, container):
        """As `docker rm -f`."""
        self.api.remove(container)

    def act(self, container, action):
        """kill, stop, pause, unpause: as the engine's own command of that name."""
        self.api.act(container, action)


def make_probe(engine, runtime=None, host=None):
    return OciProbe(runtime) if engine == "oci" else ApiProbe(host)


ENGINES = ("oci", "docker", "podman", "docker-tls", "docker-ssh")
