#pragma once
// A model behind an HTTP endpoint. Each question has a thread and a connection of its own, so that it can be given up
// without anybody waiting for it.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "base/event_loop.h"
#include "heal/model_endpoint.h"
#include "heal/repair_model.h"
#include "http/curl_client.h"

namespace bashcell::heal {

struct HttpModelOptions {
  Endpoint endpoint;
  std::string model;
  std::string key;
  http::ClientMaker make_client = http::make_curl_client;
};

// From --repair URL, --repair-model and --repair-key-env. `key_variable` is the name of an environment variable, which
// `variable` reads; empty: no key is sent. Errors name the option, and never hold the key.
base::Result<HttpModelOptions> http_model_options(
    const std::string& url, const std::string& model, const std::string& key_variable,
    const std::function<std::optional<std::string>(const std::string& name)>& variable);

class HttpModel final : public Model {
 public:
  // `loop` must outlive this.
  HttpModel(base::EventLoop& loop, HttpModelOptions options);
  // Gives up every question. Blocks for at most about a quarter of a second.
  ~HttpModel() override;

  // Answers with an error soon after `deadline`. At most kMostQuestions at a time; more are answered with an error.
  Cancel ask(const Question& question, base::Instant deadline, OnAnswer on_answer) override;
  static constexpr size_t kMostQuestions = 4;

 private:
  struct Job {
    OnAnswer on_answer;  // empty: cancelled
    std::jthread thread;
  };

  void finish(uint64_t id, base::Result<std::string> text);
  void cancel(uint64_t id);

  base::EventLoop& loop_;
  std::shared_ptr<const HttpModelOptions> options_;  // shared with the threads; gone: so is this
  std::map<uint64_t, Job> jobs_;
  uint64_t last_id_ = 0;
};

}  // namespace bashcell::heal
