#pragma once
// A value, or a sentence that says why there is none.
//
// Errors here are meant for people: Error::message is one complete clause (what, where, why) without a final full stop,
// ready to be put into a reply or a log line. Code that must act on the kind of failure returns its own type instead.

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace bashcell::base {

struct Error {
  std::string message;
};

// "WHAT: No such file or directory", from the given errno value.
inline Error errno_error(const std::string& what, int error_number = errno) {
  return Error{what + ": " + std::strerror(error_number)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: implicit, so that `return value;` works
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: implicit, so that `return Error{...};` works

  bool ok() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return ok(); }

  // Only when ok().
  T& value() & { return std::get<T>(state_); }
  const T& value() const& { return std::get<T>(state_); }
  T&& value() && { return std::get<T>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::get<T>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  // Only when not ok().
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit, as above

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_{};
  bool ok_ = true;
};

}  // namespace bashcell::base
