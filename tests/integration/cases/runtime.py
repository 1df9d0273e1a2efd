"""RUNTIME: the cell or its runtime is removed, killed, stopped, missing; set-up that fails never runs on the host.

runtime_kill.py has the server's own sudden death.
"""

import os
import re
import shutil
import signal
import time

from checks import check, has, lacks, same
from processes import all_processes
from registry import OCI, case
from rootfs import add_program, make_rootfs


def told_new(reply, text):
    """Run in a fresh cell, and said so."""
    reply.ok(text, within=15)
    has(reply.status, "new cell")


def lost(reply, within):
    check(reply.is_error and "lost" in reply.raw, f"expected a lost cell: {reply.raw!r}")
    reply.within(within)


def kill_pid_1(t):
    init = t.init()
    os.kill(init.pid, signal.SIGKILL)
    t.wait_until(lambda: init.key not in {m.key for m in t.members()}, 5, "PID 1 outlives SIGKILL")


def fresh(t, script, text, told=True):
    """The cell has just died. The server may learn it while it hands over the next call: then that one is lost, and said so,
    and the one after it runs in a fresh cell."""
    reply = t.call(script)
    if reply.is_error:
        lost(reply, 15)
        reply = t.call(script)
    if told:
        told_new(reply, text)
    else:
        reply.ok(text, within=15)


@case("C85")
def removed_from_outside(t):
    t.call("cd /tmp; export K=1; echo one").ok("one")
    t.probe.remove(t.probe.container(t.owner))
    told_new(t.call("echo two; pwd; echo ${K:-lost}"), "two\n/workspace\nlost")
    same(t.call("echo three").ok("three").status, "", "told twice")


@case("C85.a")
def removed_during_a_call(t):
    t.call("true").ok("")
    running = t.start_call("echo x >> /workspace/count; sleep 30; echo x >> /workspace/count")
    beside = t.start_call("sleep 31")
    t.wait_for("sleep 30")
    t.wait_for("sleep 31")
    t.probe.remove(t.probe.container(t.owner))
    lost(t.finish_call(running, 15), 15)
    lost(t.finish_call(beside, 15), 15)
    told_new(t.call("cat /workspace/count"), "x")
    t.call("cat /workspace/count").ok("x")


@case("C85.b")
def pid_1_or_the_runtime_killed(t):
    t.call("K=1").ok("")
    kill_pid_1(t)
    fresh(t, "echo ${K:-lost}", "lost")
    for busy in (False, True):
        server = t.start()
        server.call("true").ok("")
        runtime = server.probe.runtime_processes(server.probe.container(server.owner))
        check(runtime, "no process of the runtime found: nothing would be killed")
        call = server.start_call("sleep 3; echo through") if busy else None
        if call:
            server.wait_for("sleep 3")
        for process in runtime:
            os.kill(process.pid, signal.SIGKILL)
        if call:  # a runtime that only waits may die without harm to the cell; one that relays takes it along
            reply = server.finish_call(call, 15)
            check(reply.text == "through" or reply.is_error and "lost" in reply.raw, f"{reply.raw!r}")
        fresh(server, "echo next", "next", told=False)
        # An engine may notice only now that its own process is gone, and ends the cell that has just answered.
        check(len(server.cells()) <= 1, f"cells: {server.cells()}")


@case("C85.c")
def pid_1_stopped(t):
    """A wedged cell: the server's own deadline ends it."""
    t.call("true").ok("")
    running = t.start_call("sleep 60", timeout=2)
    t.wait_for("sleep 60")
    os.kill(t.init().pid, signal.SIGSTOP)
    reply = t.finish_call(running, 20)
    check(reply.is_error, f"{reply.raw!r}")
    reply.within(2 + 1 + 2 + 3)
    t.ping(0.5)
    told_new(t.call("echo fresh"), "fresh")


@case("C85.d", only=OCI)
def runtime_stopped_and_its_state_removed(t):
    t.call("K=1").ok("")
    container = t.probe.container(t.owner)
    stopped = t.probe.runtime_processes(container)
    check(stopped, "no process of the runtime found: nothing would be stopped")
    for process in stopped:
        os.kill(process.pid, signal.SIGSTOP)
    try:
        t.call("echo $K").ok("1", within=3)
    finally:
        for process in stopped:
            os.kill(process.pid, signal.SIGCONT)
    shutil.rmtree(t.probe.state_folder(container))
    t.call("echo $K").ok("1", within=3)
    kill_pid_1(t)
    fresh(t, "echo ${K:-lost}", "lost")


def real_runtime(t):
    """The path of the runtime that works here, learned from a server that uses it."""
    server = t.start()
    server.call("true").ok("")
    return shutil.which(t.probe.runtime_command(t.probe.container(server.owner))[0],
                        path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


def recovers_with(t, server, put_right, *, names, within=10):
    """The call fails soon with the cause, everything else works, and after the repair so does the call."""
    server.call("echo x").refused(*names, within=within)
    server.ping(2)
    check("tools" in server.answer(server.request("tools/list"), 2)["result"], "tools/list without an engine")
    put_right()
    reply = server.call("echo y").ok("y", within=15)
    lacks(reply.status, "reset")


@case("C87", only=OCI)
def runtime_missing_then_there(t):
    real = real_runtime(t)
    place = os.path.join(t.folder, os.path.basename(real))
    start = time.monotonic()
    server = t.start("--runtime", place, runtime=False)
    check(time.monotonic() - start < 2 * t.bench.slowness, "initialize took 2 s")
    recovers_with(t, server, lambda: os.symlink(real, place), names=(place,))
    unknown = t.start("--runtime", "no-such-runtime", runtime=False)
    unknown.checks_alive = False
    unknown.call("echo x").refused("no-such-runtime", within=10)


@case("C87.a", only=OCI)
def runtime_that_fails_or_is_no_program(t):
    real = real_runtime(t)
    for number, content in enumerate((b"#!/bin/sh\necho broken-runtime >&2\nexit 7\n", b"\x7fELF junk", b"")):
        folder = os.path.join(t.folder, str(number))
        os.mkdir(folder)
        place = os.path.join(folder, os.path.basename(real))
        with open(place, "wb") as file:
            file.write(content)
        os.chmod(place, 0o755)
        server = t.start("--runtime", place, runtime=False)
        recovers_with(t, server, lambda: (os.unlink(place), os.symlink(real, place)), names=())


@case("C87.b", only=OCI)
def runtime_that_hangs_and_a_stripped_path(t):
    real = real_runtime(t)
    stripped = t.start(environment={"PATH": "/nonexistent"})
    stripped.call("echo found").ok("found")
    place = os.path.join(t.folder, os.path.basename(real))
    with open(place, "w") as file:
        file.write(f"#!/bin/sh\ncase \" $* \" in *\" run \"*) exec sleep 4321;; esac\nexec {real} \"$@\"\n")
    os.chmod(place, 0o755)
    server = t.start("--runtime", place, runtime=False)
    recovers_with(t, server, lambda: (os.unlink(place), os.symlink(real, place)), names=(), within=14)
    server.wait_until(lambda: not [p for p in all_processes() if p.command == "sleep 4321" and p.ppid == server.pid], 3,
                      "the hanging runtime was left running")


@case("C88", only=OCI)
def root_missing_then_made(t):
    root = os.path.join(t.folder, "root")
    server = t.start("--rootfs", root)
    recovers_with(t, server, lambda: make_rootfs(root), names=(root,), within=5)
    server.call("cat /etc/made-by-the-test; ls /usr/bin/gcc 2>/dev/null").ok(has_=("this root",), exit=2)


@case("C88.a", only=OCI)
def root_without_bash(t):
    root = make_rootfs(os.path.join(t.folder, "root"), ("cat", "ls", "id"))
    server = t.start("--rootfs", root)
    recovers_with(t, server, lambda: [add_program(root, name) for name in ("bash", "echo")], names=("bash",))
    server.call("id -u").ok("1000")


@case("C88.b", only=OCI)
def root_that_is_no_root(t):
    root = os.path.join(t.folder, "root")
    os.symlink("root", root)
    server = t.start("--rootfs", root)
    recovers_with(t, server, lambda: (os.unlink(root), make_rootfs(root)), names=(root,), within=5)
    file = os.path.join(t.folder, "file")
    with open(file, "w") as out:
        out.write("no folder")
    server = t.start("--rootfs", file)
    server.checks_alive = False
    server.call("echo x").refused(file, within=5)


class HostMarker:
    """Something only a script on the host could see or make."""

    def __init__(self, t):
        self.path = os.path.join(t.folder, "host-marker")
        self.made = self.path + "-made"
        os.makedirs(os.path.join(self.path, "seen-on-the-host"))
        os.chmod(t.folder, 0o777)
        self.script = (f"hostname; id -u; ls {self.path} 2>&1; touch {self.made} /workspace/made {{}}; echo $PPID; "
                       "sleep 77.125")

    def refused(self, server):
        """The call failed, and no trace of its script is anywhere."""
        server.checks_alive = False
        script = self.script.format(os.path.join(server.workspace, "made"))
        reply = server.call(script, timeout=5).refused(within=15)
        lacks(reply.raw, "seen-on-the-host")
        check(not os.path.exists(self.made), "the script has run on the host")
        check(not os.path.exists(os.path.join(server.workspace, "made")), "the script has run")
        same([p for p in all_processes() if "sleep 77.125" in p.command], [], "processes of the script")
        return reply


@case("C89", only=OCI)
def nothing_runs_without_its_parts(t):
    marker = HostMarker(t)
    missing = os.path.join(t.folder, "missing")
    for options, name in ((("--runtime", missing), missing), (("--rootfs", missing), missing), (("--init", missing), missing)):
        reply = marker.refused(t.start(*options, runtime=options[0] != "--runtime"))
        has(reply.raw, name)
    gone = t.start()
    os.rmdir(gone.workspace)
    has(marker.refused(gone).raw, gone.workspace)


# What a runtime might silently not do: each is a jq filter on the bundle's config.json.
OMISSIONS = {
    "memory limit": "del(.linux.resources.memory)", "process limit": "del(.linux.resources.pids)",
    "cpu limit": "del(.linux.resources.cpu)", "seccomp": "del(.linux.seccomp)",
    "no_new_privs": ".process.noNewPrivileges = false", "read-only root": ".root.readonly = false",
    "capabilities": "[\"CAP_SYS_PTRACE\", \"CAP_KILL\"] as $c | .process.capabilities = "
                    "{bounding: $c, effective: $c, permitted: $c}",
    "network": "del(.linux.namespaces[] | select(.type == \"network\"))",
    "user": ".process.user = {uid: 0, gid: 0}", "pid namespace": "del(.linux.namespaces[] | select(.type == \"pid\"))",
}


def wrapper(t, name, body):
    path = os.path.join(t.folder, name)
    with open(path, "w") as file:
        file.write("#!/bin/bash\n" + body)
    os.chmod(path, 0o755)
    return path


@case("C89.a", only=OCI)
def a_runtime_that_leaves_something_out(t):
    real = real_runtime(t)
    marker = HostMarker(t)
    for number, (what, jq) in enumerate(OMISSIONS.items()):
        os.mkdir(os.path.join(t.folder, str(number)))
        edit = (f"prev=; for a; do if [ \"$prev\" = --bundle ]; then jq '{jq}' \"$a/config.json\" > \"$a/new\" && "
                f"mv \"$a/new\" \"$a/config.json\" && touch {t.folder}/{number}/edited; fi; prev=$a; done\n"
                f"exec {real} \"$@\"\n")
        path = wrapper(t, f"{number}/{os.path.basename(real)}", edit)
        try:
            marker.refused(t.start("--runtime", path, runtime=False))
        except Exception as error:
            error.args = (f"without {what}: {error}",)
            raise
        check(os.path.exists(f"{t.folder}/{number}/edited"), f"{what}: the bundle was not edited, so nothing was tested")


@case("C89.b", only=OCI)
def a_runtime_that_makes_no_container(t):
    """It starts the supervisor on the host, as root: the server must notice and run nothing."""
    marker = HostMarker(t)
    supervisor = os.path.join(os.path.dirname(t.bench.bashcell), "bashcell-init")
    body = (f"case \"$*\" in *run*--bundle*) touch {t.folder}/tried; exec {supervisor} --control-fd 3;; "
            "*--version*) echo runc version 1.1.5;; esac\nexit 0\n")
    path = wrapper(t, "runc", body)
    reply = marker.refused(t.start("--runtime", path, runtime=False))
    check(os.path.exists(f"{t.folder}/tried"), "the false runtime was not called, so nothing was tested")
    check(re.search("namespace|limit|root|capabilit|run as", reply.raw), f"the cause is not named: {reply.raw!r}")


@case("C91")
def exit_status_not_end_of_file(t):
    reply = t.call("bash -c 'exec 1>&- 2>&-; sleep 2; exit 5'").ok(exit=5)
    check(reply.wall > 1.9, f"answered after {reply.wall:.2f} s, before its end")
    for i in range(100):
        t.call(f"(exit {i})").ok("", exit=i)


@case("C91.a")
def the_script_itself_closes_its_output(t):
    reply = t.call("echo a; exec >&- 2>&-; sleep 1.5; exit 6").ok("a", exit=6)
    check(reply.wall > 1.4, f"answered after {reply.wall:.2f} s, before its end")
    reply = t.call("exec python3 -c 'import os, time; os.closerange(0, 300); time.sleep(1.5); os._exit(8)'").ok(exit=8)
    check(reply.wall > 1.4, f"answered after {reply.wall:.2f} s, before its end")


@case("C91.b")
def children_reaped_in_odd_ways(t):
    for i in range(1, 40):
        t.call(f"trap : CHLD; (exit 9) & (sleep 0.001; exit 3) & exit {i}").ok("", exit=i)
    t.call("setsid bash -c 'exit 4' & wait $!").ok(exit=4)
    t.call("python3 -c 'import signal, os; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.fork() or os._exit(2); "
           "os._exit(7)'").ok("", exit=7)
    t.call("for i in $(seq 30); do (exit $i) & done; wait -n; wait; (exit 31)").ok(exit=31)
