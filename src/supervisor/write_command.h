#pragma once
// `cell write FILE` and `cell append FILE`: replace a file by stdin, or add stdin to it, for all readers at once.
//
// Readers see the old or the new whole file, whether they lock or not: the new one is made beside it, without a name
// where the file system can do that (O_TMPFILE), and takes the name by rename. Mode, owner and group are kept, or
// nothing is changed. Writers exclude each other by the file's lock (lock_command.h), which is held only once all of
// stdin has been read, so `cell write f < <(sort f)` is safe, and under `cell lock f` it is the lock already held.

#include <string>
#include <vector>

namespace bashcell::supervisor {

enum class WriteMode { kReplace, kAppend };

// `arguments` without "cell write": FILE [--wait S]. Exit status: 0; kLockBusy when others held the lock all the time;
// 1 when it cannot be done; 2 for wrong arguments. With any but 0 the file is as it was, and stderr says why.
int write_command(WriteMode mode, const std::vector<std::string>& arguments);

}  // namespace bashcell::supervisor
