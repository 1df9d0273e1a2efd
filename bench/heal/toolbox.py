"""What healing installs into and from: a toolbox that is empty at first, and an index of wheels.

A server of root's keeps its toolbox in /var/cache/bashcell. The servers here see a folder of the benchmark's in its
place, each in a mount namespace of its own, so that no tool of this machine's toolbox helps and none is left in it.

The index is this machine's own, on loopback, since not every machine reaches the one of the world; its wheels are made
from Debian's packages. An installer cell that has its network from pasta or slirp4netns does not reach this loopback, so
the servers do not see these programs: then such a cell is in this machine's own network.
"""

import functools
import html
import http.server
import os
import re
import shutil
import threading

CACHE = "/var/cache/bashcell"
NETWORK_PROGRAMS = "/usr/bin/pasta /usr/bin/slirp4netns"


class Index(http.server.BaseHTTPRequestHandler):
    """/simple/NAME/ lists the wheels of a distribution, /files/WHEEL is one."""

    def __init__(self, wheels, *arguments):
        self.wheels = wheels
        super().__init__(*arguments)

    def do_GET(self):
        kind, name = (self.path.strip("/").split("/") + ["", ""])[:2]
        names = os.listdir(self.wheels)
        if kind == "files" and name.replace("%2B", "+") in names:
            with open(os.path.join(self.wheels, name.replace("%2B", "+")), "rb") as file:
                return self.answer(200, "application/octet-stream", file.read())
        found = [wheel for wheel in names if re.sub(r"[-_.]+", "-", wheel.split("-")[0]).lower() == name]
        links = "".join(f'<a href="/files/{html.escape(wheel.replace("+", "%2B"))}">{html.escape(wheel)}</a>\n' for wheel in found)
        if kind == "simple" and links:
            return self.answer(200, "text/html", f"<!DOCTYPE html><html><body>{links}</body></html>".encode())
        return self.answer(404, "text/plain", b"no such thing\n")

    def answer(self, code, kind, body):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Toolbox:
    """For `with`: servers are started with `prefix` before their command line and with `environment`."""

    def __init__(self, folder, wheels, keep=False):
        self.folder, self.wheels, self.server = os.path.join(folder, "cache"), wheels, None
        self.environment, self.prefix, self.keep = {}, [], keep

    def __enter__(self):
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder, mode=0o755, exist_ok=True)
        if os.geteuid() == 0:
            os.makedirs(CACHE, exist_ok=True)
            self.prefix = ["unshare", "-m", "sh", "-c", f'mount --bind "$0" {CACHE} || exit 1; for f in {NETWORK_PROGRAMS}; do '
                           '[ ! -e $f ] || mount --bind /dev/null $f || exit 1; done; exec "$@"', self.folder]
        else:
            self.environment["XDG_CACHE_HOME"] = self.folder
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Index, self.wheels))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.environment["BASHCELL_PIP_INDEX"] = f"http://127.0.0.1:{self.server.server_address[1]}/simple"
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
