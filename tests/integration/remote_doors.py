"""What a case can spoil of an engine on another machine: the engine itself, a door that speaks TLS for it, certificates, ssh."""

import asyncio
import os
import shutil
import socket
import ssl
import subprocess
import threading

from private_engine import PrivateEngine
from remote import Remote


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class PrivateRemote(PrivateEngine):
    """Like the one of all cases, for one case alone."""

    def __init__(self, t):
        super().__init__(t)
        self.engine, self.remote = "remote", None

    def use(self, t, *options, **keywords):
        self.remote = self.remote or Remote(t.bench.name, self.host, self.probe.api)
        return t.start(*options, image=self.image, probe=self.probe, remote=self.remote, **keywords)


class Door:
    """Listens on TCP, and passes on to the engine's socket what comes by TLS. Used in a `with` statement.

    `certificate` is one of tls/all; `manner` says how connections are met from now on: well; plain (without TLS); closed
    (nobody listens); silent (nothing is ever said); rude (other words than TLS); stalled (nothing passes any more, either way,
    also on those that are open)."""

    def __init__(self, remote):
        self.remote, self.certificate, self.manner = remote, "server", "well"
        self.port = free_port()
        self.host = f"tcp://127.0.0.1:{self.port}"
        self.loop = asyncio.new_event_loop()
        self.servers, self.open, self.flows = [], set(), None

    def __enter__(self):
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self._do(self._prepare())
        self.set()
        return self

    def __exit__(self, *_):
        self._do(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)

    def set(self, manner="well", certificate="server"):
        self.manner, self.certificate = manner, certificate
        self._do(self._reopen())

    def cut(self):
        """Ends all connections at once, as a network that breaks may."""
        self._do(self._cut())

    def _do(self, task):
        return asyncio.run_coroutine_threadsafe(task, self.loop).result(10)

    def _context(self):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        folder = os.path.join(self.remote.folder, "tls", "all")
        context.load_cert_chain(f"{folder}/{self.certificate}.pem", f"{folder}/{self.certificate}-key.pem")
        return context

    async def _prepare(self):
        self.flows = asyncio.Event()

    async def _reopen(self):
        if self.manner == "stalled":
            self.flows.clear()
            return
        self.flows.set()
        await self._close()
        if self.manner != "closed":
            context = self._context() if self.manner == "well" else None
            self.servers.append(await asyncio.start_server(self._meet, "127.0.0.1", self.port, ssl=context))

    async def _close(self):
        while self.servers:
            self.servers.pop().close()

    async def _cut(self):
        for writer in self.open:
            writer.transport.abort()

    async def _meet(self, reader, writer):
        self.open.add(writer)
        try:
            if self.manner == "silent":
                await reader.read()
            elif self.manner == "rude":
                writer.write(b"220 mail.example ESMTP\r\n")
                await writer.drain()
            else:
                far_reader, far_writer = await asyncio.open_unix_connection(os.path.join(self.remote.folder, "engine.sock"))
                try:
                    await asyncio.wait([asyncio.create_task(self._pump(reader, far_writer)),
                                        asyncio.create_task(self._pump(far_reader, writer))], return_when=asyncio.FIRST_COMPLETED)
                finally:
                    far_writer.close()
        except OSError:
            pass
        finally:
            self.open.discard(writer)
            writer.close()

    async def _pump(self, reader, writer):
        try:
            while piece := await reader.read(65536):
                await self.flows.wait()
                writer.write(piece)
                await writer.drain()
        except (OSError, AttributeError):  # the latter: of a connection that was cut, asyncio (3.11) knows no transport
            pass


class Certificates:
    """A folder for DOCKER_CERT_PATH, whose files a case can take and change."""

    def __init__(self, t):
        self.all = os.path.join(t.bench.remote.folder, "tls", "all")
        self.folder = os.path.join(t.folder, "certificates")
        self.environment = {"DOCKER_CERT_PATH": self.folder}
        os.mkdir(self.folder)
        self.set()

    def set(self, ca="good-ca", client="client", key=None):
        """Names of files of tls/all; "" for none."""
        for name, source in (("ca", ca), ("cert", client), ("key", key if key is not None else client and f"{client}-key")):
            path = os.path.join(self.folder, f"{name}.pem")
            if os.path.exists(path):
                os.unlink(path)
            if source:
                shutil.copy(os.path.join(self.all, f"{source}.pem"), path)


class Ssh:
    """An `ssh` for PATH with options of its own, which a case can change, and keys of its own."""

    def __init__(self, t):
        self.there = os.path.join(t.bench.remote.folder, "ssh")
        self.folder = os.path.join(t.folder, "ssh")
        os.mkdir(self.folder)
        self.environment = {"PATH": f"{self.folder}:{t.bench.remote.system_path}"}
        self.set()

    def port(self):
        with open(f"{self.there}/config") as file:
            return next(line.split()[1] for line in file if line.split()[0] == "Port")

    def set(self, forced=None, **options):
        """`options` of ssh_config(5). `forced`: what the other side runs instead of what it is asked for (with a key that
        is allowed nothing else)."""
        if forced:
            options["IdentityFile"] = self._key_for(forced)
        lines = [f"{name} {value}" for name, value in options.items()]
        program = os.path.join(self.folder, "ssh")
        with open(f"{self.there}/config") as file:
            usual = [line for line in file.read().splitlines() if line.split()[0] not in options]
        with open(f"{self.folder}/config", "w") as config:
            config.write("\n".join([*usual, *lines, ""]))
        real = shutil.which("ssh", path="/usr/local/bin:/usr/bin:/bin")
        with open(f"{program}.new", "w") as file:
            file.write(f'#!/bin/sh\nexec {real} -F {self.folder}/config "$@"\n')
        os.chmod(f"{program}.new", 0o755)
        os.rename(f"{program}.new", program)

    def new_key(self, name):
        path = os.path.join(self.folder, name)
        if not os.path.exists(path):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
        return path

    def _key_for(self, command):
        path = self.new_key(f"key-{len(os.listdir(self.folder))}")
        escaped = command.replace("\\", "\\\\").replace('"', '\\"')
        with open(f"{path}.pub") as public, open(f"{self.there}/authorized_keys", "a") as allowed:
            allowed.write(f'command="{escaped}" {public.read()}')
        return path
