"""STDIO: stdout purity, end of input, closed pipes, signals."""

import os
import signal
import time

from checks import check, has, lacks, same
from harness import INITIALIZE
from invariants import check_books, check_gone
from output import key_of
from processes import cpu_seconds
from registry import OCI, case


def ended(server, seconds=5, code=0):
    """The server is gone in time, with this exit code, and so is its cell. Unfinished calls need no answer."""
    same(server.wait_exit(seconds), code, f"exit code (stderr: {server.stderr()!r})")
    check_gone(server)
    for book in server.owed.values():
        book[0] = 0
    check_books(server)


@case("C117")
def scripts_cannot_write_messages(t):
    evil = '{"jsonrpc":"2.0","id":1,"result":{"evil":true}}'
    t.call(f"echo '{evil}'", id=1).ok(evil)
    t.call("echo hi > /proc/1/fd/1; echo hi > /dev/stdout; echo hi > /dev/console; true", id=2).ok()
    loud = t.start("--log", "debug")
    loud.call("echo logged").ok("logged")
    check(loud.stderr(), "debug logging says nothing on stderr: nothing was tested")


@case("C117.a")
def messages_in_every_descriptor(t):
    forged = '{"jsonrpc":"2.0","id":"forged","result":{}}'
    t.call(f"for n in $(seq 0 260); do echo '{forged}' >&$n; done 2>/dev/null; true", timeout=20).ok()
    t.call(f"for p in /proc/[0-9]*/fd/*; do echo '{forged}' > $p; done 2>/dev/null; true", timeout=20).within(22)
    same(t.output.answers("forged"), [], "forged answers")
    t.call("echo real").ok("real")


@case("C117.b", only=OCI)
def a_failing_engine_is_quiet_on_stdout(t):
    server = t.start("--runtime", "/bin/false", runtime=False)
    server.checks_alive = False
    server.call("echo x").refused()
    noisy = os.path.join(t.folder, "noisy")
    with open(noisy, "w") as file:
        file.write("#!/bin/sh\necho '{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}'\necho noise >&2\nexit 1\n")
    os.chmod(noisy, 0o755)
    server = t.start("--runtime", noisy, "--log", "debug", runtime=False)
    server.checks_alive = False
    server.call("echo x").refused()
    same(server.output.answers(9), [], "answers made by the runtime")


@case("C118")
def end_of_input(t):
    idle = t.start()
    idle.close_input()
    ended(idle)
    busy = t.start()
    busy.start_call("sleep 100")
    busy.wait_for("sleep 100")
    used = cpu_seconds(busy.pid)
    busy.close_input()
    ended(busy)
    check(used < 1, f"{used} s of cpu time")
    silent = t.start(handshake=False)
    silent.close_input()
    ended(silent)


@case("C118.a")
def end_of_input_with_jobs_and_stubborn_calls(t):
    server = t.start()
    server.call("trap '' TERM; setsid sleep 700 & echo job").ok("job")
    for script in ("trap '' TERM; while :; do :; done", "yes", "kill -STOP $$"):
        server.start_call(script)
    server.wait_for("yes")
    server.close_input()
    ended(server)


@case("C118.b")
def end_of_input_inside_a_line(t):
    server = t.start()
    server.call("true").ok("")
    server.send_bytes('{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"bash","arg')
    server.close_input()
    server.wait_exit()
    server.output.null_errors.clear()  # the half line may be answered as unreadable, or not at all
    ended(server)
    waiting = t.start()
    time.sleep(3)  # an idle server must use no cpu: that is measured over time
    check(cpu_seconds(waiting.pid) < 0.3 * t.bench.slowness, "an idle server spins")


def piped(t, *commands):
    """A server whose input is written at once and then ends."""
    server = t.start(handshake=False)
    lines = ['{"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}' % str(INITIALIZE).replace("'", '"'),
             '{"jsonrpc":"2.0","method":"notifications/initialized"}']
    server.owe(0)
    for identifier, command in enumerate(commands, 1):
        server.owe(identifier)
        lines.append(server.call_line(command, identifier))
    server.send_bytes("\n".join(lines) + "\n")
    server.close_input()
    same(server.wait_exit(), 0, "exit code")
    check_gone(server)
    return server


def text_of(server, identifier):
    return server.answer(identifier, 1)["result"]["content"][0]["text"]


@case("C119")
def requests_just_before_the_end(t):
    server = piped(t, "echo piped")
    check("result" in server.answer(0, 1), "no answer to initialize")
    same(text_of(server, 1), "piped", "text")
    check_books(server)


@case("C119.a")
def several_calls_before_the_end(t):
    server = piped(t, "echo one", "seq 1 3", "exit 4", "echo 'x' | tr x y; false")
    same([text_of(server, i) for i in (1, 2, 4)], ["one", "1\n2\n3", "y\n[cell: exit 1]"], "texts")
    has(text_of(server, 3), "exit 4")
    check_books(server)


@case("C119.b")
def a_slow_call_does_not_hold_the_end(t):
    start = time.monotonic()
    server = piped(t, "echo quick", "sleep 60")
    check(time.monotonic() - start < 5 * t.bench.slowness, "the end waited for the slow call")
    same(text_of(server, 1), "quick", "text")
    server.owed[key_of(2)] = [0, 1]
    check_books(server)


@case("C120")
def closed_output_and_signals(t):
    server = t.start()
    server.start_call("sleep 1; echo x")
    server.wait_for("sleep 1")
    server.output.stop_reading(close=True)
    check(server.wait_exit() >= 0, f"died of signal {-server.returncode}")
    check_gone(server)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        server = t.start()
        server.start_call("sleep 100")
        server.wait_for("sleep 100")
        server.kill(number)
        server.wait_exit()
        check_gone(server)
        lacks(server.stderr(), "terminate called", "core dumped")
        check(not server.output.answers(1001), "a call was answered at its end by a signal")


@case("C120.a")
def twice_and_during_the_start(t):
    server = t.start()
    server.start_call("sleep 100")
    server.wait_for("sleep 100")
    server.kill(signal.SIGTERM)
    server.kill(signal.SIGTERM)
    server.wait_exit()
    check_gone(server)
    for delay in (0, 0.004, 0.01, 0.02, 0.04):
        server = t.start()
        server.start_call("sleep 100")
        time.sleep(delay)  # an instant of the cell's creation; which one is the point
        server.kill(signal.SIGTERM)
        server.wait_exit()
        check_gone(server)


@case("C120.b")
def a_client_that_does_not_read(t):
    for end in (signal.SIGTERM, None):
        server = t.start()
        server.call("true").ok("")
        server.output.stop_reading(close=False)
        # Less than the input pipe holds, so that this never waits; its answers are far more than the output pipe holds.
        server.send_bytes("".join('{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n' % n for n in range(1000)))
        server.start_call("sleep 100")
        server.wait_for("sleep 100")
        if end:
            server.kill(end)
        else:
            server.close_input()
        check(server.wait_exit() >= 0, f"died of signal {-server.returncode}")
        check_gone(server)
