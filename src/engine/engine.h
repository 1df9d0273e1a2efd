#pragma once
// Starts cells. An engine knows containers and nothing of commands; what runs in a cell is the supervisor's business.
//
// Implementers: oci/ (crun or runc), docker/ (Engine API); in tests LocalEngine (a plain child) and ScriptedEngine.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/cell_spec.h"
#include "engine/stream.h"

namespace bashcell::engine {

// What a cell's programs come from, for messages: "the image alpine", and the option that chooses another ("--image").
struct RootName {
  std::string what;
  std::string option;
};

// A started cell. Its PID 1 is bashcell-init, its control stream is open; whether the supervisor speaks yet is not
// known. Used on the event loop's thread only.
class Cell {
 public:
  Cell() = default;
  Cell(const Cell&) = delete;
  Cell& operator=(const Cell&) = delete;
  // Ends the cell by closing the stream; never blocks. What a dead runtime left behind is removed in the background.
  virtual ~Cell() = default;

  virtual Stream& stream() = 0;
  // The container's name, as the engine's own tools show it.
  virtual const std::string& id() const = 0;
  virtual RootName root() const = 0;
  // What the engine's programs said (their stderr, exit status), for error messages: one line, at most 1,000 bytes,
  // empty if nothing was said. Does not block.
  virtual std::string diagnostics() = 0;
  // Ends it also when PID 1 does not react (paused, stopped): kills through the engine. Never blocks.
  virtual void kill() = 0;
};

// One line of `bashcell doctor`.
struct Finding {
  bool ok = true;
  std::string what;  // "runtime", "cgroup", ...
  std::string detail;
  std::string fix;  // the one command that cures it; empty when ok or when there is none
};

class Engine {
 public:
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  virtual ~Engine() = default;

  virtual std::string_view name() const = 0;

  // Starts a cell, or says what is missing and how to get it. Never falls back to something weaker. Blocks (tens of
  // milliseconds; bounded at 10 s); called from a worker thread, one call at a time. Whether the limits took effect is
  // checked by the caller, from what the supervisor reads inside (sandbox/limit_check.h).
  virtual base::Result<std::unique_ptr<Cell>> start(const CellSpec& spec) = 0;

  // The last start failed only because something takes its time (an image on its way): it is worth starting again.
  virtual bool preparing() const { return false; }

  // The caller says that the cell it got last was of no use: it lacks what was asked for, or never spoke. True: the
  // next start may give another kind of cell, so the caller starts again at once. Not during a start.
  virtual bool refused(const std::string& /*why*/) { return false; }

  // What was found on this machine, without starting anything. Blocks.
  virtual std::vector<Finding> examine(const CellSpec& spec) = 0;
};

}  // namespace bashcell::engine
