#pragma once
// Measured times of one thing, in milliseconds, and what is said about them.

#include <chrono>
#include <utility>
#include <vector>

namespace bashcell::bench {

class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  size_t size() const { return values_.size(); }
  // The smallest sample that at least `percent` of all do not exceed. Needs at least one sample.
  double percentile(double percent) const;
  double median() const { return percentile(50); }
  double smallest() const { return percentile(0); }
  double largest() const { return percentile(100); }

 private:
  std::vector<double> values_;
};

inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Runs `action` and returns how long it took.
template <typename Action>
double milliseconds_of(Action&& action) {
  const auto start = std::chrono::steady_clock::now();
  std::forward<Action>(action)();
  return milliseconds_since(start);
}

}  // namespace bashcell::bench
