#!/usr/bin/env python3
"""cmake --install: everything is in its place, below any prefix and DESTDIR, and the program finds its other half.

    install_test.py BASHCELL CMAKE BUILD
"""

import gzip
import os
import subprocess
import sys
import unittest

CMAKE, BUILD = sys.argv.pop(2), sys.argv.pop(2)

from command_case import LIMIT, Case  # pylint: disable=wrong-import-position

FILES = ("bin/bashcell", "libexec/bashcell/bashcell-init", "share/man/man1/bashcell.1.gz", "share/doc/bashcell/LICENSE",
         "share/doc/bashcell/README.md", "share/doc/bashcell/docs/security.md", "share/doc/bashcell/examples/launcher.py",
         "share/bash-completion/completions/bashcell", "share/zsh/site-functions/_bashcell",
         "share/fish/vendor_completions.d/bashcell.fish")


class Install(Case):
    def check(self, prefix, destdir, folder):
        environment = {**self.environment, "DESTDIR": destdir}
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", prefix], env=environment, timeout=LIMIT, check=True,
                       stdout=subprocess.DEVNULL)
        for name in FILES:
            self.assertTrue(os.path.isfile(os.path.join(folder, name)), name)
        program = os.path.join(folder, "bin/bashcell")
        doctor = self.bashcell("doctor", "--engine", "docker", "--docker-host", "unix:///nonexistent", program=program)
        self.assertRegex(doctor.stdout, rf"\n  ok +bashcell-init +{folder}/libexec/bashcell/bashcell-init\n")
        with gzip.open(os.path.join(folder, "share/man/man1/bashcell.1.gz"), "rt") as page:
            self.assertEqual(page.read(), self.bashcell("manual", program=program).stdout)
        with open(os.path.join(folder, "share/bash-completion/completions/bashcell"), encoding="ascii") as script:
            self.assertEqual(script.read(), self.bashcell("completion", "bash", program=program).stdout)

    def test_below_a_prefix(self):
        self.check(os.path.join(self.home, "opt"), "", os.path.join(self.home, "opt"))

    def test_below_a_destdir(self):
        self.check("/usr", os.path.join(self.home, "root"), os.path.join(self.home, "root/usr"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
