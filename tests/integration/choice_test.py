#!/usr/bin/env python3
"""Which engine is chosen, and what `bashcell doctor` says of it, with an engine of scripts/engines.sh.

    choice_test.py BASHCELL docker|podman

Exits with 77 where there is none, unless BASHCELL_REQUIRE names it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from engine_api import EngineApi

BASHCELL, ENGINE = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
HOST = os.environ.get(f"BASHCELL_TEST_{ENGINE.upper()}_HOST")
IMAGE = os.environ.get("BASHCELL_TEST_IMAGE")
DEFAULT_IMAGE = {"docker": "python:3.11-slim", "podman": "docker.io/library/python:3.11-slim"}[ENGINE]
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")


class Choice(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.mkdtemp(prefix="bashcell-choice-")
        os.chmod(self.home, 0o755)
        self.addCleanup(shutil.rmtree, self.home)
        self.environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment["HOME"] = self.home
        self.api = EngineApi(HOST)

    def bashcell(self, *arguments, prefix=()):
        return subprocess.run([*prefix, BASHCELL, *arguments], env=self.environment, stdin=subprocess.DEVNULL, timeout=120,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def named(self):
        return "--engine", ENGINE, "--docker-host", HOST

    def test_doctor_measures_every_limit_in_the_engine(self):
        done = self.bashcell("doctor", *self.named(), "--image", IMAGE, "--memory=128", "--pids=40", "--cpus=0.25")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"\nEngine {ENGINE} at {HOST}:\n", done.stdout)
        self.assertEqual(done.stdout.count("\nEngine "), 1)
        for line in (rf"ok +engine +{ENGINE.capitalize()} \d[^ ]* \(API 1\.\d+, .+\), found by --docker-host",
                     r"ok +limits +cgroup v[12]", r"ok +seccomp ", rf"ok +image +{re.escape(IMAGE)} \(linux/\w+\)",
                     r"ok +network +none ", r"ok +memory +128 MB +128 MB", r"ok +processes +40 +40",
                     r"ok +cpus +0\.25 +0\.25", r"ok +network +lo +lo", r"ok +system calls filtered +yes +yes"):
            self.assertRegex(done.stdout, rf"\n  {line}.*\n")
        self.assertIn("\nCalls work: ", done.stdout)
        self.assertNotIn("FAIL", done.stdout)

    def test_doctor_says_that_an_image_is_missing_and_does_not_pull_it(self):
        image = "localhost/bashcell-none-such:1"
        done = self.bashcell("doctor", *self.named(), "--image", image)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, rf"FAIL +image +{image} is not there yet: the first call pulls it\n"
                                      rf" +to fix it: {ENGINE} .*pull {image}\n")
        self.assertRegex(done.stdout, r"\nCalls do not work: .*; the first call pulls it, or: ")
        self.assertNotIn("could not pull", done.stdout)

    def test_an_image_leads_auto_to_the_engine(self):
        self.environment["DOCKER_HOST"] = HOST
        done = self.bashcell("run", "--image", IMAGE, "echo in $HOSTNAME")
        self.assertEqual((done.returncode, done.stdout[:8]), (0, "in cell-"), done.stderr)
        done = self.bashcell("doctor", "--image", IMAGE)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(done.stdout.endswith(f"\nWith these options, calls use docker at {HOST}.\n"), done.stdout)
        self.assertIn("\nEngine oci:\n", done.stdout)

    def test_auto_goes_on_to_the_engine_where_no_runtime_is(self):
        self.environment["DOCKER_HOST"] = HOST
        self.api.tag(IMAGE, DEFAULT_IMAGE)
        self.addCleanup(self.api.untag, DEFAULT_IMAGE)
        runtimes = [path for path in map(self.find, ("crun", "runc")) if path]
        hide = "".join(f"mount --bind /dev/null {path} && " for path in runtimes) + 'exec "$0" "$@"'
        prefix = ("unshare", "-m", "sh", "-c", hide)
        done = self.bashcell("run", "echo in $HOSTNAME", prefix=prefix)
        self.assertEqual((done.returncode, done.stdout[:8]), (0, "in cell-"), done.stderr)
        done = self.bashcell("doctor", prefix=prefix)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"FAIL +runtime ")
        self.assertTrue(done.stdout.endswith(f"\nWith these options, calls use docker at {HOST}.\n"), done.stdout)
        self.environment["DOCKER_HOST"] = "unix:///nonexistent.sock"
        done = self.bashcell("run", "echo ran", prefix=prefix)
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stdout, r"\A\[cell: not run: no engine works here \(oci: no usable container runtime .*; "
                                      r"docker: .*nonexistent\.sock.*\); to fix it: .*apt-get install .*\]\n\Z")

    @staticmethod
    def find(name):
        return shutil.which(name, path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")


if __name__ == "__main__":
    if not HOST or not IMAGE:
        print(f"skipped: no {ENGINE} engine (scripts/engines.sh with ...)")
        sys.exit(1 if ENGINE in os.environ.get("BASHCELL_REQUIRE", "") else 77)
    unittest.main(verbosity=2)
