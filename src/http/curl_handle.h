#pragma once
// One easy handle of libcurl, and the settings that every connection to a target shares. Used inside http/ only.

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/client.h"
#include "http/curl_library.h"
#include "http/dialer.h"

namespace bashcell::http {

class CurlHandle {
 public:
  // Both must outlive it.
  CurlHandle(const CurlLibrary& library, Dialer& dialer)
      : library_(&library), dialer_(&dialer), easy_(library.easy_init()) {}
  CurlHandle(const CurlHandle&) = delete;
  CurlHandle& operator=(const CurlHandle&) = delete;
  // Closes the connection that belongs to the handle alone (after CURLOPT_CONNECT_ONLY).
  ~CurlHandle();

  bool valid() const { return easy_ != nullptr; }
  CURL* get() const { return easy_; }

  // Options that this libcurl is too old for are left alone; the answer says so.
  template <typename Value>
  bool set(CURLoption option, Value value) {
    return library_->easy_setopt(easy_, option, value) == CURLE_OK;
  }
  long number(CURLINFO info) const;

  // Forgets the settings of the last request and makes those of the target: how to connect, TLS, nothing from the
  // environment, no redirects, HTTP/1.1 only. Connections are kept. `path` is the request's.
  void prepare(const std::string& path, base::Duration connect_timeout);
  // libcurl's own words for what went wrong last. May be empty.
  std::string error_text() const;

 private:
  void prepare_tls(const Tls& tls);

  const CurlLibrary* library_;
  Dialer* dialer_;
  CURL* easy_;
  std::array<char, CURL_ERROR_SIZE> error_{};
};

// libcurl's list of strings, which it does not copy: it must live as long as the request.
class HeaderList {
 public:
  explicit HeaderList(const CurlLibrary& library) : library_(library) {}
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  ~HeaderList() { library_.slist_free_all(list_); }

  void add(const std::string& line) {
    if (curl_slist* const longer = library_.slist_append(list_, line.c_str())) list_ = longer;
  }
  curl_slist* get() const { return list_; }

 private:
  const CurlLibrary& library_;
  curl_slist* list_ = nullptr;
};

// Nothing in it that could end a line or a word of HTTP early. The error names the request.
base::Result<void> check_request(const Target& target, const Request& request);
// The Host header's value.
std::string host_header(const Target& target);

}  // namespace bashcell::http
