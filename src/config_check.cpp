// The only file that includes valijson: it takes many seconds to compile. Its messages are not for people, so only the
// place of the first violation leaves this file.

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "config_options.h"
#include "embedded/config_schema.h"

namespace bashcell {

std::optional<std::string> first_refused_member(const nlohmann::json& document) {
  using valijson::adapters::NlohmannJsonAdapter;
  const nlohmann::json text = nlohmann::json::parse(embedded::kConfigSchema);
  valijson::Schema schema;
  valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(text), schema);

  valijson::Validator validator(valijson::Validator::kStrongTypes);
  valijson::ValidationResults results;
  if (validator.validate(schema, NlohmannJsonAdapter(document), &results)) return std::nullopt;

  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    // A path reads "<root>", "[member]".
    if (error.context.size() < 2) continue;
    const std::string& step = error.context[1];
    if (step.size() > 2 && step.front() == '[') return step.substr(1, step.size() - 2);
  }
  return std::string();
}

}  // namespace bashcell
