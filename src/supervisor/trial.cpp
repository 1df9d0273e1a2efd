#include "supervisor/trial.h"

#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/utf8.h"
#include "supervisor/cell_words.h"
#include "wire/shelf_folder.h"

extern char** environ;

namespace bashcell::supervisor {

namespace {

// A folder that goes with everything in it, which is one file.
class ScratchFolder {
 public:
  ScratchFolder() { made_ = ::mkdtemp(path_.data()) != nullptr; }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    if (!made_) return;
    if (!file_.empty()) ::unlink(file_.c_str());
    ::rmdir(path_.c_str());
  }

  base::Result<std::string> put(const std::string& name, const std::string& content) {
    if (!made_) return base::errno_error("cannot make a folder in /tmp");
    file_ = path_ + "/" + name;
    if (base::Result<void> written = base::write_file(file_, content, 0700); !written) return written.error();
    return file_;
  }

 private:
  std::string path_ = "/tmp/cell-save-XXXXXX";
  std::string file_;
  bool made_ = false;
};

}  // namespace

base::Result<std::string> script_of_file(const std::string& path) {
  const std::string shown = base::printable(path);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return base::errno_error(shown);
  if (!S_ISREG(info.st_mode)) return base::Error{shown + " is not a file"};
  const base::Result<std::string> content = base::read_file(path, wire::kMaxShelfScript + 1);
  if (!content) return base::Error{base::printable(content.error().message)};
  std::string script = *content;
  if (script.find('\0') != std::string::npos) return base::Error{shown + " is not a script: it holds NUL bytes"};
  if (script.size() <= wire::kMaxShelfScript && base::trimmed(script).empty()) {
    return base::Error{shown + " is empty"};
  }
  script = wire::as_shelf_script(std::move(script), ::access(wire::kPlainBash, X_OK) == 0);
  if (script.size() <= wire::kMaxShelfScript) return script;
  return base::Error{shown + " " + wire::over_shelf_size()};
}

base::Result<Trial> try_script(const std::string& name, const std::string& script,
                               const std::vector<std::string>& arguments) {
  ScratchFolder folder;
  const base::Result<std::string> program = folder.put(name, script);
  if (!program) return program.error();
  std::vector<std::string> words = {*program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<char*> argv = base::argv_of(words);
  const base::Instant begun = base::now();
  pid_t child = 0;
  const int problem = ::posix_spawn(&child, program->c_str(), nullptr, nullptr, argv.data(), environ);
  if (problem != 0) {
    const std::string first = script.substr(0, script.find('\n'));
    return base::errno_error("it cannot be run by " + base::printable(first.substr(0, 80)), problem);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return base::errno_error("its end was not seen");
  }
  return Trial{shell_status(status), std::chrono::duration_cast<base::Duration>(base::now() - begun)};
}

}  // namespace bashcell::supervisor
