#include "heal/model_http.h"

#include <algorithm>
#include <utility>

namespace bashcell::heal {

namespace {

// On the question's thread.
base::Result<std::string> exchange(const HttpModelOptions& options, http::Request request, base::Instant deadline) {
  const auto client = options.make_client(options.endpoint.target);
  if (!client) return client.error();
  request.timeout = std::max(base::until(deadline), base::Duration(1));
  request.connect_timeout = std::min(request.connect_timeout, request.timeout);
  const base::Result<http::Response> response = (*client)->send(request);
  if (!response) return response.error();
  return endpoint_text(options.endpoint, *response);
}

}  // namespace

base::Result<HttpModelOptions> http_model_options(
    const std::string& url, const std::string& model, const std::string& key_variable,
    const std::function<std::optional<std::string>(const std::string& name)>& variable) {
  base::Result<Endpoint> endpoint = parse_endpoint(url);
  if (!endpoint) return base::Error{"--repair: " + endpoint.error().message};
  HttpModelOptions options{.endpoint = std::move(*endpoint), .model = model};
  if (model.empty() && options.endpoint.style == Endpoint::Style::kAnthropic) {
    return base::Error{"--repair-model is empty: this endpoint must be told which model to ask"};
  }
  if (key_variable.empty()) return options;
  options.key = variable(key_variable).value_or("");
  if (options.key.empty()) return base::Error{"--repair-key-env: the variable " + key_variable + " is not set"};
  const bool plain = std::all_of(options.key.begin(), options.key.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (!plain) return base::Error{"--repair-key-env: the value of " + key_variable + " has blanks or odd characters"};
  return options;
}

HttpModel::HttpModel(base::EventLoop& loop, HttpModelOptions options)
    : loop_(loop), options_(std::make_shared<const HttpModelOptions>(std::move(options))) {}

HttpModel::~HttpModel() {
  for (auto& [id, job] : jobs_) job.thread.request_stop();
  // Destroying the jobs waits for their threads.
}

Model::Cancel HttpModel::ask(const Question& question, base::Instant deadline, OnAnswer on_answer) {
  const uint64_t id = ++last_id_;
  const std::weak_ptr<const HttpModelOptions> alive = options_;
  Job& job = jobs_[id];
  job.on_answer = std::move(on_answer);
  // What is posted runs on the loop's thread, as the destructor does: `alive` tells whether that has come first.
  const auto tell = [this, id, alive](base::Result<std::string> text) {
    loop_.post([this, id, alive, text = std::move(text)]() mutable {
      if (!alive.expired()) finish(id, std::move(text));
    });
  };
  if (jobs_.size() > kMostQuestions) {
    tell(base::Error{"too many questions are waiting for the model"});
  } else {
    http::Request request = endpoint_request(options_->endpoint, options_->model, options_->key, question);
    job.thread = std::jthread(
        [tell, options = options_.get(), request = std::move(request), deadline](const std::stop_token& stop) mutable {
          request.stop = stop;
          tell(exchange(*options, std::move(request), deadline));
        });
  }
  return [this, id, alive] {
    if (!alive.expired()) cancel(id);
  };
}

void HttpModel::finish(uint64_t id, base::Result<std::string> text) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job job = std::move(found->second);
  jobs_.erase(found);
  if (job.thread.joinable()) job.thread.join();  // this was the last it did
  if (job.on_answer) job.on_answer(std::move(text));
}

void HttpModel::cancel(uint64_t id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  found->second.on_answer = nullptr;
  found->second.thread.request_stop();
}

}  // namespace bashcell::heal
