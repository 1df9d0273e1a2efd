"""The Engine API of Docker and Podman as the tests use it: a few requests over the daemon's Unix socket.

What bashcell itself makes of that API is under test, so nothing of it is used here.
"""

import http.client
import json
import os
import socket
import tarfile
import tempfile
import urllib.parse

from checks import Failure, check, shown


class Connection(http.client.HTTPConnection):
    def __init__(self, path, seconds):
        super().__init__("engine", timeout=seconds)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class EngineApi:
    """`host` is unix:///path/of/the.socket."""

    def __init__(self, host, seconds=30):
        check(host and host.startswith("unix://"), f"no engine behind a Unix socket: {host!r}")
        self.path, self.seconds = host.removeprefix("unix://"), seconds

    def ask(self, method, path, body=None, *, headers=None, missing=False):
        """The answer's JSON, None if it has none, or with `missing` if there is no such thing."""
        connection = Connection(self.path, self.seconds)
        try:
            connection.request(method, f"/v1.40{path}", body=body, headers=headers or {})
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if missing and response.status in (404, 409):
            return None
        if response.status >= 400:
            raise Failure(f"{method} {path}: {self.path} says {response.status} {shown(text)}")
        try:
            return json.loads(text)
        except ValueError:
            return text or None

    def containers(self):
        """{name: id} of all containers, also of those that do not run."""
        return {name.lstrip("/"): entry["Id"] for entry in self.ask("GET", "/containers/json?all=1")
                for name in entry["Names"]}

    def inspect(self, container):
        return self.ask("GET", f"/containers/{container}/json")

    def remove(self, container):
        """As `docker rm -f`. One that goes away at this moment is removed, too."""
        self.ask("DELETE", f"/containers/{container}?force=1&v=1", missing=True)

    def act(self, container, action):
        """kill, stop, pause, unpause, ..."""
        self.ask("POST", f"/containers/{container}/{action}")

    def import_root(self, root, name):
        """Makes an image of a folder, as `docker import` does."""
        with tempfile.TemporaryFile() as file:
            with tarfile.open(fileobj=file, mode="w") as tar:
                tar.add(root, arcname=".")
            size = file.tell()
            file.seek(0)
            answer = self.ask("POST", "/images/create?fromSrc=-", file, headers={
                "Content-Type": "application/x-tar", "Content-Length": str(size)})
        lines = answer.decode().strip().splitlines() if isinstance(answer, bytes) else [json.dumps(answer)]
        identifier = json.loads(lines[-1]).get("status", "")
        check(identifier.startswith("sha256:"), f"no image was made: {shown(lines)}")
        self.tag(identifier.removeprefix("sha256:"), name)

    def tag(self, image, name):
        repository, _, tag = name.rpartition(":")
        self.ask("POST", f"/images/{image}/tag?" + urllib.parse.urlencode({"repo": repository, "tag": tag}))

    def untag(self, name):
        self.ask("DELETE", f"/images/{urllib.parse.quote(name, safe='')}", missing=True)

    def reachable(self):
        try:
            return self.ask("GET", "/version") is not None
        except (OSError, http.client.HTTPException):
            return False
