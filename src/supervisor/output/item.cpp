#include "supervisor/output/item.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/utf8.h"
#include "supervisor/output/json_cost.h"

namespace bashcell::supervisor {

std::string middle_mark(int64_t characters) {
  return " [... " + base::counted(characters, "character") + " left out ...] ";
}
std::string gap_mark(int64_t lines, int64_t bytes) {
  return "[... " + base::counted(lines, "line") + ", " + base::size_text(bytes) + " left out ...]";
}
std::string run_mark(int64_t lines, int64_t bytes) {
  return "[... " + base::counted(lines, "similar line") + ", " + base::size_text(bytes) + " left out ...]";
}

size_t ShownLine::cost() const {
  const size_t mark = missing_characters == 0 ? 0 : middle_mark(missing_characters).size();
  return json_cost(head) + mark + json_cost(tail);
}

void ShownLine::append_to(std::string& text) const {
  text += head;
  if (missing_characters != 0) text += middle_mark(missing_characters);
  text += tail;
}

ShownLine shorten(const LineView& line, size_t limit) {
  const bool whole = line.missing_bytes == 0;
  if (whole && json_cost(line.head) <= limit) return {line.head, {}, 0};
  const int64_t characters = base::utf8_length(line.head) + base::utf8_length(line.tail) + line.missing_characters;
  const size_t mark = middle_mark(characters).size();
  const size_t room = limit - std::min(limit, mark);
  ShownLine shown;
  shown.head = json_prefix(line.head, room / 2);
  shown.tail = json_suffix(whole ? line.head : line.tail, room - json_cost(shown.head));
  shown.missing_characters = characters - base::utf8_length(shown.head) - base::utf8_length(shown.tail);
  return shown;
}

size_t item_cost(const Item& item, size_t limit) {
  if (item.run) return run_mark(item.lines, 0).size() + base::kMaxSizeText + kNewlineCost;
  return shorten(item.view(), limit).cost() + kNewlineCost;
}

}  // namespace bashcell::supervisor
