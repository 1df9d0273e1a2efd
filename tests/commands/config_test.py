#!/usr/bin/env python3
"""What bashcell says about itself to clients, shells and people: config, completion, manual.

    config_test.py BASHCELL
"""

import json
import os
import shutil
import subprocess
import tomllib
import unittest

from command_case import BASHCELL, LIMIT, Case


class Clients(Case):
    """bashcell config."""

    def config(self, *words, status=0):
        done = self.bashcell("config", *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def write(self, path, text, mode=0o600):
        path = os.path.join(self.home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def read(self, path):
        with open(os.path.join(self.home, path), encoding="utf-8") as file:
            return file.read()

    def test_a_snippet_is_all_of_stdout_and_its_options_hold_in_any_folder(self):
        done = self.bashcell("config", "cursor", "--", "--workspace", "work", cwd=self.home)
        server = json.loads(done.stdout)["mcpServers"]["bashcell"]
        self.assertEqual(server["command"], BASHCELL)
        self.assertEqual(server["args"], ["--workspace", os.path.join(self.home, "work")])
        self.assertIn(f"{self.home}/.cursor/mcp.json", done.stderr)
        self.environment["DOCKER_HOST"] = "unix:///run/some.sock"
        desktop = json.loads(self.config("claude-desktop"))["mcpServers"]["bashcell"]
        self.assertEqual(desktop["env"], {"DOCKER_HOST": "unix:///run/some.sock"})

    def test_every_client_is_listed_and_has_a_snippet(self):
        names = [line.split()[0] for line in self.config().splitlines()[1:]]
        self.assertEqual(len(names), 11)
        for name in names:
            self.assertIn(BASHCELL, self.config(name))
            self.assertIn("wsl.exe", self.config(name, "--windows"))

    def test_wrong_words_are_one_line_and_exit_2(self):
        self.assertRegex(self.config("cursr", status=2), r"\Abashcell: there is no client 'cursr'; did you mean cursor\?;"
                                                         r" there are claude-desktop, .*\n\Z")
        self.assertIn("--memory is 1; it must be", self.config("cursor", "--", "--memory", "1", status=2))
        self.assertIn("there is no option --wriet", self.config("cursor", "--wriet", status=2))

    def test_write_keeps_what_a_file_holds_and_a_copy_of_it(self):
        before = '{"theme": "dark",\n "mcpServers": {"other": {"command": "x"}}}'
        path = self.write(".gemini/settings.json", before, 0o640)
        self.config("gemini", "--write")
        after = json.loads(self.read(path))
        self.assertEqual(list(after), ["theme", "mcpServers"])
        self.assertEqual(list(after["mcpServers"]), ["other", "bashcell"])
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o640)
        copies = [name for name in os.listdir(os.path.dirname(path)) if name.endswith(".bak")]
        self.assertEqual([self.read(os.path.join(".gemini", name)) for name in copies], [before])
        self.config("gemini", "--write")  # again: nothing to do
        self.assertEqual(len(os.listdir(os.path.dirname(path))), 2)

    def test_write_makes_a_missing_file(self):
        self.config("zed", "--write")
        self.assertIn("bashcell", json.loads(self.read(".config/zed/settings.json"))["context_servers"])

    def test_write_leaves_a_file_alone_that_it_cannot_keep(self):
        for path, client, text, why in (
                (".cursor/mcp.json", "cursor", '{"mcpServers": {', "is not valid JSON: see line 1"),
                (".config/zed/settings.json", "zed", "// mine\n{}\n", "has comments, which would be lost"),
                (".claude.json", "claude-code", '{"mcpServers": 3}', 'holds no object where one belongs: "mcpServers"'),
                (".codex/config.toml", "codex", "[mcp_servers.bashcell]\ncommand = 'x'\n", "speaks of this server"),
                (".config/goose/config.yaml", "goose", "a: b\n", "is YAML")):
            with self.subTest(client):
                self.write(path, text)
                self.assertRegex(self.config(client, "--write", status=1), rf"\Abashcell: [^\n]*{why}[^\n]*paste[^\n]*\n\Z")
                self.assertEqual(self.read(path), text)
                self.assertEqual(os.listdir(os.path.dirname(os.path.join(self.home, path)) if "/" in path else self.home)
                                 .count(os.path.basename(path)), 1)

    def test_codex_gets_a_section_that_toml_readers_read(self):
        self.write(".codex/config.toml", 'model = "m"\n[mcp_servers.other]\ncommand = "x"')
        self.config("codex", "--write", "--", "--workspace", '/srv/a "quoted" \\ folder')
        with open(os.path.join(self.home, ".codex/config.toml"), "rb") as file:
            document = tomllib.load(file)
        self.assertEqual(list(document["mcp_servers"]), ["other", "bashcell"])
        self.assertEqual(document["mcp_servers"]["bashcell"]["args"], ["--workspace", '/srv/a "quoted" \\ folder'])
        self.assertIn("XDG_RUNTIME_DIR", document["mcp_servers"]["bashcell"]["env_vars"])


class Texts(Case):
    def complete(self, *words):
        """What bash completes the last word with."""
        script = (self.bashcell("completion", "bash").stdout + "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1));"
                  " _bashcell 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", script, "bash", "bashcell", *words], env=self.environment, timeout=LIMIT,
                              text=True, stdout=subprocess.PIPE, cwd=self.home, check=True)
        return done.stdout.split("\n")[:-1]

    def test_bash_completes_commands_options_values_and_files(self):
        self.assertEqual(self.complete("do"), ["doctor"])
        self.assertEqual(self.complete("serve", "--max-t"), ["--max-timeout"])
        self.assertEqual(self.complete("--engine", "p"), ["podman"])
        self.assertEqual(self.complete("--log", "=", "de"), ["debug"])
        self.assertEqual(self.complete("config", "clau"), ["claude-desktop", "claude-code"])
        self.assertEqual(self.complete("config", "cursor", "--wr"), ["--write"])
        self.assertEqual(self.complete("shelf", "e"), ["export"])
        os.mkdir(os.path.join(self.home, "my work"))
        with open(os.path.join(self.home, "my file"), "w", encoding="ascii"):
            pass
        self.assertEqual(self.complete("--workspace", "my"), ["my work"])
        self.assertEqual(self.complete("--config", "my f"), ["my file"])

    def test_other_shells_can_read_their_scripts(self):
        for shell, check in (("zsh", ["-n"]), ("fish", ["--no-execute"])):
            with self.subTest(shell):
                script = self.bashcell("completion", shell)
                self.assertIn("max-timeout", script.stdout)
                if shutil.which(shell):
                    subprocess.run([shell, *check], input=script.stdout, text=True, timeout=LIMIT, check=True)

    def test_man_shows_the_manual_without_complaint(self):
        page = self.bashcell("manual").stdout
        done = subprocess.run(["man", "--warnings", "-l", "-"], input=page, env={**self.environment, "MANWIDTH": "1000"},
                              timeout=LIMIT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--max-timeout SECONDS the most that a call may ask for. Allowed: a number from", " ".join(done.stdout.split()))


if __name__ == "__main__":
    unittest.main(verbosity=2)
