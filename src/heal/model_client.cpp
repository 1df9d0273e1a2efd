#include "heal/model_client.h"

#include "heal/model_text.h"

namespace bashcell::heal {

using nlohmann::json;

Model::Cancel ClientModel::ask(const Question& question, base::Instant, OnAnswer on_answer) {
  constexpr int kMaxTokens = 2048;  // a script of 4 KB is less
  const json content = {{"type", "text"}, {"text", question.text}};
  const json params = {{"messages", json::array({{{"role", "user"}, {"content", content}}})},
                       {"systemPrompt", question.instructions},
                       {"includeContext", "none"},
                       {"maxTokens", kMaxTokens}};
  sampling_.ask(params, [on_answer = std::move(on_answer)](const base::Result<json>& result) {
    if (!result) return on_answer(result.error());
    const json& answer = result.value();
    std::optional<std::string> text;
    if (answer.is_object() && answer.contains("content")) text = content_text(answer["content"]);
    if (!text) return on_answer(base::Error{"the client answered without a text"});
    on_answer(std::move(*text));
  });
  return [this] { sampling_.stop(); };
}

}  // namespace bashcell::heal
