"""RUNTIME of cells behind an engine's socket: what administrators and crashes do to the cell, the daemon and the server."""

import os
import signal

from checks import Failure, check, has, lacks, same
from invariants import check_gone
from private_engine import GoBetween, PrivateEngine
from registry import API, SOCKET, case
from cases.runtime import fresh, lost, told_new
from cases.runtime_kill import murdered, start_witness, swept_by_the_next_start

LEASE = 15  # seconds after which a cell without a server ends itself


def busy_and_idle(t, script="sleep 300"):
    """A server in the middle of a call, and one that rests with a job in the background."""
    busy, idle = t.start(), t.start()
    idle.call("K=1; sleep 400 & echo up").ok("up")
    busy.call("K=1").ok("")
    call = busy.start_call(script)
    busy.wait_for(script)
    return busy, call, idle


def act_on(server, action):
    server.probe.act(server.probe.container(server.owner), action)


@case("C85.e", only=API)
def killed_by_the_engine(t):
    bystander = start_witness(t)
    busy, call, idle = busy_and_idle(t)
    for server in (busy, idle):
        act_on(server, "kill")
    lost(busy.finish_call(call, 15), 15)
    told_new(busy.call("echo ${K:-lost}"), "lost")
    fresh(idle, "echo ${K:-lost}", "lost")
    act_on(idle, "kill?signal=SIGTERM")  # PID 1 is not to be asked: it goes on
    idle.call("echo on").ok("on")
    same(bystander.call("echo $MINE").ok().text, "kept", "state of a server beside them")


@case("C85.f", only=API)
def stopped_and_restarted_by_the_engine(t):
    busy, call, idle = busy_and_idle(t)
    act_on(busy, "stop?t=5")
    try:
        act_on(idle, "restart?t=5")
    except Failure:
        pass  # it was removed as soon as it had stopped, so that the engine cannot start it again
    lost(busy.finish_call(call, 15), 15)
    told_new(busy.call("echo ${K:-lost}"), "lost")
    fresh(idle, "echo ${K:-lost}", "lost")


@case("C85.g", only=API)
def paused(t):
    """A frozen cell answers nothing and cannot end itself: the server's own deadline answers, and the cell is removed."""
    t.call("K=1").ok("")
    frozen = t.probe.container(t.owner)
    act_on(t, "pause")
    reply = t.finish_call(t.start_call("echo x", timeout=1), 20)
    lost(reply, 1 + 1 + 2 + 3)
    has(reply.raw, "may have run")  # an engine lets a frozen cell go on for a moment when it kills it
    t.ping(0.5)
    told_new(t.call("echo ${K:-lost}"), "lost")
    check(frozen not in t.probe.state(t.owner), "the frozen cell is still there")


@case("C85.h", only=API)
def paused_during_a_call_and_let_go(t):
    busy, call, idle = busy_and_idle(t, "sleep 3")
    for server in (busy, idle):
        act_on(server, "pause")
        act_on(server, "unpause")
    busy.finish_call(call).ok("", within=15)
    idle.call("echo $K").ok("1", within=15)
    second = busy.start_call("sleep 301", timeout=2)
    busy.wait_for("sleep 301")
    act_on(busy, "pause")
    act_on(idle, "pause")
    check(busy.finish_call(second, 20).within(2 + 1 + 2 + 3).is_error, "a call of a frozen cell was answered")
    idle.close_input()  # its cell is frozen: it goes all the same
    same(idle.wait_exit(), 0, "exit code")
    check_gone(idle)
    told_new(busy.call("echo ${K:-lost}"), "lost")


def unreachable(server, engine):
    """The call says soon which engine is not there; everything else works."""
    reply = server.call("echo x").within(10)
    check(reply.is_error, f"a call without an engine: {reply.raw!r}")
    server.ping(1)
    return reply


def kept(server, value):
    """The cell is the old one: it does not need its engine."""
    server.call("echo ${K:-lost}").ok(value, within=10)


def ended_by_a_restart(engine):
    """Docker ends containers with its daemon, or when it is started again; Podman's do not depend on its service."""
    return engine.engine == "docker"


@case("C87.c", only=API, needs=SOCKET)
def daemon_stopped_and_started(t):
    with PrivateEngine(t) as engine:
        server, other, late = engine.use(t), engine.use(t), engine.use(t)
        server.call("K=1; echo one").ok("one")
        other.call("true").ok("")
        running = other.start_call("echo x >> /workspace/count; sleep 300")
        other.wait_for("sleep 300")
        engine.stop()
        if ended_by_a_restart(engine):
            lost(other.finish_call(running, 15), 15)
            unreachable(server, engine)
        else:
            kept(server, "1")
            other.cancel(running)
        has(unreachable(late, engine).raw, engine.host.removeprefix("unix://"))
        engine.start()
        if ended_by_a_restart(engine):
            told_new(server.call("echo ${K:-lost}"), "lost")
            told_new(other.call("cat /workspace/count"), "x")
        else:
            kept(server, "1")
            other.call("cat /workspace/count").ok("x")
        late.call("echo late").ok("late")
        t.finish()


@case("C87.d", only=API, needs=SOCKET)
def daemon_killed_and_started(t):
    with PrivateEngine(t) as engine:
        server, late = engine.use(t), engine.use(t)
        server.call("K=1; sleep 300 & echo one").ok("one")
        old = server.probe.container(server.owner)
        running = server.start_call("sleep 2; echo done")
        engine.kill()
        server.finish_call(running).ok("done")
        kept(server, "1")
        unreachable(late, engine)
        engine.start()
        if ended_by_a_restart(engine):
            fresh(server, "echo ${K:-lost}", "lost")
            server.wait_until(lambda: old not in server.probe.state(server.owner), LEASE + 3, "the old cell is still there")
        else:
            kept(server, "1")
        late.call("echo late").ok("late")
        t.finish()


@case("C87.e", only=API, needs=SOCKET)
def daemon_back_before_anybody_noticed(t):
    """The daemon restarts between two calls of several servers."""
    with PrivateEngine(t) as engine:
        servers = [engine.use(t) for _ in range(3)]
        for number, server in enumerate(servers):
            server.call(f"K={number}; echo $K > n").ok("")
        engine.kill()
        engine.start()
        calls = [server.start_call("echo ${K:-lost}; cat n") for server in servers]
        for number, (server, call) in enumerate(zip(servers, calls)):
            reply = server.finish_call(call)
            if not ended_by_a_restart(engine):
                reply.ok(f"{number}\n{number}")
                continue
            if reply.is_error:
                lost(reply, 15)
                reply = server.call("echo ${K:-lost}; cat n")
            told_new(reply, f"lost\n{number}")
        t.finish()


@case("C92.d", only=API)
def sigkill_while_the_cell_is_paused(t):
    """Nothing of ours can act any more: what stays is removed by the next start."""
    witness = start_witness(t)
    dead = []
    for busy in (False, True):
        server = t.start()
        server.call("sleep 300 & echo up").ok("up")
        if busy:
            server.start_call("sleep 301")
            server.wait_for("sleep 301")
        act_on(server, "pause")
        server.kill(signal.SIGKILL)
        server.wait_exit()
        check(len(server.probe.state(server.owner)) == 1, "the frozen cell is gone already: nothing would be tested")
        dead.append(server)
    act_on(witness, "pause")  # one that is alive stays as it is, even so
    act_on(witness, "unpause")
    swept_by_the_next_start(t, dead, witness)


@case("C92.e", only=API, needs=SOCKET)
def sigkill_between_create_and_start(t):
    witness = start_witness(t)
    dead = []
    for request in (rb"/start\b", rb"/attach\b"):
        server = None

        def meet(seen):
            if seen.is_about(request):
                server.kill(signal.SIGKILL)
                return False
            return None

        with GoBetween(t, t.bench.host, meet) as between:
            server = t.start(host=between.host)
            server.start_call("echo never > /workspace/ran")
            server.wait_exit(15)
            same(len(server.probe.state(server.owner)), 1, "containers made and never started")
            same(os.listdir(server.workspace), [], "files of a script that never ran")
        dead.append(server)
    swept_by_the_next_start(t, dead, witness)


@case("C92.f", only=API, needs=SOCKET)
def sigkill_of_the_daemon_and_then_of_the_server(t):
    """No stream ends and nobody is there to remove anything: the cell itself ends, at the latest after its lease."""
    with PrivateEngine(t) as engine:
        server, stopped = engine.use(t), engine.use(t)
        server.call("sleep 300 & echo up").ok("up")
        stopped.call("trap '' TERM; setsid sleep 301 & echo up").ok("up")
        stopped.kill(signal.SIGSTOP)
        engine.kill()
        murdered(server, LEASE + 5)
        murdered(stopped, LEASE + 5)
        engine.start()
        witness = engine.use(t)
        lacks(witness.call("echo new").ok("new").status, "reset")
        for dead in (server, stopped):
            check_gone(dead, 5)
        t.finish()
