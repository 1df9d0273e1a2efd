#pragma once
// What a model is asked about a failed script. Pure; at most about 30 KB.

#include <string>
#include <vector>

#include "heal/repair_model.h"
#include "heal/repairable.h"

namespace bashcell::heal {

// What came of a former answer.
struct Refused {
  std::string script;  // may be empty: there was none in it
  std::string why;     // a clause, or what was printed
};

// `hint`: what is known of the machine, for example the nearest commands that exist; may be empty.
Question repair_question(const FailedRun& run, const std::string& hint, const std::vector<Refused>& refused);

}  // namespace bashcell::heal
