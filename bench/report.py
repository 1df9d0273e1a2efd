#!/usr/bin/env python3
"""report.py FOLDER RESULTS: makes RESULTS/latest.md and RESULTS/latest.svg of what scripts/bench.sh all left in FOLDER.

times.json is from bashcell_bench, tokens.json and tokens.txt are from bench/tokens, heal.txt, which may be missing, is from
bench/heal. Every figure in the page and in the picture comes from these files.
"""

import json
import os
import subprocess
import sys

import chart

OUT_OF = {"ours": "bashcell", "baseline": "beside it"}


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file) if name.endswith(".json") else file.read().strip()


def number(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def spread(column):
    return f"{number(column['median'])} ({number(column['min'])} to {number(column['max'])})"


def times_table(rows):
    yield "| what | bashcell | beside it | ratio, median (smallest to largest) | goal | met |"
    yield "|---|---:|---:|---:|---|---|"
    for row in rows:
        columns = [f"{number(row[name]['median'])} {row['unit']}" if name in row else "" for name in OUT_OF]
        judged = spread(row["ratio"]) if "ratio" in row else ""
        if not judged and row["ours"]["min"] != row["ours"]["max"]:
            columns[0] = f"{spread(row['ours'])} {row['unit']}"
        met = {True: "yes", False: "**no**"}.get(row.get("met"), "")
        yield f"| {row['name']} | {columns[0]} | {columns[1]} | {judged} | {row.get('goal', '')} | {met} |"


def tokens_table(figures):
    yield "| what | unit | bashcell | others |"
    yield "|---|---|---:|---|"
    for figure in figures:
        others = "; ".join(f"{who}: {number(value)}" for who, value in figure["values"].items() if who != "bashcell")
        yield f"| {figure['name']} | {figure['unit']} | {number(figure['values']['bashcell'])} | {others} |"


def page(times, tokens, texts):
    system = os.uname()
    version = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout.strip()
    yield "# The benchmark's last run"
    yield ""
    yield (f"Made by `scripts/bench.sh all` at commit {version}: {system.sysname} {system.release}, {os.cpu_count()} processors. "
           "Ours and what it is beside take turns in one run; a figure is the median over the rounds.")
    yield ""
    yield "![Time and tokens beside what people do today](latest.svg)"
    yield ""
    yield "## Time and memory"
    yield ""
    yield from times_table(times)
    yield ""
    yield "## Tokens (o200k_base)"
    yield ""
    yield from tokens_table(tokens)
    for title, text in texts:
        if text:
            yield from ("", f"## {title}", "", "```", text, "```")


def bars(times, tokens):
    """(title, unit, [(label, value, ours)]) for each panel of the picture."""
    named = {row["name"]: row for row in times}

    def beside(label, name):
        return [(label, named[name]["baseline"]["median"], False)] if name in named else []
    call = "echo hi, 30 ms apart, p50"
    if call in named:
        yield ("one call of `echo hi`", "ms", [
            ("bashcell", named[call]["ours"]["median"], True), *beside("bare bash -c", call),
            *beside("Engine API: exec for each", "docker: echo hi, vs exec create, start, inspect, p50"),
            *beside("docker run --rm for each", "docker: echo hi, vs `docker run --rm` for each, p50")])
    for figure in tokens:
        values = sorted(figure["values"].items(), key=lambda item: item[0] != "bashcell")
        yield figure["name"], figure["unit"], [(who, value, who == "bashcell") for who, value in values]


def main():
    folder, results = sys.argv[1:]
    times, tokens = read(folder, "times.json"), read(folder, "tokens.json")
    os.makedirs(results, exist_ok=True)
    task_by_task = (read(folder, "tokens.txt") or "").partition("Definitions:")  # before it a build and an installation speak
    texts = [("Tokens, task by task", "".join(task_by_task[1:])), ("Healing", read(folder, "heal.txt"))]
    with open(os.path.join(results, "latest.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(page(times, tokens, texts)) + "\n")
    with open(os.path.join(results, "latest.svg"), "w", encoding="utf-8") as file:
        file.write(chart.svg(list(bars(times, tokens))))
    print(f"written: {results}/latest.md, {results}/latest.svg")


if __name__ == "__main__":
    main()
