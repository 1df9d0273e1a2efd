"""An engine on another machine that cannot be reached, is not trusted, or does not trust us; and a line that breaks. The call
says which address and what was wrong, within its deadline; everything else works meanwhile, and the next call tries again.
"""

import os
import signal
import socket
import time

from checks import Failure, check, has, lacks, same
from processes import all_processes
from registry import Only, case
from remote_doors import Certificates, Door, PrivateRemote, Ssh, free_port
from cases.runtime import lost, told_new

TLS = Only("docker-tls", why="certificates")
SSH = Only("docker-ssh", why="ssh")
REMOTE = Only("docker-tls", "docker-ssh", why="an engine on another machine")
DEADLINE = 15  # seconds until a call has said that its engine cannot be reached


def refused(server, *names, within=DEADLINE):
    """The call is refused in one clear sentence that has these parts, and nothing else is held up by it."""
    call = server.start_call("echo ran")
    server.ping(1)
    check("tools" in server.answer(server.request("tools/list"), 2)["result"], "tools/list while the engine is sought")
    reply = server.finish_call(call).refused(*names, within=within)
    lacks(reply.raw, "ran", "\n", "\x1b")
    check(len(reply.raw) < 700, f"too long: {reply.raw!r}")


def refused_in_each(t, server, faults):
    """One after the other: {what: (spoil, parts of the reply)}. Then all is well again."""
    for what, (spoil, names) in faults.items():
        spoil()
        try:
            refused(server, *names)
        except Failure as failure:
            raise Failure(f"{what}: {failure}") from None
        same(server.probe.state(server.owner), [], f"{what}: containers of a refused call")


def well_again(server):
    server.call("echo y > /workspace/f; cat /workspace/f").ok("y", within=15)


@case("badinput.tls_server", only=TLS)
def servers_that_are_not_who_they_should_be(t):
    files = Certificates(t)
    with Door(t.bench.remote) as door:
        server = t.start(host=door.host, environment=files.environment)
        refused_in_each(t, server, {
            "closed": (lambda: door.set("closed"), (door.host, "nobody listens")),
            "another name": (lambda: door.set(certificate="elsewhere"), (door.host, "127.0.0.1", "elsewhere.example")),
            "expired": (lambda: door.set(certificate="expired"), (door.host, "expired")),
            "without TLS": (lambda: door.set("plain"), (door.host, "does not speak TLS")),
            "another protocol": (lambda: door.set("rude"), (door.host, "does not speak TLS")),
            "silent": (lambda: door.set("silent"), (door.host, "not reached within")),
            "of another authority": (lambda: (door.set(), files.set(ca="other-ca")), (door.host, "not to be trusted", "ca.pem")),
        })
        files.set()
        well_again(server)
        t.finish()


@case("badinput.tls_client", only=TLS)
def clients_that_a_server_does_not_know(t):
    files = Certificates(t)
    host = t.bench.remote.address
    server = t.start(environment=files.environment)

    def garbage():
        files.set()
        with open(os.path.join(files.folder, "ca.pem"), "w") as file:
            file.write("no certificate\n")

    refused_in_each(t, server, {
        "no certificate": (lambda: files.set(client=""), (host, "client certificate", "DOCKER_CERT_PATH")),
        "a stranger's": (lambda: files.set(client="stranger"), (host, "client certificate", f"{files.folder}/cert.pem")),
        "without its key": (lambda: files.set(key=""), (files.folder, "key.pem")),
        "with another's key": (lambda: files.set(key="stranger-key"), (host, "not usable")),
        "no authority at all": (lambda: files.set(ca=""), (host, "not to be trusted", "ca.pem")),
        "an authority that is none": (garbage, (host, "not usable")),
    })
    files.set()
    well_again(server)
    plain = t.start(environment={"DOCKER_TLS_VERIFY": "", "DOCKER_CERT_PATH": ""})
    plain.checks_alive = False
    refused(plain, host, "TLS")


@case("badinput.tls_line", only=TLS)
def a_line_that_breaks_or_stalls(t):
    with Door(t.bench.remote) as door:
        server = t.start(host=door.host)
        server.call("K=1").ok("")
        call = server.start_call("sleep 300")
        server.wait_for("sleep 300")
        door.cut()
        lost(server.finish_call(call, 15), 15)
        told_new(server.call("echo ${K:-lost}"), "lost")
        door.cut()
        told_new(server.call("echo between; K=2"), "between")
        door.set("stalled")
        lost(server.finish_call(server.start_call("echo never", timeout=2)), 2 + 1 + 2 + 3)
        refused(server, door.host, "did not answer", within=25)
        door.set()
        told_new(server.call("echo ${K:-lost}"), "lost")
        t.finish()


@case("badinput.ssh_way", only=SSH)
def ways_that_ssh_does_not_find(t):
    ssh = Ssh(t)
    server = t.start(environment=ssh.environment)
    known_hosts = os.path.join(ssh.folder, "known_hosts")
    port = ssh.port()

    def hosts(line):
        with open(known_hosts, "w") as file:
            file.write(line)
        ssh.set(UserKnownHostsFile=known_hosts)

    def another_host_key():
        with open(f"{ssh.new_key('other')}.pub") as file:
            hosts(f"[127.0.0.1]:{port} {file.read()}")

    with socket.create_server(("127.0.0.1", 0)) as silent:
        refused_in_each(t, server, {
            "closed": (lambda: ssh.set(Port=free_port()), ("ssh://remote-engine", "Connection refused")),
            "a name without an address": (lambda: ssh.set(HostName="no-such-host.invalid"), ("no-such-host.invalid",)),
            "an unknown host key": (lambda: hosts(""), ("ssh://remote-engine", "Host key verification failed")),
            "another host key": (another_host_key, ("ssh://remote-engine", "Host key verification failed")),
            "an unknown user key": (lambda: ssh.set(IdentityFile=ssh.new_key("unknown")), ("root@127.0.0.1", "Permission denied")),
            "an unknown user": (lambda: ssh.set(User="nobody-of-that-name"), ("nobody-of-that-name", "Permission denied")),
            "silent": (lambda: ssh.set(Port=silent.getsockname()[1]), ("ssh://remote-engine",)),
        })
    ssh.set()
    well_again(server)


@case("badinput.ssh_engine", only=SSH)
def machines_without_what_is_needed(t):
    ssh = Ssh(t)
    server = t.start(environment=ssh.environment)
    asked = 'eval "$SSH_ORIGINAL_COMMAND"'
    refused_in_each(t, server, {
        "no docker there": (lambda: ssh.set(forced=f"PATH=/nowhere; {asked}"), ("ssh://remote-engine", "docker", "not found")),
        "no daemon there": (lambda: ssh.set(forced=f"export DOCKER_HOST=unix:///nowhere/engine.sock; {asked}"),
                            ("ssh://remote-engine", "/nowhere/engine.sock")),
        "a greeting": (lambda: ssh.set(forced=f"echo Welcome back; {asked}"), ("ssh://remote-engine", "Welcome back")),
        "a shell for nobody": (lambda: ssh.set(forced="echo This account is not available >&2; exit 1"),
                               ("ssh://remote-engine", "not available")),
        "silence": (lambda: ssh.set(forced="sleep 60"), ("ssh://remote-engine", "did not answer")),
    })
    ssh.set()
    well_again(server)


@case("badinput.ssh_line", only=SSH)
def an_ssh_that_ends_or_stalls(t):
    server = t.start()
    server.call("K=1").ok("")
    call = server.start_call("sleep 300")
    server.wait_for("sleep 300")
    for client in clients_of(server):
        os.kill(client.pid, signal.SIGKILL)
    lost(server.finish_call(call, 15), 15)
    told_new(server.call("echo ${K:-lost}; K=2"), "lost")
    for client in clients_of(server):
        os.kill(client.pid, signal.SIGSTOP)
    lost(server.finish_call(server.start_call("echo never", timeout=2)), 2 + 1 + 2 + 3)
    told_new(server.call("echo ${K:-lost}"), "lost")
    start = time.monotonic()
    t.finish()
    check(time.monotonic() - start < 12 * t.bench.slowness, "the end waits for an ssh that is stopped")
    same(clients_of(server), [], "ssh processes of an ended server")


@case("badinput.remote_daemon", only=REMOTE)
def a_daemon_that_goes_and_comes_back(t):
    """Its cells go with it, since their streams lead through it; the workspace stays."""
    with PrivateRemote(t) as engine:
        server, busy = engine.use(t), engine.use(t)
        for end in (engine.stop, engine.kill):
            server.call("K=1; echo x > /workspace/n").ok("")
            busy.call("K=1").ok("")
            call = busy.start_call("sleep 300")
            busy.wait_for("sleep 300")
            end()
            lost(busy.finish_call(call, 15), 15)
            for one in (busy, server):  # the second may have been lost by the call that finds out
                one.finish_call(one.start_call("echo ran")).refused(within=DEADLINE)
                refused(one, engine.remote.address)
            engine.start()
            told_new(server.call("echo ${K:-lost}; cat /workspace/n"), "lost\nx")
            told_new(busy.call("echo ${K:-lost}"), "lost")
        t.finish()


@case("badinput.remote_workspace", only=REMOTE)
def a_workspace_that_is_not_there(t):
    here = os.path.join(t.folder, "here")
    os.mkdir(here)
    server = t.start(workspace=here)
    server.checks_alive = False
    refused(server, t.bench.remote.address, "volume:NAME")


def clients_of(server):
    """The ssh processes that a server has started."""
    return [process for process in all_processes() if process.ppid == server.pid and process.name == "ssh"]
