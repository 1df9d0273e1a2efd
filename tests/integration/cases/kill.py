"""KILL: timeouts. After each, the harness asserts from the host that no process of the call is alive 2 s later."""

import os

from checks import check, has, same
from registry import case


@case("C15")
def what_was_printed_is_kept(t):
    t.call("echo before; echo err >&2; sleep 60", timeout=2).timeout(2, within=7, has_=("before\nerr",))
    t.call("python3 -c \"print('x'); import time; time.sleep(60)\"", timeout=2).timeout(2, within=7, has_=("x",))


@case("C15.a")
def an_unfinished_line_is_kept(t):
    reply = t.call("printf 'no newline yet'; (echo from-a-child; sleep 61) & sleep 62", timeout=2)
    reply.timeout(2, within=7, has_=("no newline yet", "from-a-child"))


@case("C15.b")
def the_end_of_a_long_output_is_kept(t):
    reply = t.call("seq 1 100000; echo last-word; exec sleep 63", timeout=4)
    reply.timeout(4, within=9, has_=("last-word",))
    same(reply.lines[0], "1", "first line")
    has(reply.status, "left out")


@case("C16")
def busy_python(t):
    t.call("python3 -c 'while True: pass'", timeout=2).timeout(2, within=7)
    same(t.find("while True"), [], "busy loops seen from the host")
    t.call("ps -eo args= | grep -c '[w]hile True' || true").ok("0")


@case("C16.a")
def busy_perl_and_node(t):
    t.call("perl -e '1 while 1' & node -e 'while (true) {}'", timeout=2).timeout(2, within=7)
    same(t.find("perl") + t.find("node"), [], "busy loops seen from the host")
    t.call("pgrep -x 'perl|node' | wc -l").ok("0")


@case("C16.b")
def everything_ignores_sigterm(t):
    t.call("trap '' TERM INT HUP; python3 -c 'import signal,time; signal.signal(15, signal.SIG_IGN); time.sleep(99)';"
           " while :; do sleep 1; done", timeout=2).timeout(2, within=7)
    t.call("pgrep -fc 'time.sleep' || true").ok("0")


@case("C17")
def children_and_grandchildren(t):
    reply = t.call("bash -c 'sleep 301 & bash -c \"sleep 302 & wait\" & wait'", timeout=1)
    reply.timeout(1, within=6)
    has(reply.status, "killed")
    t.call("pgrep -x sleep | wc -l").ok("0")


@case("C17.a")
def detached_stubborn_tree_dies_and_an_older_job_lives(t):
    t.call("sleep 777 & echo job").ok("job")
    t.call("""python3 -c "
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for n in range(4):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        time.sleep(303)
time.sleep(303)" """, timeout=1).timeout(1, within=6)
    same(t.find("time.sleep(303)"), [], "daemons of the timed-out call")
    t.call("pgrep -fx 'sleep 777' | wc -l").ok("1")


@case("C17.b")
def stopped_processes(t):
    t.call("sleep 305 & kill -STOP $!; (sleep 306 & kill -STOP $! $BASHPID) & bash -c 'kill -STOP $$'; wait", timeout=1
           ).timeout(1, within=6)
    t.call("pgrep -x sleep | wc -l").ok("0")


@case("C20")
def state_survives(t):
    t.call("mkdir -p /workspace/d && cd /workspace/d && export K=v && f(){ echo F; }").ok("")
    t.call("sleep 60", timeout=1).timeout(1, within=6)
    t.call("pwd; echo $K; f").ok("/workspace/d\nv\nF")


@case("C20.a")
def three_timeouts_in_a_row(t):
    t.call("cd /tmp; a=(1 'two 2' 3); declare -A m=([k]='v w'); alias hi='echo HI'; umask 077; echo f > /tmp/file").ok("")
    for script in ("sleep 61", "trap '' TERM; while :; do :; done", "python3 -c 'while True: pass'"):
        t.call(script, timeout=1).timeout(1, within=6)
    t.call("pwd; echo \"${a[1]}\" \"${m[k]}\"; hi; umask; cat /tmp/file").ok("/tmp\ntwo 2 v w\nHI\n0077\nf")


@case("C20.b")
def a_script_without_a_chance_to_save(t):
    t.call("cd /usr; v=before; shopt -s nullglob").ok("")
    t.call("trap '' TERM; v=during; exec sleep 62", timeout=1).timeout(1, within=6)
    t.call("echo $v; pwd; shopt -q nullglob && echo on").ok("before\n/usr\non")


@case("C21")
def the_timeout_argument(t):
    command = "sleep 0.3; echo ok"
    for value in (0, -5, "10", 99999999):
        t.call(command, timeout=value).refused("timeout", "300", within=2)
    t.call(command, timeout=0.5).ok("ok")
    t.raw('{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"bash","arguments":'
          '{"command":"sleep 0.3; echo ok","timeout":null}}}')
    same(t.answer(6)["result"]["content"][0]["text"].strip(), "ok", "text of the call with timeout null")
    t.call("sleep 5; echo late", timeout=1).timeout(1, within=6)


@case("C21.a")
def odd_types_run_nothing(t):
    for value in (True, False, [5], {"s": 5}, "", "abc", 1e300, -0.001, 0.0):
        t.call("touch /workspace/ran", timeout=value).refused("timeout", "300", within=2)
    t.call("true").ok("")
    check(not os.path.exists(os.path.join(t.server.workspace, "ran")), "a refused call has run")


@case("C21.b", "--timeout", "1", "--max-timeout", "7")
def the_configured_limits(t):
    t.call("touch /workspace/ran", timeout=8).refused("timeout", "7", within=2)
    check(not os.path.exists(os.path.join(t.server.workspace, "ran")), "a refused call has run")
    t.remember_jobs()
    t.call("sleep 30").timeout(1, within=6)
    t.expect_killed()
    t.call("sleep 2; echo longer", timeout=7).ok("longer")
    t.call("sleep 30", timeout=1.5).timeout(1.5, within=6.5)
