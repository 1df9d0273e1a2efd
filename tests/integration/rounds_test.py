#!/usr/bin/env python3
"""Rounds of start, call, SIGKILL of the server: rounds_test.py --bashcell PATH --engine docker [--rounds 100]

Another server lives beside them all the time: its cell is the same at the end, and in the engine nothing of the others is
left. Exit 77 when the engine is not there (1 if BASHCELL_REQUIRE names it).
"""

import argparse
import os
import random
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from checks import Failure, check, same  # noqa: E402
from invariants import check_gone  # noqa: E402
from probe import ENGINES, make_probe  # noqa: E402
from registry import Bench, Context, engine_host  # noqa: E402
from run_cases import end_without_engine, missing_engine  # noqa: E402


def die_at_rest(server, chance):
    server.call("X=1; sleep 300 & echo up").ok("up")
    return "at rest, with a job"


def die_in_a_call(server, chance):
    server.call("X=1").ok("")
    server.start_call("trap '' TERM; setsid sleep 300 & sleep 301")
    server.wait_for("sleep 301")
    return "in a call"


def die_in_the_first_call(server, chance):
    server.start_call("sleep 301")
    seconds = chance.uniform(0, 0.6)
    time.sleep(seconds)  # the instant is the point
    return f"{seconds:.2f} s after its first call was sent"


def die_at_the_end(server, chance):
    server.call("sleep 300 & echo up").ok("up")
    server.close_input()
    seconds = chance.uniform(0, 0.05)
    time.sleep(seconds)  # the instant is the point
    return f"{seconds:.3f} s after its input had ended"


DEATHS = (die_at_rest, die_in_a_call, die_in_the_first_call, die_at_the_end)


def one_round(t, number, chance):
    start = time.monotonic()
    server = t.start()
    how = DEATHS[number % len(DEATHS)](server, chance)
    server.kill(signal.SIGKILL)
    server.wait_exit()
    server.wait_until(lambda: not server.cells(), 5, lambda: f"cell processes outlive the server: {server.cells()}")
    print(f"round {number + 1}: killed {how}; {time.monotonic() - start:.2f} s", flush=True)
    return server


def run_rounds(t, rounds, seed):
    witness = t.start()
    witness.call("MINE=kept; sleep 3000 & echo up").ok("up")
    init, cell = witness.init().key, witness.probe.container(witness.owner)
    chance = random.Random(seed)
    dead = []
    for number in range(rounds):
        dead.append(one_round(t, number, chance))
        if number % 10 == 9:
            witness.call("echo $MINE").ok("kept")
    last = t.start()  # it sweeps
    last.call("echo last").ok("last")
    for server in dead:
        check_gone(server, 5)
    same(witness.probe.container(witness.owner), cell, "the other server's cell")
    same(witness.init().key, init, "PID 1 of the other server's cell")
    witness.call("echo $MINE; pgrep -c -x sleep").ok("kept\n1")
    t.servers = [witness, last]  # the dead are done with
    t.finish()
    left = {server.pid: server.probe.containers(server.owner) for server in [*dead, witness, last]}
    same([names for names in left.values() if names], [], "left in the engine")
    print(f"{t.bench.name}: {rounds} rounds, {len(left)} servers: 0 containers left; the other server's cell was untouched")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bashcell", default=os.environ.get("BASHCELL", "bashcell"))
    parser.add_argument("--engine", default="docker", choices=ENGINES)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    if reason := missing_engine(options.engine, None):
        return end_without_engine(options.engine, reason)
    check(options.rounds > 0, "no rounds: nothing would be tested")
    print(f"seed {options.seed}")
    bench = Bench(options.bashcell, options.engine, make_probe(options.engine, None, engine_host(options.engine)))
    try:
        bench.resting_descriptors()
        with Context(bench, None) as t:
            run_rounds(t, options.rounds, options.seed)
    except Failure as failure:
        print(f"FAILED: {failure}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
