#pragma once
// What PID 1 and the fork server say to each other: one message each on a SOCK_SEQPACKET pair, in the machine's layout,
// since both are of one build.

namespace bashcell::supervisor {

// The descriptors that come with a request, in this order.
enum class ForkFd : int { kOutput, kScript, kState, kSave, kGo, kBoot, kAlarm, kReports, kLate };
inline constexpr int kMostForkFds = 9;

struct ForkRequest {
  int fds = 0;  // how many; without kLate when there are no such functions
};

struct ForkAnswer {
  int pid = 0;  // of the runner; below 0: errno, negated; 0: the first message, requests may come
};

}  // namespace bashcell::supervisor
