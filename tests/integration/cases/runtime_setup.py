"""RUNTIME of cells behind an engine's socket: engine, image or hardening missing. Nothing ever runs on the host."""

import os

from checks import Failure, check, has, same
from private_engine import GoBetween, answer
from registry import API, FOLDER, SOCKET, case
from rootfs import make_rootfs
from cases.runtime import HostMarker, kill_pid_1, recovers_with, told_new


def socket_of(host):
    return host.removeprefix("unix://")


@case("C87.f", only=API, needs=SOCKET)
def engine_missing_then_there(t):
    place = os.path.join(t.folder, "engine.sock")
    server = t.start(host=f"unix://{place}")
    recovers_with(t, server, lambda: os.symlink(socket_of(t.bench.host), place), names=(place,))
    refused = t.start(host="tcp://127.0.0.1:1")
    refused.checks_alive = False
    refused.call("echo x").refused("127.0.0.1:1", within=10)
    refused.call("echo x").refused("127.0.0.1:1", within=10)


@case("C87.g", only=API, needs=SOCKET)
def no_socket_or_one_that_nobody_serves(t):
    file, folder = os.path.join(t.folder, "file"), os.path.join(t.folder, "folder")
    with open(file, "w") as out:
        out.write("no socket")
    os.mkdir(folder)
    with GoBetween(t, t.bench.host, lambda request: None) as ended:
        pass
    for path in (file, folder, ended.path):
        server = t.start(host=f"unix://{path}")

        def put_right():
            os.rename(path, path + "-old")
            os.symlink(socket_of(t.bench.host), path)

        recovers_with(t, server, put_right, names=(path,))


class Image:
    """A name for an image, gone at the end. Its registry is a port that nobody listens on, so that no pull succeeds."""

    def __init__(self, t, name):
        self.name = f"localhost:1/case-{os.getpid()}/{name}:latest"
        self.api, self.full = t.bench.probe.api, t.bench.image

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def make(self, root=None):
        """Of a folder, or the same as the image of the other cases."""
        if root:
            self.api.import_root(root, self.name)
        else:
            self.api.tag(self.full, self.name)

    def remove(self):
        self.api.untag(self.name)


@case("C88.c", only=API)
def image_missing_then_there(t):
    with Image(t, "missing") as image:
        server = t.start(image=image.name)
        recovers_with(t, server, image.make, names=(image.name,), within=5)


@case("C88.d", only=API)
def image_removed_while_in_use(t):
    with Image(t, "removed") as image:
        image.make()
        server = t.start(image=image.name)
        server.call("K=1").ok("")
        image.remove()
        server.call("echo $K").ok("1")
        kill_pid_1(server)
        server.wait_until(lambda: not server.probe.state(server.owner), 5, "the dead cell is still there")
        server.call("echo x > ran").refused(image.name, within=5)
        same(os.listdir(server.workspace), [], "files of a refused call")
        image.make()
        told_new(server.call("echo ${K:-lost}"), "lost")
        t.finish()


@case("C88.e", only=API)
def image_without_bash_or_with_nothing(t):
    with Image(t, "nothing") as image:
        for name, programs in (("none", ()), ("few", ("cat", "ls"))):
            image.make(make_rootfs(os.path.join(t.folder, name), programs))
            server = t.start(image=image.name)
            recovers_with(t, server, image.make, names=("bash", image.name))
            server.call("id -u").ok("1000")
        t.finish()


@case("C89.c", only=API, needs=FOLDER)
def nothing_runs_without_an_engine_or_its_parts(t):
    marker = HostMarker(t)
    missing = os.path.join(t.folder, "missing")
    has(marker.refused(t.start(host=f"unix://{missing}")).raw, missing)
    has(marker.refused(t.start("--init", missing)).raw, missing)
    image = f"localhost:1/case-{os.getpid()}/no-such:1"
    has(marker.refused(t.start(image=image)).raw, image)
    gone = t.start()
    os.rmdir(gone.workspace)
    has(marker.refused(gone).raw, gone.workspace)


def host_config(**values):
    return lambda body: body["HostConfig"].update(values)


def without(*names):
    def change(body):
        for name in names:
            del body["HostConfig"][name]
    return change


def without_option(word):
    def change(body):
        options = body["HostConfig"]["SecurityOpt"]
        kept = [option for option in options if not option.startswith(word)]
        check(len(kept) == len(options) - 1, f"no {word} in {options}: nothing would be tested")
        body["HostConfig"]["SecurityOpt"] = kept + (["seccomp=unconfined"] if word == "seccomp" else [])
    return change


# What an engine might silently not do, or do on top.
OMISSIONS = {
    "memory limit": without("Memory", "MemorySwap"), "process limit": without("PidsLimit"),
    "cpu limit": without("CpuPeriod", "CpuQuota"), "seccomp": without_option("seccomp"),
    "no_new_privs": without_option("no-new-privileges"), "read-only root": host_config(ReadonlyRootfs=False),
    "capabilities": host_config(CapDrop=[], CapAdd=["SYS_PTRACE", "KILL"]), "network": host_config(NetworkMode="host"),
    "user": lambda body: body.update(User="0:0"), "pid namespace": host_config(PidMode="host"),
    "privileged": host_config(Privileged=True),
}


@case("C89.d", only=API, needs=SOCKET)
def an_engine_that_leaves_something_out(t):
    marker = HostMarker(t)
    for what, change in OMISSIONS.items():
        edited = []

        def meet(request):
            if request.is_create:
                request.edit(change)
                edited.append(request.line)

        with GoBetween(t, t.bench.host, meet) as between:
            try:
                marker.refused(t.start(host=between.host))
            except (Failure, AssertionError) as error:
                error.args = (f"without {what}: {error}",)
                raise
        check(edited, f"{what}: no request was edited, so nothing was tested")


@case("C89.e", only=API, needs=SOCKET)
def an_engine_that_only_says_so(t):
    """It claims that the cell has started, and starts none; or says no in the middle."""
    marker = HostMarker(t)
    for part, said in ((rb"/start\b", answer("204 No Content")), (rb"/start\b", answer("500 Oops", b'{"message":"no cell today"}')),
                       (rb"/create\b", answer("201 Created", b'{"Id":"../../etc","Warnings":[]}')),
                       (rb"/create\b", answer("409 Conflict", b'{"message":"no cell today"}')),
                       (rb"/attach\b", answer("200 OK", b"{}"))):
        met = []

        def meet(request):
            if request.is_about(part):
                met.append(request.line)
                return said
            return None

        with GoBetween(t, t.bench.host, meet) as between:
            reply = marker.refused(t.start(host=between.host))
        check(met, f"{part}: never asked, so nothing was tested")
        check(b"no cell today" not in said or "no cell today" in reply.raw, f"what the engine said is lost: {reply.raw!r}")
