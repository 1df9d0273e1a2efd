#include "engine/docker/engine_api.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include "base/file.h"
#include "engine/docker/delivery.h"
#include "engine/docker/host_key.h"
#include "remembered_client.h"
#include "support/temporary_folder.h"

using namespace bashcell;
using namespace bashcell::engine::docker;

TEST_CASE("image references are told from what must not travel") {
  const std::string digest = "@sha256:" + std::string(64, 'a');
  for (const std::string& good :
       {std::string("python"), std::string("python:3.11-slim"), std::string("library/python"), "python" + digest,
        std::string("localhost:5000/a/b_c/d__e:T.1"), std::string("registry.example.com/team/tool:latest") + digest,
        std::string("ghcr.io/x/y.z-w"), "sha256:" + std::string(64, '0')}) {
    INFO(good);
    CHECK(is_image_reference(good));
  }
  for (const std::string& bad :
       {std::string(), std::string("Python"), std::string("a b"), std::string("a\nb"), std::string("-a"),
        std::string("../etc"), std::string("a?x=1"), std::string("a#b"), std::string("a/../b"), std::string("a//b"),
        std::string("a:"), std::string("a:b:c"), std::string("a@sha256:1"), std::string("a%2fb"), std::string("ä"),
        std::string("a:") + std::string(200, 't'), std::string(600, 'a'), std::string("sha256:abc/"),
        std::string("a\0b", 3)}) {
    INFO(bad);
    CHECK_FALSE(is_image_reference(bad));
  }
}

TEST_CASE("a server that wants TLS is told from one that is no engine") {
  std::string body = "Client sent an HTTP request to an HTTPS server.\n";
  testing::RememberedServer server([&](const http::Request&) { return http::Response{400, {}, body}; });
  const auto said = [&] {
    return EngineApi::connect(server.maker(), parse_address("tcp://far:1", "").value()).error();
  };
  CHECK(said().message ==
        "the server at tcp://far:1 wants TLS: set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder with ca.pem, "
        "cert.pem and key.pem");
  body = "what?";
  CHECK(said().message == "what answers at tcp://far:1 is no Docker engine (status 400, no Api-Version)");
}

TEST_CASE("an error on the way through ssh says what to try by hand") {
  http::Response answer{500, {}, R"({"message":"out of luck"})"};
  bool reached = false;
  testing::RememberedServer server([&](const http::Request&) -> base::Result<http::Response> {
    if (reached) return answer;
    return base::Error{"cannot reach ssh://far: Host key verification failed."};
  });
  const auto said = [&](const char* url) {
    return EngineApi::connect(server.maker(), parse_address(url, "").value()).error().message;
  };
  const std::string cause = "cannot reach ssh://far: Host key verification failed; ";
  const std::string rule = "this has to work by itself, and print nothing else: ";
  CHECK(said("ssh://far") == cause + rule + "ssh far docker version");
  CHECK(said("ssh://me@far:22/run/x.sock") ==
        cause + rule + "ssh -l me -p 22 far docker --host=unix:///run/x.sock version");
  CHECK(said("ssh://far/run/podman/x.sock") ==
        cause + rule + "ssh far podman --remote --url=unix:///run/podman/x.sock version");
  // Of an engine that answers, ssh is not to blame.
  reached = true;
  answer = {200, {"Api-Version: 1.18", "Server: Docker/1.6 (linux)"}, "OK"};
  CHECK(said("ssh://far").find("is too old") != std::string::npos);
  CHECK(said("ssh://far").find("ssh far") == std::string::npos);
}

TEST_CASE("what goes into an address is encoded") {
  CHECK(url_encoded("a/b:c@d-e_f.g~") == "a/b:c@d-e_f.g~");
  CHECK(url_encoded("a b?c#d&e=f%\n") == "a%20b%3Fc%23d%26e%3Df%25%0A");
  CHECK(url_encoded("ä") == "%C3%A4");
}

TEST_CASE("a refused bind mount is told from other refusals") {
  Answer answer;
  answer.status = 400;
  answer.message = "invalid mount config for type \"bind\": bind source path does not exist: /x";
  CHECK(is_missing_source(answer));
  answer.message = "invalid CPU period";
  CHECK_FALSE(is_missing_source(answer));
  answer.status = 404;
  answer.message = "no such image: bind source path does not exist";
  CHECK_FALSE(is_missing_source(answer));
}

TEST_CASE("a program's architecture is read from its header") {
  const TemporaryFolder folder;
  const std::string path = folder.path().string() + "/program";
  std::string head =
      "\x7f"
      "ELF" +
      std::string(14, '\0');
  CHECK(base::write_file(path, head + std::string("\x3e\0", 2)));
  CHECK(architecture_of_program(path) == "amd64");
  CHECK(base::write_file(path, head + std::string("\xb7\0", 2)));
  CHECK(architecture_of_program(path) == "arm64");
  CHECK(base::write_file(path, "#!/bin/sh\necho this is no program\n"));
  CHECK(architecture_of_program(path).empty());
  CHECK(base::write_file(path, ""));
  CHECK(architecture_of_program(path).empty());
  CHECK(architecture_of_program(folder.path().string() + "/none").empty());
}

TEST_CASE("this machine has one key, which is not its id") {
  CHECK(host_key().size() == 16);
  CHECK(host_key() == host_key());
  const base::Result<std::string> id = base::read_file("/etc/machine-id");
  if (id && id->size() > 16) CHECK(id->find(host_key()) == std::string::npos);
}
