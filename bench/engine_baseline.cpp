#include "engine_baseline.h"

#include <unistd.h>

#include <stdexcept>

#include "engine/cell_spec.h"
#include "http/curl_client.h"
#include "samples.h"
#include "server.h"

namespace bashcell::bench {

namespace {

using engine::docker::Answer;
using engine::docker::EngineApi;
using nlohmann::json;

std::unique_ptr<EngineApi> connect(const std::string& host) {
  return must(EngineApi::connect(http::make_curl_client, must(engine::docker::parse_address(host, "--engine-host"))));
}

Answer good(base::Result<Answer> result) {
  Answer answer = must(std::move(result));
  if (!answer.good()) throw std::runtime_error("the engine said: " + answer.message);
  return answer;
}

}  // namespace

EngineBaseline::EngineBaseline(const std::string& host, const std::string& like) : api_(connect(host)) {
  const json cell = good(api_->request("GET", "/containers/" + like + "/json")).body;
  configuration_ = cell.at("Config");
  configuration_["HostConfig"] = cell.at("HostConfig");
  json mounts = json::array();
  for (const json& mount : cell.at("HostConfig").at("Mounts")) {
    if (mount.at("Target") != engine::kCellControl) mounts.push_back(mount);  // of that cell alone, and gone by now
  }
  configuration_["HostConfig"]["Mounts"] = std::move(mounts);
  configuration_["Entrypoint"] = {"/bin/cat"};
  configuration_["Cmd"] = json::array();
  configuration_["Labels"] = json::object();
}

EngineBaseline::~EngineBaseline() {
  if (!for_exec_.empty()) static_cast<void>(api_->remove_container(for_exec_, std::chrono::seconds(10)));
}

std::string EngineBaseline::create(const json& configuration) {
  const std::string name = "bashcell-bench-" + std::to_string(getpid()) + "-" + std::to_string(++made_);
  return good(api_->create_container(name, configuration)).body.at("Id");
}

void EngineBaseline::start(const std::string& container) {
  if (const auto started = api_->start_container(container); !started)
    throw std::runtime_error(started.error().message);
}

double EngineBaseline::create_attach_start() {
  std::string container;
  std::unique_ptr<http::Connection> connection;
  const double took = milliseconds_of([&] {
    container = create(configuration_);
    connection = must(api_->attach(container));
    start(container);
  });
  connection.reset();
  if (const auto removed = api_->remove_container(container, std::chrono::seconds(10)); !removed) {
    throw std::runtime_error(removed.error().message);
  }
  return took;
}

std::string EngineBaseline::exec(const std::string& script) {
  if (for_exec_.empty()) {
    json lasting = configuration_;
    lasting["Entrypoint"] = {"/bin/sleep", "infinity"};
    lasting["OpenStdin"] = false;
    lasting["StdinOnce"] = false;
    for_exec_ = create(lasting);
    start(for_exec_);
  }
  const json order = {{"Cmd", {"bash", "-c", script}}, {"AttachStdout", true}, {"AttachStderr", true}};
  const std::string exec = good(api_->request("POST", "/containers/" + for_exec_ + "/exec", order)).body.at("Id");
  std::string output;
  good(api_->request({.method = "POST",
                      .path = "/exec/" + exec + "/start",
                      .body = R"({"Detach":false,"Tty":false})",
                      .on_body = [&](std::string_view piece) {
                        output += piece;
                        return true;
                      }}));
  if (good(api_->request("GET", "/exec/" + exec + "/json")).body.at("ExitCode") != 0) {
    throw std::runtime_error("an exec failed: " + output);
  }
  return output.size() > 8 ? output.substr(8) : output;  // without the header of the stream's one piece
}

std::string cell_of(const std::string& host, int server_pid) {
  const std::string prefix = "bashcell-" + std::to_string(server_pid) + "-";
  for (const auto& container : must(connect(host)->containers_with("io.github.bashcell.cell"))) {
    if (container.name.rfind(prefix, 0) == 0) return container.name;
  }
  throw std::runtime_error("the engine has no cell of the server");
}

}  // namespace bashcell::bench
