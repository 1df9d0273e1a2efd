#include <catch2/catch.hpp>

#include "supervisor/output/line_shape.h"
#include "trim_checks.h"

using namespace bashcell::supervisor;

TEST_CASE("lines that differ only in numbers, ids and paths have one shape") {
  const auto same = [](std::string_view a, std::string_view b) { return shape_of(a).hash == shape_of(b).hash; };
  CHECK(same("step 1 of 20", "step 17 of 20"));
  CHECK(same("2026-11-29 10:20:30 INFO done in 1.5 s", "2025-01-02 23:59:59 INFO done in 1,234.56 s"));
  CHECK(same("commit 9fceb02d0ae598e95dc970b74767f19372d61af8", "commit 0123abcd"));
  CHECK(same("CC src/a/b.o", "CC other/c.o"));
  CHECK(same("/usr/lib/x", "/etc/passwd"));
  CHECK(same("a   1", "a 22"));
  CHECK(same("/usr/share/Visual Studio 7.rst", "/etc"));
  CHECK_FALSE(same("/usr/bin/ld: cannot find -lx", "/etc"));
  CHECK_FALSE(same("worker ready", "worker failed"));
  CHECK_FALSE(same("a 1", "a b"));
  CHECK_FALSE(same("\"GET / HTTP/1.1\" 200 17", "\"GET / HTTP/1.1\" 500 17"));
  CHECK(same("\"GET / HTTP/1.1\" 200 17", "\"GET /a/b HTTP/1.1\" 204 1234"));
  CHECK(same("", ""));
}

TEST_CASE("trouble is told by words") {
  for (const char* line : {"error: expected ';'",
                           "main.c:12:5: error: x",
                           "ERROR in worker 3",
                           "E   assert 1 == 2",
                           "Traceback (most recent call last):",
                           "ValueError: bad value",
                           "java.lang.NullPointerException",
                           "FAILED tests/a.py::test_b",
                           "3 failed, 297 passed",
                           "fatal: not a git repository",
                           "bash: foo: command not found",
                           "cat: x: No such file or directory",
                           "Permission denied",
                           "Segmentation fault",
                           "panic: runtime",
                           "thread 'main' panicked at src/main.rs",
                           "not ok 4 - adds",
                           "make: *** [all] Error 1",
                           "errors: 3",
                           "error[E0308]: mismatched types",
                           "connection refused",
                           "  \xe2\x9c\x97 does it",
                           "Killed",
                           "npm ERR! code 1",
                           "requests.exceptions.ConnectionError: x",
                           "x is not defined",
                           "FATAL"}) {
    INFO(line);
    CHECK(shape_of(line).weight == Weight::kError);
  }
  for (const char* line : {"warning: unused variable", "WARN slow query", "DeprecationWarning x deprecated"}) {
    INFO(line);
    CHECK(shape_of(line).weight == Weight::kWarning);
  }
  for (const char* line : {"", "all good", "0 errors", "no errors found", "errors: 0", "failed=0", "0 failed, 3 passed",
                           "CC src/error.o", "test_error.py PASSED", "on_error = retry", "--error-exitcode",
                           "without error", "cp error-page.html", "ok 4 - adds", "terrors"}) {
    INFO(line);
    CHECK(shape_of(line).weight == Weight::kPlain);
  }
}

TEST_CASE("of many similar lines in a row a few stand for all") {
  const std::string text = "start\n" + numbers(1, 200'000) + "FINAL_ERROR\n";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  CHECK(result.text == "start\n1\n2\n3\n4\n[... 199,995 similar lines, 1.3 MB left out ...]\n200000\nFINAL_ERROR");
}

TEST_CASE("the one error in the middle is shown, with its neighbours") {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += "[" + std::to_string(i) + "/6001] CC src/unit" + std::to_string(i * 7) + ".o\n";
  text +=
      "src/parse.c: In function 'parse':\nsrc/parse.c:12:5: error: expected ';' before 'return'\n   12 |   return x\n  "
      "    |   ^\n";
  for (int i = 3000; i < 6000; ++i)
    text += "[" + std::to_string(i) + "/6001] CC src/unit" + std::to_string(i * 7) + ".o\n";
  text += "make: *** [all] Error 1\n";
  const Trimmed result = trimmed(text, 7500);
  check_exact(text, result, 7500);
  CHECK(result.text.find("In function 'parse'") != std::string::npos);
  CHECK(result.text.find("expected ';' before 'return'") != std::string::npos);
  CHECK(result.text.find("   12 |   return x") != std::string::npos);
  CHECK(result.text.size() < 700);
}

TEST_CASE("an error among lines that all differ is shown in a small budget, too") {
  for (const size_t budget : {400U, 1000U, 7500U}) {
    const std::string text = words(1, 50'000) + "cc: fatal error: no input files\n" + words(50'000, 100'000);
    const Trimmed result = trimmed(text, budget, 7500);
    check_exact(text, result, budget);
    CHECK(result.text.find("\ncc: fatal error: no input files\n") != std::string::npos);
  }
}

TEST_CASE("a line that looks like no other is shown") {
  std::string text;
  for (int i = 0; i < 40'000; ++i) {
    text += (i % 3 == 0 ? "GET /a/" : i % 3 == 1 ? "PUT /b/" : "request took ") + std::to_string(i) + " ms\n";
    if (i == 12'345) text += "the disk is full of cheese\n";
  }
  const Trimmed result = trimmed(text, 2000);
  check_exact(text, result, 2000);
  CHECK(result.text.find("\nthe disk is full of cheese\n") != std::string::npos);
}

TEST_CASE("of many errors the first ones are shown") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += "step " + words(i, i) + "ERROR in worker " + words(i, i);
  }
  const Trimmed result = trimmed(text, 3000);
  check_exact(text, result, 3000);
  CHECK(result.text.find("ERROR in worker bc\n") != std::string::npos);
}

TEST_CASE("a table and a document are told as a whole, and then cut") {
  std::string csv = "id,name,price\n";
  for (int i = 0; i < 100'000; ++i)
    csv += std::to_string(i) + ",name " + words(i, i).substr(0, words(i, i).size() - 1) + ",1.5\n";
  const Trimmed table = trimmed(csv, 7500);
  CHECK(table.text.starts_with("[CSV: 100,000 rows, 3 columns]\nid,name,price\n0,name a,1.5\n"));
  CHECK(table.text.ends_with("\n99999,name jjjjj,1.5"));
  CHECK(bashcell::base::json_cost(table.text) <= 7500 / 4);
  CHECK(table.total_lines == 100'001);

  std::string json = "[";
  for (int i = 0; i < 20'000; ++i)
    json += (i > 0 ? ", " : "") + ("{\"id\": " + std::to_string(i)) + ", \"error\": null}";
  json += "]";
  for (const size_t budget : {300U, 7500U}) {
    const Trimmed document = trimmed(json, budget, 7500);
    CHECK(document.text.starts_with("[JSON array of 20,000 objects {id: number, error: null}]\n[{\"id\": 0, "));
    CHECK(document.text.ends_with("\"error\": null}]"));
    CHECK(bashcell::base::json_cost(document.text) <= budget);
  }
}

TEST_CASE("no mark stands where the lines themselves would cost less") {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    const std::string name = words(i, i).substr(0, words(i, i).size() - 1);
    text += i % 5 == 0 ? "error in " + name + "\n" : i % 5 == 2 ? "\n" : "step " + name + "\n";
  }
  const Trimmed result = trimmed(text, 3000);
  check_exact(text, result, 3000);
  CHECK(result.text.find("[... 1 line, 1 byte left out ...]") == std::string::npos);
}
