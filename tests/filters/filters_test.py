#!/usr/bin/env python3
"""Every filter in filters/ is well formed, and makes of each of its samples exactly what is expected, with each awk that is here.

  filters_test.py FOLDER
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

EXIT_QUOTES = 100  # as in supervisor/filter_stage.h
LEAST_LINES = 40
AWKS = ("mawk", "gawk", "original-awk", "busybox")
# What the cells of others may lack. The shell's own words and POSIX tools are enough.
FOREIGN = re.compile(r"\b(perl|ruby|jq|gensub|strftime|asort)\b")


def problems_of_shape(name, data):
    if sorted(data) != ["command", "filter", "name", "samples"]:
        yield f"members are {sorted(data)}"
        return
    if data["name"] != name.replace("_", " "):
        yield f"its name is {data['name']!r}"
    for member in ("command", "filter"):
        if not data[member] or not all(isinstance(line, str) and "\n" not in line for line in data[member]):
            yield f"{member} must be an array of lines"
    found = FOREIGN.search("\n".join(data["filter"]))
    if found:
        yield f"uses {found.group()}"
    if not data["samples"]:
        yield "has no sample"
    for sample in data["samples"]:
        if sorted(sample) != ["command", "input", "output"]:
            yield f"a sample has the members {sorted(sample)}"
        elif len(sample["input"]) < LEAST_LINES:
            yield f"the sample of {sample['command']!r} has {len(sample['input'])} lines; at least {LEAST_LINES} show something"


def text_of(lines):
    return "".join(line + "\n" for line in lines)


def filtered(script, text, folder):
    """As bashcell-init runs it, but with this folder's awk."""
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "LANG": "C.UTF-8"}
    return subprocess.run(["bash", "--norc", "--noprofile", "-o", "pipefail", "-c", script], input=text.encode(), env=environment,
                          capture_output=True, timeout=60, cwd="/")


def problems_of_samples(data, awk, folder):
    script = "\n".join(data["filter"])
    for sample in data["samples"]:
        where = f"{awk}: the sample of {sample['command']!r}"
        text, expected = text_of(sample["input"]), text_of(sample["output"])
        result = filtered(script, text, folder)
        got = result.stdout.decode("utf-8", "replace")
        if result.returncode not in (0, EXIT_QUOTES) or result.stderr:
            yield f"{where} ended with {result.returncode}: {result.stderr.decode('utf-8', 'replace')}"
        elif got != expected:
            lines = zip(got.split("\n") + [""] * 999, expected.split("\n"))
            number, (is_now, was) = next(((i, pair) for i, pair in enumerate(lines, 1) if pair[0] != pair[1]), (0, ("more", "")))
            yield f"{where}: line {number} is {is_now!r}, expected {was!r}"
        if len(expected) >= len(text):
            yield f"{where} does not get shorter"
        # A filter that meets nothing, or something else than it knows, ends, and does not make up an output.
        for other in ("", "\n\n", "something else\n", "x" * 100_000 + "\n"):
            result = filtered(script, other, folder)
            if result.returncode == 0 and len(result.stdout) > len(other) + 200:
                yield f"{awk}: makes {result.stdout[:80]!r} of {other[:20]!r}"


def main():
    folder = sys.argv[1]
    present = [awk for awk in AWKS if shutil.which(awk)]
    failed = 0
    names = sorted(name[:-5] for name in os.listdir(folder) if name.endswith(".json"))
    for name in names:
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            data = json.load(file)
        problems = list(problems_of_shape(name, data))
        for awk in present if not problems else []:
            with tempfile.TemporaryDirectory() as bin_folder:
                os.symlink(shutil.which(awk), os.path.join(bin_folder, "awk"))
                problems += problems_of_samples(data, awk, bin_folder)
        failed += bool(problems)
        for problem in problems:
            print(f"{name}: {problem}")
    print(f"{len(names) - failed} passed, {failed} failed (with {', '.join(present)})")
    return 1 if failed or not present or len(names) < 19 else 0


if __name__ == "__main__":
    sys.exit(main())
