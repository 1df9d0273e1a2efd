#pragma once
// HTTP/1.1 to one server: requests over a kept connection, and upgraded connections (RFC 9110 section 7.8). SIGPIPE
// must be ignored.
//
// Implementers: CurlClient (libcurl); in tests a remembered fake. Used by engine/docker.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace bashcell::http {

// Paths of PEM files. Empty `ca`: the system's own certificates. The server's name is always verified unless `verify`
// is false.
struct Tls {
  bool enabled = false;
  bool verify = true;
  std::string ca;
  std::string certificate;
  std::string key;
};

// Where a server is, and how to get there. Exactly one of unix_socket, command, host is used.
struct Target {
  std::string name;         // as a user writes it, for messages: unix:///var/run/docker.sock, tcp://10.0.0.2:2376
  std::string unix_socket;  // absolute path
  std::vector<std::string> command;  // argv of a program whose stdin and stdout are the connection (ssh)
  std::string host;
  int port = 0;
  Tls tls;  // with `host` only
};

struct Request {
  std::string method = "GET";
  std::string path;  // with its query, percent-encoded: /v1.41/version
  std::string body;
  std::string content_type = "application/json";
  std::vector<std::string> headers;       // "Name: value"
  base::Duration connect_timeout{3'000};  // to a connected (and with TLS: verified) socket
  base::Duration timeout{10'000};         // to the last byte of the answer; 0: none
  base::Duration silence{0};              // 0: none; else the longest wait for the next byte of the answer
  size_t max_body = size_t{8} << 20;      // of Response::body: a longer one is an error
  // Set: the answer's body goes here, piece by piece, instead of into Response::body (only with a 2xx status). False
  // ends the request with an error.
  std::function<bool(std::string_view)> on_body;
  // Set: when another thread asks for it, the request ends with an error, within a quarter of a second.
  std::stop_token stop = {};
};

struct Response {
  long status = 0;
  std::vector<std::string> headers;  // "Name: value", as they came
  std::string body;

  bool good() const { return status >= 200 && status < 300; }
  // The value of the first header of that name (any case); empty when there is none.
  std::string header(std::string_view name) const;
};

// What is left of an HTTP connection after its upgrade: bytes both ways, non-blocking. One thread at a time.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;  // closes it

  virtual int poll_fd() const = 0;
  // As read(2) and send(2): -1 with errno EAGAIN when it would block; 0 from receive() is the end. Bytes may wait above
  // the socket (under TLS, and those that came with the upgrade): read until EAGAIN before polling.
  virtual ssize_t receive(char* buffer, size_t size) = 0;
  // After EAGAIN the next send() must begin with the same bytes.
  virtual ssize_t send(std::string_view bytes) = 0;
};

// Blocks up to the request's timeouts. One thread at a time. Errors name the server and what it said or did: "the
// server at unix:///run/docker.sock ...". A request is written to the server once; only GET, HEAD and DELETE are sent a
// second time when a kept connection turns out to be dead. Redirects are answers like any other.
class Client {
 public:
  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  virtual base::Result<Response> send(const Request& request) = 0;
  // Sends `Connection: Upgrade`, `Upgrade: tcp`; on 101 the connection is the caller's. On any other status the error
  // is made of the status and the body's "message" member (or its first 300 bytes).
  virtual base::Result<std::unique_ptr<Connection>> upgrade(const Request& request) = 0;
};

// Makes clients for a target; several may be used at the same time, each by one thread.
using ClientMaker = std::function<base::Result<std::unique_ptr<Client>>(const Target&)>;

}  // namespace bashcell::http
