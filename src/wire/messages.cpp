#include "wire/messages.h"

#include <array>
#include <string_view>
#include <utility>

namespace bashcell::wire {

namespace {

using nlohmann::json;

// Reads members of an untrusted object; the first bad one is remembered, the rest is read as default.
class Reader {
 public:
  explicit Reader(const json& object) : object_(object) {}

  void get(const char* name, std::string& value) {
    if (const json* m = member(name, &json::is_string)) value = m->get<std::string>();
  }
  void get(const char* name, bool& value) {
    if (const json* m = member(name, &json::is_boolean)) value = m->get<bool>();
  }
  void get(const char* name, int64_t& value) {
    const json* m = member(name, &json::is_number_integer);
    if (m == nullptr) return;
    if (!fits(*m)) return fail(name);
    value = m->get<int64_t>();
  }
  void get(const char* name, uint64_t& value) {
    if (const json* m = member(name, &json::is_number_unsigned)) value = m->get<uint64_t>();
  }
  template <typename T>
  void get(const char* name, std::vector<T>& value) {
    const json* m = member(name, &json::is_array);
    if (m == nullptr) return;
    constexpr size_t kMaxItems = 4096;
    for (const json& item : *m) {
      const bool right = std::is_same_v<T, std::string> ? item.is_string() : item.is_number_integer() && fits(item);
      if (!right || value.size() == kMaxItems) return fail(name);
      value.push_back(item.get<T>());
    }
  }
  void get(const char* name, std::vector<WorkspaceMount>& value);
  void fail(const char* name) {
    if (problem_.empty()) problem_ = std::string("bad message: ") + name;
  }
  const std::string& problem() const { return problem_; }

 private:
  // An unsigned number beyond int64_t would be read as a negative one.
  static bool fits(const json& number) { return !number.is_number_unsigned() || number.get<uint64_t>() <= INT64_MAX; }

  const json* member(const char* name, bool (json::*right)() const noexcept) {
    const auto found = object_.find(name);
    if (found == object_.end() || !((*found).*right)()) {
      fail(name);
      return nullptr;
    }
    return &*found;
  }

  const json& object_;
  std::string problem_;
};

class Writer {
 public:
  void get(const char* name, const std::vector<WorkspaceMount>& value);
  template <typename T>
  void get(const char* name, const T& value) {
    object[name] = value;
  }
  json object = json::object();
};

// One list of members per struct serves both directions.
template <typename Io, typename M>
void members(Io& io, M& m) requires std::is_same_v<std::remove_const_t<M>, WorkspaceMount> {
  io.get("name", m.name);
  io.get("read_only", m.read_only);
  io.get("device", m.device);
  io.get("inode", m.inode);
}

void Reader::get(const char* name, std::vector<WorkspaceMount>& value) {
  const json* m = member(name, &json::is_array);
  if (m == nullptr) return;
  if (m->size() > kMostWorkspaceMounts) return fail(name);
  for (const json& item : *m) {
    if (!item.is_object()) return fail(name);
    Reader reader(item);
    members(reader, value.emplace_back());
    if (!reader.problem().empty()) return fail(name);
  }
}

void Writer::get(const char* name, const std::vector<WorkspaceMount>& value) {
  json& list = object[name] = json::array();
  for (const WorkspaceMount& mount : value) {
    Writer writer;
    members(writer, mount);
    list.push_back(std::move(writer.object));
  }
}

template <typename Io, typename M>
void members(Io& io, M& m) requires std::is_same_v<std::remove_const_t<M>, CellFacts> {
  io.get("uid", m.uid);
  io.get("gid", m.gid);
  io.get("pid", m.pid);
  io.get("memory_bytes", m.memory_bytes);
  io.get("swap_bytes", m.swap_bytes);
  io.get("swap_present", m.swap_present);
  io.get("cpu_quota_us", m.cpu_quota_us);
  io.get("cpu_period_us", m.cpu_period_us);
  io.get("pids", m.pids);
  io.get("tmp_bytes", m.tmp_bytes);
  io.get("root_read_only", m.root_read_only);
  io.get("no_new_privs", m.no_new_privs);
  io.get("seccomp_mode", m.seccomp_mode);
  io.get("capabilities", m.capabilities);
  io.get("network_interfaces", m.network_interfaces);
  io.get("workspace_writable", m.workspace_writable);
  io.get("workspace_device", m.workspace_device);
  io.get("workspace_inode", m.workspace_inode);
  io.get("workspace_mounts", m.workspace_mounts);
  io.get("shell", m.shell);
}

template <typename Io, typename M>
void members(Io& io, M& m) requires std::is_same_v<std::remove_const_t<M>, Done> {
  io.get("id", m.id);
  io.get("code", m.code);
  io.get("wall_ms", m.wall_ms);
  io.get("killed", m.killed);
  io.get("killed_background", m.killed_background);
  io.get("stages", m.stages);
  io.get("memory_limit_hit", m.memory_limit_hit);
  io.get("process_limit_hit", m.process_limit_hit);
  io.get("state_dropped", m.state_dropped);
  io.get("state_reset", m.state_reset);
  io.get("total_lines", m.total_lines);
  io.get("total_bytes", m.total_bytes);
  io.get("left_out_lines", m.left_out_lines);
  io.get("left_out_bytes", m.left_out_bytes);
  io.get("filter", m.filter);
  io.get("filter_lines", m.filter_lines);
  io.get("spill", m.spill);
  io.get("spill_cut", m.spill_cut);
  io.get("spill_problem", m.spill_problem);
  io.get("problem", m.problem);
}

template <typename Io, typename M>
void members(Io& io, M& m) requires std::is_same_v<std::remove_const_t<M>, Run> {
  io.get("id", m.id);
  io.get("timeout_ms", m.timeout_ms);
  io.get("max_chars", m.max_chars);
  io.get("max_tokens", m.max_tokens);
  io.get("reserve_chars", m.reserve_chars);
  io.get("reserve_tokens", m.reserve_tokens);
  io.get("progress_ms", m.progress_ms);
  io.get("filter_name", m.filter_name);
  io.get("filter", m.filter);
}

constexpr int64_t kMostOfABudget = int64_t{1} << 30;

constexpr std::array<std::pair<Outcome, std::string_view>, 6> kOutcomes{{{Outcome::kExited, "exited"},
                                                                         {Outcome::kSignaled, "signaled"},
                                                                         {Outcome::kTimedOut, "timed_out"},
                                                                         {Outcome::kCancelled, "cancelled"},
                                                                         {Outcome::kNotStarted, "not_started"},
                                                                         {Outcome::kLost, "lost"}}};

std::string type_of(const json& header) {
  const auto found = header.find("type");
  return found != header.end() && found->is_string() ? found->get<std::string>() : std::string();
}

template <typename Variant, typename M>
base::Result<Variant> checked(const Reader& reader, M message) {
  if (!reader.problem().empty()) return base::Error{reader.problem()};
  return Variant(std::move(message));
}

}  // namespace

Frame to_frame(HostMessage message) {
  Writer w;
  std::string body;
  if (const auto* hello = std::get_if<HostHello>(&message)) {
    w.get("type", "hello");
    w.get("version", hello->version);
    w.get("lease_ms", hello->lease_ms);
  } else if (auto* run = std::get_if<Run>(&message)) {
    w.get("type", "run");
    members(w, std::as_const(*run));
    body = std::move(run->script);
  } else if (const auto* cancel = std::get_if<Cancel>(&message)) {
    w.get("type", "cancel");
    w.get("id", cancel->id);
    w.get("late", cancel->late);
  } else if (const auto* answer = std::get_if<Answer>(&message)) {
    w.get("type", "answer");
    w.get("id", answer->id);
    w.get("good", answer->good);
    w.get("text", answer->text);
  } else {
    w.get("type", "ping");
  }
  return {std::move(w.object), std::move(body)};
}

Frame to_frame(CellMessage message) {
  Writer w;
  std::string body;
  if (const auto* hello = std::get_if<CellHello>(&message)) {
    w.get("type", "hello");
    w.get("version", hello->version);
    Writer facts;
    members(facts, hello->facts);
    w.object["facts"] = std::move(facts.object);
  } else if (auto* done = std::get_if<Done>(&message)) {
    w.get("type", "done");
    members(w, std::as_const(*done));
    for (const auto& [outcome, name] : kOutcomes) {
      if (outcome == done->outcome) w.get("outcome", name);
    }
    body = std::move(done->output);
  } else if (auto* ask = std::get_if<Ask>(&message)) {
    w.get("type", "ask");
    w.get("id", ask->id);
    w.get("call", ask->call);
    w.get("verb", ask->verb);
    w.get("arguments", ask->arguments);
    body = std::move(ask->body);
  } else if (const auto* progress = std::get_if<Progress>(&message)) {
    w.get("type", "progress");
    w.get("id", progress->id);
    w.get("last_line", progress->last_line);
  }
  return {std::move(w.object), std::move(body)};
}

base::Result<HostMessage> host_message(Frame frame) {
  const std::string type = type_of(frame.header);
  Reader r(frame.header);
  if (type == "hello") {
    HostHello hello;
    r.get("version", hello.version);
    r.get("lease_ms", hello.lease_ms);
    if (hello.lease_ms <= 0) r.fail("lease_ms");
    return checked<HostMessage>(r, std::move(hello));
  }
  if (type == "run") {
    Run run;
    members(r, run);
    if (run.timeout_ms <= 0) r.fail("timeout_ms");
    if (run.progress_ms < 0) r.fail("progress_ms");
    if (run.max_chars <= 0 || run.max_chars > kMostOfABudget) r.fail("max_chars");
    if (run.max_tokens <= 0 || run.max_tokens > kMostOfABudget) r.fail("max_tokens");
    if (run.reserve_chars < 0 || run.reserve_chars > kMostOfABudget) r.fail("reserve_chars");
    if (run.reserve_tokens < 0 || run.reserve_tokens > kMostOfABudget) r.fail("reserve_tokens");
    run.script = std::move(frame.body);
    return checked<HostMessage>(r, std::move(run));
  }
  if (type == "cancel") {
    Cancel cancel;
    r.get("id", cancel.id);
    r.get("late", cancel.late);
    return checked<HostMessage>(r, cancel);
  }
  if (type == "ping") return HostMessage(Ping{});
  if (type == "answer") {
    Answer answer;
    r.get("id", answer.id);
    r.get("good", answer.good);
    r.get("text", answer.text);
    if (answer.text.size() > kMaxAnswerText) r.fail("text");
    return checked<HostMessage>(r, std::move(answer));
  }
  return base::Error{"bad message: type"};
}

base::Result<CellMessage> cell_message(Frame frame) {
  const std::string type = type_of(frame.header);
  Reader r(frame.header);
  if (type == "hello") {
    CellHello hello;
    r.get("version", hello.version);
    const auto facts = frame.header.find("facts");
    if (facts == frame.header.end() || !facts->is_object()) return base::Error{"bad message: facts"};
    Reader inner(*facts);
    members(inner, hello.facts);
    if (!inner.problem().empty()) return base::Error{inner.problem()};
    return checked<CellMessage>(r, std::move(hello));
  }
  if (type == "done") {
    Done done;
    members(r, done);
    std::string outcome;
    r.get("outcome", outcome);
    bool known = false;
    for (const auto& [value, name] : kOutcomes) {
      if (name != outcome) continue;
      done.outcome = value;
      known = true;
    }
    if (!known) r.fail("outcome");
    for (const int64_t count : {done.wall_ms, done.killed, done.killed_background, done.total_lines, done.total_bytes,
                                done.left_out_lines, done.left_out_bytes, done.filter_lines}) {
      if (count < 0) r.fail("a negative count");
    }
    done.output = std::move(frame.body);
    return checked<CellMessage>(r, std::move(done));
  }
  if (type == "progress") {
    Progress progress;
    r.get("id", progress.id);
    r.get("last_line", progress.last_line);
    if (progress.last_line.size() > kMaxLastLine) r.fail("last_line");
    return checked<CellMessage>(r, std::move(progress));
  }
  if (type == "ask") {
    Ask ask;
    r.get("id", ask.id);
    r.get("call", ask.call);
    r.get("verb", ask.verb);
    r.get("arguments", ask.arguments);
    size_t bytes = ask.verb.size();
    for (const std::string& argument : ask.arguments) bytes += argument.size();
    if (bytes > kMaxAskBytes) r.fail("arguments");
    if (frame.body.size() > kMaxAskBody) r.fail("body");
    ask.body = std::move(frame.body);
    return checked<CellMessage>(r, std::move(ask));
  }
  return base::Error{"bad message: type"};
}

}  // namespace bashcell::wire
