"""SHARE: several servers on one workspace."""

import os
import threading
import time

from checks import check, has, lacks, same
from registry import FOLDER, case
from processes import descriptors

LOCK = ("--workspace-lock",)
INCREMENT = "v=$(cat /workspace/n); sleep 0.02; echo $((v+1)) > /workspace/n"


def pair(t):
    """Two servers on one workspace, with the case's options."""
    first = t.server
    return first, t.start(workspace=first.workspace)


def side_by_side(*jobs):
    """Runs them at the same time; raises what the first of them raised."""
    failures = []

    def guarded(job):
        try:
            job()
        except BaseException as failure:  # noqa: BLE001: raised again below
            failures.append(failure)
    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def times(count, server, script, **expected):
    def job():
        for _ in range(count):
            server.call(script).ok(**expected)
    return job


def locks_held(servers):
    """The names of the lock files that these servers hold."""
    return [target for server in servers for target in descriptors(server.pid).values() if "/locks/" in target]


@case("C94", *LOCK, needs=FOLDER)
def lost_updates(t):
    a, b = pair(t)
    a.call("echo 0 > /workspace/n").ok("")
    side_by_side(times(50, a, INCREMENT), times(50, b, INCREMENT))
    a.call("cat /workspace/n").ok("100")
    same(locks_held((a, b)), [], "locks held between calls")


@case("C94.a", *LOCK, needs=FOLDER)
def lost_updates_of_calls_side_by_side(t):
    """Calls of one server exclude each other, too."""
    a, b = pair(t)
    a.call("echo 0 > n").ok("")
    calls = [(server, server.start_call("v=$(cat n); sleep 0.02; echo $((v+1)) > n")) for _ in range(10) for server in (a, b)]
    for server, call in calls:
        server.finish_call(call).ok("")
    b.call("cat n").ok("20")


@case("C94.b")
def lost_updates_with_a_lock_in_the_cell(t):
    """Without the option: scripts lock what they need."""
    a, b = pair(t)
    a.call("echo 0 > n").ok("")
    script = "for i in 1 2 3 4 5 6 7 8 9 10; do cell lock n --wait 60 -- sh -c 'v=$(cat n); sleep 0.01; echo $((v+1)) > n'; done"
    side_by_side(times(4, a, script), times(4, b, script))
    a.call("cat n").ok("80")


@case("C94.c")
def lost_updates_with_a_lock_that_replaces(t):
    """The locked file is replaced while it is locked; who waits for it must not get the old one."""
    a, b = pair(t)
    a.call("echo 0 > n").ok("")
    replaces = "for i in 1 2 3 4 5; do cell lock n --wait 60 -- sh -c 'v=$(cat n); echo $((v+1)) | cell write n'; done"
    writes = "for i in 1 2 3 4 5; do cell lock n --wait 60 -- sh -c 'v=$(cat n); echo $((v+1)) > n'; done"
    side_by_side(times(4, a, replaces), times(4, b, writes))
    a.call("cat n").ok("40")
    side_by_side(*(times(5, server, "for i in 1 2 3 4; do echo line | cell append log --wait 60; done") for server in (a, b)))
    a.call("sort log | uniq -c | tr -s ' '; ls -A | grep -c cell-write").ok(" 40 line\n0", exit=1)


@case("C95", *LOCK, needs=FOLDER)
def a_job_in_the_background_holds_no_lock(t):
    a, b = pair(t)
    reply = a.call("ls -l /proc/self/fd | sed 's/.* -> //'; sleep 300 & echo bg").ok()
    for target in reply.lines[1:-1]:
        check(target.startswith(("pipe:", "/dev/null", "/proc/", "/memfd:alarm ")), f"a descriptor on {target} in the cell")
    b.call("echo other").ok("other", within=3)
    for process in t.probe.runtime_processes(t.probe.container(a.owner)):
        lacks(str(descriptors(process.pid)), "/locks/")
    a.wait_for("sleep 300")


@case("C95.a", *LOCK, needs=FOLDER)
def a_server_that_is_killed_holds_no_lock(t):
    a, b = pair(t)
    a.start_call("echo up > /workspace/up; setsid sleep 300")
    a.owed.clear()
    a.wait_for("sleep 300")
    waiting = b.start_call("cat /workspace/up")
    a.kill()
    a.wait_exit()
    b.finish_call(waiting).ok("up", within=5)


@case("C95.b")
def a_job_under_a_lock_of_the_cell(t):
    """What the command leaves behind does not hold it, and a holder that is killed takes its command along."""
    t.call("cell lock f -- sh -c 'setsid sleep 300 >/dev/null 2>&1 & echo left'; cell lock f --wait 0 -- echo free").ok("left\nfree")
    t.call("cell lock f -- sleep 301 & until cell lock f --wait 0 -- true 2>/dev/null; [ $? = 75 ]; do :; done; kill -9 $!; wait $! 2>/dev/null; "
           "cell lock f --wait 5 -- echo free; pgrep -xc -f 'sleep 301'").ok(exit=1, has_=("free\n0",))


@case("C97", *LOCK, needs=FOLDER)
def waiting_is_no_running_time(t):
    a, b = pair(t)
    long = a.start_call("sleep 25")
    a.wait_for("sleep 25")
    b_call = b.start_call("echo hi", timeout=5)
    check(b.ping() < 0.5 * b.slowness, "ping waited")
    cancelled = b.start_call("echo never > /workspace/never")
    b.cancel(cancelled)
    reply = b.finish_call(b_call)
    reply.refused("workspace busy", f"pid {a.pid}", "nothing was run", within=12)
    lacks(reply.raw, "timed out")
    a.cancel(long)
    b.call("echo hi; ls /workspace", timeout=5).ok("hi")


@case("C97.a", *LOCK, needs=FOLDER)
def waiting_ends_with_the_call_before(t):
    """The time of a call begins when it has the workspace."""
    a, b = pair(t)
    long = a.start_call("sleep 3")
    a.wait_for("sleep 3")
    b.call("sleep 1.5; echo hi", timeout=2).ok("hi")
    a.finish_call(long).ok("")


@case("C97.b")
def waiting_in_the_cell_has_an_end(t):
    t.call("echo 1 > n; cell lock n -- sleep 30 & sleep 0; until ! cell lock n --wait 0 -- true 2>/dev/null; do :; done").ok()
    reply = t.call("cell lock n --wait 0.2 -- touch ran; echo $?; echo 2 | cell write n --wait 0.2; echo $?; cat n; ls").ok()
    same(reply.text, "cell: n is locked by somebody else, for 0.2 s by now; the command was not run\n75\n"
         "cell: n is locked by somebody else, for 0.2 s by now; it is unchanged\n75\n1\nn", "text")


@case("C98", *LOCK, needs=FOLDER)
def no_lock_no_call(t):
    t.call("echo x").ok("x")
    info = os.stat(t.workspace)
    lock = f"/run/bashcell/locks/{info.st_dev}-{info.st_ino}"
    for make in (os.mkdir, lambda path: os.symlink("/etc/passwd", path), os.mkfifo):
        os.unlink(lock)
        make(lock)
        try:
            t.call("touch /workspace/ran; echo x").refused(lock, "nothing was run", within=10)
        finally:
            os.rmdir(lock) if os.path.isdir(lock) and not os.path.islink(lock) else os.unlink(lock)
        check(not os.path.exists(os.path.join(t.workspace, "ran")), "it was run")
        t.call("echo again").ok("again")


@case("C98.a", *LOCK, needs=FOLDER)
def a_workspace_that_is_swapped(t):
    """Another folder at its path is another workspace, with a lock of its own; the cell keeps what it has mounted."""
    t.call("echo old > /workspace/mark").ok("")
    os.rename(t.workspace, t.workspace + "-old")
    os.mkdir(t.workspace)
    reply = t.call("cat /workspace/mark").ok("old")
    lacks(reply.raw, "busy")
    os.rmdir(t.workspace)
    os.rename(t.workspace + "-old", t.workspace)


@case("C98.b")
def no_lock_no_command_in_the_cell(t):
    t.call("touch target; ln -s target link; mkfifo fifo; mkdir dir; touch closed; chmod 0 closed").ok("")
    for name, why in (("link", "symbolic link"), ("fifo", "no regular file"), ("dir", "is a directory"), ("closed", "Permission denied"),
                      ("none/x", "No such file or directory"), ("dir/", "is a directory"), ("/proc/version", "cannot lock")):
        reply = t.call(f"cell lock {name} -- touch ran; echo $?; echo x | cell write {name}; echo $?; ls ran").ok(exit=2)
        has(reply.text, why, "the command was not run\n1\n", "\n1\nls:")
    same(t.call("cell lock; echo $?; cell lock f; echo $?; cell write; echo $?").ok().text.count("\n2"), 3, "wrong uses")
    t.call("cell lock target -- sh -c 'echo fine; exit 7'").ok("fine", exit=7)


@case("C100", *LOCK, needs=FOLDER)
def a_reader_sees_whole_files(t):
    a, b = pair(t)
    a.call("seq 1 200000 > /workspace/data").ok("")
    side_by_side(times(30, a, "seq 1 200000 > /workspace/data"), times(60, b, "wc -l < /workspace/data", text="200000"))


@case("C100.a")
def a_reader_without_a_lock_sees_whole_files(t):
    """With cell write: the old or the new, never a part, in thousands of reads."""
    a, b = pair(t)
    a.call("seq 1 20000 | cell write data").ok("")
    writer = a.start_call("until [ -e stop ]; do seq 1 20000 | cell write data; seq 20001 40000 | cell write data; done", timeout=120)
    b.call("for i in {1..2500}; do read -r first < data; echo $first; [ $(wc -l < data) = 20000 ] || echo torn; done | sort -u; touch stop",
           timeout=120).ok("1\n20001")
    a.finish_call(writer).ok("")


@case("C100.b")
def what_is_replaced_keeps_its_rights(t):
    t.call("echo 1 > f; chmod 640 f; ln f other; echo 2 | cell write f; stat -c %a f; cat f other; echo 3 | cell append f; cat f; stat -c %a f")\
        .ok("640\n2\n1\n2\n3\n640")
    t.call("umask 027; echo x | cell write new; stat -c %a new; sort -r f | cell write f; cat f; echo $(ls -A)")\
        .ok("640\n3\n2\nf new other")
    t.call("yes | head -c 3000000 | cell write f & sleep 0; wait; stat -c %s f; head -c 100000000 /dev/zero | timeout 0.001 cell write f; "
           "stat -c %s f; ls -A | grep -c cell-write").ok("3000000\n3000000\n0", exit=1)
    if os.geteuid() == 0 and not t.bench.remote:
        with open(os.path.join(t.workspace, "roots"), "w", encoding="ascii") as file:
            file.write("kept\n")
        os.chmod(os.path.join(t.workspace, "roots"), 0o666)
        reply = t.call("echo mine | cell write roots; echo $?; cat roots").ok()
        has(reply.text, "belongs to 0:0", "\n1\nkept")


@case("C101")
def many_start_at_once(t):
    workspace = t.make_workspace("shared")
    servers = [t.start(workspace=workspace) for _ in range(5)]
    calls = [server.start_call("hostname; echo $$ > /tmp/me; sleep 1; cat /tmp/me") for server in servers]
    replies = [server.finish_call(call).ok() for server, call in zip(servers, calls)]
    same(len({reply.lines[0] for reply in replies}), 5, "host names")
    inits = [server.init().key for server in servers]
    servers[0].close_input()
    servers[0].wait_exit()
    for server, reply, init in list(zip(servers, replies, inits))[1:]:
        server.call("echo up; cat /tmp/me").ok(f"up\n{reply.lines[1]}")
        same(server.init().key, init, "PID 1")


@case("C101.a")
def many_start_at_once_and_some_are_killed(t):
    workspace = t.make_workspace("shared")
    servers = [t.start(workspace=workspace) for _ in range(6)]
    calls = [server.start_call("echo $HOSTNAME > /tmp/me; cat /tmp/me") for server in servers]
    for server in servers[:3]:
        server.owed.clear()
        server.kill()
        server.wait_exit()
    for server, call in list(zip(servers, calls))[3:]:
        name = server.finish_call(call).ok().text
        server.call("cat /tmp/me").ok(name)
    for server in servers[:3]:
        server.wait_until(lambda server=server: not server.cells(), 10, f"cells of a killed server: {server.owner}")


@case("C101.b", *LOCK, needs=FOLDER)
def many_on_one_locked_workspace(t):
    """In whatever order they get it: nobody is forgotten, nobody twice."""
    workspace = t.make_workspace("shared")
    servers = [t.start(workspace=workspace) for _ in range(5)]
    began = time.monotonic()
    calls = [(server, server.start_call("v=$((1 + $(cat n 2>/dev/null || echo 0))); echo $v > n; echo $v")) for _ in range(3) for server in servers]
    numbers = sorted(int(server.finish_call(call).ok().text) for server, call in calls)
    same(numbers, list(range(1, 16)), "numbers")
    check(time.monotonic() - began < 60 * t.bench.slowness, "it took long")
