#include "supervisor/asks.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "base/text.h"
#include "base/unix_socket.h"
#include "base/utf8.h"

namespace bashcell::supervisor {

namespace {

constexpr size_t kMostDigits = 5;
constexpr size_t kMaxPacket = kMostDigits + 1 + wire::kMaxAskBytes + wire::kMaxAskBody;

pid_t peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

}  // namespace

std::string ask_socket(std::string_view run_folder) { return "bashcell:" + std::string(run_folder); }

std::string packed_question(const std::vector<std::string>& words, std::string_view body) {
  std::string packed;
  for (const std::string& word : words) packed += word + '\0';
  return std::to_string(packed.size()) + '\0' + packed + std::string(body);
}

std::optional<wire::Ask> unpacked_question(std::string_view packet) {
  size_t size = 0;
  const auto [end, error] = std::from_chars(packet.data(), packet.data() + std::min(packet.size(), kMostDigits), size);
  packet.remove_prefix(static_cast<size_t>(end - packet.data()));
  if (error != std::errc() || packet.empty() || packet[0] != '\0') return std::nullopt;
  packet.remove_prefix(1);
  if (size == 0 || size > wire::kMaxAskBytes || size > packet.size() || packet[size - 1] != '\0') return std::nullopt;
  const std::string_view body = packet.substr(size);
  const std::vector<std::string_view> words = base::split(packet.substr(0, size), '\0');
  if (body.size() > wire::kMaxAskBody || !base::is_valid_utf8(packet.substr(0, size))) return std::nullopt;
  wire::Ask question;
  question.verb = words.front();
  question.arguments.assign(words.begin() + 1, words.end());
  question.body = body;
  return question;
}

base::Result<wire::Answer> ask(const std::string& socket, const std::vector<std::string>& words,
                               std::string_view body) {
  const std::string packet = packed_question(words, body);
  if (packet.size() - body.size() > wire::kMaxAskBytes || body.size() > wire::kMaxAskBody) {
    return base::Error{"that is too long a question"};
  }
  const std::optional<base::AbstractAddress> address = base::abstract_address(socket);
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
  const std::optional<base::AbstractAddress> address = base::abstract_address(socket);
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
  std::string buffer(kMaxPacket, '\0');
  const ssize_t got = ::recv(open.socket.get(), buffer.data(), buffer.size(), MSG_TRUNC);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // The end; or more than one question; or one that is too long.
  if (got <= 0 || open.asked || static_cast<size_t>(got) > buffer.size()) return close(id);
  const pid_t from = peer_of(open.socket.get());
  std::optional<wire::Ask> question = unpacked_question(std::string_view(buffer).substr(0, static_cast<size_t>(got)));
  if (from <= 0 || !question) return close(id);
  question->id = id;
  open.asked = true;
  events_.on_ask(std::move(*question), from);
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
