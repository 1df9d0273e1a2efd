"""The engine `remote` of scripts/engines.sh, taken for one on another machine: as docker-tls and as docker-ssh.

Servers know only its address, and keep their workspaces in its volumes. The tests are less strict: its cells are processes of
this machine after all, and its volumes folders, so that what they look at from outside is there to be looked at.
"""

import os


def is_remote(engine):
    return engine in ("docker-tls", "docker-ssh")


def volume_option(workspace):
    """What --workspace is told for a path of Remote.volume_path(); any other path as it is."""
    return f"volume:{os.path.basename(os.path.dirname(workspace))}" if workspace.endswith("/_data") else workspace


class Remote:
    """How servers get to it, and where their workspaces are."""

    system_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    def __init__(self, engine, host, api):
        self.folder = os.path.dirname(host.removeprefix("unix://"))
        self.api = api
        self.data = os.path.join(self.folder, "data", "volumes")
        self.used = []
        self.slowness = 1.5 if engine == "docker-tls" else 3  # of the way: each connection costs two processes more by ssh
        self.address = self.read(engine.partition("-")[2], "address")
        if engine == "docker-tls":  # by an option; ssh by the environment
            self.options = ["--docker-host", self.address]
            self.environment = {"DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": os.path.join(self.folder, "tls")}
        else:
            self.options = []
            self.environment = {"DOCKER_HOST": self.address, "PATH": f"{self.folder}/ssh/bin:{self.system_path}"}

    def read(self, *path):
        with open(os.path.join(self.folder, *path)) as file:
            return file.read().strip()

    def volume_path(self, name):
        """Where the engine keeps the files of its volume `name`: what a workspace is called here, too."""
        self.used.append(name)
        return os.path.join(self.data, name, "_data")

    def remove_volumes(self):
        while self.used:
            self.api.ask("DELETE", f"/volumes/{self.used.pop()}?force=1", missing=True)
