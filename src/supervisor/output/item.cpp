#include "supervisor/output/item.h"

#include <algorithm>

#include "base/quantity.h"
#include "base/utf8.h"

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

std::string ShownLine::text() const {
  std::string text(head);
  if (missing_characters != 0) text += middle_mark(missing_characters);
  return text += tail;
}

size_t mark_cost(int64_t lines, const base::Meter& meter) {
  constexpr int64_t kBytes = 888;
  constexpr int64_t kMegabytes = 888'800'000;
  return std::max(meter.cost(run_mark(lines, kBytes) + '\n'), meter.cost(run_mark(lines, kMegabytes) + '\n'));
}

ShownLine shorten(const LineView& line, size_t limit, const base::Meter& meter) {
  const bool whole = line.missing_bytes == 0;
  if (whole && meter.cost(line.head) <= limit) return {line.head, {}, 0};
  const int64_t characters = base::utf8_length(line.head) + base::utf8_length(line.tail) + line.missing_characters;
  return two_ends(line.head, whole ? line.head : line.tail, characters, limit, meter);
}

ShownLine two_ends(std::string_view head, std::string_view tail, int64_t characters, size_t limit,
                   const base::Meter& meter, size_t head_parts) {
  const size_t mark = meter.cost(middle_mark(characters));
  size_t room = limit - std::min(limit, mark);
  for (;;) {
    ShownLine shown;
    shown.head = meter.prefix(head, room * head_parts / 10);
    shown.tail = meter.suffix(tail, room - std::min(room, meter.cost(shown.head)));
    shown.missing_characters = characters - base::utf8_length(shown.head) - base::utf8_length(shown.tail);
    // What stands side by side may cost a little more than each by itself.
    const size_t cost = meter.cost(shown.text());
    if (cost <= limit || room == 0) return shown;
    room -= std::min(room, cost - limit);
  }
}

size_t item_cost(const Item& item, size_t limit, const base::Meter& meter) {
  if (item.run) return mark_cost(item.lines, meter);
  return meter.cost(shorten(item.view(), limit, meter).text() + '\n');
}

}  // namespace bashcell::supervisor
