"""Cases are functions registered under an id; each runs with a context `t` that owns its servers and its folder.

@case("C01") is the case as written in cases.jsonl, @case("C01.a") and @case("C01.b") are other members of its kind. `t`
passes on to a server, started at first use with the decorator's options: t.call("echo hi").

A case holds in every engine, unless it is about what only some engines have: `only` names these, and why. What `needs` says is
missing where the engine is taken for one on another machine (remote.py).
"""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile

from checks import Failure, check
from harness import Server
from invariants import finish
from remote import Remote, is_remote

VARIANTS = {}  # id -> Variant, in the order written
LONGEST_VARIANT = 150  # seconds on an idle machine: a hang of the harness itself is a failure, too


class Only:
    """The engines that a case is about. `why` completes the sentence: it does not apply to others, since it is about ..."""

    def __init__(self, *engines, why):
        self.engines, self.why = engines, why


OCI = Only("oci", why="runtimes and root folders, which are options of the oci engine alone")
API = Only("docker", "podman", why="an engine behind a socket, with images")

FOLDER = "a workspace that is a folder of this machine"
SOCKET = "an engine behind a socket of this machine"


class Variant:
    def __init__(self, name, run, options, environment, only, needs):
        self.name, self.run, self.options, self.environment = name, run, options, environment
        self.only, self.needs = only, needs
        self.kind = run.__module__.rpartition(".")[2].partition("_")[0].upper()
        self.base = name.partition(".")[0]
        self.names = {self.name, self.base, self.kind}
        self.is_variant = self.base[0] == "C" and self.name != self.base  # of a case in cases.jsonl

    def why_not(self, engine):
        """Why it does not apply to this engine; empty if it does."""
        if self.only and {engine, engine.partition("-")[0]}.isdisjoint(self.only.engines):
            return f"it is about {self.only.why}"
        return f"it needs {self.needs}" if self.needs and is_remote(engine) else ""


def case(name, *options, environment=None, only=None, needs=None):
    def register(run):
        check(name not in VARIANTS, f"{name} is registered twice")
        VARIANTS[name] = Variant(name, run, options, environment, only, needs)
        return run
    return register


def engine_host(engine):
    """Where the tests have an engine of their own (scripts/engines.sh); None if they have none."""
    return os.environ.get(f"BASHCELL_TEST_{'REMOTE' if is_remote(engine) else engine.upper()}_HOST")


class Bench:
    """What is under test: program, engine and its options. `probe` is the engine's own view."""

    def __init__(self, bashcell, engine, probe, runtime=None):
        self.bashcell, self.probe, self.runtime = os.path.abspath(bashcell), probe, runtime
        self.name, self.engine = engine, engine.partition("-")[0]  # docker-tls, docker
        self.host, self.image = engine_host(engine), os.environ.get("BASHCELL_TEST_IMAGE")
        self.slowness = float(os.environ.get("BASHCELL_TEST_SLOWNESS", "1"))
        self.environment = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
                            if name in os.environ}
        self.remote = Remote(engine, self.host, probe.api) if is_remote(engine) else None
        self.slowness *= self.remote.slowness if self.remote else 1
        self._resting = None

    def engine_options(self, runtime=True, host=None, image=None, remote=None):
        """`host`, `image` and `remote` are for a server that is to use others than the rest; `runtime` False leaves that to the
        case."""
        options = ["--engine", self.engine]
        if self.engine != "oci":
            place = remote.options if remote and not host else ["--docker-host", host or self.host]
            return [*options, *place, "--image", self.image if image is None else image]
        return options + ["--runtime", self.runtime] if runtime and self.runtime else options

    def resting_descriptors(self):
        """How many descriptors a server holds that has done one call and rests."""
        if self._resting is None:
            from processes import descriptors
            with Context(self, None) as context:
                server = context.start()
                server.call("true").ok("")
                self._resting = len(descriptors(server.pid))
        return self._resting


class Mount:
    def __init__(self, path, options):
        self.path, self.options = path, options

    def __enter__(self):
        subprocess.run(["mount", "-t", "tmpfs", "-o", self.options, "case", self.path], check=True)
        return self.path

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)
        os.rmdir(self.path)


def remove_shelves(folder):
    """Those of the workspaces below it: a server of root's keeps them outside, and beyond its end."""
    for place in glob.glob("/var/lib/bashcell/shelf/*/workspace"):
        with contextlib.suppress(OSError), open(place) as workspace:
            if workspace.read().startswith(folder + os.sep):
                shutil.rmtree(os.path.dirname(place), ignore_errors=True)


class Context:
    """The `t` of a case: a folder that goes away, and servers that do."""

    def __init__(self, bench, variant):
        self.bench, self.variant, self.servers = bench, variant, []
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="bashcell-case-"))
        os.chmod(self.folder, 0o755)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for server in self.servers:
            server.destroy()
        if self.bench.remote:
            self.bench.remote.remove_volumes()
        shutil.rmtree(self.folder, ignore_errors=True)
        remove_shelves(self.folder)

    def make_mount(self, name, options):
        """A tmpfs that the engine sees, too: the path, to be used in a `with` statement."""
        place = self.folder
        if self.bench.engine == "podman":  # it lives in a mount namespace of its own, and sees new mounts only here
            place = os.path.join(os.path.dirname(self.bench.host.removeprefix("unix://")), "shared")
        return Mount(tempfile.mkdtemp(prefix=f"{name}-", dir=place), options)

    def make_workspace(self, name, owner=1000, mode=0o755, remote=None):
        """The path of a folder for a server. Far away it does not exist yet: the server makes it, for the user of its cell."""
        if remote := remote or self.bench.remote:
            return remote.volume_path(f"{os.path.basename(self.folder)}-{name}")
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        if os.geteuid() == 0:
            os.chown(path, owner, owner)
        os.chmod(path, mode)
        return path

    def start(self, *options, workspace=None, **keywords):
        """A server of its own workspace, unless one is given."""
        if self.variant and self.variant.environment:
            keywords["environment"] = {**self.variant.environment, **keywords.get("environment", {})}
        options = options or (self.variant.options if self.variant else ())
        if workspace is None:
            workspace = self.make_workspace(f"workspace-{len(self.servers)}", remote=keywords.get("remote"))
        server = Server(self.bench, self.folder, options=options, workspace=workspace, **keywords)
        sharers = [other for other in self.servers if other.workspace == workspace]
        for one in sharers and [server, *sharers]:
            one.shares_workspace = True
        self.servers.append(server)
        return server

    @property
    def server(self):
        return self.servers[0] if self.servers else self.start()

    def __getattr__(self, name):
        return getattr(self.server, name)

    def finish(self):
        check(self.servers, "the case started no server")
        for server in self.servers:
            finish(server)


def run_variant(bench, variant):
    """Runs one variant with its invariants; raises what went wrong."""
    def hung(*_):
        raise Failure(f"not over after {LONGEST_VARIANT} s")
    bench.resting_descriptors()
    signal.signal(signal.SIGALRM, hung)
    signal.alarm(int(LONGEST_VARIANT * bench.slowness))
    try:
        with Context(bench, variant) as context:
            variant.run(context)
            context.finish()
    finally:
        signal.alarm(0)
