#include "engine/docker/janitor.h"

#include <algorithm>
#include <utility>

#include "engine/docker/engine_api.h"

namespace bashcell::engine::docker {

namespace {

constexpr base::Duration kLimit{2'000};
constexpr base::Duration kPause{200};
constexpr base::Duration kPatience{60'000};

}  // namespace

Janitor::Janitor(http::ClientMaker make_client, base::Log log) : make_client_(std::move(make_client)), log_(log) {}

Janitor::~Janitor() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    end_ = base::now() + kLimit;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Janitor::remove(const Address& address, const std::string& container) {
  const std::lock_guard lock(mutex_);
  orders_.push_back({address, container, base::now(), base::now() + kPatience});
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

void Janitor::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !orders_.empty(); });
    if (orders_.empty() || (ending_ && base::now() >= end_)) return;
    const auto next =
        std::min_element(orders_.begin(), orders_.end(), [](const Order& a, const Order& b) { return a.due < b.due; });
    if (next->due > base::now()) {
      changed_.wait_until(lock, ending_ ? std::min(next->due, end_) : next->due);
      continue;
    }
    Order order = std::move(*next);
    orders_.erase(next);
    const base::Duration limit = ending_ ? base::until(end_) : kLimit;
    lock.unlock();
    const Outcome outcome = carry_out(order, limit);
    lock.lock();
    order.due = base::now() + kPause;
    // A server that ends waits for an engine that hesitates, not for one that is away.
    const bool again = outcome == Outcome::kRefused || (outcome == Outcome::kUnreachable && !ending_);
    if (again && order.due < order.deadline) orders_.push_back(std::move(order));
  }
}

Janitor::Outcome Janitor::carry_out(const Order& order, base::Duration limit) const {
  const base::Instant deadline = base::now() + limit;
  const auto left = [deadline] { return std::max(base::until(deadline), base::Duration{1}); };  // 0 would be no limit
  const base::Result<std::unique_ptr<EngineApi>> api = EngineApi::connect(make_client_, order.address, left());
  if (!api) {
    log_.info(api.error().message);
    return Outcome::kUnreachable;
  }
  const base::Result<void> removed = (*api)->remove_container(order.container, left());
  if (removed) return Outcome::kRemoved;
  log_.info(removed.error().message);
  return Outcome::kRefused;
}

}  // namespace bashcell::engine::docker
