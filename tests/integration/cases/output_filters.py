"""OUTPUT: filters of long output, as a client sees them."""

import json
import os

from checks import check, has, lacks, same
from registry import case

# A stand-in in the workspace that prints what pytest does: 300 tests, of which two fail.
PYTEST = r"""mkdir -p bin && cat > bin/pytest <<'E' && chmod +x bin/pytest && export PATH=/workspace/bin:$PATH
#!/bin/bash
echo "============================= test session starts =============================="
echo "platform linux -- Python 3.11.2, pytest-7.2.1, pluggy-1.0.0"
printf 'collected 300 items\n\n'
for i in {000..299}; do
  word=PASSED; [[ $i == 057 || $i == 211 ]] && word=$'\e[31mFAILED\e[0m'
  echo "tests/test_shop.py::test_rule_$i $word"
done
printf '\n=================================== FAILURES ===================================\n'
for i in 057 211; do
  printf '_________________________________ test_rule_%s _________________________________\n\n' $i
  printf '    def test_rule_%s():\n>       assert total(%s) == 30\nE       assert 29 == 30\n\ntests/test_shop.py:%s: AssertionError\n' $i $i $i
done
echo "=========================== short test summary info ============================"
for i in 057 211; do echo "FAILED tests/test_shop.py::test_rule_$i - assert 29 == 30"; done
echo "======================== 2 failed, 298 passed in 1.32s ========================="
exit 1
E
"""


@case("C52.c")
def a_long_test_run_is_filtered(t):
    t.call(PYTEST).ok("")
    reply = t.call("cd /workspace && timeout 60 pytest -v 2>&1").ok(exit=1)
    has(reply.status, "pytest filter: 324 lines became 29; all of it: /tmp/.cell/out/")
    has(reply.text, "test_rule_057 FAILED", "test_rule_211 FAILED", "E       assert 29 == 30", "tests/test_shop.py:211: AssertionError",
        "[... 57 lines of passed and skipped tests ...]", "2 failed, 298 passed in 1.32s")
    lacks(reply.text, "test_rule_058")
    path = reply.status.rpartition(" ")[2]
    t.call(f"wc -l < {path}; cell out --grep 'rule_058 P'").ok("324\n63:tests/test_shop.py::test_rule_058 PASSED")
    # More than one command, and a reader that chooses for itself: as any other output.
    lacks(t.call("pytest; echo end").ok().status, "filter")
    t.call("pytest | tail -1").ok(has_=("2 failed, 298 passed", "stages 1|0"))


@case("C52.d")
def filters_of_the_users_own(t):
    workspace = t.make_workspace("own")
    path = os.path.join(t.folder, "config.json")
    with open(path, "w") as file:
        json.dump({"extra_filters": [
            {"name": "broken", "command": "pytest", "filter": ["sed 1q", "exit 3"]},
            {"name": "mine", "command": "seq [0-9]+", "filter": "sed -n '$p'"}]}, file)
    server = t.start("--config", path, workspace=workspace)
    server.call(PYTEST).ok("")
    reply = server.call("pytest -v").ok(exit=1)
    lacks(reply.status, "filter")
    has(reply.status, "left out")
    has(reply.text, "test_rule_057 FAILED", "2 failed, 298 passed")
    reply = server.call("seq 20000").ok("20000")
    same(reply.status, "exit 0; mine filter: 20,000 lines became 1; all of it: /tmp/.cell/out/3", "status")
    server.call("seq 3").ok("1\n2\n3")
    off = t.start("--config", path, "--filters", "off")
    check(off.call("seq 20000").ok().lines_left_out(), "nothing was left out")
