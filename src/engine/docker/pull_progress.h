#pragma once
// How far an engine is with pulling an image, read from the lines of JSON it writes meanwhile. No clock, no connection.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace bashcell::engine::docker {

class PullProgress {
 public:
  // The next bytes of the answer to POST /images/create, cut anywhere. What is no JSON, or too long, is skipped.
  void add(std::string_view bytes);

  // "12.3 MB of 45.6 MB, 3 of 7 layers". As long as not every layer has told its size, only what has come is counted.
  std::string text() const;
  // What the engine said went wrong, in one line; empty when nothing did.
  const std::string& error() const { return error_; }

 private:
  struct Layer {
    int64_t bytes = 0;
    int64_t size = 0;  // 0: not known
    bool arrived = false;
  };
  void add_line(std::string_view line);
  void add_layer(const std::string& id, const std::string& status, int64_t current, int64_t total);

  std::string partial_;  // of a line whose end has not come
  bool skipping_ = false;
  std::map<std::string, Layer> layers_;
  std::string error_;
};

}  // namespace bashcell::engine::docker
