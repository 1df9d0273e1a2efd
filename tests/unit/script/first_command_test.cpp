#include <catch2/catch.hpp>

#include "script/first_command.h"

using namespace bashcell::script;

namespace {

struct Case {
  const char* script;
  size_t last_line;
  bool open = false;
};

}  // namespace

TEST_CASE("the first complete command ends with its line, or where what it began ends") {
  const Case cases[] = {
      {"", 0},
      {"\n# no command\n", 0},
      {"a", 1},
      {"a\nb", 1},
      {"\n# why\na; b # c\nd", 3},
      {"a &\nb", 1},
      {"a;\nb", 1},
      {"a &&\nb\nc", 2},
      {"a |\n# why\n\nb\nc", 4},
      {"a ||\n\nb", 3},
      {"a \\\nb\nc", 2},
      {"a 'x\ny'\nb", 2},
      {"a \"x\ny\"\nb", 2},
      {"a $'x\\'\ny'\nb", 2},
      {"a \"${x:-\n}\"\nb", 2},
      {"a $(b\nc)\nd", 2},
      {"a \"$(b \"c\nd\")\"\ne", 2},
      {"a `b\nc`\nd", 2},
      {"a <(b\nc)\nd", 2},
      {"a=(1\n2 if\n)\nb", 3},
      {"a=(1) if\nb", 1},
      {"echo $(ls) if\nb", 1},
      {"echo `ls` if\nb", 1},
      {"echo $((1)) if\nb", 1},
      {"((i =\n1))\nb", 2},
      {"(a\nb)\nc", 2},
      {"(a) 2>&1\nc", 1},
      {"{ a\nb; }\nc", 2},
      {"{ (a) }\nb", 1},
      {"{ if a; then b; fi }\nc", 1},
      {"if a\nthen b\nelse c\nfi\nd", 4},
      {"if (a) then b; fi\nc", 1},
      {"echo if\nb", 1},
      {"echo 'if'\nb", 1},
      {"'if' a\nb", 1},
      {"x=1 if a\nb", 1},
      {"> x if\nb", 1},
      {"! if a\nthen b; fi\nc", 2},
      {"for x in a b\ndo\nc\ndone\nd", 4},
      {"for ((i=0; i<3; i++)); do\na\ndone\nb", 3},
      {"while read -r x; do\na\ndone < f\nb", 3},
      {"case x in\na|b) c ;;\n(d) e;;\n*) if f; then g; fi\nesac\nh", 5},
      {"case $(a) in x) ;; esac\nb", 1},
      {"case x in if) a;; esac\nb", 1},
      {"[[ a == b\n]]\nc", 2},
      {"[[ $a =~ ^(b|c)$ && d < e ]]\nf", 1},
      {"f() {\na\n}\nb", 3},
      {"function f {\na\n}\nb", 3},
      {"f() ( a\n)\nb", 2},
      {"cat <<E\nif\nE\nb", 3},
      {"cat <<-'E' | b\n\tx\"\n\tE\nc", 3},
      {"cat <<A <<B\n1\nA\n2\nB\nc", 5},
      {"if a; then cat <<E\n(\nE\nfi\nb", 4},
      {"cat <<< x\nb", 1},
      {"a ${x#\"}\"}\nb", 1},
      {"a ${#x} $# # 'c\nb", 1},
      {"a \\' b\nc", 1},
      {"echo don't\ntouch x\necho 'b'\nc", 4, true},
  };
  for (const auto& [script, last_line, open] : cases) {
    INFO(script);
    CHECK(first_command(script).last_line == last_line);
    CHECK(first_command(script).open_at_end == open);
  }
}

TEST_CASE("a script that ends inside of its first command is open") {
  for (const char* script : {"if",
                             "if a; then b",
                             "for x in a; do b",
                             "while a",
                             "case x in",
                             "case x in a) b ;;",
                             "f() {",
                             "{ a",
                             "(a",
                             "a=(1",
                             "a '",
                             "a \"b",
                             "a $(b",
                             "a `b",
                             "a ${b",
                             "a |",
                             "a &&\n",
                             "a ||",
                             "[[ a",
                             "((a",
                             "a <(b",
                             "a \"$(b)",
                             "a $'b",
                             "function f {",
                             "if a\nthen b\nelse c\n"}) {
    INFO(script);
    CHECK(first_command(script).open_at_end);
  }
}

TEST_CASE("in doubt the first command ends with the line of the doubt") {
  for (const char* script :
       {"a )\nb", "fi\nif a", "}\n{ a", "done\nb", "a ;;\nb", "ls !(x\n)\nb", "coproc {\na\n}\nb",
        "echo \"${x:-it's}\"\necho 'b", "cat <<$x\na", "then\nif a", "do\nb", "echo `a \"`b`\"`\nif"}) {
    INFO(script);
    const FirstCommand first = first_command(script);
    CHECK(first.last_line == 1);
    CHECK_FALSE(first.open_at_end);
  }
  CHECK(first_command("cat <<E\na\nb").last_line == 3);  // bash runs it
}
