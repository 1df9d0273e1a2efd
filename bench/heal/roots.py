"""The root file systems of the benchmark, made once by mmdebstrap (Debian; takes root) and kept in a folder."""

import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SUITE = "bookworm"
# What minimal images for agents have, as python:3.11-slim does: Python with pip, and certificates. Bash is in every one.
MINIMAL = ("ca-certificates", "python3", "python3-pip")
OWN_SOURCES = "/etc/apt/sources.list.d/debian.sources"  # this machine's, where Debian's own servers are not reached
RENAMED = {"fd": "fdfind", "bat": "batcat"}             # as people call them, in the equipped root only
# Distributions that scripts import; what these require comes with them.
DISTRIBUTIONS = ("PyYAML", "numpy", "pandas", "requests", "beautifulsoup4", "lxml", "openpyxl", "tabulate", "python-dateutil",
                 "pytest", "Jinja2", "Pillow", "tqdm", "Markdown", "toml", "xmltodict", "networkx", "sympy", "simplejson",
                 "python-docx", "jsonschema", "scipy", "matplotlib", "rich")


def make(root, packages):
    """Takes the place of `root` when it is whole."""
    if shutil.which("mmdebstrap") is None or os.geteuid() != 0:
        sys.exit("heal: making a root file system takes root and mmdebstrap (apt-get install mmdebstrap)")
    print(f"heal: making {root} ...", file=sys.stderr, flush=True)
    os.makedirs(os.path.dirname(root), exist_ok=True)
    part = root + ".part"
    if os.path.ismount(os.path.join(part, "proc")):
        sys.exit(f"heal: {part} is being made, or an attempt to make it was cut off: umount what is mounted there")
    # By timeout(1), whose SIGTERM lets it unmount what it has mounted.
    command = ["timeout", "--kill-after=60", "1800", "mmdebstrap", "--quiet", "--variant=minbase",
               "--include=" + ",".join(packages), "--dpkgopt=force-unsafe-io", "--format=directory", SUITE, part]
    for sources in ([], [OWN_SOURCES]):
        shutil.rmtree(part, ignore_errors=True)
        if subprocess.run([*command, *sources]).returncode == 0:
            os.rename(part, root)
            return
    sys.exit(f"heal: mmdebstrap could not make {root}")


def minimal(folder):
    """The path of a minimal Debian with Python and pip. Takes about a minute the first time."""
    root = os.path.join(folder, "rootfs")
    if not os.path.exists(root):
        make(root, MINIMAL)
    return root


def equipped(folder):
    """The path of one that has everything (equipped.txt). Takes some minutes the first time."""
    root = os.path.join(folder, "equipped")
    if not os.path.exists(root):
        with open(os.path.join(HERE, "equipped.txt"), encoding="utf-8") as file:
            words = [word for line in file if not line.startswith("#") for word in line.split()]
        make(root, (*MINIMAL, *words))
        for name, program in RENAMED.items():
            os.symlink(program, os.path.join(root, "usr", "bin", name))
    return root


def wheels(folder):
    """The path of a folder with wheels of what scripts import, made from the equipped root's packages."""
    place = os.path.join(folder, "wheels")
    if not os.path.exists(place):
        root = equipped(folder)
        print(f"heal: making {place} ...", file=sys.stderr, flush=True)
        inside = os.path.join(root, "wheels")
        shutil.rmtree(inside, ignore_errors=True)
        os.mkdir(inside)
        shutil.copy(os.path.join(HERE, "make_wheels.py"), os.path.join(root, "tmp", "make_wheels.py"))
        subprocess.run(["chroot", root, "python3", "-B", "/tmp/make_wheels.py", "/wheels", *DISTRIBUTIONS], check=True, timeout=600)
        shutil.move(inside, place)
    return place
