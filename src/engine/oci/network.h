#pragma once
// --network pasta: a network for a cell of the oci engine, by a program that forwards what the cell sends as an
// ordinary process of this machine: pasta, else slirp4netns.
//
// It reaches what this machine reaches, but not this machine's loopback; nothing reaches the cell. It ends with the
// cell, and with this process however that ends: it has no other input than a pipe of which we hold the other end.

#include <sys/types.h>

#include <string>

#include "base/process.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace bashcell::engine::oci {

enum class NetworkProgram { kNone, kPasta, kSlirp4netns };

struct NetworkPlan {
  NetworkProgram program = NetworkProgram::kNone;
  std::string path;  // of the program
  // pasta refuses to work as root. Then it makes a namespace as nobody, before the cell, and the cell joins that.
  bool before_cell = false;
  bool of_host = false;     // no program: the cell is in this machine's own network
  std::string resolv_conf;  // what programs in the cell find as /etc/resolv.conf; empty: nothing

  bool wanted() const { return program != NetworkProgram::kNone; }
};

// `network` as the user names it; empty: none. The error says what is allowed, or which package is missing.
base::Result<NetworkPlan> plan_network(const std::string& network, bool rootless);
// The network of an installer cell: by such a program where there is one, else this machine's own.
NetworkPlan plan_installer_network(bool rootless);

// The program at work.
struct CellNetwork {
  base::Child process;
  base::UniqueFd life;         // closed, it ends
  std::string namespace_path;  // that the cell is to join; empty when it has its own
  bool of_host = false;        // it gets none of its own
};

// False while a process is still (or was always) in our network, and when that cannot be seen.
bool has_own_network(pid_t pid);

// Starts it, for the namespace of process `cell` or (before_cell) for one that it makes, and waits until there is a
// route. Blocks for some 50 ms, at most 5 s.
base::Result<CellNetwork> start_network(const NetworkPlan& plan, pid_t cell);

}  // namespace bashcell::engine::oci
