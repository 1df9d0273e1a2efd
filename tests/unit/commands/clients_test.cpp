#include "commands/clients.h"

#include <catch2/catch.hpp>

namespace bashcell::commands {
namespace {

using Catch::Contains;
using nlohmann::ordered_json;

ServerStart start() {
  return {.program = "/opt/my programs/bashcell",
          .arguments = {"--workspace", "/home/me/\"work\""},
          .names = {"DOCKER_HOST", "DOCKER_CERT_PATH", "MODEL_KEY"},
          .environment = {{"DOCKER_HOST", "unix:///run/x.sock"}},
          .key = "MODEL_KEY",
          .longest_answer_s = 390};
}

ordered_json entry(std::string_view name) { return client_entry(*find_client(name), start()); }

TEST_CASE("every client has a snippet that names the program, and JSON ones can be read") {
  CHECK(all_clients().size() == 11);
  CHECK_FALSE(find_client("netscape"));
  for (const Client& client : all_clients()) {
    INFO(client.name);
    const std::string text = client_snippet(client, start());
    CHECK_THAT(text, Contains("\"/opt/my programs/bashcell\""));
    CHECK_THAT(text, Contains("\"/home/me/\\\"work\\\"\""));
    CHECK(text.ends_with('\n'));
    if (client.format != ClientFormat::kJson) continue;
    ordered_json place = ordered_json::parse(text);
    for (const std::string_view member : client.members) place = place.at(std::string(member));
    CHECK(place.at("bashcell") == client_entry(client, start()));
  }
}

TEST_CASE("a client waits longer than any answer takes, in its own unit") {
  CHECK(entry("claude-code")["timeout"] == 390'000);
  CHECK(entry("gemini")["timeout"] == 390'000);
  CHECK(entry("opencode")["timeout"] == 390'000);
  CHECK(entry("cline")["timeout"] == 390);
  CHECK_THAT(client_snippet(*find_client("codex"), start()), Contains("\ntool_timeout_sec = 390\n"));
  CHECK_THAT(client_snippet(*find_client("goose"), start()), Contains("    timeout: 390\n"));
  CHECK_FALSE(entry("claude-desktop").contains("timeout"));
}

TEST_CASE("one that cannot be told to wait gets answers before it gives up") {
  CHECK(timeout_for(*find_client("claude-desktop")) == 230);
  CHECK(timeout_for(*find_client("zed")) == 50);
  CHECK(timeout_for(*find_client("continue")) == 50);
  CHECK(timeout_for(*find_client("gemini")) == 0);
}

TEST_CASE("variables are handed on as each client can, and secrets are never written down") {
  CHECK(entry("claude-desktop")["env"] == ordered_json{{"DOCKER_HOST", "unix:///run/x.sock"}});
  CHECK_FALSE(entry("claude-code").contains("env"));
  ServerStart tls = start();
  tls.environment = {{"DOCKER_HOST", "tcp://far:2376"}, {"DOCKER_CERT_PATH", "/certs"}};
  CHECK(client_entry(*find_client("gemini"), tls)["env"] ==
        ordered_json{{"DOCKER_CERT_PATH", "$DOCKER_CERT_PATH"}, {"MODEL_KEY", "$MODEL_KEY"}});
  CHECK_THAT(client_snippet(*find_client("codex"), start()),
             Contains("\nenv_vars = [\"DOCKER_HOST\", \"DOCKER_CERT_PATH\", \"MODEL_KEY\"]\n"));
}

TEST_CASE("opencode has program and arguments in one array") {
  const ordered_json opencode = entry("opencode");
  CHECK(opencode["command"] == ordered_json{"/opt/my programs/bashcell", "--workspace", "/home/me/\"work\""});
  CHECK_FALSE(opencode.contains("args"));
}

TEST_CASE("a client on Windows goes through wsl.exe, which hands on no variables") {
  const ServerStart plain = through_wsl({.program = "/usr/bin/bashcell", .arguments = {"--warm"}}, "");
  CHECK(plain.program == "wsl.exe");
  CHECK(plain.arguments == std::vector<std::string>{"--", "/usr/bin/bashcell", "serve", "--warm"});
  const ServerStart full = through_wsl(start(), "Debian");
  CHECK(full.arguments == std::vector<std::string>{"-d", "Debian", "--", "/usr/bin/env",
                                                   "DOCKER_HOST=unix:///run/x.sock", "/opt/my programs/bashcell",
                                                   "serve", "--workspace", "/home/me/\"work\""});
  CHECK_FALSE(client_entry(*find_client("claude-desktop"), full).contains("env"));
}

}  // namespace
}  // namespace bashcell::commands
