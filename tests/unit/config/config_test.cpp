#include "config.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "config_options.h"
#include "home.h"

namespace bashcell {
namespace {

using Catch::Contains;

TEST_CASE("without options every value is the default, in the struct as in the schema") {
  const Home home;
  const auto invocation = home.parse({});
  REQUIRE(invocation.ok());
  CHECK(invocation->command == Command::kServe);
  const Config& config = invocation->config;
  const Config fresh;
  CHECK(config.engine == fresh.engine);
  CHECK(config.runtime.empty());
  CHECK(config.rootfs.empty());
  CHECK(config.workspace == home.path() + "/.local/share/bashcell/workspace");
  CHECK(config.workspace_is_default);
  CHECK_FALSE(config.user.has_value());
  CHECK(config.memory_mb == fresh.memory_mb);
  CHECK(config.cpus == fresh.cpus);
  CHECK(config.pids == fresh.pids);
  CHECK(config.limits == fresh.limits);
  CHECK(config.timeout == fresh.timeout);
  CHECK(config.max_timeout == fresh.max_timeout);
  CHECK(config.install_timeout == fresh.install_timeout);
  CHECK(config.session_limit == fresh.session_limit);
  CHECK(config.idle_limit == fresh.idle_limit);
  CHECK(config.budget.chars == fresh.budget.chars);
  CHECK(config.budget.tokens == fresh.budget.tokens);
  CHECK(config.filters == fresh.filters);
  CHECK(config.extra_filters.empty());
  CHECK(config.parallel == fresh.parallel);
  CHECK(config.workspace_lock == fresh.workspace_lock);
  CHECK(config.warm == fresh.warm);
  CHECK(config.instructions == fresh.instructions);
  CHECK(config.record.empty());
  CHECK(config.audit.empty());
  CHECK(config.audit_scripts == fresh.audit_scripts);
  CHECK(config.audit_max_bytes == fresh.audit_max_bytes);
  CHECK(config.init.empty());
  CHECK(config.log == fresh.log);
}

TEST_CASE("every option can be set by flag") {
  const Home home;
  const auto invocation = home.parse({"--engine=oci",
                                      "--runtime",
                                      "/opt/crun",
                                      "--rootfs=/srv/root",
                                      "--workspace=/srv/work",
                                      "--user",
                                      "1500:1600",
                                      "--memory=64",
                                      "--cpus=1.5",
                                      "--pids=100",
                                      "--limits=best-effort",
                                      "--timeout=2.5",
                                      "--max-timeout=60",
                                      "--session-limit=2.5",
                                      "--idle-limit=0.5",
                                      "--install-timeout=7",
                                      "--max-chars=1000",
                                      "--max-output=500",
                                      "--filters=off",
                                      "--parallel=1",
                                      "--warm",
                                      "--instructions",
                                      "--record=/tmp/r.jsonl",
                                      "--audit=/tmp/audit",
                                      "--audit-scripts",
                                      "--audit-max-mb=0.5",
                                      "--init=/opt/bashcell-init",
                                      "--log=debug"});
  REQUIRE(invocation.ok());
  const Config& config = invocation->config;
  CHECK(config.engine == EngineChoice::kOci);
  CHECK(config.runtime == "/opt/crun");
  CHECK(config.rootfs == "/srv/root");
  CHECK(config.workspace == "/srv/work");
  CHECK_FALSE(config.workspace_is_default);
  REQUIRE(config.user.has_value());
  CHECK(config.user->uid == 1500);
  CHECK(config.user->gid == 1600);
  CHECK(config.memory_mb == 64);
  CHECK(config.cpus == 1.5);
  CHECK(config.pids == 100);
  CHECK(config.limits == engine::LimitsPolicy::kBestEffort);
  CHECK(config.timeout == base::Duration(2500));
  CHECK(config.max_timeout == std::chrono::seconds(60));
  CHECK(config.session_limit == base::Duration(2500));
  CHECK(config.idle_limit == std::chrono::seconds(30));
  CHECK(config.install_timeout == std::chrono::seconds(7));
  CHECK(config.budget.chars == 1000);
  CHECK(config.budget.tokens == 500);
  CHECK_FALSE(config.filters);
  CHECK(config.parallel == 1);
  CHECK(config.warm);
  CHECK(config.instructions);
  CHECK(config.record == "/tmp/r.jsonl");
  CHECK(config.audit == "/tmp/audit");
  CHECK(config.audit_scripts);
  CHECK(config.audit_max_bytes == 512 << 10);
  CHECK(config.init == "/opt/bashcell-init");
  CHECK(config.log == base::LogLevel::kDebug);
}

TEST_CASE("the engines with images have options of their own") {
  const Home home;
  const auto invocation = home.parse({"--engine=podman", "--image=localhost:5000/a/b:1", "--docker-host=ssh://me@there",
                                      "--network=lan", "--workspace=volume:data_1"});
  REQUIRE(invocation.ok());
  const Config& config = invocation->config;
  CHECK(config.engine == EngineChoice::kPodman);
  CHECK(config.image == "localhost:5000/a/b:1");
  CHECK(config.docker_host == "ssh://me@there");
  CHECK(config.network == "lan");
  CHECK(config.workspace_volume == "data_1");
  CHECK(config.workspace.empty());
  CHECK(home.parse({"--engine=docker"})->config.workspace_volume.empty());

  CHECK_THAT(home.error({"--image=a b"}), Contains("--image is \"a b\"; it must be the name of an image"));
  CHECK_THAT(home.error({"--image=-v"}), Contains("--image"));
  CHECK_THAT(home.error({"--network=a/b"}), Contains("--network is \"a/b\"; it must be the name of a network"));
  CHECK_THAT(home.error({"--workspace=volume:../x"}), Contains("--workspace") && Contains("volume:NAME"));
  CHECK_THAT(home.error({"--workspace=volume:"}), Contains("volume:NAME"));
  CHECK_THAT(home.error({"--engine=oci", "--workspace=volume:data"}), Contains("the oci engine has no volumes"));
  CHECK_THAT(home.error({"--protect=strict", "--workspace=volume:data"}), Contains("cannot be protected"));
}

TEST_CASE("a flag wins over the environment, the environment over the file") {
  const Home home;
  const std::string file = home.write("own.json", R"({"memory": 100, "pids": 60, "timeout": 7, "warm": true})");
  const auto invocation =
      home.parse({"--memory", "300", "--config", file}, {"BASHCELL_MEMORY=200", "BASHCELL_PIDS=70", "BASHCELL_WARM=0"});
  REQUIRE(invocation.ok());
  CHECK(invocation->config.memory_mb == 300);
  CHECK(invocation->config.pids == 70);
  CHECK(invocation->config.timeout == std::chrono::seconds(7));
  CHECK_FALSE(invocation->config.warm);
}

TEST_CASE("the configuration file is the named one, else the user's own, never one of the working directory") {
  const Home home;
  home.write(".config/bashcell/config.json", R"({"$schema": "config.json", "memory": 111})");
  home.write("xdg/bashcell/config.json", R"({"memory": 222})");
  const std::string named = home.write("named.json", R"({"memory": 333})");
  CHECK(home.parse({})->config.memory_mb == 111);
  CHECK(home.parse({}, {"XDG_CONFIG_HOME=" + home.path() + "/xdg"})->config.memory_mb == 222);
  CHECK(home.parse({}, {"BASHCELL_CONFIG=" + named})->config.memory_mb == 333);
  CHECK(home.parse({}, {"XDG_CONFIG_HOME=xdg"})->config.memory_mb == 111);  // XDG: relative ones are ignored

  CHECK_THAT(home.error({"--config=" + home.path() + "/none.json"}), Contains("--config: ") && Contains("none.json"));
  CHECK_THAT(home.error({}, {"BASHCELL_CONFIG=own.json"}), Contains("BASHCELL_CONFIG") && Contains("absolute path"));
}

TEST_CASE("a bad value is one line that names option, source and what is allowed") {
  const Home home;
  CHECK(home.error({"--memory", "16"}) == "--memory is 16; it must be a whole number from 32 to 1048576 (MB)");
  CHECK(home.error({"--memory=1e9x"}) == "--memory is \"1e9x\"; it must be a whole number from 32 to 1048576 (MB)");
  CHECK(home.error({"--engine=lxc"}) == "--engine is \"lxc\"; it must be auto, oci, docker or podman");
  CHECK(home.error({}, {"BASHCELL_LOG=loud"}) ==
        "BASHCELL_LOG in the environment is \"loud\"; it must be quiet, error, info or debug");
  CHECK(home.error({}, {"BASHCELL_WARM=maybe"}) ==
        "BASHCELL_WARM in the environment is \"maybe\"; it must be true or false");
  const std::string file = home.write("c.json", R"({"cpus": "0.5"})");
  CHECK(home.error({"--config", file}) == "\"cpus\" in " + file + " is \"0.5\"; it must be a number from 0.05 to 1024");
}

TEST_CASE("numbers given as text are whole and plain") {
  const Home home;
  const std::string value =
      GENERATE("", " 64", "64 ", "+64", "0x40", "64MB", "64.0", "99999999999999999999", "-1", "ß");
  CAPTURE(value);
  CHECK_THAT(home.error({"--memory=" + value, "x"}), Contains("--memory") || Contains("no command"));
  CHECK_THAT(home.error({"--memory", value}), Contains("--memory is"));
}

TEST_CASE("numbers that are none are refused") {
  const Home home;
  const std::string value = GENERATE("nan", "inf", "-inf", "1e999", "0", "half", "1,5");
  CHECK_THAT(home.error({"--cpus", value}), Contains("--cpus is") && Contains("a number from 0.05 to 1024"));
}

TEST_CASE("root is never the user of a cell") {
  const Home home;
  const std::string user = GENERATE("0:0", "0:1000", "1000:0", "1000", "nobody", "1000:1000:1000", "-1:5", "01:5",
                                    "4294967296:1", "1000:1000\n");
  CHECK_THAT(home.error({"--user", user}), Contains("--user is") && Contains("neither of them 0 (root)"));
}

TEST_CASE("a name that is no option is named, with the nearest that is") {
  const Home home;
  CHECK(home.error({"--memroy=64"}) == "there is no option --memroy; did you mean --memory?");
  CHECK(home.error({"--frobnicate"}) == "there is no option --frobnicate");
  CHECK(home.error({}, {"BASHCELL_TIMEOUTS=3"}) ==
        "there is no option for BASHCELL_TIMEOUTS in the environment; did you mean BASHCELL_TIMEOUT?");
  const std::string file = home.write("c.json", R"({"max-timeout": 3})");
  CHECK(home.error({"--config", file}) ==
        "there is no option \"max-timeout\" (" + file + "); did you mean max_timeout?");
  CHECK(home.error({"docter"}) == "there is no command 'docter'; did you mean doctor?");
}

TEST_CASE("what is no configuration file says so") {
  const Home home;
  CHECK_THAT(home.error({"--config", home.write("a.json", "{\n\"memory\": 64,\n}")}),
             Contains("not valid JSON: see line 3"));
  CHECK_THAT(home.error({"--config", home.write("b.json", "[64]")}), Contains("one JSON object"));
  CHECK_THAT(home.error({"--config", home.write("c.json", "")}), Contains("not valid JSON"));
  CHECK_THAT(home.error({"--config", home.write("d.json", R"({"memory": null})")}), Contains("is null; it must be"));
  CHECK_THAT(home.error({"--config", home.path()}), Contains("--config: ") && Contains(home.path()));
  CHECK_THAT(home.error({"--config", home.write("e.json", std::string(100000, '['))}), Contains("not valid JSON"));
  CHECK_THAT(home.error({"--config", home.write("f.json", "{\"timeout\": 1e400}")}),
             Contains("f.json has a number that is too large"));
}

TEST_CASE("an empty variable counts as not set, and those of the tests are no options") {
  const Home home;
  const auto invocation = home.parse(
      {}, {"BASHCELL_MEMORY=", "BASHCELL_CONFIG=", "BASHCELL_REQUIRE=oci", "BASHCELL_ACCEPT=1", "PATH=/bin"});
  REQUIRE(invocation.ok());
  CHECK(invocation->config.memory_mb == 512);
}

TEST_CASE("limits of 0 are none, and none of the others may be so small or large that it makes no sense") {
  const Home home;
  const auto off = home.parse({"--session-limit=0", "--idle-limit=0"});
  REQUIRE(off.ok());
  CHECK(off->config.session_limit == base::Duration::zero());
  CHECK(off->config.idle_limit == base::Duration::zero());
  for (const std::string value : {"-1", "0.0004", "604801", "1e300", "nan", "soon"}) {
    const std::string why = home.error({"--session-limit=" + value});
    CHECK(why.find("it must be 0 (none), or a number from 0.1 to 604800 (seconds)") != std::string::npos);
  }
  CHECK(home.error({"--idle-limit=-0.5"}) ==
        "--idle-limit is -0.5; it must be 0 (none), or a number from 0.01 to 10080 (minutes)");
  CHECK(home.error({"--install-timeout=0"}) ==
        "--install-timeout is 0.0; it must be a number from 1 to 3600 (seconds)");
}

TEST_CASE("timeout and max-timeout must agree") {
  const Home home;
  CHECK(home.error({"--timeout=400"}) == "--timeout is 400.0; it must be at most max-timeout, 300 s");
  CHECK(home.parse({"--timeout=400", "--max-timeout=400"}).ok());
  CHECK(home.parse({"--max-timeout=10"})->config.timeout == std::chrono::seconds(10));
}

TEST_CASE("commands take what they need and no more") {
  const Home home;
  const auto run = home.parse({"run", "--memory", "64", "echo [a, b]; x='1'"});
  REQUIRE(run.ok());
  CHECK(run->command == Command::kRun);
  CHECK(run->operand == "echo [a, b]; x='1'");
  CHECK(run->config.memory_mb == 64);
  CHECK(home.parse({"run", "[ -f /x ]"})->operand == "[ -f /x ]");
  CHECK(home.parse({"run", "doctor"})->operand == "doctor");
  CHECK(home.parse({"run", "--", "--memory=1"})->operand == "--memory=1");
  CHECK(home.parse({"run", ""})->operand.empty());
  CHECK(home.parse({"doctor"})->command == Command::kDoctor);
  CHECK(home.parse({"serve"})->command == Command::kServe);

  CHECK_THAT(home.error({"run"}), Contains("needs a script"));
  CHECK_THAT(home.error({"replay"}), Contains("needs a FILE"));
  CHECK_THAT(home.error({"run", "echo", "hi"}), Contains("'hi' is one argument too many"));
  CHECK_THAT(home.error({"doctor", "x"}), Contains("'x' is one argument too many"));
  CHECK(home.error({"--memory"}) == "--memory needs a value");
  CHECK(home.error({"--config="}).find("--config") == 0);
}

TEST_CASE("replay passes on the options that were given as flags") {
  const Home home;
  const auto replay = home.parse({"replay", "f.jsonl", "--memory=64", "--warm", "--timeout", "2"});
  REQUIRE(replay.ok());
  CHECK(replay->operand == "f.jsonl");
  CHECK(replay->flags == Words{"--warm=true", "--memory=64", "--timeout=2"});
  CHECK(home.parse(replay->flags).ok());
}

TEST_CASE("help and version need no sound configuration") {
  const Home home;
  home.write(".config/bashcell/config.json", "{");
  CHECK(home.parse({"--help"})->command == Command::kHelp);
  CHECK(home.parse({"-h"})->command == Command::kHelp);
  CHECK(home.parse({"--version"})->command == Command::kVersion);
  CHECK_THAT(home.error({}), Contains("not valid JSON"));
}

}  // namespace
}  // namespace bashcell
