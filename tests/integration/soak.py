#!/usr/bin/env python3
"""A long mix of calls, cancels, timeouts and kills, and at the end nothing is leaked: see scripts/soak.sh, which runs it.

Three servers of each engine share one workspace. Each is driven by an agent of its own (soak_agents.py), whose dice follow from the
seed. The daemon of a Docker is killed now and then, and started again. Exit 1 when a reply was wrong or something is left.
"""

import argparse
import collections
import os
import random
import signal
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from checks import Failure, check  # noqa: E402
from private_engine import SCRIPT  # noqa: E402
from probe import ENGINES, make_probe  # noqa: E402
from registry import Bench, Context, engine_host  # noqa: E402
from run_cases import missing_engine  # noqa: E402
from soak_agents import Agent, Disturbances, Ledger, end_of  # noqa: E402
from soak_leaks import Before, Leaks, processes  # noqa: E402

SERVERS = 3  # of each engine
OPTIONS = ((), ("--workspace-lock",), ("--parallel", "2", "--session-limit", "20"))  # of an engine's first, second and third
CROWD = {"oci": 50, "docker": 10, "podman": 10}  # servers that end at the same moment
ENDS = ("EOF", "SIGTERM", "SIGKILL")


class DaemonKiller(threading.Thread):
    """Kills or stops an engine's daemon every now and then, and starts it again."""

    def __init__(self, engine, disturbances, seed):
        super().__init__(daemon=True)
        self.engine, self.disturbances, self.dice = engine, disturbances, random.Random(seed)
        self.stopping, self.times, self.failures, self.born = threading.Event(), 0, [], time.monotonic()

    def engines_sh(self, *arguments):
        run = subprocess.run([SCRIPT, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        check(run.returncode == 0, f"engines.sh {arguments}: {run.stderr}")

    def run(self):
        while not self.stopping.wait(self.dice.uniform(30, 70)):
            self.disturbances.begin()
            try:
                print(f"{time.monotonic() - self.born:5.0f} s: the daemon of {self.engine} is ended", flush=True)
                self.engines_sh(self.dice.choice(("kill", "stop")), self.engine, os.environ["BASHCELL_TEST_ENGINES"])
                self.stopping.wait(self.dice.uniform(0, 4))
                self.engines_sh("start", self.engine, os.environ["BASHCELL_TEST_ENGINES"])
                self.times += 1
            except (Failure, subprocess.TimeoutExpired) as failure:
                self.failures.append(str(failure))
                self.stopping.set()
            self.disturbances.end()


def check_workspace(ledger, workspace):
    """What was acknowledged is there: once, and whole. Returns names of files that nobody asked for."""
    with open(os.path.join(workspace, "counter")) as file:
        counter = int(file.read())
    check(ledger.counted <= counter <= ledger.counted + ledger.unsure,
          f"the counter is {counter}, counted were {ledger.counted} and perhaps {ledger.unsure} more")
    with open(os.path.join(workspace, "lines")) as file:
        lines = collections.Counter(file.read().splitlines())
    twice = [line[:60] for line, count in lines.items() if count > 1]
    lost = [line[:60] for line in ledger.lines if line not in lines]
    alien = [line[:60] for line in lines if line not in ledger.lines and line not in ledger.unsure_lines]
    check(not (twice or lost or alien), f"lines lost {lost[:5]}, twice {twice[:5]}, mixed {alien[:5]}")
    return sorted(set(os.listdir(workspace)) - {"counter", "lines"})


def table(agents):
    """One line for each action."""
    of = collections.defaultdict(list)
    for agent in agents:
        for action, result, seconds in agent.records:
            of[f"{agent.bench.name} {action}"].append((result, seconds))
    print(f"\n{'action':32}{'times':>7}{'as expected':>13}{'disturbed':>11}{'FAILED':>8}{'median s':>10}{'longest s':>11}")
    for action, records in sorted(of.items()):
        count = collections.Counter(result for result, _ in records)
        seconds = [second for _, second in records]
        print(f"{action:32}{len(records):7}{count['as expected']:13}{count['disturbed']:11}{count['FAILED']:8}"
              f"{statistics.median(seconds):10.2f}{max(seconds):11.2f}")


class Soak:
    def __init__(self, options, context):
        self.options, self.context = options, context
        self.benches = [Bench(options.bashcell, name, make_probe(name, None, engine_host(name))) for name in options.engines]
        self.ledger = Ledger()
        self.agents, self.killers, self.failures = [], [], []
        self.owners = set()
        for bench in self.benches:
            bench.resting_descriptors()
        context.bench = self.benches[0]
        self.workspace = context.make_workspace("workspace")
        for name in ("counter", "lines"):
            path = os.path.join(self.workspace, name)
            with open(path, "w") as file:
                file.write("0\n" if name == "counter" else "")
            os.chown(path, 1000, 1000)

    def start(self):
        dice = random.Random(self.options.seed)
        for bench in self.benches:
            disturbances = Disturbances()
            contexts = Context(bench, None)
            for number in range(SERVERS):
                self.agents.append(Agent(bench, contexts, self.workspace, self.ledger, disturbances, f"{bench.name}.{number}",
                                         dice.random(), number == 0, ("--install", "off", *OPTIONS[number])))
            if bench.engine == "docker":
                self.killers.append(DaemonKiller(bench.name, disturbances, dice.random()))
        for thread in (*self.agents, *self.killers):
            thread.start()

    def watch(self):
        """Until the time is over, with a line a minute."""
        begin = time.monotonic()
        end = begin + 60 * self.options.minutes
        while (left := end - time.monotonic()) > 0:
            time.sleep(min(left, 60))
            calls = sum(len(agent.records) for agent in self.agents)
            failed = sum(len(agent.failures) for agent in self.agents)
            print(f"{time.monotonic() - begin:5.0f} s: {calls} actions, {sum(len(agent.owners) for agent in self.agents)} servers, "
                  f"{sum(killer.times for killer in self.killers)} daemons killed, {failed} failures", flush=True)

    def stop(self):
        for thread in (*self.killers, *self.agents):
            thread.stopping.set()
        for thread in (*self.killers, *self.agents):
            thread.join(240)
            if thread.is_alive():
                self.failures.append(f"{thread.name} does not end")
        for number, agent in enumerate(self.agents):
            try:
                end_of(agent, ENDS[number % len(ENDS)])
            except Exception as failure:  # noqa: BLE001
                self.failures.append(f"{agent.name} ends badly: {failure}")

    def crowd(self):
        """Many cells that end at the same moment do not hold up the next one."""
        for bench in self.benches:
            with Context(bench, None) as t:
                servers = [t.start("--install", "off", workspace=self.workspace) for _ in range(CROWD[bench.engine])]
                for server, call in [(server, server.start_call("echo up")) for server in servers]:
                    server.finish_call(call).ok("up")
                for server in servers:
                    server.kill(signal.SIGKILL)
                for server in servers:
                    server.wait_exit()
                self.owners |= {server.owner for server in servers}
                t.servers = []
                next_one = t.start("--install", "off", workspace=self.workspace)
                next_one.shares_workspace = True
                reply = next_one.call("echo next").ok("next")
                print(f"{bench.name}: {len(servers)} cells ended at once; the next one's first reply came after {reply.wall:.2f} s")
                for server in servers:
                    server.wait_until(lambda: not server.cells(), 30, "a cell outlives its server")
                t.finish()
                self.owners.add(next_one.owner)

    def sweep(self):
        """The servers that come next remove what those that were killed at a bad moment have left."""
        for bench in self.benches:
            with Context(bench, None) as t:
                t.start("--install", "off").call("echo swept").ok("swept")
                t.finish()

    def judge(self, before):
        owners = self.owners | {owner for agent in self.agents for owner in agent.owners}
        deadline = time.monotonic() + 60  # runtimes that clean up
        while time.monotonic() < deadline and any(key not in before.processes for key in processes()):
            time.sleep(0.5)
        leaks = Leaks()
        leaks.look(before, owners, self.benches, check_workspace(self.ledger, self.workspace))
        for agent in self.agents:
            if agent.steady:
                leaks.look_at_life(agent, agent.bench.resting_descriptors())
        for agent in (*self.agents, *self.killers):
            self.failures += agent.failures
        table(self.agents)
        print(f"\n{'left at the end':56}{'found':>8}{'allowed':>9}")
        for what, count, allowed in leaks.rows:
            print(f"{what:56}{count:8}{allowed:9}{'   LEAK' if count > allowed else ''}")
        for problem in (*self.failures, *leaks.bad):
            print(f"FAILED: {problem}")
        actions = sum(len(agent.records) for agent in self.agents)
        print(f"\nsoak: {self.options.minutes:g} minutes, seed {self.options.seed}, {' and '.join(self.options.engines)}: "
              f"{len(owners)} servers, {actions} actions, {len(self.failures)} failures, {len(leaks.bad)} leaks")
        return 1 if self.failures or leaks.bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bashcell", required=True)
    parser.add_argument("--engines", default="oci", type=lambda text: text.split(","))
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    for name in options.engines:
        if name not in ENGINES:
            parser.error(f"no engine {name}: {', '.join(ENGINES)}")
        if reason := missing_engine(name, None):
            parser.error(reason)
    print(f"seed {options.seed}", flush=True)
    before = Before()
    with Context(None, None) as context:
        context.bench = argparse.Namespace(remote=None)
        soak = Soak(options, context)
        soak.start()
        soak.watch()
        soak.stop()
        try:
            soak.crowd()
            soak.sweep()
        except Failure as failure:
            soak.failures.append(str(failure))
        return soak.judge(before)


if __name__ == "__main__":
    sys.exit(main())
