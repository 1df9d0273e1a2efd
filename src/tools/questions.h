#pragma once
// Who answers what scripts ask of the host.

#include "heal/healer.h"
#include "sandbox/sandbox.h"
#include "shelf/keeper.h"

namespace bashcell::tools {

// Either may be missing, and what is asked of it is refused. Both must outlive the sandbox's calls.
void answer_questions(sandbox::Sandbox& sandbox, heal::Healer* healer, shelf::Keeper* shelf);

}  // namespace bashcell::tools
