#pragma once
// Connections that stop being HTTP: the request and the header of its answer by hand, over a connection that libcurl
// made. Used inside http/ only.

#include <memory>

#include "http/client.h"
#include "http/curl_library.h"

namespace bashcell::http {

// See Client::upgrade(). Always a new connection.
base::Result<std::unique_ptr<Connection>> upgrade_connection(const CurlLibrary& library, const Target& target,
                                                             const Request& request);

}  // namespace bashcell::http
