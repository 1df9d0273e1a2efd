"""STATE, continued: what carries over, and that replies never mix."""

import time

from checks import check, lacks, same
from registry import case
from reply import Reply


@case("C36")
def the_shell_carries_over(t):
    t.call("cd /tmp; A=1; export B=2; f(){ echo F$1; }; alias ll='echo AL'; umask 027; shopt -s extglob").ok("")
    t.call("pwd; echo $A$B; f 9; ll; umask; case ab in @(ab|c)) echo G;; esac").ok("/tmp\n12\nF9\nAL\n0027\nG")
    t.call("(cd /; C=3); echo \"${C:-none}\"; pwd").ok("none\n/tmp")


@case("C36.a")
def kinds_of_variables(t):
    t.call("a=(x 'y z' [7]=q); declare -A m=([k]='v w' ['odd key']=$'t\\nn'); declare -i n=2+3; declare -r R=fixed;"
           " declare -n ref=n; s=$'tab\\tnl\\nquote\\' \"$'; export E='é 😀'; g() { local x=1; cat <<EOF\nin $1 $x\nEOF\n};"
           " export -f g").ok("")
    t.call("echo ${#a[@]} \"${a[1]}\" ${a[7]}; echo \"${m[k]}|${m[odd key]}\"; n=n+1; echo $n $R $ref; (R=2); echo \"$s\";"
           " echo \"$E\"; g arg; bash -c 'g exported'").ok(
        has_=("3 y z q\nv w|t\nn\n6 fixed 6\n", "readonly", "tab\tnl\nquote' \"$\né 😀\nin arg 1\nin exported 1"))
    t.call("printf '%q\\n' \"$s\"; declare -p n").ok("$'tab\\tnl\\nquote\\' \"$'\ndeclare -i n=\"6\"")


@case("C36.b")
def what_must_not_leak_and_what_is_undone(t):
    t.call("alias zz='echo ZZ'; v=1; h() { :; }; mkdir -p /tmp/gone/deep; cd /usr; cd /tmp/gone/deep").ok("")
    t.call("unset v; unset -f h; unalias zz; X=temp true; echo p | read piped; (v2=1)").within(2)
    t.call("echo ${v-unset} ${X-unset} ${piped-unset} ${v2-unset}; type h zz 2>&1 | grep -c 'not found'").ok(
        "unset unset unset unset\n2")
    t.call("cd - && cd - >/dev/null && pwd").ok("/usr\n/tmp/gone/deep")
    t.call("rm -rf /tmp/gone; echo removed").ok("removed")
    same(t.call("pwd").ok(has_=("/tmp/gone/deep",)).lines[-1], "/workspace", "cwd after its folder went away")


@case("C37")
def no_final_newline(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    for script, text, exit in (("printf abc", "abc", 0), ("printf 'a\\n\\n'", "a", 0), ("printf ''", "", 0),
                               ("printf 'x'; false", "x", 1), ("printf 'tail\\\\'", "tail\\", 0)):
        reply = t.call(script).ok(exit=exit, within=1)
        same(reply.text.rstrip("\n"), text, f"text of {script}")


@case("C37.a")
def characters_at_the_very_end(t):
    t.call("printf 'é'").ok("é")
    t.call("printf 'x😀'; exit 2").ok("x😀", exit=2)
    t.call("printf 'x\\xe2\\x82'").ok("x\ufffd")
    t.call("printf 'no-eol' >&2; printf 'more'").ok("no-eolmore")
    t.call("printf '[cell: exit 0]'; exit 3").ok(" [cell: exit 0]", exit=3)


@case("C37.b")
def blank_lines_and_late_ends(t):
    t.call("printf '\\n\\nx'").ok("\n\nx")
    t.call("python3 -c 'import sys; sys.stdout.write(\"a\\n\\nb\"); sys.exit(3)'").ok("a\n\nb", exit=3)
    t.call("printf 'a'; sleep 0.3; printf 'b'; (sleep 0.05; printf 'c') & wait").ok("abc")
    t.call("printf '12'; (exit 34)").ok("12", exit=34)


@case("C38")
def late_output_of_a_timed_out_call(t):
    t.call("echo A; sleep 5; echo LATE; exit 9", timeout=1).timeout(1, within=6, has_=("A",))
    lacks(t.call("true").ok("").raw, "LATE")
    time.sleep(6)  # the moment at which LATE would have come is the point; there is no event for its absence
    t.call("echo B").ok("B")
    t.call("false").ok("", exit=1)
    t.call("true").ok("")


@case("C38.a")
def late_output_of_a_background_job(t):
    t.call("(until [ -e /tmp/go ]; do sleep 0.02; done; echo LATE; echo LATE >&2; touch /tmp/said) & echo A").ok("A")
    t.call("touch /tmp/go; until [ -e /tmp/said ]; do sleep 0.02; done; echo B", timeout=10).ok("B")
    t.call("echo C").ok("C")


@case("C38.b")
def late_exit_code(t):
    t.call("(until [ -e /tmp/go ]; do sleep 0.02; done; touch /tmp/gone; exit 9) & echo A").ok("A")
    t.call("touch /tmp/go; until [ -e /tmp/gone ]; do sleep 0.02; done", timeout=10).ok("")
    t.call("true").ok("")
    t.call("kill -9 $$").ok(exit=137)
    for code in (0, 1, 0, 255, 0):
        t.call(f"exit {code}").ok("", exit=code)


@case("C39")
def twenty_at_once(t):
    start = time.monotonic()
    t.call("true").ok("")
    calls = {i: f"for k in 1 2 3; do echo tok-{i}; sleep 0.05; done; exit_code(){{ return {i}; }}; exit_code"
             for i in range(1, 21)}
    for i in calls:
        t.owe(i)
    t.send_bytes("".join(t.call_line(command, i) + "\n" for i, command in calls.items()))
    for i in calls:
        Reply(t.answer(i, 20), 0).ok("\n".join([f"tok-{i}"] * 3), exit=i)
    check(time.monotonic() - start < 20 * t.slowness, "20 calls took longer than 20 s")


@case("C39.a")
def parallel_floods(t):
    calls = {n: t.start_call(f"yes line-{n} | head -n 3000; echo end-{n} >&2; exit {n}") for n in range(1, 9)}
    for n, call in calls.items():
        reply = t.finish_call(call).ok(exit=n)
        others = {line for line in reply.lines if line.startswith(("line-", "end-"))} - {f"line-{n}", f"end-{n}"}
        same(others, set(), f"lines of other calls in reply {n}")
        same(reply.lines[-1], f"end-{n}", "last line")


@case("C39.b")
def parallel_state_changes(t):
    t.call("cd /; v=0").ok("")
    slow = t.start_call("touch /tmp/started; until [ -e /tmp/done ]; do sleep 0.02; done; ls / >/dev/null; pwd; w=from-slow")
    t.call("until [ -e /tmp/started ]; do sleep 0.02; done; cd /usr; v=1; f() { echo F; }").ok("")
    t.call("touch /tmp/done").ok("")
    t.finish_call(slow).ok("/")
    t.call("pwd; echo $v $w; f").ok("/usr\n1 from-slow\nF")
