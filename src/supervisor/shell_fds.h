#pragma once
// The numbers at which a fresh bash finds its private descriptors. Only kSaveFd and kAlarmFd outlive the start of the
// script.

namespace bashcell::supervisor {

inline constexpr int kAlarmFd = 248;   // memfd, empty, read-only: for messages of the save
inline constexpr int kLateFd = 249;    // memfd: functions that hide builtins, restored last; only when there are any
inline constexpr int kScriptFd = 250;  // memfd: the script
inline constexpr int kStateFd = 251;   // memfd: the state to restore
inline constexpr int kSaveFd = 252;    // pipe: the state as the script left it
inline constexpr int kGoFd = 253;      // pipe: at its end the script starts
inline constexpr int kBootFd = 254;    // memfd: the boot text

// And those of the bash that is the fork server (fork_server.h).
inline constexpr int kForkSocketFd = 246;
inline constexpr int kForkAgentFd = 247;

}  // namespace bashcell::supervisor
