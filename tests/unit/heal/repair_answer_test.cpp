#include "heal/repair_answer.h"

#include <catch2/catch.hpp>

#include "heal/repair_question.h"

using namespace bashcell::heal;

namespace {

std::string outcome(const std::string& answer) {
  const auto script = script_in_answer(answer, {"ls --foo\n"});
  return script ? *script : "! " + script.error().message;
}

}  // namespace

TEST_CASE("an answer is exactly one script") {
  const std::pair<std::string, std::string> cases[] = {
      {"```bash\nls -l\n```", "ls -l\n"},
      {"```\nls -l\n```\n", "ls -l\n"},
      {"```sh\nls -l\n\n```", "ls -l\n"},
      {"Here it is:\n\n```bash\nls -l\nwc -l\n```\nThat does it.", "ls -l\nwc -l\n"},
      {"  ```bash\r\n  ls -l\r\n  ```\r\n", "ls -l\n"},
      {"ls -l", "ls -l\n"},
      {"\n\nfor f in *; do\n  echo $f\ndone\n", "for f in *; do\n  echo $f\ndone\n"},
      {"#!/bin/bash\nls", "#!/bin/bash\nls\n"},
      {"[[ -f x ]] && ls .", "[[ -f x ]] && ls .\n"},
      {"{ ls; }", "{ ls; }\n"},
      {"HOME=/tmp ls", "HOME=/tmp ls\n"},
      {"ls --foo-bar", "ls --foo-bar\n"},
      {"", "! it is empty"},
      {" \n\t\n", "! it is empty"},
      {"```bash\n```", "! its script is empty"},
      {"```bash\nls\n```\nor\n```bash\nls -a\n```", "! it has more than one code block"},
      {"```bash\nls", "! its code block has no end"},
      {"```python\nprint(1)\n```", "! its code block is not bash"},
      {"Sorry, I cannot help with `rm -rf x`.", "! it is no script"},
      {"I cannot", "! it is no script"},
      {"You could run `touch x`", "! it is no script"},
      {"sure, here it is:\nls", "! it is no script"},
      {"<html><body>502</body></html>", "! it is no script"},
      {"{\"script\": \"ls\"}", "! it is no script"},
      {"[\"ls\"]", "! it is no script"},
      {"```bash\nls --foo\n```", "! it is the same script again"},
      {"  ls --foo  ", "! it is the same script again"},
      {"```bash\nexit 1\n```", "! it gives up"},
      {std::string("ls \0 -l", 8), "! its script has NUL characters"},
      {"ls \xff", "! its script is not valid UTF-8"},
      {"echo " + std::string(4091, 'x'), "echo " + std::string(4091, 'x') + "\n"},
      {"echo " + std::string(4092, 'x'), "! its script is over 4 KB"},
      {std::string(1 << 20, 'x'), "! its script is over 4 KB"},
  };
  for (const auto& [answer, expected] : cases) {
    INFO(answer.substr(0, 80));
    CHECK(outcome(answer) == expected);
  }
}

TEST_CASE("a question holds the rules, the case, and what came of former answers, all bounded") {
  const Question question =
      repair_question({"ls --foo\n", 2, "ls: unrecognized option '--foo'"}, "ls has: -l", {{"ls --bar\n", "no"}});
  CHECK(question.instructions.find("exactly one bash script") != std::string::npos);
  CHECK(question.text ==
        "<script>\nls --foo\n</script>\n<output>\nls: unrecognized option '--foo'\n</output>\nExit code: 2\n"
        "<machine>\nls has: -l\n</machine>\n"
        "An earlier answer did not do:\n<answer>\nls --bar\n</answer>\n<reason>\nno\n</reason>\n");
  const std::string much(1 << 20, '\xff');
  const Question large = repair_question({much, 2, much}, much, {{much, much}, {much, much}});
  CHECK(large.text.size() < 40'000);
  CHECK(large.instructions.size() < 1'800);
}
