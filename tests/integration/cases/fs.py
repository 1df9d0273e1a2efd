"""FS: read-only root, exec, owners of files."""

import os

from checks import check, has, lacks, same
from registry import FOLDER, case


@case("C71")
def read_only_root_and_home(t):
    t.call("touch /etc/x; echo rc=$?").ok(has_=("Read-only file system", "rc=1"))
    t.call("git config --global user.name t && git config --global user.name").ok("t")
    t.call("git config --global user.name").ok("t")
    reply = t.call("cd /workspace && mkdir -p np && cd np && (command -v npm >/dev/null && npm init -y >/dev/null || true); "
                   "python3 -m venv /workspace/.v >/dev/null 2>&1; python3 -c 'import pathlib; "
                   "p=pathlib.Path.home()/\".cache\"; p.mkdir(parents=True,exist_ok=True); print(p)'", timeout=90).ok()
    has(reply.text, "/.cache")
    npm = t.call("command -v npm").exit == 0
    check(npm or t.bench.engine != "oci" or not os.path.exists("/usr/bin/npm"), "this machine's npm is not there")
    check(os.path.exists(f"{t.server.workspace}/np/package.json") == npm, "npm init made nothing")
    t.call("echo $HOME; test -w \"$HOME\" && echo writable").ok(has_=("writable",))


@case("C71.a")
def nothing_of_the_root_can_be_written(t):
    # Each try must fail, and as a refusal by the file system, not for want of the folder.
    script = ("for d in / /etc /usr /usr/bin /bin /lib /run /run/cell /proc/sys/kernel /sys; do [ -d $d ] || continue; "
              "if touch $d/x 2>/tmp/e; then echo \"WROTE $d\"; else grep -qE 'Read-only|denied|No such file' /tmp/e || "
              "cat /tmp/e; fi; done; rm -f /usr/bin/env 2>/dev/null && echo REMOVED; echo over")
    t.call(script).ok("over")
    t.call("sed -i s/root/toor/ /etc/passwd; echo rc=$?").ok(has_=("rc=4",))
    t.call(": > /run/cell/bashcell-init; echo rc=$?").ok(has_=("rc=1",))


@case("C71.b")
def caches_of_tools_have_a_place(t):
    t.call("printf 'int main(){return 3;}' > m.c && gcc m.c -o m && ./m").ok("", exit=3, within=20)
    t.call("cd /tmp; python3 -c 'import sqlite3; sqlite3.connect(\"a.db\").execute(\"create table t(x)\"); print(1)'").ok("1")
    t.call("echo ${XDG_CACHE_HOME:-$HOME/.cache} | xargs mkdir -p && mktemp && mktemp -d >/dev/null && ls -ld \"$HOME\" | cut -c1"
           ).ok(has_=("/tmp/tmp.", "d"))
    t.call("ssh-keygen -q -t ed25519 -N '' -f ~/.k 2>&1; ls ~/.k*; echo \"set x\" > ~/.inputrc; history -w ~/.h; ls ~/.h").ok(
        has_=(".k.pub", "/.h"))


@case("C72")
def exec_in_workspace_and_tmp(t):
    t.call("printf '#!/bin/sh\\necho ran\\n' > /workspace/s.sh; chmod +x /workspace/s.sh; /workspace/s.sh").ok("ran")
    reply = t.call("printf '#!/bin/sh\\necho ran\\n' > /tmp/s.sh; chmod +x /tmp/s.sh; /tmp/s.sh; echo rc=$?; "
                   "mount | grep -E ' /(tmp|workspace) '")
    same(reply.lines[:2], ["ran", "rc=0"], "first lines")
    lacks(reply.text, "noexec")


@case("C72.a")
def compiled_programs_and_libraries(t):
    for folder in ("/workspace", "/tmp"):
        t.call(f"cd {folder}; echo 'int f(void){{return 7;}}' > l.c; gcc -shared -fPIC l.c -o l.so && "
               "echo 'int f(void); int main(){return f();}' > p.c && gcc p.c ./l.so -o p && ./p").ok("", exit=7, within=30)
        t.call(f"python3 -c 'import ctypes; print(ctypes.CDLL(\"{folder}/l.so\").f())'").ok("7")


@case("C72.b")
def interpreters_and_set_uid(t):
    t.call("printf '#!/usr/bin/env python3\\nprint(6*7)\\n' > p; chmod +x p; ./p; cp /bin/echo /tmp/e; /tmp/e copied").ok(
        "42\ncopied")
    t.call("cp /usr/bin/id /workspace/i; chmod 4755 /workspace/i; /workspace/i -u").ok("1000")
    t.call("cd /tmp; mkfifo q; (echo through > q &); cat q; ln -s /bin/ls l; ./l -d /").ok("through\n/")


def owner(t, name):
    return os.stat(os.path.join(t.server.workspace, name)).st_uid


@case("C74", needs=FOLDER)
def owners_of_the_workspace(t):
    refused = t.start(workspace=t.make_workspace("roots", owner=0, mode=0o700))
    refused.checks_alive = False
    reply = refused.call("touch /workspace/a; echo rc=$?").refused(refused.workspace, "1000")
    check(not os.listdir(refused.workspace), "something was written")
    has(reply.raw, "chown")
    other = t.start(workspace=t.make_workspace("others", owner=1001))
    other.call("touch /workspace/a; echo rc=$?; id -u").ok("rc=0\n1001")
    same(os.stat(f"{other.workspace}/a").st_uid, 1001, "host owner of a file in a workspace of 1001")
    usual = t.start()
    usual.call("touch /workspace/a && stat -c %u /workspace/a").ok("1000")
    same(os.stat(f"{usual.workspace}/a").st_uid, 1000, "host owner")


@case("C74.a", needs=FOLDER)
def a_user_given_by_option(t):
    server = t.start("--user", "1234:2345", workspace=t.make_workspace("mine", owner=1234))
    server.call("touch a; mkdir d; id -u; id -g; stat -c %u:%g a; echo $HOME; test -w $HOME && echo w").ok(
        has_=("1234\n2345\n1234:2345", "w"))
    info = os.stat(f"{server.workspace}/d")
    same((info.st_uid, info.st_gid), (1234, 2345), "host owner")
    refused = t.start("--user", "1234:2345", workspace=t.make_workspace("not-mine", owner=1000))
    refused.checks_alive = False
    refused.call("touch a").refused(refused.workspace, "1234")
    check(not os.listdir(refused.workspace), "something was written")


@case("C74.b", needs=FOLDER)
def modes_decide_not_owners(t):
    open_to_all = t.start(workspace=t.make_workspace("open", owner=0, mode=0o777))
    open_to_all.call("touch a; id -u").ok("1000")
    same(os.stat(f"{open_to_all.workspace}/a").st_uid, 1000, "host owner")
    read_only = t.start(workspace=t.make_workspace("locked", owner=1000, mode=0o500))
    read_only.checks_alive = False
    read_only.call("touch a").refused(read_only.workspace)
    os.chmod(read_only.workspace, 0o700)
    read_only.checks_alive = True
    read_only.call("touch a; umask; stat -c %a a").ok("0022\n644")
