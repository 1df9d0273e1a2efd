"""ENV: locale, terminal, time zone."""

import os
import time

from checks import check, lacks, same
from registry import case

WARNINGS = ("setlocale", "cannot change locale", "perl: warning", "Falling back")


@case("C76")
def locale_exists(t):
    reply = t.call("echo $LANG $LC_ALL; printf 'é' | wc -m; bash -c true; perl -e 1; python3 -c 'import sys; "
                   "print(sys.stdout.encoding, open(\"/workspace/ü.txt\",\"w\").encoding)'; ls /workspace/ü.txt").ok()
    lacks(reply.text, *WARNINGS)
    same([line.lower() for line in reply.lines[-3:]], ["1", "utf-8 utf-8", "/workspace/ü.txt"], "last lines")
    check(reply.lines[0].startswith("C.UTF-8"), f"LANG {reply.lines[0]!r}")


@case("C76.a")
def programs_agree_on_characters(t):
    t.call("printf 'äöü\\n' | sed 's/./x/g'; printf 'äé' | awk '{print length($0)}'; x=añb; echo ${#x} ${x:1:1}; "
           "echo é | tr -d '\\n' | wc -c; printf 'É' | grep -ic é").ok("xxx\n2\n3 ñ\n2\n1")
    t.call("touch 'a😀b' 'naïve'; ls; python3 -c 'import os; print(sorted(os.listdir(\".\")))'; rm a* n*").ok(
        "a😀b\nnaïve\n['a😀b', 'naïve']")


@case("C76.b")
def the_terminal_is_none(t):
    t.call("echo $TERM; echo ${COLUMNS-unset}; tput cols >/dev/null 2>&1; ls -C / | head -1 | tr -d 'a-z0-9. \\t' ").ok(
        has_=("dumb",))
    reply = t.call("locale 2>&1; man -k x 2>&1 | head -1; sort <<< $'b\\nA\\na' | tr '\\n' ' '").ok()
    lacks(reply.text, *WARNINGS)
    check(reply.lines[-1].strip() == "A a b", f"sorted as {reply.lines[-1]!r}")


@case("C78")
def utc(t):
    reply = t.call("date +%z; echo ${TZ:-unset}; python3 -c 'import time; print(time.tzname[0])'").ok()
    check(reply.lines in (["+0000", "UTC", "UTC"], ["+0000", "unset", "UTC"]), f"{reply.lines}")
    t.call("test $(( $(date +%s) - $(stat -c %Y /workspace/.) )) -ge -2 && echo sane").ok("sane")


@case("C78.a", environment={"TZ": "Asia/Kolkata"})
def the_hosts_zone_does_not_get_in(t):
    t.call("date -d @0 +%H:%M; node -e 'console.log(new Date(0).getHours())'; perl -e 'print scalar(localtime(0)), \"\\n\"';"
           " git init -q r; cd r; git -c user.name=t -c user.email=t@e commit -q --allow-empty -m m; git log -1 --format=%ad"
           " | grep -o '.....$'").ok("00:00\n0\nThu Jan  1 00:00:00 1970\n+0000")
    t.call("TZ=America/New_York date -d @0 +%z; date -d @0 +%z").ok("-0500\n+0000")


@case("C78.b")
def clocks_agree_with_the_host(t):
    before = int(time.time())
    reply = t.call("date +%s; touch /workspace/now; stat -c %Y /workspace/now; python3 -c 'import time; print(int(time.time()))'").ok()
    for line in reply.lines:
        check(before - 1 <= int(line) <= time.time() + 1, f"{line} is not now ({before})")
    modified = os.stat(f"{t.server.workspace}/now").st_mtime
    check(before - 1 <= modified <= time.time() + 1, "file time on the host")
