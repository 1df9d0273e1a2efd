#include "rpc/recording_transport.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "base/file.h"
#include "memory_transport.h"
#include "rpc/transcript.h"

using namespace bashcell;
using namespace bashcell::rpc;

namespace {

const base::Log kQuiet(base::LogLevel::kQuiet);

// A path that is free, and removed again.
struct TempPath {
  std::string path = "/tmp/bashcell_recording." + std::to_string(::getpid());
  TempPath() { ::unlink(path.c_str()); }
  ~TempPath() { ::unlink(path.c_str()); }
  TempPath(const TempPath&) = delete;
  TempPath& operator=(const TempPath&) = delete;
};

}  // namespace

TEST_CASE("a recording is a transcript of both directions, whatever came in") {
  const TempPath file;
  MemoryTransport inner;
  RecordingTransport recording(inner, std::move(open_recording(file.path)).value(), kQuiet);
  std::vector<std::string> lines;
  int ends = 0;
  TransportEvents events;
  events.on_line = [&](std::string_view line) { lines.emplace_back(line); };
  events.on_end = [&] { ++ends; };
  recording.start(std::move(events));
  const std::string request = R"({ "method":"ping", "id":1,"jsonrpc":"2.0"})";
  inner.receive(request);
  recording.send(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  inner.receive("{bad");
  inner.receive("\xff");
  inner.receive(std::string(200, '['));
  inner.events.on_oversize();
  inner.events.on_end();

  CHECK(lines.size() == 4);
  CHECK(ends == 1);
  CHECK(inner.sent.size() == 1);
  struct stat info {};
  REQUIRE(::stat(file.path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777U) == 0600U);
  const base::Result<Transcript> read = read_transcript(file.path);
  REQUIRE(read.ok());
  CHECK(read->lines[0] == "{\"send\": " + request + "}");
  REQUIRE(read->steps.size() == 7);
  CHECK(std::get<Expect>(read->steps[1].action).message["id"] == 1);
  CHECK(std::get<Send>(read->steps[2].action).bytes == "{bad\n");
  CHECK(std::get<Send>(read->steps[3].action).bytes == "\xff\n");
  CHECK(std::get<Send>(read->steps[4].action).bytes.size() == 201);
  CHECK(std::holds_alternative<Note>(read->steps[5].action));
  CHECK(std::holds_alternative<CloseInput>(read->steps[6].action));
}

TEST_CASE("a second recording is appended") {
  const TempPath file;
  for (int i = 0; i < 2; ++i) {
    MemoryTransport inner;
    RecordingTransport recording(inner, std::move(open_recording(file.path)).value(), kQuiet);
    recording.start({});
    inner.receive("{}");
  }
  CHECK(base::read_file(file.path).value() == "{\"send\": {}}\n{\"send\": {}}\n");
}

TEST_CASE("a recording that cannot be written does not stop the session") {
  MemoryTransport inner;
  RecordingTransport recording(inner, base::UniqueFd(::open("/dev/full", O_WRONLY | O_CLOEXEC)), kQuiet);
  int lines = 0;
  TransportEvents events;
  events.on_line = [&](std::string_view) { ++lines; };
  recording.start(std::move(events));
  inner.receive("a");
  inner.receive("b");
  recording.send("{}");
  CHECK(lines == 2);
  CHECK(inner.sent.size() == 1);
  CHECK_FALSE(open_recording("/nonexistent/x").ok());
}
