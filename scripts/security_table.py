#!/usr/bin/env python3
"""Tries the ways out of a cell in cells of all engines, and writes what came into docs/security.md.

    scripts/engines.sh with docker,podman -- scripts/security_table.py build/release/bin/bashcell
"""

import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "tests", "integration")
PAGE = os.path.join(HERE, "..", "docs", "security.md")
BEGIN, END = "<!-- escape attempts: scripts/security_table.py writes this -->\n", "<!-- end of the escape attempts -->\n"
ENGINES = ("oci", "docker", "podman")
sys.path.insert(0, TESTS)

from escape_attempts import ATTEMPTS  # noqa: E402


def shown(result):
    if result == "SUCCEEDED":
        return "**works**"
    return "refused: " + result.removeprefix("refused: ")


def table(results):
    lines = ["| attempt | barriers | oci | docker | podman | plain `docker run` |", "| --- | --- | --- | --- | --- | --- |"]
    for threat, attempts in ATTEMPTS.items():
        lines.append(f"| **{threat}** | | | | | |")
        for a in attempts:
            cells = [shown(results[engine]["cell"][a.name]) for engine in ENGINES] + [shown(results["docker"]["plain"][a.name])]
            missing = a.optional and results["oci"]["host"][a.name] != "SUCCEEDED"
            lines.append(f"| {a.what}{' ¹' if missing else ''} | {', '.join(a.barriers)} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main(bashcell):
    with tempfile.TemporaryDirectory() as folder:
        results = {}
        for engine in ENGINES:
            run = subprocess.run([sys.executable, "-B", os.path.join(TESTS, "run_cases.py"), "--bashcell", bashcell, "--engine", engine,
                                  "escape"], env={**os.environ, "BASHCELL_ESCAPE_TABLE": folder}, stdout=sys.stderr)
            if run.returncode != 0:
                sys.exit(f"the attempts in cells of {engine} did not end as they must (exit {run.returncode}); nothing is written")
            with open(os.path.join(folder, f"{engine}.json")) as file:
                results[engine] = json.load(file)
    with open(PAGE) as file:
        before, _, rest = file.read().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        sys.exit(f"{PAGE} has no place for the table between its two marks")
    with open(PAGE, "w") as file:
        file.write(before + BEGIN + table(results) + END + after)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
