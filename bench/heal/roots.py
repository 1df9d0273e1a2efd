"""The root file systems of the benchmark, made once by mmdebstrap (Debian; takes root) and kept in a folder."""

import os
import shutil
import subprocess
import sys

SUITE = "bookworm"
# What minimal images for agents have, as python:3.11-slim does: Python with pip, and certificates. Bash is in every one.
PACKAGES = ("ca-certificates", "python3", "python3-pip")


def minimal(folder):
    """The path of a minimal Debian with Python and pip. Takes about a minute the first time."""
    root = os.path.join(folder, "rootfs")
    if os.path.exists(os.path.join(root, "etc", "debian_version")):
        return root
    if shutil.which("mmdebstrap") is None or os.geteuid() != 0:
        sys.exit("heal: making the root file system takes root and mmdebstrap (apt-get install mmdebstrap)")
    print("heal: making a minimal root file system ...", file=sys.stderr, flush=True)
    os.makedirs(folder, exist_ok=True)
    part = root + ".part"
    shutil.rmtree(part, ignore_errors=True)
    command = ["mmdebstrap", "--quiet", "--variant=minbase", "--include=" + ",".join(PACKAGES), "--dpkgopt=force-unsafe-io",
               "--format=directory", SUITE, part]
    own_sources = "/etc/apt/sources.list.d/debian.sources"  # where Debian's own servers are not reached
    if subprocess.run(command, timeout=900).returncode != 0:
        shutil.rmtree(part, ignore_errors=True)
        if not os.path.exists(own_sources) or subprocess.run([*command, own_sources], timeout=900).returncode != 0:
            sys.exit("heal: mmdebstrap could not make the root file system")
    os.rename(part, root)
    return root
