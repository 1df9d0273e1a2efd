"""An image registry on loopback: Debian's docker-registry, and in front of it one that can be slow or away."""

import hashlib
import http.client
import http.server
import json
import os
import shutil
import socket
import subprocess
import threading
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Registry:
    """`port` is where images are pushed; `slow.port` is where they are pulled from."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.slow = SlowFront(self.port)
        self.process = None

    def start(self):
        program = shutil.which("docker-registry", path="/usr/bin:/usr/local/bin")
        if not program:
            raise FileNotFoundError("docker-registry is not installed (scripts/setup.sh --tests)")
        os.makedirs(self.folder)
        config = os.path.join(self.folder, "config.yml")
        with open(config, "w", encoding="utf-8") as file:
            json.dump({"version": 0.1, "log": {"level": "error"}, "http": {"addr": f"127.0.0.1:{self.port}"},
                       "storage": {"filesystem": {"rootdirectory": os.path.join(self.folder, "data")}}}, file)
        with open(os.path.join(self.folder, "log"), "wb") as log:
            self.process = subprocess.Popen([program, "serve", config], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 30
        while not self.ready():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("docker-registry does not start")
            time.sleep(0.02)

    def ready(self):
        try:
            return self.ask("GET", "/v2/")[0] == 200
        except OSError:
            return False

    def end(self):
        self.slow.close()
        if self.process:
            self.process.kill()
            self.process.wait()

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def change_config(self, name, tag, new_tag, change):
        """Publishes an image once more whose configuration differs by `change(configuration)`."""
        kind = "application/vnd.docker.distribution.manifest.v2+json"
        accept = {"Accept": f"{kind}, application/vnd.oci.image.manifest.v1+json"}
        _, headers, manifest = self.ask("GET", f"/v2/{name}/manifests/{tag}", headers=accept)
        manifest = json.loads(manifest)
        _, _, config = self.ask("GET", f"/v2/{name}/blobs/{manifest['config']['digest']}")
        config = json.loads(config)
        change(config)
        blob = json.dumps(config).encode()
        digest = "sha256:" + hashlib.sha256(blob).hexdigest()
        _, place, _ = self.ask("POST", f"/v2/{name}/blobs/uploads/")
        path = place["Location"].removeprefix(f"http://127.0.0.1:{self.port}")
        self.ask("PUT", f"{path}&digest={digest}", blob, {"Content-Type": "application/octet-stream"})
        manifest["config"].update(digest=digest, size=len(blob))
        status, _, said = self.ask("PUT", f"/v2/{name}/manifests/{new_tag}", json.dumps(manifest),
                                   {"Content-Type": headers["Content-Type"]})
        if status != 201:
            raise RuntimeError(f"the registry took no manifest: {status} {said}")


class SlowFront:
    """Passes requests on to a registry. Of large blobs it sends a part, then next to nothing until `flows` is set. With `away`, it
    refuses everything. `blobs` are those asked for, each as often as it was."""

    LARGE = 1_000_000

    def __init__(self, port):
        self.target, self.flows, self.away, self.blobs = port, threading.Event(), False, []
        self.flows.set()
        front = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                front.pass_on(self)

            do_HEAD = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.flows.set()
        self.server.shutdown()
        self.server.server_close()

    def pass_on(self, request):
        if self.away:
            request.send_error(503, "away")
            return
        connection = http.client.HTTPConnection("127.0.0.1", self.target, timeout=60)
        try:
            # With this Host the registry names itself by where the caller found it.
            connection.request(request.command, request.path, headers=dict(request.headers))
            answer = connection.getresponse()
            request.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("connection", "date", "server"):
                    request.send_header(name, value)
            request.end_headers()
            if request.command != "HEAD":
                self.send_body(request, answer)
        except OSError:
            request.close_connection = True
        finally:
            connection.close()

    def send_body(self, request, answer):
        body = answer.read()
        if "/blobs/" in request.path and len(body) > self.LARGE:
            self.blobs.append(request.path)
            sent = len(body) // 3
            request.wfile.write(body[:sent])
            while not self.flows.wait(0.1) and sent < len(body) // 2:
                request.wfile.write(body[sent:sent + 1000])
                sent += 1000
            self.flows.wait()
            body = body[sent:]
        request.wfile.write(body)
