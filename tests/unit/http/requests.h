#pragma once
// Short ways to ask and to look at what came.

#include <catch2/catch.hpp>
#include <string>

#include "http/curl_client.h"

namespace bashcell::http {

inline std::unique_ptr<Client> client_for(const Target& target) {
  base::Result<std::unique_ptr<Client>> client = make_curl_client(target);
  if (!client) FAIL(client.error().message);
  return std::move(*client);
}

inline Request get(const std::string& path) {
  Request request;
  request.path = path;
  return request;
}

inline Request post(const std::string& path, const std::string& body = "") {
  Request request;
  request.method = "POST";
  request.path = path;
  request.body = body;
  return request;
}

inline Response good(base::Result<Response> result) {
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}

template <typename Value>
std::string error_of(const base::Result<Value>& result) {
  return result ? "no error" : result.error().message;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace bashcell::http
