// bashcell's server with a LocalEngine: the program that transcripts are played against. Takes bashcell's options;
// --init must name bashcell-init. Everything but the engine and the judgement of its limits is the product's.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/unique_fd.h"
#include "commands/parts.h"
#include "commands/serve.h"
#include "commands/standard_streams.h"
#include "config.h"
#include "config_paths.h"
#include "local_engine.h"

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  using namespace bashcell;
  base::UniqueFd output = commands::claim_standard_output();
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto invocation = parse_invocation(arguments, {});
  if (!invocation) {
    static_cast<void>(base::write_all(2, invocation.error().message + "\n"));
    return 2;
  }
  std::string folder = (fs::temp_directory_path() / "bashcell-test-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const Config& config = invocation->config;
  testing::LocalEngine engine(folder);
  sandbox::SandboxOptions options = commands::sandbox_options(config);
  options.judge = [](const engine::CellSpec&, const wire::CellFacts&) { return sandbox::LimitCheck{}; };
  const auto make_spec = [&config]() -> base::Result<engine::CellSpec> {
    base::Result<std::string> supervisor = find_supervisor(config);
    if (!supervisor) return supervisor.error();
    engine::CellSpec spec;
    spec.supervisor = std::move(*supervisor);
    return spec;
  };
  const int status = commands::serve_with(config, std::move(output), engine, make_spec, options);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return status;
}
