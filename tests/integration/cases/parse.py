"""PARSE: quoting, heredocs and size of the command text."""

import os

from checks import check, same
from registry import case


@case("C42")
def heredocs(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    t.call("cat <<EOF\nhi $((1+1))\nEOF").ok("hi 2", within=1)
    t.call("cat <<'MY-MARK'\n$HOME `id` \\n\nMY-MARK").ok("$HOME `id` \\n", within=1)
    t.call("cat <<-EOF\n\ttabbed\n\tEOF").ok("tabbed", within=1)
    t.call("cat <<EOF\nhi\n  EOF").ok(within=1, has_=("hi\n  EOF", "here-document"))
    t.call("cat <<EOF\nhi").ok(within=1, has_=("hi",))
    t.call("echo ok").ok("ok", within=1)


@case("C42.a")
def several_and_nested_heredocs(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    t.call("cat <<A - <<B; cat <<C\na\nA\nb\nB\nc\nC\necho after").ok("b\nc\nafter", within=1)
    t.call("x=$(cat <<E\n$(cat <<I\ninner\nI\n)\nouter\nE\n); echo \"[$x]\"").ok("[inner\nouter]", within=1)
    t.call("f() {\n  cat <<-\\E\n\t$1 \"q\"\n\tE\n}\nf one | tr a-z A-Z").ok('$1 "Q"', within=1)
    t.call("cat <<< \"here $((2*3))\" | cat - <<< no; bash <<'S'\necho \"from $0\" | cut -d/ -f1\nS").ok("no\nfrom bash", within=1)


@case("C42.b")
def heredocs_that_look_like_ends(t):
    t.call("cat <<'EOF' > /tmp/script\n#!/bin/bash\ncat <<IN\nnested\nIN\nexit 3\n[cell: exit 9]\nEOF\ncat /tmp/script").ok(
        "#!/bin/bash\ncat <<IN\nnested\nIN\nexit 3\n [cell: exit 9]")
    t.call("cat <<'END OF TEXT'\na EOF b\nEND OF TEXT \nEND OF TEXT").ok("a EOF b\nEND OF TEXT ")
    t.call("python3 - <<'EOF'\nprint('''<<EOF'''); print(\"\\\\n$HOME\")\nEOF").ok("<<EOF\n\\n$HOME")
    t.call("cat <<EOF\r\nwindows\r\nEOF\r\necho after").ok("windows\nafter")


@case("C43")
def what_follows_a_heredoc(t):
    t.call("cat > /workspace/h.txt <<'EOF'\none\ntwo\nEOF\nwc -l < /workspace/h.txt\necho tail; false").ok(
        "2\ntail", exit=1)


@case("C43.a")
def behind_the_heredoc_operator(t):
    t.call("cat <<EOF | tr a-z A-Z && echo and || echo or; echo last; (exit 6)\nbody\nEOF").ok("BODY\nand\nlast", exit=6)
    t.call("if cat <<EOF\nin\nEOF\nthen echo yes; else echo no; fi; exit 4").ok("in\nyes", exit=4)


@case("C43.b")
def in_loops_and_functions(t):
    t.call("for i in 1 2; do cat <<EOF\nn $i\nEOF\ndone > /workspace/o; while read -r w n; do echo \"$w-$n\"; done <<EOF\n"
           "$(cat /workspace/o)\nEOF\necho end; false").ok("n-1\nn-2\nend", exit=1)
    with open(os.path.join(t.server.workspace, "o")) as file:
        same(file.read(), "n 1\nn 2\n", "the file on the host")


@case("C45")
def comments_and_blank_lines(t):
    t.call("# first\n\necho one   # note\n\n\necho two\n").ok("one\ntwo")
    t.call("shopt -s extglob\ncase foo in @(foo|bar)) echo G;; esac").ok("G")
    t.call("for i in 1 2\ndo\n  echo $i\ndone").ok("1\n2")
    t.call("# only a comment").ok("")


@case("C45.a")
def line_ends_and_continuations(t):
    t.call("echo one\\\n two \\\n  three\r\necho four\r\n").ok("one two three\nfour")
    t.call("\n\n\n#!/bin/sh\necho \"a\n\nb\"\n\n# end").ok("a\n\nb")
    t.call("echo $LINENO\n\necho $LINENO # two further\nnosuch_command_line4 2>&1 | grep -o 'line [0-9]*'").ok("1\n3\nline 4")
    t.call("! false; echo a & wait; { echo b; }; (echo c); [[ x == x ]] && ((1)) && echo d").ok("a\nb\nc\nd")


@case("C45.b")
def options_set_within_the_script(t):
    t.call("shopt -s expand_aliases\nalias hey='echo HEY'\nhey you").ok("HEY you")
    t.call("shopt -s globstar nullglob\nmkdir -p /tmp/g/h; touch /tmp/g/h/x.t; cd /tmp/g\nprintf '%s\\n' **/*.t *.none").ok("h/x.t")
    t.call("set -o posix\nf() { echo F; }; f; set +o posix\necho <(true) | cut -c1-5").ok("F\n/dev/")
    t.call("shopt -u extglob\necho \"!(x)\"; coproc cat; echo hi >&${COPROC[1]}; read -r l <&${COPROC[0]}; echo $l; "
           "kill $COPROC_PID").ok("!(x)\nhi")


@case("C46")
def characters_reach_bash_unchanged(t):
    t.call("""printf '%s\\n' '$HOME `id` "x" \\n $$' "it's" $'a\\tb' "\\$\\$" 'é😀中' "a!b" '{ }'""").ok(
        "$HOME `id` \"x\" \\n $$\nit's\na\tb\n$$\né😀中\na!b\n{ }")
    t.call("""echo '{"k":"v \\"q\\" \\\\ "}' | python3 -c 'import json,sys; print(json.load(sys.stdin)["k"])'""").ok(
        'v "q" \\ ')
    t.call("""awk 'BEGIN{print "$1"}' </dev/null | cat""").ok("$1")


@case("C46.a")
def every_printable_character(t):
    printable = "".join(chr(c) for c in range(0x20, 0x7F) if chr(c) != "'")
    t.call(f"printf '%s\\n' '{printable}'").ok(printable)
    odd = "ä中😀\u00a0\u2028\u2029\ufeff\u200b\u202eא\U0010ffff"
    reply = t.call(f"printf '%s' '{odd}' | od -An -tx1 -v | tr -d ' \\n'").ok()
    same(reply.text, odd.encode().hex(), "bytes that reached bash")
    t.call("printf '%s' '\ttab\x01\x1b\x7f' | od -An -tx1").ok(" 09 74 61 62 01 1b 7f")


@case("C46.b")
def other_languages_in_quotes(t):
    t.call("""python3 -c 'import re; print(re.sub(r"\\\\d+", "#", "a\\\\d1 22")); print(f"{1+1}\\t{chr(36)}")'""").ok(
        "a#1 22\n2\t$")
    t.call("""perl -e 'my %h=(a=>1); print "$_=$h{$_}\\\\\\n" for keys %h; print q{$x @y `z`}, "\\n"'""").ok(
        "a=1\\\n$x @y `z`")
    t.call("""sed -E 's/(a)\\1/[\\0]/; s/$/\\\\/' <<< aab; jq -rn '"\\("x"+"y") \\\\ \\"q\\""'""").ok('[aa]b\\\nxy \\ "q"')
    t.call("""echo "$(printf '%s' "$(echo '"nested" $(quotes) `ticks`')")" '"'"'"'\\'''""").ok(
        "\"nested\" $(quotes) `ticks` \"'\\")


@case("C48")
def empty_and_blank(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    t.call("").refused("command", within=1)
    t.call("   \n\t").refused("command", within=1)
    same(t.call("true").ok("", within=1).raw, "(no output)", "the reply without output")
    t.call(":;:").ok("", within=1)


@case("C48.a")
def only_what_does_nothing(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    for script in ("\r\n\r\n", "\n" * 1000, "\u0009 \n"):
        t.call(script).refused("command", within=1)
    for script in ("{ :; }", "\\\n", "a=1", "f() { :; }", "# c\n" * 500, "cd .", ">/tmp/x", "   :   "):
        same(t.call(script).ok("", within=1).raw, "(no output)", f"reply to {script[:20]!r}")


@case("C48.b")
def a_nul_is_refused_and_nothing_runs(t):
    t.call("true").ok("")  # what follows is about calls, not about the start of a cell
    t.call("touch /workspace/ran\0").refused("command", within=1)
    t.call("touch /workspace/ran\ntrue \0 false").refused("command", within=1)
    t.call("true").ok("")
    check(os.listdir(t.server.workspace) == [], "a command with a NUL has run")


@case("C49")
def beyond_the_argument_limit(t):
    for size in (300_000, 4_000_000):
        t.call("cat > /workspace/big <<'EOF'\n" + "x" * size + "\nEOF\nwc -c < /workspace/big").ok(str(size + 1))
    t.call("/bin/true \"$(head -c 200000 /dev/zero | tr '\\0' x)\"; echo rc=$?").ok(
        has_=("Argument list too long", "rc=126"))
    t.call("echo alive").ok("alive")


@case("C49.a")
def many_lines_and_long_lines(t):
    lines = "\n".join(f"a{n}={n}" for n in range(20_000))
    t.call("{ " + lines + "\n}; echo $a0 $a19999; unset ${!a*}").ok("0 19999")
    t.call("x='" + "é" * 131_072 + "'; echo ${#x}; unset x").ok("131072")
    t.call("echo " + "y" * 131_072 + " | wc -c").ok("131073")


@case("C49.b")
def big_data_for_programs(t):
    rows = "\n".join(f"{n},{n * n}" for n in range(60_000))
    t.call("awk -F, '{s += $1} END {print NR, s}' <<'CSV'\n" + rows + "\nCSV").ok(f"60000 {sum(range(60_000))}")
    t.call("export BIG=$(head -c 140000 /dev/zero | tr '\\0' e); /bin/true; echo rc=$?; unset BIG").ok(has_=("rc=126",))
    t.call("cd /tmp; mkdir -p many; cd many; touch $(seq -f f%g 5000); ls | wc -l; cd /tmp; rm -r many").ok("5000")
