#include "rpc/router.h"

#include <utility>

#include "base/utf8.h"

namespace bashcell::rpc {

void Router::add(const std::string& method, Handler handler) { handlers_[method] = std::move(handler); }

void Router::handle(const Request& request, Reply reply) const {
  const auto handler = handlers_.find(request.method);
  if (handler == handlers_.end()) {
    constexpr size_t kMaxEcho = 100;  // the name is the client's, and may be megabytes
    reply.error({kMethodNotFound, "Method not found: " + std::string(base::utf8_prefix(request.method, kMaxEcho))});
    return;
  }
  if (request.params.is_object()) {
    handler->second(request.params, std::move(reply));
  } else if (request.params.is_null()) {
    handler->second(nlohmann::json::object(), std::move(reply));
  } else {
    reply.error({kInvalidParams, "Invalid params: params must be an object"});
  }
}

}  // namespace bashcell::rpc
