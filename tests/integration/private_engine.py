"""A Docker or Podman of one case's own, for cases that end it; and a go-between that sees, changes or spoils its requests."""

import json
import os
import re
import socket
import subprocess
import tempfile
import threading

from checks import Failure, check
from engine_api import EngineApi
from probe import ApiProbe
from rootfs import make_rootfs

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "engines.sh")
PROGRAMS = ("bash", "cat", "echo", "id", "ls", "rm", "setsid", "sleep", "touch", "true", "uname")


class PrivateEngine:
    """Used in a `with` statement, inside which its servers must end (`t.finish()`)."""

    def __init__(self, t):
        self.engine = t.bench.engine
        # Short, since Podman takes no long ones.
        self.folder = os.path.join(os.environ["BASHCELL_TEST_ENGINES"], str(os.getpid()))
        self.image = "small:latest"
        self.root = os.path.join(t.folder, "image")
        self.host = self.probe = None

    def run(self, *arguments):
        run = subprocess.run([SCRIPT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=90)
        if run.returncode != 0:
            raise Failure(f"engines.sh {arguments}: {run.stderr}")
        return run.stdout.strip()

    def __enter__(self):
        try:
            self.start()
            self.probe = ApiProbe(self.host)
            self.probe.api.import_root(make_rootfs(self.root, PROGRAMS), self.image)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        subprocess.run([SCRIPT, "end", self.folder], stdin=subprocess.DEVNULL, timeout=90)

    def start(self):
        """The first time, and again after `stop` or `kill`."""
        self.host = self.run("start", self.engine, self.folder)

    def stop(self):
        self.run("stop", self.engine, self.folder)

    def kill(self):
        """SIGKILL of the daemon alone."""
        self.run("kill", self.engine, self.folder)

    def use(self, t, *options, **keywords):
        return t.start(*options, host=self.host, image=self.image, probe=self.probe, **keywords)


class Request:
    def __init__(self, head, body):
        self.line, _, self.headers = head.partition(b"\r\n")
        self.body = body

    def is_about(self, pattern):
        """`pattern` is looked for in the request's path."""
        return re.search(pattern, self.line.split()[1]) is not None

    @property
    def is_create(self):
        return self.is_about(rb"/containers/create\b")

    def edit(self, change):
        """Applies `change` to the JSON of the body."""
        value = json.loads(self.body)
        change(value)
        self.body = json.dumps(value).encode()
        self.headers = re.sub(rb"(?i)content-length: *\d+", b"Content-Length: %d" % len(self.body), self.headers)

    def bytes(self):
        return self.line + b"\r\n" + self.headers + self.body


class GoBetween:
    """Listens on a socket and passes everything on to `host`, after `meet(request)` has seen (and perhaps changed) it.

    What `meet` returns is sent as the answer in the engine's place; None passes the request on. False ends the connection."""

    def __init__(self, t, host, meet):
        self.target, self.meet = host.removeprefix("unix://"), meet
        self.path = tempfile.mktemp(prefix="between-", suffix=".sock", dir=t.folder)
        self.host = f"unix://{self.path}"
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(self.path)
        self.listener.listen(16)

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)  # closing alone would still accept one
        self.listener.close()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as engine:
            try:
                engine.connect(self.target)
                back = threading.Thread(target=self._pump, args=(engine, client), daemon=True)
                back.start()
                self._forward(client, engine)
                back.join()
            except OSError:
                pass

    @staticmethod
    def _pump(source, sink):
        try:
            while piece := source.recv(65536):
                sink.sendall(piece)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def _forward(self, client, engine):
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                piece = client.recv(65536)
                if not piece:
                    engine.shutdown(socket.SHUT_WR)
                    return
                data += piece
            head, _, data = data.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
            while length and len(data) < int(length[1]):
                data += client.recv(65536)
            size = int(length[1]) if length else 0
            request, data = Request(head + b"\r\n\r\n", data[:size]), data[size:]
            answer = self.meet(request)
            if answer is False:
                client.shutdown(socket.SHUT_RDWR)
                return
            if answer is not None:
                client.sendall(answer)
                continue
            engine.sendall(request.bytes())
            if re.search(rb"(?i)\r\n(upgrade|transfer-encoding):", head):  # from here on bytes as they come
                engine.sendall(data)
                self._pump(client, engine)
                return


def answer(status, body=b"", *headers):
    lines = [f"HTTP/1.1 {status}".encode(), b"Content-Length: %d" % len(body), b"Content-Type: application/json", *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


class FalseEngine:
    """A daemon that answers every connection with these bytes: `said`, then it hangs (`hangs`) or closes."""

    def __init__(self, path, said, hangs=False):
        self.said, self.hangs, self.open = said, hangs, []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(path)
        self.listener.listen(16)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
                self.open.append(client)
                client.recv(65536)
                client.sendall(self.said)
                if not self.hangs:
                    client.close()
            except OSError:
                if self.listener.fileno() < 0:
                    return

    def close(self):
        self.listener.close()
        for client in self.open:
            client.close()
