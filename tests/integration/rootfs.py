"""A small root file system made of this machine's programs, for `--rootfs`."""

import os
import re
import shutil
import subprocess

from checks import check

PROGRAMS = ("bash", "cat", "echo", "env", "id", "ls", "sleep", "touch", "true", "uname")


def copy(source, root):
    target = root + source
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(os.path.realpath(source), target)


def add_program(root, name):
    path = shutil.which(name, path="/usr/bin:/bin")
    check(path, f"this machine has no {name}")
    path = os.path.join("/usr/bin", name)
    copy(path, root)
    for library in re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", path], capture_output=True, text=True).stdout):
        copy("/usr" + library if not library.startswith("/usr") and os.path.exists("/usr" + library) else library, root)


def make_rootfs(root, programs=PROGRAMS):
    for folder in ("etc", "dev", "proc", "sys", "tmp", "run", "workspace", "usr/bin", "usr/lib", "usr/lib64"):
        os.makedirs(os.path.join(root, folder), exist_ok=True)
    for name in ("bin", "lib", "lib64"):
        os.symlink(f"usr/{name}", os.path.join(root, name))
    with open(os.path.join(root, "etc", "made-by-the-test"), "w") as file:
        file.write("this root\n")
    for program in programs:
        add_program(root, program)
    return root
