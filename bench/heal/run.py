#!/usr/bin/env python3
"""Measures healing: runs every script of the corpus in a plain cell and in one that heals, and counts the right answers.

    python3 bench/heal/run.py --program BASHCELL [--only NAME]... [--show NAME]... [plain] [healed] [second] [cost]

Parts: `plain` (healing off), `healed` (with an empty toolbox), `second` (another server, same toolbox: no installs),
`cost` (calls whose commands all exist). By default all four. Exits 1 and names it when a goal is missed. `--check` instead
runs everything in a root that has all that scripts need: there each answer must be right.
"""

import argparse
import os
import statistics
import sys
import tempfile

import corpus
import report
import roots
import toolbox
from cell import Cell, Lost

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PER_SERVER = 40     # scripts of one conversation
COST_CALLS = 200
MOST_FAILING = 0.05
MOST_COST = 1.05


class Outcome:
    """What came of one script: `solved` in `calls` calls, or not, with the last reply."""

    def __init__(self, script):
        self.script, self.solved, self.calls, self.reply, self.lost = script, False, 0, None, ""
        self.wall, self.installs, self.told = 0.0, [], False


class Conversation:
    """Servers one after the other, each for `PER_SERVER` scripts, all with the same options."""

    def __init__(self, program, folder, options, box):
        self.arguments = (program, folder, options, box)
        self.cell, self.used = None, 0

    def run(self, script, most_calls):
        if self.cell is None or self.used >= PER_SERVER:
            self.close()
            self.cell, self.used = Cell(*self.arguments), 0
        self.used += 1
        outcome = Outcome(script)
        try:
            self.cell.prepare(script.files)
            while outcome.calls < most_calls and not outcome.solved:
                reply = self.cell.call(script.script)
                outcome.calls += 1
                outcome.reply = reply
                outcome.wall += reply.wall
                outcome.installs += reply.installs
                outcome.told = outcome.told or any(part in reply.status for part in script.hint)
                outcome.solved = script.answered_by(reply.text)
        except Lost as error:
            outcome.lost = str(error)
            self.close()
        return outcome

    def close(self):
        if self.cell is not None:
            self.cell.close()
            self.cell = None


def run_all(scripts, program, options, box, show, *, healing):
    """Runs the scripts in order; `healing` allows those that are healed afterwards their second call."""
    outcomes = []
    with tempfile.TemporaryDirectory(prefix="heal-") as folder:
        os.chmod(folder, 0o755)
        conversation = Conversation(program, folder, options, box)
        try:
            for script in scripts:
                outcome = conversation.run(script, script.calls if healing else 1)
                outcomes.append(outcome)
                if script.name in show:
                    report.show(outcome)
                elif healing and not outcome.solved:
                    print(f"  {script.theme}/{script.name}: {report.reason(outcome)}", file=sys.stderr, flush=True)
        finally:
            conversation.close()
    return outcomes


def cost(program, base, box):
    """The median seconds of a call of `true` with healing off, and with healing on; the calls take turns."""
    with tempfile.TemporaryDirectory(prefix="heal-") as folder:
        cells = []
        for name in ("off", "auto"):
            os.makedirs(os.path.join(folder, name), mode=0o755)
            cells.append(Cell(program, os.path.join(folder, name), [*base, "--install", name], box))
        try:
            walls = ([], [])
            for _ in range(COST_CALLS + 10):
                for cell, times in zip(cells, walls):
                    times.append(cell.call("true").wall)
        finally:
            for cell in cells:
                cell.close()
    return tuple(statistics.median(times[10:]) for times in walls)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.path.join(TOP, "build", "release", "bin", "bashcell"))
    parser.add_argument("--folder", default=os.path.join(TOP, "build", "heal"), help="where the root file system is kept")
    parser.add_argument("--only", action="append", default=[], help="only the script or the theme of this name")
    parser.add_argument("--show", action="append", default=[], help="print the script of this name and its replies")
    parser.add_argument("--check", action="store_true", help="are the expected answers right, in a root that has everything?")
    parser.add_argument("--keep", action="store_true", help="keep the toolbox of the run before, not an empty one")
    parser.add_argument("--option", action="append", default=[], help="one more word for bashcell's command line")
    parser.add_argument("parts", nargs="*", choices=["plain", "healed", "second", "cost", []])
    return parser.parse_args()


def check_answers(options, scripts):
    """Never those that only a model or nothing can serve: their answers are not to be had by running them."""
    scripts = [script for script in scripts if script.healing in corpus.HEALABLE]
    base = ["--rootfs", roots.equipped(options.folder), *options.option, "--install", "off"]
    outcomes = run_all(scripts, options.program, base, None, options.show, healing=False)
    wrong = [outcome for outcome in outcomes if not outcome.solved]
    for outcome in wrong:
        report.show(outcome)
    print(f"{len(outcomes) - len(wrong)} of {len(outcomes)} answers as expected")
    return 1 if wrong else 0


def main():
    options = arguments()
    scripts = corpus.load(options.only)
    if options.check:
        return check_answers(options, scripts)
    parts = options.parts or ["plain", "healed", "second", "cost"]
    base = ["--rootfs", roots.minimal(options.folder), *options.option]
    off, auto = ([*base, "--install", value] for value in ("off", "auto"))
    results, missed = {}, []
    with toolbox.Toolbox(options.folder, roots.wheels(options.folder), keep=options.keep) as box:
        if "plain" in parts:
            results["plain"] = run_all(scripts, options.program, off, box, options.show, healing=False)
        if "healed" in parts:
            results["healed"] = run_all(scripts, options.program, auto, box, options.show, healing=True)
        if "second" in parts:
            known = [outcome.script for outcome in results.get("healed", []) if outcome.solved] or scripts
            results["second"] = run_all(known, options.program, auto, box, (), healing=True)
        times = cost(options.program, base, box) if "cost" in parts else None
    report.table(results)
    report.failing(results)
    missed += report.goals(results, times, most_failing=MOST_FAILING, most_cost=MOST_COST)
    for line in missed:
        print(f"missed: {line}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
