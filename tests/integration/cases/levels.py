"""LEVELS: what ends a call or a cell for time, and how it is told. The deadline of one call is KILL's."""

import re

from checks import check, has, lacks, same
from registry import case

SESSION = r"timed out: the session's ([\d.]+) s of running time are used up; killed (\d+) process"
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


@case("levels.session.b", "--session-limit", "0", "--idle-limit", "0")
def no_limit_is_no_limit(t):
    for n in range(3):
        same(t.call("sleep 0.5; echo $BASHPID; n=${n-}x; echo $n").ok().lines[-1], "x" * (n + 1), "state")


@case("levels.session.c", "--session-limit", "3", "--timeout", "1")
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


@case("levels.idle.a", "--idle-limit", "0.02")
def a_call_that_runs_is_no_idle_time(t):
    t.call("x=1; sleep 2; echo done").ok("done")
    t.call("echo $x").ok("1")


def progress_of(t, token):
    """The notifications for a token, each as (progress, message)."""
    params = [m["params"] for _, m in t.output.notifications if m["method"] == "notifications/progress"]
    return [(p["progress"], p.get("message", "")) for p in params if p["progressToken"] == token]


@case("levels.progress")
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


@case("levels.reset.a")
def calls_side_by_side_bring_nothing_back(t):
    t.call("old=1").ok("")
    other = t.start_call("until [[ -e reset ]]; do sleep 0.05; done; old=$old$old; mine=1; cd /tmp")
    t.wait_for("sleep 0.05")
    t.call("cell reset >/dev/null && touch reset").ok("")
    t.finish_call(other).ok("")
    t.call("echo ${old-unset}${mine-unset}; pwd").ok("unsetunset\n/workspace")
