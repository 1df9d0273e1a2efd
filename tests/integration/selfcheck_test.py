"""The harness notices what it is there to notice: each of these servers, or cells, breaks one promise.

The false server is a few lines of Python that answers each request twice, never, late, or in bad UTF-8.
"""

import os
import subprocess
import sys

from checks import Failure, check, has, same
from harness import Server
from invariants import check_at_rest, check_books, check_gone
from registry import Only, case

FALSE_SERVER = r"""
import json, sys, time
mode = sys.argv[1]
out = sys.stdout.buffer
def say(identifier, result):
    out.write(json.dumps({"jsonrpc": "2.0", "id": identifier, "result": result}).encode() + b"\n")
    out.flush()
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        if mode == "answers-cancelled" and "cancelled" in message["method"]: say(message["params"]["requestId"], {})
        continue
    if message["method"] != "tools/call":
        say(message["id"], {})
        if mode == "twice" and message["method"] == "ping": say(message["id"], {})
        if mode == "unasked": say("never-asked", {})
        if mode == "junk": out.write(b"Loading...\n"); out.flush()
        if mode == "bad-utf8": out.write(b'{"jsonrpc":"2.0","method":"notifications/progress","x":"\xff"}\n'); out.flush()
        if mode == "half-line" and message["method"] == "ping": out.write(b'{"jsonrpc"'); out.flush(); break
        if mode == "asks": out.write(b'{"jsonrpc":"2.0","id":1,"method":"roots/list"}\n'); out.flush()
        if mode == "null-error": out.write(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"x"}}\n'); out.flush()
"""


class FalseServer(Server):
    """Speaks like a server and breaks one rule; driven through the same pipes and books."""

    def __init__(self, t, mode):
        self.script = os.path.join(t.folder, "false_server.py")
        with open(self.script, "w") as file:
            file.write(FALSE_SERVER)
        super().__init__(t.bench, t.folder, prefix=(sys.executable, self.script, mode), handshake=False)
        t.servers.append(self)


def noticed(what, attempt):
    try:
        attempt()
    except Failure:
        return
    raise Failure(f"not noticed: {what}")


@case("selfcheck.books")
def broken_books_are_noticed(t):
    for mode in ("twice", "unasked", "junk", "bad-utf8", "half-line", "asks", "null-error", "answers-cancelled", "honest"):
        server = FalseServer(t, mode)
        call = server.new_id()
        server.owe(call)
        server.ping()
        if mode != "half-line":
            server.cancel(call)
            server.ping()
        server.close_input()
        server.wait_exit()
        if mode == "half-line":
            server.owed.pop(str(call))
        if mode == "honest":
            check_books(server)
            server.owe(call)  # and a call that is never answered
        noticed(mode, lambda: check_books(server))
        noticed("an answer that never comes", lambda: server.answer(call if mode != "answers-cancelled" else 5, 0.1))


@case("selfcheck.cell")
def what_is_left_in_a_cell_is_noticed(t):
    server = t.start()
    server.call("true").ok("")
    server.remember_jobs()
    server.expect_killed(0.5)
    for script in ("sleep 900 & true", "setsid bash -c 'while :; do :; done' & true", "python3 -c 'import os, time\n"
                   "if os.fork() == 0: os.setsid(); time.sleep(900)'"):
        server.remember_jobs()
        server.call(script).ok("")
        noticed(script, lambda: server.expect_killed(0.5))
    server.call("pkill -9 -x 'sleep|python3'").ok("")
    noticed("a cell that still runs", lambda: check_gone(server, 0.5))
    server.extra_descriptors = -1
    noticed("one descriptor too many", lambda: check_at_rest(server))
    server.extra_descriptors = 0
    server.call("python3 -c 'import os, time\nif os.fork() == 0: os._exit(0)\ntime.sleep(900)' >/dev/null 2>&1 & "
                "until grep -qs 'State:.Z' /proc/[0-9]*/status; do :; done; true", timeout=10).ok("")
    noticed("a zombie", lambda: check_at_rest(server))
    server.call("pkill -9 python3").ok("")


@case("selfcheck.replies")
def wrong_replies_are_noticed(t):
    reply = t.call("echo text; exit 3")
    noticed("another text", lambda: reply.ok("other", exit=3))
    noticed("another exit code", lambda: reply.ok("text", exit=0))
    noticed("an error that is none", lambda: reply.refused())
    noticed("a timeout that was none", lambda: reply.timeout(3, within=9))
    noticed("slowness", lambda: reply.within(-1))
    late = t.call("sleep 9", timeout=1)
    noticed("another limit in the status line", lambda: late.timeout(2, within=9))
    noticed("a timed-out call taken for a finished one", lambda: late.ok())
    check(t.call("echo text").ok("text").exit == 0, "the honest reply")


@case("selfcheck.selection", only=Only("oci", why="the runner of the cases, which is one for all engines"))
def selecting_nothing_is_noticed(t):
    """A test of ctest's that would run no case has to fail, whether or not the engine is there."""
    runner = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run_cases.py")
    for words, said in (("C9999", "no such case: C9999"),
                        ("--variants-of none C02 C01.a", "no case is selected by C01.a with --variants-of none"),
                        ("--engine podman C02 badinput.no_bash", "none of badinput.no_bash is about podman")):
        run = subprocess.run([sys.executable, "-B", runner, "--bashcell", t.bench.bashcell, *words.split()],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        same((run.returncode, run.stdout), (2, ""), f"exit code and output with {words} ({run.stderr!r})")
        has(run.stderr, said)
    t.call("true").ok("")
