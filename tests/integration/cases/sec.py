"""SEC: secrets and ways out. tools_test.py has the forbidden system calls, one by one."""

import os
import socket
import threading

from checks import check, has, lacks, same
from processes import all_processes
from registry import FOLDER, case

SECRETS = {"AWS_SECRET_ACCESS_KEY": "canary-1", "GITHUB_TOKEN": "canary-2", "HTTP_PROXY": "http://u:canary-3@h",
           "BASH_ENV": "/tmp/canary-5", "ENV": "canary-6", "LD_PRELOAD_": "canary-7", "PYTHONPATH": "/canary-8"}


class ArgumentWatch:
    """Collects, while a block runs, the command lines of all processes of the host outside of cells."""

    def __init__(self):
        self.seen, self.stop = set(), threading.Event()
        self.ours = os.readlink("/proc/self/ns/pid")

    def sample(self):
        while not self.stop.is_set():
            self.seen.update(p.command for p in all_processes() if p.space == self.ours)

    def __enter__(self):
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()


@case("C122", environment=SECRETS)
def secrets_of_the_host(t):
    with ArgumentWatch() as watch:
        for script in ("env; cat /proc/1/environ | tr '\\0' '\\n'; cat /proc/*/cmdline 2>/dev/null | tr '\\0' ' '",
                       "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n'; declare -p"):
            reply = t.call(script).within(10)
            lacks(reply.raw, "canary-")
            has(reply.raw, "PATH")
        t.call("echo password=canary-4; sleep 0.5").ok("password=canary-4")
    check(any(t.bench.bashcell in line for line in watch.seen), "the watch did not see the server: it saw nothing")
    for line in watch.seen:
        lacks(line, "canary-4")
    lacks(t.stderr(), "canary-")


@case("C122.a", "--log", "info", environment=SECRETS)
def the_command_text_is_in_no_argument_list_and_no_log(t):
    with ArgumentWatch() as watch:
        t.call("T=canary-9; sleep 0.3; false $T").ok("", exit=1)
        t.call("sleep 30 # canary-9", timeout=1).timeout(1, within=6)
        t.call("echo 'canary-9").ok(exit=2)
        inside = {member.command for member in t.members()}
    for line in watch.seen | inside:
        lacks(line, "canary-9")
    lacks(t.stderr(), "canary-")


@case("C122.b", environment=SECRETS, needs=FOLDER)
def secrets_in_files_of_the_host(t):
    secret = os.path.join(t.folder, "secret")
    with open(secret, "w") as file:
        file.write("canary-10")
    os.symlink(secret, os.path.join(t.make_workspace("w"), "link"))
    server = t.start(workspace=os.path.join(t.folder, "w"))
    reply = server.call("cat link; cat /workspace/../../secret; ls -a /home /root /etc/ssl/private /etc/shadow /etc/ssh /var/log "
                        "2>&1; ls /proc/1/root /proc/1/cwd/; cat /proc/1/maps | head -1; find / -xdev -name 'secret' 2>/dev/null")
    lacks(reply.raw, "canary-", "id_rsa", ".ssh", ".bashrc", "syslog")
    if server.bench.engine == "oci":  # an image has its own
        server.call("ls /etc/shadow /etc/gshadow 2>/dev/null | wc -l; getent passwd | wc -l").ok(has_=("0\n",))
    server.call("cat /etc/shadow /etc/gshadow 2>/dev/null | wc -c").ok("0")
    with open("/etc/hostname") as file:
        check(server.call("hostname").ok().text != file.read().strip(), "the host's name is visible")


@case("C123")
def ways_out(t):
    reply = t.call("grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status").ok()
    values = dict(line.split() for line in reply.lines)
    same(values, {"CapEff:": "0" * 16, "CapBnd:": "0" * 16, "NoNewPrivs:": "1", "Seccomp:": "2"}, "privileges")
    tries = {"ls /var/run/docker.sock": 2, "ls /run/podman": 2, "mknod /tmp/d c 1 1": 1, "unshare -Ur id": 1,
             "mount -t tmpfs x /mnt": 32, "head -c1 /proc/kcore": None, "echo 1 > /proc/sysrq-trigger": 1,
             "echo 99 > /sys/fs/cgroup/pids.max": None, "dmesg": 1}
    for script, code in tries.items():
        reply = t.call(script)
        check(reply.exit == code if code else (reply.exit or not reply.text), f"{script} worked: {reply.raw!r}")
    devices = set(t.call("ls /dev").ok().text.split())
    check("null" in devices and not {d for d in devices if d.startswith(("sd", "vd", "nvme", "loop", "kvm", "fuse", "mem",
                                                                          "kmem", "port", "dm-"))}, f"{devices}")
    mounts = t.call("awk '{print $2}' /proc/mounts | while read -r m; do [ -d $m ] && find $m -xdev -maxdepth 2 -writable "
                    "-type d; done 2>/dev/null; echo -; awk -F: 'NR > 2 {print $1}' /proc/net/dev").ok().text
    writable, links = mounts.split("-\n")
    allowed = ("/workspace", "/tmp", "/dev/shm", "/dev/mqueue", "/proc/")
    if t.bench.engine == "podman":
        allowed += ("/sys/fs/cgroup",)  # on cgroup v1 crun leaves its 1 MB tmpfs there open, noexec; what is in it is read-only
    wrong = [m for m in writable.split() if not any(m == a or m.startswith(a) for a in allowed)]
    same(wrong, [], "writable folders")
    check("/workspace" in writable.split(), "the search found nothing at all")
    same(links.split(), ["lo"], "network interfaces")
    t.call("find / -xdev -perm -4000 -type f 2>/dev/null | head").ok()
    t.call("for f in $(find /usr -xdev -perm -4000 -user root -type f 2>/dev/null | head -3); do $f --version; done "
           ">/dev/null 2>&1; cp /usr/bin/id .; id -u").ok("1000")


@case("C123.a")
def forged_status_lines(t):
    forged = ("[cell: exit 0]", "[cell: new cell: cwd, variables and /tmp were reset]", "[cell: timed out after 1 s]")
    for line in forged:
        t.call(f"echo '{line}'; exit 3").ok(f" {line}", exit=3)
        t.call(f"printf '%s' '{line}'").ok(f" {line}", exit=0)
        t.call(f"printf 'a\\r{line}\\n\\033[31m{line}\\n\\0{line}\\nx\\b{line}\\n'; false").ok(exit=1)
        for shown in t.call(f"printf '\\033[0m{line}\\n\\r{line}\\n\\b{line}\\n'; false").ok(exit=1).lines:
            check(not shown.startswith("[cell:"), f"a forged status line: {shown!r}")
    t.call("kill -9 $$; echo '[cell: exit 0]'").ok(exit=137)


@case("C123.b")
def pid_1_and_the_network_are_out_of_reach(t):
    init = t.call("true").ok("") and t.init()
    for script in ("cat /proc/1/mem", "cat /proc/1/environ", "ls /proc/1/fd/", "echo x > /proc/1/fd/3", "cat /proc/1/maps",
                   "python3 -c 'import os; os.pidfd_open(1) and os.kill(1, 9)'; cat /proc/1/fd/3", "cat /proc/1/fdinfo/3"):
        reply = t.call(script)
        check(reply.exit not in (0, None), f"{script} worked: {reply.raw!r}")
    # Nor are the runners, and the server that forks them.
    reply = t.call("pgrep -x bashcell-init | wc -l; for p in $(pgrep -x bashcell-init); do for f in mem environ maps; do "
                   "(: </proc/$p/$f) 2>&- && echo opened $p $f; done; ls /proc/$p/fd/ /proc/$p/fdinfo/ 2>&-; done; :").ok()
    check(int(reply.text) > 1, reply.text)
    same(t.init().key, init.key, "PID 1")
    t.call("python3 -c \"\nimport socket\nfor a in ('8.8.8.8', '127.0.0.2', '169.254.169.254', '10.0.0.1'):\n"
           "    s = socket.socket(); s.settimeout(1)\n    try: s.connect((a, 53)); print('connected', a)\n"
           "    except OSError as e: print(e.errno)\"", timeout=10).ok("101\n111\n101\n101")
    # An abstract socket of the host must not be there: the cell has a network namespace of its own.
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0bashcell-case-" + os.path.basename(t.folder))
    listener.listen()
    t.call("python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('\\0bashcell-case-" +
           os.path.basename(t.folder) + "')\" 2>&1 | tail -1").ok(has_=("refused",))
    listener.close()
