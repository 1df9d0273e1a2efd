#pragma once
// A table from method name to handler. Methods are case-sensitive; one that is not in the table is -32601.

#include <functional>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "rpc/message.h"
#include "rpc/reply.h"

namespace bashcell::rpc {

class Router {
 public:
  // `params` is an object (empty when absent or null): anything else was answered with -32602.
  using Handler = std::function<void(const nlohmann::json& params, Reply reply)>;

  // Adding a method twice replaces it.
  void add(const std::string& method, Handler handler);
  void handle(const Request& request, Reply reply) const;

 private:
  std::map<std::string, Handler> handlers_;
};

}  // namespace bashcell::rpc
