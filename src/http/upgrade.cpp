#include "http/upgrade.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>

#include "http/curl_handle.h"
#include "http/failure.h"
#include "http/response_head.h"
#include "http/shown.h"

namespace bashcell::http {

namespace {

class CurlConnection : public Connection {
 public:
  CurlConnection(const CurlLibrary& library, const Target& target)
      : library_(library), dialer_(target), handle_(library, dialer_) {}

  // The steps of an upgrade, in this order. An error is the whole upgrade's.
  base::Result<void> open(const Request& request);
  base::Result<void> ask(const Request& request);
  base::Result<void> hear(const Request& request);

  int poll_fd() const override { return fd_; }
  ssize_t receive(char* buffer, size_t size) override;
  ssize_t send(std::string_view bytes) override;

 private:
  base::Error failed(const Request& request, Failure failure);
  // Appends what comes next to received_, up to `limit` bytes in all. False at the end of the connection.
  base::Result<bool> receive_more(const Request& request, size_t limit);
  base::Error refused(const Request& request, const ResponseHead& head);
  bool wait(short events) const;

  const CurlLibrary& library_;
  Dialer dialer_;
  CurlHandle handle_;
  base::Instant deadline_{};
  int fd_ = -1;
  std::string received_;  // bytes of the answer, then those behind its header that nobody has asked for yet
  std::string unsent_;    // under TLS: what the last send() could not write, and must begin with the next time
};

base::Error CurlConnection::failed(const Request& request, Failure failure) {
  failure.connected = fd_ >= 0;
  failure.answer_bytes = received_.size();
  dialer_.listen(fd_);
  return explain(failure, request, library_, handle_, dialer_);
}

bool CurlConnection::wait(short events) const {
  pollfd entry{fd_, events, 0};
  for (;;) {
    const base::Duration left = base::until(deadline_);
    if (left == base::Duration::zero()) return false;
    if (::poll(&entry, 1, static_cast<int>(std::min<int64_t>(left.count(), 60'000))) > 0) return true;
  }
}

base::Result<void> CurlConnection::open(const Request& request) {
  if (!handle_.valid()) return base::Error{"libcurl has no memory or descriptors left"};
  const bool bounded = request.timeout > base::Duration::zero();
  deadline_ = base::now() + (bounded ? request.timeout : base::Duration(std::chrono::hours(24 * 365)));
  handle_.prepare(request.path, request.connect_timeout);
  handle_.set(CURLOPT_CONNECT_ONLY, 1L);
  if (bounded) handle_.set(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  const CURLcode code = library_.easy_perform(handle_.get());
  dialer_.serve();
  if (code != CURLE_OK) return failed(request, {.code = code});
  curl_socket_t fd = CURL_SOCKET_BAD;
  library_.easy_getinfo(handle_.get(), CURLINFO_ACTIVESOCKET, &fd);
  if (fd == CURL_SOCKET_BAD) return failed(request, {.code = CURLE_COULDNT_CONNECT});
  fd_ = fd;
  return {};
}

base::Result<void> CurlConnection::ask(const Request& request) {
  std::string text = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: bashcell\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: "
      "{}\r\n",
      request.method, request.path, host_header(dialer_.target()), request.body.size());
  if (!request.body.empty()) text += fmt::format("Content-Type: {}\r\n", request.content_type);
  for (const std::string& line : request.headers) text += line + "\r\n";
  text += "\r\n" + request.body;
  std::string_view rest = text;
  while (!rest.empty()) {
    size_t sent = 0;
    const CURLcode code = library_.easy_send(handle_.get(), rest.data(), rest.size(), &sent);
    if (code != CURLE_OK && code != CURLE_AGAIN) return failed(request, {.code = code});
    rest.remove_prefix(sent);
    if (code == CURLE_AGAIN && !wait(POLLOUT)) return failed(request, {.stop = Stop::kTimeout});
  }
  return {};
}

base::Result<bool> CurlConnection::receive_more(const Request& request, size_t limit) {
  std::array<char, 4096> buffer{};
  for (;;) {
    size_t n = 0;
    const CURLcode code =
        library_.easy_recv(handle_.get(), buffer.data(), std::min(buffer.size(), limit - received_.size()), &n);
    if (code == CURLE_OK) {
      received_.append(buffer.data(), n);
      return n > 0;
    }
    if (code != CURLE_AGAIN) return failed(request, {.code = code});
    if (!wait(POLLIN)) return failed(request, {.stop = Stop::kTimeout});
  }
}

base::Result<void> CurlConnection::hear(const Request& request) {
  size_t passed = 0;
  for (;;) {
    ResponseHead head;
    const HeadState state = parse_head(received_, head);
    if (state == HeadState::kGarbage) {
      return failed(request, {.stop = Stop::kGarbage, .garbage = received_});
    }
    if (state == HeadState::kComplete) {
      // Some versions answer 200 and go on with the raw stream: then the answer has no body.
      if (head.status == 101 || (head.status == 200 && !head.chunked && !head.content_length)) {
        received_.erase(0, head.size);
        return {};
      }
      if (head.status >= 200) return refused(request, head);
      passed += head.size;
      received_.erase(0, head.size);  // "100 Continue" and its kind: the answer is still to come
      continue;
    }
    if (passed + received_.size() >= kMaxHeader) return failed(request, {.stop = Stop::kLongHeader});
    const base::Result<bool> more = receive_more(request, kMaxHeader - passed);
    if (!more) return more.error();
    if (!*more) return failed(request, {.code = received_.empty() ? CURLE_GOT_NOTHING : CURLE_PARTIAL_FILE});
  }
}

base::Error CurlConnection::refused(const Request& request, const ResponseHead& head) {
  const size_t limit = head.size + 16'384;  // enough for a message
  const std::string& name = dialer_.target().name;
  std::string body;
  for (bool complete = false;;) {
    body = body_so_far(head, std::string_view(received_).substr(head.size), complete);
    if (complete || received_.size() >= limit) break;
    const base::Result<bool> more = receive_more(request, limit);
    if (!more || !*more) break;  // what there is must do
  }
  const std::string message = server_message(body);
  if (head.status == 200) {
    return {fmt::format(
        "the server at {} answered a request for a raw stream with an ordinary answer: is there a proxy in between?",
        name)};
  }
  return {fmt::format("the server at {} answered with status {}{}{}", name, head.status, message.empty() ? "" : ": ",
                      message)};
}

ssize_t CurlConnection::receive(char* buffer, size_t size) {
  if (size == 0) return 0;
  if (!received_.empty()) {
    const size_t n = received_.copy(buffer, size);
    received_.erase(0, n);
    return static_cast<ssize_t>(n);
  }
  size_t n = 0;
  const CURLcode code = library_.easy_recv(handle_.get(), buffer, size, &n);
  if (code == CURLE_OK) return static_cast<ssize_t>(n);
  errno = code == CURLE_AGAIN ? EAGAIN : ECONNRESET;
  return -1;
}

ssize_t CurlConnection::send(std::string_view bytes) {
  constexpr size_t kMaxPiece = 16'384;  // what one TLS record holds
  std::string_view piece = bytes.substr(0, kMaxPiece);
  if (dialer_.target().tls.enabled) {
    // TLS has sealed what it could not write yet: it must get that very buffer again (SSL_write(3), "bad write retry").
    if (unsent_.empty()) unsent_ = piece;
    piece = unsent_;
  }
  size_t n = 0;
  const CURLcode code = library_.easy_send(handle_.get(), piece.data(), piece.size(), &n);
  if (code == CURLE_AGAIN) {
    errno = EAGAIN;
    return -1;
  }
  unsent_.clear();
  if (code == CURLE_OK) return static_cast<ssize_t>(n);
  errno = EPIPE;
  return -1;
}

}  // namespace

base::Result<std::unique_ptr<Connection>> upgrade_connection(const CurlLibrary& library, const Target& target,
                                                             const Request& request) {
  if (const auto good = check_request(target, request); !good) return good.error();
  auto connection = std::make_unique<CurlConnection>(library, target);
  if (const auto opened = connection->open(request); !opened) return opened.error();
  if (const auto asked = connection->ask(request); !asked) return asked.error();
  if (const auto heard = connection->hear(request); !heard) return heard.error();
  return std::unique_ptr<Connection>(std::move(connection));
}

}  // namespace bashcell::http
