"""HEAL: commands that are missing, and scripts that fail for what they lack."""

from checks import check, has, lacks, same
from registry import case

# What no table and no index knows: nothing is installed for it, so nothing of these cases depends on a network.
OFF = ("--install", "off")


@case("C79", *OFF)
def what_is_called_otherwise_here(t):
    for script, nearest in (("python -c 'print(1)'", "python3"), ("rg -n root /etc/passwd | head -1", "grep"), ("ll / | head -1", "ls")):
        reply = t.call(script)
        if "command not found" in reply.text:
            has(reply.text, "command not found")
            has(reply.status, nearest)
        else:
            lacks(reply.status, "exit")  # this root has it
    t.call("pip --version | head -1").within(5)
    reply = t.call("definitely_not_a_tool --x; echo rc=$?").ok(within=1)
    same(reply.text, "script: line 1: definitely_not_a_tool: command not found\nrc=127", "text")


@case("C79.a", *OFF)
def a_typing_error(t):
    reply = t.call("gti status")
    same(reply.text, "script: line 1: gti: command not found", "text")
    has(reply.status, "exit 127", "git")
    lacks(t.call("git --version").ok().status, "git")


@case("C79.b", *OFF)
def an_option_that_is_not_there(t):
    reply = t.call("grep --no-such-option x /etc/passwd").ok(exit=2)
    has(reply.text, "unrecognized option")
    check(len(reply.status) < 240, f"a long hint: {reply.status}")
    same(t.call("grep -c root: /etc/passwd").ok().text, "1", "text of the next call")


@case("C80")
def the_logic_of_the_script_sees_127(t):
    t.call("echo a | nosuch_a | cat; echo ${PIPESTATUS[1]}").ok(has_=("nosuch_a: command not found\n127",))
    t.call("(nosuch_b); echo rc=$?").ok(has_=("\nrc=127",))
    t.call('x=$(nosuch_c); echo "[$x] $?"').ok(has_=("\n[] 127",))
    reply = t.call("for i in 1 2 3 4 5; do nosuch_d; done; echo end").ok()
    same(reply.lines[-1], "end", "last line")
    same(reply.status.count("nosuch_d"), 0, "hints")
    same(t.call("nosuch_e || echo fallback").ok().lines[-1], "fallback", "last line")
    same(t.call("if ! nosuch_f 2>/dev/null; then echo quiet; fi").ok().raw, "quiet", "reply")
    same(t.call("command -v nosuch_g; type nosuch_g 2>/dev/null; echo rc=$?").ok().raw, "rc=1", "reply")


@case("C80.a")
def functions_and_traps_see_it_too(t):
    t.call("f() { nosuch_a; echo $?; }; f 2>/dev/null").ok("127")
    t.call("set -e; nosuch_b 2>/dev/null; echo not reached").ok(exit=127)
    t.call("trap 'echo trapped $?' ERR; nosuch_c 2>/dev/null; true").ok("trapped 127")
    t.call("nosuch_d() { echo mine; }; nosuch_d; unset -f nosuch_d; nosuch_d 2>/dev/null; echo $?").ok("mine\n127")
    t.call("bash -c 'nosuch_e; echo $?' 2>/dev/null; sh -c 'nosuch_e; echo $?' 2>/dev/null").ok("127\n127")


@case("C80.b")
def a_handler_of_the_scripts_own(t):
    t.call("command_not_found_handle() { echo \"no $1\"; return 3; }; nosuch_a; echo $?").ok("no nosuch_a\n3")
    t.call("nosuch_b; echo $?").ok("no nosuch_b\n3")
    t.call("unset -f command_not_found_handle; nosuch_c 2>&1; echo $?").ok(has_=("nosuch_c",))
    t.call("nosuch_d; echo $?").ok("script: line 1: nosuch_d: command not found\n127")


@case("C82")
def nothing_is_run_twice(t):
    t.call("rm -f /workspace/n; echo x >> /workspace/n; rg foo /etc/passwd; ll >/dev/null; python -c 1", 100)
    t.call("wc -l < /workspace/n").ok("1")


@case("C82.a", *OFF)
def what_is_missed_by_others_is_not_run_again(t):
    t.call("echo x >> n; env nosuch_a; echo y | xargs nosuch_b; sh -c nosuch_c; python3 -c 'import nosuch_d'; nosuch_e --x")
    t.call("wc -l < n").ok("1")


@case("C82.b", *OFF)
def scripts_that_do_not_parse_are_not_run_again(t):
    t.call("echo x >> n\nif true; then\n").ok(exit=2)
    t.call("echo x >> n\ngrep --bogus x /etc/passwd; echo y >> m")
    t.call("cat n | wc -l; wc -l < m").ok("2\n1")


@case("C84", *OFF)
def no_root_here(t):
    for script in ("sudo ls /; echo rc=$?", "apt-get install -y jq; echo rc=$?", "systemctl status; echo rc=$?"):
        reply = t.call(script).within(3)
        lacks(reply.text, "rc=0", "assword:")
    reply = t.call("id -u; su -c id; echo rc=$?").within(3)
    check(reply.lines[0].isdigit() and reply.lines[0] != "0", f"uid: {reply.lines[0]}")
    lacks(reply.text, "rc=0")


@case("C84.a", *OFF)
def it_is_said_why(t):
    for script in ("sudo ls /", "apt-get install -y jq", "dnf install -y jq"):
        reply = t.call(script).within(3)
        check(reply.exit not in (0, None), f"{script} ended with {reply.exit}")
        has(reply.status, "no root")
        if "install" in script:
            has(reply.status, "call jq")


@case("C84.b", *OFF)
def no_password_is_asked_for(t):
    t.call("su - </dev/null; su -c id root; newgrp root </dev/null; echo rc=$?").within(5).ok(has_=("rc=",))
    same(t.call("echo alive").ok().text, "alive", "text of the next call")
