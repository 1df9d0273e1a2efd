#include "rpc/regex.h"

#include <pthread.h>

#include <functional>
#include <regex>

namespace bashcell::rpc {

namespace {

// A reply of 8,000 characters overflows a usual stack.
bool on_large_stack(const std::function<bool()>& work) {
  constexpr size_t kStackBytes = size_t{512} * 1024 * 1024;  // address space; only what is touched costs memory
  struct Job {
    const std::function<bool()>* work = nullptr;
    bool result = false;
  } job{&work, false};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread{};
  const int error = pthread_create(
      &thread, &attributes,
      [](void* argument) -> void* {
        Job& mine = *static_cast<Job*>(argument);
        mine.result = (*mine.work)();
        return nullptr;
      },
      &job);
  pthread_attr_destroy(&attributes);
  if (error != 0) return work();
  pthread_join(thread, nullptr);
  return job.result;
}

}  // namespace

base::Result<void> check_regex(const std::string& expression) {
  try {
    const std::regex compiled(expression);
    return {};
  } catch (const std::regex_error& error) {  // the library reports bad expressions in no other way
    return base::Error{"not a regular expression: " + expression + " (" + error.what() + ")"};
  }
}

bool regex_matches(const std::string& expression, const std::string& whole_text) {
  return on_large_stack([&] { return std::regex_match(whole_text, std::regex(expression)); });
}

bool regex_found(const std::string& expression, const std::string& text) {
  return on_large_stack([&] { return std::regex_search(text, std::regex(expression)); });
}

}  // namespace bashcell::rpc
