#include "http/curl_handle.h"

#include <fmt/format.h>

#include <algorithm>

namespace bashcell::http {

namespace {

// libcurl's callbacks have C signatures; their first argument is the pointer that was set with them.

int open_connection(void* self, curlsocktype, curl_sockaddr* address) {
  return static_cast<Dialer*>(self)->open(address->family, address->socktype, address->protocol);
}

int close_connection(void* dialer, curl_socket_t fd) {
  static_cast<Dialer*>(dialer)->close(fd);
  return 0;
}

bool fit_for_header(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c != 0x7f; });
}

}  // namespace

CurlHandle::~CurlHandle() {
  if (easy_ != nullptr) library_->easy_cleanup(easy_);
}

long CurlHandle::number(CURLINFO info) const {
  long value = 0;
  library_->easy_getinfo(easy_, info, &value);
  return value;
}

std::string CurlHandle::error_text() const { return error_.data(); }

void CurlHandle::prepare(const std::string& path, base::Duration connect_timeout) {
  const Target& target = dialer_->target();
  library_->easy_reset(easy_);
  error_[0] = '\0';
  const bool tcp = !target.host.empty();
  set(CURLOPT_URL, fmt::format("{}://{}{}", target.tls.enabled ? "https" : "http", host_header(target), path).c_str());
  if (!target.command.empty()) set(CURLOPT_UNIX_SOCKET_PATH, dialer_->meeting_point().c_str());
  if (!target.unix_socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, target.unix_socket.c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROXY, "");
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT, 1L);  // a name server that does not answer must not hold up the end
  set(CURLOPT_ERRORBUFFER, error_.data());
  set(CURLOPT_USERAGENT, "bashcell");
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::max<int64_t>(connect_timeout.count(), 1)));
  set(CURLOPT_OPENSOCKETFUNCTION, &open_connection);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(dialer_));
  set(CURLOPT_CLOSESOCKETFUNCTION, &close_connection);
  set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(dialer_));
  if (tcp) {
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_TCP_KEEPIDLE, 30L);
  }
  if (target.tls.enabled) prepare_tls(target.tls);
}

void CurlHandle::prepare_tls(const Tls& tls) {
  set(CURLOPT_SSL_VERIFYPEER, tls.verify ? 1L : 0L);
  set(CURLOPT_SSL_VERIFYHOST, tls.verify ? 2L : 0L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_CERTINFO, 1L);  // the names in the certificate, for the message
  if (!tls.ca.empty()) {
    // Only this one: not also the folder of the system's authorities.
    set(CURLOPT_CAINFO, tls.ca.c_str());
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  if (!tls.certificate.empty()) set(CURLOPT_SSLCERT, tls.certificate.c_str());
  if (!tls.key.empty()) set(CURLOPT_SSLKEY, tls.key.c_str());
}

base::Result<void> check_request(const Target& target, const Request& request) {
  const auto plain = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
  const bool good_path = !request.path.empty() && request.path[0] == '/' &&
                         request.path.find('#') == std::string::npos &&
                         std::all_of(request.path.begin(), request.path.end(), plain);
  const bool good_method = !request.method.empty() && std::all_of(request.method.begin(), request.method.end(),
                                                                  [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool good_headers = fit_for_header(request.content_type) &&
                            std::all_of(request.headers.begin(), request.headers.end(), fit_for_header);
  if (good_path && good_method && good_headers) return {};
  return base::Error{
      fmt::format("a request to {} has odd characters in its method, path or headers and was not sent", target.name)};
}

std::string host_header(const Target& target) {
  if (target.host.empty()) return "localhost";
  const bool v6 = target.host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", v6 ? "[" : "", target.host, v6 ? "]" : "", target.port);
}

}  // namespace bashcell::http
