#include "engine/docker/image_pull.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace bashcell::engine::docker {

namespace {

// An engine is asked for a registry by a dot, a port, or this name (the rule of the distribution project).
bool names_registry(std::string_view image) {
  const size_t slash = image.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view first = image.substr(0, slash);
  return first == "localhost" || first.find_first_of(".:") != std::string_view::npos;
}

constexpr base::Duration kTellEvery{5'000};

std::string being_pulled(const std::string& reference, const ImagePull& pull) {
  return fmt::format("the image {} is being pulled: {}", reference, pull.progress());
}

}  // namespace

PullName pull_name(std::string_view reference, bool podman) {
  PullName name;
  const size_t at = reference.find('@');
  const std::string_view digest = at == std::string_view::npos ? std::string_view() : reference.substr(at + 1);
  reference = reference.substr(0, at);
  const size_t slash = reference.rfind('/');
  const size_t colon = reference.find(':', slash == std::string_view::npos ? 0 : slash);
  name.image = reference.substr(0, colon);
  name.tag = colon == std::string_view::npos ? "latest" : reference.substr(colon + 1);
  if (!digest.empty()) name.tag = digest;
  if (podman && !names_registry(name.image)) {
    name.image = (slash == std::string_view::npos ? "docker.io/library/" : "docker.io/") + name.image;
  }
  return name;
}

ImagePull::ImagePull(Options options) : options_(std::move(options)) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::string failure = carry_out(stop);
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    over_ = true;
    changed_.notify_all();
  });
}

ImagePull::~ImagePull() = default;  // asks the thread to stop, and waits for it

std::string ImagePull::carry_out(const std::stop_token& stop) {
  const base::Result<std::unique_ptr<EngineApi>> api = EngineApi::connect(options_.make_client, options_.address);
  if (!api) return api.error().message;
  http::Request request;
  request.method = "POST";
  request.path = fmt::format("/images/create?fromImage={}&tag={}", url_encoded(options_.name.image),
                             url_encoded(options_.name.tag));
  request.timeout = base::Duration::zero();
  request.silence = options_.silence;
  request.stop = stop;
  request.on_body = [this](std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    progress_.add(bytes);
    return true;
  };
  const base::Result<Answer> answer = (*api)->request(std::move(request));
  if (!answer) return answer.error().message;
  if (!answer->good()) return answer->message;
  const std::lock_guard lock(mutex_);
  progress_.add("\n");
  return progress_.error();
}

bool ImagePull::wait_until(base::Instant deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [this] { return over_; });
}

std::string ImagePull::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::string ImagePull::progress() const {
  const std::lock_guard lock(mutex_);
  return progress_.text();
}

// False: it is not over yet.
bool ImageSource::wait(const std::string& reference, base::Instant deadline) {
  while (!pull_->wait_until(std::min(deadline, base::now() + kTellEvery))) {
    if (base::now() >= deadline) return false;
    if (options_.on_wait) options_.on_wait(being_pulled(reference, *pull_));
  }
  return true;
}

base::Result<ImageFacts> ImageSource::obtain(EngineApi& api, const std::string& reference, base::Instant begun) {
  base::Result<std::optional<ImageFacts>> found = api.find_image(reference);
  if (!found) return found.error();
  if (*found) {
    pull_.reset();
    return std::move(**found);
  }
  if (reference.starts_with("sha256:")) {
    return base::Error{fmt::format("{} has no image {}, and none can be pulled by its id alone: name it with --image",
                                   api.name(), reference)};
  }
  if (!options_.pull) {
    return base::Error{fmt::format("{} does not have the image {}; the first call pulls it, or: {}", api.name(),
                                   reference, pull_command(api, reference))};
  }
  PullName name = pull_name(reference, api.facts().podman);
  const std::string& place = api.address().target.name;
  if (pull_ && (pull_->options().name.text() != name.text() || pull_->options().address.target.name != place)) {
    pull_.reset();
  }
  if (!pull_) {
    pull_ = std::make_unique<ImagePull>(
        ImagePull::Options{.make_client = make_client_, .address = api.address(), .name = std::move(name)});
  }
  if (!wait(reference, begun + options_.patience)) {
    return base::Error{being_pulled(reference, *pull_) + " (run the command again in a moment)"};
  }
  const std::string failure = std::exchange(pull_, nullptr)->failure();
  if (!failure.empty()) {
    return base::Error{fmt::format("{} does not have the image {} and could not pull it: {}; to get it: {}", api.name(),
                                   reference, failure, pull_command(api, reference))};
  }
  found = api.find_image(reference);
  if (!found) return found.error();
  if (!*found) {
    return base::Error{
        fmt::format("{} has pulled the image {}, and does not find it by that name", api.name(), reference)};
  }
  return std::move(**found);
}

std::string pull_command(const EngineApi& api, const std::string& reference) {
  const Address& address = api.address();
  const bool podman = api.facts().podman;
  // Where the command finds the engine by itself: docker by the same variables and contexts, podman not by docker's.
  const bool found = podman ? address.source == "CONTAINER_HOST" || address.source == "its usual place"
                            : address.source != "--docker-host";
  const std::string where = found ? "" : (podman ? "--url " : "-H ") + address.target.name + " ";
  return podman ? fmt::format("podman {}pull {}", where, pull_name(reference, true).text())
                : fmt::format("docker {}pull {}", where, reference);
}

}  // namespace bashcell::engine::docker
