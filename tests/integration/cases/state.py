"""STATE: the shell that lasts from call to call, whatever a script does to its own. See also state_shell.py."""

from checks import check, has, lacks, same
from registry import case


@case("C28")
def exit_reports_and_keeps(t):
    t.call("cd /tmp; touch /tmp/mark; exit 3").ok(exit=3, within=2)
    t.call("echo back; ls /tmp/mark; pwd").ok("back\n/tmp/mark\n/tmp")


@case("C28.a")
def exit_from_deep_inside(t):
    t.call("cd /tmp; v=1; f() { g; }; g() { exit 4; }; f; echo no").ok("", exit=4, within=2)
    t.call("trap 'echo bye; exit 6' EXIT; exit 5").ok("bye", exit=6, within=2)
    t.call("(exit 7); echo $?; exit 261").ok("7", exit=5, within=2)
    t.call("echo $v; pwd; trap -p").ok("1\n/tmp")


@case("C28.b")
def other_ways_to_leave(t):
    t.call("cd /usr; export W=w").ok("")
    t.call("return 5; echo after").ok(within=2, has_=("after",))
    t.call("logout; echo rc=$?").ok(within=2, has_=("rc=",))
    t.call("set -e; (exit 9); echo no").ok("", exit=9, within=2)
    t.call("${unset_one?gone}; echo no").ok(exit=1, within=2, has_=("gone",), lacks_=("no\n",))
    t.call("pwd; echo $W").ok("/usr\nw")


@case("C29")
def exec_replaces_the_shell(t):
    t.call("exec true").ok("", within=2)
    t.call("echo a").ok("a", within=3)
    t.call("exec /nonexistent").ok(exit=127, within=2)
    t.call("echo b").ok("b", within=3)
    t.call("exec sleep 100", timeout=2).timeout(2, within=7)
    t.call("echo c").ok("c", within=3)


@case("C29.a")
def exec_of_an_interpreter(t):
    t.call("cd /tmp; v=kept").ok("")
    t.call("v=lost; echo one; exec python3 -c 'print(\"two\"); raise SystemExit(5)'").ok("one\ntwo", exit=5, within=3)
    t.call("exec -a other bash -c 'echo $0; kill -TERM $$'").ok(has_=("other",), exit=143, within=2)
    t.call("f() { exec false; }; f; echo no").ok("", exit=1, within=2)
    t.call("echo $v; pwd").ok("kept\n/tmp")


@case("C29.b")
def exec_of_something_that_cannot_run(t):
    t.call("exec /workspace; echo no").ok(exit=126, within=2, lacks_=("no\n",))
    t.call("printf 'not a program' > /tmp/junk; chmod +x /tmp/junk; exec /tmp/junk").ok(within=2, exit=127)
    t.call("shopt -s execfail; exec /nonexistent; echo went on").ok(within=2, has_=("went on",))
    t.call("exec 9>/tmp/nine; echo x >&9; cat /tmp/nine").ok("x", within=2)
    t.call("(echo y >&9) 2>/dev/null || echo closed").ok("closed")


@case("C30")
def killing_options_do_not_stay(t):
    t.call("set -euo pipefail").ok("", within=2)
    t.call("false").ok("", exit=1, within=2)
    t.call("echo \"$NOT_SET\"").ok("", within=2)
    t.call("grep zzz /etc/passwd | wc -l").ok("0", within=2)
    t.call("echo alive").ok("alive", within=2)


@case("C30.a")
def no_set_option_stays(t):
    plain = t.call("echo $-; set -o | grep -w on").ok().text
    for option in ("-x", "-v", "-f", "-C", "-n", "-m", "-a", "-T", "-E", "-k", "-p", "-o posix", "-o noclobber -u"):
        t.call(f"set {option}").within(2)
        same(t.call("echo $-; set -o | grep -w on").ok(within=2).text, plain, f"options after set {option}")
    t.call("set -r").within(2)
    t.call("cd /; /bin/echo free > /tmp/f; cat /tmp/f").ok("free")


@case("C30.b")
def no_trap_and_no_broken_builtin_stays(t):
    t.call("trap 'exit 9' EXIT; trap 'echo debug' DEBUG; trap 'echo err' ERR; trap '' TERM INT").within(2)
    t.call("false").ok("", exit=1, within=2)
    t.call("trap").ok("", within=2)
    t.call("exec 0<&- 1>&- 2>&-").within(2)
    t.call("enable -n echo cd pwd; ulimit -n 20; ulimit -f 1").within(2)
    t.call("type -t echo; ulimit -f; cd /tmp; pwd").ok("builtin\nunlimited\n/tmp", within=2)


@case("C31")
def errexit_inside_one_command(t):
    for script in ("set -e; false; echo no", "set -e\nfalse\necho no"):
        lacks(t.call(script).ok("", exit=1).text, "no")


@case("C31.a")
def errexit_in_functions_and_substitutions(t):
    t.call("set -e; f() { false; echo no; }; f; echo no").ok("", exit=1)
    t.call("set -e; x=$(false; echo no); echo \"never $x\"").ok(exit=0, has_=("never",))
    t.call("set -e; shopt -s inherit_errexit; x=$(false; echo no); echo never").ok("", exit=1)
    t.call("set -e; if false; then :; fi; false || true; echo yes; ! true; echo yes2").ok("yes\nyes2")


@case("C31.b")
def the_other_strict_options_inside_one_command(t):
    t.call("set -u; echo \"$NOT_SET_HERE\"; echo no").ok(exit=1, has_=("NOT_SET_HERE",), lacks_=("no\n",))
    t.call("set -eo pipefail; false | true; echo no").ok("", exit=1)
    t.call("trap 'echo trapped $?' ERR; (exit 3); echo on").ok("trapped 3\non")
    t.call("set -eE; trap 'echo in-f $?' ERR; f() { (exit 4); }; f; echo no").ok(exit=4, has_=("in-f 4",), lacks_=("no\n",))


@case("C32")
def it_kills_its_own_world(t):
    t.call("cd /tmp; K=kept").ok("")
    t.call("kill -9 $$").ok(exit=137, within=5)
    t.call("echo a").ok("a", within=10)
    t.call("kill -TERM -- -$$ ; kill -TERM 0").within(5)
    t.call("echo b").ok("b", within=10)
    t.call("kill -9 -1").within(5)
    t.call("echo c").ok("c", within=10)
    t.call("kill -TERM 1; kill -INT 1; kill -HUP 1; sleep 1; echo s").ok(has_=("s",), within=5)
    t.call("echo d").ok("d", within=10)
    t.call("f(){ f; }; f").ok(exit=1, has_=("maximum function nesting level exceeded",), within=5)
    t.call("echo e; pwd; echo $K").ok("e\n/tmp\nkept", within=10)


@case("C32.a")
def every_deadly_signal(t):
    t.call("cd /usr; K=kept").ok("")
    init = t.init()
    for number in (1, 2, 4, 6, 7, 8, 10, 11, 12, 13, 14, 15, 24, 31):
        reply = t.call(f"kill -{number} $$; sleep 5").within(5)
        check(not reply.is_error and reply.exit not in (0, None), f"signal {number}: {reply.raw!r}")
    t.call("for n in $(seq 1 64); do kill -$n 1 2>/dev/null; done; echo $K; pwd").ok("kept\n/usr")
    same(t.init().key, init.key, "PID 1")


@case("C32.b")
def it_kills_or_stops_its_runner(t):
    t.call("cd /tmp; K=kept").ok("")
    init = t.init()
    t.call("kill -9 $PPID; sleep 5").within(8)
    t.call("echo a; echo $K").ok("a\nkept", within=10)
    t.call("kill -STOP $PPID; echo x; sleep 60", timeout=2).timeout(2, within=7)
    t.call("echo b").ok("b", within=10)
    t.call("pkill -9 -u $(id -u); sleep 5").within(8)
    t.call("kill -STOP -1; sleep 60", timeout=2).within(7)
    t.call("echo c; pwd; echo $K").ok("c\n/tmp\nkept", within=10)
    same(t.init().key, init.key, "PID 1")


@case("C34")
def unfinished_input(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    for script, exit in (('echo "abc', 2), ("if true; then", 2), (")", 2), ("f() {", 2), ("echo $((1+)", None)):
        reply = t.call(script).within(1)
        check(reply.exit == exit if exit else reply.exit not in (0, None), f"{script}: {reply.raw!r}")
        check("syntax error" in reply.text or "unexpected" in reply.text or "expected" in reply.text,
              f"{script}: the error is not named: {reply.raw!r}")
        check(not reply.is_error, f"{script}: isError")
    t.call("echo ok").ok("ok")


@case("C34.a")
def more_open_ends(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    for script in ("case x in", "while true; do", "echo ${x", "echo $(ls", "echo `ls", "(", "{ echo", "[[ a", "echo 'x",
                   "for i in", "cat <("):
        reply = t.call(script).within(1.5)
        check(not reply.is_error and reply.exit in (1, 2), f"{script}: {reply.raw!r}")
        check(reply.text.strip(), f"{script}: no message")
    t.call("echo ok").ok("ok")


@case("C34.b")
def an_error_behind_good_lines(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    reply = t.call("echo first\necho second\necho \"open\n").ok(exit=2, within=1, has_=("first\nsecond",))
    has(reply.text, "line 3")
    for script in ("fi", "done", "}", ";;", "&& x", "| x", "a b (c)", "echo a; )"):
        reply = t.call(script).within(1)
        check(not reply.is_error and reply.exit == 2, f"{script}: {reply.raw!r}")
        has(reply.text, "syntax error")
    lacks(reply.text, "/run/cell", "builtin")
    t.call("echo ok").ok("ok")
