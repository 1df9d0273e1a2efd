#pragma once
// The client over libcurl, which is loaded (dlopen) when the first client is made: it triples the memory of a server
// that does not need it.

#include "http/client.h"

namespace bashcell::http {

// An error when libcurl cannot be loaded (it names the package), or the target's files cannot be read. Does not
// connect. Any thread.
base::Result<std::unique_ptr<Client>> make_curl_client(const Target& target);

}  // namespace bashcell::http
