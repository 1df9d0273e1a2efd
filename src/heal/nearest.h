#pragma once
// The nearest thing that there is, for one that there is not: without a model, from tables and by likeness. Pure.
//
// A hint is a clause of the status line: in lower case, without a full stop, at most 100 bytes. It is empty when
// nothing is near. Nothing of an argument gets into it: what it names comes from the tables.

#include <string>
#include <string_view>

namespace bashcell::heal {

// "rg" -> "grep -rn does what rg does", "pyhton" -> "did you mean python3".
std::string hint_for_command(std::string_view command);

// For a module that no index has under this name: "urllib2" -> python 3's name of it.
std::string hint_for_module(std::string_view module);

// For an option that `tool` refused, with its dashes: ("date", "-v"). `is_busybox`: the tool is BusyBox's, which has
// fewer than GNU's.
std::string hint_for_option(std::string_view tool, std::string_view option, bool is_busybox);

}  // namespace bashcell::heal
