"""STDIN: a program waits for input that never comes."""

from checks import check, has, lacks, same
from registry import case

MAKE_REPOSITORY = (
    "rm -rf /workspace/g && git init -q /workspace/g && cd /workspace/g && git config user.name t && "
    "git config user.email t@example.com && for i in 1 2 3; do git commit -q --allow-empty -m $i; done; "
    "git rev-parse HEAD >/tmp/h0")
SAME_HEAD = ("cd /workspace/g && test \"$(git rev-parse HEAD)\" = \"$(cat /tmp/h0)\" && echo same; "
             "git status --short | wc -l")


def fails_fast(reply, seconds=3):
    """A refused editor: not 0, soon, without escape sequences, and said in words."""
    check(not reply.is_error and reply.exit not in (0, None), f"expected a failing exit code: {reply.raw!r}")
    lacks(reply.raw, "\x1b")
    check(reply.text.strip(), "the refusal says nothing")
    reply.within(seconds)


@case("C10")
def readers_see_the_end(t):
    t.call("cat").ok("", within=2)
    t.call("python3").ok("", within=2)
    t.call("read -r x; echo rc=$?").ok("rc=1", within=2)
    t.call("head -c 1; echo done").ok("done", within=2)
    check(t.call("bc 2>/dev/null; sort; wc -l").ok(within=2).text.endswith("0"), "wc did not count 0 lines")


@case("C10.a")
def interpreters_and_scanners(t):
    t.call("perl -e 'my @l = <STDIN>; print scalar(@l), \" lines\\n\"'").ok("0 lines", within=2)
    t.call("sh; bash -s; awk 'END {print NR}'; mapfile -t a; echo ${#a[@]}").ok("0\n0", within=2)
    t.call("node -e 'process.stdin.on(\"data\", () => {}).on(\"end\", () => console.log(\"end\"))'").ok("end", within=4)
    t.call("tar -tf - 2>&1 | tail -1; gcc -x c -c -o /tmp/e.o - && echo compiled").ok(within=4, has_=("compiled",))


@case("C10.b")
def there_is_no_terminal(t):
    t.call("cat /dev/tty; echo rc=$?").ok(within=2, has_=("rc=1",))
    t.call("test -t 0 -o -t 1 -o -t 2 || echo none; tty").ok("none\nnot a tty", exit=1, within=2)
    t.call("python3 -c 'import getpass; getpass.getpass()' 2>&1 | tail -1").ok(within=4, has_=("EOFError",))
    t.call("readlink /proc/self/fd/0").ok("/dev/null", within=2)


@case("C11")
def nobody_eats_the_control_channel(t):
    t.call("cat").ok("")
    t.call("echo B").ok("B")
    t.call("head -c 4096 >/dev/null; echo A; false").ok("A", exit=1)
    t.call("while IFS= read -r l; do echo \"got:$l\"; done; echo end").ok("end")


@case("C11.a")
def a_reader_inside_a_read_loop(t):
    t.call("printf '1\\n2\\n3\\n' > /tmp/l; while read -r n <&3; do cat >/dev/null; echo $n; done 3< /tmp/l").ok("1\n2\n3")
    t.call("python3 -c 'import os; print(os.read(0, 65536))'; (exit 7)").ok("b''", exit=7)
    t.call("echo C").ok("C")


@case("C11.b")
def no_descriptor_is_the_control_channel(t):
    reply = t.call("for f in /proc/self/fd/* /proc/$$/fd/*; do readlink $f; done | sort -u").ok()
    lacks(reply.text, "socket:")
    t.call("for f in /proc/$$/fd/*; do n=${f##*/}; { timeout 0.2 cat <&$n; echo junk >&$n; } >/dev/null 2>&1; done;"
           " (exit 5)", timeout=20).ok(exit=5)
    t.call("echo D").ok("D")
    t.call("false").ok("", exit=1)


@case("C12")
def editor_for_commit_and_rebase(t):
    t.call(MAKE_REPOSITORY).ok()
    fails_fast(t.call("cd /workspace/g && git commit --allow-empty"))
    fails_fast(t.call("cd /workspace/g && git rebase -i HEAD~1"))
    t.call(SAME_HEAD).ok("same\n0")


@case("C12.a")
def editor_for_tag_merge_and_amend(t):
    t.call(MAKE_REPOSITORY).ok()
    t.call("cd /workspace/g && git checkout -q -b side && git commit -q --allow-empty -m s && git checkout -q -").ok()
    fails_fast(t.call("cd /workspace/g && git tag -a v1"))
    fails_fast(t.call("cd /workspace/g && git commit --amend --allow-empty"))
    fails_fast(t.call("cd /workspace/g && git merge --no-ff --edit side"))
    t.call("cd /workspace/g && git merge --abort; git tag | wc -l").ok(has_=("0",))
    t.call(SAME_HEAD).ok("same\n0")


@case("C12.b")
def other_askers_for_an_editor(t):
    t.call(MAKE_REPOSITORY).ok()
    fails_fast(t.call("cd /workspace/g && git notes add"))
    reply = t.call("cd /workspace/g && git config --edit").within(3)  # git itself exits 0 here
    has(reply.text, "There was a problem with the editor")
    lacks(reply.raw, "\x1b")
    fails_fast(t.call("cd /workspace/g && git branch --edit-description"))
    fails_fast(t.call("echo keep > /tmp/f; $EDITOR /tmp/f"))
    fails_fast(t.call("$VISUAL /tmp/f"))
    t.call("cat /tmp/f; git -C /workspace/g notes list | wc -l").ok("keep\n0")
    t.call(SAME_HEAD).ok("same\n0")


@case("C13")
def pagers(t):
    t.call(MAKE_REPOSITORY).ok()
    log = t.call("cd /workspace/g && for i in $(seq 200); do git commit -q --allow-empty -m m$i; done; "
                 "git log --oneline | cat >/dev/null; git log --oneline", timeout=60)
    log.ok(within=30, lacks_=("(END)", "not fully functional"), has_=(" m200", " 1"))
    t.call("git log --oneline").ok(within=5, lacks_=("(END)", "not fully functional"), has_=(" m200",))
    less = t.call("less /etc/passwd | head -1; less /etc/passwd").ok(within=5, lacks_=("(END)", "not fully functional"))
    has(less.text, "root:")
    check(len(less.lines) > 2, f"less did not print the file: {less.text!r}")
    last = t.call("man bash 2>/dev/null | head -1; echo $PAGER/$GIT_PAGER/$MANPAGER").ok(within=5)
    same(last.lines[-1], "cat/cat/cat", "pagers")


@case("C13.a")
def a_pager_asked_for_by_force(t):
    t.call(MAKE_REPOSITORY).ok()
    quiet = ("(END)", "not fully functional", "\x1b")
    t.call("cd /workspace/g && git -p log --format=%s").ok("3\n2\n1", within=3, lacks_=quiet)
    t.call("echo a > f; git add f; git diff --cached; git -p show --stat").ok(within=3, lacks_=quiet, has_=("+a",))
    t.call("more /etc/passwd | tail -n +1 | head -1; $PAGER /etc/hostname >/dev/null; echo $?").ok(within=3, lacks_=quiet)


@case("C13.b")
def help_of_interpreters(t):
    quiet = ("(END)", "not fully functional", "--More--", "\x1b")
    t.call("python3 -c 'help(len)'").ok(within=4, lacks_=quiet, has_=("len(obj",))
    t.call("help cd | head -3; git help -a | head -3").ok(within=4, lacks_=quiet, has_=("cd:",))
    t.call("perldoc -f sprintf 2>&1 | head -2; git branch; echo end").ok(within=5, lacks_=quiet, has_=("end",))
