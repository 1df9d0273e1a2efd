#!/usr/bin/env python3
"""Runs cases against a real server: run_cases.py --bashcell PATH --engine oci C01 C02.a …

A base id runs all its variants, a kind (STDIO) all of its cases; `tools`, `limits`, `escape`, `badinput` and `selfcheck` are ids, too.
One line per variant, then a table; exit 1 when one failed, 2 when nothing is selected that could run, 77 when the engine is not
there (1 if BASHCELL_REQUIRE names it).
The engines docker and podman are those of `scripts/engines.sh with docker,podman,remote -- …`; docker-tls and docker-ssh are
two ways to its remote.
"""

import argparse
import json
import os
import shutil
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from checks import Failure  # noqa: E402
from probe import ENGINES, make_probe  # noqa: E402
from remote import is_remote  # noqa: E402
from registry import VARIANTS, Bench, engine_host, run_variant  # noqa: E402
import cases  # noqa: E402,F401  (registers all cases)
import badinput_test, badinput_engine_test, badinput_remote_test, escape_test, limits_test, selfcheck_test, tools_test  # noqa: E401,E402,F401  (register theirs as cases named so)

SKIPPED = 77


def missing_engine(engine, runtime):
    """Why the engine cannot be used here; empty if it can."""
    if engine == "oci" and not any(shutil.which(name) for name in ([runtime] if runtime else ["crun", "runc"])):
        return f"neither crun nor runc found (wanted: {runtime or 'any'})"
    if engine != "oci" and not engine_host(engine):
        return f"no {engine} for tests: scripts/engines.sh with {'remote' if is_remote(engine) else engine} -- COMMAND"
    return ""


def end_without_engine(engine, reason):
    """Says so, and the exit code: a failure only where this engine has to be there."""
    required = engine in os.environ.get("BASHCELL_REQUIRE", "").replace(",", " ").split()
    print(f"{'FAILED' if required else 'SKIPPED'}: {engine}: {reason}")
    return 1 if required else SKIPPED


def chosen(names, engine, kinds):
    """The variants to run, and why there are none; every name has to select one that the engine can run. `kinds` is --variants-of."""
    said = "" if kinds is None else f" with --variants-of {kinds}"
    picked = [v for v in VARIANTS.values() if not names or not v.names.isdisjoint(names)]
    if unknown := [name for name in names if not any(name in v.names for v in picked)]:
        return [], f"no such case: {' '.join(unknown)}"
    if kinds is not None:
        picked = [v for v in picked if not v.is_variant or v.kind in kinds.split(",")]
    if empty := [name for name in names or [""] if not any(not name or name in v.names for v in picked)]:
        return [], f"nothing would be run: no case is selected by {' '.join(empty) or 'all'}{said}"
    if away := [name for name in names or [""] if all(v.why_not(engine) for v in picked if not name or name in v.names)]:
        return [], f"nothing would be run: none of {' '.join(away) or 'the cases'}{said} is about {engine}"
    return picked, ""


def run_one(bench, variant):
    start = time.monotonic()
    record = {"case": variant.name, "kind": variant.kind, "test": f"{variant.run.__module__}.{variant.run.__name__}"}
    if why := variant.why_not(bench.name):
        return record | {"result": "n/a", "why": why, "seconds": 0}
    try:
        run_variant(bench, variant)
        record["result"] = "passed"
    except Exception as error:  # a broken test is a failed test, too
        where = traceback.extract_tb(error.__traceback__)
        place = next((f for f in reversed(where) if "/cases/" in f.filename or f.filename.endswith("_test.py")), where[-1])
        what = str(error) if isinstance(error, Failure) else repr(error)
        record.update(result="failed", why=f"{os.path.basename(place.filename)}:{place.lineno}: {what}")
    record["seconds"] = round(time.monotonic() - start, 2)
    return record


def summary(engine, records):
    print("\ncase    kind     result  test")
    for record in records:
        print(f"{record['case']:7} {record['kind']:8} {record['result']:7} {record['test']}")
    by = {result: [r["case"] for r in records if r["result"] == result] for result in ("passed", "failed", "n/a")}
    print(f"\n{engine}: {len(by['passed'])} of {len(records) - len(by['n/a'])} passed")
    for result, what in (("failed", "failed"), ("n/a", f"not about {engine}")):
        if by[result]:
            print(f"{what}: {' '.join(by[result])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bashcell", default=os.environ.get("BASHCELL", "bashcell"))
    parser.add_argument("--engine", default="oci", choices=ENGINES)
    parser.add_argument("--runtime")
    parser.add_argument("--list", choices=("base", "kind"), help="the ids or the kinds that apply to the engine, one a line")
    parser.add_argument("--variants-of", metavar="KINDS",
                        help="of what is in cases.jsonl, run only the cases as written, except of these kinds (a comma between two)")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_args()
    if options.list:
        print("\n".join(dict.fromkeys(getattr(v, options.list) for v in VARIANTS.values() if not v.why_not(options.engine))))
        return 0
    if not os.access(options.bashcell, os.X_OK):
        parser.error(f"no program at {options.bashcell}")
    variants, problem = chosen(options.cases, options.engine, options.variants_of)
    if problem:
        parser.exit(2, f"run_cases: {problem}\n")
    reason = missing_engine(options.engine, options.runtime)
    if reason:
        return end_without_engine(options.engine, reason)
    bench = Bench(options.bashcell, options.engine, make_probe(options.engine, options.runtime, engine_host(options.engine)),
                  options.runtime)
    records = []
    for variant in variants:
        record = run_one(bench, variant)
        records.append(record)
        print(f"{record['result']:6} {record['case']:7} {record['seconds']:7.2f} s  {record.get('why', '')}", flush=True)
    summary(bench.name, records)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(records, file, indent=1)
    return 1 if any(record["result"] == "failed" for record in records) else 0


if __name__ == "__main__":
    sys.exit(main())
