"""EXIT: which code a reply names."""

from checks import check, has, same
from registry import case


@case("C61")
def pipelines(t):
    for script, exit in (("false | true", 0), ("yes | head -1", 0), ("seq 1 100000 | head -2", 0),
                         ("grep -c zzz /etc/passwd | cat", 0), ("set -o pipefail; false | true", 1)):
        t.call(script).ok(exit=exit, within=3)
    t.call("false | true; echo ${PIPESTATUS[0]}").ok("1")


@case("C61.a")
def a_masked_failure_is_told_not_raised(t):
    status = t.call("(exit 2) | cat").ok(exit=0).status
    has(status, "exit 0", "stages 2|0")
    same(t.call("yes | head -1").ok("y").status, "", "status of an excused SIGPIPE")
    same(t.call("grep -q zzz /etc/passwd | cat; true").ok("").status, "", "status when the last pipeline is fine")
    has(t.call("(exit 3) | (exit 4) | (exit 5)").ok(exit=5).status, "exit 5")


@case("C61.b")
def negations_lists_and_groups(t):
    for script, exit in (("! false", 0), ("! true | false", 0), ("true && false || (exit 6)", 6), ("{ true; (exit 7); }", 7),
                         ("(exit 8) & wait $!", 8), ("x=$(exit 9)", 9), ("local x=1 2>/dev/null", 1), ("if false; then :; fi", 0),
                         ("while false; do :; done", 0), ("[[ a == b ]]", 1), ("((0))", 1), ("coproc false; wait $!", 1)):
        t.call(script).ok(exit=exit)


@case("C63")
def codes_with_a_meaning(t):
    t.call("printf 'x' > /workspace/nx; /workspace/nx").ok(exit=126)
    t.call("/workspace").ok(exit=126)
    t.call("nosuchcmd_zz").ok(exit=127)
    t.call("(exit 300)").ok(exit=44)
    t.call("echo a | grep b").ok(exit=1)
    t.call("echo warn >&2").ok("warn")


@case("C63.a")
def the_ends_of_the_range(t):
    for number in (1, 2, 125, 126, 127, 128, 129, 200, 254, 255):
        t.call(f"exit {number}").ok("", exit=number)
    for script, exit in (("exit 256", 0), ("exit -1", 255), ("(exit 65535)", 255), ("exit abc", 2)):
        check(t.call(script).ok(exit=exit).is_error is False, script)


@case("C63.b")
def deaths_of_a_child_by_signal(t):
    for number in (1, 2, 6, 9, 11, 13, 15):
        t.call(f"bash -c 'kill -{number} $$'").ok(exit=128 + number)
    t.call("python3 -c 'import os; os.abort()'").ok(exit=134)
    t.call("diff <(echo a) <(echo b)").ok(exit=1, has_=("< a",))
    t.call("timeout 0.2 sleep 5").ok("", exit=124)
