"""The scripts of the benchmark: corpus/*.json.

A file is one theme: `files` lie in the workspace of each of its scripts (a list stands for lines). Each script has a `name`,
what it `needs` beyond a minimal image with Python and pip, the answer that is right (`expect`: the whole text, a pattern
that `matches` somewhere, or parts that it `has`), and what can serve it (`healing`):

  none     nothing is missing: it works in a plain cell
  install  bash misses a command: healed in place, in the same call
  after    something else than bash misses it (xargs, env, sh, a program): healed after the run, right when run again
  module   Python misses a module: likewise
  hint     nothing can be installed, but one line can name what exists (`hint`: one of these is in the status line)
  model    only whoever understands the script can repair it
  never    a cell does not have this: a network, root, a display, services
"""

import glob
import json
import os
import re

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
KINDS = ("none", "install", "after", "module", "hint", "model", "never")
HEALABLE = ("none", "install", "after", "module")
CALLS = {"after": 2, "module": 2}  # in how many calls the answer has to be there; 1 otherwise


def joined(value):
    return "\n".join(value) if isinstance(value, list) else value


class Script:
    def __init__(self, theme, data):
        self.theme = theme["theme"]
        self.name, self.healing, self.needs = data["name"], data["healing"], data["needs"]
        self.script = joined(data["script"])
        self.files = {path: joined(text) for path, text in {**theme["files"], **data.get("files", {})}.items()}
        self.expect, self.hint = data["expect"], data.get("hint", [])
        if self.healing not in KINDS:
            raise ValueError(f"{self.name}: no kind of healing: {self.healing}")

    @property
    def calls(self):
        return CALLS.get(self.healing, 1)

    def answered_by(self, text):
        """Whether `text`, a reply without its status line, is the answer."""
        text = text.strip("\n")
        if "text" in self.expect:
            return text == joined(self.expect["text"])
        if "matches" in self.expect:
            return re.search(self.expect["matches"], text) is not None
        return all(part in text for part in self.expect["has"])

    def wanted(self):
        return json.dumps(self.expect, ensure_ascii=False)


def load(only=()):
    """All scripts, in the order of the themes' names; with `only`, those that bear one of these names (or of these themes)."""
    scripts = []
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.json"))):
        with open(path, encoding="utf-8") as file:
            theme = json.load(file)
        scripts += [Script(theme, data) for data in theme["scripts"]]
    names = [script.name for script in scripts]
    if len(set(names)) != len(names):
        raise ValueError(f"names twice: {sorted({name for name in names if names.count(name) > 1})}")
    unknown = set(only) - set(names) - {script.theme for script in scripts}
    if unknown:
        raise ValueError(f"no script or theme of this name: {', '.join(sorted(unknown))}")
    return [script for script in scripts if not only or script.name in only or script.theme in only]
