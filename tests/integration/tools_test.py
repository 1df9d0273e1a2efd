"""The tools that scripts need work under the system call filter, and the calls that could harm the host do not."""

import json

from checks import check, same
from registry import case

PYTHON = """
import asyncio, concurrent.futures, multiprocessing, sqlite3, ssl

def square(n):
    return n * n

async def child():
    process = await asyncio.create_subprocess_exec('echo', 'child', stdout=asyncio.subprocess.PIPE)
    return (await process.communicate())[0].decode().strip()

async def served():
    server = await asyncio.start_server(lambda r, w: (w.write(b'served'), w.close()), '127.0.0.1', 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    text = await reader.read()
    writer.close()
    server.close()
    return text.decode()

if __name__ == '__main__':
    with multiprocessing.Pool(3) as pool:
        print(sum(pool.map(square, range(10))))
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        print(sum(threads.map(square, range(10))))
    print(asyncio.run(child()), asyncio.run(served()))
    base = sqlite3.connect('/workspace/t.db')
    base.executescript('pragma journal_mode=wal; create table t(x); insert into t values (1), (2);')
    print(base.execute('select sum(x) from t').fetchone()[0])
    print(len(ssl.create_default_context().get_ca_certs()) > 10)
"""

NODE = """
const fs = require("fs"), { Worker } = require("worker_threads"), { execSync } = require("child_process");
fs.writeFileSync("n.txt", "written");
new Worker("require('worker_threads').parentPort.postMessage(6 * 7)", { eval: true }).on("message", (n) => {
  console.log(n, execSync("cat n.txt").toString(), new Intl.NumberFormat("de").format(1234.5));
  require("http").createServer((q, s) => s.end("ok")).listen(0, "127.0.0.1", function () {
    require("http").get({ port: this.address().port, host: "127.0.0.1" }, (r) => r.on("data", (d) => {
      console.log(String(d)); process.exit(0); }));
  });
});
"""


@case("tools.git")
def git(t):
    t.call("git init -q a && cd a && git config user.name t && git config user.email t@example.com && echo one > f && "
           "git add f && git commit -q -m first && echo two >> f && git commit -q -a -m second && git checkout -q -b side "
           "HEAD~1 && echo x > g && git add g && git commit -q -m third && git merge -q -m merged - && git gc -q && "
           "git clone -q . ../b && cd ../b && git log --oneline | wc -l && git diff --stat HEAD~1 | tail -1; git fsck",
           timeout=60).ok(has_=("4\n", "1 file changed"))


@case("tools.python3")
def python3(t):
    t.call(f"cat > /tmp/p.py <<'EOF'{PYTHON}EOF\npython3 /tmp/p.py", timeout=60).ok("285\n285\nchild served\n3\nTrue")


@case("tools.gcc")
def gcc(t):
    t.call("printf '#include <stdio.h>\\n#include <pthread.h>\\nvoid *f(void *x) { return x; }\\nint main(void) { pthread_t p; "
           "pthread_create(&p, 0, f, 0); pthread_join(p, 0); puts(\"hello\"); return 3; }\\n' > h.c && gcc -O2 -pthread h.c "
           "-o h && ./h", timeout=60).ok("hello", exit=3)
    t.call("printf '#include <iostream>\\nint main() { std::cout << 7 << std::endl; }\\n' > h.cpp && "
           "printf 'h2: h.cpp\\n\\tg++ -o h2 h.cpp\\n' > Makefile && make -s && ./h2", timeout=90).ok("7")


@case("tools.node")
def node(t):
    t.call(f"cat > n.js <<'EOF'{NODE}EOF\nnode n.js", timeout=60).ok("42 written 1.234,5\nok")


@case("tools.files")
def files(t):
    t.call("mkdir -p d/e; seq 1 1000 > d/e/f; ln -s f d/e/l; mkfifo d/p; tar -czf d.tgz d && rm -r d && tar -xzf d.tgz && "
           "find d -type f -size +1k -newermt 2000-01-01 -exec wc -l {} + && find d -type l -printf '%l\\n' && "
           "cp -a d g && diff -r --no-dereference d/e g/e && tar -cJf d.txz d && tar -tJf d.txz | wc -l && "
           "find . -name f -print0 | xargs -0 -P 4 -n 1 md5sum | cut -d' ' -f1 | uniq | wc -l", timeout=60).ok(
        "1000 d/e/f\nf\n5\n1")
    t.call("truncate -s 1M s; fallocate -l 64K a; stat -c %s s a; flock s echo locked; touch -d @5 s; stat -c %Y s; "
           "timeout 0.1 tail -c 0 -f s; du -sb a | cut -f1").ok("1048576\n65536\nlocked\n5\n65536")


@case("tools.text")
def text(t):
    t.call("seq 100000 | shuf | sort -n --parallel=4 | awk '{s += $1 * NR} END {printf \"%d\\n\", s / 1000}'", timeout=60).ok(
        str(sum(n * n for n in range(1, 100001)) // 1000))
    t.call("echo '[{\"a\":1},{\"a\":2}]' | jq -c 'map(.a * 10) | add'; echo 'a1b22' | sed -E 's/[0-9]+/#/g'; "
           "grep -c . /etc/passwd > /dev/null && paste -sd+ <(seq 4) | bc; printf 'b\\na\\n' | sort | tr '\\n' ,; "
           "printf 'x,y\\n' | cut -d, -f2; comm -12 <(seq 5) <(seq 3 9) | xargs; perl -ne 'chomp; print scalar reverse' <<< abc"
           ).ok("30\na#b#\n10\na,b,y\n3 4 5\ncba")


# name: (number on x86_64, arguments). Without a filter some of these succeed, or fail for their arguments only.
NEW_USER, NEW_NS, NEW_PID, SIGCHLD, CHARACTER_DEVICE = 0x10000000, 0x00020000, 0x20000000, 17, 0o020666
FORBIDDEN = {
    "unshare (user)": (272, (NEW_USER,)), "unshare (mount)": (272, (NEW_NS,)), "setns": (308, (-1, 0)),
    "prlimit of PID 1": (302, (1, 7, 0, 0)),
    "clone (user)": (56, (NEW_USER | SIGCHLD, 0, 0, 0, 0)), "clone (pid)": (56, (NEW_PID | SIGCHLD, 0, 0, 0, 0)),
    "clone3": (435, (0, 0)), "mount": (165, (0, 0, 0, 0, 0)), "umount2": (166, (0, 0)), "pivot_root": (155, (0, 0)),
    "chroot": (161, (0,)), "fsopen": (430, (0, 0)), "fsmount": (432, (-1, 0, 0)), "move_mount": (429, (-1, 0, -1, 0, 0)),
    "open_tree": (428, (-1, 0, 0)), "mount_setattr": (442, (-1, 0, 0, 0, 0)), "ptrace (traceme)": (101, (0, 0, 0, 0)),
    "process_vm_readv": (310, (1, 0, 0, 0, 0, 0)), "process_vm_writev": (311, (1, 0, 0, 0, 0, 0)),
    "kcmp": (312, (1, 1, 0, 0, 0)), "bpf": (321, (0, 0, 0)), "keyctl": (250, (0, -3, 0, 0, 0)),
    "add_key": (248, (0, 0, 0, 0, 0)), "request_key": (249, (0, 0, 0, 0)), "io_uring_setup": (425, (1, 0)),
    "io_uring_enter": (426, (-1, 0, 0, 0, 0)), "io_uring_register": (427, (-1, 0, 0, 0)), "userfaultfd": (323, (0,)),
    "userfaultfd (user mode)": (323, (1,)), "perf_event_open": (298, (0, 0, -1, -1, 0)),
    "mknod (device)": (133, ("/tmp/dev", CHARACTER_DEVICE, 0x103)), "reboot": (169, (0, 0, 0, 0)),
    "mknodat (device)": (259, (-100, "/tmp/dev", CHARACTER_DEVICE, 0x103)), "kexec_load": (246, (0, 0, 0, 0)),
    "kexec_file_load": (320, (-1, -1, 0, 0, 0)), "init_module": (175, (0, 0, 0)), "finit_module": (313, (-1, 0, 0)),
    "delete_module": (176, (0, 0)), "swapon": (167, (0, 0)), "swapoff": (168, (0,)), "sethostname": (170, (0, 0)),
    "setdomainname": (171, (0, 0)), "settimeofday": (164, (0, 0)), "acct": (163, (0,)), "quotactl": (179, (0, 0, 0, 0)),
    "open_by_handle_at": (304, (-1, 0, 0)), "iopl": (172, (3,)), "ioperm": (173, (0, 1, 1)), "syslog": (103, (3, 0, 0)),
    "vhangup": (153, ()), "lookup_dcookie": (212, (0, 0, 0)), "personality (no randomising)": (135, (0x0040000,)),
    "socket (packet)": (41, (17, 3, 0)), "socket (vsock)": (41, (40, 1, 0)), "socket (alg)": (41, (38, 5, 0)),
    "fanotify_init": (300, (0, 0)),
}
PROBE = """
import ctypes, json, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def attempt(number, arguments):
    ctypes.set_errno(0)
    values = [ctypes.c_char_p(a.encode()) if isinstance(a, str) else ctypes.c_long(a) for a in arguments]
    result = libc.syscall(ctypes.c_long(number), *values)
    if result == 0 and number == 56: os._exit(0)  # the child of a clone that should not have been
    return [result, ctypes.get_errno()]
print(json.dumps({name: attempt(*call) for name, call in json.load(sys.stdin).items()}))
"""


@case("tools.forbidden", "--max-chars", "20000")
def forbidden_system_calls(t):
    check(t.call("uname -m").ok().text == "x86_64", "the numbers above are those of x86_64")
    calls = {**FORBIDDEN, "getpid": (39, ()), "socket (unix)": (41, (1, 1, 0))}
    reply = t.call(f"cat > /tmp/probe.py <<'EOF'{PROBE}EOF\npython3 /tmp/probe.py <<'EOF'\n{json.dumps(calls)}\nEOF",
                   timeout=60).ok()
    results = json.loads(reply.text)
    for name in ("getpid", "socket (unix)"):
        check(results.pop(name)[0] > 0, f"the probe itself does not work: {name}")
    refused = {"EPERM": 1, "ENOSYS": 38}
    no_such_family = 97  # EAFNOSUPPORT: what a kernel without these sockets says
    wrong = {name: result for name, result in results.items() if result[0] != -1 or (
        result[1] not in refused.values() and not (name.startswith("socket") and result[1] == no_such_family))}
    same(wrong, {}, "calls not refused with EPERM or ENOSYS")
    same(results["clone3"], [-1, 38], "clone3, which C libraries try first")


@case("tools.other_abi")
def system_calls_by_other_numbers(t):
    """The x32 numbers reach the same kernel functions: refused, or the end of the process."""
    reply = t.call("python3 -c \"import ctypes; print(ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39)))\"")
    check(reply.exit == 159 or reply.text == "-1", f"getpid by the x32 number: {reply.raw!r}")
    script = ("printf 'int main(void) { int r; __asm__ volatile (\"int $0x80\" : \"=a\"(r) : \"a\"(20)); return r > 0; }' > a.c; "
              "gcc a.c -o a; ./a")
    reply = t.call(script, timeout=60)
    check(reply.exit in (0, 139, 159), f"getpid by the 32-bit gate: {reply.raw!r}")
    check(reply.text == "" or reply.exit != 0, f"the program was not built: {reply.raw!r}")
