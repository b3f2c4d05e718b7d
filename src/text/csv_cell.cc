#include "text/csv_cell.h"

#include <charconv>
#include <string_view>

namespace postrider::cli {
namespace {

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), ignored);
  return trouble == std::errc() && end == text.data() + text.size();
}

bool would_run(std::string_view text) {
  constexpr std::string_view kBeginnings = "=+-@\t\r";
  return text.size() > 1 && kBeginnings.find(text.front()) != std::string_view::npos &&
         !is_number(text);
}

}  // namespace

std::string csv_cell(const std::string& text) {
  const std::string safe = would_run(text) ? "'" + text : text;
  if (safe.find_first_of(",\"\r\n\t") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace postrider::cli
