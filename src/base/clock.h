#pragma once
// Monotonic time (CLOCK_MONOTONIC: it stands still while the machine sleeps). Durations are called timeout, grace or
// wait; instants are called deadline.

#include <chrono>
#include <string>

namespace bashcell::base {

using Duration = std::chrono::milliseconds;
using Instant = std::chrono::steady_clock::time_point;

Instant now();

// What is left until `deadline`, rounded up to whole milliseconds, never negative: a wait for it does not end early.
Duration until(Instant deadline);

// "30 s", "0.5 s", "2.25 s": seconds with at most two decimals and no trailing zeros.
std::string seconds_text(Duration duration);

}  // namespace bashcell::base
