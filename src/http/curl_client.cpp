#include "http/curl_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/file.h"
#include "http/curl_handle.h"
#include "http/curl_library.h"
#include "http/dialer.h"
#include "http/failure.h"
#include "http/upgrade.h"

namespace bashcell::http {

namespace {

constexpr base::Duration kLookForStop{200};

// A request on its way, as libcurl's callbacks see it.
struct Exchange {
  const Request& request;
  CurlHandle& handle;
  bool repeatable = false;
  int sends = 0;
  size_t header_bytes = 0;
  size_t body_bytes = 0;
  base::Instant last_byte = base::now();
  Response response;
  Failure failure;

  // Makes libcurl end the request.
  size_t give_up(Stop why) {
    failure.stop = why;
    return 0;
  }
};

// Before the request is written, also when libcurl wants to write it a second time because a kept connection turned out
// dead before any byte of an answer.
int on_send(void* self, char*, char*, int, int) {
  auto& exchange = *static_cast<Exchange*>(self);
  ++exchange.sends;
  exchange.last_byte = base::now();
  if (exchange.sends == 1 || (exchange.repeatable && exchange.sends == 2)) return CURL_PREREQFUNC_OK;
  exchange.give_up(Stop::kNotSentAgain);
  return CURL_PREREQFUNC_ABORT;
}

size_t on_header(char* data, size_t size, size_t count, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  exchange.last_byte = base::now();
  exchange.header_bytes += size * count;
  const std::string_view line = base::trimmed({data, size * count});
  if (line.starts_with("HTTP/")) exchange.response.headers.clear();  // after an interim answer comes another head
  if (line.find(':') != std::string_view::npos) exchange.response.headers.emplace_back(line);
  return exchange.header_bytes <= kMaxHeader ? size * count : exchange.give_up(Stop::kLongHeader);
}

size_t on_body(char* data, size_t size, size_t count, void* self) {
  auto& exchange = *static_cast<Exchange*>(self);
  const std::string_view bytes(data, size * count);
  exchange.last_byte = base::now();
  exchange.body_bytes += bytes.size();
  exchange.response.status = exchange.handle.number(CURLINFO_RESPONSE_CODE);
  if (exchange.response.status == 0 || exchange.header_bytes == 0) {  // what libcurl takes for HTTP/0.9
    exchange.failure.garbage = bytes.substr(0, 1'000);
    return exchange.give_up(Stop::kGarbage);
  }
  if (exchange.request.on_body && exchange.response.good()) {
    return exchange.request.on_body(bytes) ? bytes.size() : exchange.give_up(Stop::kBodyRefused);
  }
  if (exchange.response.body.size() + bytes.size() > exchange.request.max_body)
    return exchange.give_up(Stop::kLongBody);
  exchange.response.body += bytes;
  return bytes.size();
}

class CurlClient : public Client {
 public:
  CurlClient(const CurlLibrary& library, const Target& target)
      : library_(library), dialer_(target), handle_(library, dialer_), connections_(library) {}

  bool valid() const { return handle_.valid() && connections_.multi != nullptr; }

  base::Result<Response> send(const Request& request) override {
    if (const auto good = check_request(dialer_.target(), request); !good) return good.error();
    dialer_.clear();
    Exchange exchange{.request = request, .handle = handle_};
    exchange.repeatable = request.method == "GET" || request.method == "HEAD" || request.method == "DELETE";
    HeaderList headers(library_);
    prepare(exchange, headers);
    perform(exchange);
    if (exchange.failure.stop == Stop::kCurl && exchange.failure.code == CURLE_OK) {
      exchange.response.status = handle_.number(CURLINFO_RESPONSE_CODE);
      return std::move(exchange.response);
    }
    exchange.failure.connected = exchange.sends > 0;
    exchange.failure.answer_bytes = exchange.header_bytes + exchange.body_bytes;
    return explain(exchange.failure, request, library_, handle_, dialer_);
  }

  base::Result<std::unique_ptr<Connection>> upgrade(const Request& request) override {
    return upgrade_connection(library_, dialer_.target(), request);
  }

 private:
  // Owns the kept connections, and is gone before the dialer that they are closed with.
  struct Connections {
    explicit Connections(const CurlLibrary& library_functions)
        : library(library_functions), multi(library.multi_init()) {}
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;
    ~Connections() {
      if (multi != nullptr) library.multi_cleanup(multi);
    }
    const CurlLibrary& library;
    CURLM* multi;
  };

  void prepare(Exchange& exchange, HeaderList& headers);
  void perform(Exchange& exchange);
  base::Duration wait_of(Exchange& exchange, base::Instant deadline) const;

  const CurlLibrary& library_;
  Dialer dialer_;
  CurlHandle handle_;
  Connections connections_;
};

void CurlClient::prepare(Exchange& exchange, HeaderList& headers) {
  const Request& request = exchange.request;
  handle_.prepare(request.path, request.connect_timeout);
  headers.add("Host: " + host_header(dialer_.target()));
  headers.add("Expect:");  // the body goes at once
  const bool has_body = !request.body.empty() || request.method == "POST" || request.method == "PUT";
  if (has_body) {
    handle_.set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    handle_.set(CURLOPT_POSTFIELDS, request.body.c_str());
    headers.add(request.body.empty() ? "Content-Type:" : "Content-Type: " + request.content_type);
  }
  if (request.method == "HEAD") {
    handle_.set(CURLOPT_NOBODY, 1L);
  } else {
    handle_.set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  for (const std::string& line : request.headers) headers.add(line);
  handle_.set(CURLOPT_HTTPHEADER, headers.get());
  handle_.set(CURLOPT_HTTP09_ALLOWED, 1L);  // to see what garbage says
  handle_.set(CURLOPT_HEADERFUNCTION, &on_header);
  handle_.set(CURLOPT_HEADERDATA, static_cast<void*>(&exchange));
  handle_.set(CURLOPT_WRITEFUNCTION, &on_body);
  handle_.set(CURLOPT_WRITEDATA, static_cast<void*>(&exchange));
  handle_.set(CURLOPT_PREREQDATA, static_cast<void*>(&exchange));
  // A libcurl before 7.80 sends again on its own whatever it likes: then what must not be done twice gets a connection
  // of its own, on which it does not.
  if (!handle_.set(CURLOPT_PREREQFUNCTION, &on_send) && !exchange.repeatable) handle_.set(CURLOPT_FRESH_CONNECT, 1L);
}

// How long to wait for something to happen; zero when a limit is reached, which is then the failure.
base::Duration CurlClient::wait_of(Exchange& exchange, base::Instant deadline) const {
  if (exchange.request.stop.stop_requested()) {
    exchange.give_up(Stop::kAsked);
    return base::Duration::zero();
  }
  base::Duration wait = base::until(deadline);
  if (wait == base::Duration::zero()) {
    exchange.give_up(Stop::kTimeout);
    return wait;
  }
  if (exchange.request.stop.stop_possible()) wait = std::min(wait, kLookForStop);
  if (exchange.request.silence > base::Duration::zero() && exchange.sends > 0) {
    wait = std::min(wait, base::until(exchange.last_byte + exchange.request.silence));
    if (wait == base::Duration::zero()) exchange.give_up(Stop::kSilence);
  }
  return wait;
}

void CurlClient::perform(Exchange& exchange) {
  CURLM* const multi = connections_.multi;
  const base::Duration timeout = exchange.request.timeout;
  const base::Instant deadline =
      timeout > base::Duration::zero() ? base::now() + timeout : base::now() + std::chrono::hours(24 * 365);
  CURLMcode trouble = library_.multi_add_handle(multi, handle_.get());
  while (trouble == CURLM_OK) {
    int running = 0;
    trouble = library_.multi_perform(multi, &running);
    dialer_.serve();
    if (trouble != CURLM_OK || running == 0) break;
    const base::Duration wait = wait_of(exchange, deadline);
    if (wait == base::Duration::zero()) break;
    trouble =
        library_.multi_poll(multi, nullptr, 0, static_cast<int>(std::min<int64_t>(wait.count(), 60'000)), nullptr);
  }
  int queued = 0;
  while (const CURLMsg* const message = library_.multi_info_read(multi, &queued)) {
    if (message->msg == CURLMSG_DONE) exchange.failure.code = message->data.result;
  }
  if (trouble != CURLM_OK) exchange.failure.code = CURLE_FAILED_INIT;
  // Closes the connection unless the answer was read to its end.
  library_.multi_remove_handle(multi, handle_.get());
}

base::Result<void> check_target(const Target& target) {
  const int ways =
      (target.unix_socket.empty() ? 0 : 1) + (target.command.empty() ? 0 : 1) + (target.host.empty() ? 0 : 1);
  if (ways != 1) return base::Error{fmt::format("{} does not say how to reach a server", target.name)};
  if (!target.unix_socket.empty() && target.unix_socket[0] != '/') {
    return base::Error{fmt::format("the path of the socket {} is not absolute", target.name)};
  }
  if (!target.tls.enabled) return {};
  for (const std::string& path : {target.tls.ca, target.tls.certificate, target.tls.key}) {
    if (!path.empty() && ::access(path.c_str(), R_OK) != 0) {
      return base::errno_error(fmt::format("cannot read {}, which {} needs", path, target.name));
    }
  }
  return {};
}

}  // namespace

base::Result<std::unique_ptr<Client>> make_curl_client(const Target& target) {
  if (const auto good = check_target(target); !good) return good.error();
  const base::Result<const CurlLibrary*> library = curl_library();
  if (!library) return library.error();
  auto client = std::make_unique<CurlClient>(**library, target);
  if (!client->valid()) return base::Error{"libcurl has no memory or descriptors left"};
  return std::unique_ptr<Client>(std::move(client));
}

}  // namespace bashcell::http
