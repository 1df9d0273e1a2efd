"""--protect: what programs outside a cell run or obey by themselves, scripts only read."""

import os
import signal
import subprocess

from checks import check, has, lacks, same
from private_engine import GoBetween
from registry import API, FOLDER, case
from cases.runtime import fresh

OWNER = 1000
WAYS = {
    "write the configuration": "printf '[core]\\n\\tfsmonitor = evil\\n' >> .git/config",
    "replace the configuration": "cp .git/config .git/new && echo '#' >> .git/new && mv -f .git/new .git/config",
    "set it by git": "git config core.fsmonitor evil",
    "give it another name": "ln .git/config other",
    "remove the configuration": "rm -f .git/config",
    "add a hook": "echo evil > .git/hooks/pre-commit",
    "replace the hooks": "mv .git/hooks .git/old && mkdir .git/hooks",
    "replace all of .git": "mv .git .old && cp -a .old .git",
    "write .mcp.json": "echo evil > .mcp.json",
    "cut .mcp.json": "truncate -s 0 .mcp.json",
    "change its mode": "chmod 777 .mcp.json",
    "swap it": "mv .mcp.json x",
    "write into .vscode": "echo evil > .vscode/tasks.json",
    "write into a folder in it": "touch .vscode/deep/x",
    "remove .vscode": "rm -rf .vscode",
}


def git(workspace, *arguments):
    run = subprocess.run(["git", "-C", workspace, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c",
                          "safe.directory=*", *arguments], capture_output=True, text=True, timeout=60)
    check(run.returncode == 0, f"git {arguments}: {run.stderr}")
    return run.stdout


def write(workspace, name, text="mine\n"):
    path = os.path.join(workspace, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def give(workspace):
    for folder, folders, files in os.walk(workspace):
        for name in (folder, *(os.path.join(folder, name) for name in folders + files)):
            os.chown(name, OWNER, OWNER, follow_symlinks=False)


def project(t, name):
    """A repository with settings of editors and agents."""
    workspace = t.make_workspace(name)
    git(workspace, "init", "-q", "-b", "main")
    write(workspace, "file")
    git(workspace, "add", "file")
    git(workspace, "commit", "-q", "-m", "first")
    for trusted in (".mcp.json", ".vscode/settings.json", ".vscode/deep/x", ".git/hooks/post-commit.sample"):
        write(workspace, trusted)
    if os.geteuid() == 0:
        give(workspace)
    return workspace


def trusted_files(workspace):
    found = {}
    for top in (".git/config", ".git/hooks", ".mcp.json", ".vscode"):
        path = os.path.join(workspace, top)
        names = [path] if os.path.isfile(path) else [os.path.join(at, name) for at, _, files in os.walk(path) for name in files]
        for name in names:
            with open(name, "rb") as file:
                found[name] = (os.stat(name).st_mode, file.read())
    return found


def tried(server):
    """The ways that worked, each on what the one before it has left."""
    script = "\n".join(f"( {way} ) >/dev/null 2>&1 && echo '{what}'" for what, way in WAYS.items()) + "\n:"
    return server.call(script, timeout=60).ok().lines


@case("protect.ways", needs=FOLDER)
def what_the_host_trusts_is_read_only(t):
    workspace = project(t, "guarded")
    before = trusted_files(workspace)
    check(len(before) > 4, f"the project is not what it was to be: {sorted(before)}")
    server = t.start(workspace=workspace)
    same(server.call("true").ok("").status, "", "something to say of a plain project")
    same(tried(server), [""], "ways that worked")
    same(trusted_files(workspace), before, "trusted files")
    # The same, where nothing is protected: each of these ways is one.
    same(tried(t.start("--protect", "off", workspace=project(t, "open"))), list(WAYS), "ways that work unprotected")


@case("protect.git", needs=FOLDER)
def git_works_beside_it(t):
    workspace = project(t, "workspace")
    server = t.start(workspace=workspace)
    reply = server.call("git commit -q --allow-empty -m x")
    has(reply.status, "git config --global user.name NAME")
    server.call("git config --global user.name t; git config --global user.email t@example.com").ok("")
    server.call("echo two >> file && git add file && git commit -q -m second && git checkout -q -b side && git stash -q; "
                "git merge -q main; git checkout -q main && git gc -q && git log --oneline | wc -l; git status --short file",
                timeout=60).ok("2")
    same(git(workspace, "log", "--format=%s", "-1").strip(), "second", "the commit as the host sees it")
    same(os.stat(os.path.join(workspace, ".git/index")).st_uid, OWNER, "owner of the index")
    reply = server.call("git config core.editor evil").ok(exit=4, has_=("Device or resource busy",))
    has(reply.status, ".git/config is read-only here", "git config --global works")
    has(server.call("touch .git/hooks/pre-commit").ok(exit=1).status, ".git/hooks is read-only here")
    server.call("cell lock .git/index -- echo locked; cell lock .git/config -- echo held; echo a | cell write new; cat new").ok(
        has_=("locked", "a"))


@case("protect.strict", "--protect", "strict", needs=FOLDER)
def all_of_git(t):
    server = t.start(workspace=project(t, "workspace"))
    server.call("git log --oneline | wc -l; git status --short file; git diff --stat").ok("1")
    server.call("echo ../evil > .git/commondir; git commit -q --allow-empty -m x; echo 2 > .git/HEAD").ok(
        exit=1, has_=("Read-only file system",))


@case("protect.links", needs=FOLDER)
def links_lead_nowhere(t):
    """A link where something trusted would be: its end is not mounted, neither what the host has there nor what the cell has."""
    workspace = project(t, "workspace")
    secret = os.path.join(t.folder, "secret")
    os.mkdir(secret)
    write(secret, "key", "canary-11\n")
    for name in (".idea", ".husky"):
        os.symlink(secret, os.path.join(workspace, name))
    os.symlink(os.path.join(secret, "key"), os.path.join(workspace, ".envrc"))
    os.mkfifo(os.path.join(workspace, ".gitconfig"))
    server = t.start(workspace=workspace)
    reply = server.call("cat .idea/key .husky/key .envrc; ls .idea/; cat /proc/self/mounts")
    lacks(reply.raw, "canary-", f"{os.path.basename(t.folder)}/secret")
    has(reply.status, "not protected: .husky (a link), .idea (a link), .envrc (a link), .gitconfig (no file and no folder)")
    same(server.call("true").ok("").status, "", "said twice")


@case("protect.new", needs=FOLDER)
def what_appears_is_told_and_protected_in_the_next_cell(t):
    workspace = project(t, "workspace")
    server = t.start(workspace=workspace)
    reply = server.call("mkdir .idea; cp -r .git/refs evil; echo ../evil > .git/commondir").ok("")
    same(reply.status, "new here, and trusted by programs outside: .git/commondir, .idea", "status")
    has(server.stderr(), "trusted by programs outside: .idea")
    same(server.call("echo more > .idea/x; rm .git/commondir").ok("").status, "", "said twice")
    os.kill(server.init().pid, signal.SIGKILL)
    fresh(server, "echo up", "up", told=False)
    has(server.call("touch .idea/y").ok(exit=1).status, ".idea is read-only here, since programs outside trust it")
    # A repository that was not there is the model's own, and nothing is said of it.
    plain = t.start()
    same(plain.call("git init -q . && git config user.name t").ok().status, "", "status")


@case("protect.ignored", only=API, needs=FOLDER)
def an_engine_that_ignores_it_gets_no_script(t):
    """A mount that is not read-only, one that is missing, and one of something else (as if a link had been put there in time)."""
    def writable(mounts):
        next(m for m in mounts if m["Target"].endswith("/.git/hooks"))["ReadOnly"] = False

    def missing(mounts):
        mounts.remove(next(m for m in mounts if m["Target"].endswith("/.vscode")))

    def other(mounts):
        next(m for m in mounts if m["Target"].endswith("/.vscode"))["Source"] = t.folder

    for spoil, what in ((writable, ".git/hooks in the workspace is not protected"), (missing, ".vscode in the workspace is not protected"),
                        (other, ".vscode in the workspace was replaced")):
        def meet(seen, spoil=spoil):
            if seen.is_create:
                seen.edit(lambda body: spoil(body["HostConfig"]["Mounts"]))

        workspace = project(t, spoil.__name__)
        with GoBetween(t, t.bench.host, meet) as between:
            server = t.start(host=between.host, workspace=workspace)
            server.checks_alive = False
            server.call("touch ran").refused(what)
            check(not os.path.exists(os.path.join(workspace, "ran")), "the script ran")
