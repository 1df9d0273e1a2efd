#include <catch2/catch.hpp>

#include "script/words.h"

using namespace bashcell::script;
using Words = std::vector<std::string>;

TEST_CASE("a plain script is split into pipelines of simple commands") {
  const auto pipelines = split_script(
      "cd \"$HOME/a b\" && x=1 ! y 'a;b'\\ c # | no\n"
      "one 2>&1 | two > out;  three ${x} || ! four |& five\\\n  six\n\n");
  REQUIRE(pipelines);
  REQUIRE(pipelines->size() == 5);
  CHECK(pipelines->at(0).stages[0].words == Words{"cd", "$HOME/a b"});
  CHECK(pipelines->at(1).joint == Joint::kAnd);
  CHECK(pipelines->at(1).stages[0].words == Words{"x=1", "!", "y", "a;b c"});
  REQUIRE(pipelines->at(2).stages.size() == 2);
  CHECK(pipelines->at(2).stages[0].words == Words{"one"});
  CHECK(pipelines->at(2).stages[0].redirections == Words{"2>&1"});
  CHECK(pipelines->at(2).stages[1].redirections == Words{">out"});
  CHECK(pipelines->at(3).stages[0].words == Words{"three", "${x}"});
  CHECK(pipelines->at(4).joint == Joint::kOr);
  CHECK(pipelines->at(4).stages[0].words == Words{"four"});
  CHECK(pipelines->at(4).stages[1].words == Words{"five", "six"});
  REQUIRE(split_script("a &&\n# why\n b"));
  CHECK(split_script("a &&\n# why\n b")->size() == 2);
  CHECK(split_script("echo a#b \"\" 1>&2 \"1\">f")->at(0).stages[0].words == Words{"echo", "a#b", "", "1"});
  CHECK(split_script(" \n# nothing\n")->empty());
}

TEST_CASE("a script that is not plain is not split") {
  for (const char* script : {"a `b`",
                             "a $(b)",
                             "a <(b)",
                             "a >(b)",
                             "cat <<E\nx\nE",
                             "cat <<< x",
                             "(a; b)",
                             "{ a; }",
                             "f() { a; }",
                             "if a; then b; fi",
                             "for x in a; do b; done",
                             "while a; do b; done",
                             "case x in x) ;; esac",
                             "[[ a && b ]]",
                             "! while a; do b; done",
                             "a &",
                             "a & b",
                             "a;; b",
                             "a 'b",
                             "a \"b",
                             "a \"$(b)\"",
                             "a \"`b`\"",
                             "a $'b'",
                             "a ${b:-c}",
                             "a ${b",
                             "a |",
                             "| a",
                             "a ||",
                             "a; ; b",
                             "a && && b",
                             "a >",
                             "a >\nb",
                             "a > > b",
                             "a 2> & b",
                             "a\\",
                             "x=(1 2)",
                             "((x))",
                             "a $((1))",
                             "a $[1]",
                             "function f { a; }",
                             "select x in a; do b; done",
                             "coproc a",
                             "a | | b",
                             "&& a"}) {
    INFO(script);
    CHECK_FALSE(split_script(script));
  }
}
