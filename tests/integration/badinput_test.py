"""Bad surroundings and bad options: a clear answer, `initialize` still works, and once put right the next call works."""

import errno
import json
import os
import resource
import subprocess
import sys

from checks import Failure, check, has, same
from harness import INITIALIZE
from invariants import check_gone
from registry import FOLDER, OCI, Only, case
from rootfs import add_program, make_rootfs
from cases.runtime import recovers_with


def inside(server, *command):
    """Runs a command in the mount namespace of a server that was started in its own."""
    subprocess.run(["nsenter", "-t", str(server.pid), "-m", *command], timeout=10, check=True)


@case("badinput.no_engine", only=OCI)
def no_engine(t):
    """No runtime of any name is found: the answer lists what was tried and one command that helps."""
    places = "/usr/bin/crun /usr/sbin/crun /usr/bin/runc /usr/sbin/runc"
    hide = ("unshare", "-m", "sh", "-c", f"for f in {places}; do [ ! -e $f ] || mount --bind /dev/null $f; done; "
            "exec \"$@\"", "sh")
    server = t.start(prefix=hide, runtime=False)
    recovers_with(t, server, lambda: inside(server, "sh", "-c", f"for f in {places}; do umount $f 2>/dev/null; done; true"),
                  names=("crun", "runc", "install"))


@case("badinput.no_bash", only=OCI)
def no_bash_in_the_root(t):
    root = make_rootfs(os.path.join(t.folder, "root"), ("cat", "ls"))
    server = t.start("--rootfs", root)
    recovers_with(t, server, lambda: [add_program(root, name) for name in ("bash", "echo")], names=("bash", root))


@case("badinput.workspace", needs=FOLDER)
def workspaces(t):
    def owned(path):
        os.makedirs(path)
        os.chown(path, 1000, 1000)

    missing = os.path.join(t.folder, "a", "missing")
    recovers_with(t, t.start(workspace=missing), lambda: owned(missing), names=(missing, "create"))
    file = os.path.join(t.folder, "file")
    with open(file, "w") as out:
        out.write("kept")
    server = t.start(workspace=file)
    server.call("echo x > /workspace").refused(file)
    with open(file) as kept:
        same(kept.read(), "kept", "the file in the workspace's place")
    recovers_with(t, server, lambda: (os.unlink(file), owned(file)), names=(file,))
    loop = os.path.join(t.folder, "loop")
    os.symlink("loop", loop)
    recovers_with(t, t.start(workspace=loop), lambda: (os.unlink(loop), owned(loop)), names=(loop,))
    locked = t.make_workspace("locked", owner=0, mode=0o755)
    recovers_with(t, t.start(workspace=locked), lambda: os.chown(locked, 1000, 1000), names=(locked, "1000"))


@case("badinput.disk_full", only=Only("oci", why="a full folder that only the server sees; an engine has to see it, too"))
def disk_full(t):
    """The file system of the engine's own files is full."""
    folder = "/run/bashcell"
    os.makedirs(folder, mode=0o700, exist_ok=True)
    full = ("unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size=4k,mode=0700 full {folder}; head -c 8k /dev/zero > "
            f"{folder}/fill 2>/dev/null; exec \"$@\"", "sh")
    server = t.start(prefix=full)
    recovers_with(t, server, lambda: inside(server, "mount", "-o", "remount,size=64m", folder), names=("No space left",))


@case("badinput.full_workspace", needs=FOLDER)
def full_workspace(t):
    with t.make_mount("small", "size=64k,uid=1000,gid=1000,mode=0755") as path:
        folder = os.path.join(path, "workspace")
        os.mkdir(folder)
        os.chown(folder, 1000, 1000)
        server = t.start(workspace=folder)
        server.call("head -c 1M /dev/zero > big; echo rc=$?").ok(has_=("No space left", "rc=1"))
        server.call("cd /tmp; V=1; cat <<E\nhere\nE").ok("here")
        server.call("seq 1 20000 | tee /workspace/x | tail -1; echo $V; pwd").ok(has_=("20000\n1\n/tmp",))
        server.call("rm /workspace/big; echo ok > /workspace/y; cat /workspace/y").ok("ok")
        t.finish()


@case("badinput.descriptors")
def descriptors_used_up(t):
    refusals = 0
    for limit in (4, 6, 8, 9, 10, 11, 12, 14, 16, 20):
        server = t.start(descriptor_limit=(limit, 4096), handshake=False)
        server.request("initialize", INITIALIZE, id=0)
        try:
            server.answer(0, 10)
        except Failure:
            check(limit < 10 and server.wait_exit() > 0 and server.stderr().strip(),
                  f"with {limit} descriptors neither an answer nor a message: {server.troubles()}")
            check_gone(server)
            continue
        reply = server.call("echo x", seconds=20)
        if reply.is_error:
            refusals += 1
            check("descriptor" in reply.raw or "open files" in reply.raw, f"the cause is not named: {reply.raw!r}")
            server.ping()
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (1024, 4096))
            server.call("echo y").ok("y", within=15)
    check(refusals, "no limit led to a refusal: nothing was tested")


@case("badinput.streams")
def closed_streams(t):
    for closed in (">&-", "<&-", ">&- <&-", "<&- >&- 2>&-"):
        server = t.start(prefix=("sh", "-c", f"exec \"$@\" {closed}", "sh"), handshake=False)
        try:
            server.request("initialize", INITIALIZE, id=0)
            server.start_call("echo x > /workspace/x")
        except BrokenPipeError:
            pass  # it has left already
        server.close_input()
        code = server.wait_exit()
        check(code >= 0, f"{closed}: died of signal {-code}")
        check("jsonrpc" not in server.stderr(), f"{closed}: an answer went to stderr: {server.stderr()}")
        check_gone(server)
    quiet = t.start(prefix=("sh", "-c", "exec \"$@\" 2>&-", "sh"))
    quiet.call("echo without stderr; echo e >&2").ok("without stderr\ne")


BAD = [  # name, value, what the line must say is allowed
    ("timeout", "abc", "number"), ("timeout", "-1", "0.1"), ("memory", "1", "32"), ("memory", "1.5", "whole number"),
    ("cpus", "0", "0.05"), ("pids", "3", "10"), ("limits", "maybe", "best-effort"), ("engine", "vm", "oci"),
    ("user", "root", "UID:GID"), ("user", "0:0", "UID:GID"), ("parallel", "0", "1"), ("max-chars", "10", "500"),
    ("max-timeout", "x", "number"), ("log", "loud", "debug"), ("timeout", "400", "max-timeout"), ("timeout", "nan", "number"),
    ("session-limit", "-1", "0 (none)"), ("session-limit", "0.01", "0.1"), ("idle-limit", "20000", "minutes"), ("install-timeout", "0", "1"),
]


def one_line_and_exit_2(t, arguments, environment, *parts):
    run = subprocess.run([t.bench.bashcell, *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=20,
                         env={"PATH": "/usr/bin:/bin", "HOME": t.folder, **t.bench.environment, **environment})
    what, said = f"{arguments} {environment}", run.stderr.decode("utf-8")
    same(run.returncode, 2, f"exit code of {what} ({said!r})")
    same(run.stdout, b"", f"stdout of {what}")
    same(said.count("\n"), 1, f"lines for {what}: {said!r}")
    has(said, *parts)


@case("badinput.options")
def bad_options(t):
    config = os.path.join(t.folder, "config.json")
    for name, value, allowed in BAD:
        member = name.replace("-", "_")
        one_line_and_exit_2(t, [f"--{name}", value], {}, f"--{name}", value, allowed)
        one_line_and_exit_2(t, [], {f"BASHCELL_{member.upper()}": value}, f"BASHCELL_{member.upper()}", value, allowed)
        try:
            as_json = json.dumps(float(value) if "." in value else int(value))
        except ValueError:
            as_json = json.dumps(value)
        with open(config, "w") as file:
            file.write('{"%s": %s}' % (member, as_json))
        one_line_and_exit_2(t, ["--config", config], {}, member, config, value, allowed)
        one_line_and_exit_2(t, [], {"BASHCELL_CONFIG": config}, member, config, value, allowed)
    t.call("true").ok("")


@case("badinput.config")
def bad_configuration(t):
    config = os.path.join(t.folder, "config.json")
    for content in (b"[", b"[]", b"5", b"", b'{"no_such": 1}', b'{"timeout": [1]}', b'{"warm": "yes"}', b'{"timeout": 5',
                    b"\x00\xff", b'{"a":' * 500):
        with open(config, "wb") as file:
            file.write(content)
        one_line_and_exit_2(t, ["--config", config], {}, config)
    one_line_and_exit_2(t, ["--config", os.path.join(t.folder, "none.json")], {}, "none.json")
    one_line_and_exit_2(t, ["--config", t.folder], {}, t.folder)
    one_line_and_exit_2(t, ["--no-such-option"], {}, "--no-such-option")
    one_line_and_exit_2(t, ["no-such-command"], {}, "no-such-command")
    one_line_and_exit_2(t, [], {"BASHCELL_NO_SUCH": "1"}, "BASHCELL_NO_SUCH")
    with open(config, "w") as file:
        file.write('{"timeout": 1, "max_chars": 600}')
    server = t.start("--config", config, "--timeout", "2", environment={"BASHCELL_TIMEOUT": "3"})
    server.remember_jobs()
    server.call("sleep 30").timeout(2, within=7)
    server.expect_killed()
    check(len(server.call("seq 1 9000").ok().raw) <= 600, "max_chars of the file is not in force")


@case("badinput.no_flock", only=Only("oci", why="this machine's file systems, whose locks are refused to the server and all that it starts"))
def file_system_without_locks(t):
    """Whatever needs a lock says which file and what helps, and changes nothing; the rest works, and with locks so does all."""
    record, workspace = os.path.join(t.folder, "calls"), t.make_workspace("shared")
    helper = os.path.join(os.path.dirname(os.path.abspath(__file__)), "no_flock.py")
    info = os.stat(workspace)
    calls = 0

    def start(*options, without=()):
        return t.start("--audit", record, *options, workspace=workspace, prefix=(sys.executable, helper, *without) if without else ())

    def works(*options):
        server = start(*options)
        server.call("echo 1 > n; cell lock n -- echo locked; echo 2 | cell write n; echo 3 | cell append n; cat n").ok("locked\n2\n3")
        server.call("echo proven").ok("proven")
        server.call("cell save kept 2>&1").ok(has_=("cell: saved kept",))
        return 3

    calls += works()
    for name in ("ENOLCK", "ENOSYS", "EOPNOTSUPP"):
        why = f"its file system knows no locks (flock: {os.strerror(getattr(errno, name))})"
        lock = start("--workspace-lock", without=(name, "exclusive"))
        lock.call("touch ran").refused(f"cannot lock /run/bashcell/locks/{info.st_dev}-{info.st_ino}.next: {why}; mount a file system",
                                       "nothing was run", within=10)
        check(not os.path.exists(os.path.join(workspace, "ran")), "it was run")
        server = start(without=(name, "exclusive"))
        server.call("echo new").ok("new")
        reply = server.call("cell save kept 2>&1; cell rm kept 2>&1; kept").ok(has_=("\nproven",))
        same(reply.text.count(why), 2, f"refusals in {reply.text!r}")
        has(reply.text, "cannot lock /var/lib/bashcell/shelf/", "; mount a file system of this machine at /var/lib/bashcell")
        reply = server.call("cell lock n -- touch ran; echo $?; echo x | cell write n; echo $?; echo y | cell append n; echo $?; cat n; ls").ok()
        same(reply.text.splitlines(), [
            f"cell: cannot lock /workspace/n: {why}; a file in /tmp can stand for it, between calls of this cell; the command was not run", "1",
            f"cell: cannot lock /workspace/n: {why}; write to it with >; n is unchanged", "1",
            f"cell: cannot lock /workspace/n: {why}; write to it with >>; n is unchanged", "1", "2", "3", "n"], "text")
        none = start(without=(name, "any"))
        lock.checks_alive = none.checks_alive = False  # they can run nothing
        none.call("touch ran").refused(f"cannot lock /run/bashcell/roots: {why}; mount a file system of this machine at /run", within=10)
        calls += 5 + works("--workspace-lock")
        for one in t.servers:
            one.ping()  # a line is written behind the answer
        with open(record) as file:
            same(len(file.readlines()), calls, "lines in the record of calls")
