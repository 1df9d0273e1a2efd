"""Cases are functions registered under an id; each runs with a context `t` that owns its servers and its folder.

@case("C01") is the case as written in cases.jsonl, @case("C01.a") and @case("C01.b") are other members of its kind. `t`
passes on to a server, started at first use with the decorator's options: t.call("echo hi").
"""

import os
import shutil
import signal
import tempfile

from checks import Failure, check
from harness import Server
from invariants import finish

VARIANTS = {}  # id -> Variant, in the order written
LONGEST_VARIANT = 150  # seconds on an idle machine: a hang of the harness itself is a failure, too


class Variant:
    def __init__(self, name, run, options, environment):
        self.name, self.run, self.options, self.environment = name, run, options, environment
        self.kind = run.__module__.rpartition(".")[2].partition("_")[0].upper()
        self.base = name.partition(".")[0]


def case(name, *options, environment=None):
    def register(run):
        check(name not in VARIANTS, f"{name} is registered twice")
        VARIANTS[name] = Variant(name, run, options, environment)
        return run
    return register


class Bench:
    """What is under test: program, engine and its options. `probe` is the engine's own view, None if there is none."""

    def __init__(self, bashcell, engine, probe, runtime=None):
        self.bashcell, self.engine, self.probe, self.runtime = os.path.abspath(bashcell), engine, probe, runtime
        self.slowness = float(os.environ.get("BASHCELL_TEST_SLOWNESS", "1"))
        self.environment = {name: os.environ[name] for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
                            if name in os.environ}
        self._resting = None

    def engine_options(self, runtime=True):
        options = ["--engine", self.engine]
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
        shutil.rmtree(self.folder, ignore_errors=True)

    def make_workspace(self, name, owner=1000, mode=0o755):
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
            workspace = self.make_workspace(f"workspace-{len(self.servers)}")
        server = Server(self.bench, self.folder, options=options, workspace=workspace, **keywords)
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
