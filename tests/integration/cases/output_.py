"""OUTPUT: size. See also output_escapes.py for what the bytes are."""

import random
import threading

from checks import check, has, lacks, same
from processes import cgroup_file, resident_kib
from registry import case
from reply import cost

CAP = 7500
MIB = 1024  # in KiB


class Watch:
    """Samples, while a block runs, the server's resident memory and the cell's anonymous memory."""

    def __init__(self, t):
        self.t, self.stop = t, threading.Event()
        self.init, self.resident, self.anonymous = t.init().pid, 0, 0
        self.thread = threading.Thread(target=self.sample, daemon=True)

    def cell_anonymous(self):
        fields = dict(line.split()[:2] for line in cgroup_file(self.init, "memory", "memory.stat").splitlines())
        return int(fields.get("total_rss", fields.get("anon", -1)))

    def sample(self):
        while not self.stop.wait(0.05):
            self.resident = max(self.resident, resident_kib(self.t.pid))
            self.anonymous = max(self.anonymous, self.cell_anonymous())

    def __enter__(self):
        self.idle = resident_kib(self.t.pid)
        check(self.cell_anonymous() >= 0, "the cell's memory.stat cannot be read: nothing would be measured")
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def bounded(self):
        check(self.resident > 0 and self.anonymous > 0, "nothing was sampled")
        check(self.resident - self.idle < 64 * MIB, f"the server grew by {self.resident - self.idle} KiB")
        check(self.anonymous < 100 << 20, f"the cell's anonymous memory rose to {self.anonymous} bytes")


def fits(reply, cap=CAP):
    check(cost(reply.raw) <= cap, f"a reply of {cost(reply.raw)} units, cap {cap}")
    return reply


def adds_up(reply, total):
    """The notice names this many lines, and what it says is left out is what is missing."""
    left_out = reply.lines_left_out()
    check(left_out, f"no notice of lines left out: {reply.status!r}")
    same(left_out[1], total, "total lines in the notice")
    shown = [line for line in reply.lines if line and not line.startswith(("…", "..."))]
    missing = total - left_out[0]
    check(abs(len(shown) - missing) <= 3, f"{len(shown)} lines shown, the notice leaves {missing}")


@case("C50")
def endless(t):
    t.call("true").ok("")
    with Watch(t) as watch:
        fits(t.call("yes", timeout=5)).timeout(5, within=10)
        fits(t.call("cat /dev/urandom", timeout=5)).timeout(5, within=10)
        reply = fits(t.call("seq 1 5000000", timeout=120)).ok()
    watch.bounded()
    same((reply.lines[0], reply.lines[-1]), ("1", "5000000"), "first and last line")
    same(reply.lines_left_out()[1], 5_000_000, "lines named")
    t.call("echo alive").ok("alive", within=3)


@case("C50.a")
def endless_on_four_calls_at_once(t):
    t.call("true").ok("")
    with Watch(t) as watch:
        commands = ("yes $(head -c 5000 /dev/zero | tr '\\0' w)", "while :; do echo line; done",
                    "python3 -c \"while True: print('x' * 100)\"", "yes | cat -n >&2")
        calls = [t.start_call(command, timeout=4) for command in commands]
        for call in calls:
            fits(t.finish_call(call)).timeout(4, within=12)
    watch.bounded()
    t.call("echo alive").ok("alive", within=3)


@case("C50.b")
def endless_without_a_newline(t):
    t.call("true").ok("")
    with Watch(t) as watch:
        fits(t.call("cat /dev/zero", timeout=4)).timeout(4, within=9)
        fits(t.call("tr '\\0' x < /dev/zero", timeout=4)).timeout(4, within=9)
        fits(t.call("while :; do printf '\\033[31m\\r\\b'; done", timeout=4)).timeout(4, within=9)
    watch.bounded()
    t.call("echo alive").ok("alive", within=3)


@case("C51")
def one_enormous_line(t):
    reply = fits(t.call("head -c 10000000 /dev/zero | tr '\\0' A; echo; echo END")).ok(has_=("AAAA", "END", "left out"))
    same(reply.lines[-1], "END", "last line")
    fits(t.call("python3 -c \"print('B'*3000000)\"; exit 3")).ok(exit=3, has_=("BBBB",))


@case("C51.a")
def an_enormous_line_of_wide_characters(t):
    reply = fits(t.call("python3 -c \"print('é😀中' * 300000)\"; echo END")).ok(has_=("é😀中", "END", "left out"))
    lacks(reply.raw, "\ufffd")


@case("C51.b")
def long_lines_amid_short_ones(t):
    reply = fits(t.call("echo first; head -c 200000 /dev/zero | tr '\\0' '\"'; echo; echo middle; "
                        "python3 -c \"print('[' + '1,' * 100000 + '2]')\"; echo last; exit 5")).ok(exit=5)
    same((reply.lines[0], reply.lines[-1]), ("first", "last"), "first and last line")
    has(reply.status, "left out")


@case("C52")
def truncation_shows_the_end_and_itself(t):
    reply = fits(t.call("seq 1 200000; echo FINAL_ERROR >&2; exit 4")).ok(exit=4, has_=("200000\nFINAL_ERROR",))
    same(reply.lines[0], "1", "first line")
    adds_up(reply, 200_001)
    same(t.call("seq 1 100").ok("\n".join(map(str, range(1, 101)))).status, "", "notice of short output")
    for size in (CAP - 1, CAP, CAP + 1):
        reply = fits(t.call(f"head -c {size} /dev/zero | tr '\\0' x")).ok()
        same("left out" in reply.status, size > CAP, f"a notice for {size} characters")
        if size <= CAP:
            same(len(reply.text), size, "characters")


@case("C52.a", "--max-chars", "2000")
def a_smaller_budget(t):
    reply = fits(t.call("for i in $(seq 1 3000); do echo \"row $i\"; done; exit 1"), 2000).ok(exit=1, has_=("row 3000",))
    same(reply.lines[0], "row 1", "first line")
    adds_up(reply, 3000)
    for size in (1999, 2000, 2001):
        reply = fits(t.call(f"head -c {size} /dev/zero | tr '\\0' x"), 2000).ok()
        same("left out" in reply.status, size > 2000, f"a notice for {size} characters")


@case("C52.b")
def the_whole_is_in_the_file_the_notice_names(t):
    reply = fits(t.call("for i in $(seq 1 5000); do echo \"\\\"$i\\\" é\"; done")).ok(has_=("\"1\" é\n", "\"5000\" é"))
    adds_up(reply, 5000)
    path = reply.status.rpartition("all of it: ")[2]
    check(path.startswith("/tmp/.cell/out/"), f"no file named: {reply.status!r}")
    t.call(f"wc -l < {path}; sed -n '2500p' {path}").ok("5000\n\"2500\" é")


@case("C59")
def short_lived_output(t):
    for i in range(300):
        reply = t.call(f"echo o{i}; echo e{i} >&2")
        reply.ok(f"o{i}\ne{i}")
    t.call("bash -c 'echo last >&2; exit 1'").ok("last", exit=1)


@case("C59.a")
def the_last_words_of_many_programs(t):
    chance = random.Random(59)
    programs = ("python3 -Sc 'import os; os.write({fd}, b\"w{n}\\n\"); os._exit({code})'",
                "perl -e 'syswrite(({fd}==1?STDOUT:STDERR), \"w{n}\\n\"); exit {code}'",
                "sh -c 'echo w{n} >&{fd}; exit {code}'", "(echo w{n} >&{fd}; exit {code})")
    for n in range(60):
        code = chance.randrange(0, 4)
        script = chance.choice(programs).format(fd=chance.choice((1, 2)), n=n, code=code)
        t.call(script).ok(f"w{n}", exit=code)


@case("C59.b")
def written_just_before_death(t):
    for n in range(20):
        t.call(f"echo w{n}; kill -9 $$").ok(f"w{n}", exit=137)
        t.call(f"printf v{n}; exec false").ok(f"v{n}", exit=1)
        t.call(f"seq 1 900 | tail -n 400 | tr '\\n' ' '; exit {n}").ok(
            " ".join(str(i) for i in range(501, 901)) + " ", exit=n)
