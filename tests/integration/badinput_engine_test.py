"""An engine's socket that answers badly, late, or not at all; images whose names are none. The call says which socket and what
it said, within its deadline; everything else works meanwhile, and the next call tries again.
"""

import contextlib
import os
import signal
import threading

from checks import Failure, check, has, same
from private_engine import FalseEngine, GoBetween, answer
from registry import API, SOCKET, case
from cases.runtime import recovers_with
from limits_test import OrdinaryUser

OLD = answer("200 OK", b'{"Version":"1.6.0","ApiVersion":"1.18","MinAPIVersion":"1.12","Os":"linux","Arch":"amd64"}',
             b"Api-Version: 1.18")
VERSION = b"Api-Version: 1.41"
# What a false daemon says to every request: (bytes, whether it then hangs, what the reply must name besides the socket).
ANSWERS = {
    "nothing": (b"", False, ()),
    "garbage": (os.urandom(3000).replace(b"HTTP", b"QTTP"), False, ()),
    "another protocol": (b"SSH-2.0-OpenSSH_9.2\r\n", False, ()),
    "half a header": (b"HTTP/1.1 200 OK\r\nContent-Le", False, ()),
    "half a body": (b"HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 500\r\n\r\n{\"a\":", False, ()),
    "no JSON": (answer("200 OK", b"<html>hello</html>", VERSION), False, ()),
    "deep JSON": (answer("200 OK", b"[" * 200000, VERSION), False, ()),
    "an error": (answer("500 Oops", b'{"message":"out of luck"}', VERSION), False, ("out of luck",)),
    "an error in control bytes": (answer("500 Oops", b"\x1b[31m\x00\xff out of luck"), False, ()),
    "a door": (answer("403 Forbidden", b'{"message":"authorization denied by plugin"}', VERSION), False, ("denied",)),
    "an old version": (OLD, False, ("1.18", "1.40")),
    "an endless header": (b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"y" * 2_000_000, False, ()),
    "an endless body": (b"HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 900000000\r\n\r\n" + b"z" * 40_000_000, False, ()),
}
STALLED = {
    "silence": b"", "a header that stops": b"HTTP/1.1 200 OK\r\nApi-",
    "a body that stops": b"HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nContent-Length: 10\r\n\r\n{",
}


class OneFalseEngine:
    """A server with a false engine, which can be put right."""

    def __init__(self, t, number, said, hangs):
        self.place = os.path.join(t.folder, f"engine-{number}.sock")
        self.right = t.bench.host.removeprefix("unix://")
        self.engine = FalseEngine(self.place, said, hangs)
        self.server = t.start(host=f"unix://{self.place}")

    def put_right(self):
        self.engine.close()
        os.unlink(self.place)
        os.symlink(self.right, self.place)


@case("badinput.daemon", only=API, needs=SOCKET)
def daemons_that_answer_badly(t):
    for number, (what, (said, hangs, names)) in enumerate(ANSWERS.items()):
        one = OneFalseEngine(t, number, said, hangs)
        try:
            recovers_with(t, one.server, one.put_right, names=(one.place, *names))
        except Failure as failure:
            raise Failure(f"{what}: {failure}") from None
        same([c for c in one.server.stderr() if ord(c) < 32 and c != "\n"], [], f"{what}: control bytes on stderr")


@case("badinput.stalled_daemon", only=API, needs=SOCKET)
def daemons_that_stall(t):
    all_of_them = [OneFalseEngine(t, number, said, True) for number, said in enumerate(STALLED.values())]
    calls = [one.server.start_call("echo x") for one in all_of_them]
    for one in all_of_them:
        one.server.ping(1)
    for one, call in zip(all_of_them, calls):
        one.server.finish_call(call).refused(one.place, within=12)
        one.put_right()
        one.server.call("echo y").ok("y", within=15)


class Stall:
    """Holds up the first request about `part`, until it is let go."""

    def __init__(self, part):
        self.part, self.let_go, self.met = part, threading.Event(), threading.Event()

    def __call__(self, request):
        if request.is_about(self.part) and not self.met.is_set():
            self.met.set()
            self.let_go.wait()


class Silence:
    """Holds up every request from a moment on, until it is let go."""

    def __init__(self):
        self.begun, self.let_go = threading.Event(), threading.Event()

    def __call__(self, request):
        if self.begun.is_set():
            self.let_go.wait()


@case("badinput.stalled_request", only=API, needs=SOCKET)
def requests_that_stall(t):
    """The daemon is well until one request of the start, which it never answers; meanwhile the servers serve."""
    stalls = [Stall(part) for part in (rb"/create\b", rb"/attach\b", rb"/start\b")]
    with contextlib.ExitStack() as stack:
        betweens = [stack.enter_context(GoBetween(t, t.bench.host, stall)) for stall in stalls]
        servers = [t.start(host=between.host) for between in betweens]
        calls = [server.start_call("echo x") for server in servers]
        for server, stall in zip(servers, stalls):
            server.wait_until(stall.met.is_set, 10, f"{stall.part}: never asked, so nothing was tested")
            server.ping(1)
            check("tools" in server.answer(server.request("tools/list"), 2)["result"], "tools/list during a start")
        for server, call, between, stall in zip(servers, calls, betweens, stalls):
            server.finish_call(call).refused(between.path, within=25)
            stall.let_go.set()
            # The daemon makes a container for which nobody waits any more. Docker does not: its control socket is gone.
            if stall.part == rb"/create\b" and t.bench.engine == "podman":
                server.wait_until(lambda: server.probe.state(server.owner), 10, "no container was made")
            server.call("echo y").ok("y", within=15)
        t.finish()


@case("badinput.stalled_end", only=API, needs=SOCKET)
def an_end_that_stalls(t):
    """The daemon answers nothing any more when a server ends, or its cell: nobody waits long for it."""
    silence = Silence()
    with GoBetween(t, t.bench.host, silence) as between:
        idle, lost = t.start(host=between.host), t.start(host=between.host)
        for server in (idle, lost):
            server.call("sleep 300 & echo up").ok("up")
        silence.begun.set()
        os.kill(lost.init().pid, signal.SIGKILL)
        lost.wait_until(lambda: not lost.cells(), 5, "the cell outlives its PID 1")
        lost.ping(1)
        for server in (idle, lost):
            server.close_input()
        for server in (idle, lost):
            same(server.wait_exit(5), 0, "exit code")
            server.wait_until(lambda: not server.cells(), 2, "the cell outlives its server")
        silence.let_go.set()
        t.finish()


@case("badinput.permission", only=API, needs=SOCKET)
def a_socket_without_permission(t):
    path = t.bench.host.removeprefix("unix://")
    with OrdinaryUser(t) as user:
        server = user.start(t, host=t.bench.host)
        server.checks_alive = False
        server.call("echo x").refused(path, "permission", within=10)
        t.finish()


ODD_NAMES = ("", " ", "a b", "../up", "-option", "UPPER", "a:b:c", "a@sha256:short", "https://example.org/x", "x/../y", "a\\b",
             "name:" + "t" * 200, "n" * 600, "sp\u00e9cial", "a;b", "a?b=c", "a#b", "a%2fb", "x\ty", "{}", "a/", "/a", "a//b", ":tag")


@case("badinput.image", only=API, needs=SOCKET)
def image_names_that_are_none(t):
    seen = []
    with GoBetween(t, t.bench.host, lambda request: seen.append(request.line)) as between:
        for name in ODD_NAMES:
            server = t.start(host=between.host, image=name, handshake=False)
            try:
                server.handshake()
            except (Failure, BrokenPipeError):  # as good: a line on stderr and exit code 2
                same(server.wait_exit(), 2, f"exit code for the image {name!r}")
                has(server.stderr(), "image")
                continue
            server.checks_alive = False
            server.call("echo x").refused("image", within=10)
            server.close_input()
            server.wait_exit()
    travelled = [line for line in seen if b"/images/" in line or b"/create" in line]
    same(travelled, [], "requests about images that are none")
