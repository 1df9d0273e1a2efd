"""A reply of the bash tool as a case sees it: its text, its status line, and the expectations on them."""

import re

from checks import check, has, lacks, same, shown

NO_OUTPUT = "(no output)"


def cost(text):
    """What a text costs in a client's context: UTF-16 units of its JSON form, without the quotes."""
    units = 0
    for character in text:
        if character in '"\\\n\t\r\b\f':
            units += 2
        elif character < " ":
            units += 6
        else:
            units += 2 if character > "\uffff" else 1
    return units


class Reply:
    """`text` is what came without its status line and final newline ("" for "(no output)"), `exit` the code of the status
    line: none = 0, and None when the call did not run to an exit."""

    def __init__(self, message, wall, slowness=1.0):
        self.message, self.wall, self.slowness = message, wall, slowness
        check("result" in message, f"expected a result, got {shown(message)}")
        result = message["result"]
        content = result.get("content")
        check(isinstance(content, list) and len(content) == 1 and content[0].get("type") == "text",
              f"expected one text block, got {shown(result)}")
        self.raw = content[0]["text"]
        check(self.raw != "", "the text block is empty")
        check("structuredContent" not in result, f"unexpected structuredContent in {shown(result)}")
        self.is_error = result.get("isError", False)
        check(isinstance(self.is_error, bool), f"isError is no boolean: {shown(result)}")
        body, newline, last = self.raw.rpartition("\n")
        if last.startswith("[cell: ") and last.endswith("]"):
            self.status = last[len("[cell: "):-1]
        else:
            body, self.status = self.raw, ""
        self.text = "" if body == NO_OUTPUT else body
        code = re.search(r"\bexit (\d+)", self.status)
        ended = re.search(r"timed out|cell (was )?lost|not run|killed by", self.status)
        self.exit = int(code[1]) if code else (None if ended or self.is_error else 0)
        self.seconds = re.search(r"timed out after ([\d.]+) s", self.status)

    @property
    def lines(self):
        return self.text.split("\n")

    @property
    def timed_out(self):
        return self.seconds is not None

    def within(self, seconds):
        limit = seconds * self.slowness
        check(self.wall <= limit, f"took {self.wall:.2f} s, limit {limit:g} s: {shown(self.raw)}")
        return self

    def ok(self, text=None, *, exit=0, within=None, has_=(), lacks_=(), error=False):
        """The script ran to its end with this text and exit code; `isError` is false whatever the code."""
        same(self.is_error, error, f"isError of {shown(self.raw)}")
        same(self.exit, exit, f"exit of {shown(self.raw)}")
        if text is not None:
            same(self.text, text, f"text ({self.status})")
        has(self.raw, *has_)
        lacks(self.raw, *lacks_)
        return self.within(within) if within is not None else self

    def timeout(self, seconds, *, within, has_=()):
        """The call timed out after exactly this many seconds, and says so."""
        check(self.is_error, f"a timed-out call is no error: {shown(self.raw)}")
        check(self.timed_out, f"no timeout in the status line: {shown(self.raw)}")
        same(float(self.seconds[1]), float(seconds), f"seconds named in {self.status!r}")
        check(self.wall >= seconds - 0.05, f"timed out after {self.wall:.2f} s, before its {seconds} s were over")
        has(self.raw, *has_)
        return self.within(within)

    def refused(self, *parts, within=None):
        """Nothing was run; the text names the cause."""
        check(self.is_error, f"expected an isError result, got {shown(self.raw)}")
        check(not self.timed_out, f"refused calls do not time out: {shown(self.raw)}")
        for part in parts:
            check(part.lower() in self.raw.lower(), f"expected {part!r} named in {shown(self.raw)}")
        return self.within(within) if within is not None else self

    def lines_left_out(self):
        found = re.search(r"left out ([\d,]+) of ([\d,]+) lines", self.status)
        return (int(found[1].replace(",", "")), int(found[2].replace(",", ""))) if found else None
