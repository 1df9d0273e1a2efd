#pragma once
// What went wrong with a request, in words for people: which server, what happened, what to do. Used inside http/ only.

#include "http/client.h"
#include "http/curl_handle.h"

namespace bashcell::http {

// Why a request ended without an answer, as far as this side knows.
enum class Stop {
  kCurl,          // libcurl said so: its code is the reason
  kTimeout,       // Request::timeout
  kSilence,       // Request::silence
  kGarbage,       // an answer that is no HTTP: `garbage` is how it begins
  kLongBody,      // Request::max_body
  kLongHeader,    // more than kMaxHeader
  kBodyRefused,   // on_body returned false
  kAsked,         // Request::stop
  kNotSentAgain,  // a kept connection ended and the request may have been carried out
};

inline constexpr size_t kMaxHeader = size_t{64} * 1024;

struct Failure {
  Stop stop = Stop::kCurl;
  CURLcode code = CURLE_OK;
  bool connected = false;   // a request was begun
  size_t answer_bytes = 0;  // of the header and the body, as far as they were seen
  std::string garbage;
};

// One clause. Looks at what the dialer and libcurl know of the same request.
base::Error explain(const Failure& failure, const Request& request, const CurlLibrary& library,
                    const CurlHandle& handle, const Dialer& dialer);

}  // namespace bashcell::http
