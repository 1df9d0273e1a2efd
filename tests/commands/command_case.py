"""bashcell, which the first argument names, run as people run it, with a home of its own."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BASHCELL = os.path.abspath(sys.argv.pop(1))
LIMIT = 60  # seconds for one run of the program; only reached when something hangs
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")


class Case(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="bashcell-commands-")
        os.chmod(self.home, 0o755)
        self.addCleanup(shutil.rmtree, self.home)
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment["HOME"] = self.home

    def bashcell(self, *arguments, program=BASHCELL, **options):
        options.setdefault("stdin", None if "input" in options else subprocess.DEVNULL)
        if options["stdin"] is None:
            del options["stdin"]
        return subprocess.run([program, *arguments], env=self.environment, timeout=LIMIT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def copy_of_the_program(self, folder):
        os.makedirs(os.path.join(self.home, folder), exist_ok=True)
        return shutil.copy(BASHCELL, os.path.join(self.home, folder, "bashcell"))
