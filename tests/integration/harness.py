"""One running `bashcell`, driven through its pipes as a client drives it.

The server keeps book of what it owes: every request sent through it must be answered exactly once, a cancelled one never.
`Server.settle()` and `Server.finish()` assert that, and everything else that holds after every case (see invariants.py).
"""

import contextlib
import json
import os
import resource
import signal
import subprocess
import threading
import time

from checks import Failure, check, shown
from output import Output, key_of
from processes import all_processes, cell_processes, read_process, split_resting
from remote import volume_option
from reply import Reply

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "cases", "version": "1"}}
LONGEST_ANSWER = 60  # no answer of any case takes longer than this on an idle machine


class Server:
    """`bench` says which program and engine; see `start` for the options of one server."""

    def __init__(self, bench, folder, *, options=(), environment=None, workspace=None, prefix=(), handshake=True,
                 descriptor_limit=None, runtime=True, own_group=False, host=None, image=None, probe=None, remote=None):
        self.bench, self.slowness = bench, bench.slowness
        self.probe = probe or bench.probe  # what the engine knows; another one's where `host` names another
        far = remote or bench.remote
        self.workspace = workspace or os.path.join(folder, "workspace")
        self.folder = folder
        self.stderr_path = os.path.join(folder, f"stderr-{time.monotonic_ns()}")
        self.argv = [*prefix, bench.bashcell, *bench.engine_options(runtime, host, image, far),
                     "--workspace", volume_option(self.workspace), *options]
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder,
                            **bench.environment, **(far.environment if far else {}), **(environment or {})}
        self.owed = {}           # key -> [least, most] answers
        self.next_id = 1000
        self.spared = None       # process keys that lived before the last call that may be killed
        self.sent_at = {}        # key -> instant
        self.checks_alive = True
        self.shares_workspace = False  # other servers have cells with it, too
        self.extra_descriptors = 0
        self.returncode = None
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, descriptor_limit)) if descriptor_limit else None
        with open(self.stderr_path, "wb") as stderr:
            self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr,
                                            env=self.environment, cwd="/", bufsize=0, preexec_fn=limit, start_new_session=own_group)
        self.pid = self.process.pid
        self.owner = "{}-{}".format(*read_process(self.pid).key)  # as its cells' names say it
        self._sending = threading.Lock()
        self.output = Output(self.process.stdout)
        if handshake:
            self.handshake()

    # --- sending -----------------------------------------------------------------------------------------------------

    def send_bytes(self, data):
        """Bytes as they are; nothing is booked."""
        with self._sending:
            view = memoryview(data if isinstance(data, bytes) else data.encode())
            while view:
                view = view[os.write(self.process.stdin.fileno(), view):]

    def owe(self, identifier, least=1, most=None):
        book = self.owed.setdefault(key_of(identifier), [0, 0])
        book[0] += least
        book[1] += least if most is None else most

    def raw(self, line):
        """One line as it is. A well-formed request in it is booked, anything else is the case's to look for."""
        try:
            message = json.loads(line)
            if isinstance(message, dict) and "method" in message and isinstance(message.get("id"), (int, str, float)):
                self.owe(message["id"])
        except ValueError:
            pass
        self.send_bytes(line + "\n")

    def new_id(self):
        self.next_id += 1
        return self.next_id

    def request(self, method, params=None, id=None):
        identifier = self.new_id() if id is None else id
        message = {"jsonrpc": "2.0", "id": identifier, "method": method}
        if params is not None:
            message["params"] = params
        self.raw(json.dumps(message, ensure_ascii=False))
        return identifier

    def notify(self, method, params=None):
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        self.send_bytes(json.dumps(message) + "\n")

    def handshake(self, parameters=None, id=0):
        self.request("initialize", parameters or INITIALIZE, id=id)
        message = self.answer(id, 10)
        self.notify("notifications/initialized")
        return message

    def call_line(self, command, id, timeout=None, **arguments):
        arguments = {"command": command, **({} if timeout is None else {"timeout": timeout}), **arguments}
        return json.dumps({"jsonrpc": "2.0", "id": id, "method": "tools/call",
                           "params": {"name": "bash", "arguments": arguments}}, ensure_ascii=False)

    # --- receiving ---------------------------------------------------------------------------------------------------

    def answer(self, identifier, seconds=LONGEST_ANSWER):
        """The message that answers a request, or a Failure at the deadline."""
        return self.answer_and_instant(identifier, seconds)[0]

    def answer_and_instant(self, identifier, seconds=LONGEST_ANSWER):
        deadline = time.monotonic() + seconds * self.slowness
        key = key_of(identifier)
        if not self.output.wait(lambda: self.output.count(key) > 0, deadline):
            raise Failure(f"no answer to id {identifier} within {seconds} s; server "
                          f"{'ended' if self.output.ended else 'runs'}; {self.troubles()}")
        instant, message, _ = self.output.answers(identifier)[0]
        return message, instant

    def troubles(self):
        return f"faults {shown(self.output.faults)}; stderr {shown(self.stderr())}"

    def stderr(self):
        with open(self.stderr_path, "rb") as file:
            return file.read().decode("utf-8", "replace")

    # --- calls -------------------------------------------------------------------------------------------------------

    def start_call(self, command, timeout=None, id=None, meta=None, **arguments):
        """Sends a tools/call and returns its id; `finish_call` waits for the reply."""
        identifier = self.new_id() if id is None else id
        message = json.loads(self.call_line(command, identifier, timeout, **arguments))
        if meta is not None:
            message["params"]["_meta"] = meta
        self.owe(identifier)
        self.sent_at[key_of(identifier)] = time.monotonic()
        self.send_bytes(json.dumps(message, ensure_ascii=False) + "\n")
        return identifier

    def finish_call(self, identifier, seconds=LONGEST_ANSWER):
        message, instant = self.answer_and_instant(identifier, seconds)
        return Reply(message, instant - self.sent_at[key_of(identifier)], self.slowness)

    def call(self, command, timeout=None, seconds=LONGEST_ANSWER, **keywords):
        """One call and its reply. After a timeout, no process of the call may live 2 s longer."""
        if timeout is not None:
            self.remember_jobs()
        reply = self.finish_call(self.start_call(command, timeout, **keywords), seconds)
        if reply.timed_out and timeout is not None:
            self.expect_killed()
        return reply

    def cancel(self, identifier, reason="case"):
        """Cancels a call that surely runs: it must never be answered."""
        self.owed[key_of(identifier)] = [0, 0]
        self.notify("notifications/cancelled", {"requestId": identifier, "reason": reason})

    def ping(self, within=2.0):
        start = time.monotonic()
        message, instant = self.answer_and_instant(self.request("ping"), within)
        check(message.get("result") == {}, f"ping answered {shown(message)}")
        return instant - start

    # --- the cell as the host sees it --------------------------------------------------------------------------------

    def wait_until(self, found, seconds, what):
        """Polls a fact of the machine that sends no event."""
        deadline = time.monotonic() + seconds * self.slowness
        while True:
            value = found()
            if value:
                return value
            check(time.monotonic() < deadline, f"{what() if callable(what) else what} (waited {seconds} s)")
            time.sleep(0.02)

    def cells(self):
        return cell_processes(self.workspace, self.probe.marks(self.owner) if self.shares_workspace else None)

    def members(self):
        """The processes of the one cell in use; empty before the first call."""
        cells = self.cells()
        check(len(cells) <= 1, f"more than one cell: {cells}")
        return next(iter(cells.values()), [])

    def init(self):
        """The host's view of the cell's PID 1."""
        inits = split_resting(self.members())[0]
        check(len(inits) == 1, f"expected one cell with one PID 1, found {inits}")
        return inits[0]

    def find(self, part):
        """The cell's processes whose command line contains `part`."""
        return [member for member in self.members() if part in member.command]

    def wait_for(self, part, seconds=10):
        return self.wait_until(lambda: self.find(part), seconds, f"no process with {part!r} in the cell")

    def remember_jobs(self):
        """What lives now, apart from the waiting shell, is a job of an earlier call and must survive a kill."""
        members = self.members()
        init, _, others = split_resting(members)
        self.spared = {member.key for member in init + others}

    def leftovers(self):
        return [m for m in split_resting(self.members())[2] if m.key not in self.spared and m.state != "Z"]

    def expect_killed(self, seconds=2):
        """Within this time only what lived before the call, and one waiting shell, is left in the cell."""
        self.wait_until(lambda: not self.leftovers(), seconds, lambda: f"alive after a kill: {self.leftovers()}")
        alive = {process.key for process in all_processes()}
        return [key for key in self.spared if key not in alive]

    # --- the end -----------------------------------------------------------------------------------------------------

    def close_input(self):
        with self._sending:
            if not self.process.stdin.closed:
                self.process.stdin.close()

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)

    def wait_exit(self, seconds=5):
        try:
            self.returncode = self.process.wait(seconds * self.slowness)
        except subprocess.TimeoutExpired:
            raise Failure(f"the server still runs {seconds} s after its end was due; {self.troubles()}") from None
        self.output.join(2)
        return self.returncode

    def destroy(self):
        """Whatever happened: nothing of this server is left running. Not an assertion."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.close_input()
        for members in self.cells().values():
            for member in split_resting(members)[0]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(member.pid, signal.SIGKILL)
