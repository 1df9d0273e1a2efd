#include "shelf/keeper.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <tuple>

#include "engine/private_folder.h"
#include "support/no_flock.h"
#include "support/scripted_engine.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::shelf;
using wire::Outcome;

namespace {

sandbox::CallReport ended(Outcome outcome, int64_t code) {
  wire::Done done;
  done.outcome = outcome;
  done.code = code;
  done.wall_ms = 12;
  sandbox::CallReport report;
  report.result = done;
  return report;
}

struct Answer {
  bool good = false;
  std::string text;
};

struct Conversation {
  explicit Conversation(std::optional<KeeperOptions> options = std::nullopt)
      : keeper(loop, sandbox, options ? std::move(*options) : usual_options()) {}

  KeeperOptions usual_options() const {
    return {.place = Place{.folder = path(), .workspace = {}},
            .is_command = [](const std::string& name) { return name == "rg"; }};
  }
  void call(const std::string& script, Outcome outcome = Outcome::kExited, int64_t code = 0) {
    keeper.begin(++last);
    keeper.ended(last, script, ended(outcome, code));
  }
  // Asked by a call of its own, or by `from`.
  Answer ask(const std::string& verb, std::vector<std::string> arguments, std::string body = {}, uint64_t from = 0) {
    const uint64_t id = from != 0 ? from : ++last;
    if (from == 0) keeper.begin(id);
    std::optional<Answer> answer;
    keeper.answer({.call = id, .verb = verb, .arguments = std::move(arguments), .body = std::move(body)},
                  [&](bool good, std::string text) {
                    answer = Answer{good, std::move(text)};
                    loop.stop();
                  });
    if (!answer) loop.run();
    if (from == 0) keeper.ended(id, "echo asked; cell " + verb, ended(Outcome::kExited, 0));
    return *answer;
  }
  std::string script(const std::string& name) const {
    const auto entry = wire::read_shelf_entry(path() + "/entries", name);
    return entry ? entry->script : "";
  }
  std::string path() const { return folder.path() / "lib/bashcell/shelf/key"; }

  TemporaryFolder folder;
  base::EventLoop loop;
  testing::ScriptedEngine engine;
  sandbox::Sandbox sandbox{loop, engine, [] { return base::Result<engine::CellSpec>(base::Error{"none"}); }, {}};
  Keeper keeper;
  uint64_t last = 0;
};

}  // namespace

TEST_CASE("the last script that ended well becomes a command") {
  Conversation talk;
  CHECK(talk.ask("save", {"count"}).text.starts_with("not saved: no script has ended before this one"));
  talk.call("echo first");
  talk.call("# Counts.\nwc -l /workspace/*");
  const Answer saved = talk.ask("save", {"count"});
  CHECK(saved.good);
  CHECK(saved.text == "saved count: call it by its name, in later conversations, too");
  CHECK(talk.script("count") == "#!/bin/bash\n# Counts.\nwc -l /workspace/*");
  talk.call("#!/usr/bin/python3\nprint(1)");
  CHECK(talk.ask("save", {"count"}).good);
  CHECK(talk.script("count") == "#!/usr/bin/python3\nprint(1)");
  CHECK(talk.ask("rm", {"count"}).text == "removed count");
  CHECK(talk.ask("rm", {"count"}).text == "there is no 'count' on the shelf");
}

TEST_CASE("what did not end well proves nothing, and the reason is said") {
  Conversation talk;
  talk.call("echo good");
  const auto why_not = [&](Outcome outcome, int64_t code) {
    talk.call("echo bad", outcome, code);
    const Answer answer = talk.ask("save", {"bad"});
    CHECK_FALSE(answer.good);
    return answer.text;
  };
  CHECK(why_not(Outcome::kExited, 1) ==
        "not saved: the last script ended with exit code 1; only one that ended with 0 can be saved");
  CHECK(why_not(Outcome::kSignaled, 9).find("died of signal 9") != std::string::npos);
  CHECK(why_not(Outcome::kTimedOut, 0).find("timed out") != std::string::npos);
  CHECK(why_not(Outcome::kCancelled, 0).find("was cancelled") != std::string::npos);
  CHECK(why_not(Outcome::kLost, 0).find("did not end") != std::string::npos);
  talk.call("echo '" + std::string(wire::kMaxShelfScript, 'x') + "'");
  CHECK(talk.ask("save", {"bad"}).text == "not saved: it is longer than 64 KB: put data into files of /workspace");
  CHECK(talk.script("bad").empty());
}

TEST_CASE("it is the script before the call that asks, whatever ends meanwhile or asks for the shelf") {
  Conversation talk;
  talk.call("echo before");
  talk.keeper.begin(100);
  talk.keeper.begin(101);
  talk.keeper.ended(101, "echo beside", ended(Outcome::kExited, 0));
  CHECK(talk.ask("save", {"a"}, {}, 100).good);
  CHECK(talk.script("a") == "#!/bin/bash\necho before");
  talk.keeper.ended(100, "true; cell save a", ended(Outcome::kExited, 0));
  talk.call("cell list");
  talk.call("  cell save ls", Outcome::kExited, 1);
  CHECK(talk.ask("save", {"b"}).good);
  CHECK(talk.script("b") == "#!/bin/bash\necho beside");
  sandbox::CallReport not_run;
  not_run.result = sandbox::NotRun{"no cell"};
  talk.keeper.begin(102);
  talk.keeper.ended(102, "echo never", not_run);
  CHECK(talk.ask("save", {"c"}).good);
  CHECK(talk.ask("save", {"d"}, {}, 4711).text == "not saved: whoever asks belongs to no call that still runs");
}

TEST_CASE("a file that was run is kept as it was run, with how") {
  Conversation talk;
  REQUIRE(talk.ask("save", {"count", "34", "bin/count.sh", "-v", "a b"}, "#!/bin/sh\nwc -l\n").good);
  const auto entry = wire::read_shelf_entry(talk.path() + "/entries", "count");
  REQUIRE(entry);
  CHECK(entry->script == "#!/bin/sh\nwc -l\n");
  CHECK(entry->provenance.file == "bin/count.sh");
  CHECK(entry->provenance.arguments == std::vector<std::string>{"-v", "a b"});
  CHECK(entry->provenance.wall_ms == 34);
  CHECK(entry->provenance.exit == 0);
  CHECK(entry->provenance.saved_at > 1'600'000'000);
}

TEST_CASE("names that are none, or commands, are refused on the host, too") {
  Conversation talk;
  talk.call("echo good");
  for (const char* name : {"cd", "rg", "../x", "a\nb", "", "cell"}) {
    INFO(name);
    const Answer answer = talk.ask("save", {name});
    CHECK_FALSE(answer.good);
    const bool says_what_is_allowed =
        answer.text.find("choose another") != std::string::npos || answer.text.find("it must be") != std::string::npos;
    CHECK(says_what_is_allowed);
  }
  CHECK(wire::shelf_names(talk.path() + "/entries").empty());
}

TEST_CASE("forged questions get a sentence") {
  Conversation talk;
  const std::string script = "#!/bin/sh\n";
  using Words = std::vector<std::string>;
  for (const auto& [verb, words, body] : std::vector<std::tuple<std::string, Words, std::string>>{
           {"save", {}, ""},
           {"save", {"n", "7"}, script},
           {"save", {"n", "-7", "f"}, script},
           {"save", {"n", "99999999999999999999", "f"}, script},
           {"save", {"n", "7", ""}, script},
           {"save", {"n", "7", "f"}, ""},
           {"save", {"n", "7", "f"}, "echo no sign"},
           {"save", {"n", "7", "f"}, script + std::string(1, '\0')},
           {"save", {"n", "7", "f"}, script + std::string(wire::kMaxShelfScript, 'x')},
           {"rm", {}, ""},
           {"rm", {"a", "b"}, ""},
           {"rm", {"../../lock"}, ""},
           {"shelf", {"x"}, ""}}) {
    const Answer answer = talk.ask(verb, words, body);
    CHECK_FALSE(answer.good);
    CHECK_FALSE(answer.text.empty());
  }
  CHECK(wire::shelf_names(talk.path() + "/entries").empty());
}

TEST_CASE("while another server writes, the answer waits, and the loop goes on") {
  Conversation talk;
  talk.call("echo good");
  const Store store = *Store::open({.folder = talk.path(), .workspace = {}});
  std::optional<base::LockAttempt> lock = store.try_lock();
  REQUIRE(std::holds_alternative<base::FileLock>(*lock));
  bool ran_meanwhile = false;
  talk.loop.after(base::Duration(1), [&] {
    ran_meanwhile = true;
    lock.reset();
  });
  CHECK(talk.ask("save", {"count"}).good);
  CHECK(ran_meanwhile);
}

TEST_CASE("without a shelf every question says why there is none") {
  Conversation off{KeeperOptions{}};
  CHECK(off.ask("save", {"count"}).text == "the shelf is off (--shelf off)");
  CHECK(off.ask("shelf", {}).text == "the shelf is off (--shelf off)");
  Conversation elsewhere;
  CHECK(elsewhere.ask("shelf", {}).text ==
        "there is no shelf in this cell: its engine does not see the files of bashcell's machine");
  const TemporaryFolder folder;
  Conversation broken{KeeperOptions{.place = Place{.folder = "/proc/no/such/place", .workspace = {}}}};
  CHECK(broken.ask("rm", {"x"}).text.starts_with("there is no shelf: cannot make the folder /proc/no"));
}

TEST_CASE(
    "on a file system without locks nothing is saved or removed, the answer says why, and all that was there stays") {
  Conversation talk;
  talk.call("echo old");
  REQUIRE(talk.ask("save", {"kept"}).good);
  const std::string before = talk.script("kept");
  talk.call("echo new");
  for (const int problem : kNoFlock) {
    const std::string said = without_flock(problem, [&] {
      Conversation there{talk.usual_options()};
      there.call("echo new");
      const Answer saved = there.ask("save", {"kept"});
      const Answer removed = there.ask("rm", {"kept"});
      return (saved.good || removed.good ? "done: " : "") + saved.text + "\n" + removed.text;
    });
    const std::string why = "cannot lock " + talk.path() +
                            "/lock: its file system knows no locks (flock: " + std::strerror(problem) + "); " +
                            engine::use_another_place("/var/lib", "XDG_DATA_HOME");
    CHECK(said == why + "\n" + why);
    CHECK(talk.script("kept") == before);
  }
  CHECK(talk.ask("save", {"kept"}).good);
  CHECK_THAT(talk.script("kept"), Catch::Contains("echo new"));
}
