#!/usr/bin/env python3
"""Missing images, with a real engine of its own and a real registry on loopback.

    pull_test.py BASHCELL docker|podman

Exits with 77 where it cannot run, unless BASHCELL_REQUIRE names the engine.
"""

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from engine_api import EngineApi
from loopback_registry import Registry, free_port
from rootfs import make_rootfs

BASHCELL, ENGINE = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
ENGINES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "engines.sh")
SLOWNESS = float(os.environ.get("BASHCELL_TEST_SLOWNESS", "1"))
KEPT = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")
ANSWER_LIMIT = 5 + 2 * (SLOWNESS - 1)  # what a call with a missing image may take


class Place:
    """The engine, the registry and the images of all tests here."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="bc-pull-")  # short, since Podman takes no long paths
        os.chmod(self.folder, 0o755)
        self.registry = Registry(os.path.join(self.folder, "registry"))
        self.workspace = os.path.join(self.folder, "workspace")

    def start(self):
        self.registry.start()
        os.makedirs(os.path.join(self.folder, ENGINE))
        with open(os.path.join(self.folder, ENGINE, "registries.conf"), "w", encoding="utf-8") as file:
            for port in (self.registry.port, self.registry.slow.port):  # Docker asks loopback without TLS anyway
                file.write(f'[[registry]]\nlocation = "127.0.0.1:{port}"\ninsecure = true\n')
        started = subprocess.run([ENGINES, "start", ENGINE, self.folder], stdin=subprocess.DEVNULL, capture_output=True,
                                 text=True, timeout=90)
        if started.returncode != 0:
            raise RuntimeError(started.stderr)
        self.host = started.stdout.strip()
        self.api = EngineApi(self.host, 60)
        os.mkdir(self.workspace)
        os.chown(self.workspace, 1000, 1000)
        self.publish()

    def end(self):
        subprocess.run([ENGINES, "end", self.folder], stdin=subprocess.DEVNULL, timeout=90)
        self.registry.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def publish(self):
        root = make_rootfs(os.path.join(self.folder, "root"), ("bash", "cat", "echo"))
        with open(os.path.join(root, "large"), "wb") as file:
            file.write(os.urandom(3_000_000))
        self.push_root(root, "1")
        os.remove(os.path.join(root, "usr/bin/bash"))
        self.push_root(root, "no-bash")
        self.registry.change_config("cell", "1", "arm64", lambda config: config.update(architecture="arm64"))

    def push_root(self, root, tag):
        """As an image of two layers, each of them large; the engine forgets it again."""
        name = f"127.0.0.1:{self.registry.port}/cell"
        self.api.import_root(root, f"{name}:base")
        created = self.api.ask("POST", "/containers/create", json.dumps({"Image": f"{name}:base", "Cmd": ["/bin/bash"]}),
                               headers={"Content-Type": "application/json"})
        more = os.path.join(self.folder, "more.tar")
        with open(os.path.join(self.folder, "second"), "wb") as file:
            file.write(os.urandom(2_000_000))
        # Without padding at its end: Podman stops reading before it, and fails when that is noticed.
        subprocess.run(["tar", "-C", self.folder, "-b1", "-cf", more, "second"], check=True)
        with open(more, "rb") as file:
            self.api.ask("PUT", f"/containers/{created['Id']}/archive?path=/", file.read(),
                         headers={"Content-Type": "application/x-tar"})
        self.api.ask("POST", f"/commit?container={created['Id']}&repo={name}&tag={tag}", "{}",
                     headers={"Content-Type": "application/json"})
        self.api.remove(created["Id"])
        said = self.api.ask("POST", f"/images/{name}/push?tag={tag}",
                            headers={"X-Registry-Auth": base64.b64encode(b"{}").decode()})
        if b"errorDetail" in (said if isinstance(said, bytes) else json.dumps(said).encode()):
            raise RuntimeError(f"the image cannot be pushed: {said}")
        self.forget(f"{name}:{tag}")
        self.forget(f"{name}:base")

    def forget(self, image):
        self.api.ask("DELETE", f"/images/{image}?force=1", missing=True)

    def image(self, tag):
        return f"127.0.0.1:{self.registry.slow.port}/cell:{tag}"


class Session:
    """One server over its pipes, with calls answered in the order they were sent."""

    def __init__(self, place, image, *options):
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment["HOME"] = place.folder
        self.process = subprocess.Popen(
            [BASHCELL, "--engine", ENGINE, "--docker-host", place.host, "--image", image, "--workspace", place.workspace,
             *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, cwd="/")
        self.answers, self.changed, self.last_id = {}, threading.Condition(), 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            with self.changed:
                self.answers[message["id"]] = message
                self.changed.notify_all()

    def send(self, method, params=None):
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self.last_id

    def answer(self, identifier, seconds=60):
        with self.changed:
            if not self.changed.wait_for(lambda: identifier in self.answers, seconds * SLOWNESS):
                raise AssertionError(f"request {identifier} is not answered")
            return self.answers[identifier]["result"]

    def start_call(self, command="echo works"):
        return self.send("tools/call", {"name": "bash", "arguments": {"command": command}})

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        if not self.process.stdin.closed:
            self.process.stdin.close()


class Pull(unittest.TestCase):
    def setUp(self):
        self.wait_for(lambda: not PLACE.api.containers())  # an image in use is not forgotten
        self.slow = PLACE.registry.slow
        self.slow.away = False
        self.slow.flows.set()
        self.slow.blobs.clear()
        for tag in ("1", "no-bash", "arm64"):
            PLACE.forget(PLACE.image(tag))

    def wait_for(self, fact):
        deadline = time.monotonic() + 20 * SLOWNESS
        while not fact():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def session(self, image, *options):
        session = Session(PLACE, image, *options)
        self.addCleanup(session.end)
        return session

    def refused(self, session):
        """The text of a call that must answer in time that nothing was run."""
        begun = time.monotonic()
        result = session.answer(session.start_call())
        self.assertLess(time.monotonic() - begun, ANSWER_LIMIT)
        self.assertTrue(result["isError"])
        text = result["content"][0]["text"]
        self.assertRegex(text, r"\A\[cell: not run: [^\n]+\]\Z")
        return text

    def works(self, session):
        result = session.answer(session.start_call())
        self.assertEqual((result["content"][0]["text"], result.get("isError", False)), ("works", False))

    def test_calls_say_how_far_a_slow_pull_is_and_the_next_one_works(self):
        self.slow.flows.clear()
        session = self.session(PLACE.image("1"))
        call = session.start_call()
        begun = time.monotonic()
        self.assertEqual(session.answer(session.send("ping"), 2), {})
        self.assertNotIn(call, session.answers)
        text = session.answer(call)["content"][0]["text"]
        self.assertLess(time.monotonic() - begun, ANSWER_LIMIT)
        expected = rf"the image {re.escape(PLACE.image('1'))} is being pulled: [\d.]+ [KM]B of [\d.]+ MB, [01] of \d layers"
        self.assertRegex(text, expected)
        self.assertRegex(self.refused(session), expected)
        self.slow.flows.set()
        self.works(session)
        self.assertEqual(sorted(set(self.slow.blobs)), sorted(self.slow.blobs), "a layer was asked for twice")

    def test_a_fast_pull_is_part_of_the_first_call(self):
        self.works(self.session(PLACE.image("1")))

    def test_a_registry_that_is_away_is_said_with_the_command_and_asked_again(self):
        self.slow.away = True
        session = self.session(PLACE.image("1"))
        text = self.refused(session)
        self.assertIn(f"does not have the image {PLACE.image('1')} and could not pull it: ", text)
        self.assertIn("503", text)
        self.assertRegex(text, rf"to get it: {ENGINE} .*pull {re.escape(PLACE.image('1'))}\]$")
        self.slow.away = False
        self.works(session)

    def test_a_registry_that_nobody_runs_is_said(self):
        text = self.refused(self.session(f"127.0.0.1:{free_port()}/cell:1"))
        self.assertIn("connection refused", text)

    def test_a_tag_that_does_not_exist_is_said(self):
        self.assertIn("manifest unknown", self.refused(self.session(PLACE.image("nope"))))

    def test_the_server_ends_at_once_while_an_image_is_pulled(self):
        self.slow.flows.clear()
        for end in (lambda process: process.stdin.close(), lambda process: process.send_signal(signal.SIGTERM)):
            session = self.session(PLACE.image("1"))
            self.refused(session)
            begun = time.monotonic()
            end(session.process)
            session.process.wait(20 * SLOWNESS)
            self.assertLess(time.monotonic() - begun, 2 * SLOWNESS)

    def test_a_single_run_waits_for_its_image_and_can_be_interrupted(self):
        for interrupted in (True, False):
            self.slow.flows.clear()
            with subprocess.Popen([BASHCELL, "run", "echo works", "--engine", ENGINE, "--docker-host", PLACE.host, "--image",
                                   PLACE.image("1"), "--workspace", PLACE.workspace], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
                self.assertRegex(run.stderr.readline(), r"\Abashcell: the image \S+ is being pulled: .*\n\Z")
                begun = time.monotonic()
                if interrupted:
                    run.send_signal(signal.SIGINT)
                else:
                    self.slow.flows.set()
                said = run.communicate(timeout=60)[0]
            self.assertEqual((run.returncode, said), (130, "") if interrupted else (0, "works\n"))
            self.assertLess(time.monotonic() - begun, (3 if interrupted else 30) * SLOWNESS)

    def test_an_image_without_bash_is_said_in_one_line(self):
        text = self.refused(self.session(PLACE.image("no-bash")))
        self.assertIn(f"there is no /bin/bash in the image {PLACE.image('no-bash')}", text)

    def test_an_image_for_another_machine_is_said_in_one_line(self):
        text = self.refused(self.session(PLACE.image("arm64")))
        self.assertIn(f"the image {PLACE.image('arm64')} is for arm64, and ", text)

    def test_a_bashcell_init_that_is_no_program_is_said_in_one_line(self):
        garbage = os.path.join(PLACE.folder, "garbage")
        with open(garbage, "wb") as file:
            file.write(b"\0garbage")
        os.chmod(garbage, 0o755)
        text = self.refused(self.session(PLACE.image("1"), "--init", garbage))
        self.assertRegex(text, "(?i)bashcell-init cannot be executed in the image .*exec format error.*--init")

    def test_an_odd_name_never_travels(self):
        for name in ("Cell", "cell?x", "cell/../x", "cell --privileged", "cell\n", ""):
            with self.subTest(name):
                done = subprocess.run([BASHCELL, "run", "true", "--engine", ENGINE, "--docker-host", PLACE.host, "--image",
                                       f"127.0.0.1:{self.slow.port}/{name}"], stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=60)
                self.assertIn(done.returncode, (2, 125))
                self.assertIn("--image", done.stdout + done.stderr)


def cannot_run():
    if os.geteuid() != 0:
        return "only root can start engines"
    return None if shutil.which("docker-registry", path="/usr/bin:/usr/local/bin") else "there is no docker-registry"


if __name__ == "__main__":
    reason = cannot_run()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(1 if ENGINE in os.environ.get("BASHCELL_REQUIRE", "") else 77)
    PLACE = Place()
    try:
        PLACE.start()
        passed = unittest.main(verbosity=2, exit=False).result.wasSuccessful()
    finally:
        PLACE.end()
    sys.exit(0 if passed else 1)
