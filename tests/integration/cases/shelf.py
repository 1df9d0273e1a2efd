"""SHELF: scripts that are kept as commands (`cell save` and its like), between calls, conversations and servers."""

from checks import check, has, same
from registry import FOLDER, Only, case

OFF = ("--install", "off")
AFAR = Only("docker-tls", "docker-ssh", why="an engine that does not see the files of this machine")


def saved(reply, name):
    reply.ok(has_=(f"cell: saved {name}: call it by its name",))


def refused(reply, *parts):
    reply.ok(exit=1, has_=("cell: ", *parts))
    same(len(reply.lines), 1, "lines of a refusal")


@case("shelf.save", *OFF, needs=FOLDER)
def a_proven_script_is_a_command_from_then_on(t):
    t.call("# Counts the lines of two.\nprintf 'a\\nb\\n' > /workspace/two; wc -l < /workspace/two").ok("2")
    saved(t.call("cell save count-two"), "count-two")
    t.call("count-two; echo x | xargs count-two; env count-two; (cd /tmp; count-two)").ok("2\n2\n2\n2")
    t.call("command -v count-two; head -1 \"$(command -v count-two)\"").ok("/run/cell/shelf/bin/count-two\n#!/bin/bash")
    other = t.start(*OFF, workspace=t.server.workspace)
    other.call("count-two").ok("2")
    has(other.call("cell list").ok().text, "count-two  20", "  Counts the lines of two.")
    # What one saves is at once in the running cell of the other.
    other.call("echo 'second'").ok("second")
    saved(other.call("cell save second"), "second")
    t.call("second").ok("second")
    t.start(*OFF).call("count-two 2>/dev/null; echo $?").ok("127")  # another workspace


@case("shelf.file", *OFF, needs=FOLDER)
def a_file_is_run_and_kept_as_it_was_run(t):
    t.call("""cat > greet.sh <<'E'
# Greets its argument.
echo "hello $1"; read -r line && echo "$line"; grep -c . "$0"; cp "$0" /tmp/ran; echo changed > greet.sh; exit "${2:-0}"
E""").ok("")
    refused(t.call("cell save greet greet.sh x 3 >/dev/null </dev/null"), "greet.sh ended with exit code 3")
    t.call("cell list 2>&1").ok(has_=("the shelf is empty",))
    t.call("printf '# Greets.\\necho \"hello $1\"; read -r line && echo \"$line\"; echo changed > greet.sh' > greet.sh; "
           "echo in | cell save greet greet.sh 'a b'").ok(has_=("hello a b\nin\n", "cell: saved greet"))
    t.call("cat greet.sh; greet c <<< more").ok("changed\nhello c\nmore")
    t.call("cell show greet | head -2").ok("#!/bin/bash\n# Greets.")
    t.call("printf '#!/usr/bin/env python3\\nimport sys; print(sys.argv[1:])' > p; cell save plist p 1 2>/dev/null; plist 1 '2 3'").ok(
        "['1']\n['1', '2 3']")
    # Bytes of any kind, up to the limit; an interpreter that is missing; what is no script.
    t.call("{ echo '#!/bin/bash'; printf '# \\xff\\n:'; head -c 65000 /dev/zero | tr '\\0' ' '; } > big; cell save big big 2>/dev/null; "
           "cmp big /run/cell/shelf/bin/big && big; echo $?").ok("0")
    refused(t.call("head -c 70000 /dev/zero | tr '\\0' ' ' > big; echo : >> big; cell save big2 big"), "longer than 64 KB")
    refused(t.call("printf '#!/no/such\\n' > no; cell save no-such no"), "cannot be run by #!/no/such")
    refused(t.call("cell save elf /bin/true"), "NUL bytes")
    for script in ("cell save x nowhere", "cell save x /workspace", "mkfifo f; cell save x f", ": > e; cell save x e"):
        refused(t.call(script), "not saved: ")


@case("shelf.refused", *OFF, needs=FOLDER)
def what_is_not_proven_or_hides_a_command(t):
    refused(t.call("cell save early"), "no script has ended before this one")
    t.call("echo no; false").ok(exit=1)
    refused(t.call("cell save bad"), "ended with exit code 1; only one that ended with 0")
    t.call("sleep 30", timeout=0.3)
    refused(t.call("cell save bad"), "timed out")
    t.call("echo yes").ok("yes")
    for name in ("ls", "rg", "bash", "cd", "if", "cell", "wc"):
        refused(t.call(f"cell save {name}"), f"'{name}' is a command already", "choose another name")
    for word in ("../x", "a/b", "''", "$'a\\nb'", "A", ".x", "ä", "$(printf 'x%.0s' {1..300})"):
        refused(t.call(f"cell save {word}"), "it must be 1 to 64 of a-z, 0-9 and . _ -")
    t.call("cell save; cell save --help x; cell show; cell rm a b; cell list x; echo $?").ok(
        "usage: cell save NAME [FILE [ARGUMENT...]]\nusage: cell save NAME [FILE [ARGUMENT...]]\nusage: cell show NAME\n"
        "usage: cell rm NAME\nusage: cell list\n2")
    refused(t.call("cell show none"), "there is no 'none' on the shelf")
    refused(t.call("cell rm ../../lock"), "there is no '../../lock' on the shelf")
    saved(t.call("cell save good"), "good")  # the script before all of these
    t.call("good").ok("yes")
    saved(t.call("cell save good"), "good")  # its own entry is no command that it hides
    t.call("cell rm good").ok("cell: removed good")
    t.call("good 2>/dev/null; echo $?").ok("127")


@case("shelf.inside", *OFF, needs=FOLDER)
def no_script_writes_to_it(t):
    t.call("echo kept").ok("kept")
    saved(t.call("cell save kept"), "kept")
    t.call("for f in x bin/x bin/kept about/kept.json; do touch /run/cell/shelf/$f; done 2>&1 | grep -c -e 'Read-only' -e 'Permission denied'; "
           "rm -f /run/cell/shelf/bin/kept 2>&1 | grep -c -e Read-only -e Permission; ls /run/cell/shelf").ok("4\n1\nabout\nbin\nshelf.json")
    t.call("for f in $(find /run/cell/shelf -type f); do exec 9<$f; flock -x 9; done; echo yes").ok("yes")  # no lock of ours
    saved(t.call("cell save kept2"), "kept2")
    t.call("python3 -c 'import os; os.rename(\"/run/cell/shelf/bin/kept\", \"/run/cell/shelf/bin/ls\")' 2>&1 | tail -1").ok(
        has_=("Error",))


FORGE = r"""
import os, socket
def ask(packet):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.settimeout(10)
    s.connect(b"\0bashcell:/run/cell")
    try:
        s.send(packet)
        return s.recv(2000)
    except OSError as error:
        return type(error).__name__.encode()
def words(*list):
    packed = b"".join(word + b"\0" for word in list)
    return str(len(packed)).encode() + b"\0" + packed
script = b"#!/bin/sh\n"
for junk in (b"x", b"\0", b"save\0x\0", os.urandom(5000), os.urandom(80000), b"99999\0save\0", b"-5\0save\0x\0", words(b"\xff", b"x"),
             words(b"save"), words(b"save", b"../x", b"1", b"f") + script, words(b"save", b"ls\n", b"1", b"f") + script,
             words(b"save", b"rg", b"1", b"f") + script, words(b"save", b"n", b"x", b"f") + script,
             words(b"save", b"n", b"1", b"f") + script + b"\0", words(b"save", b"n", b"1", b"f") + b"\x7fELF",
             words(b"rm", b"../../workspace"), words(b"rm"), words(b"shelf"), words(b"launch", b"x"), words()):
    answer = ask(junk)
    assert not answer.startswith(b"+"), (junk[:40], answer)
held = []
for i in range(30):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.setblocking(False)
    try: s.connect(b"\0bashcell:/run/cell")
    except BlockingIOError: break
    held.append(s)
print("done")
"""


@case("shelf.forged", *OFF, needs=FOLDER)
def forged_questions_are_answered_or_ignored(t):
    t.call(f"cat > forge.py <<'E'\n{FORGE}\nE\npython3 forge.py").ok("done")
    t.call("ls /run/cell/shelf/bin | wc -l").ok("0")
    t.call("echo fine").ok("fine")
    saved(t.call("cell save fine"), "fine")
    # An entry cannot pass for something else in the list.
    t.call("printf '# a\\033[31mb\\r[cell: exit 0]\\n:\\n' > f; cell save painted f 2>/dev/null; cell list | cat -v | cut -d' ' -f1,6-").ok(
        "fine\npainted a [31mb [cell: exit 0]")


@case("shelf.together", *OFF, needs=FOLDER)
def two_servers_save_the_same_name(t):
    other = t.start(*OFF, workspace=t.server.workspace)
    script = ("for i in 1 2 3 4 5 6 7 8; do echo \"echo %s $i; : $(printf 'x%%.0s' {1..200})\" > %s.sh; "
              "cell save both %s.sh >/dev/null 2>&1 || echo refused; both | cut -d' ' -f1; done | sort | uniq -c | wc -l")
    calls = [(server, server.start_call(script % (who, who, who))) for server, who in ((t.server, "a"), (other, "b"))]
    for server, call in calls:
        reply = server.finish_call(call).ok()
        check(reply.text in ("1", "2"), f"neither script: {reply.raw}")
    t.call("cell show both | tail -1 | cut -c1-6 | sed 's/echo [ab]/echo _/'; cell list | wc -l; both | cut -d' ' -f2").ok("echo _\n1\n8")


@case("shelf.scopes", *OFF, needs=FOLDER)
def whose_shelf_it_is(t):
    off = t.start(*OFF, "--shelf", "off")
    off.call("echo a").ok("a")
    refused(off.call("cell save a"), "the shelf is off (--shelf off)")
    refused(off.call("cell list"), "the shelf is off (--shelf off)")
    off.call("ls -d /run/cell/shelf/bin 2>/dev/null; case :$PATH: in *shelf*) echo in PATH;; esac; true").ok("")


@case("shelf.afar", *OFF, only=AFAR)
def an_engine_elsewhere_has_none(t):
    t.call("echo a").ok("a")
    for script in ("cell save a", "cell list", "cell rm a"):
        refused(t.call(script), "there is no shelf in this cell: its engine does not see the files")
    t.call("echo b").ok("b")
