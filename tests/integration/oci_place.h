#pragma once
// An engine's surroundings for one test, and a conversation with the stand-in for the supervisor.

#include <functional>
#include <memory>
#include <string>

#include "engine/oci/oci_engine.h"
#include "support/temporary_folder.h"

namespace bashcell {

// True in the setting without root.
bool rootless();

// Folders of its own for an engine, and the spec of the cells it starts.
struct Place {
  Place();
  std::string workspace() const { return folder.path() / "workspace"; }

  TemporaryFolder folder;
  engine::CellSpec spec;
  engine::oci::OciOptions options;
};

struct Reply {
  std::string output;
  int code = -1;
};

// What arrives until `enough` says so, or the end of the stream.
std::string receive(engine::Stream& stream, const std::function<bool(const std::string&)>& enough);

// A cell whose PID 1 has said hello.
std::unique_ptr<engine::Cell> start(engine::oci::OciEngine& engine, const engine::CellSpec& spec);

// Runs one line of bash in it.
Reply run(engine::Cell& cell, const std::string& line);

}  // namespace bashcell
