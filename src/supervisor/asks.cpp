#include "supervisor/asks.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace bashcell::supervisor {

namespace {

struct Address {
  sockaddr_un name{};
  socklen_t size = 0;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how these system calls take addresses
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

// Abstract: a NUL, then the name (unix(7)).
std::optional<Address> address_of(std::string_view name) {
  Address address;
  if (name.empty() || name.size() >= sizeof address.name.sun_path - 1) return std::nullopt;
  address.name.sun_family = AF_UNIX;
  name.copy(&address.name.sun_path[1], name.size());
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return address;
}

// Words, each with a NUL behind it.
std::string packed(const std::vector<std::string>& words) {
  std::string packet;
  for (const std::string& word : words) packet += word + '\0';
  return packet;
}

pid_t peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

}  // namespace

std::string ask_socket(std::string_view run_folder) { return "bashcell:" + std::string(run_folder); }

base::Result<wire::Answer> ask(const std::string& socket, const std::vector<std::string>& words) {
  const std::string packet = packed(words);
  if (packet.size() > wire::kMaxAskBytes) return base::Error{"that is too long a question"};
  const std::optional<Address> address = address_of(socket);
  const base::UniqueFd connected(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!address || !connected.valid() || ::connect(connected.get(), address->get(), address->size) != 0) {
    return base::errno_error("nobody answers in this cell");
  }
  std::array<char, wire::kMaxAnswerText + 1> buffer{};
  ssize_t got = ::send(connected.get(), packet.data(), packet.size(), MSG_NOSIGNAL);
  while (got > 0 && (got = ::recv(connected.get(), buffer.data(), buffer.size(), 0)) < 0 && errno == EINTR) got = 1;
  if (got <= 0) return base::Error{"too many questions at once, or nobody to answer them"};
  const std::string_view answer(buffer.data(), static_cast<size_t>(got));
  return wire::Answer{.good = answer[0] == '+', .text = std::string(answer.substr(1))};
}

Asks::~Asks() {
  for (const auto& [id, open] : open_) loop_.unwatch(open.socket.get());
  if (listening_.valid()) loop_.unwatch(listening_.get());
}

base::Result<void> Asks::listen(const std::string& socket) {
  const std::optional<Address> address = address_of(socket);
  listening_.reset(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!address || !listening_.valid() || ::bind(listening_.get(), address->get(), address->size) != 0 ||
      ::listen(listening_.get(), static_cast<int>(wire::kMostOpenAsks)) != 0) {
    return base::errno_error("cannot listen for the cell command");
  }
  loop_.watch(listening_.get(), POLLIN, [this](short) { on_connection(); });
  return {};
}

void Asks::on_connection() {
  base::UniqueFd socket(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.valid() || open_.size() >= wire::kMostOpenAsks) return;
  const uint64_t id = ++last_id_;
  loop_.watch(socket.get(), POLLIN, [this, id](short) { on_packet(id); });
  open_.emplace(id, Open{std::move(socket)});
}

void Asks::on_packet(uint64_t id) {
  Open& open = open_.at(id);
  std::array<char, wire::kMaxAskBytes> buffer;  // NOLINT: filled by recv()
  const ssize_t got = ::recv(open.socket.get(), buffer.data(), buffer.size(), MSG_TRUNC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // The end; or more than one question; or one that is too long.
  if (got <= 0 || open.asked || static_cast<size_t>(got) > buffer.size()) return close(id);
  const pid_t from = peer_of(open.socket.get());
  if (from <= 0 || !base::is_valid_utf8({buffer.data(), static_cast<size_t>(got)})) return close(id);
  const std::vector<std::string_view> words = base::split({buffer.data(), static_cast<size_t>(got)}, '\0');
  wire::Ask question;
  question.id = id;
  question.verb = words.front();
  question.arguments.assign(words.begin() + 1, words.end());
  open.asked = true;
  events_.on_ask(std::move(question), from);
}

void Asks::answer(const wire::Answer& answer) {
  const auto found = open_.find(answer.id);
  if (found == open_.end()) return;
  const std::string packet = (answer.good ? "+" : "-") + answer.text;
  // It fits into the socket's buffer; one that does not read does not get it.
  if (::send(found->second.socket.get(), packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
  }
  close(answer.id);
}

void Asks::close(uint64_t id) {
  const auto found = open_.find(id);
  const bool asked = found->second.asked;
  loop_.unwatch(found->second.socket.get());
  open_.erase(found);
  if (asked) events_.on_over(id);
}

}  // namespace bashcell::supervisor
