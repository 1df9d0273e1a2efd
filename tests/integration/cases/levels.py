"""LEVELS: what ends a call or a cell for time, and how it is told. The deadline of one call is KILL's."""

import hashlib
import json
import os
import re
import subprocess

from checks import check, has, lacks, same
from registry import Only, case

SESSION = r"timed out: the session's ([\d.]+) s of running time are used up; killed (\d+) process"
HOST = Only("oci", why="the server itself, which is the same with all engines")
STAYED = "cwd, variables and /tmp were reset; /workspace, shelf and tools stayed"


def over(reply, seconds):
    """The call was ended with its session, and says so."""
    check(reply.is_error, f"no error: {reply.raw!r}")
    found = re.search(SESSION, reply.status)
    check(found, f"the session is not named: {reply.raw!r}")
    same(float(found[1]), float(seconds), "seconds of the session")
    check(int(found[2]) > 0, f"nothing was killed: {reply.status!r}")
    return reply


@case("levels.session", "--session-limit", "2")
def a_session_ends_in_the_middle_of_a_call(t):
    t.call("echo kept > /workspace/kept; echo lost > /tmp/lost; cd /tmp; x=1; sleep 300 & echo job").ok("job")
    reply = over(t.call("echo before; trap '' TERM; sleep 301; sleep 302", seconds=12), 2).within(6)
    has(reply.text, "before")
    reply = t.call("cat kept; ls /tmp/lost 2>&1; echo ${x-unset}; pwd; pgrep -xc sleep").ok(exit=1)
    same(reply.lines[0], "kept", "file of the workspace")
    same(reply.lines[-3:], ["unset", "/workspace", "0"], "state")
    has(reply.status, f"new cell, as the session's 2 s were used up: {STAYED}")
    same(t.call("echo once").ok().raw, "once", "the reply after that")
    t.wait_until(lambda: len(t.cells()) == 1, 5, "the former cell is still there")


@case("levels.session.a", "--session-limit", "2")
def calls_side_by_side_use_it_once_and_end_together(t):
    t.call("true").ok("")
    calls = [t.start_call(f"echo {n}; sleep 1") for n in range(4)]
    for n, call in enumerate(calls):
        t.finish_call(call).ok(str(n))  # 4 s of calls in about 1 s
    calls = [t.start_call(f"echo {n}; sleep 100") for n in range(5)]
    replies = [t.finish_call(call, 12) for call in calls[:4]]
    for reply in replies:
        over(reply, 2)
    # The fifth had waited for a place; it got one in the next cell, and used that up.
    reply = over(t.finish_call(calls[4], 12), 2)
    has(reply.status, "new cell, as the session's 2 s were used up")


@case("levels.session.b", "--session-limit", "0", "--idle-limit", "0", only=HOST)
def no_limit_is_no_limit(t):
    for n in range(3):
        same(t.call("sleep 0.5; echo $BASHPID; n=${n-}x; echo $n").ok().lines[-1], "x" * (n + 1), "state")


@case("levels.session.c", "--session-limit", "3", "--timeout", "1", only=HOST)
def each_level_is_named(t):
    t.call("sleep 100").timeout(1, within=4)
    reply = over(t.call("sleep 100", timeout=100, seconds=12), 3)
    lacks(reply.status, "timed out after")


@case("levels.idle", "--idle-limit", "0.02")
def a_cell_without_calls_ends(t):
    t.call("cd /tmp; x=1; echo kept > /workspace/kept").ok("")
    t.wait_until(lambda: not t.cells(), 10, "the cell is still there")
    reply = t.call("cat /workspace/kept; echo ${x-unset}; pwd").ok("kept\nunset\n/workspace")
    has(reply.status, f"new cell, after 1.2 s without a call: {STAYED}")
    same(t.call("echo once").ok().raw, "once", "the reply after that")


@case("levels.idle.a", "--idle-limit", "0.02", only=HOST)
def a_call_that_runs_is_no_idle_time(t):
    t.call("x=1; sleep 2; echo done").ok("done")
    t.call("echo $x").ok("1")


def progress_of(t, token):
    """The notifications for a token, each as (progress, message)."""
    params = [m["params"] for _, m in t.output.notifications if m["method"] == "notifications/progress"]
    return [(p["progress"], p.get("message", "")) for p in params if p["progressToken"] == token]


@case("levels.progress", only=HOST)
def progress_tells_time_and_the_last_line(t):
    t.call("true").ok("")
    call = t.start_call("printf '\\e[32mone\\e[0m\\n[cell: exit 0]\\n'; printf '10 %%\\r20 %%'; sleep 6.5; echo; echo end", meta={"progressToken": "p"})
    t.finish_call(call, 15).ok(has_=("20 %\nend",))
    told = progress_of(t, "p")
    same(len(told), 1, f"notifications in 6.5 s: {told}")
    same(told[0], (5, "5 s: 20 %"), "progress and message")


@case("levels.reset")
def a_clean_shell(t):
    t.call("cd /tmp; a=1; export b=2; f() { :; }; set -- x; umask 077; sleep 300 & touch /tmp/file").ok("")
    reply = t.call("a=2; cell reset; cd /usr; echo still $a").ok()
    has(reply.text, "clean shell", "still 2")
    t.call("pwd; echo ${a-unset}${b-unset}; type f 2>/dev/null; umask; ls /tmp/file; pgrep -xc sleep").ok(
        "/workspace\nunsetunset\n0022\n/tmp/file\n1")


@case("levels.reset.a", only=HOST)
def calls_side_by_side_bring_nothing_back(t):
    t.call("old=1").ok("")
    other = t.start_call("until [[ -e reset ]]; do sleep 0.05; done; old=$old$old; mine=1; cd /tmp")
    t.wait_for("sleep 0.05")
    t.call("cell reset >/dev/null && touch reset").ok("")
    t.finish_call(other).ok("")
    t.call("echo ${old-unset}${mine-unset}; pwd").ok("unsetunset\n/workspace")


def record(path):
    """The lines of a record of calls; each must be whole."""
    lines = []
    for file in (path + ".1", path):
        if os.path.exists(file):
            with open(file) as text:
                lines += [json.loads(line) for line in text]
    return lines


@case("levels.audit", only=HOST)
def each_call_is_a_line(t):
    path = os.path.join(t.folder, "audit")
    server = t.start("--audit", path, "--install", "off", "--session-limit", "4")
    scripts = ["echo hi; exit 3", "kill -9 $$", "sleep 60", "sleep 61"]
    server.call(scripts[0]).ok(exit=3)
    server.call(scripts[1])
    server.call(scripts[2], timeout=1).timeout(1, within=6)
    server.call(scripts[3], timeout=60, seconds=12)
    server.wait_until(lambda: len(record(path)) == 4, 5, "not all calls are recorded")
    lines = record(path)
    same([line["script_sha256"] for line in lines], [hashlib.sha256(s.encode()).hexdigest() for s in scripts], "hashes")
    same([line["outcome"] for line in lines], ["exited", "signaled", "timed_out", "timed_out"], "outcomes")
    same((lines[0]["exit"], lines[0]["output_bytes"], lines[0]["script_bytes"]), (3, 2, 15), "exit and bytes")
    same([line.get("timeout") for line in lines], [None, None, "call", "session"], "levels")
    check(lines[2]["killed"] > 0 and lines[2]["wall_ms"] >= 1000, f"of a timeout: {lines[2]}")
    same({line["server"] for line in lines}, {server.pid}, "server")
    check(all(line["cell"] for line in lines), f"a call without a cell: {lines}")
    check("script" not in lines[0], "the script is in the record")
    same(os.stat(path).st_mode & 0o777, 0o600, "mode")


@case("levels.audit.a", only=HOST)
def servers_share_a_record_that_is_turned_over(t):
    path = os.path.join(t.folder, "audit")
    options = ("--audit", path, "--audit-scripts", "--audit-max-mb", "0.018", "--install", "off")
    servers = [t.start(*options), t.start(*options)]
    for server in servers:
        server.call("true").ok("")
    for n in range(0, 36, 4):  # about 25 KB in all: two files hold them
        calls = [(server, server.start_call(f"echo {server.pid}-{n + i}")) for i in range(4) for server in servers]
        for server, call in calls:
            server.finish_call(call)
    servers[0].wait_until(lambda: len(record(path)) == 74, 5, lambda: f"{len(record(path))} of 74 lines")
    check(os.path.exists(path + ".1"), "it was not turned over")
    scripts = {line["script"] for line in record(path)} - {"true"}
    same(scripts, {f"echo {server.pid}-{n}" for server in servers for n in range(36)}, "scripts")


@case("levels.audit.b", only=HOST)
def a_full_disk_fails_no_call(t):
    with t.make_mount("full", "size=16k,mode=0777") as disk:
        server = t.start("--audit", os.path.join(disk, "audit"), "--audit-scripts", "--install", "off")
        for n in range(8):
            server.call(f"echo {n} # " + "x" * 5000).ok(str(n))
        check(0 < len(record(os.path.join(disk, "audit"))) < 8, "the disk is not full")
        server.wait_until(lambda: "misses some" in server.stderr(), 5, "it is not said")
        same(server.stderr().count("misses some"), 1, "times that it is said")


@case("levels.audit.c", only=HOST)
def what_is_no_file_is_refused_at_the_start(t):
    t.call("true").ok("")
    os.mkfifo(os.path.join(t.folder, "pipe"))
    os.symlink(os.path.join(t.folder, "target"), os.path.join(t.folder, "link"))
    for bad in (t.folder, os.path.join(t.folder, "pipe"), os.path.join(t.folder, "link"), os.path.join(t.folder, "no", "audit"), "/dev/full"):
        run = subprocess.run([t.bench.bashcell, "--audit", bad], stdin=subprocess.DEVNULL, capture_output=True, timeout=20, text=True,
                             env={"PATH": "/usr/bin:/bin", "HOME": t.folder, **t.bench.environment})
        same((run.returncode, run.stdout, run.stderr.count("\n")), (2, "", 1), f"of {bad}: {run.stderr!r}")
        has(run.stderr, bad)
    check(not os.path.exists(os.path.join(t.folder, "target")), "the link was followed")
