"""RUNTIME, continued: the server dies without warning, at any instant."""

import os
import random
import signal
import time

from checks import lacks, same
from invariants import check_gone
from registry import case


def murdered(server, seconds=2):
    """SIGKILL; then no process of its cell is left soon. What the engine still lists is for the next start."""
    server.kill(signal.SIGKILL)
    server.wait_exit()
    server.wait_until(lambda: not server.cells(), seconds, lambda: f"cell processes outlive the server: {server.cells()}")


def swept_by_the_next_start(t, dead, witness):
    """A server that starts a cell removes what the dead ones left; the witness's cell is untouched."""
    before = witness.init().key
    server = t.start()
    server.call("echo again").ok("again")
    for old in dead:
        check_gone(old, 5)
    same(witness.init().key, before, "PID 1 of the other server's cell")
    same(witness.call("echo $MINE; pgrep -c -x sleep").ok().text, "kept\n1", "state of the other server's cell")


def start_witness(t):
    witness = t.start()
    witness.call("MINE=kept; sleep 3000 & echo up").ok("up")
    return witness


@case("C92")
def sigkill_when_idle_with_a_job(t):
    witness = start_witness(t)
    server = t.start()
    server.call("sleep 300 & echo up").ok("up")
    murdered(server)
    swept_by_the_next_start(t, [server], witness)


@case("C92.a")
def sigkill_at_random_instants_of_the_start(t):
    witness = start_witness(t)
    chance = random.Random(9201)
    dead = []
    start = 0.08 if t.bench.engine == "oci" else 0.4  # seconds that it may take
    for round_ in range(14):
        server = t.start(*(("--warm",) if round_ % 2 else ()), handshake=False)
        if round_ % 2 == 0:
            server.start_call("sleep 300")
        time.sleep(chance.uniform(0, start))  # the instant is the point
        murdered(server, 5)
        dead.append(server)
    swept_by_the_next_start(t, dead, witness)


@case("C92.b")
def sigkill_at_random_instants_of_a_call_and_of_the_end(t):
    witness = start_witness(t)
    chance = random.Random(9202)
    dead = []
    for round_ in range(12):
        server = t.start()
        server.call("trap '' TERM; setsid sleep 300 & true").ok("")
        if round_ % 2:
            server.start_call(chance.choice(("yes", "sleep 300", ":(){ :|:& };:", "trap '' TERM; while :; do :; done")))
        else:
            server.close_input()
        time.sleep(chance.uniform(0, 0.04))  # the instant is the point
        murdered(server)
        dead.append(server)
    swept_by_the_next_start(t, dead, witness)


@case("C92.c")
def sigkill_of_the_whole_process_group_and_of_a_stopped_server(t):
    witness = start_witness(t)
    grouped = t.start(own_group=True)
    grouped.call("sleep 300 & echo up").ok("up")
    os.killpg(grouped.pid, signal.SIGKILL)
    grouped.wait_exit()
    grouped.wait_until(lambda: not grouped.cells(), 2, "cell processes outlive the server's group")
    stopped = t.start()
    stopped.call("sleep 300 & echo up").ok("up")
    stopped.kill(signal.SIGSTOP)
    murdered(stopped)
    swept_by_the_next_start(t, [grouped, stopped], witness)
    lacks(witness.stderr(), "lost")
