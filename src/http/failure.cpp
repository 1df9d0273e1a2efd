#include "http/failure.h"

#include <fmt/format.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/quantity.h"
#include "base/unix_socket.h"
#include "http/shown.h"

namespace bashcell::http {

namespace {

struct Facts {
  const Failure& failure;
  const Request& request;
  const CurlLibrary& library;
  const CurlHandle& handle;
  const Target& target;
  const std::string& name;
  const std::string& last_words;  // of the command that is the way to the server
};

constexpr std::string_view kWantsCertificate =
    "want a client certificate: give cert.pem and key.pem (DOCKER_CERT_PATH)";

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// "DNS:one, DNS:two, IP Address:10.0.0.2" of the server's own certificate; else its subject; else nothing.
std::string certificate_names(const CurlLibrary& library, const CurlHandle& handle) {
  curl_certinfo* chain = nullptr;
  if (library.easy_getinfo(handle.get(), CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == nullptr ||
      chain->num_of_certs < 1) {
    return {};
  }
  std::string subject;
  for (const curl_slist* entry = chain->certinfo[0]; entry != nullptr; entry = entry->next) {
    const std::string line = entry->data;
    const auto value_of = [&](const char* label) {
      const size_t length = std::strlen(label);
      return line.compare(0, length, label) == 0 ? line.substr(length) : std::string();
    };
    if (const std::string names = value_of("X509v3 Subject Alternative Name:"); !names.empty())
      return shown(names, 200);
    if (const std::string name = value_of("Subject:"); !name.empty()) subject = shown(name, 200);
  }
  return subject;
}

std::string tls_text(const Facts& facts) {
  const std::string text = shown(facts.handle.error_text(), 300);
  if (facts.failure.code == CURLE_PEER_FAILED_VERIFICATION) {
    const std::string names = certificate_names(facts.library, facts.handle);
    if (contains(text, "subject name") || contains(text, "subjectAltName")) {
      return fmt::format("the certificate of the server at {} is not for {}{}: use a name that is in it", facts.name,
                         facts.target.host, names.empty() ? "" : fmt::format(" but for {}", names));
    }
    if (contains(text, "has expired") || contains(text, "not yet valid")) {
      return fmt::format("the certificate of the server at {} {}: renew it there, unless a clock is wrong", facts.name,
                         contains(text, "has expired") ? "has expired" : "is not yet valid");
    }
    return fmt::format("the certificate of the server at {} is not to be trusted ({}): {}", facts.name, text,
                       facts.target.tls.ca.empty() ? "give the authority that signed it (ca.pem)"
                                                   : fmt::format("{} did not sign it", facts.target.tls.ca));
  }
  if (contains(text, "certificate required") || contains(text, "bad certificate") || contains(text, "unknown ca") ||
      contains(text, "handshake failure") || contains(text, "certificate unknown")) {
    return facts.target.tls.certificate.empty()
               ? fmt::format("the server at {} does {}", facts.name, kWantsCertificate)
               : fmt::format("the server at {} does not accept the client certificate {} ({})", facts.name,
                             facts.target.tls.certificate, text);
  }
  if (contains(text, "wrong version number") || contains(text, "packet length too long")) {
    return fmt::format("the server at {} does not speak TLS: is it meant to be reached without?", facts.name);
  }
  if (facts.failure.code == CURLE_SSL_CACERT_BADFILE || facts.failure.code == CURLE_SSL_CERTPROBLEM) {
    return fmt::format("the TLS files for {} are not usable: {}", facts.name, text);
  }
  return fmt::format("no TLS connection to the server at {}: {}", facts.name, text);
}

bool about_tls(const Facts& facts) {
  switch (static_cast<int>(facts.failure.code)) {
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_USE_SSL_FAILED:
      return true;
    default:
      return facts.target.tls.enabled && contains(facts.handle.error_text(), "alert");
  }
}

std::string group_hint(const std::string& path) {
  struct stat info {};
  struct group entry {};
  struct group* found = nullptr;
  std::array<char, 4096> buffer{};
  if (::stat(path.c_str(), &info) == 0 && info.st_gid != 0 && (info.st_mode & S_IWGRP) != 0 &&
      ::getgrgid_r(info.st_gid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    return fmt::format(
        "add yourself to its group (sudo usermod -aG {} $USER, then log in again), or use a rootless engine",
        found->gr_name);
  }
  return "use a rootless engine of your own, or have its owner allow you in";
}

// Why the socket takes no connection, tried once more: what libcurl keeps may be the number of an earlier failure.
// EAGAIN when it does take one now.
int connect_error(const std::string& path) { return base::connect_unix(path, SOCK_NONBLOCK).valid() ? EAGAIN : errno; }

std::string unix_text(const Target& target) {
  const int error_number = connect_error(target.unix_socket);
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return fmt::format("there is no socket at {}: is the engine installed and running?", target.name);
    case EACCES:
    case EPERM:
      return fmt::format("permission denied for {}: {}", target.name, group_hint(target.unix_socket));
    case ECONNREFUSED:
    case ENOTSOCK:
      return fmt::format("nobody listens at {}: is the engine running?", target.name);
    case EAGAIN:
      return fmt::format("the server at {} accepts no connection: it is stopped, or too busy", target.name);
    default:
      return fmt::format("cannot connect to {}: {}", target.name, std::strerror(error_number));
  }
}

std::string unreachable_text(const Facts& facts) {
  if (!facts.target.unix_socket.empty()) return unix_text(facts.target);
  const int error_number = static_cast<int>(facts.handle.number(CURLINFO_OS_ERRNO));
  if (facts.failure.code == CURLE_COULDNT_RESOLVE_HOST) {
    return fmt::format("cannot reach {}: the name {} has no address", facts.name, facts.target.host);
  }
  if (error_number == ECONNREFUSED) {
    return fmt::format("nobody listens at {}: is the engine running, and does it listen there?", facts.name);
  }
  return fmt::format("cannot reach {}: {}", facts.name,
                     error_number != 0 ? std::strerror(error_number) : shown(facts.handle.error_text(), 300));
}

std::string timeout_text(const Facts& facts) {
  const std::string limit = base::seconds_text(facts.request.timeout);
  if (!facts.failure.connected) {
    const base::Duration wait =
        facts.failure.stop == Stop::kTimeout ? facts.request.timeout : facts.request.connect_timeout;
    return fmt::format("{} was not reached within {}", facts.name, base::seconds_text(wait));
  }
  if (facts.failure.answer_bytes == 0) {
    return fmt::format("the server at {} did not answer within {}", facts.name, limit);
  }
  return fmt::format("the server at {} began an answer and did not finish it within {}", facts.name, limit);
}

std::string closed_text(const Facts& facts) {
  if (facts.failure.answer_bytes > 0) {
    return fmt::format("the server at {} closed the connection in the middle of its answer", facts.name);
  }
  const std::string closed = fmt::format("the server at {} closed the connection without an answer", facts.name);
  if (!facts.target.tls.enabled) return closed;
  // TLS 1.3 refuses a client after the handshake, and the reason may get lost behind the end of the connection.
  return closed + (facts.target.tls.certificate.empty()
                       ? fmt::format("; it may {}", kWantsCertificate)
                       : fmt::format("; it may not accept the client certificate {}", facts.target.tls.certificate));
}

std::string curl_text(const Facts& facts) {
  switch (static_cast<int>(facts.failure.code)) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
      return unreachable_text(facts);
    case CURLE_OPERATION_TIMEDOUT:
      return timeout_text(facts);
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
      return closed_text(facts);
    default: {
      const std::string detail = shown(facts.handle.error_text(), 300);
      return fmt::format("the server at {} gave no usable answer: {}", facts.name,
                         detail.empty() ? facts.library.easy_strerror(facts.failure.code) : detail);
    }
  }
}

std::string text_of(const Facts& facts) {
  switch (facts.failure.stop) {
    case Stop::kTimeout:
      return timeout_text(facts);
    case Stop::kSilence:
      return fmt::format("the server at {} sent nothing for {} {}", facts.name,
                         base::seconds_text(facts.request.silence),
                         facts.failure.answer_bytes == 0 ? "instead of an answer" : "in the middle of its answer");
    case Stop::kGarbage:
      return fmt::format("what answers at {} does not speak HTTP; its answer begins with: {}", facts.name,
                         shown(facts.failure.garbage, 60));
    case Stop::kLongBody:
      return fmt::format("the answer of the server at {} is longer than {}", facts.name,
                         base::size_text(static_cast<int64_t>(facts.request.max_body)));
    case Stop::kLongHeader:
      return fmt::format("the header of the answer of the server at {} is longer than {}", facts.name,
                         base::size_text(static_cast<int64_t>(kMaxHeader)));
    case Stop::kAsked:
    case Stop::kBodyRefused:
      return fmt::format("the answer of the server at {} was given up", facts.name);
    case Stop::kNotSentAgain:
      return fmt::format("the server at {} closed the connection without an answer; the request was not sent again",
                         facts.name);
    case Stop::kCurl:
      break;
  }
  return about_tls(facts) ? tls_text(facts) : curl_text(facts);
}

}  // namespace

base::Error explain(const Failure& failure, const Request& request, const CurlLibrary& library,
                    const CurlHandle& handle, const Dialer& dialer) {
  if (dialer.failure()) return *dialer.failure();
  const Target& target = dialer.target();
  const Facts facts{failure, request, library, handle, target, target.name, dialer.last_words()};
  const bool ended = failure.stop == Stop::kNotSentAgain || (failure.stop == Stop::kCurl && failure.code != CURLE_OK &&
                                                             failure.code != CURLE_OPERATION_TIMEDOUT);
  if (ended && failure.answer_bytes == 0 && !facts.last_words.empty()) {
    return {fmt::format("cannot reach {}: {}", target.name, facts.last_words)};
  }
  std::string text = text_of(facts);
  if (!dialer.last_words().empty()) text += " (" + dialer.last_words() + ")";
  return {std::move(text)};
}

}  // namespace bashcell::http
