#!/usr/bin/env python3
"""Shows bashcell at work on a real file: a true MCP conversation over stdio, as any client leads it.

    main_job.py BASHCELL FILE

Called by run.sh.
"""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time

WIDTH = min(shutil.get_terminal_size((110, 40)).columns, 120)
COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
BYTES_PER_TOKEN = 4  # a rule of thumb for English text and code; tokenizers differ
SHOWN_LINES = 20     # of a reply, on this screen only

# title, script (NAME is replaced), timeout in seconds, how often the script goes through the whole file
PACKAGE_STEPS = [
    ("Look before you read: the shape of the file",
     "ls -l NAME | awk '{print $5, \"bytes\"}'; wc -l < NAME; head -n 14 NAME | cut -c1-90", None, 1),
    ("Aggregate inside, print only the answer: installed size by section",
     "awk -v RS= -F'\\n' '{ s = \"?\"; k = 0\n"
     "  for (i = 1; i <= NF; i++) { if ($i ~ /^Section: /) s = substr($i, 10)\n"
     "    if ($i ~ /^Installed-Size: /) k = substr($i, 17) }\n"
     "  n[s]++; kb[s] += k }\n"
     "END { for (s in n) printf \"%-18s %4d packages %8.1f MB\\n\", s, n[s], kb[s] / 1024 }' NAME |\n"
     "  sort -k4 -rn | head -n 6", None, 1),
    ("The shell keeps its state between calls",
     "cd /workspace && big=$(awk '/^Package: /{p = $2} /^Installed-Size: /{print $2, p}' NAME | sort -rn | head -n 3)",
     None, 1),
    ("... so the next call can use it", "echo \"the three largest:\"; echo \"$big\"", None, 0),
    ("An error is an answer: the model sees what it needs to correct itself",
     "python3 -c 'import json; json.load(open(\"NAME\"))' 2>&1 | tail -n 1; (exit ${PIPESTATUS[0]})", None, 1),
    ("A script that would never end is stopped; what it printed is kept",
     "echo 'waiting for the end of a file that grows'; tail -n 1 -f NAME", 2, 0),
    ("A flood is trimmed in the cell; the whole of it stays there",
     "cat NAME", None, 1),
    ("... where the next script finds it", "ls -l /tmp/.cell/out | tail -n 1 | awk '{print $5, \"bytes kept\"}'", None, 0),
]

FILE_STEPS = [
    ("Look before you read: the shape of the file",
     "wc -lc < NAME; file -b NAME 2>/dev/null; head -n 8 NAME | cut -c1-90", None, 1),
    ("Aggregate inside, print only the answer: the most frequent first words",
     "awk 'NF { n[substr($1, 1, 40)]++ } END { for (w in n) print n[w], w }' NAME | sort -rn | head -n 6", None, 1),
    ("The shell keeps its state between calls",
     "longest=$(awk '{ if (length > l) { l = length; n = NR } } END { print \"line \" n \" has \" l \" characters\" }' NAME)",
     None, 1),
    ("... so the next call can use it", "echo \"the longest line: $longest\"", None, 0),
    ("An error is an answer: the model sees what it needs to correct itself",
     "grep -c bashcell NAME.old", None, 0),
    ("A script that would never end is stopped; what it printed is kept",
     "echo 'waiting for the end of a file that grows'; tail -n 1 -f NAME | cut -c1-90", 2, 0),
    ("A flood is trimmed in the cell; the whole of it stays there", "cat NAME NAME", None, 2),
    ("... where the next script finds it", "ls -l /tmp/.cell/out | tail -n 1 | awk '{print $5, \"bytes kept\"}'", None, 0),
]


def paint(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def shortened(text, width):
    return text if len(text) <= width else text[: width - 16] + f" … ({len(text)} chars)"


def show_message(arrow, text):
    """A JSON message on at most three lines of the screen."""
    for number, line in enumerate(textwrap.wrap(shortened(text, 3 * WIDTH - 10), WIDTH - 2, break_on_hyphens=False)):
        print((arrow if number == 0 else " ") + " " + line)


def excerpt(lines):
    """The ends of a long reply, and bashcell's own mark of what it has left out between them."""
    if len(lines) <= SHOWN_LINES:
        return lines
    half = SHOWN_LINES // 2 - 2
    middle = lines[half:-half]
    marks = [line for line in middle if line.startswith("[...")][:1]
    hidden = f"… {len(middle) - len(marks)} lines of this reply are not shown here …"
    return lines[:half] + [paint("2", hidden)] + marks + lines[-half:]


class Failure(Exception):
    """A sentence for the person at the terminal."""


class Server:
    """bashcell as a client sees it: a child process with one JSON message a line."""

    def __init__(self, program, workspace):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([program, "--workspace", workspace], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, cwd="/")
        self.pending = b""
        self.last_id = 0

    def send(self, message, shown=True):
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False)
        if shown:
            show_message(paint("36", "→"), line)
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure("bashcell has ended: " + self.said()) from None

    def request(self, method, params, shown=True, patience=60):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params}, shown)
        while True:
            line = self.read_line(patience)
            reply = json.loads(line)
            if reply.get("id") == self.last_id:
                break
        if shown:
            show_message(paint("32", "←"), line)
        if "error" in reply:
            raise Failure(f"{method} was refused: {reply['error'].get('message')}")
        return reply["result"]

    def read_line(self, patience):
        deadline = time.monotonic() + patience
        stream = self.process.stdout.fileno()
        while b"\n" not in self.pending:
            ready, _, _ = select.select([stream], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise Failure(f"bashcell gave no answer within {patience} s")
            piece = os.read(stream, 65536)
            if not piece:
                raise Failure("bashcell has ended: " + self.said())
            self.pending += piece
        line, _, self.pending = self.pending.partition(b"\n")
        return line.decode()

    def said(self):
        self.process.wait(timeout=10)
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace").strip() or "it said nothing"

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=10)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def heading(text):
    print("\n" + paint("1", text))


def show_script(script, timeout):
    print(paint("36", "→ ") + "tools/call bash" + (f", timeout {timeout} s" if timeout else ""))
    for line in script.split("\n"):
        print("    " + line)


def show_reply(result, wall):
    text = result["content"][0]["text"]
    lines = text.split("\n")
    flag = ", isError" if result.get("isError") else ""
    print(paint("32", "← ") + f"{len(text.encode())} bytes after {wall * 1000:.0f} ms{flag}")
    for line in excerpt(lines):
        print("  " + paint("32", "│ ") + shortened(line, WIDTH - 6))


def play(server, steps, name):
    """Runs the steps. Returns the bytes the model would have received, and how often the file was read whole."""
    received = passes = 0
    for number, (title, script, timeout, reads) in enumerate(steps, 1):
        script = script.replace("NAME", name)
        heading(f"{number}. {title}")
        show_script(script, timeout)
        arguments = {"command": script, **({"timeout": timeout} if timeout else {})}
        start = time.monotonic()
        result = server.request("tools/call", {"name": "bash", "arguments": arguments}, shown=False)
        show_reply(result, time.monotonic() - start)
        if number == 1 and result.get("isError"):
            raise Failure("no script can run on this machine yet; `bashcell doctor` says what is missing")
        received += len(result["content"][0]["text"].encode())
        passes += reads
    return received, passes


def compare(size, received, passes, definition):
    heading("What it was worth")
    read = size * passes
    rows = [("the scripts read", read, f"the file of {size:,} bytes, {passes} times"),
            ("the model received", received, "all replies together"),
            ("the tool itself", len(definition), "name, description and schema, once a conversation")]
    for what, count, remark in rows:
        print(f"  {what:<19} {count:>12,} bytes   about {count // BYTES_PER_TOKEN:>9,} tokens   {remark}")
    print(f"  (tokens estimated at {BYTES_PER_TOKEN} bytes each)")
    print(f"  Reading the file once into the context would take about {size // BYTES_PER_TOKEN:,} tokens: "
          f"{size / max(received, 1):.0f} times what all of this took.")


def show_snippet(program):
    heading("To use it, paste this into your client's MCP configuration")
    snippet = {"mcpServers": {"bashcell": {"command": program, "args": []}}}
    print(textwrap.indent(json.dumps(snippet, indent=2), "  "))
    print(f"  Claude Code: claude mcp add --scope user bashcell -- {program}")


def fresh_workspace(file):
    folder = tempfile.mkdtemp(prefix="bashcell-main-job-")
    os.chmod(folder, 0o755)
    # A name that is plain in any script.
    name = "".join(c if c.isalnum() or c in "._-" else "_" for c in os.path.basename(file)).lstrip("-") or "file"
    copy = os.path.join(folder, name)
    shutil.copyfile(file, copy)
    os.chmod(copy, 0o644)
    if os.geteuid() == 0:  # scripts never run as root
        for path in (folder, copy):
            os.chown(path, 1000, 1000)
    return folder, name


def converse(program, file):
    folder, name = fresh_workspace(file)
    server = Server(program, folder)
    try:
        heading("A client connects")
        server.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                      "clientInfo": {"name": "main-job", "version": "1"}})
        server.send({"method": "notifications/initialized"})
        tools = server.request("tools/list", {})["tools"]
        tool = tools[0]
        seen = {key: tool[key] for key in ("name", "description", "inputSchema")}
        definition = json.dumps(seen, separators=(",", ":"), ensure_ascii=False)
        steps = PACKAGE_STEPS if file == "/var/lib/dpkg/status" else FILE_STEPS
        received, passes = play(server, steps, name)
        heading("The client leaves; the cell goes with it")
        print(f"  bashcell ended with exit code {server.close()}")
        compare(os.path.getsize(file), received, passes, definition.encode())
        show_snippet(program)
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    if len(sys.argv) != 3:
        print("usage: main_job.py BASHCELL FILE", file=sys.stderr)
        return 2
    program, file = sys.argv[1:]
    print(f"bashcell works on {file} ({os.path.getsize(file):,} bytes), in a fresh cell without network or host files.")
    try:
        converse(program, file)
    except Failure as failure:
        sys.stdout.flush()
        print(f"\nrun: {failure}", file=sys.stderr)
        subprocess.run([program, "doctor"], stdout=sys.stderr, check=False)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
