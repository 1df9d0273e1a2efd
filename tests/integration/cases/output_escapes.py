"""OUTPUT, continued: encodings, control bytes, escapes, progress bars."""

import re

from checks import check, has, lacks, same
from registry import case
from cases.output_ import fits


def clean(reply):
    """What every text promises: no control characters but newline and tab."""
    bad = re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", reply.raw)
    check(not bad, f"control characters {bad[:5]} in {reply.raw[:300]!r}")
    return reply


@case("C54")
def invalid_utf8(t):
    reply = clean(t.call("printf '\\xf0\\x28\\x8c\\x28\\xff\\xfe'; echo ok")).ok(has_=("ok",))
    check("\ufffd" in reply.text or "\\xf0" in reply.text, f"nothing stands for the bad bytes: {reply.text!r}")
    clean(t.call("printf '\\xed\\xa0\\x80|\\xc0\\xaf|\\xf4\\x90\\x80\\x80'; echo ok2")).ok(has_=("ok2", "|"))
    clean(t.call("head -c 3000 /dev/urandom; echo; echo ok3")).ok(has_=("ok3",))
    check(clean(t.call("printf 'caf\\xe9\\n'")).ok().text.startswith("caf"), "text before the bad byte is lost")


@case("C54.a")
def bad_bytes_between_good_ones(t):
    for bad in ("\\x80", "\\xbf\\xbf", "\\xe2\\x82", "\\xf0\\x9f\\x98", "\\xc3", "\\xfe\\xff", "\\xf8\\x88\\x80\\x80\\x80",
                "\\xed\\xbf\\xbf", "\\xe0\\x80\\x80", "\\xf4\\x90"):
        reply = clean(t.call(f"printf 'é<{bad}>😀\\n'; exit 7")).ok(exit=7)
        check(re.fullmatch("é<\ufffd+>😀", reply.text), f"{bad}: {reply.text!r}")


@case("C54.b")
def characters_split_between_writes(t):
    t.call("printf '\\xf0\\x9f'; sleep 0.2; printf '\\x98\\x80|'; printf '\\xc3'; sleep 0.1; printf '\\xa9'").ok("😀|é")
    reply = clean(fits(t.call("for i in $(seq 1 4000); do printf 'ab\\xffcd\\xe4\\xb8\\xad'; done; echo; echo end"))).ok()
    has(reply.text, "end", "ab\ufffdcd中")
    clean(fits(t.call("cat /bin/ls; echo; echo ok4; exit 2"))).ok(exit=2, has_=("ok4",))


@case("C55")
def control_bytes(t):
    reply = clean(t.call("printf 'a\\0b\\1c\\177d\\n'; exit 6")).ok(exit=6)
    check(re.search("a.*b.*c.*d", reply.text), f"letters lost: {reply.text!r}")
    clean(fits(t.call("head -c 100000 /dev/zero; echo end"))).ok(has_=("end",))


@case("C55.a")
def each_control_byte_alone(t):
    script = "for i in $(seq 0 31) 127; do printf \"<\\\\x$(printf %x $i)>\"; done; echo; echo end"
    first = clean(t.call(script)).ok(has_=("end",))
    same(t.call(script).text, first.text, "the same bytes shown a second time")


@case("C55.b")
def binary_formats(t):
    for script in ("gzip -c /etc/passwd", "printf 'x' | tar -cf - /etc/hostname 2>/dev/null",
                   "python3 -c \"import sys; sys.stdout.buffer.write(bytes(range(256)) * 20)\"",
                   "printf '\\0%.0s' 1 2 3; printf 'UTF-16' | iconv -t UTF-16LE"):
        clean(fits(t.call(f"{script}; echo; echo end; exit 3"))).ok(exit=3, has_=("end",))


@case("C57")
def terminal_sequences(t):
    clean(t.call("printf '\\033[31mred\\033[0m \\033[?25l\\033[2J\\033[1;1Hhome\\n'")).ok(has_=("red", "home"), lacks_=("[",))
    clean(t.call("printf '\\033]0;TITLE\\007\\033]8;;http://x.example/\\033\\\\link\\033]8;;\\033\\\\\\033]52;c;aGk=\\007"
                 "\\033P+q\\033\\\\end\\n'")).ok(has_=("link", "end"), lacks_=("TITLE", "aGk="))
    clean(t.call("printf 'ok\\033]0;never-ended'; echo; echo after")).ok(has_=("ok", "after"))
    clean(t.call("printf '\\302\\2331mC1\\n'")).ok(has_=("C1",))
    clean(t.call("ls --color=always / | head -3; grep --color=always root /etc/passwd")).ok(has_=("root",))


@case("C57.a")
def sequences_split_and_unfinished(t):
    clean(t.call("printf 'a\\033'; sleep 0.1; printf '['; sleep 0.1; printf '31mb\\033[0m\\n'")).ok("ab")
    clean(t.call("printf 'c\\033[38;2;1;2;3md\\033[m\\033(Be\\033=f\\033>g\\0337h\\0338\\n'")).ok("cdefgh")
    for end in ("\\033", "\\033[", "\\033[38;5", "\\033P q", "\\033_apc", "\\033^pm", "\\033Xsos", "\\302"):
        clean(t.call(f"printf 'seen {end}'; echo; echo after; exit 2")).ok(exit=2, has_=("seen", "after"))


@case("C57.b")
def programs_that_colour(t):
    clean(t.call("git init -q /tmp/c && cd /tmp/c && echo x > f && git -c color.ui=always status")).ok(has_=("Untracked",))
    clean(t.call("echo 'int main(){' > e.c; gcc -fdiagnostics-color=always e.c; true")).ok(has_=("error",))
    clean(t.call("echo '{\"a\":1}' | jq -C .; node -e 'console.log(\"\\u001b[1mbold\\u001b[22m\")'")).ok(has_=('"a"', "bold"))
    clean(t.call("tput setaf 1; tput bold; tput clear; echo plain; echo $TERM/${NO_COLOR-unset}")).ok(has_=("plain", "dumb/"))
    lacks(t.call("echo $NO_COLOR").raw, "unset", "(no output)")


@case("C58")
def progress_bars(t):
    reply = t.call("for i in $(seq 0 100); do printf '\\r%3d%% [%-50s]' $i \"$(printf '%*s' $((i/2)) '' | tr ' ' '#')\"; "
                   "done; echo; echo done").ok(has_=("100%", "done"), lacks_=(" 42%",))
    check(len(reply.raw) < 300, f"{len(reply.raw)} characters for a progress bar")
    t.call("printf 'one\\r\\ntwo\\r\\n'").ok("one\ntwo")
    t.call("printf 'abcdef\\rXY\\n'").ok("XYcdef")
    same(t.call("printf 'a\\b\\bb\\n'").ok().text.strip(), "b", "erased text")


@case("C58.a")
def backspaces_and_overstrikes(t):
    t.call("printf 'N\\bNA\\bAM\\bME\\bE\\n'; printf '_\\bu_\\bn\\n'").ok("NAME\nun")
    t.call("printf 'working |\\b/\\b-\\b\\\\\\b done\\n'").ok("working  done")
    t.call("printf '50%%\\r100%%\\r\\n'; printf 'a\\r\\r\\nb\\r'; echo").ok("100%\na\nb")
    t.call("printf 'ab\\rc\\b\\b\\bd\\n'").ok("db")


@case("C58.b")
def bars_of_real_programs(t):
    t.call("dd if=/dev/zero of=/tmp/d bs=1M count=20 status=progress 2>&1 | tr '\\n' '\\n' | tail -1").ok(has_=("copied",))
    reply = t.call("python3 -c \"\nimport sys\nfor i in range(5001):\n    sys.stderr.write(f'\\r{i}/5000 \\x1b[K')\n"
                   "sys.stderr.write('\\n')\n\"; echo end").ok(has_=("5000/5000", "end"), lacks_=("4999/5000",))
    check(len(reply.raw) < 100, f"{len(reply.raw)} characters for a counter")
    t.call("printf 'é中\\rx\\n'").ok("x中")
