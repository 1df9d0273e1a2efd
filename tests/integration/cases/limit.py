"""LIMIT: processes, memory, disk, cpu."""

import re

from checks import check, has, lacks, same
from processes import cgroup_file
from registry import case


def pid_limit(t):
    """(limit, current) of the cell's process controller, as the host's kernel has them."""
    init = t.init().pid
    limit = cgroup_file(init, "pids", "pids.max")
    check(limit, "the cell's pids.max cannot be read")
    return int(limit), int(cgroup_file(init, "pids", "pids.current"))


def mentions_process_limit(*replies):
    texts = [reply.status for reply in replies]
    check(any(re.search(r"process(es)?\b.*limit|limit.*process", text) for text in texts),
          f"no status line names the process limit: {texts}")


@case("C64")
def fork_bomb(t):
    first = t.call(":(){ :|:& };:; sleep 30", timeout=5).within(12)
    second = t.call("echo ok; ps -eo pid= | wc -l").within(10)
    has(second.text, "ok")
    check(int(second.lines[-1]) < 15, f"{second.lines[-1]} processes left")
    mentions_process_limit(first, second)
    same(pid_limit(t)[0], 50, "pids.max")


@case("C64.a")
def bombs_that_ignore_signals_and_detach(t):
    first = t.call("trap '' TERM; b() { b | b & }; b; wait; sleep 30", timeout=3).within(10)
    second = t.call("""python3 -c "
import os, signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    try:
        os.fork()
        os.setsid()
    except OSError:
        pass" """, timeout=3).within(10)
    t.call("echo ok").ok("ok", within=10)
    mentions_process_limit(first, second)
    limit, current = pid_limit(t)
    check(limit == 50 and current < 15, f"{current} of {limit} processes left")


@case("C64.b")
def threads_count_and_a_full_background_gives_way(t):
    reply = t.call("""python3 -c "
import threading, time
made = 0
try:
    for n in range(200):
        threading.Thread(target=time.sleep, args=(1,), daemon=True).start()
        made += 1
except RuntimeError as error:
    print(error)
print(made)" """).ok(within=8)
    check(int(reply.lines[-1]) < 50, f"{reply.text} threads under a limit of 50")
    t.call("""python3 -c "
import subprocess
try:
    while True: subprocess.Popen(['sleep', '600'])
except OSError:
    print('full')" """).ok(within=8, has_=("full",))
    # There is room for nothing but builtins, or the jobs had to go, and then that is said.
    reply = t.call("echo room").ok(within=10, has_=("room",))
    later = t.call("ls / | grep -c usr").within(30)
    told = any("background processes" in r.status for r in (reply, later))
    check(told == (len(t.find("sleep 600")) == 0), f"told {told}, left {len(t.find('sleep 600'))} jobs")
    t.call("pkill -9 -x sleep || kill -9 $(jobs -p); echo over").within(30)
    t.call("ls / | grep -c usr").ok("1", within=10)


@case("C66")
def out_of_memory(t):
    t.call("cd /tmp; export K=1; python3 -c \"x=b'x'*700_000_000; print(len(x))\"").ok(exit=137, within=30, has_=("memory",))
    t.call("pwd; echo $K").ok("/tmp\n1")
    reply = t.call("a=$(head -c 600000000 /dev/zero | tr '\\0' x); echo ${#a}", timeout=60).ok(exit=137, has_=("memory",))
    has(reply.status, "512 MB")
    t.call("echo back; pwd; echo $K").ok("back\n/tmp\n1", within=5)
    swap = cgroup_file(t.init().pid, "memory", "memory.memsw.limit_in_bytes") or cgroup_file(
        t.init().pid, "memory", "memory.swap.max")
    check(swap.strip() in ("", "0", str(512 << 20)), f"swap on top of memory: {swap!r}")


@case("C66.a")
def several_hogs_together(t):
    t.call("cd /usr; K=2").ok("")
    init = t.init()
    reply = t.call("for i in 1 2 3 4 5 6 7 8; do perl -e '$x = \"x\" x 100e6; sleep 3' & done; wait; echo waited", timeout=60)
    check(re.search("memory", reply.raw, re.I), f"the limit is not told: {reply.raw!r}")
    check(not reply.is_error, f"one hog ended the call: {reply.raw!r}")
    t.call("pwd; echo $K").ok("/usr\n2", within=5)
    same(t.init().key, init.key, "PID 1")


@case("C66.b")
def files_in_memory_count(t):
    t.call("cd /tmp; K=3; dd if=/dev/zero of=/tmp/fill bs=1M count=200 2>/dev/null; stat -c %s /tmp/fill").ok("209715200")
    t.call("python3 -c \"x = bytearray(400_000_000); print('f' + 'its')\"").ok(exit=137, within=30, has_=("memory",), lacks_=("fits",))
    t.call("stat -c %s /tmp/fill; rm /tmp/fill; pwd; echo $K").ok("209715200\n/tmp\n3")
    t.call("python3 -c \"x = bytearray(300_000_000); print('f' + 'its')\"").ok("fits", within=30)


@case("C67")
def tmp_filled_up(t):
    t.call("true").ok("")
    init = t.init()
    t.call("dd if=/dev/zero of=/tmp/big bs=1M count=2000 2>&1 | tail -1; df -m /tmp | tail -1", timeout=60)
    reply = t.call("dd if=/dev/zero of=/tmp/big2 bs=1M count=2000", timeout=60).within(60)
    has(reply.text, "No space left")
    lacks(reply.raw.lower(), "memory limit")
    same(t.init().key, init.key, "PID 1")
    t.call("echo still").ok("still")
    reply = t.call("cat <<E\nheredoc\nE").within(3)
    check(reply.text == "heredoc" or re.search("no space", reply.text, re.I), f"neither: {reply.raw!r}")
    reply = t.call("rm -f /tmp/big /tmp/big2; df -m /tmp | tail -1; cat <<E\nheredoc2\nE").ok()
    same(reply.lines[-1], "heredoc2", "last line")


@case("C67.a")
def a_spill_that_cannot_be_written(t):
    t.call("cat /dev/zero > /tmp/big", timeout=60).ok(exit=1, has_=("No space left",))
    reply = t.call("seq 1 50000; exit 4").ok(exit=4)
    same((reply.lines[0], reply.lines[-1]), ("1", "50000"), "first and last line")
    has(reply.status, "left out")
    t.call("cd /workspace; export S=kept; f() { echo F; }").ok("")
    t.call("pwd; echo $S; f; rm /tmp/big").ok("/workspace\nkept\nF")


@case("C67.b")
def no_inodes_and_no_shared_memory_left(t):
    t.call("head -c 200M /dev/zero > /dev/shm/big; echo rc=$?").ok(has_=("No space left", "rc=1"))
    t.call("python3 -c \"import tempfile; print(len(tempfile.NamedTemporaryFile().name) > 0)\"").ok("True")
    t.call("rm /dev/shm/big; mkdir -p /tmp/i; cd /tmp/i; python3 -c \"\ntry:\n    for n in range(10**6): open(f'f{n}', 'w')\n"
           "except OSError as e: print(e.strerror)\"", timeout=60).within(66)
    t.call("echo still").ok("still", within=5)
    reply = t.call("cd /tmp; rm -rf /tmp/i; cat <<E\nback\nE", timeout=60).ok()
    # Podman cannot limit the number of files: there the memory limit is reached, and may end what tidies up.
    check(reply.lines[-1] == "back" if t.bench.engine == "podman" else reply.text == "back", f"{reply.raw!r}")


@case("C69")
def busy_loops(t):
    t.call("for i in 1 2 3 4; do while :; do :; done & done; echo spinning").ok(has_=("spinning",))
    check(t.ping(0.5) < 0.5 * t.slowness, "ping was slow")
    t.call("time -p echo x").ok(within=5, has_=("x", "real"))
    t.call("pkill -P $$; kill $(jobs -p) 2>/dev/null; echo stopped").ok(has_=("stopped",))
    # The loops belong to the first call: they are ended by name, so that what follows finds an idle cell.
    t.call("for p in $(pgrep bash); do [ $p = $$ ] || kill -9 $p; done; echo ended").within(5)


@case("C69.a")
def busy_calls_side_by_side(t):
    t.call("true").ok("")
    calls = [t.start_call("while :; do :; done", timeout=4) for _ in range(3)]
    t.wait_until(lambda: len([m for m in t.members() if m.state == "R"]) >= 3, 5, "the loops do not run")
    for _ in range(5):
        check(t.ping(0.5) < 0.5 * t.slowness, "ping was slow")
    t.call("echo x").ok("x", within=5)
    for call in calls:
        t.finish_call(call).timeout(4, within=9)
    t.call("pgrep -c bash").within(3)


@case("C69.b")
def many_threads_of_a_program(t):
    t.remember_jobs()
    t.call("true").ok("")
    busy = t.start_call("gzip -9 < /dev/zero > /dev/null & sort --parallel=4 <(yes | head -c 50M) | tail -1 > /dev/null & "
                        "python3 -c \"\nimport multiprocessing as m\ndef f(n):\n    while True: pass\n"
                        "m.Pool(4).map(f, range(4))\"", timeout=5)
    t.wait_for("multiprocessing")
    check(t.ping(0.5) < 0.5 * t.slowness, "ping was slow")
    same("tools" in t.answer(t.request("tools/list"), 1)["result"], True, "tools/list")
    t.call("echo y").ok("y", within=5)
    t.finish_call(busy).timeout(5, within=11)
