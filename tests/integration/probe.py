"""What a container engine itself knows of a server's cells. One class per engine; the cases use only these methods."""

import glob
import os
import subprocess

from checks import check
from processes import all_processes


class OciProbe:
    """crun or runc. A cell's name begins with `bashcell-<server pid>-`; the private folder of its engine holds `bundles/`
    and `state-<runtime>/`, each with an entry of that name."""

    places = ("/run/bashcell*", "/tmp/bashcell-[0-9]*")

    def __init__(self, runtime):
        self.runtime = runtime

    def state(self, pid):
        """Paths of files that belong to this server's cells: empty when the engine has forgotten them all."""
        return [path for place in self.places for path in glob.glob(f"{place}/*/bashcell-{pid}-*")]

    def cgroups(self, pid):
        return [path for depth in range(1, 7) for path in glob.glob(f"/sys/fs/cgroup/{'*/' * depth}bashcell-{pid}-*")]

    def containers(self, pid):
        """Names of this server's cells."""
        return sorted({os.path.basename(path) for path in self.state(pid) + self.cgroups(pid)})

    def container(self, pid):
        """The name of the one cell in use."""
        names = self.containers(pid)
        check(len(names) == 1, f"expected one cell of server {pid}, the engine knows {names}")
        return names[0]

    def state_folder(self, container):
        """Where the runtime keeps what it knows of this cell."""
        found = [path for place in self.places for path in glob.glob(f"{place}/state-*/{container}")]
        check(len(found) == 1, f"expected one state folder of {container}, found {found}")
        return found[0]

    def runtime_processes(self, container):
        """The runtime's own processes for this cell, outside of it."""
        ours = os.readlink("/proc/self/ns/pid")
        return [p for p in all_processes() if container in p.command.split() and p.space == ours and p.inner_pid == p.pid]

    def runtime_command(self, container, *arguments):
        """crun or runc with the folder that knows the container."""
        root = os.path.dirname(self.state_folder(container))
        program = self.runtime or os.path.basename(root).partition("-")[2]
        return [program, "--root", root, *arguments]

    def remove(self, container):
        """As `docker rm -f`: through the runtime, behind the server's back."""
        subprocess.run(self.runtime_command(container, "delete", "-f", container), check=True, capture_output=True, timeout=20)


PROBES = {"oci": OciProbe}
