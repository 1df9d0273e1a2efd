#include <catch2/catch.hpp>

#include "heal/repairable.h"

using namespace bashcell::heal;

namespace {

struct Case {
  std::string script;
  int64_t code;
  std::string output;
};

std::string not_read(const std::string& line, const std::string& token, const std::string& text) {
  return "script: line " + line + ": syntax error near unexpected token `" + token + "'\nscript: line " + line + ": `" +
         text + "'";
}
std::string ended(const std::string& line, const std::string& quote = "") {
  const std::string what = quote.empty() ? "syntax error: unexpected end of file"
                                         : "unexpected EOF while looking for matching `" + quote + "'";
  return "script: line " + line + ": " + what + "\n";
}
std::string missing(const std::string& name, const std::string& line = "1") {
  return "script: line " + line + ": " + name + ": command not found\n";
}
std::string refused(const std::string& name, const std::string& option) {
  return name + ": unrecognized option '" + option + "'\nTry '" + name + " --help' for more information.\n";
}

}  // namespace

TEST_CASE("a script that bash could not begin to read is repairable") {
  const std::vector<Case> cases = {
      {"echo a; )", 2, not_read("1", ")", "echo a; )")},
      {"touch a; touch b; done", 2, not_read("1", "done", "touch a; touch b; done")},
      {"\n# first\necho (x)\n", 2, not_read("3", "x", "echo (x)")},
      {"for i in 1 2\n echo $i\ndone", 2, not_read("2", "echo", " echo $i")},
      {"if true; then echo; else fi\nls", 2, not_read("1", "fi", "if true; then echo; else fi")},
      {"while read -r x; do\n  echo $x\nfi", 2, not_read("3", "fi", "fi")},
      {"touch a &&\n\n)", 2, not_read("3", ")", ")")},
      {"echo \"a\nb\" )", 2, not_read("2", ")", "b\" )")},
      {"python3 - <<'E'\nprint(1)\nE\n", 2, not_read("1", "x", "python3 - <<'E'")},
      {"if", 2, ended("2")},
      {"for f in *; do echo $f", 2, ended("2")},
      {"f() {\n touch x\n", 2, ended("3")},
      {"ls |", 2, ended("2")},
      {"ls &&", 2, ended("2")},
      {"rg \"foo( src", 2, ended("1", "\"")},
      {"echo it's", 2, ended("1", "'")},
      {"echo \"abc", 2, ended("1", "\"") + ended("2")},
      {"echo ${x", 2, ended("1", "}")},
      {"a=(1 2", 1, ended("1", ")")},
      {"x=$(ls", 2, ended("2", ")")},
      {"[[ a ==", 2, "script: line 1: unexpected argument `newline' to conditional binary operator\n"},
      {"[[ a b ]]", 2, "script: line 1: conditional binary operator expected\nscript: line 1: syntax error near `b'\n"},
  };
  for (const Case& c : cases) {
    INFO(c.script);
    CHECK(repairable({c.script, c.code, c.output}) == Failure::kNotRead);
  }
}

TEST_CASE("a single command that is not there is repairable") {
  const std::vector<Case> cases = {
      {"rg -n foo src", 127, missing("rg")},
      {"\n# search\nrg foo 2>/dev/null\n", 127, missing("rg", "3")},
      {"rg \"$HOME\" '*.c' 2>&1", 127, missing("rg")},
      {"LC_ALL_IS python", 127, missing("LC_ALL_IS")},
      {"nosuch < in.txt", 127, missing("nosuch")},
      {"./configure", 127, "script: line 1: ./configure: No such file or directory\n"},
      {"/opt/x/bin/y -a", 127, "script: line 1: /opt/x/bin/y: No such file or directory\n"},
      {"gerp foo *.txt", 127, missing("gerp")},
  };
  for (const Case& c : cases) {
    INFO(c.script);
    CHECK(repairable({c.script, c.code, c.output}) == Failure::kNotFound);
  }
}

TEST_CASE("a single command that only looks and refused its options is repairable") {
  const std::vector<Case> cases = {
      {"ls --foo", 2, refused("ls", "--foo")},
      {"grep --include-only=x a .", 2, refused("grep", "--include-only=x")},
      {"/usr/bin/sort --foo x", 2, refused("sort", "--foo")},
      {"head -x f 2>&1", 1, "head: invalid option -- 'x'\nTry 'head --help' for more information.\n"},
      {"find . -regexp x", 1, "find: unknown predicate `-regexp'\n"},
      {"find . -name", 1, "find: missing argument to `-name'\n"},
      {"ps --foo", 1, "error: unknown gnu long option\n\nUsage:\n ps [options]\n"},
      {"jq --foo . a.json", 2, "jq: Unknown option --foo\nUse jq --help for help\n"},
      {"wc --f x", 1, "wc: option '--files0-from' requires an argument\n"},
      {"stat -c", 1, "stat: option requires an argument -- 'c'\n"},
  };
  for (const Case& c : cases) {
    INFO(c.script);
    CHECK(repairable({c.script, c.code, c.output}) == Failure::kOptionRefused);
  }
}

TEST_CASE("a script that did something, or may have, is not repairable") {
  const std::vector<Case> cases = {
      // Commands before the line that bash could not read have run, also those that say nothing.
      {"touch x\nif then", 2, not_read("2", "then", "if then")},
      {"echo hi\nif then", 2, "hi\n" + not_read("2", "then", "if then")},
      {"touch x\necho \"abc", 2, ended("2", "\"")},
      {"if true; then touch x; fi\n)", 2, not_read("2", ")", ")")},
      {"touch x\nfor f in *; do", 2, ended("3")},
      {"cat > f <<E\nx\nE\n)", 2, not_read("4", ")", ")")},
      {"echo $(ls) if\n)", 2, not_read("2", ")", ")")},
      {"cat <<E\nif", 0,
       "script: line 2: warning: here-document at line 1 delimited by end-of-file (wanted `E')\nif\n"},
      {"if true; then cat <<E\nx", 2, "script: line 2: warning: here-document at line 1 delimited\n" + ended("3")},
      // It is not this script that bash could not read.
      {"touch x; eval 'if'", 2, "script: eval: line 2: syntax error: unexpected end of file\n"},
      {"touch x; bash -c 'if'", 2, "bash: -c: line 2: syntax error: unexpected end of file\n"},
      {"touch x; . ./y.sh", 2, "./y.sh: line 1: syntax error near unexpected token `)'\n./y.sh: line 1: `)'\n"},
      {"touch x; bash script", 2, not_read("1", ")", ")")},
      {"touch x; bash script", 2, ended("1")},
      {"echo \"$(cat log)\"; exit 2", 2, ended("1", "\"")},
      {"echo $((1+))", 1, "script: line 1: 1+: syntax error: operand expected (error token is \"+\")\n"},
      {"echo ${a b}", 1, "script: line 1: ${a b}: bad substitution\n"},
      {"echo `if`", 1, "script: command substitution: line 2: syntax error: unexpected end of file\n"},
      {"echo )", 3, not_read("1", ")", "echo )")},
      {"echo )", 2, not_read("1", ")", "echo )") + "\nmore"},
      {"echo )", 2, not_read("9", ")", "echo )")},
      {"echo )", 2, "script: line 0: syntax error near unexpected token `)'\nscript: line 0: `echo )'"},
      {"echo )", 2, "script: line x: syntax error near unexpected token `)'\n"},
      {"python3 x.py", 1, "  File \"x.py\", line 1\nSyntaxError: invalid syntax\n"},
      // More than one command.
      {"rg foo | head", 127, missing("rg")},
      {"touch x; rg foo", 127, missing("rg")},
      {"rg foo || true; rg bar", 127, missing("rg")},
      {"cd /tmp && rg foo", 127, missing("rg")},
      {"rg foo &", 127, missing("rg")},
      {"(rg foo)", 127, missing("rg")},
      {"rg $(touch x)", 127, missing("rg")},
      {"rg `touch x`", 127, missing("rg")},
      {"rg ${x:=1}", 127, missing("rg")},
      {"rg <(touch x)", 127, missing("rg")},
      {"for i in 1; do rg; done", 127, missing("rg")},
      // Something is written, or was another's to miss.
      {"rg foo > out.txt", 127, missing("rg")},
      {"rg foo >> out.txt", 127, missing("rg")},
      {"rg foo 2> log", 127, missing("rg")},
      {"rg foo &> log", 127, missing("rg")},
      {"./build.sh", 127, "./build.sh: line 3: rg: command not found\n"},
      {"build", 127, missing("rg")},
      {"rg foo", 127, "hello\n" + missing("rg")},
      {"rg foo", 1, missing("rg")},
      {"$tool foo", 127, missing("rg")},
      {"A=1 rg foo", 127, missing("rg")},
      {"sh -c rg", 127, "sh: 1: rg: not found\n"},
      {"env rg", 127, "env: 'rg': No such file or directory\n"},
      {"./x", 126, "script: line 1: ./x: Permission denied\n"},
      // Not known to do nothing before it reads its options, or it was more than options.
      {"rm --foo x", 1, refused("rm", "--foo")},
      {"git commit --foo", 129, "error: unknown option `foo'\nusage: git commit\n"},
      {"./deploy --foo", 2, refused("deploy", "--foo")},
      {"make --foo", 2, refused("make", "--foo")},
      {"find . -name x -delete -foo", 1, "find: unknown predicate `-foo'\n"},
      {"sort a --output=a --foo", 2, refused("sort", "--foo")},
      {"ls --foo > x", 2, refused("ls", "--foo")},
      {"ls --foo | wc", 2, refused("ls", "--foo")},
      {"xargs rg --foo", 123, refused("rg", "--foo")},
      {"ls nosuch", 2, "ls: cannot access 'nosuch': No such file or directory\n"},
      {"ls --foo", 2, "a\n" + refused("ls", "--foo")},
      {"ls --foo", 0, refused("ls", "--foo")},
      {"ls --foo", 3, refused("ls", "--foo")},
      {"grep x f", 1, ""},
      {"false", 1, "\n"},
      {"", 2, ended("1")},
      {"echo \"" + std::string(20'000, 'x'), 2, ended("1", "\"")},
  };
  for (const Case& c : cases) {
    INFO(c.script.substr(0, 100) << "\n" << c.output);
    CHECK_FALSE(repairable({c.script, c.code, c.output}));
  }
}
