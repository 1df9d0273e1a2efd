#!/usr/bin/env python3
"""Plays all transcripts against the real server with real cells: play_transcripts.py PLAYER BASHCELL ENGINE FILE...

tests/transcripts.cmake plays them against a cell that is a plain process. Exit 77 when the engine is not there (1 if
BASHCELL_REQUIRE names it).
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from probe import make_probe  # noqa: E402
from registry import Bench, Context, engine_host  # noqa: E402
from remote import volume_option  # noqa: E402
from run_cases import end_without_engine, missing_engine  # noqa: E402


def main(player, program, engine, *files):
    reason = missing_engine(engine, None)
    if reason:
        return end_without_engine(engine, reason)
    bench = Bench(program, engine, make_probe(engine, None, engine_host(engine)))
    with Context(bench, None) as t:
        workspace = volume_option(t.make_workspace("workspace"))
        server = [bench.bashcell, "serve", *bench.engine_options(remote=bench.remote), "--workspace", workspace]
        environment = {**os.environ, "HOME": t.folder, **(bench.remote.environment if bench.remote else {})}
        return subprocess.run([player, "--server", " ".join(server), *files], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
