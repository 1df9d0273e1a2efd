#include "supervisor/output/outline.h"

#include <catch2/catch.hpp>

using namespace bashcell::supervisor;

namespace {

std::string json_outline(std::string_view text, size_t piece = 1'000'000) {
  JsonOutline outline;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) outline.add(text.substr(0, piece));
  return outline.finish().value_or("");
}

std::string table_outline(const std::string& text) {
  TableOutline outline;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    outline.add_line(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  return outline.finish().value_or("");
}

std::string repeated(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("a JSON text is told by its keys, whatever the pieces") {
  const std::string element = R"({"id": 1, "name": "a \" } ] b", "tags": [1, {"x": []}], "none": null, "ok": true})";
  const std::string array = "[" + element + ",\n " + element + " , {\"id\": 2.5e3, \"none\": -1}]\n";
  const std::string expected =
      "JSON array of 3 objects {id: number, name: string, tags: array of {x: array}, none: number, ok: boolean}";
  for (const size_t piece : {1U, 2U, 7U, 1000U}) CHECK(json_outline(array, piece) == expected);
  CHECK(json_outline(R"({"items": [1,2,3], "total": 3, "next": {"page": 2}})") ==
        "JSON object {items: array of 3, total: number, next: {page: number}}");
  CHECK(json_outline(repeated("{\"t\": 1}\n", 50)) == "JSON lines: 50 objects {t: number}");
  CHECK(json_outline(R"({"data": [{"id": 1, "owner": {"name": "a", "at": {"x": {}}}}, {"id": 2, "more": null}]})") ==
        "JSON object {data: array of 2 {id: number, owner: {name: string, at: object}, more: null}}");
  CHECK(json_outline("[]") == "JSON array of 0 nulls");
  CHECK(json_outline("[1,2]") == "JSON array of 2 numbers");
  CHECK(json_outline("{}") == "JSON object");
}

TEST_CASE("a long name of a JSON text is cut between characters") {
  const std::string longest(40, 'n');
  CHECK(json_outline("{\"" + longest + "\": 1}") == "JSON object {" + longest + ": number}");
  CHECK(json_outline("{\"" + longest + "n\": 1}") == "JSON object {" + longest + ": number}");
  const std::string wide = repeated("\xe2\x82\xac", 13);
  CHECK(json_outline("{\"" + wide + "\xe2\x82\xac\": 1}") == "JSON object {" + wide + ": number}");
}

TEST_CASE("what is no JSON has no outline") {
  for (const char* text : {"",
                           "hello",
                           "[12:00] INFO x",
                           "[INFO] starting",
                           "{ echo hi; }",
                           "[1,2",
                           "[1,]",
                           "{\"a\":}x",
                           "{\"a\" 1}",
                           "[1 2]",
                           "{\"a\":1} trailing",
                           "[\"open",
                           "[nul]",
                           "{1:2}",
                           "]",
                           "[1}}",
                           "42",
                           "\"x\"",
                           "[--]",
                           "{\"a\nb\":1}",
                           "[\"a\tb\"]"}) {
    INFO(text);
    CHECK(json_outline(text).empty());
  }
  CHECK(json_outline(std::string(100'000, '[')).empty());
}

TEST_CASE("a table is told by its rows and columns") {
  CHECK(table_outline("id,name,price\n" + repeated("1,\"a, b\",2.5\n", 1000)) == "CSV: 1,000 rows, 3 columns");
  CHECK(table_outline("a\tb\n" + repeated("1\t2\n", 20)) == "TSV: 20 rows, 2 columns");
  CHECK(table_outline("\"a\";\"b c\"\n" + repeated("1;2\n", 30)) == "CSV: 30 rows, 2 columns");
  CHECK(table_outline("a,b\n" + repeated("1,2\n", 5)).empty());
  CHECK(table_outline("plain text\n" + repeated("more text\n", 100)).empty());
  CHECK(table_outline("Hello, world\n" + repeated("no comma here\n", 100)).empty());
  CHECK(table_outline("2026-01-01 10:00:00,123 INFO a\n" + repeated("2026-01-01 10:00:00,123 INFO a\n", 100)).empty());
  CHECK(table_outline("a,b\n" + repeated("1,2\n1,2,3\n", 100)).empty());
}
