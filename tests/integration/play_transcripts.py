#!/usr/bin/env python3
"""Plays all transcripts against the real server with real cells: play_transcripts.py PLAYER BASHCELL ENGINE FILE...

tests/transcripts.cmake plays them against a cell that is a plain process. Exit 77 when the engine is not there (1 if
BASHCELL_REQUIRE names it).
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from probe import make_probe  # noqa: E402
from registry import Bench, engine_host  # noqa: E402
from run_cases import end_without_engine, missing_engine  # noqa: E402


def main(player, program, engine, *files):
    reason = missing_engine(engine, None)
    if reason:
        return end_without_engine(engine, reason)
    bench = Bench(program, engine, make_probe(engine, None, engine_host(engine)))
    with tempfile.TemporaryDirectory(prefix="bashcell-transcripts-") as folder:
        workspace = os.path.join(folder, "workspace")
        os.chmod(folder, 0o755)
        os.mkdir(workspace)
        if os.geteuid() == 0:
            os.chown(workspace, 1000, 1000)
        server = [bench.bashcell, "serve", *bench.engine_options(), "--workspace", workspace]
        return subprocess.run([player, "--server", " ".join(server), *files], env={**os.environ, "HOME": folder}).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
