"""BGFD: something left in the background holds the output pipe."""

from checks import check, lacks, same
from registry import case


def alive(t, part):
    """The job is a process of the cell, seen from the host."""
    check(t.find(part), f"the job {part!r} is gone: {t.members()}")


@case("C01")
def silent_sleep(t):
    t.call("sleep 100 & echo started").ok("started", within=2)
    alive(t, "sleep 100")


@case("C01.a")
def child_of_a_program_that_ended(t):
    t.call("""python3 -c "import subprocess; subprocess.Popen(['sleep', '111']); print('launched')" """).ok(
        "launched", within=2)
    alive(t, "sleep 111")


@case("C01.b")
def only_stderr_is_held(t):
    t.call("tail -f /dev/null >/dev/null & disown; echo tailing").ok("tailing", within=2)
    alive(t, "tail -f")
    t.call("pgrep -cx tail").ok("1", within=2)


@case("C02")
def chatty_loop(t):
    first = t.call("(while :; do echo tick; sleep 0.1; done) & echo up").ok(within=2)
    check(first.text.startswith("up") or "up" in first.lines, f"no `up` in {first.text!r}")
    t.call("echo two").ok("two")
    t.call("kill %1 2>/dev/null; pkill -x -f 'never-matches'; echo done").ok("done")


@case("C02.a")
def python_writer_lives_on_unheard(t):
    t.call("""python3 -uc "
import time
for n in range(10**6):
    print('tick', n)
    open('/tmp/n', 'w').write(str(n))
    time.sleep(0.01)" & echo up""").ok(within=2)
    for word in ("one", "two", "three"):
        t.call(f"echo {word}").ok(word, within=2)
    # It still writes: neither SIGPIPE nor a full pipe has stopped it.
    t.call("a=$(cat /tmp/n); until b=$(cat /tmp/n); [ -n \"$b\" ] && [ \"$b\" != \"$a\" ]; do :; done; echo moves",
           timeout=10).ok("moves")


@case("C02.b")
def flood_on_stderr(t):
    # Before the flood: what it says beside one may be in the part of it that is left out.
    t.call("echo up; yes noise >&2 &").ok(within=3, has_=("up",))
    for word in ("one", "two"):
        reply = t.call(f"echo {word}").ok(word, within=3)
        lacks(reply.raw, "noise")
    t.call("pkill -x yes; echo stopped").ok("stopped")


@case("C03")
def http_server_with_nohup(t):
    reply = t.call("cd /workspace && nohup python3 -m http.server 8765 >/tmp/srv.log 2>&1 & sleep 1; echo pid=$!")
    reply.ok(within=4)
    check(reply.text.startswith("pid=") and reply.text[4:].isdigit(), f"no pid: {reply.text!r}")
    t.call("python3 -c \"import urllib.request as u; print(u.urlopen('http://127.0.0.1:8765/',timeout=3).status)\"").ok(
        "200")


@case("C03.a")
def git_daemon_that_detaches_itself(t):
    t.call("git init -q --bare /workspace/r.git && cd /workspace/r.git && git config user.name t &&"
           " git config user.email t@example.com && c=$(git commit-tree -m m $(git mktree </dev/null)) &&"
           " git update-ref refs/heads/main $c && git daemon --detach --reuseaddr --listen=127.0.0.1 --port=9418"
           " --export-all --base-path=/workspace && echo serving").ok("serving", within=5)
    t.call("until git ls-remote git://127.0.0.1/r.git 2>/dev/null | awk '{print $2; n=1} END {exit !n}' | sort -u;"
           " do sleep 0.1; done", timeout=10).ok(has_=("refs/heads/main",))


@case("C03.b")
def job_survives_the_timeout_of_another_call(t):
    t.call("nohup sh -c 'while :; do date +%s.%N > /tmp/beat; sleep 0.1; done' >/dev/null 2>&1 & echo beating").ok(
        "beating")
    job = t.wait_for("date +%s.%N")[0]
    t.call("sleep 60", timeout=1).timeout(1, within=6)
    t.call("a=$(cat /tmp/beat); sleep 0.5; b=$(cat /tmp/beat); [ \"$a\" != \"$b\" ] && echo beats").ok("beats")
    same([p.pid for p in t.find("date +%s.%N")], [job.pid], "the job")


@case("C04")
def setsid_grandchild(t):
    t.call("setsid sleep 120 & echo x").ok("x", within=2)
    t.call("bash -c 'setsid sleep 121 & disown'; echo y").ok("y", within=2)
    alive(t, "sleep 120")
    alive(t, "sleep 121")


@case("C04.a")
def daemon_by_double_fork(t):
    t.call("""python3 -c "
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir('/')
        time.sleep(123)
    os._exit(0)
os.wait()
print('detached')" """).ok("detached", within=2)
    alive(t, "time.sleep(123)")


@case("C04.b")
def pipe_kept_under_another_number(t):
    t.call("setsid bash -c 'exec 7>&1 >/dev/null 2>&1 </dev/null; sleep 122; echo late >&7' & echo z").ok("z", within=2)
    alive(t, "sleep 122")
    t.call("echo next").ok("next", within=2)


@case("C06")
def output_through_process_substitution(t):
    t.call("exec > >(tee /tmp/t.log); echo hi").ok(within=3)
    t.call("cat /tmp/t.log; echo again").ok("hi\nagain", within=3)
    t.call("exec >/dev/null 2>&1; echo hidden").ok("", within=3)
    t.call("echo third").ok("third", within=3)


@case("C06.a")
def both_streams_through_filters(t):
    t.call("exec 2> >(sed 's/^/E:/'); ls /no-such-place; true").ok(within=3)
    reply = t.call("ls /no-such-place; echo plain").ok(within=3, has_=("plain",))
    lacks(reply.text, "E:")
    t.call("for i in 1 2 3; do echo $i; done > >(sort -r > /tmp/sorted); while [ ! -s /tmp/sorted ]; do :; done; "
           "cat /tmp/sorted", timeout=5).ok("3\n2\n1", within=3)


@case("C06.b")
def closed_and_replaced_descriptors(t):
    t.call("exec >&- 2>&-; echo lost; :").ok(within=3)
    t.call("echo one").ok("one", within=3)
    t.call("exec 1>/tmp/f 2>&1 5>/tmp/g; echo in-file").ok("", within=3)
    t.call("echo two; cat /tmp/f; echo x >&5; echo rc=$?").ok(within=3, has_=("two\nin-file", "rc=1"))


@case("C08")
def deadline_with_quiet_sleeps(t):
    t.call("sleep 300 & sleep 40", timeout=2).timeout(2, within=5)
    same(t.find("sleep"), [], "sleeps alive after the reply's 2 s")


@case("C08.a")
def deadline_with_a_detached_holder(t):
    t.call("setsid sleep 303 & disown; cat /dev/zero > /dev/null", timeout=2).timeout(2, within=5)
    same(t.find("sleep") + t.find("cat"), [], "processes alive after the reply's 2 s")


@case("C08.b")
def deadline_when_nothing_holds_the_pipe(t):
    t.call("echo before; exec >&- 2>&-; sleep 304", timeout=2).timeout(2, within=5, has_=("before",))
    same(t.find("sleep"), [], "sleeps alive after the reply's 2 s")
