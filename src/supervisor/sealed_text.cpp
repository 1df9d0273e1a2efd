#include "supervisor/sealed_text.h"

#include <fcntl.h>
#include <sys/mman.h>

namespace bashcell::supervisor {

base::Result<base::UniqueFd> make_memfd(const char* name) {
  base::UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return base::errno_error("cannot make a memory file");
  return fd;
}

void seal(int memfd) { ::fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL); }

base::Result<base::UniqueFd> sealed_text(const char* name, std::string_view text) {
  base::Result<base::UniqueFd> fd = make_memfd(name);
  if (!fd) return fd.error();
  if (const base::Result<void> written = base::write_all(fd->get(), text); !written) return written.error();
  seal(fd->get());
  return fd;
}

}  // namespace bashcell::supervisor
