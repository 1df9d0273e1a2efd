#!/usr/bin/env python3
"""The command line as people use it: bashcell with arguments, its two streams and its exit code.

    commands_test.py BASHCELL

Tests that need a real cell are skipped where `bashcell doctor` finds none, unless BASHCELL_REQUIRE names the engine.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest

from command_case import BASHCELL, LIMIT, Case


def remove_shelf(workspace):
    """Root's is outside of the home."""
    for place in glob.glob("/var/lib/bashcell/shelf/*/workspace"):
        with open(place) as file:
            if file.read() == os.path.realpath(workspace):
                shutil.rmtree(os.path.dirname(place))


class Plain(Case):
    def test_version_and_help_go_to_stdout(self):
        version = self.bashcell("--version")
        self.assertEqual((version.returncode, version.stderr), (0, ""))
        self.assertRegex(version.stdout, r"^bashcell \d+\.\d+\.\d+\n$")
        text = self.bashcell("--help")
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertIn("bashcell run 'SCRIPT'", text.stdout)

    def test_a_bad_option_is_one_line_on_stderr_and_exit_2(self):
        for arguments in (["--memory=1"], ["--nonsense"], ["run"], ["frobnicate"], ["--config", "/nonexistent"],
                          ["--workspace", "/"]):
            with self.subTest(arguments):
                done = self.bashcell(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertRegex(done.stderr, r"\Abashcell: [^\n]+\n\Z")

    def test_a_bad_variable_names_itself(self):
        self.environment["BASHCELL_MEMORY"] = "lots"
        done = self.bashcell("doctor")
        self.assertEqual(done.returncode, 2)
        self.assertIn("BASHCELL_MEMORY in the environment is \"lots\"; it must be a whole number", done.stderr)

    def test_closed_standard_streams_are_survived(self):
        for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
            with self.subTest(closed):
                done = subprocess.run(["sh", "-c", f'exec "$0" --version {closed}', BASHCELL], env=self.environment,
                                      timeout=LIMIT, text=True, capture_output=True)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_without_bashcell_init_the_answer_names_where_it_was_looked_for(self):
        done = self.bashcell("run", "echo hi", program=self.copy_of_the_program("bin"))
        self.assertEqual(done.returncode, 125)
        self.assertIn(f"{self.home}/bin/bashcell-init", done.stdout)
        self.assertIn(f"{self.home}/libexec/bashcell/bashcell-init", done.stdout)

    def test_doctor_names_another_version_of_bashcell_init(self):
        other = os.path.join(self.home, "other-init")
        with open(other, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho bashcell-init 99.0.0\n")
        os.chmod(other, 0o755)
        done = self.bashcell("doctor", "--init", other)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"FAIL +bashcell-init +.*other-init is version 99\.0\.0; this program needs ")

    def test_doctor_names_a_missing_runtime_and_the_cure(self):
        done = self.bashcell("doctor", "--runtime", "/nonexistent/crun")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"FAIL +runtime ")
        self.assertIn("Calls do not work: ", done.stdout)
        self.assertIn("apt-get install", done.stdout)

    def test_doctor_examines_only_the_engine_that_is_named(self):
        for engine in ("docker", "podman"):
            done = self.bashcell("doctor", "--engine", engine, "--docker-host", "unix:///nonexistent/engine.sock")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout.count("\nEngine "), 1)
            self.assertRegex(done.stdout, rf"\nEngine {engine} at unix:///nonexistent/engine\.sock:\n  FAIL  engine ")
            self.assertIn("\nCalls do not work: ", done.stdout)

    def test_doctor_names_the_command_that_gets_an_engine(self):
        if any(map(os.path.exists, ("/run/podman/podman.sock", f"/run/user/{os.getuid()}/podman/podman.sock"))):
            self.skipTest("this machine has a Podman engine")
        done = self.bashcell("doctor", "--engine", "podman")
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install podman", done.stdout)

    def test_run_without_a_runtime_says_so_and_runs_nothing(self):
        marker = os.path.join(self.home, "marker")
        done = self.bashcell("run", f"touch {marker}; echo ran", "--runtime", "/nonexistent/crun")
        self.assertEqual(done.returncode, 125)
        self.assertRegex(done.stdout, r"\A\[cell: not run: [^\n]+\]\n\Z")
        self.assertFalse(os.path.exists(marker))


class InCells(Case):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="bashcell-commands-") as home:
            environment = {**os.environ, "HOME": home}
            doctor = subprocess.run([BASHCELL, "doctor"], env=environment, capture_output=True, text=True, timeout=LIMIT)
        if doctor.returncode != 0:
            if "oci" in os.environ.get("BASHCELL_REQUIRE", ""):
                raise AssertionError("no cell can be started here:\n" + doctor.stdout + doctor.stderr)
            raise unittest.SkipTest(doctor.stdout.strip().splitlines()[-1])

    def test_run_prints_the_reply_and_passes_the_exit_code_on(self):
        for script, code, reply in (("echo hi", 0, "hi\n"), ("true", 0, "(no output)\n"),
                                    ("echo [a, b]; exit 3", 3, "[a, b]\n[cell: exit 3]\n")):
            with self.subTest(script):
                done = self.bashcell("run", script)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (code, reply, ""))

    def test_run_gives_124_on_timeout_with_what_was_printed(self):
        done = self.bashcell("run", "echo before; sleep 60", "--timeout", "1")
        self.assertEqual(done.returncode, 124)
        self.assertRegex(done.stdout, r"\Abefore\n\[cell: timed out after 1 s; .*\]\n\Z")

    def test_run_reads_the_script_from_stdin(self):
        done = self.bashcell("run", "-", input="echo from\necho stdin\n")
        self.assertEqual((done.returncode, done.stdout), (0, "from\nstdin\n"))

    def test_run_heals_as_serve_does(self):
        done = self.bashcell("run", "gti status", "--install", "off")
        self.assertEqual(done.returncode, 127)
        self.assertIn("[cell: exit 127; did you mean git]", done.stdout)
        done = self.bashcell("run", "antiword x", "--install-deny", "antiword")
        if done.returncode == 127:  # else this machine has it
            self.assertIn("antiword may not be installed here", done.stdout)

    def test_a_signal_ends_run(self):
        with subprocess.Popen([BASHCELL, "run", "echo started > started; sleep 60"], env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as run:
            started = os.path.join(self.home, ".local/share/bashcell/workspace/started")
            self.wait_for(lambda: os.path.exists(started), run)
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, 128 + signal.SIGINT)

    def test_run_waits_for_the_workspace(self):
        workspace = os.path.join(self.home, ".local/share/bashcell/workspace")

        def start(script):
            return subprocess.Popen([BASHCELL, "run", "--workspace-lock", script], env=self.environment,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        with start("echo up > up; until [ -e go ]; do sleep 0.05; done; echo 1 >> log") as first:
            self.wait_for(lambda: os.path.exists(os.path.join(workspace, "up")), first)
            with start("echo 2 >> log; cat log") as second, start("echo never >> log") as third:
                self.wait_for(lambda: self.blocks_signals(third.pid), third)
                third.send_signal(signal.SIGINT)
                third.communicate(timeout=LIMIT)
                self.assertEqual(third.returncode, 128 + signal.SIGINT)
                with open(os.path.join(workspace, "go"), "w", encoding="ascii"):
                    pass
                self.assertEqual(second.communicate(timeout=LIMIT)[0], b"1\n2\n")
            first.communicate(timeout=LIMIT)

    def blocks_signals(self, pid):
        """It reads them from a descriptor by now."""
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            mask = next(line for line in file if line.startswith("SigBlk:"))
        return int(mask.split()[1], 16) & 1 << signal.SIGINT - 1

    def wait_for(self, fact, process):
        while not fact():
            self.assertIsNone(process.poll(), "the program ended before")
            try:
                process.wait(timeout=0.05)
            except subprocess.TimeoutExpired:
                pass

    def test_the_folder_it_is_started_in_is_never_the_workspace(self):
        folder = os.path.join(self.home, "started-here")
        os.mkdir(folder)
        done = self.bashcell("run", "pwd; touch file", cwd=folder)
        self.assertEqual((done.returncode, done.stdout), (0, "/workspace\n"))
        self.assertEqual(os.listdir(folder), [])
        self.assertEqual(os.listdir(os.path.join(self.home, ".local/share/bashcell/workspace")), ["file"])

    def test_doctor_measures_every_limit(self):
        done = self.bashcell("doctor", "--engine=oci", "--memory=128", "--pids=40", "--cpus=0.25")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"ok +memory +128 MB +128 MB\n")
        self.assertRegex(done.stdout, r"ok +processes +40 +40\n")
        self.assertRegex(done.stdout, r"ok +cpus +0\.25 +0\.25\n")
        self.assertRegex(done.stdout, r"ok +network +lo +lo\n")
        self.assertIn("\nCalls work: ", done.stdout)
        self.assertNotIn("FAIL", done.stdout)

    def test_doctor_examines_every_engine_and_says_which_one_calls_use(self):
        self.environment["DOCKER_HOST"] = "unix:///nonexistent/engine.sock"
        done = self.bashcell("doctor")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"\nEngine oci:\n(  .*\n)+\nIn a cell(.*\n)+Calls work: .*\n\n"
                                      r"Engine docker at unix:///nonexistent/engine\.sock:\n  FAIL  engine .*\n")
        self.assertTrue(done.stdout.endswith("\nWith these options, calls use oci.\n"), done.stdout)

    def test_bashcell_init_is_found_in_the_libexec_of_an_installation(self):
        program = self.copy_of_the_program("bin")
        libexec = os.path.join(self.home, "libexec/bashcell")
        os.makedirs(libexec)
        shutil.copy(os.path.join(os.path.dirname(BASHCELL), "bashcell-init"), libexec)
        done = self.bashcell("run", "echo installed", program=program)
        self.assertEqual((done.returncode, done.stdout), (0, "installed\n"))

    def test_what_a_script_has_saved_is_on_the_shelf(self):
        workspace = os.path.join(self.home, "work")
        os.mkdir(workspace)
        if os.geteuid() == 0:
            os.chown(workspace, 1000, 1000)
        self.addCleanup(remove_shelf, workspace)

        def shelf(*words, status=0):
            done = self.bashcell("shelf", *words, "--workspace", workspace)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            return done.stdout if status == 0 else done.stderr

        self.assertEqual(shelf(), "")
        script = "echo '# Says hi.\necho \"hi $1\"' > hi.sh; cell save greet hi.sh you"
        done = self.bashcell("run", "--install", "off", "--workspace", workspace, script)
        self.assertEqual(done.stdout, "hi you\ncell: saved greet: call it by its name, in later conversations, too\n")
        self.assertRegex(shelf("list"), r"^greet  [\d-]+ [\d:]+  Says hi\.\n$")
        self.assertEqual(shelf("show", "greet"), "#!/bin/bash\n# Says hi.\necho \"hi $1\"\n")
        self.assertIn("there is no 'other' on the shelf", shelf("show", "other", status=1))
        target = os.path.join(self.home, "scripts")
        self.assertEqual(shelf("export", target), f"1 script to {target}\n")
        self.assertEqual(subprocess.run([os.path.join(target, "greet"), "me"], stdout=subprocess.PIPE).stdout, b"hi me\n")
        self.assertIn("File exists", shelf("export", target, status=1))
        shelf("rm", "greet")
        self.assertIn("there is no 'greet' on the shelf", shelf("rm", "greet", status=1))
        self.assertIn("the shelf is off", shelf("--shelf", "off", status=1))

    def test_a_recorded_session_replays_and_a_changed_one_does_not(self):
        file = os.path.join(self.home, "session.jsonl")
        messages = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                     "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                                "clientInfo": {"name": "test", "version": "1"}}},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "bash", "arguments": {"command": "echo recorded"}}}]
        session = self.bashcell("--record", file, input="".join(json.dumps(m) + "\n" for m in messages))
        self.assertEqual(session.returncode, 0, session.stderr)
        again = self.bashcell("replay", file)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)

        with open(file, encoding="utf-8") as recorded:
            text = recorded.read()
        self.assertEqual(text.count('"text":"recorded"'), 1)
        with open(file, "w", encoding="utf-8") as changed:
            changed.write(text.replace('"text":"recorded"', '"text":"changed"'))
        again = self.bashcell("replay", file)
        self.assertEqual(again.returncode, 1)
        self.assertIn("recorded", again.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
