#include "baseline.h"

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "base/process.h"
#include "engine/cell_spec.h"
#include "server.h"

namespace bashcell::bench {

namespace {

std::vector<std::string> cell_environment() {
  std::vector<std::string> environment;
  for (const auto& [name, value] : engine::CellSpec::default_environment()) environment.push_back(name + "=" + value);
  return environment;
}

}  // namespace

std::string bare_bash(const std::string& script) {
  base::Pipe pipe = must(base::make_pipe());
  base::SpawnOptions options;
  options.argv = {"/bin/bash", "-c", script};
  options.environment = cell_environment();
  options.descriptors = {{1, pipe.write.get()}, {2, pipe.write.get()}};
  const base::Child child = must(base::spawn(options));
  pipe.write.reset();
  std::string output;
  char chunk[4096];
  for (;;) {
    const ssize_t count = read(pipe.read.get(), chunk, sizeof chunk);
    if (count <= 0) break;
    output.append(chunk, static_cast<size_t>(count));
  }
  // Plainly, and not by Child::wait(): the baseline gets no overhead from us.
  if (waitpid(child.pid(), nullptr, 0) != child.pid()) throw std::runtime_error("bash was not to be reaped");
  return output;
}

}  // namespace bashcell::bench
