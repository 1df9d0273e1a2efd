"""One running `bashcell` as a conversation has it: calls over its pipes, and a workspace that is filled anew for each script."""

import json
import os
import re
import shutil
import subprocess
import threading
import time

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
CELL_USER = 1000  # the user of the scripts where the workspace is root's


class Lost(Exception):
    """The server ended, or did not answer in time."""


class Reply:
    """`text` is what the script printed, `status` the status line ("" if none), `wall` the seconds from sent to received."""

    def __init__(self, message, wall):
        if "result" not in message:
            raise Lost(f"no result: {json.dumps(message)[:500]}")
        self.raw, self.wall = message["result"]["content"][0]["text"], wall
        body, _, last = self.raw.rpartition("\n")
        if last.startswith("[cell: ") and last.endswith("]"):
            self.status = last[len("[cell: "):-1]
        else:
            body, self.status = self.raw, ""
        self.text = "" if body == "(no output)" else body

    @property
    def installs(self):
        """The packages that this call says it installed, each with the seconds it took."""
        return [(name.strip(), float(seconds)) for part in re.findall(r"installed ([^;\]]*)", self.status)
                for name, seconds in re.findall(r"([A-Za-z0-9][^(),]*?)\s*\(([\d.]+) s\)", part)]


class Cell:
    """`options` come after the workspace. `box` (a toolbox.Toolbox or None) adds to the environment, which else is minimal."""

    def __init__(self, program, folder, options, box=None):
        self.workspace = os.path.join(folder, "workspace")
        os.makedirs(self.workspace, exist_ok=True)
        self.own(self.workspace)
        self.stderr = open(os.path.join(folder, "stderr"), "ab")
        self.process = subprocess.Popen([*(box.prefix if box else []), program, "--workspace", self.workspace, *options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.stderr, bufsize=0, cwd="/",
                                        env={**ENVIRONMENT, "HOME": folder, **(box.environment if box else {})})
        self.arrived, self.answers, self.ended = threading.Condition(), {}, False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        self.last_id = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "1"}}, 20)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
        except OSError as error:
            raise Lost(f"the server does not read: {error}") from None

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.arrived:
                if "id" in message and "method" not in message:
                    self.answers[message["id"]] = (message, time.monotonic())
                self.arrived.notify_all()
        with self.arrived:
            self.ended = True
            self.arrived.notify_all()

    def request(self, method, params, seconds):
        """The message that answers, and the seconds it took."""
        self.last_id += 1
        identifier, start = self.last_id, time.monotonic()
        self._send({"jsonrpc": "2.0", "id": identifier, "method": method, "params": params})
        with self.arrived:
            self.arrived.wait_for(lambda: identifier in self.answers or self.ended, seconds)
            if identifier not in self.answers:
                raise Lost("the server ended" if self.ended else f"no answer within {seconds} s")
            message, instant = self.answers.pop(identifier)
        return message, instant - start

    def call(self, command, seconds=150):
        message, wall = self.request("tools/call", {"name": "bash", "arguments": {"command": command}}, seconds)
        return Reply(message, wall)

    @staticmethod
    def own(path):
        if os.geteuid() == 0:
            os.chown(path, CELL_USER, CELL_USER)

    def prepare(self, files):
        """An empty workspace with these files, and a shell as new."""
        for entry in os.scandir(self.workspace):
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
        for path, text in files.items():
            target = os.path.join(self.workspace, path)
            folder = os.path.dirname(target)
            os.makedirs(folder, exist_ok=True)
            with open(target, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        for folder, _, names in os.walk(self.workspace):
            for path in (folder, *(os.path.join(folder, name) for name in names)):
                self.own(path)
        self.call("cell reset >/dev/null; cd /workspace")

    def close(self):
        """Ends the server as a client does: the cell is gone when this returns."""
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join(5)
        self.stderr.close()
