"""What a failed case raises, and the few comparisons the cases share."""


class Failure(Exception):
    """A case that did not hold. The text says what was expected and what came."""


def check(condition, message):
    if not condition:
        raise Failure(message)


def shown(value, limit=600):
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit // 2]} … {text[-limit // 2:]} ({len(text)} long)"


def same(actual, expected, what="value"):
    check(actual == expected, f"{what}: expected {shown(expected)}, got {shown(actual)}")


def has(text, *parts):
    for part in parts:
        check(part in text, f"expected {part!r} in {shown(text)}")


def lacks(text, *parts):
    for part in parts:
        check(part not in text, f"did not expect {part!r} in {shown(text)}")
