"""Tries the ways out of escape_attempts.py in a cell, where all must fail, and in containers without their barriers, where all work.

With BASHCELL_ESCAPE_TABLE=FOLDER, what came is written to FOLDER/ENGINE.json (scripts/security_table.py)."""

import contextlib
import ctypes
import json
import os
import shlex
import shutil
import socket
import subprocess

from checks import check, same
from escape_attempts import ALL
from escape_controls import ApiControl, OciControl, WatchedRuntime
from private_engine import GoBetween
from registry import FOLDER, case
from cases.protect import project

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "escape_probe.c")
OWNER = 1000


def file_handle(path):
    """As open_by_handle_at takes it: "TYPE HEX". Empty where the file system has none."""
    room = ctypes.create_string_buffer(8 + 128)
    ctypes.c_uint.from_buffer(room).value = 128
    number = ctypes.c_int()
    if ctypes.CDLL(None, use_errno=True).name_to_handle_at(-100, path.encode(), room, ctypes.byref(number), 0) != 0:
        return ""
    size = ctypes.c_uint.from_buffer(room).value
    return f"{ctypes.c_int.from_buffer(room, 4).value} {room.raw[8:8 + size].hex()}"


class Target:
    """What there is to reach outside, and the workspace with the probe in it."""

    def __init__(self, t):
        self.t, self.stack = t, contextlib.ExitStack()
        self.workspace = project(t, "target")
        self.secret = os.path.join(t.folder, "secret")
        os.mkdir(self.secret)
        self.file = os.path.join(self.secret, "file")
        with open(self.file, "w") as file:
            file.write("canary")
        os.symlink(self.file, os.path.join(self.workspace, "link"))
        self.build()
        os.mkdir(os.path.join(self.workspace, "results"))
        os.chmod(os.path.join(self.workspace, "results"), 0o777)

    def build(self):
        probe = os.path.join(self.workspace, "probe")
        built = subprocess.run(["gcc", "-O1", "-static", "-o", probe, SOURCE], capture_output=True, text=True, timeout=120)
        check(built.returncode == 0, f"the probe does not compile: {built.stderr}")
        shutil.copy(probe, os.path.join(self.workspace, "set-uid"))
        os.chmod(os.path.join(self.workspace, "set-uid"), 0o4755)
        with open(os.path.join(self.workspace, "of-root"), "w"):
            os.chmod(os.path.join(self.workspace, "of-root"), 0o600)

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            process = stack.enter_context(subprocess.Popen(["sleep", "600"], user=OWNER, group=OWNER, extra_groups=[]))
            stack.callback(process.kill)
            service = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
            name = "escape-" + os.path.basename(self.t.folder)
            abstract.bind("\0" + name)
            abstract.listen()
            self.environment = {"ESCAPE_PID": process.pid, "ESCAPE_PORT": service.getsockname()[1], "ESCAPE_SOCKET": name,
                                "ESCAPE_FILE": self.file, "ESCAPE_HANDLE": file_handle(self.file), "ESCAPE_TOP": "/workspace"}
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self.stack.close()

    def script(self, attempts, results, probe="/workspace/probe", **others):
        values = " ".join(f"{name}={shlex.quote(str(value))}" for name, value in {**self.environment, **others}.items())
        # Not by exec: a PID 1 that is the probe itself could not be tried.
        return f"{values} {probe} {' '.join(a.name for a in attempts)} > {results} 2>&1; true"

    def results(self, number, attempts, said=""):
        path = os.path.join(self.workspace, "results", str(number))
        check(os.path.exists(path), f"nothing was tried: {said}")
        with open(path) as file:
            text = file.read()
        found = {name: result for name, _, result in (line.partition(" ") for line in text.splitlines())}
        same(set(found), {a.name for a in attempts}, f"tried ({said}; {text[-300:]!r})")
        return found

    def on_the_host(self, attempts):
        """As root, without any barrier, in a mount namespace that goes away."""
        results = os.path.join(self.workspace, "results", "host")
        script = self.script(attempts, results, os.path.join(self.workspace, "probe"), ESCAPE_TOP=self.workspace)
        subprocess.run(["unshare", "-m", "--propagation", "private", "bash", "-c", script], timeout=60, check=True,
                       stdin=subprocess.DEVNULL)
        return self.results("host", attempts)


@contextlib.contextmanager
def cell_and_control(t, target):
    """A server, and what makes containers like its cell."""
    if t.bench.engine == "oci":
        runtime = WatchedRuntime(t)
        server = t.start("--runtime", runtime.path, runtime=False, workspace=target.workspace)
        server.call("true").ok("")
        yield server, OciControl(t, server, runtime, target)
        return
    bodies = []

    def meet(seen):
        if seen.is_create:
            bodies.append(json.loads(seen.body))

    with GoBetween(t, t.bench.host, meet) as between:
        server = t.start(workspace=target.workspace, host=between.host)
        server.call("true").ok("")
        yield server, ApiControl(t, bodies[-1], target)


def write_table(engine, columns):
    if folder := os.environ.get("BASHCELL_ESCAPE_TABLE"):
        with open(os.path.join(folder, f"{engine}.json"), "w") as file:
            json.dump(columns, file, indent=1)


@case("escape", needs=FOLDER)
def no_way_out(t):
    with Target(t) as target, cell_and_control(t, target) as (server, control):
        optional = [a for a in ALL if a.optional]
        possible = target.on_the_host(optional)
        tried = [a for a in ALL if not a.optional or possible[a.name] == "SUCCEEDED"]
        check(len(tried) > len(ALL) - 10, f"this machine lacks too much of what is tried: {possible}")
        server.call(target.script(ALL, "/workspace/results/cell"), timeout=60).ok("")
        columns = {"cell": target.results("cell", ALL), "host": possible, "controls": {}}
        for number, barriers in enumerate(dict.fromkeys(a.barriers for a in tried)):
            group = [a for a in tried if a.barriers == barriers]
            said = control.run(target.script(group, f"/workspace/results/{number}"), barriers)
            columns["controls"].update(target.results(number, group, f"without {', '.join(barriers)}: {said}"))
        if t.bench.engine == "docker":
            said = control.run_plain(target.script(ALL, "/workspace/results/plain"))
            columns["plain"] = target.results("plain", ALL, said)
        write_table(t.bench.engine, columns)
        same({a.name: columns["controls"][a.name] for a in tried if columns["controls"][a.name] != "SUCCEEDED"}, {},
             "ways that fail without their barriers, too")
        same([a.name for a in ALL if columns["cell"][a.name] == "SUCCEEDED"], [], "ways out")
        t.finish()
