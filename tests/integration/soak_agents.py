"""What the agents of a soak do: one agent drives one server after another, by actions drawn from its own seeded dice.

An action knows what must come back. Only what overlaps a disturbance of the engine (its daemon was killed) may come back as anything,
but it must come back.
"""

import contextlib
import os
import random
import signal
import threading
import time

from checks import Failure, check, has, same
from invariants import check_books, check_gone
from processes import descriptors, resident_kib

KILLED_BY = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM}


class Disturbances:
    """When an engine was away. One of these for each engine; oci has none."""

    def __init__(self):
        self.spans = []  # [from, to or None while it lasts]
        self.lock = threading.Lock()

    def begin(self):
        with self.lock:
            self.spans.append([time.monotonic(), None])

    def end(self):
        """Its consequences (cells that the daemon ends when it is back) are over a little later."""
        with self.lock:
            self.spans[-1][1] = time.monotonic() + 5

    def since(self, instant):
        with self.lock:
            return any(end is None or end >= instant for _, end in self.spans)

    def wait_for_rest(self, seconds):
        deadline = time.monotonic() + seconds
        while self.since(time.monotonic()):
            check(time.monotonic() < deadline, f"the engine was not back within {seconds} s")
            time.sleep(0.1)


class Ledger:
    """What the workspace must hold at the end. Of a call whose reply was lost nobody knows whether it counted."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counted, self.unsure = 0, 0
        self.lines, self.unsure_lines = set(), set()


class Agent(threading.Thread):
    """`steady`: its server is never ended before the soak is, so that it shows what a long life costs."""

    def __init__(self, bench, context, workspace, ledger, disturbances, name, seed, steady, options):
        super().__init__(name=name, daemon=True)
        self.bench, self.context, self.workspace, self.ledger, self.disturbances = bench, context, workspace, ledger, disturbances
        self.dice, self.steady, self.options = random.Random(seed), steady, options
        self.records = []    # (action, result, seconds)
        self.failures = []   # text
        self.samples = []    # (instant, KiB resident, descriptors) of a steady server
        self.owners = []     # of all servers
        self.server, self.serial = None, 0
        self.born, self.unsettled_until = time.monotonic(), 0
        self.stopping = threading.Event()

    # --- life ------------------------------------------------------------------------------------------------------

    def run(self):
        self.renew()
        while not self.stopping.is_set():
            act = self.dice.choices(ACTIONS, WEIGHTS)[0]
            if self.steady and act in FATAL:
                act = die_cell
            self.do(act)
            if self.steady:
                self.sample()

    def renew(self):
        self.server = self.context.start(*self.options, workspace=self.workspace)
        self.server.shares_workspace = True
        self.owners.append(self.server.owner)
        self.count, self.jobs, self.new_cell_due = 0, 0, False

    def do(self, act):
        start = time.monotonic()
        try:
            act(self)
            result = "as expected"
        except Exception as failure:  # noqa: BLE001: whatever it is, the soak goes on and tells
            result = "disturbed" if self.disturbances.since(start) or start < self.unsettled_until else "FAILED"
            self.recover(act, f"{type(failure).__name__ if not isinstance(failure, Failure) else ''} {failure}", result == "FAILED")
        self.records.append((act.__name__.replace("_", " "), result, time.monotonic() - start))

    def recover(self, act, text, failed):
        """After a failure or a disturbance the agent begins anew: all that is owed comes, and an echo works."""
        if failed:
            before = ", ".join(action for action, _, _ in self.records[-8:])
            self.note_failure(f"{act.__name__}: {text.strip()[:900]} (before: {before})")
        try:
            self.disturbances.wait_for_rest(120)
            self.count, self.new_cell_due = None, False
            if self.server.process.poll() is not None:
                self.server.wait_exit()
                self.renew()
                return
            if not failed:  # what the disturbance ended may have been answered before it was cancelled
                for book in self.server.owed.values():
                    book[1] = 1
            self.all_owed_comes(90)
            for _ in range(5):  # one that was begun too early may still fail
                self.disturbances.wait_for_rest(120)
                reply = self.server.call("N=0; echo again")
                if reply.text == "again":
                    self.count, self.jobs = 0, 0
                    return
            raise Failure(f"no call works any more: {reply.raw[:500]}")
        except Exception as failure:  # noqa: BLE001
            self.note_failure(f"does not recover: {failure}"[:1200])
            with contextlib.suppress(Exception):  # the engine may be away
                self.server.destroy()
            self.renew()

    def note_failure(self, text):
        self.failures.append(f"{time.monotonic() - self.born:.0f} s {self.name} {self.server.owner} {text}")

    def all_owed_comes(self, seconds):
        server = self.server
        deadline = time.monotonic() + seconds * server.slowness
        server.output.wait(lambda: all(server.output.count(key) >= book[0] for key, book in server.owed.items()), deadline)
        check_books(server)

    def container(self):
        """The name of the cell in use, once the engine has removed those before it."""
        probe, owner = self.server.probe, self.server.owner
        self.server.wait_until(lambda: len(probe.containers(owner)) == 1, 20, lambda: f"not one cell: {probe.containers(owner)}")
        return probe.container(owner)

    def sample(self):
        self.samples.append((time.monotonic(), resident_kib(self.server.pid), len(descriptors(self.server.pid))))

    # --- calls -----------------------------------------------------------------------------------------------------

    def serial_number(self):
        self.serial += 1
        return self.serial

    def reply(self, script, timeout=None):
        """One call; keeps in mind whether its cell is a new one."""
        reply = self.server.call(script, timeout)
        if "new cell" in reply.status:
            check(self.new_cell_due or "session" in reply.status or self.disturbances.since(time.monotonic() - 30)
                  or self.unsettled_until > time.monotonic() - 30,
                  f"a new cell, and nobody ended the last one: {reply.status}")
            self.count, self.jobs = 0, 0
        elif self.new_cell_due:
            check(reply.is_error, f"the cell was ended, and the reply does not tell: {reply.raw[:300]}")
        self.new_cell_due = self.new_cell_due and reply.is_error
        return reply

    def start_sleeper(self):
        """A call that never ends by itself, at the moment at which it runs: (id, what its command line says)."""
        word = f"sleep {100000 + self.dice.randrange(10**8)}"
        identifier = self.server.start_call(f"trap '' TERM; {word}", timeout=300)
        self.server.wait_for(word, 30)
        return identifier, word


# --- actions: calls --------------------------------------------------------------------------------------------------

def echo(a):
    word = f"word-{a.serial_number()}"
    a.reply(f"echo {word}").ok(word)


def count_in_state(a):
    reply = a.reply("N=$((N+1)); echo $N")
    a.count += 1  # after reply(): it may be a new cell's first
    reply.ok(str(a.count))


def flood(a):
    reply = a.reply(f"seq 1 {a.dice.choice((20000, 200000, 1000000))}").ok()
    check(reply.lines_left_out() and len(reply.raw) <= 7500, f"a flood came as {len(reply.raw)} characters: {reply.status}")


def leave_a_job(a):
    if a.jobs >= 5:
        a.reply("pkill -x sleep; while pgrep -x sleep >/dev/null; do :; done; echo none").ok("none")
        a.jobs = 0
        return
    reply = a.reply("sleep 3000 & echo up")
    a.jobs += 1
    reply.ok("up")


def count_under_lock(a):
    with a.ledger.lock:
        a.ledger.unsure += 1
    reply = a.reply("cell lock counter --wait 25 -- sh -c 'v=$(cat counter); echo $((v + 1)) > counter'").ok("")
    with a.ledger.lock:
        a.ledger.unsure -= 1
        a.ledger.counted += reply.exit == 0


def append_a_line(a):
    line = f"{a.server.owner}:{a.serial_number()}:{'x' * a.dice.randrange(2000)}"
    with a.ledger.lock:
        a.ledger.unsure_lines.add(line)
    a.reply(f"printf '%s\\n' '{line}' | cell append lines").ok("")
    with a.ledger.lock:
        a.ledger.unsure_lines.discard(line)
        a.ledger.lines.add(line)


def use_the_shelf(a):
    name = f"soak-{a.name}-{a.serial_number()}".replace(".", "-")
    a.reply(f"echo from-{name}").ok(f"from-{name}")
    has(a.reply(f"cell save {name}").ok().text, "saved")
    a.reply(name).ok(f"from-{name}")
    a.reply(f"cell rm {name}").ok()


def burst(a):
    calls = [(n, a.server.start_call(f"sleep 0.{a.dice.randrange(30):02}; echo {n}")) for n in range(6)]
    a.server.ping(10)
    for number, call in calls:
        a.server.finish_call(call).ok(str(number))


def rude_line(a):
    lines = (b'{"jsonrpc":"2.0","id":1,"method":', b"\xff\xfe garbage", b"[" * 5000, b'{"jsonrpc":"1.0","id":7,"method":"ping"}')
    before = len(a.server.output.null_errors)
    a.server.send_bytes(a.dice.choice(lines[:3]) + b"\n")
    a.server.wait_until(lambda: len(a.server.output.null_errors) > before, 10, "no error for a line that is no JSON")
    a.server.output.null_errors.clear()
    a.server.ping(10)


def cancel_a_call(a):
    identifier, word = a.start_sleeper()
    a.server.cancel(identifier)
    a.server.wait_until(lambda: not a.server.find(word), 10, lambda: f"alive after its cancel: {a.server.find(word)}")
    echo(a)


def cancel_at_once(a):
    identifier = a.server.start_call("sleep 299", timeout=300)
    time.sleep(a.dice.choice((0, a.dice.uniform(0, 0.1))))  # the instant is the point
    a.server.cancel(identifier)
    echo(a)


def time_out(a):
    reply = a.reply("trap '' TERM; sleep 299 & sleep 298", timeout=1)
    if "session's" not in reply.status:
        reply.timeout(1, within=10)


def eat_memory(a):
    reply = a.reply("head -c 900000000 /dev/zero | tail -c 800000000 | wc -c", timeout=60)
    check(reply.exit != 0 or "stages" in reply.status or reply.text == "0", f"800 MB fitted into 512: {reply.raw[:300]}")
    if "lost" in reply.raw:
        a.new_cell_due = True


def eat_processes(a):
    a.reply("for i in $(seq 200); do sleep 297 & done 2>/dev/null; echo tried", timeout=5)
    a.reply("pkill -x sleep; echo over").ok("over")
    a.jobs = 0


# --- actions: kills --------------------------------------------------------------------------------------------------

def die_cell(a):
    """PID 1 of the cell is killed from outside, at rest or in a call; sometimes the whole cell behind the engine's back."""
    echo(a)
    in_a_call = a.dice.random() < 0.5
    identifier = a.start_sleeper()[0] if in_a_call else None
    container = a.container()
    if a.dice.random() < 0.3:
        a.server.probe.remove(container)
    else:
        os.kill(a.server.init().pid, signal.SIGKILL)
    a.new_cell_due = True
    if in_a_call:
        reply = a.server.finish_call(identifier)
        check(reply.is_error and "lost" in reply.raw, f"the cell was killed in a call: {reply.raw[:300]}")
    else:
        a.server.wait_until(lambda: not a.server.cells(), 20, lambda: f"a killed cell lives on: {a.server.cells()}")
    # As long as runc cleans up it holds the stream of the dead cell open, and what is sent into that is lost.
    if a.bench.engine == "oci":
        a.server.wait_until(lambda: not a.server.probe.runtime_processes(container), 20, "the runtime outlives its cell")
    echo(a)
    check(not a.new_cell_due, "the next call did not tell that its cell is a new one")


def die_runtime(a):
    """What the engine has for this cell on the host: `runc run`, which the cell outlives, or Docker's shim, which it may not."""
    echo(a)
    for process in a.server.probe.runtime_processes(a.container()):
        os.kill(process.pid, signal.SIGKILL)
    if a.bench.engine == "oci":
        return echo(a)
    a.unsettled_until = time.monotonic() + 10  # the daemon ends the cell when it finds out
    return echo(a)


def end_server(a):
    """In any way, at any moment; another one follows."""
    server, how = a.server, a.dice.choice(("EOF", "SIGTERM", "SIGKILL"))
    moment = a.dice.choice(("at rest", "in a call", "while it starts"))
    if moment == "in a call":
        a.start_sleeper()
    elif moment == "while it starts":
        server.start_call("sleep 296")
        time.sleep(a.dice.uniform(0, 0.4))  # the instant is the point
    for book in server.owed.values():
        book[0] = 0  # what runs now may be answered or not
    if how == "EOF":
        server.close_input()
    else:
        server.kill(KILLED_BY[how])
    server.wait_exit(15)
    if how == "EOF" and moment == "at rest":
        same(server.returncode, 0, "exit code at the end of input")
    server.wait_until(lambda: not server.cells(), 20, lambda: f"killed by {how} {moment}, and its cell lives: {server.cells()}")
    check_books(server)
    a.renew()


FATAL = (end_server,)
ACTIONS, WEIGHTS = zip(*{
    echo: 10, count_in_state: 10, flood: 5, leave_a_job: 5, count_under_lock: 10, append_a_line: 10, use_the_shelf: 4, burst: 6,
    rude_line: 4, cancel_a_call: 5, cancel_at_once: 5, time_out: 3, eat_memory: 2, eat_processes: 1, die_cell: 3, die_runtime: 2,
    end_server: 5}.items())


def end_of(agent, how):
    """The last server of an agent."""
    server = agent.server
    agent.all_owed_comes(60)
    if how == "EOF":
        server.close_input()
    else:
        server.kill(KILLED_BY[how])
    server.wait_exit(15)
    if how == "SIGKILL" or agent.bench.engine != "oci":  # what the engine still knows is the next server's, or a daemon's, to remove
        server.wait_until(lambda: not server.cells(), 30, lambda: f"the cell outlives its server: {server.cells()}")
    else:
        check_gone(server, 30)
    check_books(server)

