#!/usr/bin/env python3
"""--network: a cell reaches what it was given, says so, and nothing else.

    network_test.py BASHCELL docker|podman     with a network of the engine's of scripts/engines.sh
    network_test.py BASHCELL oci               with pasta and slirp4netns, in a network of the test's own

Exits with 77 where it cannot run, unless BASHCELL_REQUIRE names the engine.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from own_servers import NameServer, Server

BASHCELL, ENGINE = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
SLOWNESS = float(os.environ.get("BASHCELL_TEST_SLOWNESS", "1"))
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
ALONE = "BASHCELL_TEST_OWN_NETWORK"  # set in the namespaces that the oci tests make for themselves
HOST, OTHER_HOST, GATEWAY = "198.51.100.2", "203.0.113.7", "198.51.100.1"  # addresses for documentation: RFC 5737
USER = 54321  # an ordinary user

ASK = """exec 3<>/dev/tcp/{address}/{port} || exit 9
printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3
while IFS= read -r line; do last=$line; done <&3
echo "$last"
"""


class Session:
    """One server over its pipes; one call after the other."""

    def __init__(self, folder, options, prefix=(), program=BASHCELL):
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.process = subprocess.Popen([*prefix, program, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env={**environment, "HOME": folder}, cwd="/", text=True)
        self.last_id = 0

    def call(self, command):
        self.last_id += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.last_id, "method": "tools/call", "params": {
            "name": "bash", "arguments": {"command": command, "timeout": 20 * SLOWNESS}}}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def text(self, command):
        return self.call(command)["content"][0]["text"]

    def end(self, kill=False):
        if self.process.poll() is None:
            if kill:
                self.process.kill()
            else:
                self.process.stdin.close()
        self.process.wait(30 * SLOWNESS)
        self.process.stdout.close()
        if not self.process.stdin.closed:
            self.process.stdin.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="bashcell-network-")
        os.chmod(self.folder, 0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.workspace = os.path.join(self.folder, "workspace")
        os.mkdir(self.workspace)
        os.chown(self.workspace, 1000, 1000)

    def options(self, *more):
        return ["--engine", ENGINE, "--workspace", self.workspace, *more]

    def session(self, *more, **keywords):
        session = Session(self.folder, self.options(*more), **keywords)
        self.addCleanup(session.end)
        return session

    def doctor(self, *more):
        return subprocess.run([BASHCELL, "doctor", *self.options(*more)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120, env={**os.environ, "HOME": self.folder})


class EngineNetwork(Case):
    def options(self, *more):
        return [*super().options(*more), "--docker-host", HOST_OF_ENGINE, "--image", os.environ["BASHCELL_TEST_IMAGE"]]

    def setUp(self):
        super().setUp()
        self.api = EngineApi(HOST_OF_ENGINE)
        self.name = f"bashcell-test-{os.getpid()}"
        self.api.ask("POST", "/networks/create", json.dumps({"Name": self.name, "Driver": "bridge"}),
                     headers={"Content-Type": "application/json"})
        self.addCleanup(self.remove_network)
        self.gateway = self.api.ask("GET", f"/networks/{self.name}")["IPAM"]["Config"][0]["Gateway"]

    def remove_network(self):
        deadline = time.monotonic() + 20 * SLOWNESS  # a cell that is being removed still uses it
        while self.api.ask("GET", f"/networks/{self.name}", missing=True):
            try:
                self.api.ask("DELETE", f"/networks/{self.name}", missing=True)
            except Failure:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)

    def test_a_cell_reaches_its_network_and_says_so_once(self):
        with Server("0.0.0.0") as server:
            ask = ASK.format(address=self.gateway, port=server.port)
            session = self.session("--network", self.name)
            self.assertEqual(session.text(ask), f"reached\n[cell: network: {self.name}]")
            self.assertEqual(session.text(ask), "reached")

    def test_without_the_option_there_is_none(self):
        with Server("0.0.0.0") as server:
            for options in ((), ("--network", "none")):
                text = self.session(*options).text(ASK.format(address=self.gateway, port=server.port))
                self.assertIn("unreachable", text)
                self.assertRegex(text, r"\n\[cell: exit 9(; this cell has no network)?\]$")

    def test_a_network_that_is_not_there_is_refused_with_those_that_are(self):
        result = self.session("--network", "no-such-network").call("echo ran")
        self.assertTrue(result["isError"])
        self.assertRegex(result["content"][0]["text"],
                         rf"not run: .* has no network no-such-network; there are: .*{self.name}")

    def test_the_machines_own_network_is_refused(self):
        result = self.session("--network", "host").call("echo ran")
        self.assertTrue(result["isError"])
        self.assertIn("never shares the network of this machine", result["content"][0]["text"])

    def test_doctor_says_it(self):
        done = self.doctor("--network", self.name)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, rf"ok +network +{self.name}: ")
        self.assertRegex(done.stdout, rf"ok +network +{self.name} +lo, |ok +network +{self.name} +\S+, lo")


class OciNetwork(Case):
    """Each test as root and as an ordinary user, with each of the two programs."""

    SETTINGS = [(user, program) for user in ("root", "user") for program in ("pasta", "slirp4netns")]

    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o755)
        for name in ("bashcell", "bashcell-init"):  # an ordinary user may not enter the folder of the build
            shutil.copy(os.path.join(os.path.dirname(BASHCELL), name), self.folder)

    def start(self, user, program, *more):
        """`program` alone is there to be found: the other one is covered with nothing."""
        other = {"pasta": "slirp4netns", "slirp4netns": "pasta"}[program]
        hidden = shutil.which(other)
        prefix = ["unshare", "-m", "sh", "-c", 'mount --bind /dev/null "$0" && exec "$@"', hidden] if hidden else []
        options = list(more)
        if user == "user":
            os.chown(self.folder, USER, USER)
            os.chown(self.workspace, USER, USER)
            prefix += ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]
            options += ["--limits", "best-effort"]
        else:
            os.chown(self.workspace, 1000, 1000)
        return self.session(*options, prefix=prefix, program=os.path.join(self.folder, "bashcell"))

    def each(self, check):
        """`check(start)` in every setting, where start(option...) starts a server there."""
        for user, program in self.SETTINGS:
            with self.subTest(user=user, program=program):
                check(lambda *more: self.start(user, program, *more))

    def helpers(self):
        """Network programs that run in this test's namespace."""
        ours, found = os.readlink("/proc/self/ns/net"), []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                    name, _, rest = file.read().partition("(")[2].rpartition(")")
                if name.startswith(("pasta", "passt", "slirp4netns")) and rest.split()[0] != "Z" and \
                        os.readlink(f"/proc/{pid}/ns/net") == ours:
                    found.append(int(pid))
            except OSError:
                continue
        return found

    def expect_no_helpers(self):
        deadline = time.monotonic() + 2 * SLOWNESS
        while self.helpers():
            self.assertLess(time.monotonic(), deadline, "a network program outlives its cell")
            time.sleep(0.02)

    def test_a_cell_reaches_what_this_machine_reaches_and_says_so_once(self):
        def check(start):
            session = start("--network", "pasta")
            self.assertRegex(session.text(ask), r"\Areached\n\[cell: .*network: pasta")
            self.assertEqual(session.text(ask), "reached")
            self.assertTrue(self.helpers())
            session.end()
            self.expect_no_helpers()

        with Server("0.0.0.0") as server:
            ask = ASK.format(address=OTHER_HOST, port=server.port)
            self.each(check)

    def test_names_are_resolved_also_by_a_server_on_loopback(self):
        def check(start):
            session = start("--network", "pasta")
            self.assertIn(OTHER_HOST, session.text("getent ahostsv4 some.name.test"))
            session.end()

        with NameServer("127.0.0.1", OTHER_HOST):
            self.each(check)

    def test_this_machines_loopback_is_not_reached(self):
        def check(start):
            session = start("--network", "pasta")
            tries = "".join(f"( {ASK.format(address=address, port=server.port)} ) &\n"
                            for address in ("127.0.0.1", GATEWAY, HOST, "10.0.2.2", "169.254.1.1"))
            text = session.text(f"timeout 3 bash <<'EOF'\n{tries}wait\nEOF\necho tried")
            self.assertIn("tried", text)
            self.assertNotRegex(text, r"(?m)^reached")
            session.end()

        with Server("127.0.0.1") as server:
            self.each(check)

    def test_nothing_reaches_the_cell(self):
        def check(start):
            session = start("--network", "pasta")
            session.text("python3 -m http.server 8099 --bind 0.0.0.0 >/dev/null 2>&1 & "
                         "until (exec 3<>/dev/tcp/127.0.0.1/8099) 2>/dev/null; do sleep 0.1; done")
            for address in ("127.0.0.1", HOST, OTHER_HOST):
                with self.assertRaises(OSError):
                    socket.create_connection((address, 8099), 2).close()
            session.end()

        self.each(check)

    def test_the_network_ends_with_a_server_that_is_killed(self):
        def check(start):
            session = start("--network", "pasta")
            session.text("true")
            self.assertTrue(self.helpers())
            session.end(kill=True)
            self.expect_no_helpers()

        self.each(check)

    def test_without_the_option_there_is_none(self):
        with Server("0.0.0.0") as server:
            session = self.start("root", "pasta")
            self.assertIn("unreachable", session.text(ASK.format(address=OTHER_HOST, port=server.port)))
            self.assertEqual(self.helpers(), [])

    def test_another_name_is_refused_with_what_is_allowed(self):
        result = self.start("root", "pasta", "--network", "lab").call("echo ran")
        self.assertTrue(result["isError"])
        self.assertIn("it takes pasta", result["content"][0]["text"])

    def test_a_missing_program_is_said_with_its_package(self):
        prefix = ["unshare", "-m", "sh", "-c",
                  'for one in pasta slirp4netns; do mount --bind /dev/null "$(command -v $one)"; done; exec "$0" "$@"']
        session = self.session("--network", "pasta", prefix=prefix)
        result = session.call("echo ran")
        self.assertTrue(result["isError"])
        self.assertIn("apt-get install passt", result["content"][0]["text"])

    def test_doctor_says_it(self):
        done = self.doctor("--network", "pasta")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"ok +network +/\S+(pasta|slirp4netns): ")
        self.assertRegex(done.stdout, r"ok +network +pasta +lo, ")


def enter_own_network():
    """This program again, in a network without this machine's: two addresses, and a way to nowhere."""
    script = f"""set -e
umount /sys/fs/cgroup/unified 2>/dev/null || true
ip link set lo up
ip link add out type veth peer name far
ip addr add {HOST}/24 dev out
ip addr add {OTHER_HOST}/32 dev out
ip link set out up
ip link set far up
ip route add default via {GATEWAY}
echo nameserver 127.0.0.1 >"$0/resolv.conf"
mount --bind "$0/resolv.conf" /etc/resolv.conf
mknod "$0/tun" c 10 200
chmod 666 "$0/tun"
mkdir -p /dev/net
touch /dev/net/tun
mount --bind "$0/tun" /dev/net/tun
exec "$@"
"""
    with tempfile.TemporaryDirectory(prefix="bashcell-network-") as folder:
        os.chmod(folder, 0o755)
        return subprocess.run(["unshare", "-n", "-m", "sh", "-c", script, folder, sys.executable, "-B",
                               os.path.abspath(__file__), BASHCELL, ENGINE, *sys.argv[1:]],
                              env={**os.environ, ALONE: "yes"}).returncode


def cannot_run():
    if ENGINE != "oci":
        return None if HOST_OF_ENGINE else f"no {ENGINE} engine (scripts/engines.sh with ...)"
    if os.geteuid() != 0:
        return "only root can make a network"
    missing = [name for name in ("pasta", "slirp4netns", "crun", "ip", "unshare", "setpriv")
               if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    return f"not installed: {missing}" if missing else None


if __name__ == "__main__":
    HOST_OF_ENGINE = os.environ.get(f"BASHCELL_TEST_{ENGINE.upper()}_HOST")
    reason = cannot_run()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(1 if ENGINE in os.environ.get("BASHCELL_REQUIRE", "") else 77)
    if ENGINE == "oci" and ALONE not in os.environ:
        sys.exit(enter_own_network())
    from checks import Failure
    from engine_api import EngineApi
    unittest.main(defaultTest="OciNetwork" if ENGINE == "oci" else "EngineNetwork", verbosity=2)
