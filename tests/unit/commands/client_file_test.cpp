#include "commands/client_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.h"
#include "support/temporary_folder.h"

namespace bashcell::commands {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;
using nlohmann::ordered_json;

const ordered_json kEntry = {{"command", "/b"}, {"env", {{"A", "new"}}}};

std::string merged(const std::string& text) {
  const auto result = with_json_entry(text, {"mcpServers"}, kEntry);
  return result ? *result : "error: " + result.error().message;
}

TEST_CASE("an entry is put beside what a client's file holds, in its order and indentation") {
  CHECK(
      merged("{\n    \"z\": 1.0,\n    \"mcpServers\": {\n        \"other\": {}\n    },\n    \"a\": \"\\u00e4\"\n}\n") ==
      "{\n    \"z\": 1.0,\n    \"mcpServers\": {\n        \"other\": {},\n        \"bashcell\": {\n"
      "            \"command\": \"/b\",\n            \"env\": {\n                \"A\": \"new\"\n            }\n"
      "        }\n    },\n    \"a\": \"\xc3\xa4\"\n}\n");
  CHECK_THAT(merged("{\n\t\"mcpServers\": {}\n}"), Contains("\n\t\t\"bashcell\": {\n\t\t\t\"command\""));
  CHECK_THAT(merged(""), Contains("{\n  \"mcpServers\": {\n    \"bashcell\""));
  CHECK(merged(merged("{}")) == merged("{}"));
}

TEST_CASE("an entry that is there keeps what the new one does not say") {
  const ordered_json document = ordered_json::parse(merged(
      R"({"mcpServers": {"bashcell": {"command": "/old", "autoApprove": ["bash"], "env": {"A": "1", "B": "2"}}}})"));
  const ordered_json& entry = document["mcpServers"]["bashcell"];
  CHECK(entry["command"] == "/b");
  CHECK(entry["autoApprove"] == ordered_json{"bash"});
  CHECK(entry["env"] == ordered_json{{"A", "new"}, {"B", "2"}});
}

TEST_CASE("a file that cannot be kept whole is refused, and why") {
  CHECK(merged("{\n  // mine\n  \"a\": 1\n}") == "error: has comments, which would be lost");
  CHECK(merged("{\n  \"a\": 1,\n}") == "error: is not valid JSON: see line 3");
  CHECK_THAT(merged("{\"a\": \"\xff\"}"), Contains("is not valid JSON"));
  CHECK_THAT(merged("[]"), Contains("holds no object where one belongs: the whole"));
  CHECK_THAT(merged("{\"mcpServers\": []}"), Contains("holds no object where one belongs: \"mcpServers\""));
}

const std::string kSection = "[mcp_servers.bashcell]\ncommand = \"/b\"\n";

std::string appended(const std::string& text) {
  const auto result = with_toml_section(text, kSection);
  return result ? *result : "error: " + result.error().message;
}

TEST_CASE("a section goes to the end of a TOML file, once") {
  CHECK(appended("") == kSection);
  CHECK(appended("model = \"x\"") == "model = \"x\"\n\n" + kSection);
  CHECK(appended("[mcp_servers.bashcell2]\ncommand = \"/c\"\n") ==
        "[mcp_servers.bashcell2]\ncommand = \"/c\"\n\n" + kSection);
  CHECK(appended(appended("a = 1\n")) == appended("a = 1\n"));
}

TEST_CASE("TOML that speaks of the server, or of all servers in one value, is left alone") {
  for (const char* line : {"[mcp_servers.bashcell]", " [ \"mcp_servers\" . 'bashcell' ] # mine",
                           "[mcp_servers.bashcell.env]", "mcp_servers = { x = { command = \"/c\" } }",
                           "mcp_servers.bashcell.command = \"/c\"", "[mcp_servers]\nbashcell = { command = \"/c\" }"}) {
    INFO(line);
    CHECK_THAT(appended(std::string(line) + "\n"), Contains("speaks of this server, or of all of them"));
  }
}

class Folder : public TemporaryFolder {
 public:
  std::string operator/(const std::string& name) const { return (path() / name).string(); }
};

TEST_CASE("a client's file is replaced with its mode, through a link, and a copy of it is kept") {
  const Folder folder;
  REQUIRE(base::write_file(folder / "real.json", "{}", 0640).ok());
  REQUIRE(::symlink("real.json", (folder / "link.json").c_str()) == 0);
  const auto content = read_client_file(folder / "link.json");
  REQUIRE(content.ok());
  CHECK(content->text == "{}");
  const auto change = replace_client_file(*content, "{\"a\": 1}\n");
  REQUIRE(change.ok());
  CHECK(change->changed);
  CHECK(fs::is_symlink(folder / "link.json"));
  CHECK(base::read_file(folder / "real.json").value() == "{\"a\": 1}\n");
  CHECK(base::read_file(change->backup).value() == "{}");
  struct stat info {};
  for (const std::string& path : {folder / "real.json", change->backup}) {
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0640);
  }
  CHECK_FALSE(replace_client_file(*read_client_file(folder / "real.json"), "{\"a\": 1}\n")->changed);
}

TEST_CASE("a missing file is made, private, with its folders; what is no file is refused") {
  const Folder folder;
  const auto content = read_client_file(folder / "a/b/c.json");
  REQUIRE(content.ok());
  CHECK_FALSE(content->text);
  const auto change = replace_client_file(*content, "{}\n");
  REQUIRE(change.ok());
  CHECK(change->backup.empty());
  struct stat info {};
  REQUIRE(::stat((folder / "a/b/c.json").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);

  CHECK_THAT(read_client_file(folder / "a").error().message, Contains("is not a file"));
  REQUIRE(::symlink("nowhere", (folder / "broken").c_str()) == 0);
  CHECK_THAT(read_client_file(folder / "broken").error().message, Contains("leads nowhere"));
}

}  // namespace
}  // namespace bashcell::commands
