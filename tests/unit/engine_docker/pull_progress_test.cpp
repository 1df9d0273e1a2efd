#include "engine/docker/pull_progress.h"

#include <catch2/catch.hpp>
#include <limits>

using bashcell::engine::docker::PullProgress;

namespace {

std::string line(const std::string& id, const std::string& status, int64_t current = 0, int64_t total = 0) {
  return R"({"status":")" + status + R"(","progressDetail":)" +
         (total > 0 ? R"({"current":)" + std::to_string(current) + R"(,"total":)" + std::to_string(total) + "}"
                    : "{}") +
         R"(,"id":")" + id + "\"}\r\n";
}

std::string after(std::initializer_list<std::string> lines) {
  PullProgress progress;
  for (const std::string& one : lines) progress.add(one);
  return progress.text();
}

}  // namespace

TEST_CASE("progress counts bytes and layers") {
  const std::string from = line("3.11-slim", "Pulling from library/python");
  CHECK(after({}) == "nothing of it has arrived yet");
  CHECK(after({from}) == "nothing of it has arrived yet");
  CHECK(after({from, line("a", "Pulling fs layer"), line("b", "Waiting")}) == "0 of 2 layers");
  CHECK(after({line("a", "Pulling fs layer"), line("b", "Waiting"), line("a", "Downloading", 1'200'000, 3'000'000)}) ==
        "1.2 MB so far, 0 of 2 layers");
  CHECK(after({line("a", "Downloading", 1'200'000, 3'000'000), line("b", "Downloading", 300'000, 1'000'000)}) ==
        "1.5 MB of 4 MB, 0 of 2 layers");
  CHECK(after({line("a", "Downloading", 100, 3'000'000), line("b", "Downloading", 0, 1'000'000),
               line("a", "Verifying Checksum")}) == "3 MB of 4 MB, 1 of 2 layers");
  CHECK(after({line("a", "Already exists"), line("b", "Downloading", 250'000, 1'000'000)}) ==
        "250 KB of 1 MB, 1 of 2 layers");
}

TEST_CASE("progress tells downloading from unpacking") {
  CHECK(after({line("a", "Downloading", 5, 10), line("a", "Download complete")}) ==
        "1 layer, all here and being unpacked");
  CHECK(after({line("a", "Extracting", 5, 10), line("b", "Pull complete"), line("c", "Download complete")}) ==
        "3 layers, all here and being unpacked");
}

TEST_CASE("numbers that no image has do not overflow") {
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(after({line("a", "Downloading", most, most), line("b", "Downloading", most, most)}) ==
        "2 PB of 2 PB, 0 of 2 layers");
}

TEST_CASE("lines may come in any pieces") {
  const std::string all = line("a", "Downloading", 1'000'000, 2'000'000) + line("b", "Downloading", 0, 2'000'000);
  PullProgress progress;
  for (const char c : all) progress.add(std::string(1, c));
  CHECK(progress.text() == "1 MB of 4 MB, 0 of 2 layers");
}

TEST_CASE("the first error is kept, as one line") {
  PullProgress progress;
  progress.add(R"({"errorDetail":{"message":"no such\nhost"},"error":"no such\nhost"})"
               "\n");
  progress.add(R"({"error":"another"})"
               "\n");
  CHECK(progress.error() == "no such host");
  PullProgress detail;
  detail.add(R"({"errorDetail":{"message":"only in detail"}})"
             "\n");
  CHECK(detail.error() == "only in detail");
}

TEST_CASE("garbage in a pull's answer is skipped") {
  PullProgress progress;
  progress.add("\n\nnot json\n[1,2]\n\"text\"\n{\"id\":7,\"status\":[],\"progressDetail\":9}\n");
  progress.add(std::string(200'000, '[') + "\n");
  progress.add(R"({"status":"Downloading","id":"a","progressDetail":{"current":-5,"total":-1}})"
               "\n");
  progress.add(R"({"id":"b","status":")" + std::string(100'000, 'x') + "\"}\n");
  progress.add(R"({"error":")" + std::string(2'000, 'e') + "\"}\n");
  CHECK(progress.error().size() == 500);
  CHECK(progress.text() == "0 of 1 layer");
  progress.add(line("c", "Pulling fs layer"));
  CHECK(progress.text() == "0 of 2 layers");
}

TEST_CASE("an engine with endless layers costs bounded memory") {
  PullProgress progress;
  for (int i = 0; i < 1'100; ++i) progress.add(line(std::to_string(i), "Waiting"));
  CHECK(progress.text() == "0 of 1,000 layers");
}
