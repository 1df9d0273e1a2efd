#pragma once
// Raw output in, plain text out: what `cell clean` does, and what stands before every filter.

namespace bashcell::supervisor {

enum class CleanEnd { kAll, kReaderGone, kFailed };

// Until the end of `input`. Blocks. SIGPIPE must be ignored, or kReaderGone is never seen.
CleanEnd clean_stream(int input, int output);

}  // namespace bashcell::supervisor
