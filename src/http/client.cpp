#include "http/client.h"

#include <strings.h>

#include "base/file.h"

namespace bashcell::http {

std::string Response::header(std::string_view name) const {
  for (const std::string& line : headers) {
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (::strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    return std::string(base::trimmed(std::string_view(line).substr(name.size() + 1)));
  }
  return {};
}

}  // namespace bashcell::http
