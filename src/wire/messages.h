#pragma once
// What host and supervisor say to each other, as values. One struct per frame; times in milliseconds.
//
//   host -> cell: HostHello (first), Run, Cancel, Ping, Answer  cell -> host: CellHello (first), Done, Ask, Progress
//
// The cell sends its Hello by itself at start. Ping keeps the lease: a supervisor that hears nothing for
// HostHello::lease_ms ends the cell. An Ask is answered once, in any order, or never when the host has no answer.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "wire/frame.h"

namespace bashcell::wire {

struct HostHello {
  std::string version;
  int64_t lease_ms = 15'000;
};

struct Run {
  uint64_t id = 0;  // unique in the cell's life; chosen by the host
  int64_t timeout_ms = 30'000;
  int64_t max_chars = 7'500;  // what the reply may cost, status line included: base::Budget
  int64_t max_tokens = 1'800;
  int64_t reserve_chars = 0;  // of these, what the host will add by itself
  int64_t reserve_tokens = 0;
  int64_t progress_ms = 0;  // how often a Progress is wanted; 0: not at all
  std::string filter_name;  // with its text below: what output over the budget goes through; empty: nothing
  std::string filter;       // a bash script, from stdin to stdout
  std::string script;       // the body of the frame
};

// Ends a call's processes. `late`: its time is over, by a deadline that the host keeps; else nobody wants it any more.
struct Cancel {
  uint64_t id = 0;
  bool late = false;
};

struct Ping {};

// To an Ask.
struct Answer {
  uint64_t id = 0;    // the Ask's
  bool good = false;  // what was asked for is done
  std::string text;   // for people; at most kMaxAnswerText bytes
};

// Something mounted below the workspace, as seen inside: its path from there, and stat(2)'s numbers.
struct WorkspaceMount {
  std::string name;
  bool read_only = false;
  uint64_t device = 0;
  uint64_t inode = 0;
};
inline constexpr size_t kMostWorkspaceMounts = 256;  // that are told

// What PID 1 read about its own cell (P13). -1: could not be read, or no limit.
struct CellFacts {
  int64_t uid = -1;
  int64_t gid = -1;
  int64_t pid = -1;  // of the supervisor as it sees itself: 1 in a container
  int64_t memory_bytes = -1;
  int64_t swap_bytes = -1;   // swap allowed on top of memory_bytes
  bool swap_present = true;  // the machine has swap at all (/proc/swaps)
  int64_t cpu_quota_us = -1;
  int64_t cpu_period_us = -1;
  int64_t pids = -1;
  int64_t tmp_bytes = -1;  // size of the file system at /tmp
  bool root_read_only = false;
  bool no_new_privs = false;
  int64_t seccomp_mode = -1;  // 2 = filter
  std::string capabilities;   // CapBnd|CapPrm|CapEff|CapInh|CapAmb or-ed, as hex; "0" when there is none
  std::vector<std::string> network_interfaces;
  bool workspace_writable = false;
  uint64_t workspace_device = 0;  // stat(2)'s numbers of the workspace
  uint64_t workspace_inode = 0;
  std::vector<WorkspaceMount> workspace_mounts;
  std::string shell;  // path of bash; empty when the root has none
};

struct CellHello {
  std::string version;
  CellFacts facts;
};

// How a call ended. The first cause wins.
enum class Outcome {
  kExited,    // by itself: `code`
  kSignaled,  // bash died of signal `code`
  kTimedOut,
  kCancelled,
  kNotStarted,  // nothing ran: `problem` says why
  kLost,        // it started, and its end could not be observed (its runner was killed): `problem`
};

struct Done {
  uint64_t id = 0;
  Outcome outcome = Outcome::kExited;
  int64_t code = 0;
  int64_t wall_ms = 0;
  int64_t killed = 0;              // processes ended by timeout or cancel
  int64_t killed_background = 0;   // of earlier calls, because the process limit left no room to start
  std::vector<int64_t> stages;     // PIPESTATUS of the last pipeline; empty when unknown
  bool memory_limit_hit = false;   // the kernel killed something in this cell for memory during the call
  bool process_limit_hit = false;  // a fork was refused during the call
  bool state_dropped = false;      // the new shell state was over the cap or unreadable: the old one stays
  bool state_reset = false;        // the state could not be restored: the script began with that of a new cell
  int64_t total_lines = 0;         // of the cleaned output
  int64_t total_bytes = 0;
  int64_t left_out_lines = 0;  // of these, not in `output`
  int64_t left_out_bytes = 0;
  std::string filter;         // the name of the filter that `output` is the text of; empty: none was applied
  int64_t filter_lines = 0;   // with one: the lines of its text, and left_out_* count of these
  std::string spill;          // path in the cell of the whole raw output; empty when there is none
  bool spill_cut = false;     // the spill reached its size cap
  std::string spill_problem;  // why the spill is missing or not whole, for people
  std::string problem;
  std::string output;  // the body of the frame: cleaned and trimmed
};

// What a process of a script wants of the host (`cell heal NAME`, `cell save NAME`). Untrusted in all that it says.
struct Ask {
  uint64_t id = 0;    // unique in the cell's life; chosen by the supervisor
  uint64_t call = 0;  // the Run whose process asks; 0: of none that still runs
  std::string verb;
  std::vector<std::string> arguments;  // with the verb at most kMaxAskBytes
  std::string body;                    // of the frame: any bytes, at most kMaxAskBody (`cell save`: the script)
};
inline constexpr size_t kMaxAskBytes = 4096;
inline constexpr size_t kMaxAskBody = size_t{64} * 1024;
inline constexpr size_t kMaxAnswerText = 1000;
inline constexpr size_t kMostOpenAsks = 16;  // of one cell; further processes are turned away inside

// How far a Run is that asked for it, when its last line has changed. None after its Done.
struct Progress {
  uint64_t id = 0;
  std::string last_line;  // of the output so far, cleaned; at most kMaxLastLine bytes
};
inline constexpr size_t kMaxLastLine = 1000;

using HostMessage = std::variant<HostHello, Run, Cancel, Ping, Answer>;
using CellMessage = std::variant<CellHello, Done, Ask, Progress>;

Frame to_frame(HostMessage message);
Frame to_frame(CellMessage message);

// A frame that is no known message, or has a member of the wrong type or out of range, is an error.
base::Result<HostMessage> host_message(Frame frame);
base::Result<CellMessage> cell_message(Frame frame);

}  // namespace bashcell::wire
