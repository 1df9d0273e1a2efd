#pragma once
// In the place of Catch2, for the checks that the targets share with the unit tests: what is required must hold, or the
// run ends.

#include "check.h"

#define REQUIRE(...) ::bashcell::fuzz::require(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK(...) REQUIRE(__VA_ARGS__)
#define INFO(...) static_cast<void>(0)
