"""Everything a server writes on stdout, read by a thread, judged line by line, and waited for with a deadline."""

import json
import os
import select
import threading
import time

from checks import Failure, check, shown


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def key_of(identifier):
    """1, "1", 1.0 and true are different ids."""
    return json.dumps(identifier)


def parse_line(line):
    """The message in one line of stdout, or a Failure: it must be one JSON object in valid UTF-8."""
    try:
        message = json.loads(line.decode("utf-8"), parse_constant=refuse_constant)
    except ValueError as error:
        raise Failure(f"stdout line is no JSON in UTF-8 ({error}): {shown(line)}") from None
    check(isinstance(message, (dict, list)), f"stdout line is no JSON object: {shown(line)}")
    for one in message if isinstance(message, list) else [message]:
        check(isinstance(one, dict) and one.get("jsonrpc") == "2.0", f"not JSON-RPC 2.0: {shown(line)}")
    return message


class Output:
    """Answers by id, notifications, and null-id errors, each with the instant it arrived."""

    def __init__(self, pipe):
        self._pipe = pipe
        self._wake = os.eventfd(0)
        self._changed = threading.Condition()
        self._answers = {}        # key -> [(instant, message, line)]
        self.notifications = []   # (instant, message)
        self.on_request = None    # takes requests of the server's; without it, one is a fault
        self.null_errors = []     # errors without an id, in order
        self.batches = []         # answers that came as an array
        self.faults = []          # what was wrong with stdout itself
        self.ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        rest = b""
        poll = select.poll()
        poll.register(self._pipe.fileno(), select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while True:
            if any(number == self._wake for number, _ in poll.poll()):
                return
            piece = os.read(self._pipe.fileno(), 1 << 16)
            now = time.monotonic()
            with self._changed:
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    self._take(line, now)
                if not piece:
                    if rest:
                        self.faults.append(f"stdout ended inside a line: {shown(rest)}")
                    self.ended = True
                self._changed.notify_all()
            if not piece:
                return

    def _take(self, line, now):
        try:
            message = parse_line(line)
        except Failure as failure:
            self.faults.append(str(failure))
            return
        if isinstance(message, list):
            self.batches.append(message)
            return
        if "method" in message:
            if "id" in message and self.on_request:
                self.on_request(message)
                return
            if "id" in message:
                self.faults.append(f"the server sent a request: {shown(line)}")
            self.notifications.append((now, message))
        elif message.get("id") is None:
            self.null_errors.append(message)
        else:
            self._answers.setdefault(key_of(message["id"]), []).append((now, message, line))

    def wait(self, found, deadline):
        """Waits until found() is true; False at the deadline, or when the stream ended without it."""
        with self._changed:
            while not found():
                left = deadline - time.monotonic()
                if self.ended or left <= 0:
                    return found()
                self._changed.wait(left)
            return True

    def answers(self, identifier):
        with self._changed:
            return list(self._answers.get(key_of(identifier), []))

    def count(self, key):
        with self._changed:
            return len(self._answers.get(key, []))

    def keys(self):
        with self._changed:
            return set(self._answers)

    def join(self, seconds):
        self._thread.join(seconds)

    def stop_reading(self, close):
        """From now on the server writes to nobody: into a pipe that fills up, or a closed one."""
        os.eventfd_write(self._wake, 1)
        self._thread.join()
        self.ended = True
        if close:
            self._pipe.close()
