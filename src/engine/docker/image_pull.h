#pragma once
// Images that an engine lacks: pulled in the background, so that a call can answer while that takes its time.

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/result.h"
#include "engine/docker/engine_api.h"
#include "engine/docker/pull_progress.h"

namespace bashcell::engine::docker {

// An image as POST /images/create names it.
struct PullName {
  std::string image;
  std::string tag;  // or a digest

  // As one reference, for people.
  std::string text() const { return image + (tag.starts_with("sha256:") ? "@" : ":") + tag; }
};

// `reference` must be one (is_image_reference). Without a tag it means "latest"; a digest wins over a tag. Podman does
// not guess which registry a name without one is in: for it that is written out.
PullName pull_name(std::string_view reference, bool podman);

// One pull, begun at once on a thread and a connection of its own.
class ImagePull {
 public:
  struct Options {
    http::ClientMaker make_client;
    Address address;
    PullName name;
    base::Duration silence{120'000};  // an engine that says nothing for so long is given up
  };
  explicit ImagePull(Options options);
  // Gives it up if it is not over; blocks for less than a second.
  ~ImagePull();
  ImagePull(const ImagePull&) = delete;
  ImagePull& operator=(const ImagePull&) = delete;

  // Until it is over, at most so long. True: it is over.
  bool wait_until(base::Instant deadline);
  // Why it failed, once it is over; empty when the engine has the image.
  std::string failure() const;
  std::string progress() const;
  const Options& options() const { return options_; }

 private:
  std::string carry_out(const std::stop_token& stop);

  const Options options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  PullProgress progress_;  // guarded by mutex_
  bool over_ = false;      // guarded by mutex_
  std::string failure_;    // guarded by mutex_
  std::jthread thread_;    // the last member: it uses the others
};

// What is done about an image that is missing.
struct PullOptions {
  bool pull = true;                                      // else it is only said
  base::Duration patience{4'000};                        // of one call; the pull goes on after that
  std::function<void(const std::string&)> on_wait = {};  // told every few seconds of that time how far it is
};

// Finds images, and pulls what is missing: one at a time. Used by one thread.
class ImageSource {
 public:
  explicit ImageSource(http::ClientMaker make_client, PullOptions options = {})
      : make_client_(std::move(make_client)), options_(std::move(options)) {}

  // At once when the engine has it. Else begins to pull it, or goes on, and waits until `begun` + patience; the error
  // then says how far it is, and the next call finds it further. After a failure, which is said once, the next call
  // tries again.
  base::Result<ImageFacts> obtain(EngineApi& api, const std::string& reference, base::Instant begun);
  // The last error was only that it takes its time.
  bool pulling() const { return pull_ != nullptr; }

 private:
  bool wait(const std::string& reference, base::Instant deadline);

  http::ClientMaker make_client_;
  PullOptions options_;
  std::unique_ptr<ImagePull> pull_;
};

// "docker pull NAME": what a person types to get it into that engine.
std::string pull_command(const EngineApi& api, const std::string& reference);

}  // namespace bashcell::engine::docker
